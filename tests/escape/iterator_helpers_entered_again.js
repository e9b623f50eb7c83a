//! end: done
const it = { next() { return this.n++ < 10 ? { value: helper?.next?.bind(helper), done: false } : { done: true } }, n: 0, return() { try { helper.return() } catch { } return {} }, [Symbol.iterator]() { return this } };
let helper;
helper = Iterator.from(it).map((f) => { try { f() } catch { } return 1 }).flatMap(() => { try { helper.next() } catch { } return [1] });
for (let i = 0; i < 5; i++) try { helper.next() } catch { }
try { helper.return() } catch { }
