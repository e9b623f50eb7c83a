//! end: done
//! value: 43
async () => { return 43 }
