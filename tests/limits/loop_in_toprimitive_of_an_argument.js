//! end: limit.time
//! options: --timeout 200ms
//! calls: 1
await ping({ n: { toJSON() { for (;;); } } });
