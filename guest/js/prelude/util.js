// SPDX-License-Identifier: MIT
/* util.js -- Node's `util`, as far as there is something here for it to be about. */
(function (native) {
  'use strict';

  const { kind, inspect, format, received } = native;
  const CUSTOM = Symbol.for('nodejs.util.inspect.custom');
  const PROMISIFIED = Symbol.for('nodejs.util.promisify.custom');
  Object.defineProperty(inspect, 'custom', { value: CUSTOM, enumerable: false });

  function needFunction(value, name) {
    if (typeof value !== 'function')
      throw native.codedError('TypeError', 'ERR_INVALID_ARG_TYPE',
        `The "${name}" argument must be of type function. Received ${received(value)}`);
  }

  function promisify(original) {
    needFunction(original, 'original');
    if (typeof original[PROMISIFIED] === 'function') return original[PROMISIFIED];
    return function (...values) {
      return new Promise((resolve, reject) => {
        Reflect.apply(original, this, [...values, (error, value) => (error ? reject(error) : resolve(value))]);
      });
    };
  }
  promisify.custom = PROMISIFIED;

  function callbackify(original) {
    needFunction(original, 'original');
    return function (...values) {
      const callback = values.pop();
      needFunction(callback, 'last argument');
      Reflect.apply(original, this, values).then(
        (value) => queueMicrotask(() => callback(null, value)),
        (error) => queueMicrotask(() => callback(error)));
    };
  }

  /* ---- equality, as assert.deepEqual and deepStrictEqual define it ---- */

  const isBox = (type) => /^(Number|String|Boolean|Symbol|BigInt)$/.test(type);
  const ownKeys = (value) => Reflect.ownKeys(value).filter((key) =>
    Object.prototype.propertyIsEnumerable.call(value, key));

  function same(a, b, strict) {
    if (strict) return Object.is(a, b);
    return a == b || (a !== a && b !== b); // eslint-disable-line eqeqeq
  }

  function equal(a, b, strict, seen) {
    if (a === b && (a !== 0 || !strict)) return true;
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
      if (typeof a === 'function' || typeof b === 'function') return false;
      if ((a !== null && typeof a === 'object') || (b !== null && typeof b === 'object')) return false;
      return same(a, b, strict);
    }
    const type = kind(a);
    if (type !== kind(b)) return false;
    if (strict && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
    if (Array.isArray(a) && a.length !== b.length) return false;
    if (type === 'Date' && !Object.is(+a, +b)) return false;
    if (type === 'RegExp' && (String(a) !== String(b) || a.lastIndex !== b.lastIndex)) return false;
    if ((type === 'Error') && (a.message !== b.message || a.name !== b.name)) return false;
    if (isBox(type) && !Object.is(a.valueOf(), b.valueOf())) return false;
    if (ArrayBuffer.isView(a) && (a.length !== b.length || a.byteLength !== b.byteLength)) return false;
    if (/^Weak|^Promise$/.test(type)) return false;
    if (type === 'ArrayBuffer' || type === 'SharedArrayBuffer')
      return equal(new Uint8Array(a), new Uint8Array(b), strict, seen);
    for (const pair of seen) if (pair[0] === a && pair[1] === b) return true;
    seen = [...seen, [a, b]];
    const keys = ownKeys(a);
    if (keys.length !== ownKeys(b).length) return false;
    for (const key of keys)
      if (!Object.prototype.propertyIsEnumerable.call(b, key) || !equal(a[key], b[key], strict, seen))
        return false;
    if (type === 'Set') return equalSets(a, b, strict, seen);
    return type !== 'Map' || equalMaps(a, b, strict, seen);
  }

  function equalSets(a, b, strict, seen) {
    if (a.size !== b.size) return false;
    const rest = [...b].filter((value) => !a.has(value));
    for (const value of a) {
      if (b.has(value)) continue;
      const at = rest.findIndex((other) => equal(value, other, strict, seen));
      if (at === -1) return false;
      rest.splice(at, 1);
    }
    return true;
  }

  function equalMaps(a, b, strict, seen) {
    if (a.size !== b.size) return false;
    const rest = [...b].filter(([key]) => !a.has(key));
    for (const [key, value] of a) {
      if (b.has(key)) {
        if (!equal(value, b.get(key), strict, seen)) return false;
        continue;
      }
      const at = rest.findIndex((pair) => equal(key, pair[0], strict, seen) && equal(value, pair[1], strict, seen));
      if (at === -1) return false;
      rest.splice(at, 1);
    }
    return true;
  }

  const isDeepStrictEqual = (a, b) => equal(a, b, true, []);

  /* ---- types ---- */

  const types = {};
  for (const type of ['Map', 'Set', 'WeakMap', 'WeakSet', 'Promise', 'Proxy', 'RegExp', 'Date',
    'ArrayBuffer', 'SharedArrayBuffer', 'DataView'])
    types[`is${type}`] = (value) => kind(value) === type;
  for (const type of ['Uint8Array', 'Uint8ClampedArray', 'Uint16Array', 'Uint32Array', 'Int8Array',
    'Int16Array', 'Int32Array', 'Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array'])
    types[`is${type}`] = (value) => ArrayBuffer.isView(value) && value[Symbol.toStringTag] === type;
  Object.assign(types, {
    isAnyArrayBuffer: (value) => /^(Shared)?ArrayBuffer$/.test(kind(value)),
    isArrayBufferView: ArrayBuffer.isView,
    isTypedArray: (value) => ArrayBuffer.isView(value) && kind(value) !== 'DataView',
    isNativeError: (value) => kind(value) === 'Error',
    isAsyncFunction: (value) => typeof value === 'function' && /^Async/.test(native.functionType(value)),
    isGeneratorFunction: (value) => typeof value === 'function' && /Generator/.test(native.functionType(value)),
    isGeneratorObject: (value) => /Generator$/.test(kind(value)),
    isMapIterator: (value) => kind(value) === 'Map Iterator',
    isSetIterator: (value) => kind(value) === 'Set Iterator',
    isArgumentsObject: (value) => kind(value) === 'Arguments',
    isModuleNamespaceObject: (value) => kind(value) === 'Module',
    isBoxedPrimitive: (value) => isBox(kind(value)),
    isNumberObject: (value) => kind(value) === 'Number',
    isStringObject: (value) => kind(value) === 'String',
    isBooleanObject: (value) => kind(value) === 'Boolean',
    isBigIntObject: (value) => kind(value) === 'BigInt',
    isSymbolObject: (value) => kind(value) === 'Symbol',
  });

  function inherits(made, parent) {
    Object.defineProperty(made, 'super_', { value: parent, writable: true, configurable: true });
    Object.setPrototypeOf(made.prototype, parent.prototype);
  }

  const stripVTControlCharacters = (text) => `${text}`.replace(
    /[\u001B\u009B][[\]()#;?]*(?:\d{1,4}(?:;\d{0,4})*)?[\dA-PR-TZcf-nq-uy=><~]/g, '');
  const toUSVString = (text) => `${text}`.toWellFormed();

  return { inspect, format, formatWithOptions: (options, ...values) => format(...values), promisify,
    callbackify, isDeepStrictEqual, types, inherits, deprecate: (f) => f, debuglog: () => () => {},
    stripVTControlCharacters, toUSVString, isArray: Array.isArray, equal,
    isError: (value) => kind(value) === 'Error', };
})
