//! end: limit.memory limit.time
//! options: --timeout 300ms
let f=()=>1; for(let i=0;i<1e5;i++) f=f.bind(null,i); return f()
