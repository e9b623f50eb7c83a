// SPDX-License-Identifier: MIT
/* inspect.js -- values as people read them: what Node's util.inspect and util.format give.
 *
 * Runs in the inner realm, so its own built-ins are out of every program's reach. The values come
 * from the program's realm: they are only looked at through descriptors and `native`, which run no
 * code of the program. The exceptions are those Node has: a custom inspect method, Symbol.toStringTag,
 * an error's name, message and stack, and getters when asked for.
 *
 * A value becomes a list of entries (formatted elements and properties), and the list becomes one
 * line or several: `arrange` decides, by length and by how many levels lie below. */
(function (native) {
  'use strict';

  const { kind, primitive, entries, entriesArePairs, promiseState, target } = native;
  const CUSTOM = Symbol.for('nodejs.util.inspect.custom');
  const DEFAULTS = {
    showHidden: false, depth: 2, colors: false, customInspect: true, showProxy: false,
    maxArrayLength: 100, maxStringLength: 10000, breakLength: 80, compact: 3, sorted: false,
    getters: false, numericSeparator: false,
  };
  /* How properties are written: NAMED "a: 1", ELEMENT "1", EXTRA is a named one of an array. */
  const NAMED = 0, ELEMENT = 1, EXTRA = 2;

  const getterOf = (holder, name) => {
    const { get } = Object.getOwnPropertyDescriptor(holder, name);
    return (self) => Reflect.apply(get, self, []);
  };
  const TypedArray = Object.getPrototypeOf(Uint8Array);
  const typedName = getterOf(TypedArray.prototype, Symbol.toStringTag);
  const typedLength = getterOf(TypedArray.prototype, 'length');
  const typedBuffer = getterOf(TypedArray.prototype, 'buffer');
  const typedOffset = getterOf(TypedArray.prototype, 'byteOffset');
  const typedBytes = getterOf(TypedArray.prototype, 'byteLength');
  const bufferSize = getterOf(ArrayBuffer.prototype, 'byteLength');
  const sharedSize = getterOf(SharedArrayBuffer.prototype, 'byteLength');
  const regexpSource = getterOf(RegExp.prototype, 'source');
  const regexpFlags = [
    ['hasIndices', 'd'], ['global', 'g'], ['ignoreCase', 'i'], ['multiline', 'm'], ['dotAll', 's'],
    ['unicode', 'u'], ['unicodeSets', 'v'], ['sticky', 'y'],
  ].map(([name, letter]) => [getterOf(RegExp.prototype, name), letter]);
  const functionText = (f) => Reflect.apply(Function.prototype.toString, f, []);
  const isEnumerable = (o, key) => Reflect.apply(Object.prototype.propertyIsEnumerable, o, [key]);
  const hasOwn = Object.hasOwn;
  const plural = (n, word) => `${n} ${word}${n > 1 ? 's' : ''}`;

  /* ---- text ---- */

  const COLORS = {
    special: [36, 39], number: [33, 39], bigint: [33, 39], boolean: [33, 39], undefined: [90, 39],
    null: [1, 22], string: [32, 39], symbol: [32, 39], date: [35, 39], regexp: [31, 39],
    module: [4, 24],
  };
  const plain = (text) => text;
  const colored = (text, style) => {
    const pair = COLORS[style];
    return pair === undefined ? text : `\x1B[${pair[0]}m${text}\x1B[${pair[1]}m`;
  };
  const withoutColors = (text) => text.replace(/\x1B\[\d+m/g, '');

  const ESCAPES = { '\b': '\\b', '\t': '\\t', '\n': '\\n', '\f': '\\f', '\r': '\\r', '\\': '\\\\' };
  const escapeOne = (c) => ESCAPES[c] ??
    (c.length === 1 && c.charCodeAt(0) < 256
      ? `\\x${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
      : `\\u${c.charCodeAt(0).toString(16)}`);
  const LONE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;
  const escapeText = (text) =>
    text.replace(/[\x00-\x1f\\\x7f-\x9f]/g, escapeOne).replace(LONE, escapeOne);

  function quote(text) {
    if (!text.includes("'")) return `'${escapeText(text)}'`;
    if (!text.includes('"')) return `"${escapeText(text)}"`;
    if (!text.includes('`') && !text.includes('${')) return `\`${escapeText(text)}\``;
    return `'${escapeText(text).replaceAll("'", "\\'")}'`;
  }

  /* Columns that the text takes: combining marks none, wide East Asian characters and emoji two. */
  function widthOf(text) {
    if (/^[\x20-\x7e]*$/.test(text)) return text.length;
    let width = 0;
    for (const c of withoutColors(text).normalize('NFC')) {
      const code = c.codePointAt(0);
      if (/^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]$/u.test(c)) continue;
      const wide = (code >= 0x1100 && code <= 0x115f) || (code >= 0x2e80 && code <= 0xa4cf) ||
        (code >= 0xac00 && code <= 0xd7a3) || (code >= 0xf900 && code <= 0xfaff) ||
        (code >= 0xfe30 && code <= 0xfe6f) || (code >= 0xff01 && code <= 0xff60) ||
        (code >= 0xffe0 && code <= 0xffe6) || (code >= 0x1f300 && code <= 0x1faff) ||
        (code >= 0x20000 && code <= 0x3fffd);
      width += wide ? 2 : 1;
    }
    return width;
  }

  /* ---- primitives ---- */

  function groupDigits(text) {
    const [, sign, whole, rest] = /^(-?)(\d+)(.*)$/.exec(text) ?? [];
    if (whole === undefined) return text;
    const fraction = rest.startsWith('.') ? `.${rest.slice(1).replace(/\d{3}(?=\d)/g, '$&_')}` : rest;
    return sign + whole.replace(/\B(?=(\d{3})+$)/g, '_') + fraction;
  }
  const numberText = (n, ctx) => {
    const text = Object.is(n, -0) ? '-0' : `${n}`;
    return ctx.numericSeparator && !text.includes('e') ? groupDigits(text) : text;
  };

  function stringText(text, ctx) {
    let cut = '';
    if (text.length > ctx.maxStringLength) {
      cut = `... ${plural(text.length - ctx.maxStringLength, 'more character')}`;
      text = text.slice(0, ctx.maxStringLength);
    }
    /* Long text with several lines is written line by line, joined with +. */
    if (ctx.compact !== true && text.length > 16 && text.length > ctx.breakLength - ctx.indent - 4) {
      const lines = text.split(/(?<=\n)/);
      return lines.map((line) => ctx.style(quote(line), 'string'))
        .join(` +\n${' '.repeat(ctx.indent + 2)}`) + cut;
    }
    return ctx.style(quote(text), 'string') + cut;
  }

  const symbolText = (symbol) => escapeText(Symbol.prototype.toString.call(symbol));

  function primitiveText(value, ctx) {
    switch (typeof value) {
      case 'string': return stringText(value, ctx);
      case 'number': return ctx.style(numberText(value, ctx), 'number');
      case 'bigint':
        return ctx.style(`${ctx.numericSeparator ? groupDigits(`${value}`) : value}n`, 'bigint');
      case 'boolean': return ctx.style(`${value}`, 'boolean');
      case 'undefined': return ctx.style('undefined', 'undefined');
      case 'symbol': return ctx.style(symbolText(value), 'symbol');
      default: return ctx.style('null', 'null');
    }
  }

  /* ---- names ---- */

  function hasInChain(value, prototype) {
    for (let at = Object.getPrototypeOf(value); at !== null; at = Object.getPrototypeOf(at)) {
      if (at === prototype) return true;
      if (kind(at) === 'Proxy') return false;
    }
    return false;
  }

  const ownData = (o, key) => Object.getOwnPropertyDescriptor(o, key)?.value;

  /* The name of the class, null for a null prototype. */
  function constructorName(value, ctx, level) {
    let first;
    for (let at = value; at !== null && kind(at) !== 'Proxy';) {
      const made = ownData(at, 'constructor');
      if (typeof made === 'function' && kind(made) !== 'Proxy') {
        const name = ownData(made, 'name');
        if (typeof name === 'string' && name !== '' && hasInChain(value, ownData(made, 'prototype')))
          return name;
      }
      at = Object.getPrototypeOf(at);
      first ??= { at };
    }
    if (first === undefined || first.at === null) return null;
    const own = kind(value) === 'Module' ? 'Module' : kind(value) || 'Object';
    if (level > ctx.depth && ctx.depth !== null) return `${own} <Complex prototype>`;
    if (kind(first.at) === 'Proxy') return own;
    const above = constructorName(first.at, ctx, level + 1);
    return above === null
      ? `${own} <${inspect(first.at, { ...ctx.options, customInspect: false, depth: -1 })}>`
      : `${own} <${above}>`;
  }

  function prefix(name, tag, fallback, size = '') {
    if (name === null)
      return `[${fallback}${size}: null prototype] ${tag !== '' && fallback !== tag ? `[${tag}] ` : ''}`;
    return tag !== '' && name !== tag ? `${name}${size} [${tag}] ` : `${name}${size} `;
  }

  function functionBase(value, name, tag) {
    const text = functionText(value);
    const own = ownData(value, 'name');
    if (/^class\b/.test(text) && text.endsWith('}')) {
      let base = `class ${(typeof own === 'string' && own) || '(anonymous)'}`;
      if (name !== 'Function' && name !== null) base += ` [${name}]`;
      if (tag !== '' && name !== tag) base += ` [${tag}]`;
      const above = Object.getPrototypeOf(value);
      if (name === null || above === null) base += ' extends null';
      else if (typeof ownData(above, 'name') === 'string' && ownData(above, 'name'))
        base += ` extends ${ownData(above, 'name')}`;
      return `[${base}]`;
    }
    const type = native.functionType(value);
    let base = `[${type}`;
    if (name === null) base += ' (null prototype)';
    base += own === '' || own === undefined ? ' (anonymous)]' : `: ${String(own)}]`;
    if (name !== type && name !== null) base += ` ${name}`;
    if (tag !== '' && name !== tag) base += ` [${tag}]`;
    return base;
  }

  function regexpText(value) {
    return `/${regexpSource(value)}/` +
      regexpFlags.map(([is, letter]) => (is(value) ? letter : '')).join('');
  }

  /* ---- errors ---- */

  const read = (o, key) => {
    try {
      return o[key];
    } catch {
      return undefined;
    }
  };

  /* The stack names the class as it was when the error was made; show the class it is of. */
  function improvedStack(stack, name, className, tag) {
    let length = name.length;
    const isRegular = name.endsWith('Error') && stack.startsWith(name) &&
      (stack.length === length || stack[length] === ':' || stack[length] === '\n');
    if (className !== null && !isRegular) return stack;
    let fallback = 'Error';
    if (className === null) {
      const start = /^([A-Z][a-z_ A-Z0-9[\]()-]+)(?::|\n\s+at)/.exec(stack) ??
        /^([a-z_A-Z0-9-]*Error)$/.exec(stack);
      fallback = start?.[1] ?? '';
      length = fallback.length;
      fallback ||= 'Error';
    }
    const shown = prefix(className, tag, fallback).slice(0, -1);
    if (name === shown) return stack;
    if (!shown.includes(name)) return `${shown} [${name}]${stack.slice(length)}`;
    return length === 0 ? `${shown}: ${stack}` : shown + stack.slice(length);
  }

  function errorBase(value, className, tag, ctx, keys) {
    const rawName = read(value, 'name'), message = read(value, 'message');
    const name = rawName === undefined || rawName === null ? 'Error' : String(rawName);
    let stack = read(value, 'stack');
    stack = stack ? String(stack) : message ? `${name}: ${String(message)}` : name;
    if (!ctx.showHidden)
      for (const key of ['name', 'message', 'stack']) {
        const at = keys.indexOf(key), held = read(value, key);
        if (at !== -1 && (typeof held !== 'string' || stack.includes(held))) keys.splice(at, 1);
      }
    if ('cause' in value && !keys.includes('cause')) keys.push('cause');
    if (Array.isArray(ownData(value, 'errors')) && !keys.includes('errors')) keys.push('errors');
    stack = improvedStack(stack, name, className, tag);
    const text = typeof message === 'string' && message !== '' ? stack.indexOf(message) : -1;
    const frames = stack.indexOf('\n    at', text === -1 ? 0 : text + message.length);
    if (frames === -1) stack = `[${stack}]`;
    return ctx.indent === 0 ? stack : stack.replaceAll('\n', `\n${' '.repeat(ctx.indent)}`);
  }

  /* ---- properties ---- */

  function keysOf(value, ctx) {
    const symbols = Object.getOwnPropertySymbols(value);
    if (ctx.showHidden) return [...Object.getOwnPropertyNames(value), ...symbols];
    let names;
    try {
      names = Object.keys(value);
    } catch {
      names = Object.getOwnPropertyNames(value); /* a module whose exports are not ready */
    }
    return symbols.length === 0 ? names : [...names, ...symbols.filter((s) => isEnumerable(value, s))];
  }
  const isIndex = (key) => typeof key === 'string' && /^(0|[1-9]\d*)$/.test(key) && +key < 2 ** 32 - 1;
  const namedKeysOf = (value, ctx) =>
    keysOf(value, ctx).filter((key) => !isIndex(key) && !(key === 'length' && Array.isArray(value) &&
      !ctx.showHidden));

  function getterText(ctx, descriptor, self, level) {
    const label = descriptor.set !== undefined ? 'Getter/Setter' : 'Getter';
    const wanted = ctx.getters === true || (ctx.getters === 'get' && descriptor.set === undefined) ||
      (ctx.getters === 'set' && descriptor.set !== undefined);
    if (!wanted) return ctx.style(`[${label}]`, 'special');
    try {
      const got = Reflect.apply(descriptor.get, self, []);
      ctx.indent += 2;
      let text;
      if (got === null) text = `${ctx.style(`[${label}:`, 'special')} ${ctx.style('null', 'null')}` +
        ctx.style(']', 'special');
      else if (typeof got === 'object')
        text = `${ctx.style(`[${label}]`, 'special')} ${formatValue(ctx, got, level)}`;
      else text = `${ctx.style(`[${label}:`, 'special')} ${primitiveText(got, ctx)}` +
        ctx.style(']', 'special');
      ctx.indent -= 2;
      return text;
    } catch (error) {
      return ctx.style(`[${label}: <Inspection threw (${error?.message})>]`, 'special');
    }
  }

  function keyText(ctx, key, descriptor) {
    if (typeof key === 'symbol') return `[${ctx.style(symbolText(key), 'symbol')}]`;
    if (key === '__proto__') return "['__proto__']";
    if (descriptor.enumerable === false) return `[${escapeText(key)}]`;
    if (/^[a-zA-Z_][a-zA-Z_0-9]*$/.test(key)) return ctx.style(key, 'name');
    return ctx.style(quote(key), 'string');
  }

  function property(ctx, value, level, key, type) {
    const descriptor = Object.getOwnPropertyDescriptor(value, key) ??
      { value: read(value, key), configurable: true, enumerable: true };
    let text, gap = ' ';
    if (descriptor.value !== undefined) {
      const shift = ctx.compact !== true || type !== NAMED ? 2 : 3;
      ctx.indent += shift;
      text = formatValue(ctx, descriptor.value, level);
      if (shift === 3 && ctx.breakLength < widthOf(text)) gap = `\n${' '.repeat(ctx.indent)}`;
      ctx.indent -= shift;
    } else if (descriptor.get !== undefined) {
      text = getterText(ctx, descriptor, value, level);
    } else if (descriptor.set !== undefined) {
      text = ctx.style('[Setter]', 'special');
    } else {
      text = ctx.style('undefined', 'undefined');
    }
    return type === ELEMENT ? text : `${keyText(ctx, key, descriptor)}:${gap}${text}`;
  }

  /* ---- what is inside ---- */

  const shownCount = (ctx, length) => Math.min(Math.max(0, ctx.maxArrayLength), length);
  const addRest = (list, rest) => {
    if (rest > 0) list.push(`... ${plural(rest, 'more item')}`);
    return list;
  };

  function arrayEntries(ctx, value, level) {
    const length = ownData(value, 'length'), limit = shownCount(ctx, length), list = [];
    for (let i = 0; i < limit; i++) {
      if (!hasOwn(value, i)) return sparseEntries(ctx, value, level, limit, list, i);
      list.push(property(ctx, value, level, i, ELEMENT));
    }
    return addRest(list, length - limit);
  }

  function sparseEntries(ctx, value, level, limit, list, from) {
    const length = ownData(value, 'length');
    let index = from;
    const gap = (count) => list.push(ctx.style(`<${plural(count, 'empty item')}>`, 'undefined'));
    for (const key of Object.keys(value)) {
      if (!isIndex(key) || list.length >= limit) break;
      if (+key < from) continue;
      if (+key !== index) {
        gap(+key - index);
        index = +key;
        if (list.length >= limit) break;
      }
      list.push(property(ctx, value, level, key, ELEMENT));
      index++;
    }
    if (list.length < limit && length > index) gap(length - index);
    else addRest(list, length - index);
    return list;
  }

  function typedEntries(ctx, value) {
    const length = typedLength(value), limit = shownCount(ctx, length), list = [];
    for (let i = 0; i < limit; i++) list.push(primitiveText(value[i], ctx));
    addRest(list, length - limit);
    if (ctx.showHidden) {
      ctx.indent += 2;
      const size = { BYTES_PER_ELEMENT: length > 0 ? typedBytes(value) / length : value.BYTES_PER_ELEMENT,
        length, byteLength: typedBytes(value), byteOffset: typedOffset(value), buffer: typedBuffer(value) };
      for (const name of Object.keys(size))
        list.push(`[${name}]: ${formatValue(ctx, size[name], 1, true)}`);
      ctx.indent -= 2;
    }
    return list;
  }

  function listEntries(ctx, values, level) {
    const limit = shownCount(ctx, values.length), list = [];
    ctx.indent += 2;
    for (let i = 0; i < limit; i++) list.push(formatValue(ctx, values[i], level));
    ctx.indent -= 2;
    return addRest(list, values.length - limit);
  }

  function mapEntries(ctx, pairs, level) {
    const count = pairs.length / 2, limit = shownCount(ctx, count), list = [];
    ctx.indent += 2;
    for (let i = 0; i < limit; i++)
      list.push(`${formatValue(ctx, pairs[i * 2], level)} => ${formatValue(ctx, pairs[i * 2 + 1], level)}`);
    ctx.indent -= 2;
    return addRest(list, count - limit);
  }

  function pairEntries(ctx, pairs, level) {
    const count = pairs.length / 2, limit = shownCount(ctx, count), list = [];
    ctx.indent += 2;
    for (let i = 0; i < limit; i++) {
      const pair = [formatValue(ctx, pairs[i * 2], level), formatValue(ctx, pairs[i * 2 + 1], level)];
      list.push(arrange(ctx, pair, '', ['[', ']'], EXTRA, level));
    }
    ctx.indent -= 2;
    return addRest(list, count - limit);
  }

  function bufferEntries(ctx, value) {
    let bytes;
    try {
      bytes = new Uint8Array(value);
    } catch {
      return [ctx.style('(detached)', 'special')];
    }
    const limit = Math.min(ctx.maxArrayLength, bytes.length);
    let text = Array.from(bytes.subarray(0, limit), (b) => b.toString(16).padStart(2, '0')).join(' ');
    if (bytes.length > limit) text += ` ... ${plural(bytes.length - limit, 'more byte')}`;
    return [`${ctx.style('[Uint8Contents]', 'special')}: <${text}>`];
  }

  function promiseEntries(ctx, value, level) {
    const [state, result] = promiseState(value);
    if (state === 'pending') return [ctx.style('<pending>', 'special')];
    ctx.indent += 2;
    const text = formatValue(ctx, result, level);
    ctx.indent -= 2;
    return [state === 'rejected' ? `${ctx.style('<rejected>', 'special')} ${text}` : text];
  }

  function moduleEntries(ctx, value, level, keys) {
    const list = [];
    for (const key of keys) {
      try {
        list.push(property(ctx, value, level, key, NAMED));
      } catch {
        list.push(`${keyText(ctx, key, {})}: ${ctx.style('<uninitialized>', 'special')}`);
      }
    }
    keys.length = 0;
    return list;
  }

  /* ---- one kind at a time: { whole } when that is all, else base, braces, entries ---- */

  const none = () => [];
  const dateText = (value) => {
    const time = primitive(value);
    return Number.isNaN(time) ? 'Invalid Date' : new Date(time).toISOString();
  };
  const iteratorBraces = (type, tag) => {
    const name = `${type} Iterator`;
    return [`[${tag === name ? tag : tag !== '' ? `${tag}] [${name}` : name}] {`, '}'];
  };

  function describeList(ctx, value, type, name, tag) {
    if (type === 'Array') {
      const keys = namedKeysOf(value, ctx), length = ownData(value, 'length');
      const head = name !== 'Array' || tag !== '' ? prefix(name, tag, 'Array', `(${length})`) : '';
      if (length === 0 && keys.length === 0) return { whole: `${head}[]` };
      return { braces: [`${head}[`, ']'], keys, extra: EXTRA, inside: arrayEntries };
    }
    if (type === 'Set' || type === 'Map') {
      const held = entries(value), size = type === 'Map' ? held.length / 2 : held.length;
      const head = prefix(name, tag, type, `(${size})`), keys = keysOf(value, ctx);
      if (size === 0 && keys.length === 0) return { whole: `${head}{}` };
      const write = type === 'Map' ? mapEntries : listEntries;
      return { braces: [`${head}{`, '}'], keys, inside: (c, v, level) => write(c, held, level) };
    }
    if (type === 'Map Iterator' || type === 'Set Iterator') {
      const held = entries(value), braces = iteratorBraces(type.slice(0, 3), tag);
      const pairs = entriesArePairs(value);
      if (pairs) braces[0] = braces[0].replace(/ Iterator] {$/, ' Entries] {');
      const write = pairs ? pairEntries : listEntries;
      return { braces, keys: keysOf(value, ctx), inside: (c, v, level) => write(c, held, level) };
    }
    const keys = namedKeysOf(value, ctx), length = typedLength(value);
    const head = prefix(name, tag, name === null ? typedName(value) : '', `(${length})`);
    if (length === 0 && keys.length === 0 && !ctx.showHidden) return { whole: `${head}[]` };
    return { braces: [`${head}[`, ']'], keys, extra: EXTRA, inside: typedEntries };
  }

  function describeBoxed(ctx, value, type, name, tag) {
    let keys = keysOf(value, ctx);
    if (type === 'String') keys = keys.filter((key) => !isIndex(key) && (key !== 'length' || ctx.showHidden));
    let base = `[${type}`;
    if (name !== type) base += name === null ? ' (null prototype)' : ` (${name})`;
    base += `: ${primitiveText(primitive(value), { ...ctx, style: plain })}]`;
    if (tag !== '' && tag !== name) base += ` [${tag}]`;
    return { base: ctx.style(base, type.toLowerCase()), keys };
  }

  function describeBuffer(ctx, value, type, name, tag, typed) {
    const keys = keysOf(value, ctx), head = prefix(name, tag, type);
    const size = type === 'ArrayBuffer' ? bufferSize(value) : sharedSize(value);
    if (typed && keys.length === 0)
      return { whole: `${head}{ byteLength: ${primitiveText(size, ctx)} }` };
    const write = (c, v) => [...(typed ? [] : bufferEntries(c, v)),
      `byteLength: ${primitiveText(size, c)}`];
    return { braces: [`${head}{`, '}'], keys, inside: write };
  }

  function describeView(ctx, value, name, tag) {
    const get = (key) => Reflect.apply(
      Object.getOwnPropertyDescriptor(DataView.prototype, key).get, value, []);
    return {
      braces: [`${prefix(name, tag, 'DataView')}{`, '}'], keys: keysOf(value, ctx),
      inside: (c, v, level) => ['byteLength', 'byteOffset', 'buffer'].map((key) => {
        c.indent += 2;
        const text = `${key}: ${formatValue(c, get(key), level)}`;
        c.indent -= 2;
        return text;
      }),
    };
  }

  function describeObject(ctx, value, type, name, tag) {
    const keys = keysOf(value, ctx);
    const isPlain = name === 'Object' && tag === '';
    const head = isPlain ? (type === 'Arguments' ? '[Arguments] ' : '') : prefix(name, tag, 'Object');
    if (keys.length === 0) return { whole: `${head}{}` };
    return { braces: [`${head}{`, '}'], keys };
  }

  function describe(ctx, value, name, tag, level, typed) {
    const type = kind(value);
    switch (type) {
      case 'Array': case 'Set': case 'Map': case 'Map Iterator': case 'Set Iterator':
        return describeList(ctx, value, type, name, tag);
      case 'Function':
        return { base: functionBase(value, name, tag), keys: keysOf(value, ctx), style: 'special' };
      case 'RegExp': case 'Date': {
        const keys = keysOf(value, ctx), head = prefix(name, tag, type);
        const text = type === 'Date' ? dateText(value) : regexpText(value);
        return { base: head === `${type} ` ? text : head + text, keys, style: type.toLowerCase(),
          flat: type === 'RegExp' };
      }
      case 'Error': case 'DOMException': {
        const keys = keysOf(value, ctx);
        return { base: errorBase(value, name, tag, ctx, keys), keys };
      }
      case 'ArrayBuffer': case 'SharedArrayBuffer':
        return describeBuffer(ctx, value, type, name, tag, typed);
      case 'DataView': return describeView(ctx, value, name, tag);
      case 'Promise':
        return { braces: [`${prefix(name, tag, type)}{`, '}'], keys: keysOf(value, ctx),
          inside: promiseEntries };
      case 'WeakSet': case 'WeakMap':
        return { braces: [`${prefix(name, tag, type)}{`, '}'], keys: keysOf(value, ctx),
          inside: (c) => [c.style('<items unknown>', 'special')] };
      case 'WeakRef': {
        const held = Reflect.apply(WeakRef.prototype.deref, value, []);
        return { braces: [`${prefix(name, tag, type)}{`, '}'], keys: keysOf(value, ctx),
          inside: (c, v, l) => [formatValue(c, held, l)] };
      }
      case 'Module': {
        const keys = keysOf(value, ctx);
        return { braces: [`[${tag || 'Module'}: null prototype] {`, '}'], keys,
          inside: (c, v, l) => moduleEntries(c, v, l, keys) };
      }
      case 'Number': case 'String': case 'Boolean': case 'Symbol': case 'BigInt':
        return describeBoxed(ctx, value, type, name, tag);
      default:
        return typedName(value) !== undefined ? describeList(ctx, value, 'typed', name, tag)
          : describeObject(ctx, value, type, name, tag);
    }
  }

  function tagOf(value, ctx) {
    const tag = read(value, Symbol.toStringTag);
    if (typeof tag !== 'string' || tag === '') return '';
    const isShown = ctx.showHidden ? hasOwn(value, Symbol.toStringTag)
      : isEnumerable(value, Symbol.toStringTag);
    return isShown ? '' : tag;
  }

  function formatRaw(ctx, value, level, typed) {
    const name = constructorName(value, ctx, level);
    const tag = tagOf(value, ctx);
    const found = describe(ctx, value, name, tag, level, typed);
    if (found.whole !== undefined) return found.whole;
    const { keys, extra = NAMED, inside = none, braces = ['{', '}'] } = found;
    let base = found.base ?? '';
    const tooDeep = level > ctx.depth && ctx.depth !== null;
    if (base !== '' && (keys.length === 0 || (found.flat && tooDeep)))
      return found.style === undefined ? base : ctx.style(base, found.style);
    if (tooDeep) {
      const shown = prefix(name, tag, Array.isArray(value) ? 'Array' : 'Object').slice(0, -1);
      return ctx.style(name === null ? shown : `[${shown}]`, 'special');
    }
    level++;
    ctx.seen.push(value);
    ctx.below = level;
    let list;
    try {
      list = inside(ctx, value, level);
      for (const key of keys) list.push(property(ctx, value, level, key, extra));
    } finally {
      ctx.seen.pop();
    }
    const index = ctx.circular?.get(value);
    if (index !== undefined) {
      const mark = ctx.style(`<ref *${index}>`, 'special');
      if (ctx.compact !== true) base = base === '' ? mark : `${mark} ${base}`;
      else braces[0] = `${mark} ${braces[0]}`;
    }
    if (ctx.sorted) sortEntries(ctx, list, keys.length, extra);
    const text = arrange(ctx, list, base, braces, extra, level, value);
    ctx.spent += text.length; /* many large objects: stop descending before memory ends */
    if (ctx.spent > 2 ** 26) ctx.depth = -1;
    return text;
  }

  function sortEntries(ctx, list, named, extra) {
    const order = ctx.sorted === true ? undefined : ctx.sorted;
    if (extra === NAMED) list.sort(order);
    else if (named > 1) list.push(...list.splice(list.length - named).sort(order));
  }

  /* ---- lines ---- */

  const lengthOf = (ctx, text) => (ctx.colors ? withoutColors(text) : text).length;

  function fits(ctx, list, start, base) {
    let total = list.length + start;
    if (total + list.length > ctx.breakLength) return false;
    for (const text of list) {
      total += lengthOf(ctx, text);
      if (total > ctx.breakLength) return false;
    }
    return base === '' || !base.includes('\n');
  }

  /* Arrays of more than six short entries become columns, numbers aligned to the right. */
  function columnsOf(ctx, list, value) {
    const count = ctx.maxArrayLength < list.length ? list.length - 1 : list.length;
    const widths = list.slice(0, count).map((text) => widthOf(text));
    const longest = Math.max(...widths), total = widths.reduce((sum, w) => sum + w + 2, 0);
    const cell = longest + 2;
    if (cell * 3 + ctx.indent >= ctx.breakLength || (total / cell <= 5 && longest > 6)) return list;
    const bias = Math.max(cell - 3 - Math.sqrt(cell - total / list.length), 1);
    const columns = Math.min(Math.round(Math.sqrt(2.5 * bias * count) / bias),
      Math.floor((ctx.breakLength - ctx.indent) / cell), ctx.compact * 4, 15);
    if (columns <= 1) return list;
    const room = [];
    for (let i = 0; i < columns; i++) {
      let most = 0;
      for (let j = i; j < count; j += columns) most = Math.max(most, widths[j]);
      room.push(most + 2);
    }
    let right = value !== undefined;
    for (let i = 0; right && i < list.length; i++)
      right = typeof value[i] === 'number' || typeof value[i] === 'bigint';
    const lines = [];
    for (let i = 0; i < count; i += columns) {
      const end = Math.min(i + columns, count);
      let line = '';
      for (let j = i; j < end; j++) {
        const isLast = j === end - 1;
        const text = isLast ? list[j] : `${list[j]}, `;
        const pad = room[j - i] + list[j].length - widths[j] - (isLast ? 2 : 0);
        line += right ? text.padStart(pad) : isLast ? text : text.padEnd(pad);
      }
      lines.push(line);
    }
    if (count < list.length) lines.push(list[count]);
    return lines;
  }

  function arrange(ctx, list, base, braces, extra, level, value) {
    const head = base === '' ? '' : `${base} `;
    const margin = `\n${' '.repeat(ctx.indent)}`;
    if (ctx.compact === true) {
      if (fits(ctx, list, 0, base))
        return `${braces[0]}${base ? ` ${base}` : ''} ${list.join(', ')} ${braces[1]}`;
      const gap = base === '' && braces[0].length === 1 ? ' ' : `${base ? ` ${base}` : ''}\n${margin.slice(1)}  `;
      return `${braces[0]}${gap}${list.join(`,${margin}  `)} ${braces[1]}`;
    }
    if (ctx.compact >= 1) {
      const count = list.length;
      if (extra === EXTRA && count > 6) list = columnsOf(ctx, list, value);
      if (ctx.below - level < ctx.compact && count === list.length) {
        const start = list.length + ctx.indent + braces[0].length + base.length + 10;
        const joined = fits(ctx, list, start, base) ? list.join(', ') : '\n';
        if (!joined.includes('\n')) return `${head}${braces[0]} ${joined} ${braces[1]}`;
      }
    }
    return `${head}${braces[0]}${margin}  ${list.join(`,${margin}  `)}${margin}${braces[1]}`;
  }

  /* ---- values ---- */

  function customText(ctx, value, original, level) {
    const custom = read(value, CUSTOM);
    if (typeof custom !== 'function' || custom === native.inspect) return undefined;
    const maker = read(value, 'constructor');
    if (typeof maker === 'function' && read(maker, 'prototype') === value) return undefined;
    const depth = ctx.depth === null ? null : ctx.depth - level;
    const options = { ...ctx.options, depth };
    const result = Reflect.apply(custom, original, [depth, options, native.inspect]);
    if (result === original) return undefined;
    if (typeof result === 'object') return formatValue(ctx, result, level);
    return String(result).replaceAll('\n', `\n${' '.repeat(ctx.indent)}`);
  }

  function proxyText(ctx, value, level) {
    if (level > ctx.depth && ctx.depth !== null) return ctx.style('Proxy [Array]', 'special');
    level++;
    ctx.indent += 2;
    const list = native.proxyParts(value).map((part) => formatValue(ctx, part, level));
    ctx.indent -= 2;
    return arrange(ctx, list, '', ['Proxy [', ']'], EXTRA, level);
  }

  function formatValue(ctx, value, level, typed) {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null)
      return primitiveText(value, ctx);
    const original = value;
    if (kind(value) === 'Proxy') {
      if (ctx.showProxy) return proxyText(ctx, value, level);
      value = target(value);
      if (kind(value) === 'Proxy') return ctx.style('<Revoked Proxy>', 'special');
    }
    if (ctx.customInspect) {
      const text = customText(ctx, value, original, level);
      if (text !== undefined) return text;
    }
    if (ctx.seen.includes(value)) {
      ctx.circular ??= new Map();
      if (!ctx.circular.has(value)) ctx.circular.set(value, ctx.circular.size + 1);
      return ctx.style(`[Circular *${ctx.circular.get(value)}]`, 'special');
    }
    return formatRaw(ctx, value, level, typed);
  }

  function inspect(value, options, ...old) {
    const ctx = { ...DEFAULTS, indent: 0, seen: [], below: 0, spent: 0, circular: undefined, options: {} };
    if (typeof options === 'boolean') {
      options = { showHidden: options };
      if (old[0] !== undefined) options.depth = old[0];
      if (old[1] !== undefined) options.colors = old[1];
    }
    if (options !== null && typeof options === 'object')
      for (const key of Object.keys(DEFAULTS))
        if (options[key] !== undefined) ctx[key] = options[key];
    for (const key of Object.keys(DEFAULTS)) ctx.options[key] = ctx[key];
    ctx.options.stylize = ctx.style = ctx.colors ? colored : plain;
    if (ctx.maxArrayLength === null) ctx.maxArrayLength = Infinity;
    if (ctx.maxStringLength === null) ctx.maxStringLength = Infinity;
    if (ctx.compact === false) ctx.compact = 0;
    return formatValue(ctx, value, 0);
  }

  /* ---- format ---- */

  const NO_CONTEXT = { ...DEFAULTS, indent: 0, style: plain };

  function hasOwnToString(value) {
    if (kind(value) === 'Proxy') value = target(value);
    if (kind(value) === 'Proxy') return false;
    for (let at = value; at !== null && kind(at) !== 'Proxy'; at = Object.getPrototypeOf(at)) {
      const own = Object.getOwnPropertyDescriptor(at, 'toString');
      if (own === undefined) continue;
      const f = own.value;
      return typeof f !== 'function' || !functionText(f).includes('[native code]');
    }
    return false;
  }

  function directive(letter, value) {
    switch (letter) {
      case 's':
        if (typeof value === 'number') return numberText(value, NO_CONTEXT);
        if (typeof value === 'bigint') return `${value}n`;
        if (typeof value === 'symbol') return symbolText(value);
        if (typeof value !== 'object' || value === null) return String(value);
        return hasOwnToString(value) && kind(value) !== 'Error' ? String(value)
          : kind(value) === 'Error' ? String(value) : inspect(value, { depth: 0, compact: 3 });
      case 'd':
        if (typeof value === 'bigint') return `${value}n`;
        return numberText(typeof value === 'symbol' ? NaN : Number(value), NO_CONTEXT);
      case 'i':
        if (typeof value === 'bigint') return `${value}n`;
        return numberText(typeof value === 'symbol' ? NaN : Number.parseInt(value), NO_CONTEXT);
      case 'f':
        return numberText(typeof value === 'symbol' ? NaN : Number.parseFloat(value), NO_CONTEXT);
      case 'j':
        try {
          return JSON.stringify(value);
        } catch (error) {
          if (String(error?.message).includes('circular')) return '[Circular]';
          throw error;
        }
      case 'O': return inspect(value);
      case 'o': return inspect(value, { showHidden: true, showProxy: true, depth: 4 });
      default: return ''; /* %c: a style, which only a browser has */
    }
  }

  function format(...values) {
    let text = '', used = 0;
    if (values.length > 1 && typeof values[0] === 'string') {
      used = 1;
      text = values[0].replace(/%[sdifjOoc%]/g, (found) => {
        if (found === '%%') return '%';
        return used < values.length ? directive(found[1], values[used++]) : found;
      });
    } else if (typeof values[0] === 'string') {
      used = 1;
      text = values[0];
    } else if (values.length > 0) {
      used = 1;
      text = inspect(values[0]);
    }
    for (; used < values.length; used++)
      text += ` ${typeof values[used] === 'string' ? values[used] : inspect(values[used])}`;
    return text;
  }

  return { inspect, format, widthOf, ownData };
})
