//! end: done
//! value: 101
const m = new Map([[0, 0]]), s = new Set([0]);
m.forEach((v, k) => { m.delete(k); if (k < 100) m.set(k + 1, 0) });
for (const v of s) { s.delete(v); if (v < 100) s.add(v + 1); else break }
const it = m[Symbol.iterator](); m.clear(); it.next();
let n = 0;
const w = new Map([[0, 0]]);
for (const [k] of w) { n++; w.delete(k); if (k < 100) w.set(k + 1, 0) }
return n;
