// SPDX-License-Identifier: MIT
/* fs.js -- Node's `fs` over the kernel's files.
 *
 * Nothing blocks here, so every operation is written once, as its *Sync form. The promise of the
 * asynchronous form is settled with what that gives; a callback, where one is given, runs soon after,
 * and before the run ends. Data is text or bytes (Uint8Array, as Buffer). A path that is no UTF-8 is
 * text all the same, see guest/js/names.c. */
(function (native, path, Buffer) {
  'use strict';

  const ENOENT = 2, EEXIST = 17;
  const REGULAR = 1, DIRECTORY = 2, LINK = 3, PIPE = 4, DEVICE = 5;
  const READ = 1, WRITE = 2, APPEND = 4, CREATE = 8, TRUNCATE = 16, EXCLUSIVE = 32,
    ONLY_DIRECTORY = 64, NO_FOLLOW = 128;
  const { codedError, received, no } = native;

  const constants = {
    F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1, COPYFILE_EXCL: 1, COPYFILE_FICLONE: 2,
    COPYFILE_FICLONE_FORCE: 4, O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128,
    O_TRUNC: 512, O_APPEND: 1024, O_DIRECTORY: 65536, O_NOFOLLOW: 131072, S_IFMT: 61440,
    S_IFREG: 32768, S_IFDIR: 16384, S_IFCHR: 8192, S_IFIFO: 4096, S_IFLNK: 40960,
  };

  /* ---- arguments ---- */

  const badType = (name, expected, value) => codedError('TypeError', 'ERR_INVALID_ARG_TYPE',
    `The "${name}" argument must be ${expected}. Received ${received(value)}`);

  /* A file URL's percent signs stand for bytes. */
  function pathOfUrl(url) {
    if (url.protocol !== 'file:')
      throw codedError('TypeError', 'ERR_INVALID_URL_SCHEME', 'The URL must be of scheme file');
    if (url.hostname !== '')
      throw codedError('TypeError', 'ERR_INVALID_FILE_URL_HOST',
        'File URL host must be "localhost" or empty on linux');
    if (/%2f/i.test(url.pathname))
      throw codedError('TypeError', 'ERR_INVALID_FILE_URL_PATH',
        'File URL path must not include encoded / characters');
    const text = url.pathname.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
    return native.pathText(Buffer.from(text, 'latin1'));
  }

  function pathOf(value, name = 'path') {
    let text = value;
    if (value instanceof Uint8Array) text = native.pathText(value);
    else if (typeof value === 'object' && value !== null && typeof value.href === 'string' &&
      typeof value.protocol === 'string') text = pathOfUrl(value);
    if (typeof text !== 'string')
      throw badType(name, 'of type string or an instance of Buffer or URL', value);
    if (text.includes('\0'))
      throw codedError('TypeError', 'ERR_INVALID_ARG_VALUE', `The argument '${name}' must be a string, ` +
        `Uint8Array, or URL without null bytes. Received ${native.inspect(value)}`);
    return text;
  }

  /* A name or path as the options' encoding has it. */
  function nameAs(options, text) {
    const encoding = typeof options === 'string' ? options : options?.encoding;
    if (!encoding || isUtf8(encoding)) return text;
    const bytes = Buffer.over(native.pathBytes(text));
    return encoding === 'buffer' ? bytes : bytes.toString(encoding);
  }

  function numberOf(value, name, least = 0, most = 4294967295) {
    if (typeof value !== 'number') throw badType(name, 'of type number', value);
    const wanted = !Number.isInteger(value) ? 'an integer' : value < least || value > most
      ? `>= ${least} && <= ${most}` : undefined;
    if (wanted !== undefined)
      throw codedError('RangeError', 'ERR_OUT_OF_RANGE',
        `The value of "${name}" is out of range. It must be ${wanted}. Received ${native.inspect(value)}`);
    return value;
  }

  const fdOf = (fd) => numberOf(fd, 'fd', 0, 2147483647);
  const lengthOf = (size) => Math.max(0, numberOf(size, 'len', -Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER));

  const isFd = (value) => typeof value === 'number' && (value | 0) === value;

  function encodingOf(options) {
    if (options !== undefined && options !== null && !/^(string|object|function)$/.test(typeof options))
      throw badType('options', 'one of type string or object', options);
    const encoding = typeof options === 'string' ? options : options?.encoding;
    if (!encoding || encoding === 'buffer') return undefined;
    if (!Buffer.isEncoding(encoding))
      throw codedError('TypeError', 'ERR_INVALID_ARG_VALUE',
        `The argument 'encoding' is invalid encoding. Received ${native.inspect(encoding)}`);
    return encoding;
  }

  function objectOf(options) {
    if (options !== undefined && (typeof options !== 'object' || options === null || Array.isArray(options)))
      throw badType('options', 'of type object', options);
    return options;
  }

  const isUtf8 = (encoding) => encoding !== undefined && /^utf-?8$/i.test(encoding);

  const FLAGS = {
    r: READ, rs: READ, 'r+': READ | WRITE, 'rs+': READ | WRITE,
    w: WRITE | CREATE | TRUNCATE, wx: WRITE | CREATE | TRUNCATE | EXCLUSIVE,
    'w+': READ | WRITE | CREATE | TRUNCATE, 'wx+': READ | WRITE | CREATE | TRUNCATE | EXCLUSIVE,
    a: WRITE | CREATE | APPEND, ax: WRITE | CREATE | APPEND | EXCLUSIVE,
    'a+': READ | WRITE | CREATE | APPEND, 'ax+': READ | WRITE | CREATE | APPEND | EXCLUSIVE,
  };

  function flagsOf(flag, usual) {
    if (flag === undefined || flag === null) return FLAGS[usual];
    if (typeof flag === 'number') {
      numberOf(flag, 'flags', -2147483648, 2147483647);
      const access = [READ, WRITE, READ | WRITE][flag & 3] ?? READ;
      return access | (flag & 64 ? CREATE : 0) | (flag & 128 ? EXCLUSIVE : 0) |
        (flag & 512 ? TRUNCATE : 0) | (flag & 1024 ? APPEND : 0) | (flag & 65536 ? ONLY_DIRECTORY : 0) |
        (flag & 131072 ? NO_FOLLOW : 0);
    }
    if (typeof flag !== 'string' || FLAGS[flag] === undefined)
      throw codedError('TypeError', 'ERR_INVALID_ARG_VALUE',
        `The argument 'flags' is invalid. Received ${native.inspect(flag)}`);
    return FLAGS[flag];
  }

  function modeOf(mode, usual, name = 'mode') {
    if (mode === undefined || mode === null) return usual;
    if (typeof mode === 'string' && !/^[0-7]+$/.test(mode))
      throw codedError('TypeError', 'ERR_INVALID_ARG_VALUE',
        `The argument '${name}' must be a 32-bit unsigned integer or an octal string. Received ${native.inspect(mode)}`);
    return numberOf(typeof mode === 'string' ? parseInt(mode, 8) : mode, name) & 0o7777;
  }

  function dataOf(data, options) {
    if (typeof data === 'string') {
      const encoding = encodingOf(options);
      return encoding === undefined || isUtf8(encoding) ? data : Buffer.from(data, encoding);
    }
    if (data instanceof Uint8Array) return data;
    if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    throw badType('data', 'of type string or an instance of Buffer, TypedArray, or DataView', data);
  }

  function bufferOf(data, name = 'buffer') {
    if (ArrayBuffer.isView(data)) return dataOf(data);
    throw badType(name, 'an instance of Buffer, TypedArray, or DataView', data);
  }

  /* ---- errors ---- */

  /* The same failure, told as another call's. */
  function retold(error, call, file, to) {
    if (error.syscall === undefined) return error;
    const text = error.message.slice(0, error.message.indexOf(','));
    const told = codedError('Error', error.code, `${text}, ${call}${file === undefined ? '' : ` '${file}'`}` +
      (to === undefined ? '' : ` -> '${to}'`));
    const { errno, code } = error;
    return Object.assign(told, { errno, code, syscall: call, ...(file !== undefined && { path: file }),
      ...(to !== undefined && { dest: to }) });
  }

  function retelling(action, ...words) {
    try {
      return action();
    } catch (error) {
      throw retold(error, ...words);
    }
  }

  /* What Node itself refuses, before the system is asked. */
  function systemError(code, call, errno, file, sentence, told) {
    const error = codedError('Error', code, `${sentence}: ${call} returned ${told} ${file}`);
    Object.defineProperty(error, 'name', { value: 'SystemError', writable: true, configurable: true });
    return Object.assign(error, { errno, syscall: call, path: file });
  }

  function checkSignal(signal) {
    if (signal === undefined) return;
    if (signal === null || typeof signal !== 'object' || !('aborted' in signal))
      throw codedError('TypeError', 'ERR_INVALID_ARG_TYPE',
        `The "options.signal" property must be an instance of AbortSignal. Received ${received(signal)}`);
    if (!signal.aborted) return;
    const error = codedError('Error', 'ABORT_ERR', 'The operation was aborted');
    Object.defineProperty(error, 'name', { value: 'AbortError', writable: true, configurable: true });
    Object.defineProperty(error, 'cause', { value: signal.reason, writable: true, configurable: true });
    throw error;
  }

  /* ---- stat ---- */

  const yes = () => true;
  const TYPE_BITS = { [REGULAR]: 0o100000, [DIRECTORY]: 0o40000, [LINK]: 0o120000, [PIPE]: 0o10000,
    [DEVICE]: 0o20000 };

  /* isDirectory and its like are read as booleans by some programs and called by others. Where the
   * answer is yes, the property is a function, which is true; where it is no, a function that is
   * false when read (see docs/javascript.md). */
  function defineTests(prototype, kindOf) {
    const tests = { isFile: REGULAR, isDirectory: DIRECTORY, isSymbolicLink: LINK, isFIFO: PIPE,
      isCharacterDevice: DEVICE, isBlockDevice: -1, isSocket: -1 };
    for (const name of Object.keys(tests))
      Object.defineProperty(prototype, name, { configurable: true,
        get() { return kindOf(this) === tests[name] ? yes : no; } });
  }

  class Stats {
    constructor(fields) {
      const [kind, mode, links, inode, size, atime, mtime, ctime] = fields;
      Object.assign(this, { dev: 1, mode: TYPE_BITS[kind] | mode, nlink: links, uid: 1000, gid: 1000,
        rdev: 0, blksize: 4096, ino: inode, size, blocks: Math.ceil(size / 512), atimeMs: atime,
        mtimeMs: mtime, ctimeMs: ctime, birthtimeMs: ctime, atime: new Date(atime),
        mtime: new Date(mtime), ctime: new Date(ctime), birthtime: new Date(ctime) });
    }
  }
  defineTests(Stats.prototype, (stat) => +Object.keys(TYPE_BITS)
    .find((kind) => TYPE_BITS[kind] === (Number(stat.mode) & 0o170000)));

  function bigStats(stat) {
    for (const key of Object.keys(stat))
      if (typeof stat[key] === 'number') {
        if (key.endsWith('Ms')) stat[key.replace('Ms', 'Ns')] = BigInt(Math.round(stat[key] * 1e6));
        stat[key] = BigInt(Math.trunc(stat[key]));
      }
    return stat;
  }

  class Dirent {
    #kind;
    constructor(name, folder, kind) {
      this.name = name;
      this.parentPath = this.path = folder;
      this.#kind = kind;
    }
    static kindOf(entry) { return entry.#kind; }
  }
  const direntKind = Dirent.kindOf;
  delete Dirent.kindOf;
  defineTests(Dirent.prototype, direntKind);

  const kindAt = (name, follow) => (follow ? native.stat : native.lstat)(name, false)?.[0];

  /* ---- operations ---- */

  const sync = {
    readFile(file, options) {
      const encoding = encodingOf(options);
      if (!isFd(file)) {
        file = pathOf(file);
        const flags = flagsOf(options?.flag, 'r');
        if (flags & CREATE) native.close(native.open(file, flags, 0o666));
      } else {
        fdOf(file);
      }
      if (isUtf8(encoding)) return native.readFile(file, 1);
      const bytes = Buffer.over(native.readFile(file, 0));
      return encoding === undefined ? bytes : bytes.toString(encoding);
    },

    writeFile(file, data, options) {
      encodingOf(options);
      data = dataOf(data, options);
      if (isFd(file)) native.write(fdOf(file), data, -1);
      else native.writeFile(pathOf(file), data, flagsOf(options?.flag, 'w'), modeOf(options?.mode, 0o666));
    },

    appendFile(file, data, options) {
      encodingOf(options);
      if (typeof options === 'string') options = { encoding: options };
      sync.writeFile(file, data, { flag: 'a', ...options });
    },

    exists(file) {
      try {
        return native.exists(pathOf(file));
      } catch {
        return false;
      }
    },

    access(file, mode) {
      file = pathOf(file);
      native.access(file, mode === undefined || mode === null ? 0 : numberOf(mode, 'mode', 0, 7));
    },

    stat(file, options) {
      const fields = native.stat(pathOf(file), options?.throwIfNoEntry ?? true);
      if (fields === undefined) return undefined;
      return options?.bigint ? bigStats(new Stats(fields)) : new Stats(fields);
    },
    lstat(file, options) {
      const fields = native.lstat(pathOf(file), options?.throwIfNoEntry ?? true);
      if (fields === undefined) return undefined;
      return options?.bigint ? bigStats(new Stats(fields)) : new Stats(fields);
    },
    fstat(fd, options) {
      const stat = new Stats(native.fstat(fdOf(fd)));
      return options?.bigint ? bigStats(stat) : stat;
    },

    mkdir(folder, options) {
      folder = pathOf(folder);
      const mode = modeOf(typeof options === 'object' ? options?.mode
        : /^(number|string)$/.test(typeof options) ? options : undefined, 0o777);
      return options?.recursive ? makeAll(folder, mode) : native.mkdir(folder, mode);
    },

    mkdtemp(prefix, options) {
      encodingOf(options);
      prefix = pathOf(prefix, 'prefix');
      for (;;) {
        const name = prefix + Math.random().toString(36).slice(2, 8).padEnd(6, 'x');
        const status = native.mkdir(name, 0o700, true);
        if (status === 0) return nameAs(options, name);
        if (status !== -EEXIST) retelling(() => native.mkdir(name, 0o700), 'mkdtemp', `${prefix}XXXXXX`);
      }
    },

    readdir(folder, options) {
      encodingOf(options);
      folder = pathOf(folder);
      const found = [];
      const walk = (at, below) => {
        const list = native.readdir(at);
        for (let i = 0; i < list.length; i += 2) {
          const name = below === '' ? list[i] : `${below}/${list[i]}`;
          found.push([options?.withFileTypes ? list[i] : name, at, list[i + 1]]);
          if (options?.recursive && list[i + 1] === DIRECTORY) walk(`${at}/${list[i]}`, name);
        }
      };
      walk(folder, '');
      if (!options?.recursive) found.sort((a, b) => (a[0] < b[0] ? -1 : 1));
      return found.map(([name, at, kind]) => (options?.withFileTypes
        ? new Dirent(nameAs(options, name), at, kind) : nameAs(options, name)));
    },

    opendir(folder, options) {
      const list = retelling(() => sync.readdir(folder, { ...options, withFileTypes: true }), 'opendir',
        pathOf(folder));
      return new Dir(pathOf(folder), list);
    },

    rm(file, options) {
      file = pathOf(file);
      objectOf(options);
      if (!options?.force || !options.recursive) {
        const kind = native.lstat(file, !options?.force)?.[0];
        if (kind === DIRECTORY && !options?.recursive)
          throw systemError('ERR_FS_EISDIR', 'rm', 21, file, 'Path is a directory', 'EISDIR (is a directory)');
      }
      removeAny(file);
    },

    rmdir(folder, options) {
      folder = pathOf(folder);
      objectOf(options);
      if (!options?.recursive) return native.rmdir(folder);
      if (retelling(() => native.lstat(folder, true), 'rmdir', folder)[0] !== DIRECTORY) return native.rmdir(folder);
      removeAny(folder);
    },

    unlink(file) { native.unlink(pathOf(file)); },
    rename(from, to) { native.rename(pathOf(from, 'oldPath'), pathOf(to, 'newPath')); },
    link(from, to) { native.link(pathOf(from, 'existingPath'), pathOf(to, 'newPath')); },
    symlink(target, file) { native.symlink(pathOf(target, 'target'), pathOf(file)); },
    readlink(file, options) {
      encodingOf(options);
      return nameAs(options, native.readlink(pathOf(file, 'oldPath')));
    },

    realpath(file, options) {
      encodingOf(options);
      return nameAs(options, realPath(pathOf(file)));
    },

    copyFile(from, to, mode) {
      from = pathOf(from, 'src');
      to = pathOf(to, 'dest');
      mode = mode === undefined || mode === null ? 0 : numberOf(mode, 'mode', 0, 7);
      retelling(() => {
        const data = native.readFile(from, 0);
        native.writeFile(to, data, FLAGS[mode & constants.COPYFILE_EXCL ? 'wx' : 'w'],
          native.stat(from, true)[1]);
      }, 'copyfile', from, to);
    },

    cp(from, to, options) {
      from = pathOf(from, 'src');
      to = pathOf(to, 'dest');
      const kind = (options?.dereference ? native.stat : native.lstat)(from, true)[0];
      if (options?.filter && !options.filter(from, to)) return;
      if (kind === DIRECTORY) {
        if (!options?.recursive)
          throw systemError('ERR_FS_EISDIR', 'cp', 22, from, 'Path is a directory',
            `EISDIR (${from} is a directory (not copied))`);
        sync.mkdir(to, { recursive: true });
        const list = native.readdir(from);
        for (let i = 0; i < list.length; i += 2) sync.cp(`${from}/${list[i]}`, `${to}/${list[i]}`, options);
      } else if (options?.force === false && native.exists(to)) {
        if (options.errorOnExist)
          throw systemError('ERR_FS_CP_EEXIST', 'cp', 17, to, 'Target already exists', `EEXIST (${to} already exists)`);
      } else if (kind === LINK) {
        if (kindAt(to, false) !== undefined) native.unlink(to);
        native.symlink(native.readlink(from), to);
      } else {
        sync.mkdir(path.dirname(path.resolve(to)), { recursive: true });
        sync.copyFile(from, to);
      }
    },

    chmod(file, mode) {
      file = pathOf(file);
      native.chmod(file, modeOf(mode ?? badMode(mode), 0));
    },
    fchmod(fd, mode) { native.fchmod(fdOf(fd), modeOf(mode ?? badMode(mode), 0)); },
    chown(file, uid, gid) {
      file = pathOf(file);
      checkOwner(uid, gid);
      retelling(() => native.stat(file, true), 'chown', file);
    },
    lchown(file, uid, gid) {
      file = pathOf(file);
      checkOwner(uid, gid);
      retelling(() => native.lstat(file, true), 'lchown', file);
    },
    fchown(fd, uid, gid) {
      fdOf(fd);
      checkOwner(uid, gid);
      retelling(() => native.fstat(fd), 'fchown');
    },
    utimes(file, atime, mtime) {
      file = pathOf(file);
      native.utimes(file, msOf(atime), msOf(mtime), 1);
    },
    lutimes(file, atime, mtime) {
      file = pathOf(file);
      native.utimes(file, msOf(atime), msOf(mtime), 0);
    },
    futimes(fd, atime, mtime) { native.futimes(fdOf(fd), msOf(atime), msOf(mtime)); },

    truncate(file, size = 0) {
      if (isFd(file)) return sync.ftruncate(file, size);
      file = pathOf(file);
      native.truncate(file, lengthOf(size));
    },

    open(file, flags, mode) {
      file = pathOf(file);
      return native.open(file, flagsOf(flags, 'r'), modeOf(mode, 0o666));
    },
    close(fd) { native.close(fdOf(fd)); },
    ftruncate(fd, size = 0) { native.ftruncate(fdOf(fd), lengthOf(size)); },
    fsync(fd) { retelling(() => native.fstat(fdOf(fd)), 'fsync'); },
    fdatasync(fd) { retelling(() => native.fstat(fdOf(fd)), 'fdatasync'); },

    read(fd, buffer, from, size, position) {
      fdOf(fd);
      const bytes = bufferOf(buffer);
      if (from !== null && typeof from === 'object') ({ offset: from, length: size, position } = from);
      from ??= 0;
      size ??= bytes.length - from;
      return native.read(fd, bytes, numberOf(from, 'offset', 0, bytes.length),
        numberOf(size, 'length', 0, bytes.length - from), Number(position ?? -1));
    },

    write(fd, data, from, size, position) {
      fdOf(fd);
      if (typeof data === 'string') return native.write(fd, dataOf(data, size), from ?? -1);
      const bytes = bufferOf(data);
      if (from !== null && typeof from === 'object') ({ offset: from, length: size, position } = from);
      from ??= 0;
      size ??= bytes.length - from;
      numberOf(from, 'offset', 0, bytes.length);
      numberOf(size, 'length', 0, bytes.length - from);
      return native.write(fd, bytes.subarray(from, from + size), position ?? -1);
    },

    readv(fd, buffers, position) { return eachPart(sync.read, fd, buffers, position); },
    writev(fd, buffers, position) { return eachPart(sync.write, fd, buffers, position); },

    statfs(file) {
      retelling(() => native.stat(pathOf(file), true), 'statfs', file);
      return { type: 0, bsize: 4096, blocks: 16384, bfree: 8192, bavail: 8192, files: 10000, ffree: 9000 };
    },
  };

  /* One buffer after the other, until one is not filled. */
  function eachPart(act, fd, buffers, position) {
    if (!Array.isArray(buffers) || !buffers.every(ArrayBuffer.isView))
      throw badType('buffers', 'an instance of ArrayBufferView[]', buffers);
    let done = 0;
    for (const buffer of buffers) {
      const count = act(fd, buffer, 0, buffer.byteLength, typeof position === 'number' ? position + done : null);
      done += count;
      if (count < buffer.byteLength) break;
    }
    return done;
  }

  function badMode(mode) { throw badType('mode', 'of type number', mode); }

  function checkOwner(uid, gid) {
    numberOf(uid, 'uid', -1);
    numberOf(gid, 'gid', -1);
  }

  /* Makes what is missing, from the path upwards and down again; the first that was made. */
  function makeAll(folder, mode) {
    const missing = [folder];
    let first;
    while (missing.length > 0) {
      const at = missing.pop(), status = native.mkdir(at, mode, true);
      const above = at.slice(0, Math.max(at.lastIndexOf('/'), 0)) || at;
      if (status === 0) {
        first ??= at;
      } else if (status === -ENOENT && above !== at) {
        missing.push(at, above);
      } else if (status === -ENOENT || FINAL.has(status) || kindOrThrow(at, folder) !== DIRECTORY) {
        if (status === -EEXIST && missing.length > 0) throw retold(failureOf(() => native.readdir(at)), 'mkdir', folder);
        throw retold(failureOf(() => native.mkdir(at, mode)), 'mkdir', folder);
      }
    }
    return first;
  }

  const FINAL = new Set([-13 /* EACCES */, -28 /* ENOSPC */, -20 /* ENOTDIR */, -1 /* EPERM */]);
  const kindOrThrow = (at, folder) => retelling(() => native.stat(at, true), 'mkdir', folder)[0];

  function failureOf(action) {
    try {
      action();
    } catch (error) {
      return error;
    }
    return codedError('Error', 'EAGAIN', 'EAGAIN: resource temporarily unavailable,');
  }

  function removeAny(file) {
    let kind;
    try {
      kind = native.lstat(file, true)[0];
    } catch (error) {
      if (error.code === 'ENOENT') return;
    }
    if (kind !== DIRECTORY) return native.unlink(file);
    if (native.rmdir(file, 0, true) === -39 /* ENOTEMPTY */) {
      const list = native.readdir(file);
      for (let i = 0; i < list.length; i += 2) removeAny(`${file}/${list[i]}`);
    } else if (kindAt(file, false) === undefined) {
      return;
    }
    native.rmdir(file);
  }

  /* Node's own walk for realpath; what cannot be followed is told of the link itself. */
  function realPath(file) {
    const rest = path.resolve(file).split('/').filter(Boolean);
    let at = '';
    while (rest.length > 0) {
      const part = rest.shift();
      if (part === '..') at = at.slice(0, at.lastIndexOf('/'));
      if (part === '..' || part === '.' || part === '') continue;
      const next = `${at}/${part}`;
      if (native.lstat(next, true)[0] !== LINK) {
        at = next;
        continue;
      }
      native.stat(next, true);
      const target = native.readlink(next);
      if (target[0] === '/') at = '';
      rest.unshift(...target.split('/'));
    }
    return at === '' ? '/' : at;
  }

  /* The system's: a file with a slash behind it is none. */
  function nativeRealpath(file, options) {
    encodingOf(options);
    file = pathOf(file);
    return nameAs(options, retelling(() => {
      native.stat(file, true);
      return realPath(file);
    }, 'realpath', file));
  }

  function msOf(time) {
    if (time instanceof Date) return time.getTime();
    if (typeof time === 'string' && +time == time) return +time * 1000; /* as Node: digits as text are seconds */
    if (typeof time === 'number' && Number.isFinite(time)) return time < 0 ? Date.now() : time * 1000;
    throw badType('time', 'an instance of Date or an Time in seconds', time);
  }

  /* ---- handles ---- */

  class FileHandle {
    #fd;
    constructor(fd) { this.#fd = fd; }
    static fdOf(handle) { return handle.#fd; }
    static is(value) { return typeof value === 'object' && value !== null && #fd in value; }
    get fd() { return this.#fd; }
    async close() {
      const fd = this.#fd;
      this.#fd = -1;
      if (fd >= 0) native.close(fd);
    }
    async [Symbol.asyncDispose]() { await this.close(); }
    async read(buffer, ...rest) {
      if (buffer === undefined || !ArrayBuffer.isView(buffer)) {
        const options = buffer ?? {};
        buffer = options.buffer ?? Buffer.alloc(16384);
        rest = [options.offset, options.length, options.position];
      }
      return { bytesRead: sync.read(open(this, 'read'), buffer, ...rest), buffer };
    }
    async write(data, ...rest) {
      return { bytesWritten: sync.write(open(this, 'write'), data, ...rest), buffer: data };
    }
    async readv(buffers, position) {
      return { bytesRead: sync.readv(open(this, 'read'), buffers, position), buffers };
    }
    async writev(buffers, position) {
      return { bytesWritten: sync.writev(open(this, 'write'), buffers, position), buffers };
    }
    async readFile(options) { return readFile(this, options); }
    async writeFile(data, options) { return writeFile(this, data, options); }
    async appendFile(data, options) { return writeFile(this, data, options); }
    async stat(options) { return sync.fstat(open(this, 'fstat'), options); }
    async truncate(size) { sync.ftruncate(open(this, 'ftruncate'), size ?? 0); }
    async chmod(mode) { sync.fchmod(open(this, 'fchmod'), mode); }
    async chown(uid, gid) { sync.fchown(open(this, 'fchown'), uid, gid); }
    async utimes(atime, mtime) { sync.futimes(open(this, 'futime'), atime, mtime); }
    async sync() { sync.fsync(open(this, 'fsync')); }
    async datasync() { sync.fdatasync(open(this, 'fdatasync')); }
    async* readLines(options) {
      yield* lines(sync.readFile(open(this, 'read'), options?.encoding ?? 'utf8'));
    }
  }
  const { fdOf: handleFd, is: isHandle } = FileHandle;
  delete FileHandle.fdOf;
  delete FileHandle.is;

  function open(handle, call) {
    const fd = handleFd(handle);
    if (fd >= 0) return fd;
    throw Object.assign(codedError('Error', 'EBADF', 'file closed'), { syscall: call });
  }

  class Dir {
    #list;
    #at = 0;
    #closed = false;
    constructor(folder, list) {
      this.path = folder;
      this.#list = list;
    }
    #check() {
      if (this.#closed) throw codedError('Error', 'ERR_DIR_CLOSED', 'Directory handle was closed');
    }
    readSync() {
      this.#check();
      return this.#list[this.#at++] ?? null;
    }
    closeSync() {
      this.#check();
      this.#closed = true;
    }
    read(callback) { return answer(() => this.readSync(), callback); }
    close(callback) { return answer(() => this.closeSync(), callback); }
    async* entries() {
      try {
        for (let entry; (entry = this.readSync()) !== null;) yield entry;
      } finally {
        this.#closed = true;
      }
    }
    [Symbol.asyncIterator]() { return this.entries(); }
    async [Symbol.asyncDispose]() { if (!this.#closed) this.closeSync(); }
  }

  /* The promise of what an operation gives, or its callback's call. */
  function answer(run, callback, isPlain) {
    if (typeof callback !== 'function') return new Promise((resolve) => resolve(run()));
    let result, failure = null;
    try {
      result = run();
    } catch (error) {
      if (error.syscall === undefined && error.code !== 'ABORT_ERR' && error.name !== 'SystemError') throw error;
      failure = error;
    }
    native.later(() => (isPlain ? callback(result) : failure !== null ? callback(failure)
      : result === undefined ? callback(null) : callback(null, result)));
    return undefined;
  }

  /* ---- what takes its time in Node: handles, signals, data that comes in pieces ---- */

  const fileOf = (file, call) => (isHandle(file) ? open(file, call) : file);

  async function readFile(file, options) {
    checkSignal(options?.signal);
    return sync.readFile(fileOf(file, 'readFile'), options);
  }

  const comesInPieces = (data) => typeof data === 'object' && data !== null && !ArrayBuffer.isView(data) &&
    (typeof data[Symbol.asyncIterator] === 'function' || typeof data[Symbol.iterator] === 'function');

  async function writeFile(file, data, options) {
    checkSignal(options?.signal);
    file = fileOf(file, 'writeFile');
    if (!comesInPieces(data)) return sync.writeFile(file, data, options);
    const encoding = encodingOf(options);
    const fd = isFd(file) ? file : sync.open(file, options?.flag ?? 'w', options?.mode);
    try {
      for await (const piece of data) {
        checkSignal(options?.signal);
        sync.write(fd, ArrayBuffer.isView(piece) ? piece : Buffer.from(piece, encoding));
      }
    } finally {
      if (fd !== file) native.close(fd);
    }
  }

  async function appendFile(file, data, options) {
    if (typeof options === 'string') options = { encoding: options };
    return writeFile(file, data, { flag: 'a', ...options });
  }

  function* lines(text) {
    const list = text.split(/\r?\n/);
    if (list[list.length - 1] === '') list.pop();
    yield* list;
  }

  /* ---- the module ---- */

  const fs = { constants, Stats, Dirent, Dir };
  const promises = { constants };
  const slow = { readFile, writeFile, appendFile };
  const onlyByDescriptor = new Set(['close', 'fstat', 'ftruncate', 'fsync', 'fdatasync', 'read', 'write', 'readv',
    'writev', 'fchmod', 'fchown', 'futimes']);
  const parts = { read: 'buffer', write: 'buffer', readv: 'buffers', writev: 'buffers' };
  const named = (f, as) => Object.defineProperty(f, 'name', { value: as, configurable: true });

  /* read, write and their like tell the callback what they were given, too. */
  function withParts(run, values, callback) {
    let given;
    const count = answer(() => run(...values), (failure, result) => callback(failure, result, given));
    given = values[1];
    return count;
  }

  for (const name of Object.keys(sync)) {
    const run = sync[name];
    fs[`${name}Sync`] = named((...values) => run(...values), `${name}Sync`);
    fs[name] = named((...values) => {
      const callback = values[values.length - 1];
      if (typeof callback !== 'function' || values.length < 2)
        return name in slow ? slow[name](...values) : answer(() => run(...values));
      values.pop();
      if (name in parts) return withParts(run, values, callback);
      return answer(() => {
        if (name in slow && values[values.length - 1]?.signal !== undefined)
          checkSignal(values[values.length - 1].signal);
        return run(...values);
      }, callback, name === 'exists');
    }, name);
    if (!onlyByDescriptor.has(name) && name !== 'exists')
      promises[name] = named(slow[name] ?? (async (...values) => run(...values)), name);
  }
  promises.open = async (...values) => new FileHandle(sync.open(...values));
  promises.realpath = async (...values) => nativeRealpath(...values);
  Object.assign(fs, { promises, F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1 });
  fs.realpathSync.native = nativeRealpath;
  fs.realpath.native = (...values) => {
    const callback = typeof values[values.length - 1] === 'function' ? values.pop() : undefined;
    return answer(() => nativeRealpath(...values), callback);
  };
  const absent = (name, why) => () => {
    throw codedError('Error', 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', `fs.${name} does not exist here: ${why}`);
  };
  for (const name of ['createReadStream', 'createWriteStream'])
    fs[name] = absent(name, 'there are no streams; use readFile, writeFile or open');
  for (const name of ['watch', 'watchFile', 'unwatchFile'])
    fs[name] = absent(name, 'nothing else changes the files while a program runs');
  for (const name of ['lchmod', 'lchmodSync'])
    fs[name] = absent(name, 'the mode of a link means nothing on Linux');
  promises.watch = fs.watch;
  promises.lchmod = async () => fs.lchmod();
  fs.openAsBlob = absent('openAsBlob', 'there is no Blob; use readFile');
  for (const name of ['createReadStream', 'createWriteStream', 'readableWebStream'])
    Object.defineProperty(FileHandle.prototype, name, { configurable: true, writable: true,
      value: absent(`FileHandle.${name}`, 'there are no streams; use read, readFile or readLines') });
  Object.defineProperty(fs, 'lines', { value: lines });
  return fs;
})
