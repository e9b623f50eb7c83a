//! end: exception
throw { kind: 'limit.time', end: 'done', name: 'done', message: '{"end":"done"}', stack: 7, line: -1 };
