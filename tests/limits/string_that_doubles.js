//! end: limit.memory exception
let s = 'x';
for (;;) s += s + '.';
