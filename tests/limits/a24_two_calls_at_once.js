//! end: done
//! calls: 2
//! value: [1, 2]
//! why: tests/suspend answers them in the other order, suspended in between
return (await Promise.all([ping({ n: 1 }), ping({ n: 2 })])).map((r) => r.n);
