// SPDX-License-Identifier: MIT
/* support.js -- what the other files of the program's realm use: errors worded as Node words them. */
(function (native) {
  'use strict';
  const CLASSES = { Error, TypeError, RangeError };

  function codedError(name, code, message) {
    const error = new CLASSES[name](message);
    error.code = code;
    return error;
  }

  /* What "Received ..." says about a value. */
  function received(value) {
    if (value === null || value === undefined) return `${value}`;
    if (typeof value === 'function') return value.name ? `function ${value.name}` : 'function ';
    if (typeof value === 'object')
      return value.constructor?.name ? `an instance of ${value.constructor.name}` : native.inspect(value, { depth: -1 });
    let text = native.inspect(value, { colors: false });
    if (text.length > 28) text = `${text.slice(0, 25)}...`;
    return `type ${typeof value} (${text})`;
  }

  return { codedError, received };
})
