//! end: done
//! value: "caught"
const a = []; let b = a;
for (let i = 0; i < 1e5; i++) { const c = []; b.push(c); b = c }
try { String(a); return 'written' } catch (e) { return e instanceof RangeError ? 'caught' : e.name }
