//! end: limit.time
//! options: --timeout 300ms
async function e() { while (true) await Promise.resolve() }
e();
