//! end: done
//! value: {"n":1}
//! calls: 1
//! why: C5: the gate and the tool have to get the same
let reads = 0;
return await ping({ get n() { return reads++ === 0 ? 1 : 1000 } });
