// SPDX-License-Identifier: MIT
/* shell.js -- shell(command), shell.run(command) and the template sh`...`. */
(function (native) {
  'use strict';

  const { codedError, received, decode } = native;

  class ShellError extends Error {
    constructor(command, result) {
      const told = result.stderr.trim().split('\n').slice(-3).join('\n');
      super(`the command ended with status ${result.exitCode}: ${command}${told === '' ? '' : `\n${told}`}`);
      Object.assign(this, result);
    }
  }
  Object.defineProperty(ShellError.prototype, 'name', { value: 'ShellError', writable: true, configurable: true });

  function inputOf(value) {
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'string' || value instanceof Uint8Array) return value;
    throw codedError('TypeError', 'ERR_INVALID_ARG_TYPE',
      `The "stdin" option must be of type string or an instance of Uint8Array. Received ${received(value)}`);
  }

  async function shell(command, options) {
    if (typeof command !== 'string')
      throw codedError('TypeError', 'ERR_INVALID_ARG_TYPE',
        `The "command" argument must be of type string. Received ${received(command)}`);
    const [stdout, stderr, exitCode] = await native.startCommand(command, inputOf(options?.stdin));
    const bytes = options?.encoding === 'buffer';
    return { stdout: bytes ? stdout : decode(stdout), stderr: bytes ? stderr : decode(stderr), exitCode };
  }

  shell.run = async function run(command, options) {
    const result = await shell(command, options);
    if (result.exitCode !== 0) throw new ShellError(command, result);
    return result.stdout;
  };

  /* One word of the shell, whatever it holds; a list becomes several. */
  function quote(value) {
    if (Array.isArray(value)) return value.map(quote).join(' ');
    const text = `${value}`;
    if (text.includes('\0'))
      throw codedError('TypeError', 'ERR_INVALID_ARG_VALUE', 'a shell word cannot hold a NUL character');
    return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
  }
  shell.quote = quote;

  function sh(parts, ...values) {
    if (!Array.isArray(parts?.raw))
      return Promise.reject(codedError('TypeError', 'ERR_INVALID_ARG_TYPE', 'sh is a template: write sh`command ${word}`; for a string use shell'));
    return shell(parts.reduce((text, part, i) => text + quote(values[i - 1]) + part));
  }

  return { shell, sh, ShellError };
})
