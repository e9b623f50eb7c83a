//! end: limit.time
//! options: --timeout 200ms
const a = new Float64Array(4e6).map((_, i) => (i * 7919) % 1000003);
for (;;) a.sort();
