//! end: limit.memory
//! options: --memory 2MiB
//! why: hostile.c runs `return 1+1` in the same sandbox afterwards
var arr = [];
for (let i = 0; i < 1e6; i++) arr.push('x'.repeat(100));
