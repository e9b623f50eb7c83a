// SPDX-License-Identifier: MIT
// split.c -- cut a file into pieces.
#include "../text/bytes.h"
#include "options.h"

typedef struct {
  bin b;
  uint64_t lines, bytes, line_bytes, chunks, chunk; /* chunk: only that one, to standard output */
  char chunk_kind; /* 0 by size, 'l' whole lines, 'r' round robin */
  const char *prefix, *extra;
  int width;
  int base; /* 10, 16 or 26 */
  bool given_width, skip_empty, verbose;
  uint64_t number;
  output out;
  bool open;
} split;

static bool suffix(split *s, uint64_t number, char *to, int width) {
  static const char hex[] = "0123456789abcdef";
  for (int i = width - 1; i >= 0; i--) {
    to[i] = s->base == 26 ? (char)('a' + number % 26) : hex[number % (uint64_t)s->base];
    number /= (uint64_t)s->base;
  }
  to[width] = 0;
  return number == 0;
}

/* Without -a names grow: xaa ... xyz, then xzaaa. */
static char *piece_name(split *s) {
  char digits[64];
  uint64_t number = s->number++;
  int width = s->width, lead = 0;
  if (!s->given_width && s->chunks == 0) {
    uint64_t first = 1;
    for (int i = 0; i < width; i++) first *= (uint64_t)s->base;
    uint64_t here = first - first / (uint64_t)s->base;
    while (number >= here && width < 40) {
      number -= here;
      lead++;
      width++;
      here = first *= (uint64_t)s->base, here -= first / (uint64_t)s->base;
      width += 0;
    }
    width = s->width + lead;
  }
  text name = {0};
  text_string(&name, s->prefix);
  char last = s->base == 26 ? 'z' : s->base == 16 ? 'f' : '9';
  for (int i = 0; i < lead; i++) text_char(&name, last);
  if (!suffix(s, number, digits, width)) bin_die(&s->b, 1, "output file suffixes exhausted");
  text_string(&name, digits);
  if (s->extra != NULL) text_string(&name, s->extra);
  return text_end(&name);
}

static void next_piece(split *s) {
  if (s->open) {
    output_flush(&s->out);
    sys_close(s->out.fd);
    free(s->out.buffer);
  }
  char *name = piece_name(s);
  if (s->verbose) output_format(&s->b.out, "creating file %s\n", quote_always(name));
  int fd = sys_open(name, OPEN_WRITE | OPEN_CREATE | OPEN_TRUNCATE, 0666);
  if (fd < 0) bin_die(&s->b, 1, "%s: %s", name, error_text(fd));
  output_open_fd(&s->out, fd);
  s->open = true;
}

static void by_lines(split *s, input *in) {
  char *line;
  size_t size;
  bool newline;
  uint64_t count = s->lines;
  while (input_line(in, &line, &size, &newline)) {
    if (count++ == s->lines) {
      next_piece(s);
      count = 1;
    }
    output_write(&s->out, line, size);
    if (newline) output_byte(&s->out, '\n');
  }
}

static void by_bytes(split *s, input *in) {
  char *at;
  size_t size;
  uint64_t left = 0;
  while ((size = input_some(in, &at)) > 0) {
    while (size > 0) {
      if (left == 0) {
        next_piece(s);
        left = s->bytes;
      }
      size_t part = size < left ? size : (size_t)left;
      output_write(&s->out, at, part);
      at += part, size -= part, left -= part;
    }
  }
}

/* Pieces of at most so many bytes, of whole lines where they fit. */
static void by_line_bytes(split *s, input *in) {
  char *line;
  size_t size;
  bool newline;
  uint64_t left = 0;
  while (input_line(in, &line, &size, &newline)) {
    char *copy = memory_copy(line, size);
    size_t whole = size + newline, at = 0;
    if (newline) copy[size] = '\n';
    if (whole > left || left == 0) left = 0;
    while (at < whole) {
      if (left == 0) {
        next_piece(s);
        left = s->line_bytes;
      }
      size_t part = whole - at < left ? whole - at : (size_t)left;
      output_write(&s->out, copy + at, part);
      at += part, left -= part;
    }
    free(copy);
  }
}

static void by_chunks(split *s, input *in) {
  size_t size, at = 0;
  char *all = input_all(in, &size);
  for (uint64_t i = 1; i <= s->chunks; i++) {
    size_t end = (size_t)(i == s->chunks ? size
                                         : size / s->chunks * i +
                                               (size % s->chunks < i ? size % s->chunks : i) * 0);
    if (s->chunk_kind == 'l' && end < size) {
      const char *newline = end == 0 ? NULL : bytes_chr(all + end - 1, '\n', size - end + 1);
      end = newline == NULL ? (end == 0 ? 0 : size) : (size_t)(newline - all) + 1;
    }
    if (end < at) end = at;
    if (s->chunk != 0) {
      if (s->chunk == i) output_write(&s->b.out, all + at, end - at);
    } else if (end > at || !s->skip_empty) {
      next_piece(s);
      output_write(&s->out, all + at, end - at);
    }
    at = end;
  }
}

/* -n: N, K/N, l/N, l/K/N */
static void parse_chunks(split *s, const char *value) {
  if (*value == 'l' || *value == 'r') {
    s->chunk_kind = *value;
    value = value[1] == '/' ? value + 2 : value + 1;
  }
  if (s->chunk_kind == 'r') bin_die(&s->b, 1, "-n r/N is not supported");
  char *end;
  s->chunks = strtoull(value, &end, 10);
  if (*end == '/') {
    s->chunk = s->chunks;
    s->chunks = strtoull(end + 1, &end, 10);
  }
  if (*end != 0 || s->chunks == 0)
    bin_die(&s->b, 1, "invalid number of chunks: %s", quote_curly(value));
}

static int split_main(int argc, char **argv, char **environment) {
  split s = {.lines = 1000, .prefix = "x", .width = 2, .base = 26};
  options o;
  options_start(&o, &s.b, command_find("split"), argc, argv, environment);
  if (argc > 1 && argv[1][0] == '-' && argv[1][1] >= '0' && argv[1][1] <= '9') {
    s.lines = strtoull(argv[1] + 1, NULL, 10);
    o.next++;
  }
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case 'a':
        s.width = (int)options_number(&o, NULL, "invalid suffix length");
        s.given_width = s.width > 0;
        if (s.width == 0) s.width = 2;
        break;
      case 'b':
        s.bytes = options_number(&o, "bKm", "invalid number of bytes");
        break;
      case 'C':
        s.line_bytes = options_number(&o, "bKm", "invalid number of bytes");
        break;
      case 'l':
        s.lines = options_number(&o, "bKm", "invalid number of lines");
        break;
      case 'd':
        s.base = 10;
        if (o.value != NULL) s.number = strtoull(o.value, NULL, 10);
        break;
      case 'x':
        s.base = 16;
        break;
      case 'e':
        s.skip_empty = true;
        break;
      case 'n':
        parse_chunks(&s, o.value);
        break;
      default:
        if (options_is(&o, "additional-suffix")) s.extra = o.value;
        s.verbose |= options_is(&o, "verbose");
        break;
    }
  }
  options_allow(&o, 2);
  if (s.lines == 0) bin_die(&s.b, 1, "invalid number of lines: %s", quote_curly("0"));
  if (o.operand_count > 1) s.prefix = o.operands[1];
  const char *path = o.operand_count > 0 ? o.operands[0] : "-";
  input in;
  int error = input_open(&in, path);
  if (error < 0)
    bin_die(&s.b, 1, "cannot open %s for reading: %s", quote_always(path), error_text(error));
  if (s.chunks > 0)
    by_chunks(&s, &in);
  else if (s.bytes > 0)
    by_bytes(&s, &in);
  else if (s.line_bytes > 0)
    by_line_bytes(&s, &in);
  else
    by_lines(&s, &in);
  if (s.open) output_flush(&s.out);
  return bin_end(&s.b);
}

const command command_split = {
    .name = "split",
    .main = split_main,
    .usage = "split [OPTION]... [FILE [PREFIX]]",
    .options =
        "-a, --suffix-length=N\tletters of a suffix; 2\n"
        "--additional-suffix=SUFFIX\tadd SUFFIX to names\n"
        "-b, --bytes=SIZE\tpieces of SIZE bytes\n"
        "-C, --line-bytes=SIZE\tpieces of at most SIZE bytes of whole lines\n"
        "-d, --numeric-suffixes[=FROM]\tdigits for letters\n"
        "-x, --hex-suffixes[=FROM]\thexadecimal digits\n"
        "-e, --elide-empty-files\tno empty pieces with -n\n"
        "-l, --lines=NUMBER\tpieces of NUMBER lines; 1000\n"
        "-n, --number=CHUNKS\tN, K/N, l/N or l/K/N pieces\n"
        "--verbose\tsay what is made"};
