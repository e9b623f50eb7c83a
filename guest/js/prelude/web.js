// SPDX-License-Identifier: MIT
/* web.js -- what the web platform gives every program: text codecs, events, abort signals. */
(function (native) {
  'use strict';

  const { codedError, received, encode, encodeInto, decode } = native;

  /* ---- text ---- */

  class TextEncoder {
    get encoding() { return 'utf-8'; }
    encode(text = '') { return encode(`${text}`); }
    encodeInto(text, to) { return encodeInto(`${text}`, to); }
  }

  const LABELS = { 'utf-8': 'utf-8', utf8: 'utf-8', 'unicode-1-1-utf-8': 'utf-8', 'utf-16le': 'utf-16le',
    'utf-16': 'utf-16le', 'ucs-2': 'utf-16le', 'latin1': 'windows-1252', 'ascii': 'windows-1252',
    'us-ascii': 'windows-1252', 'iso-8859-1': 'windows-1252', 'windows-1252': 'windows-1252' };
  const C1 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

  class TextDecoder {
    #encoding;
    #fatal;
    #keepMark;
    #held = new Uint8Array(0);
    #started = false;
    constructor(label = 'utf-8', options = {}) {
      this.#encoding = LABELS[`${label}`.trim().toLowerCase()];
      if (this.#encoding === undefined)
        throw codedError('RangeError', 'ERR_ENCODING_NOT_SUPPORTED', `The "${label}" encoding is not supported`);
      this.#fatal = !!options.fatal;
      this.#keepMark = !!options.ignoreBOM;
    }
    get encoding() { return this.#encoding; }
    get fatal() { return this.#fatal; }
    get ignoreBOM() { return this.#keepMark; }

    decode(data, options) {
      let bytes = new Uint8Array(0);
      if (data instanceof ArrayBuffer || native.kind(data) === 'SharedArrayBuffer') bytes = new Uint8Array(data);
      else if (ArrayBuffer.isView(data)) bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
      else if (data !== undefined)
        throw codedError('TypeError', 'ERR_INVALID_ARG_TYPE', 'The "list" argument must be an instance of ' +
          `SharedArrayBuffer, ArrayBuffer or ArrayBufferView. Received ${received(data)}`);
      if (this.#held.length > 0) {
        const whole = new Uint8Array(this.#held.length + bytes.length);
        whole.set(this.#held);
        whole.set(bytes, this.#held.length);
        bytes = whole;
      }
      let end = bytes.length;
      if (options?.stream) end -= this.#unfinished(bytes);
      this.#held = bytes.slice(end);
      let text = this.#text(bytes.subarray(0, end));
      if (!this.#started && !this.#keepMark && text[0] === '\uFEFF') text = text.slice(1);
      this.#started = options?.stream ? this.#started || text !== '' : false;
      return text;
    }

    /* Bytes at the end that begin a character whose rest may come. */
    #unfinished(bytes) {
      if (this.#encoding === 'utf-16le') return bytes.length % 2;
      if (this.#encoding !== 'utf-8') return 0;
      for (let back = 1; back <= Math.min(3, bytes.length); back++) {
        const b = bytes[bytes.length - back];
        if (b < 0x80) return 0;
        if (b >= 0xc0) return (b >= 0xf0 ? 4 : b >= 0xe0 ? 3 : 2) > back ? back : 0;
      }
      return 0;
    }

    #text(bytes) {
      if (this.#encoding === 'utf-8') {
        const text = decode(bytes, this.#fatal);
        if (text === undefined)
          throw codedError('TypeError', 'ERR_ENCODING_INVALID_ENCODED_DATA',
            'The encoded data was not valid for encoding utf-8');
        return text;
      }
      let text = '';
      if (this.#encoding === 'utf-16le')
        for (let i = 0; i + 1 < bytes.length; i += 2) text += String.fromCharCode(bytes[i] | bytes[i + 1] << 8);
      else
        for (const b of bytes) text += b >= 0x80 && b < 0xa0 ? C1[b - 0x80] : String.fromCharCode(b);
      return text;
    }
  }

  /* ---- events ---- */

  const NONE = 0, AT_TARGET = 2;

  class Event {
    #type;
    #options;
    #prevented = false;
    #stopped = false;
    #target = null;
    #phase = NONE;
    #time = performance.now();
    constructor(type, options = {}) {
      if (arguments.length === 0)
        throw codedError('TypeError', 'ERR_MISSING_ARGS', 'The "type" argument must be specified');
      this.#type = `${type}`;
      this.#options = { bubbles: !!options?.bubbles, cancelable: !!options?.cancelable, composed: !!options?.composed };
    }
    get type() { return this.#type; }
    get target() { return this.#target; }
    get currentTarget() { return this.#phase === NONE ? null : this.#target; }
    get srcElement() { return this.#target; }
    get bubbles() { return this.#options.bubbles; }
    get cancelable() { return this.#options.cancelable; }
    get composed() { return this.#options.composed; }
    get defaultPrevented() { return this.#prevented; }
    get eventPhase() { return this.#phase; }
    get timeStamp() { return this.#time; }
    get isTrusted() { return false; }
    preventDefault() { if (this.cancelable) this.#prevented = true; }
    stopPropagation() {}
    stopImmediatePropagation() { this.#stopped = true; }
    composedPath() { return this.#phase === NONE ? [] : [this.#target]; }
    static begin(event, target) {
      event.#target = target;
      event.#phase = AT_TARGET;
      event.#stopped = false;
    }
    static isStopped(event) { return event.#stopped; }
    static finish(event) { event.#phase = NONE; }
  }
  const { begin, isStopped, finish } = Event;
  for (const name of ['begin', 'isStopped', 'finish']) delete Event[name];
  Object.defineProperties(Event, { NONE: { value: 0 }, CAPTURING_PHASE: { value: 1 },
    AT_TARGET: { value: 2 }, BUBBLING_PHASE: { value: 3 } });

  class CustomEvent extends Event {
    #detail;
    constructor(type, options) {
      super(type, options);
      this.#detail = options?.detail ?? null;
    }
    get detail() { return this.#detail; }
  }

  class EventTarget {
    #listeners = new Map();

    addEventListener(type, listener, options) {
      if (listener === null || listener === undefined) return;
      const { once = false, capture = false, signal } = typeof options === 'object' && options !== null
        ? options : { capture: !!options };
      if (signal?.aborted) return;
      const list = this.#listeners.get(`${type}`) ?? [];
      if (list.some((entry) => entry.listener === listener && entry.capture === !!capture)) return;
      this.#listeners.set(`${type}`, [...list, { listener, once, capture: !!capture }]);
      signal?.addEventListener('abort', () => this.removeEventListener(type, listener, options), { once: true });
    }

    removeEventListener(type, listener, options) {
      const capture = typeof options === 'object' ? !!options?.capture : !!options;
      const list = this.#listeners.get(`${type}`) ?? [];
      this.#listeners.set(`${type}`, list.filter((entry) => entry.listener !== listener || entry.capture !== capture));
    }

    dispatchEvent(event) {
      if (!(event instanceof Event))
        throw codedError('TypeError', 'ERR_INVALID_ARG_TYPE',
          `The "event" argument must be an instance of Event. Received ${received(event)}`);
      begin(event, this);
      for (const { listener, once, capture } of this.#listeners.get(event.type) ?? []) {
        if (isStopped(event)) break;
        if (once) this.removeEventListener(event.type, listener, capture);
        try {
          if (typeof listener === 'function') Reflect.apply(listener, this, [event]);
          else listener.handleEvent(event);
        } catch (error) {
          queueMicrotask(() => { throw error; });
        }
      }
      finish(event);
      return !event.defaultPrevented;
    }
  }

  /* A property "on<type>" that holds one listener, called in turn with the others. */
  function defineHandler(prototype, type) {
    const held = new WeakMap();
    Object.defineProperty(prototype, `on${type}`, {
      configurable: true, enumerable: true,
      get() { return held.get(this)?.handler ?? null; },
      set(handler) {
        const old = held.get(this);
        if (old !== undefined) this.removeEventListener(type, old.call);
        held.delete(this);
        if (typeof handler !== 'function') return;
        const entry = { handler, call: (event) => Reflect.apply(handler, this, [event]) };
        held.set(this, entry);
        this.addEventListener(type, entry.call);
      },
    });
  }

  /* ---- abort ---- */

  const ALLOWED = Symbol('allowed');
  const aborted = (name, text) => new DOMException(text, name);

  class AbortSignal extends EventTarget {
    #reason;
    #aborted = false;
    constructor(permit) {
      if (permit !== ALLOWED) throw codedError('TypeError', 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
      super();
    }
    get aborted() { return this.#aborted; }
    get reason() { return this.#reason; }
    throwIfAborted() { if (this.#aborted) throw this.#reason; }

    static end(signal, reason) {
      if (signal.#aborted) return;
      signal.#aborted = true;
      signal.#reason = reason === undefined ? aborted('AbortError', 'This operation was aborted') : reason;
      signal.dispatchEvent(new Event('abort'));
    }
    static abort(reason) {
      const signal = new AbortSignal(ALLOWED);
      abort(signal, reason);
      return signal;
    }
    static timeout(ms) {
      const signal = new AbortSignal(ALLOWED);
      setTimeout(() => abort(signal, aborted('TimeoutError', 'The operation was aborted due to timeout')), ms);
      return signal;
    }
    static any(signals) {
      const signal = new AbortSignal(ALLOWED);
      for (const source of signals) {
        if (source.aborted) abort(signal, source.reason);
        else source.addEventListener('abort', () => abort(signal, source.reason), { once: true });
      }
      return signal;
    }
    [Symbol.for('nodejs.util.inspect.custom')]() { return `AbortSignal { aborted: ${this.#aborted} }`; }
  }
  const abort = AbortSignal.end;
  delete AbortSignal.end;
  defineHandler(AbortSignal.prototype, 'abort');

  class AbortController {
    #signal = new AbortSignal(ALLOWED);
    get signal() { return this.#signal; }
    abort(reason) { abort(this.#signal, reason); }
    [Symbol.for('nodejs.util.inspect.custom')]() {
      return `AbortController { signal: AbortSignal { aborted: ${this.#signal.aborted} } }`;
    }
  }

  /* ---- chance ---- */

  const crypto = {
    getRandomValues(array) {
      if (!ArrayBuffer.isView(array) || /^(Float|Data)/.test(array[Symbol.toStringTag]))
        throw new DOMException('The data argument must be an integer-type TypedArray', 'TypeMismatchError');
      if (array.byteLength > 65536)
        throw new DOMException(`The requested length exceeds 65,536 bytes`, 'QuotaExceededError');
      new Uint8Array(array.buffer, array.byteOffset, array.byteLength).set(native.random(array.byteLength));
      return array;
    },
    randomUUID() {
      const bytes = native.random(16);
      bytes[6] = bytes[6] & 15 | 64;
      bytes[8] = bytes[8] & 63 | 128;
      return bytes.toHex().replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    },
  };

  return { TextEncoder, TextDecoder, Event, CustomEvent, EventTarget, AbortSignal, AbortController, crypto };
})
