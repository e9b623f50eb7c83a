//! end: done
//! value: ["CapabilityError",{"n":2}]
//! calls: 2
const outcome = [];
outcome.push(await ping({ n: { toJSON: () => 1000 } }).catch((e) => e.name));
outcome.push(await ping({ toJSON: () => ({ n: 2 }) }).catch((e) => e.name));
return outcome;
