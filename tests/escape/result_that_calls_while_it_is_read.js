//! end: done exception
//! calls: 1
//! why: C5: nothing of the program goes on after its result was read
return { get a() { secret({}); return 1 }, toJSON() { secret({}); return { a: 1 } } };
