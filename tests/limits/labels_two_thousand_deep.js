//! end: done limit.time
//! options: --timeout 300ms
const c=[]; for(let i=0;i<2000;i++) c.push("l"+i+":{"); return new Function(c.join("")+"}".repeat(2000))
