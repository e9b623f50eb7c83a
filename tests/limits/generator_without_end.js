//! end: limit.time
//! options: --timeout 200ms
function* all() { let n = 0; for (;;) yield n++ }
for (const n of all()) n;
