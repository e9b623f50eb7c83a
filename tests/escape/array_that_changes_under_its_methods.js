//! end: done
//! why: the kind of CVE-2025-62490 and CVE-2025-62495: fast paths over an array that changes
const methods = ['map', 'filter', 'forEach', 'some', 'every', 'find', 'findLast', 'flatMap', 'reduce', 'reduceRight', 'sort', 'toSorted'];
for (const method of methods) {
  const a = Array.from({ length: 1000 }, (_, i) => ({ i }));
  let n = 0;
  try { a[method](() => { if (n++ === 3) { a.length = 1; a.push(...'xyz') } if (n === 5) { Object.defineProperty(a, 1, { get() { a.length = 0; return 1 } }) } return n % 2 }) } catch { }
}
const a = [1, 2, 3];
for (const x of a) { if (a.length > 50) break; a.unshift(x); a.splice(1, 1) }
a.concat({ length: 3, [Symbol.isConcatSpreadable]: true, get 0() { a.length = 0; return 1 } });
const from = { valueOf() { a.length = 0; return 0 } };
a.fill(7, from); a.splice(from, 10, 1, 2, 3); a.lastIndexOf(1, from); a.copyWithin(from, 1); [].concat.call(a, a); a.flat(Infinity);
