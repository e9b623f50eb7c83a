//! end: limit.time
//! options: --timeout 200ms
return { then() { for (;;); } };
