//! end: done
//! why: methods on objects of another kind, and lastIndex that changes while it is read
for (const proto of [Date.prototype, RegExp.prototype, Map.prototype, ArrayBuffer.prototype, DataView.prototype, Promise.prototype, WeakRef.prototype, Iterator.prototype])
  for (const key of Reflect.ownKeys(proto)) {
    const what = Object.getOwnPropertyDescriptor(proto, key);
    for (const f of [what.get, what.set, what.value]) if (typeof f === 'function')
      for (const self of [undefined, 1, 'x', {}, [], /x/g, new Date(), new Map(), new Uint8Array(4), new Proxy({}, {}), proto]) try { Promise.resolve(f.call(self, self, self)).catch(() => { }) } catch { }
  }
const r = /a*/gy; r.lastIndex = { valueOf() { r.compile('(b+)+', 'g'); return 1 } };
try { r.exec('aaaa'); 'aaaa'.replace(r, () => r.compile('c')) } catch { }
