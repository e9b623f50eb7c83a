//! end: exception
const E = typeof InternalError === 'undefined' ? Error : InternalError;
throw new E('out of memory');
