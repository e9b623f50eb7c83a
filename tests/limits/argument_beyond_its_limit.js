//! end: done
//! value: "limit.argument"
//! calls: 1
try { await ping({ n: 1, s: 'x'.repeat(2 << 20) }) } catch (e) { return e.code }
