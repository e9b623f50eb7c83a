// SPDX-License-Identifier: MIT
/* time.js -- `performance`, counted from the beginning of the run. */
(function (native) {
  'use strict';
  const marks = [];
  const performance = {
    now: () => native.elapsed(),
    get timeOrigin() { return native.origin(); },
    mark(name, options) {
      const entry = { name: `${name}`, entryType: 'mark', startTime: options?.startTime ?? native.elapsed(),
        duration: 0, detail: options?.detail ?? null };
      marks.push(entry);
      return entry;
    },
    measure(name, from, to) {
      const at = (mark, usual) => (mark === undefined ? usual
        : marks.findLast((entry) => entry.name === mark)?.startTime ?? usual);
      const startTime = at(from, 0);
      const entry = { name: `${name}`, entryType: 'measure', startTime,
        duration: at(to, native.elapsed()) - startTime, detail: null };
      marks.push(entry);
      return entry;
    },
    getEntries: () => [...marks],
    getEntriesByName: (name) => marks.filter((entry) => entry.name === name),
    getEntriesByType: (type) => marks.filter((entry) => entry.entryType === type),
    clearMarks() { marks.length = 0; },
    clearMeasures() {},
    toJSON: () => ({ timeOrigin: native.origin() }),
  };
  Object.defineProperty(globalThis, 'performance',
    { value: performance, writable: true, enumerable: false, configurable: true });
})
