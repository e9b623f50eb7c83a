//! end: limit.time limit.memory
//! options: --timeout 300ms
for(let i=0;i<3e5;i++) Promise.reject(new Error("e"+i)); await null; return 1
