//! end: done
//! value: "array"
//! why: the kind of CVE-2023-31922: a native check that recurses through proxies
let p = [];
for (let i = 0; i < 200000; i++) p = new Proxy(p, {});
try { return Array.isArray(p) ? 'array' : 'none' } catch (e) { return e.name }
