//! end: limit.time
//! options: --timeout 200ms
let p = {};
for (let i = 0; i < 500; i++) p = new Proxy(p, { get: (t, k, r) => Reflect.get(t, k, r) });
for (;;) p.x;
