//! end: done
//! why: quickjs-ng issues 1296 and 1305: new.target.prototype is a getter that resizes
for (const to of [0, 1, 4096]) {
  const buffer = new ArrayBuffer(64, { maxByteLength: 4096 });
  const target = function () { }.bind();
  Object.defineProperty(target, 'prototype', { get() { buffer.resize(to); return Uint8Array.prototype } });
  for (const args of [[buffer], [buffer, 8], [buffer, 0, 32], [new Uint8Array(buffer)], [new Uint16Array(buffer)]]) {
    try { Reflect.construct(Uint8Array, args, target).fill(1) } catch { }
    buffer.resize(64);
  }
}
