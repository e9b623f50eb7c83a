//! end: done
//! why: quickjs-ng pull request 1164, lastIndexOf: the array shrinks while the start is converted
const shrink = (a, to) => ({ valueOf() { a.length = to; return 90000 } });
for (const method of ['indexOf', 'lastIndexOf', 'includes', 'fill', 'splice', 'toSpliced', 'copyWithin', 'slice', 'flat', 'with', 'at']) {
  const a = Array.from({ length: 100000 }, (_, i) => i);
  for (const args of [[1, shrink(a, 1)], [shrink(a, 1), 5, 6], [0, 1, shrink(a, 0)], [shrink(a, 0)]]) try { a[method](...args) } catch { }
}
