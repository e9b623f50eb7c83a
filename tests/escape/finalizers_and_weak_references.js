//! end: done
//! why: the kind of CVE-2024-33263: what the collector meets when objects come back to life
const registry = new FinalizationRegistry(() => { kept.push(new WeakRef({})) });
const kept = [], map = new WeakMap();
for (let i = 0; i < 20000; i++) { const o = { i }; o.self = o; registry.register(o, o.i); map.set(o, o); if (i % 100 === 0) kept.push(new WeakRef(o)) }
kept.forEach((w) => w.deref?.());
