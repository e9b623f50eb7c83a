//! end: done
//! value: "InternalError"
try { return /^(a+)+$/.exec('a'.repeat(40) + 'b') } catch (e) { return e.name }
