//! end: done
//! value: [{"n":1},{"n":2}]
//! calls: 2
const a = await ping({ n: 1 });
const b = await ping({ n: 2 });
return [a, b];
