//! end: limit.stack
function f() { return f() }
f();
