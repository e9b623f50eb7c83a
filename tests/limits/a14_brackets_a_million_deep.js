//! end: done
//! value: "RangeError"
try { JSON.parse('['.repeat(1e6)) } catch (e) { return e.name }
