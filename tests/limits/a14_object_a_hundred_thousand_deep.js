//! end: done
//! value: "RangeError"
let o = {};
for (let i = 0; i < 1e5; i++) o = { o };
try { JSON.stringify(o); return 'written' } catch (e) { return e.name }
