//! end: done
//! why: bellard/quickjs issue 412 and quickjs-ng pull request 1164: lengths of numbers as text
for (const radix of [2, 3, 7, 10, 16, 35, 36]) {
  for (const n of [0n, -1n, 1n << 31n, -(1n << 63n), (1n << 64n) - 1n, -(1n << 4000n), 7n ** 3000n]) if (BigInt(n.toString(10)) !== n) throw 1;
  for (const x of [5e-324, -1.7976931348623157e308, 2 ** -1022, 0.1, -0]) x.toString(radix);
}
for (const digits of [0, 1, 99, 100]) for (const x of [1e21, 5e-324, 123.456]) { x.toFixed(digits); x.toExponential(digits); try { x.toPrecision(digits) } catch { } }
for (const text of ['-', '0x', '0b2', '1'.repeat(1000) + 'x', ' 1n', '0o' + '7'.repeat(5000)]) try { BigInt(text) } catch { }
