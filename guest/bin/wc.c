// SPDX-License-Identifier: MIT
// wc.c -- count lines, words, characters, bytes and the longest line.
#include "../text/bytes.h"
#include "../text/unicode.h"
#include "options.h"

typedef struct {
  uint64_t lines, words, chars, bytes, longest;
} counts;

typedef struct {
  bin b;
  bool lines, words, chars, bytes, longest, c_locale;
  int width;
  bool in_word; /* while counting */
  uint64_t column;
} wc;

/* Counts up to a character that may be incomplete; returns how many bytes that left. */
static size_t count_text(wc *w, counts *c, const char *at, size_t size, bool last) {
  size_t i = 0;
  while (i < size) {
    unsigned char byte = (unsigned char)at[i];
    uint32_t point = byte;
    size_t length = 1;
    bool valid = true;
    if (byte >= 0x80) {
      length = w->c_locale ? 0 : utf8_decode(at + i, size - i, &point);
      if (length == 0 && !last && size - i < 4 && byte >= 0xC2 && !w->c_locale) break;
      valid = length > 0;
      if (!valid) length = 1;
    }
    i += length;
    if (!valid) {
      if (w->c_locale) c->chars++;
      continue;
    }
    c->chars++;
    if (point == '\n' || point == '\r' || point == '\f') {
      if (w->column > c->longest) c->longest = w->column;
      w->column = 0;
      c->lines += point == '\n';
      w->in_word = false;
    } else if (point == '\t') {
      w->column += 8 - w->column % 8;
      w->in_word = false;
    } else if (point == ' ' || point == '\v' ||
               (point >= 0x80 && (unicode_is(point, UNICODE_SPACE) || point == 0xA0))) {
      if (point != '\v') w->column += (uint64_t)unicode_width(point);
      w->in_word = false;
    } else {
      int width = unicode_width(point);
      if (width > 0) w->column += (uint64_t)width;
      if (!w->in_word && (point >= ' ' && point != 127)) {
        c->words++;
        w->in_word = true;
      }
    }
  }
  return size - i;
}

static void count(wc *w, input *in, counts *c) {
  file_stat stat;
  char *at;
  size_t size;
  bool only_bytes = !(w->lines || w->words || w->chars || w->longest);
  if (only_bytes && sys_fstat(in->fd, &stat) == 0 && stat.kind == FILE_REGULAR) {
    int64_t here = sys_seek(in->fd, 0, 1 /* SEEK_CUR */);
    c->bytes = here >= 0 && stat.size > (uint64_t)here ? stat.size - (uint64_t)here : 0;
    return;
  }
  w->in_word = false;
  w->column = 0;
  size_t left = 0;
  while ((size = input_peek(in, left + 1, &at)) > left) {
    if (!w->words && !w->chars && !w->longest) {
      c->lines += bytes_count(at, '\n', size);
    } else {
      left = count_text(w, c, at, size, false);
    }
    input_take(in, size - left);
    c->bytes += size - left;
  }
  count_text(w, c, at, left, true);
  c->bytes += left;
  if (w->column > c->longest) c->longest = w->column;
}

static void show(wc *w, const counts *c, const char *name) {
  const uint64_t values[] = {c->lines, c->words, c->chars, c->bytes, c->longest};
  const bool wanted[] = {w->lines, w->words, w->chars, w->bytes, w->longest};
  bool first = true;
  for (int i = 0; i < 5; i++) {
    if (!wanted[i]) continue;
    output_format(&w->b.out, "%s%*llu", first ? "" : " ", w->width, (unsigned long long)values[i]);
    first = false;
  }
  if (name != NULL) output_format(&w->b.out, " %s", name);
  output_byte(&w->b.out, '\n');
}

/* As wide as the sum of the files' sizes; 7 when one has none; 1 for a single number. */
static int column_width(wc *w, char **files, int count) {
  int columns = w->lines + w->words + w->chars + w->bytes + w->longest;
  if (columns == 1 && count <= 1) return 1;
  uint64_t total = 0;
  int least = 1;
  for (int i = 0; i < count; i++) {
    file_stat stat;
    bool standard = strcmp(files[i], "-") == 0;
    if ((standard ? sys_fstat(0, &stat) : sys_stat(files[i], &stat)) < 0) continue;
    if (stat.kind != FILE_REGULAR) {
      least = 7;
    } else {
      total += stat.size;
    }
  }
  int width = 1;
  for (; total >= 10; total /= 10) width++;
  return width < least ? least : width;
}

static char **read_names(options *o, const char *path, int *count) {
  input in;
  if (!bin_open(o->bin, &in, path)) bin_exit(o->bin, 1);
  char *name, **names = memory_take(sizeof *names);
  size_t size;
  *count = 0;
  while (input_until(&in, 0, &name, &size, NULL)) {
    names = memory_resize(names, ((size_t)*count + 2) * sizeof *names);
    names[(*count)++] = memory_copy(name, size);
  }
  return names;
}

static void add(counts *total, const counts *c) {
  total->lines += c->lines;
  total->words += c->words;
  total->chars += c->chars;
  total->bytes += c->bytes;
  if (c->longest > total->longest) total->longest = c->longest;
}

static int wc_main(int argc, char **argv, char **environment) {
  wc w = {0};
  options o;
  const char *names_from = NULL;
  options_start(&o, &w.b, command_find("wc"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case 'l':
        w.lines = true;
        break;
      case 'w':
        w.words = true;
        break;
      case 'm':
        w.chars = true;
        break;
      case 'c':
        w.bytes = true;
        break;
      case 'L':
        w.longest = true;
        break;
      default:
        names_from = o.value;
        break;
    }
  }
  w.c_locale = environment_bytes(environment);
  if (!(w.lines || w.words || w.chars || w.bytes || w.longest)) w.lines = w.words = w.bytes = true;
  char *standard[] = {"-", NULL};
  int count_files = o.operand_count;
  char **files = o.operands;
  if (names_from != NULL) files = read_names(&o, names_from, &count_files);
  bool named = count_files > 0;
  if (!named && names_from == NULL) files = standard, count_files = 1;
  w.width = column_width(&w, files, count_files);
  counts total = {0};
  for (int i = 0; i < count_files; i++) {
    input in;
    counts c = {0};
    if (!bin_open(&w.b, &in, files[i])) continue;
    count(&w, &in, &c);
    bin_check_read(&w.b, &in, files[i]);
    input_close(&in);
    show(&w, &c, named ? files[i] : NULL);
    add(&total, &c);
  }
  if (count_files > 1) show(&w, &total, "total");
  return bin_end(&w.b);
}

const command command_wc = {
    .name = "wc",
    .main = wc_main,
    .usage = "wc [OPTION]... [FILE]...\n   or: wc [OPTION]... --files0-from=F",
    .options =
        "-c, --bytes\tcount bytes\n"
        "-m, --chars\tcount characters\n"
        "-l, --lines\tcount newlines\n"
        "--files0-from=F\tnames, each ended by NUL, are in file F\n"
        "-L, --max-line-length\tthe greatest width of a line\n"
        "-w, --words\tcount words"};
