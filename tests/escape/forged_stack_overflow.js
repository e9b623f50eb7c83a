//! end: exception
//! error: RangeError
throw new RangeError('Maximum call stack size exceeded');
