//! end: done exception
//! why: the kind of CVE-2023-48184: an async generator resumed while it is being resumed
async function* g() { try { yield 1; yield 2 } finally { yield 3 } }
const a = g();
const all = [];
Object.defineProperty(Object.prototype, 'then', { configurable: true, get() { delete Object.prototype.then; all.push(a.return(9), a.throw(8), a.next()); } });
all.push(a.next(), a.next());
await Promise.allSettled(all);
