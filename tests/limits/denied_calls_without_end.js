//! end: done
//! value: ["limit.calls",1000]
//! options: --calls 1000
//! calls: 1000000
let denied = 0;
for (;;) {
  try { await secret({}) } catch (e) { if (e.code === 'limit.calls') return [e.code, denied] }
  denied++;
}
