//! end: done
//! calls: 1
//! value: 100000
//! why: tests/suspend saves it while it waits
let n = 0;
try { await ping({ n: 1 }) } finally { for (let i = 0; i < 1e5; i++) n++ }
return n;
