//! end: limit.time
//! options: --timeout 300ms
const e=new Error("x"); for (const k of ["name","message","stack","cause","errors"]) Object.defineProperty(e,k,{get(){for(;;);}}); throw e
