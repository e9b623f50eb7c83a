//! end: done
//! why: quickjs-ng issue 1210: the buffer is cut while the species constructor runs
const buffer = new ArrayBuffer(4096, { maxByteLength: 8192 });
buffer.constructor = { [Symbol.species]: function (size) { buffer.resize(16); return new ArrayBuffer(size) } };
try { buffer.slice(2000, 4096) } catch { }
const self = new ArrayBuffer(64);
self.constructor = { [Symbol.species]: function () { return self } };
try { self.slice(0, 8) } catch { }
