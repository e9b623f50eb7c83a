//! end: limit.time
//! options: --timeout 200ms
while (true) await null;
