//! end: exception
//! error: ReferenceError
(async () => { nosuchname })();
