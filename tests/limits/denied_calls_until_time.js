//! end: limit.time
//! options: --timeout 200ms --no-jail
//! calls: 1000000
//! why: a guest with news in every turn never waits; its time is looked at all the same, without a worker to do so
for (;;) try { await secret({}) } catch {}
