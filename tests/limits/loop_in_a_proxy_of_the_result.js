//! end: limit.time
//! options: --timeout 200ms
return new Proxy({}, { ownKeys() { for (;;); } });
