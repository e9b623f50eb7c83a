// SPDX-License-Identifier: MIT
/* process.js -- what programs expect of Node's `process`, and standard input as text and lines. */
(function (native, fs) {
  'use strict';

  const input = {
    fd: 0, isTTY: false,
    text: async () => fs.readFileSync(0, 'utf8'),
    setEncoding() { return input; },
    async* [Symbol.asyncIterator]() { yield* fs.lines(fs.readFileSync(0, 'utf8')); },
  };

  /* Node's, in chunks instead of lines. All of the input is there already, so an event comes as soon
   * as the program waits (and before it ends), and nothing need be kept: who reads, empties it. */
  const rest = () => fs.readFileSync(0, 'utf8');
  const stream = {
    fd: 0, isTTY: false, readable: true, text: input.text,
    read: () => rest() || null,
    on(name, listener) {
      const { later } = native;
      if (name === 'data') later(() => { const text = rest(); if (text !== '') listener(text); });
      else if (name === 'readable') later(listener);
      else if (name === 'end') later(() => later(listener));
      else if (name === 'close') later(() => later(() => later(listener)));
      return stream;
    },
    async* [Symbol.asyncIterator]() {
      const text = rest();
      if (text !== '') yield text;
    },
  };
  stream.once = stream.addListener = stream.on;
  for (const name of ['setEncoding', 'resume', 'pause', 'ref', 'unref', 'off', 'removeListener'])
    stream[name] = () => stream;

  const output = (fd) => ({
    fd, isTTY: false, columns: 80, writable: true,
    write(data, encoding, done) {
      native.write(fd, data, -1);
      const callback = typeof encoding === 'function' ? encoding : done;
      if (typeof callback === 'function') queueMicrotask(callback);
      return true;
    },
    end(data) { if (data !== undefined) native.write(fd, data, -1); },
  });

  const started = () => performance.timeOrigin;
  function hrtime(before) {
    const now = native.nanoseconds();
    let seconds = Number(now / 1000000000n), rest = Number(now % 1000000000n);
    if (before !== undefined) {
      seconds -= before[0];
      rest -= before[1];
      if (rest < 0) [seconds, rest] = [seconds - 1, rest + 1e9];
    }
    return [seconds, rest];
  }
  hrtime.bigint = () => native.nanoseconds();

  const process = {
    title: 'cloche', version: 'v20.0.0', versions: { node: '20.0.0', cloche: '1' }, platform: 'linux',
    arch: 'wasm32', pid: 1, ppid: 0, argv: ['node', '/workspace/program.js'], execArgv: [], env: {},
    exitCode: undefined, stdin: stream, stdout: output(1), stderr: output(2), hrtime,
    cwd: () => native.cwd(),
    chdir: (folder) => native.chdir(folder),
    uptime: () => (Date.now() - started()) / 1000,
    umask: () => 0o22, getuid: () => 1000, geteuid: () => 1000, getgid: () => 1000, getegid: () => 1000,
    memoryUsage: () => ({ rss: 0, heapTotal: 0, heapUsed: 0, external: 0, arrayBuffers: 0 }),
    nextTick(callback, ...values) { queueMicrotask(() => callback(...values)); },
    emitWarning(warning) { console.warn(`(warning) ${warning?.message ?? warning}`); },
    exit(code) { native.exit(Number(code ?? process.exitCode ?? 0)); },
    on: () => process, once: () => process, off: () => process, emit: () => false,
  };
  return { process, stdin: input };
})
