//! end: limit.time exception
//! options: --timeout 200ms
throw { get name() { for (;;); }, get message() { for (;;); } };
