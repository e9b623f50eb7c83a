//! end: done
//! why: the kind of CVE-2026-1145: a constructor whose source is resized in between
const buffer = new ArrayBuffer(1 << 16, { maxByteLength: 1 << 17 });
const source = new Uint8Array(buffer);
class Evil extends Uint16Array { static get [Symbol.species]() { buffer.resize(4); return Uint8Array } }
try { new Evil(source).slice(1) } catch { }
try { Uint8Array.from({ length: 1e5, get 0() { buffer.resize(1 << 17); return 1 } }) } catch { }
try { new DataView(buffer, { valueOf() { buffer.resize(0); return 100 } }, 1000) } catch { }
try { source.set({ length: 5, get 0() { buffer.resize(0); return 1 } }, 1000) } catch { }
