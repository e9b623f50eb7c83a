//! end: limit.time
//! options: --timeout 200ms
const a = new Uint8Array(60e6);
for (;;) a.copyWithin(1, 0);
