//! end: done
//! value: "CapabilityError"
//! calls: 1
return await ping(JSON.parse('{"__proto__":{"n":1},"constructor":{"n":1}}')).catch((e) => e.name);
