// SPDX-License-Identifier: MIT
/* console.js -- the console's methods but for the plain case of log, which is in C.
 *
 * Runs in the inner realm. Each gets the program's arguments and writes to a descriptor. */
(function (native, formatting) {
  'use strict';

  const { inspect, format, widthOf } = formatting;
  const OUT = 1, ERR = 2;
  let indent = '';
  let counts = new Map(), started = new Map();

  function write(fd, text) {
    if (indent !== '') text = indent + text.replaceAll('\n', `\n${indent}`);
    native.writeText(fd, `${text}\n`);
  }

  const log = (...values) => write(OUT, format(...values));
  const warn = (...values) => write(ERR, format(...values));
  const labelOf = (label) => (label === undefined ? 'default' : `${label}`);

  /* ---- table ---- */

  const INDEX = '(index)', VALUES = 'Values', STEP = '(iteration index)', KEY = 'Key';
  const isObject = (v) => v !== null && (typeof v === 'object' || typeof v === 'function');

  function cell(value) {
    const depth = isObject(value) && !Array.isArray(value) && Object.keys(value).length > 2 ? -1 : 0;
    return inspect(value, { maxArrayLength: 3, breakLength: Infinity, compact: 3, depth });
  }

  function draw(heads, columns) {
    const rows = Math.max(0, ...columns.map((column) => column.length));
    const widths = heads.map((head, i) => {
      const texts = [head, ...columns[i].filter((text) => text !== undefined)];
      return Math.max(...texts.map(widthOf)) + 2;
    });
    const padded = (text, i) => ` ${text}${' '.repeat(widths[i] - widthOf(text) - 1)}`;
    const line = (texts) => `│${texts.map((text, i) => padded(text ?? '', i)).join('│')}│`;
    const rule = (left, middle, right) =>
      left + widths.map((width) => '─'.repeat(width)).join(middle) + right;
    const lines = [rule('┌', '┬', '┐'), line(heads), rule('├', '┼', '┤')];
    for (let r = 0; r < rows; r++) lines.push(line(columns.map((column) => column[r])));
    lines.push(rule('└', '┴', '┘'));
    return lines.join('\n');
  }

  /* A Map, a Set or one of their iterators. */
  function collectionTable(type, value) {
    const held = native.entries(value), pairs = type === 'Map' || native.entriesArePairs(value);
    const keys = [], values = [];
    for (let i = 0; i < held.length; i += pairs ? 2 : 1) {
      if (pairs) keys.push(cell(held[i]));
      values.push(cell(held[pairs ? i + 1 : i]));
    }
    const steps = values.map((_, i) => `${i}`);
    if (pairs) return draw([STEP, KEY, VALUES], [steps, keys, values]);
    return draw([STEP, VALUES], [steps, values]);
  }

  function objectTable(data, wanted) {
    const columns = new Map(wanted === undefined ? [] : wanted.map((key) => [`${key}`, []]));
    const index = Object.keys(data), plain = [];
    let hasPlain = false;
    index.forEach((key, row) => {
      const item = data[key];
      if (!isObject(item) || (typeof item === 'function' && wanted === undefined)) {
        hasPlain = true;
        plain[row] = cell(item);
        return;
      }
      for (const name of wanted ?? Object.keys(item)) {
        if (!columns.has(`${name}`)) columns.set(`${name}`, []);
        if (Object.hasOwn(item, name)) columns.get(`${name}`)[row] = cell(item[name]);
      }
    });
    const heads = [INDEX, ...columns.keys()], bodies = [index, ...columns.values()];
    if (hasPlain) {
      heads.push(VALUES);
      bodies.push(plain);
    }
    return draw(heads, bodies.map((column) => Array.from({ length: index.length }, (_, r) => column[r])));
  }

  function table(data, wanted) {
    if (wanted !== undefined && !Array.isArray(wanted))
      throw native.codedError('TypeError', 'ERR_INVALID_ARG_TYPE',
        `The "properties" argument must be an instance of Array. Received ${inspect(wanted)}`);
    if (!isObject(data)) return log(data);
    const type = native.kind(data);
    if (/^(Map|Set)( Iterator)?$/.test(type)) write(OUT, collectionTable(type, data));
    else write(OUT, objectTable(data, wanted));
  }

  /* ---- time ---- */

  function duration(ms) {
    const total = Math.floor(ms / 1000);
    if (ms < 1000) return `${Number(ms.toFixed(3))}ms`;
    if (total < 60) return `${(ms / 1000).toFixed(3)}s`;
    const hours = Math.floor(total / 3600), minutes = Math.floor(total / 60) % 60;
    const two = (n) => `${n}`.padStart(2, '0');
    const seconds = (ms / 1000 % 60).toFixed(3).padStart(6, '0');
    if (hours === 0) return `${minutes}:${seconds} (m:ss.mmm)`;
    return `${hours}:${two(minutes)}:${two(Math.floor(total % 60))} (h:mm:ss)`;
  }

  function timeLog(label, rest, end) {
    label = labelOf(label);
    const from = started.get(label);
    if (from === undefined) {
      native.writeText(ERR, `Warning: No such label '${label}' for console.time${end ? 'End' : 'Log'}()\n`);
      return;
    }
    const text = `${label}: ${duration(native.now() - from)}`;
    write(OUT, rest.length > 0 ? format('%s', text, ...rest) : text);
    if (end) started.delete(label);
  }

  const methods = {
    log, info: log, debug: log, warn, error: warn, table,
    dirxml: log,
    dir(value, options) { write(OUT, inspect(value, { customInspect: false, ...options })); },
    assert(condition, ...values) {
      if (condition) return;
      if (typeof values[0] === 'string') values[0] = `Assertion failed: ${values[0]}`;
      else values.unshift(values.length > 0 ? 'Assertion failed:' : 'Assertion failed');
      warn(...values);
    },
    count(label) {
      label = labelOf(label);
      counts.set(label, (counts.get(label) ?? 0) + 1);
      log(`${label}: ${counts.get(label)}`);
    },
    countReset(label) {
      label = labelOf(label);
      if (counts.delete(label)) return;
      native.writeText(ERR, `Warning: Count for '${label}' does not exist\n`);
    },
    group(...values) {
      if (values.length > 0) log(...values);
      indent += '  ';
    },
    groupEnd() { indent = indent.slice(2); },
    time(label) {
      label = labelOf(label);
      if (started.has(label)) native.writeText(ERR, `Warning: Label '${label}' already exists for console.time()\n`);
      else started.set(label, native.now());
    },
    timeEnd(label) { timeLog(label, [], true); },
    timeLog(label, ...rest) { timeLog(label, rest, false); },
    trace(...values) {
      const text = format(...values), frames = native.frames();
      write(ERR, `Trace${text === '' ? '' : `: ${text}`}${frames === '' ? '' : `\n${frames}`}`);
    },
    reset() {
      indent = '';
      counts = new Map();
      started = new Map();
    },
    isIndented: () => indent !== '',
  };
  methods.groupCollapsed = methods.group;
  return methods;
})
