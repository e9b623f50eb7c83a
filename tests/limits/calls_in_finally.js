//! end: limit.time
//! options: --timeout 300ms
//! calls: 1
try { for(;;); } finally { for(;;) await ping({n:1}) }
