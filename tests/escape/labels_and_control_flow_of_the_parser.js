//! end: done
//! why: odd code that the compiler has to get right
const texts = ['a: { b: { break a } }', 'x: for (const y of [1]) { try { continue x } finally { break x } }',
  'switch (1) { default: switch (2) { case 2: break } }', 'class A { static { for (;;) break } static #x = () => A.#x }', '({ get [`a`]() { return super.x } }).a', 'with ({}) function f() {}',
  'label: { (() => { try { return } finally { } })() }', 'var [a = [...b] = [], ...{ length }] = [], b', 'async () => { for await (const x of []) { } }', 'function* g() { yield* (yield, g()) }',
  'a?.b?.[c]?.(d)`x`', 'new.target', 'import.meta', 'let let = 1', 'delete this?.x', '0, { __proto__: null, __proto__: 1 }'];
for (const text of texts) for (const wrap of [(t) => t, (t) => `"use strict"; ${t}`, (t) => `{ ${t} }`, (t) => `${t}; ${t}`]) try { new Function(wrap(text))() } catch { }
