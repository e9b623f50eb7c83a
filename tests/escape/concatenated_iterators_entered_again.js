//! end: done
//! why: quickjs-ng issues 1368 and 1440: Iterator.concat is closed while it opens its next iterator
for (const when of ['iterator', 'next', 'done', 'value']) {
  let all;
  const close = () => { try { all.return() } catch { } try { all.next() } catch { } };
  const inner = { get next() { if (when === 'next') close(); return () => ({ get done() { if (when === 'done') close(); return false }, get value() { if (when === 'value') close(); return 1 } }) } };
  const item = { get [Symbol.iterator]() { return () => { if (when === 'iterator') close(); return inner } } };
  all = Iterator.concat(item, item, [1, 2]);
  for (let i = 0; i < 6; i++) try { all.next() } catch { }
  try { all.return() } catch { }
}
