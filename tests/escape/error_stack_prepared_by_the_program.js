//! end: exception done limit.stack
Error.prepareStackTrace = function (e, frames) { Error.prepareStackTrace = null; throw frames };
Error.stackTraceLimit = 2 ** 31;
Object.defineProperty(Error.prototype, 'stack', { get() { throw this }, set() { throw this } });
null.x;
