//! end: done
//! why: quickjs-ng issue 1208: transfer converts its length after it has looked at the buffer
for (const method of ['transfer', 'transferToFixedLength'])
  for (const to of [0, 8, 65536]) {
    const buffer = new ArrayBuffer(4096, { maxByteLength: 65536 });
    try { buffer[method]({ valueOf() { buffer.resize(to); return 4096 } }) } catch { }
    try { buffer[method]({ valueOf() { buffer.transfer(); return 4096 } }) } catch { }
  }
