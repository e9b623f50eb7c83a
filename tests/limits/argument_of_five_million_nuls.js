//! end: limit.time
//! options: --timeout 300ms
//! calls: 1
return await ping({a:"\u0000".repeat(5e6)})
