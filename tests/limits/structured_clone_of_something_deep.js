//! end: limit.stack limit.time
//! options: --timeout 300ms
let o={}; for(let i=0;i<1e5;i++) o={o}; return typeof structuredClone(o)
