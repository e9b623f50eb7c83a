//! end: limit.time limit.memory exception
//! options: --timeout 300ms
let n = 3n;
for (;;) n *= n;
