// SPDX-License-Identifier: MIT
/* buffer.js -- the part of Node's Buffer that programs use to turn text into bytes and back.
 *
 * A subclass of Uint8Array. Left out: the read and write methods for numbers (DataView has them). */
(function (native) {
  'use strict';

  const { codedError, received, encode, decode } = native;

  const ENCODINGS = { 'utf8': 'utf8', 'utf-8': 'utf8', 'hex': 'hex', 'base64': 'base64',
    'base64url': 'base64url', 'latin1': 'latin1', 'binary': 'latin1', 'ascii': 'ascii',
    'ucs2': 'utf16le', 'ucs-2': 'utf16le', 'utf16le': 'utf16le', 'utf-16le': 'utf16le' };
  const named = (encoding) => ENCODINGS[`${encoding ?? 'utf8'}`.toLowerCase()];

  function needEncoding(encoding) {
    const found = named(encoding);
    if (found === undefined)
      throw codedError('TypeError', 'ERR_UNKNOWN_ENCODING', `Unknown encoding: ${encoding}`);
    return found;
  }

  function bytesOf(text, encoding) {
    switch (needEncoding(encoding)) {
      case 'utf8': return encode(text);
      case 'hex': {
        const digits = /^(?:[0-9a-f]{2})*/i.exec(text)[0];
        return Uint8Array.fromHex(digits);
      }
      case 'base64': case 'base64url': {
        const plain = text.replace(/-/g, '+').replace(/_/g, '/').replace(/=[\s\S]*$/, '')
          .replace(/[^A-Za-z0-9+/]/g, '');
        return Uint8Array.fromBase64(plain.length % 4 === 1 ? plain.slice(0, -1) : plain);
      }
      case 'utf16le': {
        const bytes = new Uint8Array(text.length * 2);
        for (let i = 0; i < text.length; i++) {
          bytes[i * 2] = text.charCodeAt(i);
          bytes[i * 2 + 1] = text.charCodeAt(i) >> 8;
        }
        return bytes;
      }
      default: {
        const bytes = new Uint8Array(text.length);
        for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
        return bytes;
      }
    }
  }

  function textOf(bytes, encoding) {
    switch (needEncoding(encoding)) {
      case 'utf8': return decode(bytes);
      case 'hex': return bytes.toHex();
      case 'base64': return bytes.toBase64();
      case 'base64url': return bytes.toBase64({ alphabet: 'base64url', omitPadding: true });
      case 'utf16le': {
        let text = '';
        for (let i = 0; i + 1 < bytes.length; i += 2) text += String.fromCharCode(bytes[i] | bytes[i + 1] << 8);
        return text;
      }
      default: {
        const mask = named(encoding) === 'ascii' ? 127 : 255;
        let text = '';
        for (let i = 0; i < bytes.length; i++) text += String.fromCharCode(bytes[i] & mask);
        return text;
      }
    }
  }

  const over = (bytes) => Object.setPrototypeOf(bytes, Buffer.prototype);

  class Buffer extends Uint8Array {
    static poolSize = 8192;

    static from(value, second, length) {
      if (typeof value === 'string') return over(bytesOf(value, second));
      if (value instanceof ArrayBuffer) return over(new Uint8Array(value, second, length));
      if (ArrayBuffer.isView(value) || Array.isArray(value)) return over(new Uint8Array(value));
      if (value?.type === 'Buffer' && Array.isArray(value.data)) return over(new Uint8Array(value.data));
      throw codedError('TypeError', 'ERR_INVALID_ARG_TYPE', 'The first argument must be of type string ' +
        'or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object. Received ' + received(value));
    }
    static alloc(size, fill, encoding) {
      const bytes = over(new Uint8Array(size));
      return fill === undefined || fill === 0 ? bytes : bytes.fill(fill, 0, size, encoding);
    }
    static allocUnsafe(size) { return over(new Uint8Array(size)); }
    static isBuffer(value) { return value instanceof Buffer; }
    static isEncoding(encoding) { return typeof encoding === 'string' && named(encoding) !== undefined; }
    static byteLength(value, encoding) {
      return typeof value === 'string' ? bytesOf(value, encoding).length : value.byteLength;
    }
    static compare(a, b) { return Buffer.prototype.compare.call(a, b); }
    static concat(list, total) {
      total ??= list.reduce((sum, part) => sum + part.length, 0);
      const whole = over(new Uint8Array(total));
      let at = 0;
      for (const part of list) {
        whole.set(part.length > total - at ? part.subarray(0, total - at) : part, at);
        at = Math.min(total, at + part.length);
      }
      return whole;
    }

    toString(encoding, from = 0, to = this.length) {
      const part = from === 0 && to === this.length ? this : this.subarray(from, to);
      return textOf(part, encoding);
    }
    toLocaleString(encoding) { return this.toString(encoding); }
    toJSON() { return { type: 'Buffer', data: Array.from(this) }; }
    equals(other) { return this.compare(other) === 0; }
    compare(other) {
      const size = Math.min(this.length, other.length);
      for (let i = 0; i < size; i++) if (this[i] !== other[i]) return this[i] < other[i] ? -1 : 1;
      return Math.sign(this.length - other.length);
    }
    write(text, from = 0, size = this.length - from, encoding = 'utf8') {
      if (typeof from === 'string') [from, size, encoding] = [0, this.length, from];
      if (typeof size === 'string') [size, encoding] = [this.length - from, size];
      const bytes = bytesOf(text, encoding).subarray(0, Math.min(size, this.length - from));
      this.set(bytes, from);
      return bytes.length;
    }
    fill(value, from = 0, to = this.length, encoding = 'utf8') {
      if (typeof from === 'string') [from, to, encoding] = [0, this.length, from];
      if (typeof value !== 'string') return super.fill(value, from, to);
      const bytes = bytesOf(value, encoding);
      for (let i = from; bytes.length > 0 && i < to; i++) this[i] = bytes[(i - from) % bytes.length];
      return this;
    }
    copy(to, at = 0, from = 0, end = this.length) {
      const part = this.subarray(from, Math.min(end, from + to.length - at));
      to.set(part, at);
      return part.length;
    }
    slice(from, to) { return this.subarray(from, to); }
    subarray(from, to) { return over(new Uint8Array(this.buffer, ...partOf(this, from, to))); }
    indexOf(value, from = 0, encoding) {
      if (typeof value === 'number') return super.indexOf(value, from);
      const wanted = typeof value === 'string' ? bytesOf(value, encoding) : value;
      for (let i = from < 0 ? Math.max(0, this.length + from) : from; i + wanted.length <= this.length; i++) {
        let same = 0;
        while (same < wanted.length && this[i + same] === wanted[same]) same++;
        if (same === wanted.length) return i;
      }
      return -1;
    }
    includes(value, from, encoding) { return this.indexOf(value, from, encoding) !== -1; }

    [Symbol.for('nodejs.util.inspect.custom')]() {
      const shown = Array.from(this.subarray(0, 50), (b) => b.toString(16).padStart(2, '0')).join(' ');
      const rest = this.length - 50;
      return `<Buffer${shown === '' ? '' : ` ${shown}`}${rest > 0 ? ` ... ${rest} more byte${rest > 1 ? 's' : ''}` : ''}>`;
    }
  }

  function partOf(bytes, from = 0, to = bytes.length) {
    const clamp = (n) => (n < 0 ? Math.max(0, bytes.length + n) : Math.min(n, bytes.length));
    const start = clamp(Math.trunc(from) || 0), end = clamp(Math.trunc(to) || 0);
    return [bytes.byteOffset + start, Math.max(0, end - start)];
  }

  Object.defineProperty(Buffer, 'over', { value: over });
  return Buffer;
})
