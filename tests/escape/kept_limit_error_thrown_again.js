//! end: exception limit.stack
//! why: an honest mark that was caught, and that the program wants to be another
let kept;
function f() { f() }
try { f() } catch (e) { kept = e }
kept.name = 'done'; kept.message = 'done';
try { Object.setPrototypeOf(kept, Error.prototype) } catch { }
throw kept;
