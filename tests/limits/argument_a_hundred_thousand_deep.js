//! end: exception limit.time
//! options: --timeout 300ms
let o=1; for(let i=0;i<1e5;i++) o=[o]; return await ping(({a:o}))
