// SPDX-License-Identifier: MIT
/* errors.js -- the error classes a program can catch. Runs in the program's realm. */
(function () {
  'use strict';
  const { defineProperty, keys } = Object;

  function define(name) {
    const made = {
      [name]: class extends Error {
        constructor(message, details) {
          super(message);
          if (details === undefined) return;
          for (const key of keys(details))
            defineProperty(this, key, { __proto__: null, value: details[key], writable: true,
              enumerable: true, configurable: true });
        }
      },
    }[name];
    defineProperty(made.prototype, 'name', { value: name, writable: true, configurable: true });
    return made;
  }

  return [define('ToolError'), define('CapabilityError')];
})()
