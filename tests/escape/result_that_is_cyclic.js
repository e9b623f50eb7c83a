//! end: done exception
const a = []; a.push(a);
return a;
