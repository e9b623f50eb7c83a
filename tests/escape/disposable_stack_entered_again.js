//! end: done
//! why: quickjs-ng issue 1564: a stack is added to and moved while it is disposed of
for (const act of ['dispose', 'move', 'defer', 'use', 'adopt']) {
  const stack = new DisposableStack();
  for (let i = 0; i < 5; i++) stack.defer(() => { try { stack[act](() => { }, () => { }) } catch { } });
  stack.adopt({}, () => { throw stack });
  try { stack.dispose() } catch { }
  try { stack[Symbol.dispose]() } catch { }
}
