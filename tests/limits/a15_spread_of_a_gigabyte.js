//! end: limit.memory exception
[...'.'.repeat(1e9)];
