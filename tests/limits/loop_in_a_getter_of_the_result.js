//! end: limit.time
//! options: --timeout 200ms
return { get a() { for (;;); } };
