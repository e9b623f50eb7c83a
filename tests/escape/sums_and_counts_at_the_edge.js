//! end: done limit.memory
//! why: bellard/quickjs issue 545: Math.sumPrecise, and lengths near 2^53
const sum = Math.sumPrecise?.([1e308, 1e308, -1e308, -1e308, 5e-324, -5e-324].flatMap((x) => [x, x, x])) ?? 0;
if (sum !== 0) throw sum;
const long = { length: 2 ** 53 - 1, [2 ** 53 - 2]: 1 };
for (const method of ['push', 'pop', 'at', 'with', 'toSpliced']) try { Array.prototype[method].call(long, 1, 2) } catch { }
for (const size of [2 ** 31, 2 ** 32, 2 ** 53, -1, NaN]) for (const make of [() => new ArrayBuffer(size), () => new Array(size), () => 'x'.repeat(size), () => new Float64Array(size)]) try { make() } catch { }
