// SPDX-License-Identifier: MIT
/* assert.js -- Node's `assert`. Messages say both values; Node's coloured diff is left out. */
(function (native, util) {
  'use strict';

  const { inspect, equal } = util;

  class AssertionError extends Error {
    constructor(options) {
      const { actual, expected, operator, message } = options;
      super(message === undefined ? `${inspect(actual)} ${operator} ${inspect(expected)}` : `${message}`);
      this.generatedMessage = message === undefined;
      this.code = 'ERR_ASSERTION';
      this.actual = actual;
      this.expected = expected;
      this.operator = operator;
    }
  }
  Object.defineProperty(AssertionError.prototype, 'name',
    { value: 'AssertionError', writable: true, configurable: true });

  function fail(actual, expected, operator, message, text) {
    if (message instanceof Error) throw message;
    const error = new AssertionError({ actual, expected, operator, message: message ?? text });
    error.generatedMessage = message === undefined;
    throw error;
  }

  // eslint-disable-next-line eqeqeq
  const loosely = (a, b) => a == b || (a !== a && b !== b);
  const both = (title, a, b, not) =>
    `${title}\n\n${inspect(a)}\n\nshould ${not}loosely deep-equal\n\n${inspect(b)}`;
  const strictly = (title, a, b) => `${title}\n+ actual - expected\n\n+ ${inspect(a)}\n- ${inspect(b)}`;

  function ok(...values) {
    if (values[0]) return;
    const text = values.length === 0 ? 'No value argument passed to `assert.ok()`'
      : 'The expression evaluated to a falsy value';
    fail(values[0], true, '==', values[1], text);
  }

  /* What a function throws or a promise rejects with, as { error }; undefined when nothing. */
  function thrownBy(f) {
    try {
      f();
      return undefined;
    } catch (error) {
      return { error };
    }
  }
  async function rejectionOf(promise) {
    try {
      await (typeof promise === 'function' ? promise() : promise);
      return undefined;
    } catch (error) {
      return { error };
    }
  }

  /* Whether an error is the one expected: a class, a pattern, an object of properties, a function. */
  function check(error, expected, message, operator) {
    if (expected === undefined) return;
    if (expected instanceof RegExp) {
      if (!expected.test(String(error)))
        fail(error, expected, operator, message, 'The input did not match the regular expression ' +
          `${inspect(expected)}. Input:\n\n${inspect(String(error))}\n`);
      return;
    }
    if (typeof expected === 'function') {
      if (expected.prototype !== undefined && error instanceof expected) return;
      if (expected === Error || Error.isPrototypeOf(expected)) throw error;
      if (expected(error) !== true)
        fail(error, expected, operator, message,
          'The validation function is expected to return "true". Received false');
      return;
    }
    for (const key of Object.keys(expected)) {
      const wanted = expected[key], got = error?.[key];
      if (wanted instanceof RegExp && typeof got === 'string' ? wanted.test(got) : equal(got, wanted, true, []))
        continue;
      fail(error, expected, operator, message,
        strictly('Expected values to be strictly deep-equal:', got, wanted));
    }
  }

  function expectThrown(thrown, rest, operator, missing) {
    const [expected, message] = typeof rest[0] === 'string' ? [undefined, rest[0]] : rest;
    if (thrown === undefined) fail(undefined, expected, operator, message ?? missing);
    check(thrown.error, expected, message, operator);
  }

  function expectNone(thrown, message, operator, what) {
    if (thrown === undefined) return;
    fail(thrown.error, undefined, operator, typeof message === 'string' ? message : undefined,
      `Got unwanted ${what}.\nActual message: "${thrown.error?.message}"`);
  }

  const assert = (...values) => ok(...values);
  Object.assign(assert, {
    ok, AssertionError,
    equal(a, b, message) { if (!loosely(a, b)) fail(a, b, '==', message, `${inspect(a)} == ${inspect(b)}`); },
    notEqual(a, b, message) { if (loosely(a, b)) fail(a, b, '!=', message, `${inspect(a)} != ${inspect(b)}`); },
    strictEqual(a, b, message) {
      if (Object.is(a, b)) return;
      fail(a, b, 'strictEqual', message, a === null || typeof a !== 'object'
        ? `Expected values to be strictly equal:\n\n${inspect(a)} !== ${inspect(b)}\n`
        : strictly('Expected values to be strictly equal:', a, b));
    },
    notStrictEqual(a, b, message) {
      if (Object.is(a, b))
        fail(a, b, 'notStrictEqual', message, `Expected "actual" to be strictly unequal to: ${inspect(b)}`);
    },
    deepEqual(a, b, message) {
      if (!equal(a, b, false, []))
        fail(a, b, 'deepEqual', message, both('Expected values to be loosely deep-equal:', a, b, ''));
    },
    notDeepEqual(a, b, message) {
      if (equal(a, b, false, []))
        fail(a, b, 'notDeepEqual', message, both('Expected "actual" not to be loosely deep-equal to:', a, b, 'not '));
    },
    deepStrictEqual(a, b, message) {
      if (!equal(a, b, true, []))
        fail(a, b, 'deepStrictEqual', message, strictly('Expected values to be strictly deep-equal:', a, b));
    },
    notDeepStrictEqual(a, b, message) {
      if (equal(a, b, true, []))
        fail(a, b, 'notDeepStrictEqual', message,
          `Expected "actual" not to be strictly deep-equal to:\n\n${inspect(b)}`);
    },
    match(text, pattern, message) {
      if (!pattern.test(text))
        fail(text, pattern, 'match', message, 'The input did not match the regular expression ' +
          `${inspect(pattern)}. Input:\n\n${inspect(text)}\n`);
    },
    doesNotMatch(text, pattern, message) {
      if (pattern.test(text))
        fail(text, pattern, 'doesNotMatch', message, 'The input was expected to not match the regular ' +
          `expression ${inspect(pattern)}. Input:\n\n${inspect(text)}\n`);
    },
    fail(message) { fail(undefined, undefined, 'fail', message, 'Failed'); },
    ifError(value) {
      if (value !== null && value !== undefined)
        fail(value, null, 'ifError', `ifError got unwanted exception: ${value?.message ?? inspect(value)}`);
    },
    throws(f, ...rest) { expectThrown(thrownBy(f), rest, 'throws', 'Missing expected exception.'); },
    doesNotThrow(f, message) { expectNone(thrownBy(f), message, 'doesNotThrow', 'exception'); },
    async rejects(promise, ...rest) {
      expectThrown(await rejectionOf(promise), rest, 'rejects', 'Missing expected rejection.');
    },
    async doesNotReject(promise, message) {
      expectNone(await rejectionOf(promise), message, 'doesNotReject', 'rejection');
    },
  });

  const strict = (...values) => ok(...values);
  Object.assign(strict, assert, { equal: assert.strictEqual, notEqual: assert.notStrictEqual,
    deepEqual: assert.deepStrictEqual, notDeepEqual: assert.notDeepStrictEqual });
  strict.strict = strict;
  assert.strict = strict;
  return assert;
})
