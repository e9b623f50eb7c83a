//! end: done
//! why: quickjs-ng issue 1139, add_loc: a variable is given another value while it is added to
for (let kind = 0; kind < 4; kind++) {
  let s = ['abc', [1], 5n, {}][kind];
  const change = { [Symbol.toPrimitive]() { s = 'x'.repeat(1000) + kind; return kind === 2 ? 1n : 'y' } };
  try { s += change } catch { }
  try { s = s + (change + s) } catch { }
  try { s += s += change } catch { }
}
