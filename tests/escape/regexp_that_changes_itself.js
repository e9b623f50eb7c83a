//! end: done limit.time
//! options: --timeout 2s
const r = /a(b)?(?<n>c)?/gd;
r.exec = function () { this.compile?.('x'.repeat(1000)); return { index: 1e9, length: 2 ** 31, 0: { toString() { r.lastIndex = -1; return '' } }, groups: null } };
let n = 0;
try { 'abc'.replace(r, () => { if (n++ > 100) throw 1; return '$<n>' }) } catch { }
try { 'abc'.matchAll(/(?:)/g).next() } catch { }
'aaaa'.replace(/a/g, (m, at, all) => { RegExp.prototype.exec = null; return all.slice(at) });
try { new RegExp('(?<a>'.repeat(300) + ')'.repeat(300)) } catch { }
try { new RegExp('[' + '\\p{L}'.repeat(20000) + ']', 'u').test('x') } catch { }
try { new RegExp('(a?){0,4294967295}'.repeat(50)).test('a') } catch { }
