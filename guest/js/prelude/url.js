// SPDX-License-Identifier: MIT
/* url.js -- URL and URLSearchParams as the WHATWG URL standard parses and writes them.
 *
 * A URL is held as a record { scheme, user, password, host, port, path, query, fragment }: path is a
 * list of segments, or a string where the scheme has no authority ("mailto:x"). Domain names outside of
 * ASCII become punycode; of the mapping tables of UTS 46 only lower case and NFKC are applied. */
(function (native) {
  'use strict';

  const { codedError, encode, decode } = native;
  const PORTS = { 'http:': '80', 'https:': '443', 'ws:': '80', 'wss:': '443', 'ftp:': '21', 'file:': '' };
  const isSpecial = (scheme) => Object.hasOwn(PORTS, scheme);

  /* ---- percent encoding: each set adds to the one before ---- */

  const CONTROL = '';
  const FRAGMENT = ' "<>`';
  const QUERY = ' "#<>';
  const SPECIAL_QUERY = QUERY + "'";
  const PATH = QUERY + '?^`{}';
  const USER = PATH + '/:;=@[\\]|';
  const COMPONENT = USER + '$%&+,!\'()~';

  function percentEncode(text, set, plus = false) {
    let out = '';
    for (const c of text) {
      const code = c.codePointAt(0);
      if (plus && c === ' ') out += '+';
      else if (code > 0x1f && code < 0x7f && !set.includes(c)) out += c;
      else for (const b of encode(c.toWellFormed())) out += `%${b.toString(16).toUpperCase().padStart(2, '0')}`;
    }
    return out;
  }

  function percentDecode(text) {
    if (!text.includes('%')) return encode(text);
    const from = encode(text), to = [];
    for (let i = 0; i < from.length; i++) {
      const hex = String.fromCharCode(from[i + 1], from[i + 2]);
      if (from[i] === 0x25 && /^[0-9a-f]{2}$/i.test(hex)) {
        to.push(parseInt(hex, 16));
        i += 2;
      } else {
        to.push(from[i]);
      }
    }
    return new Uint8Array(to);
  }

  /* ---- hosts ---- */

  function punycode(label) {
    const points = Array.from(label, (c) => c.codePointAt(0)), basic = points.filter((p) => p < 128);
    let out = String.fromCodePoint(...basic), done = basic.length;
    if (done > 0) out += '-';
    for (let n = 128, delta = 0, bias = 72, first = true; done < points.length;) {
      const next = Math.min(...points.filter((p) => p >= n));
      delta += (next - n) * (done + 1);
      n = next;
      for (const p of points) {
        if (p < n) delta++;
        if (p !== n) continue;
        let q = delta;
        for (let k = 36; ; k += 36) {
          const t = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
          if (q < t) break;
          const digit = t + (q - t) % (36 - t);
          out += String.fromCharCode(digit < 26 ? 97 + digit : 22 + digit);
          q = Math.floor((q - t) / (36 - t));
        }
        out += String.fromCharCode(q < 26 ? 97 + q : 22 + q);
        delta = first ? Math.floor(delta / 700) : delta >> 1;
        delta += Math.floor(delta / (done + 1));
        let k = 0;
        for (; delta > 455; k += 36) delta = Math.floor(delta / 35);
        bias = k + Math.floor(36 * delta / (delta + 38));
        first = false;
        delta = 0;
        done++;
      }
      delta++;
      n++;
    }
    return `xn--${out}`;
  }

  function toAscii(domain) {
    const mapped = domain.normalize('NFKC').toLowerCase().normalize('NFC').replace(/[。．｡]/g, '.')
      .replace(/\u00ad|\u200b|\u2060|\ufeff/g, '');
    return mapped.split('.').map((label) => (/^[\x00-\x7f]*$/.test(label) ? label : punycode(label))).join('.');
  }

  function ipv4Number(text) {
    if (text === '') return NaN;
    const radix = /^0x/i.test(text) ? 16 : text.length > 1 && text[0] === '0' ? 8 : 10;
    const digits = radix === 16 ? text.slice(2) : radix === 8 ? text.slice(1) : text;
    if (digits === '') return 0;
    return (radix === 16 ? /^[0-9a-f]+$/i : radix === 8 ? /^[0-7]+$/ : /^\d+$/).test(digits)
      ? parseInt(digits, radix) : NaN;
  }

  /* null when the host is no IPv4 address, undefined when it is a bad one. */
  function ipv4(host) {
    const parts = host.split('.');
    if (parts[parts.length - 1] === '' && parts.length > 1) parts.pop();
    const last = parts[parts.length - 1];
    if (!/^\d+$/.test(last) && !/^0x[0-9a-f]*$/i.test(last)) return null;
    if (parts.length > 4) return undefined;
    const numbers = parts.map(ipv4Number);
    if (numbers.some(Number.isNaN)) return undefined;
    const tail = numbers.pop();
    if (numbers.some((n) => n > 255) || tail >= 256 ** (4 - numbers.length)) return undefined;
    let value = tail;
    numbers.forEach((n, i) => { value += n * 256 ** (3 - i); });
    return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
  }

  function ipv6(text) {
    const halves = text.split('::');
    if (halves.length > 2) return undefined;
    const piecesOf = (half) => {
      const pieces = [];
      const parts = half === '' ? [] : half.split(':');
      for (let i = 0; i < parts.length; i++) {
        if (i === parts.length - 1 && parts[i].includes('.')) {
          const bytes = parts[i].split('.');
          if (bytes.length !== 4 || bytes.some((b) => !/^(0|[1-9]\d{0,2})$/.test(b) || +b > 255)) return undefined;
          pieces.push(+bytes[0] * 256 + +bytes[1], +bytes[2] * 256 + +bytes[3]);
        } else if (/^[0-9a-f]{1,4}$/i.test(parts[i])) {
          pieces.push(parseInt(parts[i], 16));
        } else {
          return undefined;
        }
      }
      return pieces;
    };
    const head = piecesOf(halves[0]), tail = halves.length > 1 ? piecesOf(halves[1]) : [];
    if (head === undefined || tail === undefined) return undefined;
    const count = head.length + tail.length;
    if (halves.length > 1 ? count > 7 : count !== 8) return undefined;
    const pieces = [...head, ...Array(8 - count).fill(0), ...tail];
    let best = { at: -1, size: 1 };
    for (let i = 0; i < 8; i++) {
      let size = 0;
      while (i + size < 8 && pieces[i + size] === 0) size++;
      if (size > best.size) best = { at: i, size };
      if (size > 0) i += size - 1;
    }
    const hex = (list) => list.map((p) => p.toString(16)).join(':');
    if (best.at === -1) return `[${hex(pieces)}]`;
    return `[${hex(pieces.slice(0, best.at))}::${hex(pieces.slice(best.at + best.size))}]`;
  }

  function parseHost(text, special) {
    if (text[0] === '[') return text.endsWith(']') ? ipv6(text.slice(1, -1)) : undefined;
    if (!special)
      return /[\0\t\n\r #/:<>?@[\\\]^|]/.test(text) ? undefined : percentEncode(text, CONTROL);
    const domain = toAscii(decode(percentDecode(text)));
    if (domain === '' || /[\0-\x20"#%/:<>?@[\\\]^`{|}\x7f]/.test(domain)) return undefined;
    const address = ipv4(domain);
    return address === null ? domain : address;
  }

  /* ---- parsing ---- */

  const isDriveLetter = (text) => /^[a-z][:|]$/i.test(text);
  const isSingleDot = (part) => /^(\.|%2e)$/i.test(part);
  const isDoubleDot = (part) => /^(\.|%2e){2}$/i.test(part);

  function shorten(url) {
    if (url.scheme === 'file:' && url.path.length === 1 && /^[a-z]:$/i.test(url.path[0])) return;
    url.path.pop();
  }

  function addPath(url, text, special) {
    const parts = text.split(special ? /[/\\]/ : '/');
    parts.forEach((part, i) => {
      const isLast = i === parts.length - 1;
      if (isDoubleDot(part)) {
        shorten(url);
        if (isLast) url.path.push('');
      } else if (isSingleDot(part)) {
        if (isLast) url.path.push('');
      } else {
        let kept = percentEncode(part, PATH);
        if (url.scheme === 'file:' && url.path.length === 0 && isDriveLetter(kept)) kept = `${kept[0]}:`;
        url.path.push(kept);
      }
    });
  }

  /* "user:password@host:port"; false when it is malformed. */
  function setAuthority(url, text, special) {
    const at = text.lastIndexOf('@');
    if (at !== -1) {
      const [, user, password] = /^([^:]*):?([\s\S]*)$/.exec(text.slice(0, at));
      url.user = percentEncode(user, USER);
      url.password = percentEncode(password, USER);
      text = text.slice(at + 1);
      if (text === '') return false;
    }
    const [, host, port] = /^(\[[^\]]*\]|[^:]*)(?::([\s\S]*))?$/.exec(text) ?? [];
    if (host === undefined || (host === '' && (special || port !== undefined || at !== -1))) return false;
    url.host = host === '' ? '' : parseHost(host, special);
    return url.host !== undefined && (port === undefined || setPort(url, port));
  }

  function setPort(url, text) {
    if (!/^\d*$/.test(text) || +text > 65535) return false;
    url.port = text === '' || `${+text}` === PORTS[url.scheme] ? '' : `${+text}`;
    return true;
  }

  function setTail(url, text) {
    const hash = text.indexOf('#');
    if (hash !== -1) {
      url.fragment = percentEncode(text.slice(hash + 1), FRAGMENT);
      text = text.slice(0, hash);
    }
    const mark = text.indexOf('?');
    if (mark !== -1) {
      url.query = percentEncode(text.slice(mark + 1), isSpecial(url.scheme) ? SPECIAL_QUERY : QUERY);
      text = text.slice(0, mark);
    }
    return text;
  }

  const fresh = (scheme) => ({ scheme, user: '', password: '', host: null, port: '', path: [],
    query: null, fragment: null });
  const copyOf = (base, scheme) => ({ ...base, scheme, path: [...base.path], fragment: null });

  function parseFile(url, rest, base) {
    const slashes = /^[/\\]{0,2}/.exec(rest)[0];
    const tail = rest.slice(slashes.length);
    if (slashes.length === 2) {
      const [authority] = /^[^/\\?#]*/.exec(tail);
      if (isDriveLetter(authority)) {
        url.host = '';
        addPath(url, setTail(url, tail), true);
        return url;
      }
      url.host = authority === '' ? '' : parseHost(authority, true);
      if (url.host === undefined) return undefined;
      if (url.host === 'localhost') url.host = '';
      const path = setTail(url, tail.slice(authority.length));
      addPath(url, path.replace(/^[/\\]/, ''), true);
      return url;
    }
    url.host = base?.scheme === 'file:' ? base.host : '';
    if (slashes.length === 1 || base?.scheme !== 'file:') {
      addPath(url, setTail(url, tail), true);
      return url;
    }
    return parseRelative(copyOf(base, 'file:'), tail, true);
  }

  /* What has no scheme of its own, or the scheme of its base. */
  function parseRelative(url, text, special) {
    const query = url.query;
    url.query = null;
    const path = setTail(url, text);
    if (path === '') {
      if (url.query === null) url.query = query;
      return url;
    }
    if (path[0] === '/' || (special && path[0] === '\\')) {
      url.path = [];
      addPath(url, path.slice(1), special);
    } else {
      shorten(url);
      addPath(url, path, special);
    }
    return url;
  }

  function parseAuthority(url, tail, special) {
    const [authority] = (special ? /^[^/\\?#]*/ : /^[^/?#]*/).exec(tail);
    if (!setAuthority(url, authority, special)) return undefined;
    const path = setTail(url, tail.slice(authority.length));
    if (path !== '' || special) addPath(url, path.replace(special ? /^[/\\]/ : /^\//, ''), special);
    return url;
  }

  function parseWithScheme(scheme, rest, base) {
    const url = fresh(scheme), special = isSpecial(scheme);
    if (scheme === 'file:') return parseFile(url, rest, base);
    if (special) {
      if (base?.scheme === scheme && !/^[/\\]/.test(rest)) return parseRelative(copyOf(base, scheme), rest, true);
      return parseAuthority(url, rest.replace(/^[/\\]*/, ''), true);
    }
    if (rest.startsWith('//')) return parseAuthority(url, rest.slice(2), false);
    if (rest[0] === '/') {
      addPath(url, setTail(url, rest).slice(1), false);
      return url;
    }
    const path = setTail(url, rest);
    url.path = percentEncode(path, CONTROL).replace(/ +$/, url.query === null && url.fragment === null ? '' : (s) => s);
    return url;
  }

  function parse(text, base) {
    const input = text.replace(/^[\0-\x20]+|[\0-\x20]+$/g, '').replace(/[\t\n\r]/g, '');
    const [, scheme, rest] = /^([a-z][a-z0-9+.-]*:)([\s\S]*)$/i.exec(input) ?? [];
    if (scheme !== undefined) return parseWithScheme(scheme.toLowerCase(), rest, base);
    if (base === undefined) return undefined;
    if (typeof base.path === 'string') {
      if (input[0] !== '#') return undefined;
      const url = { ...base };
      setTail(url, input);
      return url;
    }
    const special = isSpecial(base.scheme);
    if (base.scheme === 'file:') return parseFile(fresh('file:'), input, base);
    if (/^\/\//.test(input) || (special && /^[/\\]{2}/.test(input)))
      return parseAuthority(fresh(base.scheme), input.replace(special ? /^[/\\]+/ : /^\/\//, ''), special);
    return parseRelative(copyOf(base, base.scheme), input, special);
  }

  const pathText = (url) => (typeof url.path === 'string' ? url.path
    : url.path.map((part) => `/${part}`).join(''));

  function write(url) {
    let text = url.scheme;
    if (url.host !== null) {
      text += '//';
      if (url.user !== '' || url.password !== '')
        text += `${url.user}${url.password === '' ? '' : `:${url.password}`}@`;
      text += url.host + (url.port === '' ? '' : `:${url.port}`);
    } else if (typeof url.path !== 'string' && url.path.length > 1 && url.path[0] === '') {
      text += '/.';
    }
    return text + pathText(url) + (url.query === null ? '' : `?${url.query}`) +
      (url.fragment === null ? '' : `#${url.fragment}`);
  }

  /* ---- URLSearchParams ---- */

  const formEncode = (text) => percentEncode(`${text}`, COMPONENT, true).replace(/%2A/g, '*');
  const formDecode = (text) => decode(percentDecode(text.replace(/\+/g, ' ')));

  class URLSearchParams {
    #list = [];
    #changed = null;

    constructor(init) {
      if (init === undefined || init === null) return;
      if (typeof init === 'object' || typeof init === 'function') this.#take(init);
      else this.#parse(`${init}`);
    }

    #take(init) {
      if (typeof init[Symbol.iterator] === 'function') {
        for (const pair of init) {
          const parts = pair !== null && typeof pair === 'object' ? [...pair] : [];
          if (parts.length !== 2)
            throw codedError('TypeError', 'ERR_INVALID_TUPLE', 'Each query pair must be an iterable [name, value] tuple');
          this.#list.push([`${parts[0]}`.toWellFormed(), `${parts[1]}`.toWellFormed()]);
        }
      } else {
        for (const key of Reflect.ownKeys(init))
          if (typeof key === 'string') this.#list.push([key.toWellFormed(), `${init[key]}`.toWellFormed()]);
      }
    }

    #parse(text) {
      this.#list = [];
      for (const part of text.replace(/^\?/, '').split('&')) {
        if (part === '') continue;
        const [, name, value] = /^([^=]*)=?([\s\S]*)$/.exec(part);
        this.#list.push([formDecode(name), formDecode(value)]);
      }
    }

    static attach(params, changed) { params.#changed = changed; }
    static reparse(params, text) { params.#parse(text); }

    #update() { this.#changed?.(this.toString()); }

    append(name, value) {
      this.#list.push([`${name}`.toWellFormed(), `${value}`.toWellFormed()]);
      this.#update();
    }
    delete(name, value) {
      this.#list = this.#list.filter(([key, held]) => key !== `${name}` || (value !== undefined && held !== `${value}`));
      this.#update();
    }
    get(name) { return this.#list.find(([key]) => key === `${name}`)?.[1] ?? null; }
    getAll(name) { return this.#list.filter(([key]) => key === `${name}`).map(([, value]) => value); }
    has(name, value) {
      return this.#list.some(([key, held]) => key === `${name}` && (value === undefined || held === `${value}`));
    }
    set(name, value) {
      const at = this.#list.findIndex(([key]) => key === `${name}`);
      if (at === -1) return this.append(name, value);
      this.#list = this.#list.filter(([key], i) => i <= at || key !== `${name}`);
      this.#list[at] = [`${name}`.toWellFormed(), `${value}`.toWellFormed()];
      this.#update();
    }
    sort() {
      this.#list.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
      this.#update();
    }
    forEach(callback, self) {
      if (typeof callback !== 'function')
        throw codedError('TypeError', 'ERR_INVALID_ARG_TYPE', 'The "callback" argument must be of type function. ' +
          `Received ${native.received(callback)}`);
      for (const [name, value] of this.#list) Reflect.apply(callback, self, [value, name, this]);
    }
    get size() { return this.#list.length; }
    toString() { return this.#list.map(([name, value]) => `${formEncode(name)}=${formEncode(value)}`).join('&'); }
    *entries() { for (const [name, value] of this.#list) yield [name, value]; }
    *keys() { for (const [name] of this.#list) yield name; }
    *values() { for (const [, value] of this.#list) yield value; }
    [Symbol.iterator]() { return this.entries(); }
    get [Symbol.toStringTag]() { return 'URLSearchParams'; }
    [Symbol.for('nodejs.util.inspect.custom')](depth, options, inspect) {
      if (this.#list.length === 0) return 'URLSearchParams {}';
      const list = this.#list.map(([name, value]) => `${inspect(name)} => ${inspect(value)}`);
      return `URLSearchParams { ${list.join(', ')} }`;
    }
  }
  const { attach, reparse } = URLSearchParams;
  delete URLSearchParams.attach;
  delete URLSearchParams.reparse;

  /* ---- URL ---- */

  function invalid(input, base) {
    const error = codedError('TypeError', 'ERR_INVALID_URL', 'Invalid URL');
    error.input = input;
    if (base !== undefined) error.base = base;
    return error;
  }

  class URL {
    #url;
    #params;

    constructor(input, base) {
      if (arguments.length === 0)
        throw codedError('TypeError', 'ERR_MISSING_ARGS', 'The "url" argument must be specified');
      input = `${input}`;
      let parsed;
      if (base !== undefined) {
        parsed = parse(`${base}`);
        if (parsed === undefined) throw invalid(input, `${base}`);
      }
      this.#url = parse(input, parsed);
      if (this.#url === undefined) throw invalid(input, base === undefined ? undefined : `${base}`);
    }

    static canParse(input, base) {
      const parsed = base === undefined ? undefined : parse(`${base}`);
      return (base === undefined || parsed !== undefined) && parse(`${input}`, parsed) !== undefined;
    }
    static parse(input, base) { return URL.canParse(input, base) ? new URL(input, base) : null; }

    get href() { return write(this.#url); }
    set href(value) {
      const parsed = parse(`${value}`);
      if (parsed === undefined) throw invalid(`${value}`);
      this.#url = parsed;
      this.#refresh();
    }
    get origin() {
      if (this.#url.scheme === 'blob:') {
        const inner = URL.parse(pathText(this.#url));
        return inner !== null && /^https?:$/.test(inner.protocol) ? inner.origin : 'null';
      }
      return isSpecial(this.#url.scheme) && this.#url.scheme !== 'file:' ? `${this.#url.scheme}//${this.host}` : 'null';
    }
    get protocol() { return this.#url.scheme; }
    set protocol(value) {
      const scheme = /^[a-z][a-z0-9+.-]*(?=:|$)/i.exec(`${value}`)?.[0].toLowerCase();
      if (scheme === undefined || isSpecial(`${scheme}:`) !== isSpecial(this.#url.scheme)) return;
      if (`${scheme}:` === 'file:' && (this.#url.user !== '' || this.#url.port !== '')) return;
      this.#url.scheme = `${scheme}:`;
      if (this.#url.port === PORTS[this.#url.scheme]) this.#url.port = '';
    }
    #hasCredentials() { return this.#url.host !== null && this.#url.host !== '' && this.#url.scheme !== 'file:'; }
    get username() { return this.#url.user; }
    set username(value) { if (this.#hasCredentials()) this.#url.user = percentEncode(`${value}`, USER); }
    get password() { return this.#url.password; }
    set password(value) { if (this.#hasCredentials()) this.#url.password = percentEncode(`${value}`, USER); }
    get host() { return `${this.#url.host ?? ''}${this.#url.port === '' ? '' : `:${this.#url.port}`}`; }
    set host(value) {
      if (typeof this.#url.path === 'string') return;
      const [, name, port] = /^(\[[^\]]*\]|[^:/?#\\]*)(?::(\d*))?/.exec(`${value}`);
      this.hostname = name;
      if (port) setPort(this.#url, port);
    }
    get hostname() { return this.#url.host ?? ''; }
    set hostname(value) {
      if (typeof this.#url.path === 'string') return;
      const [name] = /^(\[[^\]]*\]|[^:/?#\\]*)/.exec(`${value}`);
      const host = name === '' ? undefined : parseHost(name, isSpecial(this.#url.scheme));
      if (host !== undefined) this.#url.host = host;
      else if (name === '' && !isSpecial(this.#url.scheme)) this.#url.host = '';
    }
    get port() { return this.#url.port; }
    set port(value) {
      if (!this.#hasCredentials()) return;
      const digits = /^\d*/.exec(`${value}`)[0];
      if (digits !== '' || `${value}` === '') setPort(this.#url, digits);
    }
    get pathname() { return pathText(this.#url); }
    set pathname(value) {
      if (typeof this.#url.path === 'string') return;
      const special = isSpecial(this.#url.scheme);
      const text = `${value}`.replace(/[\t\n\r]/g, '').replace(/[?#]/g, (c) => (c === '?' ? '%3F' : '%23'));
      this.#url.path = [];
      if (text !== '' || special) addPath(this.#url, text.replace(special ? /^[/\\]/ : /^\//, ''), special);
    }
    get search() { return this.#url.query ? `?${this.#url.query}` : ''; }
    set search(value) {
      const text = `${value}`.replace(/^\?/, '').replace(/[\t\n\r]/g, '');
      this.#url.query = `${value}` === '' ? null
        : percentEncode(text, isSpecial(this.#url.scheme) ? SPECIAL_QUERY : QUERY);
      this.#refresh();
    }
    get searchParams() {
      if (this.#params === undefined) {
        this.#params = new URLSearchParams(this.#url.query ?? '');
        attach(this.#params, (text) => { this.#url.query = text === '' ? null : text; });
      }
      return this.#params;
    }
    get hash() { return this.#url.fragment ? `#${this.#url.fragment}` : ''; }
    set hash(value) {
      const text = `${value}`.replace(/^#/, '').replace(/[\t\n\r]/g, '');
      this.#url.fragment = `${value}` === '' ? null : percentEncode(text, FRAGMENT);
    }
    #refresh() { if (this.#params !== undefined) reparse(this.#params, this.#url.query ?? ''); }
    toString() { return this.href; }
    toJSON() { return this.href; }
    get [Symbol.toStringTag]() { return 'URL'; }
    [Symbol.for('nodejs.util.inspect.custom')](depth, options, inspect) {
      const shown = {};
      for (const key of ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port',
        'pathname', 'search', 'searchParams', 'hash']) shown[key] = this[key];
      return `URL ${inspect(shown, options)}`;
    }
  }

  function fileURLToPath(url) {
    const parsed = typeof url === 'string' ? new URL(url) : url;
    if (parsed?.protocol !== 'file:')
      throw codedError('TypeError', 'ERR_INVALID_URL_SCHEME', 'The URL must be of scheme file');
    return decodeURIComponent(parsed.pathname);
  }
  function pathToFileURL(path) {
    const url = new URL('file:///');
    url.pathname = percentEncode(path[0] === '/' ? path : `${native.cwd()}/${path}`, '%\\');
    return url;
  }
  function urlToHttpOptions(url) {
    return { protocol: url.protocol, hostname: url.hostname, hash: url.hash, search: url.search,
      pathname: url.pathname, path: url.pathname + url.search, href: url.href, port: url.port };
  }
  return { URL, URLSearchParams, fileURLToPath, pathToFileURL, urlToHttpOptions,
    domainToASCII: (domain) => toAscii(`${domain}`) };
})
