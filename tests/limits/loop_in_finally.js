//! end: limit.time
//! options: --timeout 200ms
try { for (;;); } finally { for (;;); }
