//! end: done
//! why: the kind of CVE-2026-0821: the buffer changes size inside a comparator
const buffer = new ArrayBuffer(4096, { maxByteLength: 65536 });
const a = new Int32Array(buffer);
for (let i = 0; i < a.length; i++) a[i] = a.length - i;
let n = 0;
a.sort((x, y) => { if (n++ === 10) buffer.resize(16); if (n === 40) buffer.resize(65536); return x - y });
const b = new Uint8Array(new ArrayBuffer(1024));
try { b.sort((x, y) => { b.buffer.transfer(0); return x - y }) } catch { }
