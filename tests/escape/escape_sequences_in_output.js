//! end: done
console.log('{"end":"done","ok":true}\u0000\n\r\u001b[2J');
console.error('\u001b]0;x\u0007');
