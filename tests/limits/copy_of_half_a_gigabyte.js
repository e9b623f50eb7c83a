//! end: limit.time
//! options: --timeout 600ms --memory 1GiB
const a = new Uint8Array(500e6);
for (;;) a.copyWithin(1, 0);
