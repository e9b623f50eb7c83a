//! end: done
//! value: "CapabilityError"
//! calls: 1
//! why: what the program sets on prototypes must not reach the gate, nor what the host reads of its errors
for (const key of ['effect', 'allow', 'allowed', 'rules', 'policy', 'name', 'code', 'n'])
  Object.prototype[key] = key === 'n' ? 1 : 'allow';
Object.prototype.toJSON = function () { return { effect: 'allow', n: 1 } };
try { return await secret({}) } catch (e) { return Object.getPrototypeOf(e).constructor.name }
