// SPDX-License-Identifier: MIT
/* clone.js -- structuredClone, as the HTML standard defines it for what exists here. */
(function (native) {
  'use strict';

  const { kind, primitive, entries } = native;
  const ERRORS = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
  const TypedArray = Object.getPrototypeOf(Uint8Array);
  const typedName = Object.getOwnPropertyDescriptor(TypedArray.prototype, Symbol.toStringTag).get;
  const MADE = { Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array,
    Uint32Array, Float16Array, Float32Array, Float64Array, BigInt64Array, BigUint64Array };

  function refuse(value) {
    const shown = typeof value === 'function' || typeof value === 'symbol' ? native.textOf(value)
      : `#<${kind(value)}>`;
    throw new DOMException(`${shown} could not be cloned.`, 'DataCloneError');
  }

  function copyProperties(from, to, seen) {
    for (const key of Object.keys(from))
      Object.defineProperty(to, key, { value: clone(from[key], seen), writable: true,
        enumerable: true, configurable: true });
    return to;
  }

  function cloneError(value, seen) {
    const name = `${value.name}`, made = ERRORS[name] ?? Error;
    const copy = new made();
    seen.set(value, copy);
    const hide = (key, held) => Object.defineProperty(copy, key,
      { value: held, writable: true, configurable: true, enumerable: false });
    if (Object.hasOwn(value, 'message')) hide('message', `${value.message}`);
    if (typeof value.stack === 'string') hide('stack', value.stack);
    if (Object.hasOwn(value, 'cause')) hide('cause', clone(value.cause, seen));
    return copy;
  }

  function cloneView(value, name, seen) {
    const buffer = clone(value.buffer, seen);
    if (name === undefined) return new DataView(buffer, value.byteOffset, value.byteLength);
    return new MADE[name](buffer, value.byteOffset, value.length);
  }

  function cloneObject(value, seen) {
    const type = kind(value);
    const note = (copy) => {
      seen.set(value, copy);
      return copy;
    };
    switch (type) {
      case 'Number': case 'String': case 'Boolean': case 'BigInt': return note(Object(primitive(value)));
      case 'Date': return note(new Date(primitive(value)));
      case 'RegExp': return note(new RegExp(value.source, value.flags));
      case 'ArrayBuffer': return note(value.slice(0));
      case 'SharedArrayBuffer': return note(value);
      case 'DataView': return note(cloneView(value, undefined, seen));
      case 'Error': return cloneError(value, seen);
      case 'Array': {
        const copy = note([]);
        copy.length = value.length;
        return copyProperties(value, copy, seen);
      }
      case 'Map': {
        const copy = note(new Map()), held = entries(value);
        for (let i = 0; i < held.length; i += 2) copy.set(clone(held[i], seen), clone(held[i + 1], seen));
        return copy;
      }
      case 'Set': {
        const copy = note(new Set()), held = entries(value);
        for (let i = 0; i < held.length; i++) copy.add(clone(held[i], seen));
        return copy;
      }
      case 'DOMException': return note(new DOMException(value.message, value.name));
      default: {
        const name = Reflect.apply(typedName, value, []);
        if (name !== undefined) return note(cloneView(value, name, seen));
        if (type !== 'Object' && type !== 'Arguments') refuse(value);
        return copyProperties(value, note({}), seen);
      }
    }
  }

  function clone(value, seen) {
    if (typeof value === 'symbol' || typeof value === 'function') refuse(value);
    if (typeof value !== 'object' || value === null) return value;
    return seen.get(value) ?? cloneObject(value, seen);
  }

  return function structuredClone(value, options) {
    if (arguments.length === 0)
      throw native.codedError('TypeError', 'ERR_MISSING_ARGS', 'The "value" argument must be specified');
    const seen = new Map();
    for (const item of options?.transfer ?? []) {
      if (kind(item) !== 'ArrayBuffer')
        throw new DOMException('Value not transferable', 'DataCloneError');
      if (seen.has(item)) throw new DOMException('ArrayBuffer occurs in the transfer list more than once', 'DataCloneError');
      seen.set(item, item.transfer());
    }
    return clone(value, seen);
  };
})
