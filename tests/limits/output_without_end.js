//! end: limit.time
//! options: --timeout 300ms
for (;;) console.log('x'.repeat(1000));
