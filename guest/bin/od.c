// SPDX-License-Identifier: MIT
// od.c -- show bytes as numbers or characters.
#include "options.h"

#include <stdio.h>

typedef struct {
  char kind; /* a c d f o u x */
  int size;  /* bytes of one item */
  int width; /* columns of one item, without the blank before it */
  bool text; /* show printable characters behind the line */
} format;

typedef struct {
  bin b;
  format *formats;
  size_t count;
  char radix;
  uint64_t skip, limit, offset;
  size_t width;
  bool all; /* no * for repeated lines */
  bool big;

} od;

static int integer_width(char kind, int size) {
  static const int octal[] = {0, 3, 6, 0, 11, 0, 0, 0, 22},
                   decimal[] = {0, 4, 6, 0, 11, 0, 0, 0, 20};
  static const int plain[] = {0, 3, 5, 0, 10, 0, 0, 0, 20}, hex[] = {0, 2, 4, 0, 8, 0, 0, 0, 16};
  return kind == 'o'   ? octal[size]
         : kind == 'd' ? decimal[size]
         : kind == 'u' ? plain[size]
                       : hex[size];
}

static void add_format(od *d, char kind, int size, bool text) {
  format f = {.kind = kind, .size = size, .text = text};
  if (kind == 'a' || kind == 'c')
    f.size = 1, f.width = 3;
  else if (kind == 'f')
    f.width = size == 4 ? 15 : size == 8 ? 24 : 26;
  else
    f.width = integer_width(kind, size);
  d->formats = memory_resize(d->formats, (d->count + 1) * sizeof *d->formats);
  d->formats[d->count++] = f;
}

/* -t: a sequence like x1z or fD. */
static void parse_types(od *d, const char *spec) {
  for (const char *at = spec; *at != 0;) {
    char kind = *at++;
    if (strchr("acdfoux", kind) == NULL) {
      bin_die(&d->b, 1, "invalid character '%c' in type string %s", kind, quote_curly(spec));
    }
    int size = kind == 'f' ? 8 : kind == 'a' || kind == 'c' ? 1 : 4;
    if (kind == 'f') {
      if (*at == 'F')
        size = 4, at++;
      else if (*at == 'D')
        size = 8, at++;
      else if (*at == 'L')
        size = 16, at++;
    } else if (kind != 'a' && kind != 'c') {
      static const char letters[] = "CSIL";
      static const int sizes[] = {1, 2, 4, 8};
      const char *letter = *at != 0 ? strchr(letters, *at) : NULL;
      if (letter != NULL) size = sizes[letter - letters], at++;
    }
    if (*at >= '0' && *at <= '9') size = (int)strtol(at, (char **)(uintptr_t)&at, 10);
    bool known = kind == 'f' ? size == 4 || size == 8 || size == 16
                             : size == 1 || size == 2 || size == 4 || size == 8;
    if (!known)
      bin_die(&d->b, 1,
              "invalid type string %s;\nthis system doesn't provide a %d-byte integral type",
              quote_curly(spec), size);
    bool text = *at == 'z';
    if (text) at++;
    add_format(d, kind, size, text);
  }
}

static uint64_t integer_at(const od *d, const unsigned char *at, int size) {
  uint64_t value = 0;
  for (int i = 0; i < size; i++) value |= (uint64_t)at[d->big ? size - 1 - i : i] << (8 * i);
  return value;
}

static void put_float(text *out, const unsigned char *at, int size, int width) {
  char digits[64];
  if (size == 4) {
    float value;
    memcpy(&value, at, sizeof value);
    for (int precision = 6; precision <= 9; precision++) { /* the shortest that reads back */
      snprintf(digits, sizeof digits, "%.*g", precision, (double)value);
      if (strtof(digits, NULL) == value || value != value) break;
    }
  } else {
    double value = 0;
    memcpy(&value, at, sizeof value);
    for (int precision = 15; precision <= 17; precision++) {
      snprintf(digits, sizeof digits, "%.*g", precision, value);
      if (strtod(digits, NULL) == value || value != value) break;
    }
  }
  text_format(out, "%*s", width, digits);
}

static void put_character(text *out, unsigned char c, int width, bool named) {
  static const char *const names[] = {"nul", "soh", "stx", "etx", "eot", "enq", "ack", "bel", "bs",
                                      "ht",  "nl",  "vt",  "ff",  "cr",  "so",  "si",  "dle", "dc1",
                                      "dc2", "dc3", "dc4", "nak", "syn", "etb", "can", "em",  "sub",
                                      "esc", "fs",  "gs",  "rs",  "us",  "sp"};
  char shown[8];
  if (named) {
    c &= 0x7F;
    snprintf(shown, sizeof shown,
             c <= 32    ? "%s"
             : c == 127 ? "del"
                        : "%.0s%c",
             c <= 32 ? names[c] : "", c);
  } else {
    static const char from[] = "\a\b\f\n\r\t\v", to[] = "abfnrtv";
    const char *known = c != 0 ? strchr(from, c) : NULL;
    if (c == 0)
      strcpy(shown, "\\0");
    else if (known != NULL)
      snprintf(shown, sizeof shown, "\\%c", to[known - from]);
    else if (c < 32 || c >= 127)
      snprintf(shown, sizeof shown, "%03o", c);
    else
      snprintf(shown, sizeof shown, "%c", c);
  }
  text_format(out, "%*s", width, shown);
}

static void put_item(od *d, text *out, const format *f, const unsigned char *at, int width) {
  if (f->kind == 'a' || f->kind == 'c') {
    put_character(out, *at, width, f->kind == 'a');
    return;
  }
  if (f->kind == 'f') {
    put_float(out, at, f->size, width);
    return;
  }
  uint64_t value = integer_at(d, at, f->size);
  int shift = 64 - 8 * f->size;
  if (f->kind == 'd')
    text_format(out, "%*lld", width, (long long)((int64_t)(value << shift) >> shift));
  else if (f->kind == 'u')
    text_format(out, "%*llu", width, (unsigned long long)value);
  else {
    text_pad(out, ' ', (size_t)(width - f->width));
    text_format(out, f->kind == 'o' ? "%0*llo" : "%0*llx", f->width, (unsigned long long)value);
  }
}

static void put_offset(const od *d, text *out, uint64_t offset) {
  if (d->radix == 'n') return;
  text_format(out,
              d->radix == 'd'   ? "%07llu"
              : d->radix == 'x' ? "%06llx"
                                : "%07llo",
              (unsigned long long)offset);
}

/* A block as wide as its widest format needs, so that items of all formats line up. */
static void put_block(od *d, const unsigned char *block, size_t size) {
  text out = {0};
  int per_byte = 0; /* columns for one byte, times 16 to stay whole */
  for (size_t i = 0; i < d->count; i++) {
    int needed = (d->formats[i].width + 1) * 16 / d->formats[i].size;
    if (needed > per_byte) per_byte = needed;
  }
  for (size_t i = 0; i < d->count; i++) {
    const format *f = &d->formats[i];
    if (i == 0)
      put_offset(d, &out, d->offset);
    else
      text_pad(&out, ' ', d->radix == 'n' ? 0 : d->radix == 'x' ? 6 : 7);
    size_t items = d->width / (size_t)f->size, at = 0;
    size_t total = (size_t)per_byte * d->width / 16, begin = out.len;
    for (size_t k = 0; k < items && at < size; k++, at += (size_t)f->size) {
      size_t column = total * (k + 1) / items, here = out.len - begin;
      put_item(d, &out, f, block + at, (int)(column - here));
    }
    if (f->text) {
      text_pad(&out, ' ', begin + total - out.len + 2);
      text_char(&out, '>');
      for (size_t k = 0; k < size; k++)
        text_char(&out, block[k] >= 32 && block[k] < 127 ? (char)block[k] : '.');
      text_char(&out, '<');
    }
    text_char(&out, '\n');
  }
  output_write(&d->b.out, out.at, out.len);
  text_free(&out);
}

/* The bytes of all files, one after another. */
typedef struct {
  od *d;
  char **files;
  int count, next;
  input in;
  bool open;
} source;

static bool refill(source *s) {
  for (;;) {
    if (s->open && (s->in.start < s->in.end || input_fill(&s->in) > 0)) return true;
    if (s->open) {
      bin_check_read(&s->d->b, &s->in, s->files[s->next - 1]);
      input_close(&s->in);
    }
    s->open = false;
    if (s->next == s->count) return false;
    s->open = bin_open(&s->d->b, &s->in, s->files[s->next++]);
  }
}

static size_t read_block(source *s, unsigned char *to, size_t size) {
  size_t got = 0;
  while (got < size && refill(s)) {
    size_t have = s->in.end - s->in.start;
    if (have > size - got) have = size - got;
    memcpy(to + got, s->in.buffer + s->in.start, have);
    s->in.start += have;
    got += have;
  }
  return got;
}

static void dump(od *d, source *s) {
  unsigned char *block = memory_take(d->width + 16), *before = memory_take(d->width + 16);
  bool have_before = false, starred = false;
  for (uint64_t left = d->limit; left > 0;) {
    size_t wanted = left < d->width ? (size_t)left : d->width;
    memset(block, 0, d->width + 16);
    size_t got = read_block(s, block, wanted);
    if (got == 0) break;
    left -= got;
    if (!d->all && have_before && got == d->width && memcmp(block, before, got) == 0) {
      if (!starred) output_string(&d->b.out, "*\n");
      starred = true;
    } else {
      starred = false;
      put_block(d, block, got);
    }
    d->offset += got;
    unsigned char *swap = block;
    block = before;
    before = swap;
    have_before = true;
    if (d->b.out.error != 0) return;
  }
  text end = {0};
  put_offset(d, &end, d->offset);
  if (d->radix != 'n') text_char(&end, '\n');
  output_write(&d->b.out, text_end(&end), end.len);
}

static uint64_t number(options *o, const char *what) {
  char *end;
  uint64_t value = strtoull(o->value, &end, 0), factor = 1;
  if (*end == 'b')
    factor = 512;
  else if (*end == 'k' || *end == 'K')
    factor = 1024;
  else if (*end == 'm' || *end == 'M')
    factor = 1048576;
  if (end == o->value || (factor == 1 && *end != 0))
    bin_die(o->bin, 1, "invalid %s argument %s", what, quote_curly(o->value));
  return value * factor;
}

static int od_main(int argc, char **argv, char **environment) {
  od d = {.radix = 'o', .width = 16, .limit = UINT64_MAX};
  options o;
  options_start(&o, &d.b, command_find("od"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case 'A':
        if (strchr("doxn", *o.value) == NULL || o.value[1] != 0)
          bin_die(&d.b, 1,
                  "invalid output address radix '%c'; it must be one character from [doxn]",
                  *o.value);
        d.radix = *o.value;
        break;
      case 'j':
        d.skip = number(&o, "-j");
        break;
      case 'N':
        d.limit = number(&o, "-N");
        break;
      case 't':
        parse_types(&d, o.value);
        break;
      case 'v':
        d.all = true;
        break;
      case 'w':
        d.width = o.value != NULL ? (size_t)number(&o, "-w") : 32;
        break;
      case 'a':
        add_format(&d, 'a', 1, false);
        break;
      case 'b':
        add_format(&d, 'o', 1, false);
        break;
      case 'c':
        add_format(&d, 'c', 1, false);
        break;
      case 'd':
        add_format(&d, 'u', 2, false);
        break;
      case 'f':
        add_format(&d, 'f', 4, false);
        break;
      case 'i':
        add_format(&d, 'd', 4, false);
        break;
      case 'l':
        add_format(&d, 'd', 8, false);
        break;
      case 'o':
        add_format(&d, 'o', 2, false);
        break;
      case 's':
        add_format(&d, 'd', 2, false);
        break;
      case 'x':
        add_format(&d, 'x', 2, false);
        break;
      case OPTION_LONG:
        d.big = *o.value == 'b';
        break;
      default:
        break;
    }
  }
  if (d.count == 0) add_format(&d, 'o', 2, false);
  size_t step = 1;
  for (size_t i = 0; i < d.count; i++)
    step = (size_t)d.formats[i].size > step ? (size_t)d.formats[i].size : step;
  if (d.width == 0 || d.width % step != 0) d.width = step;
  if (d.width > 1u << 16) bin_die(&d.b, 1, "the line width is too large");
  char *standard[] = {"-", NULL};
  source s = {.d = &d,
              .files = o.operand_count > 0 ? o.operands : standard,
              .count = o.operand_count > 0 ? o.operand_count : 1};
  unsigned char skipped[512];
  for (uint64_t left = d.skip; left > 0;) {
    size_t got = read_block(&s, skipped, left < sizeof skipped ? (size_t)left : sizeof skipped);
    if (got == 0) bin_die(&d.b, 1, "cannot skip past end of combined input");
    left -= got;
  }
  d.offset = d.skip;
  dump(&d, &s);
  return bin_end(&d.b);
}

const command command_od = {
    .name = "od",
    .main = od_main,
    .usage = "od [OPTION]... [FILE]...",
    .options =
        "-A, --address-radix=RADIX\toffsets in d, o, x or n for none\n"
        "-j, --skip-bytes=BYTES\tskip BYTES first\n"
        "-N, --read-bytes=BYTES\tshow no more than BYTES\n"
        "-t, --format=TYPE\ta, c, d, f, o, u or x, with a size and z\n"
        "-v, --output-duplicates\tno * for repeated lines\n"
        "-w[BYTES], --width[=BYTES]\tBYTES a line; 32 when left out\n"
        "--endian=ORDER\tbig or little\n"
        "-a\tas -t a\n-b\tas -t o1\n-c\tas -t c\n-d\tas -t u2\n-f\tas -t fF\n"
        "-i\tas -t dI\n-l\tas -t dL\n-o\tas -t o2\n-s\tas -t d2\n-x\tas -t x2"};
