// SPDX-License-Identifier: MIT
/* hexdump.c -- show bytes by a format. Every style is a list of formats in the language of -e:
 *
 *   formats   each goes over the same block, one after the other
 *   unit      a repeat count, a byte count and a text with conversions
 *   piece     one conversion with the text before it, or the text behind the last one
 *
 * A block has as many bytes as the longest format takes. */
#include <stdio.h>

#include "options.h"

#define MAX_BLOCK 65536u

typedef enum {
  PIECE_TEXT,
  PIECE_INTEGER,
  PIECE_FLOAT,
  PIECE_CHAR,    /* %c */
  PIECE_STRING,  /* %s */
  PIECE_ADDRESS, /* %_a */
  PIECE_END,     /* %_A: once, behind the last block */
  PIECE_ESCAPE,  /* %_c */
  PIECE_PRINT,   /* %_p */
  PIECE_NAME,    /* %_u */
} piece_kind;

typedef struct {
  piece_kind kind;
  char *before; /* text before the conversion, or all of PIECE_TEXT */
  char *spec;   /* "%", flags, width and precision */
  char letter;  /* the conversion for printf */
  size_t bytes;
} piece;

typedef struct {
  piece *pieces;
  size_t count, bytes, repeats;
  bool repeats_given, ends; /* ends: with %_A */
} unit;

typedef struct {
  unit *units;
  size_t count, bytes;
} format;

typedef struct {
  bin b;
  format *formats;
  size_t count, block;
  uint64_t skip, limit;
  bool all;
} hexdump;

/* ---- formats ---- */

static char *unescape(const char *at, size_t size) {
  static const char letters[] = "abfnrtv\\\"'", meanings[] = "\a\b\f\n\r\t\v\\\"'";
  text to = {0};
  for (size_t i = 0; i < size; i++) {
    const char *found = at[i] == '\\' && i + 1 < size ? strchr(letters, at[i + 1]) : NULL;
    if (found != NULL) i++;
    text_char(&to, found != NULL ? meanings[found - letters] : at[i]);
  }
  return text_end(&to);
}

static _Noreturn void bad_conversion(hexdump *h, const char *at) {
  bin_die(&h->b, 1, "bad conversion character %%%s", at);
}

static size_t size_or_die(hexdump *h, size_t given, size_t usual, const char *allowed,
                          char letter) {
  size_t size = given == 0 ? usual : given;
  char digit = (char)('0' + size);
  if (size > 9 || strchr(allowed, digit) == NULL)
    bin_die(&h->b, 1, "bad byte count for conversion character %c", letter);
  return size;
}

/* The conversion behind flags, width and precision; returns what is behind it. */
static const char *read_conversion(hexdump *h, piece *p, const char *at, size_t given) {
  char letter = *at++;
  p->letter = letter;
  if (letter != 0 && strchr("diouxX", letter) != NULL) {
    p->kind = PIECE_INTEGER;
    p->bytes = size_or_die(h, given, 4, "1248", letter);
  } else if (letter != 0 && strchr("eEfgG", letter) != NULL) {
    p->kind = PIECE_FLOAT;
    p->bytes = size_or_die(h, given, 8, "48", letter);
  } else if (letter == 'c') {
    p->kind = PIECE_CHAR;
    p->bytes = size_or_die(h, given, 1, "1", letter);
  } else if (letter == 's') {
    const char *point = strchr(p->spec, '.');
    p->kind = PIECE_STRING;
    p->bytes = given != 0 ? given : point != NULL ? strtoul(point + 1, NULL, 10) : 0;
    if (p->bytes == 0 || p->bytes > MAX_BLOCK)
      bin_die(&h->b, 1, "%%s requires a precision or a byte count");
  } else if (letter == '_' && (*at == 'a' || *at == 'A')) {
    p->kind = *at++ == 'a' ? PIECE_ADDRESS : PIECE_END;
    if (*at == 0 || strchr("dox", *at) == NULL) bad_conversion(h, "_a");
    p->letter = *at == 'd' ? 'u' : *at;
    at++;
  } else if (letter == '_' && *at != 0 && strchr("cpu", *at) != NULL) {
    p->kind = *at == 'c' ? PIECE_ESCAPE : *at == 'p' ? PIECE_PRINT : PIECE_NAME;
    p->letter = 's';
    p->bytes = size_or_die(h, given, 1, "1", *at++);
  } else {
    bad_conversion(h, at - 1);
  }
  return at;
}

static void read_pieces(hexdump *h, unit *u, const char *at, size_t given) {
  size_t conversions = 0;
  while (*at != 0) {
    piece p = {.kind = PIECE_TEXT};
    size_t size = strcspn(at, "%");
    p.before = memory_copy(at, size);
    at += size;
    if (*at == '%') {
      size_t spec = 1 + strspn(at + 1, " -0+#");
      spec += strspn(at + spec, "0123456789.");
      p.spec = memory_copy(at, spec);
      at = read_conversion(h, &p, at + spec, given);
      conversions += p.kind != PIECE_ADDRESS && p.kind != PIECE_END;
      u->ends |= p.kind == PIECE_END;
    }
    u->pieces = memory_resize(u->pieces, (u->count + 1) * sizeof p);
    u->pieces[u->count++] = p;
    u->bytes += p.bytes;
  }
  if (given != 0 && conversions > 1)
    bin_die(&h->b, 1, "byte count with multiple conversion characters");
}

static const char *read_count(hexdump *h, const char *at, size_t *count) {
  char *end;
  unsigned long long value = strtoull(at, &end, 10);
  if (value == 0 || value > MAX_BLOCK) bin_die(&h->b, 1, "bad format {%s}", at);
  *count = (size_t)value;
  return end;
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* [count][/bytes] "text" ... */
static void add_format(hexdump *h, const char *given) {
  format f = {0};
  const char *at = given;
  for (;;) {
    at += strspn(at, " \t\n");
    if (*at == 0) break;
    unit u = {.repeats = 1};
    size_t bytes = 0;
    if (is_digit(*at)) {
      at = read_count(h, at, &u.repeats);
      u.repeats_given = true;
      at += strspn(at, " \t\n");
    }
    if (*at == '/') {
      at++;
      at += strspn(at, " \t\n");
      at = read_count(h, at, &bytes);
      at += strspn(at, " \t\n");
    }
    const char *end = *at == '"' ? at + 1 : NULL;
    while (end != NULL && *end != 0 && *end != '"') end += *end == '\\' && end[1] != 0 ? 2 : 1;
    if (end == NULL || *end == 0) bin_die(&h->b, 1, "bad format {%s}", given);
    read_pieces(h, &u, unescape(at + 1, (size_t)(end - at - 1)), bytes);
    at = end + 1;
    f.units = memory_resize(f.units, (f.count + 1) * sizeof u);
    f.units[f.count++] = u;
    f.bytes += u.bytes * u.repeats;
    if (f.bytes > MAX_BLOCK) bin_die(&h->b, 1, "the format takes more than %u bytes", MAX_BLOCK);
  }
  h->formats = memory_resize(h->formats, (h->count + 1) * sizeof f);
  h->formats[h->count++] = f;
  if (f.bytes > h->block) h->block = f.bytes;
}

/* The last unit of a format that is shorter than the block is repeated, where no count is given. */
static void fill_blocks(hexdump *h) {
  for (size_t i = 0; i < h->count; i++) {
    format *f = &h->formats[i];
    unit *last = f->count > 0 ? &f->units[f->count - 1] : NULL;
    if (last != NULL && !last->repeats_given && last->bytes > 0)
      last->repeats += (h->block - f->bytes) / last->bytes;
  }
}

/* ---- output ---- */

static void put_spec(hexdump *h, const piece *p, const char *string) {
  text spec = {0};
  text_format(&spec, "%ss", p->spec);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
  output_format(&h->b.out, text_end(&spec), string);
#pragma GCC diagnostic pop
  text_free(&spec);
}

static void put_integer(hexdump *h, const piece *p, uint64_t value) {
  text spec = {0};
  text_format(&spec, "%sll%c", p->spec, p->letter);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  output_format(&h->b.out, text_end(&spec), (unsigned long long)value);
#pragma GCC diagnostic pop
  text_free(&spec);
}

static void put_float(hexdump *h, const piece *p, const char *at) {
  text spec = {0};
  float small;
  double value;
  if (p->bytes == 4) {
    memcpy(&small, at, 4);
    value = (double)small;
  } else {
    memcpy(&value, at, 8);
  }
  text_format(&spec, "%s%c", p->spec, p->letter);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  output_format(&h->b.out, text_end(&spec), value);
#pragma GCC diagnostic pop
  text_free(&spec);
}

static uint64_t read_integer(const piece *p, const char *at) {
  uint64_t value = 0;
  for (size_t i = p->bytes; i > 0; i--) value = value << 8 | (unsigned char)at[i - 1];
  bool is_signed = p->letter == 'd' || p->letter == 'i';
  unsigned unused = 64 - 8 * (unsigned)p->bytes;
  return is_signed ? (uint64_t)((int64_t)(value << unused) >> unused) : value;
}

static void put_byte(hexdump *h, const piece *p, unsigned char c) {
  static const char letters[] = "0ab\0\0\0\0abtnvfr"; /* index: the code, from 0 */
  static const char *const names[] = {"nul", "soh", "stx", "etx", "eot", "enq", "ack", "bel",
                                      "bs",  "ht",  "lf",  "vt",  "ff",  "cr",  "so",  "si",
                                      "dle", "dc1", "dc2", "dc3", "dc4", "nak", "syn", "etb",
                                      "can", "em",  "sub", "esc", "fs",  "gs",  "rs",  "us"};
  char shown[8];
  bool printable = c >= 32 && c < 127;
  if (p->kind == PIECE_PRINT)
    snprintf(shown, sizeof shown, "%c", printable ? c : '.');
  else if (printable)
    snprintf(shown, sizeof shown, "%c", c);
  else if (p->kind == PIECE_ESCAPE && (c == 0 || (c >= 7 && c <= 13)))
    snprintf(shown, sizeof shown, "\\%c", letters[c]);
  else if (p->kind == PIECE_ESCAPE)
    snprintf(shown, sizeof shown, "%03o", c);
  else if (c < 32 || c == 127)
    snprintf(shown, sizeof shown, "%s", c == 127 ? "del" : names[c]);
  else
    snprintf(shown, sizeof shown, "%02x", c);
  put_spec(h, p, shown);
}

/* Blanks in place of a conversion that lies behind the last byte. */
static void put_nothing(hexdump *h, const piece *p) {
  piece blank = *p;
  text spec = {0};
  text_char(&spec, '%');
  text_string(&spec, p->spec + 1 + strspn(p->spec + 1, " -0+#"));
  blank.spec = text_end(&spec);
  put_spec(h, &blank, "");
  text_free(&spec);
}

static void put_piece(hexdump *h, const piece *p, const char *at, uint64_t address, bool over) {
  output_string(&h->b.out, p->before);
  if (over && p->kind != PIECE_TEXT) {
    put_nothing(h, p);
    return;
  }
  switch (p->kind) {
    case PIECE_TEXT:
      return;
    case PIECE_ADDRESS:
    case PIECE_END:
      put_integer(h, p, address);
      return;
    case PIECE_INTEGER:
      put_integer(h, p, read_integer(p, at));
      return;
    case PIECE_FLOAT:
      put_float(h, p, at);
      return;
    case PIECE_CHAR:
      put_spec(h, p, (char[]){*at, 0});
      return;
    case PIECE_STRING: {
      char *copy = memory_copy(at, p->bytes);
      put_spec(h, p, copy);
      free(copy);
      return;
    }
    default:
      put_byte(h, p, (unsigned char)*at);
      return;
  }
}

/* The blank at the end of a unit is left out the last time, when it is repeated. */
static void put_last_piece(hexdump *h, const piece *p) {
  size_t size = strlen(p->before);
  bool cut = size > 0 && strchr(" \t\n\v\f\r", p->before[size - 1]) != NULL;
  output_write(&h->b.out, p->before, size - cut);
}

/* `end` is the address behind the last byte, 0 while that is not known. */
static void put_block(hexdump *h, const char *block, uint64_t address, uint64_t end) {
  for (size_t i = 0; i < h->count; i++) {
    const char *at = block;
    uint64_t here = address;
    for (size_t j = 0; j < h->formats[i].count; j++) {
      const unit *u = &h->formats[i].units[j];
      if (u->ends) break;
      for (size_t left = u->repeats; left > 0; left--) {
        for (size_t k = 0; k < u->count; k++) {
          const piece *p = &u->pieces[k];
          bool last = left == 1 && u->repeats > 1 && k + 1 == u->count;
          if (last && p->kind == PIECE_TEXT)
            put_last_piece(h, p);
          else
            put_piece(h, p, at, here, end != 0 && here >= end);
          at += p->bytes;
          here += p->bytes;
        }
      }
    }
  }
}

static void put_end(hexdump *h, uint64_t address) {
  for (size_t i = 0; i < h->count; i++) {
    for (size_t j = 0; j < h->formats[i].count; j++) {
      const unit *u = &h->formats[i].units[j];
      for (size_t k = 0; u->ends && k < u->count; k++)
        put_piece(h, &u->pieces[k], NULL, address, false);
    }
  }
}

/* ---- input ---- */

typedef struct {
  hexdump *h;
  char **files;
  input in;
  bool open, any; /* any: a file could be opened */
} source;

/* The next bytes of all files as one; less than asked for only at the end. */
static size_t read_some(source *s, char *to, size_t wanted) {
  size_t got = 0;
  while (got < wanted) {
    if (!s->open) {
      if (*s->files == NULL) break;
      const char *path = *s->files++;
      int error = input_open(&s->in, path);
      file_stat stat;
      if (error == 0 && sys_fstat(s->in.fd, &stat) == 0 && stat.kind == FILE_DIRECTORY)
        error = -EISDIR;
      if (error < 0) {
        bin_file_error(&s->h->b, path, error);
        continue;
      }
      s->open = s->any = true;
    }
    char *at;
    size_t size = input_peek(&s->in, 1, &at);
    if (size == 0) {
      input_close(&s->in);
      s->open = false;
      continue;
    }
    if (size > wanted - got) size = wanted - got;
    memcpy(to + got, at, size);
    input_take(&s->in, size);
    got += size;
  }
  return got;
}

static uint64_t skip_bytes(source *s, uint64_t count) {
  char dropped[4096];
  uint64_t left = count;
  while (left > 0) {
    size_t got = read_some(s, dropped, left < sizeof dropped ? (size_t)left : sizeof dropped);
    if (got == 0) break;
    left -= got;
  }
  return count - left;
}

static void dump(hexdump *h, source *s) {
  char *block = memory_take(h->block + 8), *before = memory_take(h->block + 8);
  uint64_t address = skip_bytes(s, h->skip), left = h->limit;
  bool have_before = false, starred = false, any = address > 0;
  for (bool more = true; more && h->b.out.error == 0;) {
    size_t wanted = left < h->block ? (size_t)left : h->block;
    size_t got = read_some(s, block, wanted);
    left -= got;
    more = got == h->block;
    if (got == 0) break;
    any = true;
    bool same = more && !h->all && have_before && memcmp(block, before, got) == 0;
    if (same && !starred) output_string(&h->b.out, "*\n");
    starred = same;
    if (!same) {
      memset(block + got, 0, h->block - got);
      put_block(h, block, address, more ? 0 : address + got);
      char *swap = before;
      before = block;
      block = swap;
      have_before = true;
    }
    address += got;
  }
  if (any) put_end(h, address);
}

/* ---- the command ---- */

static void add_style(hexdump *h, int key) {
  static const char end[] = "\"%07.7_Ax\n\"";
  if (key == 'C') {
    add_format(h, "\"%08.8_Ax\n\"");
    add_format(h, "\"%08.8_ax  \" 8/1 \"%02x \" \"  \" 8/1 \"%02x \" ");
    add_format(h, "\"  |\" 16/1 \"%_p\" \"|\n\"");
    return;
  }
  add_format(h, end);
  add_format(h, key == 'b'   ? "\"%07.7_ax \" 16/1 \"%03o \" \"\n\""
                : key == 'c' ? "\"%07.7_ax \" 16/1 \"%3_c \" \"\n\""
                : key == 'd' ? "\"%07.7_ax \" 8/2 \"  %05u \" \"\n\""
                : key == 'o' ? "\"%07.7_ax \" 8/2 \" %06o \" \"\n\""
                : key == 'x' ? "\"%07.7_ax \" 8/2 \"   %04x \" \"\n\""
                             : "\"%07.7_ax \" 8/2 \"%04x \" \"\n\"");
}

static void add_file(hexdump *h, const char *path) {
  input in;
  char *line;
  size_t size;
  if (!bin_open(&h->b, &in, path)) bin_exit(&h->b, 1);
  while (input_line(&in, &line, &size, NULL)) {
    char *copy = memory_copy(line, size);
    if (copy[strspn(copy, " \t")] != 0 && copy[strspn(copy, " \t")] != '#') add_format(h, copy);
  }
  input_close(&in);
}

static uint64_t number(hexdump *h, const char *value) {
  uint64_t result;
  char *end;
  if (value[0] == '0' && (value[1] | 32) == 'x') {
    result = strtoull(value, &end, 16);
    if (*end == 0) return result;
  } else if (number_parse(value, "kKMGTPEB", &result) == 0) {
    return result;
  }
  bin_die(&h->b, 1, "failed to parse length or offset: %s", quote_curly(value));
}

static int hexdump_main(int argc, char **argv, char **environment) {
  hexdump h = {.limit = UINT64_MAX};
  options o;
  options_start(&o, &h.b, command_find("hexdump"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case 'e':
        add_format(&h, o.value);
        break;
      case 'f':
        add_file(&h, o.value);
        break;
      case 'n':
        h.limit = number(&h, o.value);
        break;
      case 's':
        h.skip = number(&h, o.value);
        break;
      case 'v':
        h.all = true;
        break;
      case 'L':
        break;
      default:
        add_style(&h, key);
        break;
    }
  }
  if (h.count == 0) add_style(&h, 0);
  fill_blocks(&h);
  if (h.block == 0) return bin_end(&h.b); /* formats that take no bytes show none */
  char *standard[] = {"-", NULL};
  source s = {.h = &h, .files = o.operand_count > 0 ? o.operands : standard};
  dump(&h, &s);
  return bin_end(&h.b);
}

const command command_hexdump = {
    .name = "hexdump",
    .main = hexdump_main,
    .usage = "hexdump [OPTION]... [FILE]...",
    .options =
        "-b, --one-byte-octal\tbytes as octal numbers\n"
        "-c, --one-byte-char\tbytes as characters\n"
        "-C, --canonical\thexadecimal and characters\n"
        "-d, --two-bytes-decimal\tpairs of bytes as decimal numbers\n"
        "-o, --two-bytes-octal\tpairs of bytes as octal numbers\n"
        "-x, --two-bytes-hex\tpairs of bytes as hexadecimal numbers, spread out\n"
        "-e, --format=FORMAT\tas FORMAT says\n"
        "-f, --format-file=FILE\tas the formats in FILE say\n"
        "-n, --length=LENGTH\tno more than LENGTH bytes\n"
        "-s, --skip=OFFSET\tleave out the first OFFSET bytes\n"
        "-v, --no-squeezing\tno * for repeated lines\n"
        "-L, --color[=WHEN]\tignored: there is no colour"};
