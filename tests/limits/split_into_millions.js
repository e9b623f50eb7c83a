//! end: limit.time limit.memory
//! options: --timeout 300ms
for (;;) 'ab'.repeat(1e6).split('');
