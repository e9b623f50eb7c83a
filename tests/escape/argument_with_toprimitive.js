//! end: done
//! value: "TypeError"
//! calls: 0
return await ping({ n: { valueOf: () => 1, [Symbol.toPrimitive]: () => 1, toString: () => '1' } }).catch((e) => e.name);
