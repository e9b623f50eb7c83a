//! end: exception
//! error: RangeError
''.padEnd(2147483620, '0');
