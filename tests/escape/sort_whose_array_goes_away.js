//! end: done
//! why: the array under a sort becomes short, sparse or frozen
for (const change of ['a.length = 0', 'a.push(...a)', 'delete a[5]', 'Object.freeze(a)', 'Object.setPrototypeOf(a, null)', 'a[0] = a']) {
  const a = Array.from({ length: 300 }, (_, i) => 300 - i);
  const act = new Function('a', change);
  let n = 0;
  for (const method of ['sort', 'toSorted']) try { Array.prototype[method].call(a, (x, y) => { if (n++ === 50) act(a); return x - y }) } catch { }
}
