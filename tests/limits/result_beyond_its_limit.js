//! end: exception
//! error: RangeError
return 'x'.repeat(9 << 20);
