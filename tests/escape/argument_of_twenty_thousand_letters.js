//! end: done
//! value: "CapabilityError"
//! calls: 1
//! why: C11
return await secret({ s: 'x'.repeat(20000) }).catch((e) => e.name);
