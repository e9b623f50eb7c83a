// SPDX-License-Identifier: MIT
/* path.js -- Node's `path` for POSIX paths. */
(function (native) {
  'use strict';

  function needString(value, name) {
    if (typeof value !== 'string')
      throw native.codedError('TypeError', 'ERR_INVALID_ARG_TYPE',
        `The "${name}" argument must be of type string. Received ${native.received(value)}`);
  }

  /* Segments with "." and ".." taken in; a relative path keeps the ".." it begins with. */
  function reduce(path, isAbsolute) {
    const kept = [];
    for (const part of path.split('/')) {
      if (part === '' || part === '.') continue;
      if (part !== '..') kept.push(part);
      else if (kept.length > 0 && kept[kept.length - 1] !== '..') kept.pop();
      else if (!isAbsolute) kept.push('..');
    }
    return kept.join('/');
  }

  function normalize(path) {
    needString(path, 'path');
    if (path === '') return '.';
    const isAbsolute = path[0] === '/', slash = path.endsWith('/');
    let text = reduce(path, isAbsolute);
    if (text === '' && !isAbsolute) return slash ? './' : '.';
    if (text !== '' && slash) text += '/';
    return isAbsolute ? `/${text}` : text;
  }

  function join(...parts) {
    for (const part of parts) needString(part, 'path');
    const text = parts.filter((part) => part !== '').join('/');
    return text === '' ? '.' : normalize(text);
  }

  function resolve(...parts) {
    let path = '';
    for (let i = parts.length - 1; i >= 0 && path[0] !== '/'; i--) {
      needString(parts[i], `paths[${i}]`);
      if (parts[i] !== '') path = path === '' ? parts[i] : `${parts[i]}/${path}`;
    }
    if (path[0] !== '/') path = `${native.cwd()}/${path}`;
    return `/${reduce(path, true)}`;
  }

  function relative(from, to) {
    needString(from, 'from');
    needString(to, 'to');
    const a = resolve(from).split('/').filter(Boolean), b = resolve(to).split('/').filter(Boolean);
    let same = 0;
    while (same < a.length && same < b.length && a[same] === b[same]) same++;
    return [...a.slice(same).fill('..'), ...b.slice(same)].join('/');
  }

  const trimmed = (path) => path.replace(/(?<=.)\/+$/s, '');
  /* Up to the last segment, with all but one of the slashes before it. */
  const above = (text, slash) => (slash === 0 ? '/' : text.slice(0, slash));

  function dirname(path) {
    needString(path, 'path');
    if (path === '') return '.';
    const text = trimmed(path), slash = text.lastIndexOf('/');
    if (slash === -1) return '.';
    if (slash === 0) return /^\/\/[^/]/.test(path) ? '//' : '/';
    return above(text, slash);
  }

  function basename(path, suffix) {
    needString(path, 'path');
    if (suffix !== undefined) needString(suffix, 'suffix');
    if (suffix === path) return '';
    let text = path.replace(/\/+$/, '');
    text = text.slice(text.lastIndexOf('/') + 1);
    if (suffix && text !== suffix && text.endsWith(suffix)) text = text.slice(0, -suffix.length);
    return text;
  }

  function extname(path) {
    const base = basename(path), dot = base.lastIndexOf('.');
    return dot <= 0 || base === '..' ? '' : base.slice(dot);
  }

  function parse(path) {
    needString(path, 'path');
    const root = path[0] === '/' ? '/' : '', base = basename(path), ext = extname(path);
    const text = trimmed(path), slash = text.lastIndexOf('/');
    const dir = slash === -1 ? '' : above(text, slash);
    return { root, dir, base, ext, name: ext === '' ? base : base.slice(0, -ext.length) };
  }

  function format(parts) {
    if (parts === null || typeof parts !== 'object')
      throw native.codedError('TypeError', 'ERR_INVALID_ARG_TYPE',
        `The "pathObject" argument must be of type object. Received ${native.received(parts)}`);
    const dir = parts.dir || parts.root;
    const dot = parts.ext && parts.ext[0] !== '.' ? '.' : '';
    const base = parts.base || `${parts.name ?? ''}${dot}${parts.ext ?? ''}`;
    if (!dir) return base;
    return dir === parts.root ? dir + base : `${dir}/${base}`;
  }

  function isAbsolute(path) {
    needString(path, 'path');
    return path[0] === '/';
  }

  const path = { resolve, normalize, isAbsolute, join, relative, toNamespacedPath: (p) => p, dirname,
    basename, extname, format, parse, sep: '/', delimiter: ':' };
  path.posix = path;
  return path;
})
