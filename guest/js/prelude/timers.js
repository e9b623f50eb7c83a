// SPDX-License-Identifier: MIT
/* timers.js -- Node's `timers` and `timers/promises`. */
(function () {
  'use strict';

  /* A promise that `start` settles with `value`, unless the signal is aborted first. */
  function wait(start, stop, value, options) {
    const signal = options?.signal;
    return new Promise((resolve, reject) => {
      const fail = () => {
        const error = new Error('The operation was aborted', { cause: signal.reason });
        error.name = 'AbortError';
        error.code = 'ABORT_ERR';
        reject(error);
      };
      if (signal?.aborted) return fail();
      const timer = start(() => resolve(value));
      signal?.addEventListener('abort', () => {
        stop(timer);
        fail();
      }, { once: true });
    });
  }

  const later = (ms, value, options) => wait((done) => setTimeout(done, ms), clearTimeout, value, options);
  const soon = (value, options) => wait((done) => setImmediate(done), clearImmediate, value, options);
  async function* every(ms, value, options) {
    for (;;) yield await later(ms, value, options);
  }
  const named = (f, name) => Object.defineProperty(f, 'name', { value: name, configurable: true });
  const promises = { setTimeout: named(later, 'setTimeout'), setImmediate: named(soon, 'setImmediate'),
    setInterval: named(every, 'setInterval'),
    scheduler: { wait: (ms, options) => later(ms, undefined, options), yield: () => soon() } };
  setTimeout[Symbol.for('nodejs.util.promisify.custom')] = promises.setTimeout;
  setImmediate[Symbol.for('nodejs.util.promisify.custom')] = promises.setImmediate;
  return { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate, promises };
})
