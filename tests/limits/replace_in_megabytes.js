//! end: limit.time
//! options: --timeout 300ms
for (;;) 'ab'.repeat(1e7).replaceAll('a', 'b');
