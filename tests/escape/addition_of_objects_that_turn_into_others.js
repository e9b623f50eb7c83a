//! end: done
//! why: the kind of CVE-2025-62494: addition whose operand changes its type while it is converted
const results = [];
for (const left of ['x', 1, 1n, [], {}])
  for (const value of ['s', 1, 1n, Symbol.iterator, null, undefined, true])
    try { results.push(left + { [Symbol.toPrimitive]: () => value }) } catch (e) { if (!(e instanceof TypeError)) throw e }
let s = 'a'.repeat(100);
s += { toString() { s = 1; return 'b' } };
