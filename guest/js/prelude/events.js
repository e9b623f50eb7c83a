// SPDX-License-Identifier: MIT
/* events.js -- Node's EventEmitter, and `once` and `on` as promises. */
(function (native) {
  'use strict';

  function needFunction(value) {
    if (typeof value !== 'function')
      throw native.codedError('TypeError', 'ERR_INVALID_ARG_TYPE',
        `The "listener" argument must be of type function. Received ${native.received(value)}`);
  }

  const HELD = Symbol('listeners');

  class EventEmitter {
    static defaultMaxListeners = 10;

    #of(name) {
      if (this[HELD] === undefined)
        Object.defineProperty(this, HELD, { value: new Map(), enumerable: false });
      return this[HELD].get(name) ?? [];
    }

    #add(name, listener, once, first) {
      needFunction(listener);
      const list = this.#of(name), entry = { listener, once };
      if (this[HELD].has('newListener')) this.emit('newListener', name, listener);
      this[HELD].set(name, first ? [entry, ...list] : [...list, entry]);
      return this;
    }

    on(name, listener) { return this.#add(name, listener, false, false); }
    addListener(name, listener) { return this.#add(name, listener, false, false); }
    once(name, listener) { return this.#add(name, listener, true, false); }
    prependListener(name, listener) { return this.#add(name, listener, false, true); }
    prependOnceListener(name, listener) { return this.#add(name, listener, true, true); }

    off(name, listener) {
      const list = this.#of(name), at = list.findLastIndex((entry) => entry.listener === listener);
      if (at === -1) return this;
      const left = list.toSpliced(at, 1);
      if (left.length > 0) this[HELD].set(name, left);
      else this[HELD].delete(name);
      if (this[HELD].has('removeListener')) this.emit('removeListener', name, listener);
      return this;
    }
    removeListener(name, listener) { return this.off(name, listener); }

    removeAllListeners(name) {
      this.#of(name);
      if (name === undefined) this[HELD].clear();
      else this[HELD].delete(name);
      return this;
    }

    emit(name, ...values) {
      const list = this.#of(name);
      if (list.length === 0) {
        if (name !== 'error') return false;
        if (values[0] instanceof Error) throw values[0];
        const error = native.codedError('Error', 'ERR_UNHANDLED_ERROR',
          `Unhandled error. (${native.inspect(values[0])})`);
        error.context = values[0];
        throw error;
      }
      for (const { listener, once } of list) {
        if (once) this.off(name, listener);
        Reflect.apply(listener, this, values);
      }
      return true;
    }

    listenerCount(name, listener) {
      const list = this.#of(name);
      return listener === undefined ? list.length
        : list.filter((entry) => entry.listener === listener).length;
    }
    listeners(name) { return this.#of(name).map((entry) => entry.listener); }
    rawListeners(name) { return this.listeners(name); }
    eventNames() {
      this.#of('');
      return [...this[HELD].keys()];
    }
    setMaxListeners() { return this; }
    getMaxListeners() { return EventEmitter.defaultMaxListeners; }

    static EventEmitter = EventEmitter;
    static once(emitter, name) {
      return new Promise((resolve, reject) => {
        if (typeof emitter.addEventListener === 'function') {
          emitter.addEventListener(name, (event) => resolve([event]), { once: true });
          return;
        }
        const failed = (error) => {
          emitter.off(name, done);
          reject(error);
        };
        const done = (...values) => {
          emitter.off('error', failed);
          resolve(values);
        };
        emitter.once(name, done);
        if (name !== 'error') emitter.once('error', failed);
      });
    }

    static on(emitter, name) {
      const ready = [], waiting = [];
      let failure;
      const give = (...values) => {
        if (waiting.length > 0) waiting.shift().resolve({ value: values, done: false });
        else ready.push(values);
      };
      const fail = (error) => {
        if (waiting.length > 0) waiting.shift().reject(error);
        else failure = error;
      };
      emitter.on(name, give);
      if (name !== 'error') emitter.on('error', fail);
      return {
        next() {
          if (ready.length > 0) return Promise.resolve({ value: ready.shift(), done: false });
          if (failure !== undefined) return Promise.reject(failure);
          return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
        },
        return() {
          emitter.off(name, give);
          emitter.off('error', fail);
          for (const { resolve } of waiting) resolve({ value: undefined, done: true });
          return Promise.resolve({ value: undefined, done: true });
        },
        [Symbol.asyncIterator]() { return this; },
      };
    }

    static listenerCount(emitter, name) { return emitter.listenerCount(name); }
  }
  /* As in Node: what can be seen can be imported by name. */
  for (const name of ['once', 'on', 'listenerCount']) Object.defineProperty(EventEmitter, name, { enumerable: true });
  return EventEmitter;
})
