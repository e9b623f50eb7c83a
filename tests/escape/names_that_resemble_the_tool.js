//! end: done
//! value: []
//! calls: 100
const reached = [];
for (const name of ['secret', 'secret ', ' secret', 'SECRET', 'sеcret', 'ping/../secret', 'ping\u0000secret', './secret', 'secret/', '/secret',
                    '**', '*', '', 'ping*', 'secret\n', 'pi\u006eg/secret', 'a'.repeat(10000), '\ud800', 'ping//secret']) {
  try { await tools[name]({ n: 1 }); reached.push(name) } catch { }
}
return reached;
