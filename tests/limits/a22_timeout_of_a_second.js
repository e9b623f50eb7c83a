//! end: done
//! value: 5
return await new Promise((resolve) => setTimeout(resolve, 1000, 5));
