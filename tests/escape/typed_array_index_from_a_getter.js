//! end: done
//! why: the kind of CVE-2025-62492: a start index is converted after the length was read
for (const method of ['indexOf', 'lastIndexOf', 'includes', 'fill', 'copyWithin', 'slice', 'subarray', 'set', 'with', 'at', 'join']) {
  const buffer = new ArrayBuffer(1 << 16, { maxByteLength: 1 << 16 });
  const a = new Float64Array(buffer);
  const shrink = { valueOf() { buffer.resize(8); return -100000 }, toString() { buffer.resize(8); return ',' } };
  for (const args of [[1, shrink], [shrink, 1, 2], [0, 0, shrink], [shrink]])
    try { a[method](...args) } catch { }
  buffer.resize(1 << 16);
}
