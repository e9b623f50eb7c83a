//! end: limit.time limit.memory
//! options: --timeout 300ms
const a = []; a.length = 4294967295;
a.fill(1);
