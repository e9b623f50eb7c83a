//! end: done
//! why: quickjs-ng issue 1661: handlers inside disposeAsync are caught and called without arguments
const then = Promise.prototype.then, saved = [];
Promise.prototype.then = function (f, r) { if (typeof r === 'function') saved.push(f, r); return Promise.resolve() };
for (let i = 0; i < 20; i++) {
  const stack = new AsyncDisposableStack();
  stack.use(undefined);
  stack.use(null);
  stack.defer(() => { });
  stack.disposeAsync();
}
for (const handler of saved) for (const args of [[], [1], [{}, 2]]) try { handler(...args) } catch { }
Promise.prototype.then = then;
