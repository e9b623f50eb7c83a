//! end: done
//! value: 42
6 * 7
