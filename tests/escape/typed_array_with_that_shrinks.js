//! end: done
//! why: bellard/quickjs issue 492: with() copies as many elements as there were
for (const Type of [Uint8Array, Int32Array, Float64Array, BigInt64Array]) {
  const buffer = new ArrayBuffer(4096, { maxByteLength: 4096 }), a = new Type(buffer);
  const shrink = { valueOf() { buffer.resize(8); return Type === BigInt64Array ? 1n : 1 } };
  try { a.with(0, shrink) } catch { }
  buffer.resize(4096);
  try { a.with(shrink, 1) } catch { }
}
