//! end: done
//! value: [32,9968]
//! options: --calls none
//! calls: 10000
const all = await Promise.allSettled(Array.from({ length: 10000 }, () => ping({ n: 1 })));
return [all.filter((r) => r.status === 'fulfilled').length,
        all.filter((r) => r.reason?.code === 'limit.in_flight').length];
