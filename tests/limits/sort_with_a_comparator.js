//! end: limit.time
//! options: --timeout 200ms
const a = Array.from({ length: 1e6 }, (_, i) => (i * 7919) % 1000003);
for (;;) a.sort((x, y) => y - x);
