//! end: done
//! value: []
//! calls: 20
const passed = [];
for (const n of [6, 5.0000001, 1e308, 1e309, -0, NaN, Infinity, 2n ** 63n, 9007199254740993n, '1', null, [1], true, undefined, { '<=': 1 }])
  try { const a = await ping({ n }); if (!(a.n <= 5)) passed.push(String(n)) } catch { }
return passed;
