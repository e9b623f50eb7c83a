//! end: exception
//! message: x
Promise.reject(new Error('x'));
return 3;
