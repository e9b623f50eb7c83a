//! end: done
//! why: quickjs-ng issues 1318, 1352 and 432: registries, weak maps and weak references that hold each other
for (let i = 0; i < 200; i++) {
  let key = i % 2 ? Symbol('k' + i) : { i }, registry = new FinalizationRegistry(() => { });
  const map = new WeakMap();
  registry.register(key, 1, key);
  registry.register(key, registry);
  map.set(key, registry);
  map.set(registry, new WeakRef(key));
  if (typeof key === 'object') { key.map = map; key.registry = registry }
  try { registry.unregister(key) } catch { }
}
const all = []; for (let i = 0; i < 50000; i++) { const o = {}; o.o = o; all.push(o) }
await null;
