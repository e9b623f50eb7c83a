// SPDX-License-Identifier: MIT
/* locale.js -- toLocaleString and localeCompare, without Intl.
 *
 * What is supported gives the text that Node gives; a locale or option that is not is a RangeError,
 * since a wrong text would pass unseen. The time zone is UTC. */
(function (native) {
  'use strict';

  const unsupported = (what) => new RangeError(
    `${what} is not supported here: there is no Intl; supported are the locales en-US (the default), en-GB, ` +
    'en-CA, en-AU, de-DE, fr-FR, pt-BR, ja-JP, zh-CN, ko-KR, sv-SE, and the time zone UTC');

  /* [group, decimal, smallest group] */
  const COMMA = [',', '.'], POINT = ['.', ','];
  const NUMBERS = { 'en': COMMA, 'en-US': COMMA, 'en-GB': COMMA, 'en-CA': COMMA, 'en-AU': COMMA,
    'ja': COMMA, 'ja-JP': COMMA, 'zh': COMMA, 'zh-CN': COMMA, 'ko': COMMA, 'ko-KR': COMMA, 'de': POINT,
    'de-DE': POINT, 'pt-BR': POINT, 'fr': ['\u202f', ','], 'fr-FR': ['\u202f', ','],
    'sv': ['\u00a0', ','], 'sv-SE': ['\u00a0', ','] };

  function localeOf(locales) {
    const list = locales === undefined ? ['en-US'] : Array.isArray(locales) ? locales : [locales];
    const locale = list.length === 0 ? 'en-US' : `${list[0]}`;
    if (!/^[a-z]{2,8}(-[a-z0-9]{1,8})*$/i.test(locale)) throw new RangeError(`Incorrect locale information provided`);
    return locale;
  }

  function digitsOf(options, name, least, most, usual) {
    const value = options[name];
    if (value === undefined) return usual;
    const number = Math.floor(Number(value));
    if (!(number >= least && number <= most)) throw new RangeError(`${name} value is out of range.`);
    return number;
  }

  function refuseOptions(options, names) {
    for (const name of names)
      if (options[name] !== undefined) throw unsupported(`the option ${name}: '${options[name]}'`);
  }

  /* ---- numbers ---- */

  const SYMBOLS = { USD: '$', EUR: '€', GBP: '£', JPY: '¥', INR: '₹', CNY: 'CN¥', KRW: '₩', BRL: 'R$',
    CAD: 'CA$', AUD: 'A$', MXN: 'MX$', NZD: 'NZ$', ILS: '₪', VND: '₫' };

  /* Decimal digits of a finite number, rounded half away from zero on its decimal value. */
  function decimal(value, least, most) {
    if (typeof value === 'bigint') return `${value}${least > 0 ? `.${'0'.repeat(least)}` : ''}`;
    let [, sign, whole, fraction] = /^(-?)(\d*)\.?(\d*)$/.exec(plainDigits(value));
    if (fraction.length > most) {
      const up = fraction[most] >= '5';
      const digits = `0${whole}${fraction.slice(0, most)}`;
      const rounded = up ? `${BigInt(digits) + 1n}`.padStart(digits.length, '0') : digits;
      whole = rounded.slice(0, rounded.length - most).replace(/^0+(?=\d)/, '');
      fraction = most === 0 ? '' : rounded.slice(-most);
    }
    fraction = fraction.replace(/0+$/, '').padEnd(least, '0');
    return `${sign}${whole === '' ? '0' : whole}${fraction === '' ? '' : `.${fraction}`}`;
  }

  /* The shortest digits that give the number back, without an exponent. */
  function plainDigits(value) {
    const text = Object.is(value, -0) ? '-0' : `${value}`;
    const [, sign, head, tail = '', exponent] = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text) ?? [];
    if (head === undefined) return text;
    const at = head.length + Number(exponent), digits = head + tail;
    if (at <= 0) return `${sign}0.${'0'.repeat(-at)}${digits}`;
    return sign + digits.padEnd(at, '0').slice(0, at) + (digits.length > at ? `.${digits.slice(at)}` : '');
  }

  function significant(value, least, most) {
    const [, sign, whole, fraction] = /^(-?)(\d*)\.?(\d*)$/.exec(plainDigits(value));
    const lead = whole === '0' ? -(fraction.length - fraction.replace(/^0+/, '').length) : whole.length;
    if (most - lead < 0) {
      const unit = 10n ** BigInt(lead - most);
      const rounded = (BigInt(whole) + unit / 2n) / unit * unit;
      return `${sign}${rounded}`;
    }
    return decimal(Number(`${sign}${whole}.${fraction || 0}`), Math.max(0, least - lead), most - lead);
  }

  function grouped(text, [group, point], options) {
    const [, sign, whole, fraction] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
    const padded = whole.padStart(digitsOf(options, 'minimumIntegerDigits', 1, 21, 1), '0');
    const shown = options.useGrouping === false || options.useGrouping === 'false' ? padded
      : padded.replace(/\B(?=(\d{3})+$)/g, group);
    return { sign, text: fraction === undefined ? shown : `${shown}${point}${fraction}` };
  }

  function formatNumber(value, locales, options = {}) {
    const locale = localeOf(locales), marks = NUMBERS[locale];
    if (marks === undefined) throw unsupported(`the locale ${locale}`);
    refuseOptions(options, ['unit', 'numberingSystem', 'currencySign', 'roundingMode', 'roundingIncrement']);
    if (options.notation !== undefined && options.notation !== 'standard') throw unsupported(`the option notation: '${options.notation}'`);
    if (options.signDisplay !== undefined && options.signDisplay !== 'auto') throw unsupported(`the option signDisplay: '${options.signDisplay}'`);
    const style = options.style ?? 'decimal';
    if (!['decimal', 'percent', 'currency'].includes(style)) throw unsupported(`the option style: '${style}'`);
    if (typeof value === 'number' && Number.isNaN(value)) return 'NaN';
    if (style === 'percent') value = typeof value === 'bigint' ? value * 100n : Number(`${plainDigits(value)}e2`);
    const infinite = value === Infinity || value === -Infinity;
    const whole = style === 'currency' && /^(JPY|KRW|VND)$/.test(options.currency ?? '') ? 0 : 2;
    const usual = style === 'currency' ? [whole, whole] : style === 'percent' ? [0, 0] : [0, 3];
    let least = digitsOf(options, 'minimumFractionDigits', 0, 100, undefined);
    let most = digitsOf(options, 'maximumFractionDigits', 0, 100, undefined);
    if (least !== undefined && most !== undefined && least > most)
      throw new RangeError('maximumFractionDigits value is out of range.');
    least ??= Math.min(usual[0], most ?? usual[0]);
    most ??= Math.max(usual[1], least);
    const precise = options.minimumSignificantDigits !== undefined || options.maximumSignificantDigits !== undefined;
    const digits = infinite ? `${value < 0 ? '-' : ''}0`
      : precise ? significant(value, digitsOf(options, 'minimumSignificantDigits', 1, 21, 1),
        digitsOf(options, 'maximumSignificantDigits', 1, 21, 21))
        : decimal(value, least, most);
    const { sign, text } = grouped(digits, marks, options);
    const shown = infinite ? '∞' : text;
    if (style === 'percent') return `${sign}${shown}${marks === COMMA || locale === 'pt-BR' ? '%' : '\u00a0%'}`;
    return style === 'currency' ? withCurrency(sign, shown, locale, options) : sign + shown;
  }

  function withCurrency(sign, text, locale, options) {
    if (options.currency === undefined) throw new TypeError('Currency code is required with currency style.');
    const code = `${options.currency}`.toUpperCase();
    if (!/^[A-Z]{3}$/.test(code)) throw new RangeError(`Invalid currency code : ${options.currency}`);
    const display = options.currencyDisplay ?? 'symbol';
    if (!['symbol', 'code'].includes(display)) throw unsupported(`the option currencyDisplay: '${display}'`);
    const symbol = display === 'code' ? code : SYMBOLS[code];
    if (/^en(-US)?$/.test(locale)) {
      if (symbol === undefined || display === 'code') return `${sign}${code}\u00a0${text}`;
      return `${sign}${symbol}${text}`;
    }
    if (/^(de|de-DE)$/.test(locale) && /^(EUR|USD|GBP)$/.test(code))
      return `${sign}${text}\u00a0${symbol}`;
    throw unsupported(`the currency ${code} in the locale ${locale}`);
  }

  /* ---- dates ---- */

  const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September',
    'October', 'November', 'December'];
  const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
  const two = (n) => `${n}`.padStart(2, '0');

  const STYLES = {
    full: { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' },
    long: { year: 'numeric', month: 'long', day: 'numeric' },
    medium: { year: 'numeric', month: 'short', day: 'numeric' },
    short: { year: '2-digit', month: 'numeric', day: 'numeric' },
  };
  const TIMES = { medium: { hour: 'numeric', minute: '2-digit', second: '2-digit' },
    short: { hour: 'numeric', minute: '2-digit' } };

  function partsOf(options, needs, usual) {
    const parts = {};
    const zone = options.timeZone;
    if (zone !== undefined && !/^(UTC|GMT|Etc\/UTC|Etc\/GMT)$/i.test(`${zone}`)) throw unsupported(`the time zone ${zone}`);
    refuseOptions(options, ['era', 'dayPeriod', 'fractionalSecondDigits', 'calendar', 'numberingSystem']);
    if (options.timeZoneName !== undefined && options.timeZoneName !== 'short') throw unsupported(`the option timeZoneName: '${options.timeZoneName}'`);
    if (options.dateStyle !== undefined || options.timeStyle !== undefined) {
      if (options.dateStyle !== undefined && STYLES[options.dateStyle] === undefined) throw unsupported(`dateStyle: '${options.dateStyle}'`);
      if (options.timeStyle !== undefined && TIMES[options.timeStyle] === undefined) throw unsupported(`timeStyle: '${options.timeStyle}'`);
      Object.assign(parts, STYLES[options.dateStyle], TIMES[options.timeStyle]);
    }
    for (const name of ['weekday', 'year', 'month', 'day', 'hour', 'minute', 'second'])
      if (options[name] !== undefined) parts[name] = options[name];
    if (!needs.some((name) => parts[name] !== undefined)) Object.assign(parts, usual);
    parts.hour12 = options.hour12 ?? (options.hourCycle === undefined ? undefined : /^h1[12]$/.test(options.hourCycle));
    parts.hour24 = options.hour12 === false; /* V8 counts 1 to 24 then */
    parts.zone = options.timeZoneName !== undefined;
    return parts;
  }

  function timeText(date, parts, hour12) {
    if (parts.hour === undefined && parts.minute === undefined && parts.second === undefined)
      return parts.zone ? 'UTC' : '';
    const hours = date.getUTCHours(), list = [];
    if (parts.hour !== undefined) {
      const shown = hour12 ? (hours + 11) % 12 + 1 : hours === 0 && parts.hour24 ? 24 : hours;
      list.push(parts.hour === '2-digit' || !hour12 ? two(shown) : `${shown}`);
    }
    const alone = (name) => parts.hour === undefined && parts[name === 'minute' ? 'second' : 'minute'] === undefined;
    if (parts.minute !== undefined) list.push(alone('minute') ? `${date.getUTCMinutes()}` : two(date.getUTCMinutes()));
    if (parts.second !== undefined) list.push(alone('second') ? `${date.getUTCSeconds()}` : two(date.getUTCSeconds()));
    const half = parts.hour !== undefined && hour12 ? ` ${hours < 12 ? 'AM' : 'PM'}` : '';
    return `${list.join(':')}${half}${parts.zone ? ' UTC' : ''}`;
  }

  function dateText(date, parts) {
    const { weekday, year, month, day } = parts;
    const yearText = year === undefined ? '' : year === '2-digit' ? two(date.getUTCFullYear() % 100) : `${date.getUTCFullYear()}`;
    const dayText = day === undefined ? '' : day === '2-digit' ? two(date.getUTCDate()) : `${date.getUTCDate()}`;
    const cut = (name, form) => (form === 'short' ? name.slice(0, 3) : form === 'narrow' ? name[0] : name);
    const weekdayText = weekday === undefined ? '' : cut(DAYS[date.getUTCDay()], weekday);
    if (month === 'numeric' || month === '2-digit' || month === undefined) {
      const number = date.getUTCMonth() + 1;
      const monthText = month === undefined ? '' : month === '2-digit' ? two(number) : `${number}`;
      const numeric = [monthText, dayText, yearText].filter(Boolean).join('/');
      if (month === undefined && weekday !== undefined && day !== undefined && year === undefined) return `${dayText} ${weekdayText}`;
      return [weekdayText, numeric].filter(Boolean).join(', ');
    }
    const name = cut(MONTHS[date.getUTCMonth()], month);
    const monthDay = [name, dayText].filter(Boolean).join(' ');
    const joined = yearText === '' ? monthDay : dayText === '' ? `${name} ${yearText}` : `${monthDay}, ${yearText}`;
    return [weekdayText, joined].filter(Boolean).join(', ');
  }

  /* Locales other than en-US: only the usual forms, which are numeric. */
  const NUMERIC = {
    'en-GB': (d) => `${two(d.getUTCDate())}/${two(d.getUTCMonth() + 1)}/${d.getUTCFullYear()}`,
    'fr-FR': (d) => `${two(d.getUTCDate())}/${two(d.getUTCMonth() + 1)}/${d.getUTCFullYear()}`,
    'de-DE': (d) => `${d.getUTCDate()}.${d.getUTCMonth() + 1}.${d.getUTCFullYear()}`,
    'sv-SE': (d) => `${d.getUTCFullYear()}-${two(d.getUTCMonth() + 1)}-${two(d.getUTCDate())}`,
    'en-CA': (d) => `${d.getUTCFullYear()}-${two(d.getUTCMonth() + 1)}-${two(d.getUTCDate())}`,
  };
  const clock = (d) => `${two(d.getUTCHours())}:${two(d.getUTCMinutes())}:${two(d.getUTCSeconds())}`;
  const BETWEEN = { 'en-GB': ', ', 'fr-FR': ' ', 'de-DE': ', ', 'sv-SE': ' ' };

  function formatDate(date, locales, options = {}, needs, usual) {
    if (Number.isNaN(date.getTime())) return 'Invalid Date';
    const locale = localeOf(locales);
    const parts = partsOf(options ?? {}, needs, usual);
    if (locale === 'en-US' || locale === 'en') {
      const hour12 = parts.hour12 ?? true;
      const text = [dateText(date, parts), timeText(date, parts, hour12)].filter(Boolean);
      const onlyWeekday = parts.weekday !== undefined && !parts.year && !parts.month && !parts.day;
      return text.join(parts.month === 'long' ? ' at ' : onlyWeekday ? ' ' : ', ');
    }
    const simple = Object.keys(options ?? {}).every((name) => name === 'timeZone');
    if (!simple || NUMERIC[locale] === undefined || (usual.hour !== undefined && locale === 'en-CA'))
      throw unsupported(simple ? `dates in the locale ${locale}` : `dates in the locale ${locale} with options`);
    const text = [];
    if (usual.year !== undefined) text.push(NUMERIC[locale](date));
    if (usual.hour !== undefined) text.push(clock(date));
    return text.join(BETWEEN[locale]);
  }

  const DATE = { year: 'numeric', month: 'numeric', day: 'numeric' };
  const TIME = { hour: 'numeric', minute: '2-digit', second: '2-digit' };
  const DATE_PARTS = ['weekday', 'year', 'month', 'day'], TIME_PARTS = ['hour', 'minute', 'second'];

  /* ---- what they replace ---- */

  const numberOf = Number.prototype.valueOf, bigOf = BigInt.prototype.valueOf, timeOf = Date.prototype.getTime;
  const textOf = (value) => {
    if (value === null || value === undefined)
      throw new TypeError('String.prototype.localeCompare called on null or undefined');
    return `${value}`;
  };
  const SENSITIVITY = { base: 1, accent: 2, case: 3, variant: 4 };

  const replacements = [
    [Number.prototype, {
      toLocaleString(locales, options) { return formatNumber(Reflect.apply(numberOf, this, []), locales, options); },
    }],
    [BigInt.prototype, {
      toLocaleString(locales, options) { return formatNumber(Reflect.apply(bigOf, this, []), locales, options); },
    }],
    [Date.prototype, {
      toLocaleString(locales, options) {
        return formatDate(new Date(Reflect.apply(timeOf, this, [])), locales, options,
          [...DATE_PARTS, ...TIME_PARTS], { ...DATE, ...TIME });
      },
      toLocaleDateString(locales, options) {
        return formatDate(new Date(Reflect.apply(timeOf, this, [])), locales, options, DATE_PARTS, DATE);
      },
      toLocaleTimeString(locales, options) {
        return formatDate(new Date(Reflect.apply(timeOf, this, [])), locales, options, TIME_PARTS, TIME);
      },
    }],
    [String.prototype, {
      localeCompare(that, locales, options) {
        const text = textOf(this);
        if (locales !== undefined) localeOf(locales);
        if (options === undefined) return native.collate(text, `${that}`, 4, false);
        const sensitivity = SENSITIVITY[options.sensitivity ?? 'variant'];
        if (sensitivity === undefined) throw new RangeError(`Value ${options.sensitivity} out of range for Intl.Collator options property sensitivity`);
        if (options.caseFirst !== undefined && options.caseFirst !== 'false') throw unsupported(`the option caseFirst: '${options.caseFirst}'`);
        if (options.ignorePunctuation) throw unsupported('the option ignorePunctuation');
        return native.collate(text, `${that}`, sensitivity, !!options.numeric);
      },
    }],
  ];
  for (const [prototype, methods] of replacements)
    for (const name of Object.keys(methods))
      Object.defineProperty(prototype, name, { value: methods[name], writable: true, configurable: true });
})
