// SPDX-License-Identifier: MIT
/* fs.js -- Node's `fs` over the kernel's files.
 *
 * Nothing blocks here, so every operation is written once, as its *Sync form. The promise of the
 * asynchronous form is settled with what that gives; a callback, where one is given, runs soon after.
 * Data is text or bytes (Uint8Array, as Buffer). */
(function (native, path, Buffer) {
  'use strict';

  const REGULAR = 1, DIRECTORY = 2, LINK = 3, PIPE = 4, DEVICE = 5;
  const READ = 1, WRITE = 2, APPEND = 4, CREATE = 8, TRUNCATE = 16, EXCLUSIVE = 32;
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

  function pathOf(value, name = 'path') {
    let text = value;
    if (value instanceof Uint8Array) text = native.decode(value);
    else if (typeof value === 'object' && value !== null && typeof value.href === 'string' &&
      value.protocol === 'file:') text = decodeURIComponent(value.pathname);
    if (typeof text !== 'string')
      throw badType(name, 'of type string or an instance of Buffer or URL', value);
    if (text.includes('\0'))
      throw codedError('TypeError', 'ERR_INVALID_ARG_VALUE', `The argument '${name}' must be a string, ` +
        `Uint8Array, or URL without null bytes. Received ${native.inspect(text)}`);
    return text;
  }

  const isFd = (value) => typeof value === 'number';

  function encodingOf(options) {
    const encoding = typeof options === 'string' ? options : options?.encoding;
    if (encoding === undefined || encoding === null || encoding === 'buffer') return undefined;
    if (!Buffer.isEncoding(encoding))
      throw codedError('TypeError', 'ERR_INVALID_ARG_VALUE',
        `The argument 'encoding' is invalid encoding. Received ${native.inspect(encoding)}`);
    return encoding;
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
      const access = [READ, WRITE, READ | WRITE][flag & 3] ?? READ;
      return access | (flag & 64 ? CREATE : 0) | (flag & 128 ? EXCLUSIVE : 0) |
        (flag & 512 ? TRUNCATE : 0) | (flag & 1024 ? APPEND : 0);
    }
    if (typeof flag !== 'string' || FLAGS[flag] === undefined)
      throw codedError('TypeError', 'ERR_INVALID_ARG_VALUE',
        `The argument 'flags' is invalid. Received ${native.inspect(flag)}`);
    return FLAGS[flag];
  }

  function modeOf(mode, usual) {
    if (mode === undefined || mode === null) return usual;
    const number = typeof mode === 'string' ? parseInt(mode, 8) : mode;
    if (!Number.isInteger(number) || number < 0)
      throw codedError('TypeError', 'ERR_INVALID_ARG_VALUE',
        `The argument 'mode' must be a 32-bit unsigned integer or an octal string. Received ${native.inspect(mode)}`);
    return number & 0o7777;
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
    .find((kind) => TYPE_BITS[kind] === (stat.mode & 0o170000)));

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
      }
      if (isUtf8(encoding)) return native.readFile(file, 1);
      const bytes = Buffer.over(native.readFile(file, 0));
      return encoding === undefined ? bytes : bytes.toString(encoding);
    },

    writeFile(file, data, options) {
      data = dataOf(data, options);
      if (isFd(file)) native.write(file, data, -1);
      else native.writeFile(pathOf(file), data, flagsOf(options?.flag, 'w'), modeOf(options?.mode, 0o666));
    },

    appendFile(file, data, options) {
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

    access(file, mode = 0) { native.access(pathOf(file), mode); },

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
    fstat(fd) { return new Stats(native.fstat(fd)); },

    mkdir(folder, options) {
      folder = pathOf(folder);
      const mode = modeOf(typeof options === 'object' ? options?.mode : options, 0o777);
      if (!options?.recursive) return native.mkdir(folder, mode);
      const missing = [];
      let at = path.resolve(folder);
      for (; kindAt(at, true) === undefined && at !== '/'; at = path.dirname(at)) missing.push(at);
      if (missing.length === 0 && kindAt(at, true) !== DIRECTORY) native.mkdir(folder, mode);
      for (let i = missing.length - 1; i >= 0; i--) native.mkdir(missing[i], mode);
      return missing[missing.length - 1];
    },

    mkdtemp(prefix) {
      for (;;) {
        const name = pathOf(prefix, 'prefix') + Math.random().toString(36).slice(2, 8).padEnd(6, 'x');
        if (kindAt(name, false) !== undefined) continue;
        native.mkdir(name, 0o700);
        return name;
      }
    },

    readdir(folder, options) {
      folder = pathOf(folder);
      const found = [];
      const walk = (at, below) => {
        const list = native.readdir(at);
        for (let i = 0; i < list.length; i += 2) {
          const name = below === '' ? list[i] : `${below}/${list[i]}`;
          found.push(options?.withFileTypes ? new Dirent(list[i], at, list[i + 1]) : name);
          if (options?.recursive && list[i + 1] === DIRECTORY) walk(`${at}/${list[i]}`, name);
        }
      };
      walk(folder, '');
      const nameOf = (entry) => (typeof entry === 'string' ? entry : entry.name);
      if (!options?.recursive) found.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
      return encodingOf(options) === undefined && options?.encoding !== 'buffer' ? found
        : found.map((entry) => (options.encoding === 'buffer' ? Buffer.from(nameOf(entry)) : entry));
    },

    opendir(folder) {
      const list = sync.readdir(folder, { withFileTypes: true });
      let at = 0;
      return { path: folder, readSync: () => list[at++] ?? null, read: async () => list[at++] ?? null,
        closeSync() {}, async close() {},
        async* [Symbol.asyncIterator]() { while (at < list.length) yield list[at++]; } };
    },

    rm(file, options) {
      file = pathOf(file);
      const kind = kindAt(file, false);
      if (kind === undefined && options?.force) return;
      if (/(^|\/)\.\.?\/*$/.test(file)) return native.rmdir(file); /* EINVAL, before anything is gone */
      if (kind === DIRECTORY && options?.recursive) return removeTree(file);
      if (kind === DIRECTORY)
        throw Object.assign(codedError('Error', 'ERR_FS_EISDIR',
          `Path is a directory: rm returned EISDIR (is a directory) ${file}`),
        { errno: 21, syscall: 'rm', path: file });
      if (kind === undefined) native.lstat(file, true);
      native.unlink(file);
    },

    rmdir(folder, options) {
      if (options?.recursive) return sync.rm(folder, { recursive: true });
      native.rmdir(pathOf(folder));
    },

    unlink(file) { native.unlink(pathOf(file)); },
    rename(from, to) { native.rename(pathOf(from, 'oldPath'), pathOf(to, 'newPath')); },
    link(from, to) { native.link(pathOf(from, 'existingPath'), pathOf(to, 'newPath')); },
    symlink(target, file) { native.symlink(pathOf(target, 'target'), pathOf(file)); },
    readlink(file) { return native.readlink(pathOf(file)); },

    realpath(file) {
      file = pathOf(file);
      const rest = path.resolve(file).split('/').filter(Boolean);
      let at = '';
      for (let links = 0; rest.length > 0;) {
        const part = rest.shift();
        if (part === '..') at = at.slice(0, at.lastIndexOf('/'));
        if (part === '..' || part === '.' || part === '') continue;
        const next = `${at}/${part}`;
        if (native.lstat(next, true)[0] !== LINK) {
          at = next;
          continue;
        }
        if (++links > 40) native.stat(file, true);
        const target = native.readlink(next);
        if (target[0] === '/') at = '';
        rest.unshift(...target.split('/'));
      }
      return at === '' ? '/' : at;
    },

    copyFile(from, to, mode = 0) {
      from = pathOf(from, 'src');
      to = pathOf(to, 'dest');
      try {
        const data = native.readFile(from, 0);
        native.writeFile(to, data, FLAGS[mode & constants.COPYFILE_EXCL ? 'wx' : 'w'],
          native.stat(from, true)[1]);
      } catch (error) {
        if (error.syscall === undefined) throw error;
        const text = error.message.slice(0, error.message.indexOf(','));
        throw Object.assign(codedError('Error', error.code, `${text}, copyfile '${from}' -> '${to}'`),
          { errno: error.errno, code: error.code, syscall: 'copyfile', path: from, dest: to });
      }
    },

    cp(from, to, options) {
      from = pathOf(from, 'src');
      to = pathOf(to, 'dest');
      const kind = (options?.dereference ? native.stat : native.lstat)(from, true)[0];
      if (options?.filter && !options.filter(from, to)) return;
      if (kind === DIRECTORY) {
        if (!options?.recursive)
          throw Object.assign(codedError('Error', 'ERR_FS_EISDIR',
            `Recursive option not enabled, cannot copy a directory: cp returned EISDIR (${from} is a directory (not copied)) ${from}`),
          { errno: 21, syscall: 'cp', path: from });
        sync.mkdir(to, { recursive: true });
        const list = native.readdir(from);
        for (let i = 0; i < list.length; i += 2) sync.cp(`${from}/${list[i]}`, `${to}/${list[i]}`, options);
      } else if (options?.force === false && native.exists(to)) {
        if (options.errorOnExist)
          throw Object.assign(codedError('Error', 'ERR_FS_CP_EEXIST',
            `Target already exists: cp returned EEXIST (${to} already exists) ${to}`),
          { errno: 17, syscall: 'cp', path: to });
      } else if (kind === LINK) {
        if (kindAt(to, false) !== undefined) native.unlink(to);
        native.symlink(native.readlink(from), to);
      } else {
        sync.mkdir(path.dirname(path.resolve(to)), { recursive: true });
        sync.copyFile(from, to);
      }
    },

    chmod(file, mode) { native.chmod(pathOf(file), modeOf(mode, 0o666)); },
    chown(file) { native.stat(pathOf(file), true); },
    lchown(file) { native.lstat(pathOf(file), true); },
    utimes(file, atime, mtime) { native.utimes(pathOf(file), msOf(atime), msOf(mtime), 1); },
    lutimes(file, atime, mtime) { native.utimes(pathOf(file), msOf(atime), msOf(mtime), 0); },

    truncate(file, size = 0) {
      if (isFd(file)) native.ftruncate(file, size);
      else native.truncate(pathOf(file), size);
    },

    open(file, flags, mode) { return native.open(pathOf(file), flagsOf(flags, 'r'), modeOf(mode, 0o666)); },
    close(fd) { native.close(fd); },
    ftruncate(fd, size = 0) { native.ftruncate(fd, size); },
    fsync() {},
    fdatasync() {},

    read(fd, buffer, from, size, position) {
      if (from !== null && typeof from === 'object') ({ offset: from, length: size, position } = from);
      const bytes = dataOf(buffer);
      from ??= 0;
      size ??= bytes.length - from;
      return native.read(fd, bytes, from, size, position ?? -1);
    },

    write(fd, data, from, size, position) {
      if (typeof data === 'string') return native.write(fd, dataOf(data, size), from ?? -1);
      const bytes = dataOf(data);
      from ??= 0;
      return native.write(fd, bytes.subarray(from, from + (size ?? bytes.length - from)), position ?? -1);
    },

    statfs() {
      return { type: 0, bsize: 4096, blocks: 16384, bfree: 8192, bavail: 8192, files: 10000, ffree: 9000 };
    },
  };

  function removeTree(folder) {
    const list = native.readdir(folder);
    for (let i = 0; i < list.length; i += 2)
      if (list[i + 1] === DIRECTORY) removeTree(`${folder}/${list[i]}`);
      else native.unlink(`${folder}/${list[i]}`);
    native.rmdir(folder);
  }

  const msOf = (time) => (time instanceof Date ? time.getTime()
    : Number.isFinite(+time) ? +time * 1000 : Date.now());

  /* ---- handles ---- */

  class FileHandle {
    #fd;
    constructor(fd) { this.#fd = fd; }
    get fd() { return this.#fd; }
    async close() {
      const fd = this.#fd;
      this.#fd = -1;
      native.close(fd);
    }
    async [Symbol.asyncDispose]() { await this.close(); }
    async read(buffer, ...rest) {
      if (buffer === undefined || !ArrayBuffer.isView(buffer)) {
        const options = buffer ?? {};
        buffer = options.buffer ?? Buffer.alloc(16384);
        rest = [options.offset, options.length, options.position];
      }
      return { bytesRead: sync.read(this.#fd, buffer, ...rest), buffer };
    }
    async write(data, ...rest) { return { bytesWritten: sync.write(this.#fd, data, ...rest), buffer: data }; }
    async readFile(options) { return sync.readFile(this.#fd, options); }
    async writeFile(data, options) { sync.writeFile(this.#fd, data, options); }
    async appendFile(data, options) { sync.writeFile(this.#fd, data, options); }
    async stat() { return sync.fstat(this.#fd); }
    async truncate(size) { native.ftruncate(this.#fd, size ?? 0); }
    async sync() {}
    async datasync() {}
    async* readLines() { yield* lines(sync.readFile(this.#fd, 'utf8')); }
  }

  function* lines(text) {
    const list = text.split(/\r?\n/);
    if (list[list.length - 1] === '') list.pop();
    yield* list;
  }

  /* ---- the module ---- */

  const fs = { constants, Stats, Dirent };
  const promises = { constants };
  const onlyByDescriptor = new Set(['close', 'fstat', 'ftruncate', 'fsync', 'fdatasync', 'read', 'write']);
  for (const name of Object.keys(sync)) {
    const run = sync[name];
    const named = (f, as) => Object.defineProperty(f, 'name', { value: as, configurable: true });
    fs[`${name}Sync`] = named((...values) => run(...values), `${name}Sync`);
    const asynchronous = named((...values) => {
      const callback = values[values.length - 1];
      if (typeof callback !== 'function' || values.length < 2)
        return new Promise((resolve) => resolve(run(...values)));
      let result, failure = null;
      try {
        result = run(...values.slice(0, -1));
      } catch (error) {
        failure = error;
      }
      setImmediate(() => (name === 'exists' ? callback(result) : callback(failure, result)));
      return undefined;
    }, name);
    fs[name] = asynchronous;
    if (!onlyByDescriptor.has(name) && name !== 'exists')
      promises[name] = named(async (...values) => run(...values), name);
  }
  promises.open = async (...values) => new FileHandle(sync.open(...values));
  Object.assign(fs, { promises, F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1 });
  fs.realpathSync.native = fs.realpathSync;
  const absent = (name, why) => () => {
    throw codedError('Error', 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', `fs.${name} does not exist here: ${why}`);
  };
  for (const name of ['createReadStream', 'createWriteStream'])
    fs[name] = absent(name, 'there are no streams; use readFile, writeFile or open');
  for (const name of ['watch', 'watchFile', 'unwatchFile'])
    fs[name] = absent(name, 'nothing else changes the files while a program runs');
  promises.watch = fs.watch;
  fs.lines = lines;
  return fs;
})
