//! end: done syntax exception
const sneaky = new Function('o', 'with (o) { return secret }');
const unscoped = { secret: 1, get [Symbol.unscopables]() { return { get secret() { return true } } } };
(0, eval)('var x = typeof require');
try { sneaky(unscoped) } catch { }
