//! end: exception
//! error: InternalError
//! message: backtracks too much
new RegExp('(?:'.repeat(50) + 'a' + '|)+'.repeat(50)).exec('a');
