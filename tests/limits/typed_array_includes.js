//! end: limit.time
//! options: --timeout 300ms
const a = new Float64Array(7e6);
for (;;) a.includes(5);
