//! end: done exception
//! calls: 1
Promise.prototype.then = function () { return this };
Promise.resolve = () => ({ then(f) { f('reached') } });
globalThis.Promise = class { constructor() { } then() { } };
secret({});
return 1;
