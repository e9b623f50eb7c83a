// SPDX-License-Identifier: MIT
// column.c -- column and strings: text laid out, and text picked out.
#include "../text/unicode.h"
#include "options.h"

static size_t width_of(const char *at, size_t size) {
  size_t width = 0;
  for (size_t i = 0; i < size;) {
    uint32_t c;
    size_t length = utf8_decode(at + i, size - i, &c);
    int columns = length == 0 ? 1 : unicode_width(c);
    width += columns < 0 ? 0 : (size_t)columns;
    i += length == 0 ? 1 : length;
  }
  return width;
}

static void put_blanks(output *out, size_t count) {
  for (; count > 0; count--) output_byte(out, ' ');
}

typedef struct {
  const char *at;
  size_t size;
} piece;

typedef struct {
  piece *at;
  size_t count, room;
} pieces;

static void push(pieces *p, const char *at, size_t size) {
  if (p->count == p->room)
    p->at = memory_resize(p->at, (p->room = p->room * 2 + 16) * sizeof *p->at);
  p->at[p->count++] = (piece){at, size};
}

/* All lines of the operands (or standard input). */
static pieces read_lines(bin *b, char **files, bool keep_empty) {
  char *standard[] = {"-", NULL}, *line;
  pieces lines = {0};
  size_t size;
  if (*files == NULL) files = standard;
  for (; *files != NULL; files++) {
    input in;
    if (!bin_open(b, &in, *files)) continue;
    while (input_line(&in, &line, &size, NULL)) {
      bool blank = true;
      for (size_t i = 0; i < size; i++) blank &= line[i] == ' ' || line[i] == '\t';
      if (!blank || keep_empty) push(&lines, memory_copy(line, size), size);
    }
    input_close(&in);
  }
  return lines;
}

/* ---- column ---- */

typedef struct {
  bin b;
  bool table, keep_empty, across;
  const char *separators, *between;
  size_t width;
} column;

static pieces cut(const column *c, piece line) {
  pieces fields = {0};
  const char *at = line.at, *end = at + line.size;
  if (c->separators != NULL) {
    for (;;) {
      const char *stop = at;
      while (stop < end && strchr(c->separators, *stop) == NULL) stop++;
      push(&fields, at, (size_t)(stop - at));
      if (stop == end) return fields;
      at = stop + 1;
    }
  }
  for (;;) {
    while (at < end && (*at == ' ' || *at == '\t')) at++;
    if (at == end) return fields;
    const char *stop = at;
    while (stop < end && *stop != ' ' && *stop != '\t') stop++;
    push(&fields, at, (size_t)(stop - at));
    at = stop;
  }
}

static void show_table(column *c, const pieces *lines) {
  pieces *rows = memory_take((lines->count + 1) * sizeof *rows);
  size_t columns = 0;
  for (size_t i = 0; i < lines->count; i++) {
    rows[i] = cut(c, lines->at[i]);
    if (rows[i].count > columns) columns = rows[i].count;
  }
  size_t *widths = memory_take((columns + 1) * sizeof *widths);
  memset(widths, 0, (columns + 1) * sizeof *widths);
  for (size_t i = 0; i < lines->count; i++) {
    for (size_t k = 0; k < rows[i].count; k++) {
      size_t width = width_of(rows[i].at[k].at, rows[i].at[k].size);
      if (width > widths[k]) widths[k] = width;
    }
  }
  for (size_t i = 0; i < lines->count; i++) {
    for (size_t k = 0; k < columns; k++) {
      piece field = k < rows[i].count ? rows[i].at[k] : (piece){"", 0};
      output_write(&c->b.out, field.at, field.size);
      if (k + 1 == columns) break;
      put_blanks(&c->b.out, widths[k] - width_of(field.at, field.size));
      output_string(&c->b.out, c->between);
    }
    output_byte(&c->b.out, '\n');
  }
}

/* Filled column by column, or across with -x; columns are whole tabs apart. */
static void show_columns(column *c, const pieces *lines) {
  size_t widest = 0, count = lines->count;
  for (size_t i = 0; i < count; i++) {
    size_t width = width_of(lines->at[i].at, lines->at[i].size);
    if (width > widest) widest = width;
  }
  size_t wide = (widest + 8) / 8 * 8, columns = c->width / wide > 0 ? c->width / wide : 1;
  size_t rows = (count + columns - 1) / columns;
  for (size_t row = 0; row < rows; row++) {
    for (size_t k = 0;; k++) {
      size_t i = c->across ? row * columns + k : k * rows + row;
      if (i >= count || k >= columns) break;
      output_write(&c->b.out, lines->at[i].at, lines->at[i].size);
      size_t next = c->across ? i + 1 : i + rows;
      if (next >= count || k + 1 >= columns) break;
      for (size_t at = width_of(lines->at[i].at, lines->at[i].size); at < wide;
           at = (at + 8) / 8 * 8)
        output_byte(&c->b.out, '\t');
    }
    output_byte(&c->b.out, '\n');
  }
}

static int column_main(int argc, char **argv, char **environment) {
  column c = {.between = "  ", .width = 80};
  options o;
  options_start(&o, &c.b, command_find("column"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case 't':
        c.table = true;
        break;
      case 's':
        c.separators = o.value;
        break;
      case 'o':
        c.between = o.value;
        break;
      case 'c':
        c.width = (size_t)options_number(&o, NULL, "invalid columns argument");
        break;
      case 'x':
        c.across = true;
        break;
      case 'L':
        c.keep_empty = true;
        break;
      default:
        break;
    }
  }
  pieces lines = read_lines(&c.b, o.operands, c.keep_empty);
  if (c.table)
    show_table(&c, &lines);
  else
    show_columns(&c, &lines);
  return bin_end(&c.b);
}

/* ---- strings ---- */

static void find_strings(bin *b, input *in, size_t least, char radix, const char *name) {
  text run = {0};
  uint64_t at = 0;
  for (;; at++) {
    int byte = input_byte(in);
    bool shown = byte >= 32 && byte < 127;
    if (shown || byte == '\t') {
      text_char(&run, (char)byte);
      continue;
    }
    if (run.len >= least) {
      if (name != NULL) output_format(&b->out, "%s: ", name);
      unsigned long long start = at - run.len;
      if (radix != 0)
        output_format(&b->out, radix == 'd' ? "%7llu " : radix == 'x' ? "%7llx " : "%7llo ", start);
      output_write(&b->out, run.at, run.len);
      output_byte(&b->out, '\n');
    }
    run.len = 0;
    if (byte < 0) break;
  }
  text_free(&run);
}

static int strings_main(int argc, char **argv, char **environment) {
  bin b;
  options o;
  size_t least = 4;
  char radix = 0;
  bool named = false;
  char *standard[] = {"-", NULL};
  options_start(&o, &b, command_find("strings"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) {
    if (key == 'n') least = (size_t)options_number(&o, NULL, "invalid minimum string length");
    if (key == 't') radix = *o.value;
    if (key == 'f') named = true;
  }
  char **files = o.operand_count > 0 ? o.operands : standard;
  for (; *files != NULL; files++) {
    input in;
    if (!bin_open(&b, &in, *files)) continue;
    find_strings(&b, &in, least == 0 ? 1 : least, radix, named ? *files : NULL);
    input_close(&in);
  }
  return bin_end(&b);
}

const command command_column = {
    .name = "column",
    .main = column_main,
    .usage = "column [OPTION]... [FILE]...",
    .options =
        "-t, --table\ta table\n-s, --separator=STRING\tfields end at any of these\n"
        "-o, --output-separator=STRING\tbetween columns of a table\n"
        "-c, --output-width=WIDTH\tcolumns of the output\n-x, --fillrows\tacross before down\n"
        "-L, --keep-empty-lines\tkeep empty lines"};
const command command_strings = {
    .name = "strings",
    .main = strings_main,
    .usage = "strings [OPTION]... [FILE]...",
    .options =
        "-a, --all\tas usual\n-f, --print-file-name\tname of the file first\n"
        "-n, --bytes=MIN\tat least MIN characters; 4\n-t, --radix=RADIX\toffsets in o, d or x"};
