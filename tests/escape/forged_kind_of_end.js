//! end: exception
//! error: RangeError
throw Object.assign(new RangeError('limit.time'), { kind: 'limit.time', end: 'limit.time', code: 'limit.time' });
