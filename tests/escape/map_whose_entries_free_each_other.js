//! end: done
//! why: entries go away under forEach and groupBy
for (const Type of [Map, Set]) {
  const all = new Type(Type === Map ? [[1, 1], [2, 2], [3, 3]] : [1, 2, 3]);
  let n = 0;
  all.forEach((v) => { all.clear(); for (let i = 0; i < 50 && n < 500; i++, n++) Type === Map ? all.set({}, v) : all.add({}) });
  const walk = all.keys();
  walk.next(); all.clear(); for (let i = 0; i < 1000; i++) Type === Map ? all.set(i, i) : all.add(i); walk.next();
}
const key = { toString() { groups?.clear?.(); return 'k' } };
let groups; groups = Map.groupBy([1, 2, 3], () => key);
try { new Set([1, 2]).union({ size: 2, has: () => true, keys: () => ({ next() { throw 1 } }) }) } catch { }
const s = new Set([1, 2, 3]); try { s.intersection({ size: 1e9, has() { s.clear(); return true }, keys: () => [].values() }) } catch { }
