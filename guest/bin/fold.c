// SPDX-License-Identifier: MIT
// fold.c -- fold, expand, unexpand and rev: lines by columns. As GNU's of this age, fold, expand
// and unexpand count bytes; rev counts characters.
#include "../text/unicode.h"
#include "options.h"

typedef struct {
  bin b;
  bool bytes, spaces, all, initial;
  size_t width;
  size_t *stops;
  size_t stop_count, every;
} columns;

static size_t next_column(const columns *c, size_t column, char byte) {
  if (c->bytes) return column + 1;
  if (byte == '\b') return column > 0 ? column - 1 : 0;
  if (byte == '\r') return 0;
  return byte == '\t' ? column + 8 - column % 8 : column + 1;
}

static void fold_line(columns *c, const char *line, size_t size, bool newline) {
  size_t start = 0, column = 0;
  for (size_t i = 0; i < size;) {
    size_t next = next_column(c, column, line[i]);
    if (next > c->width && i > start) {
      size_t cut = i;
      if (c->spaces) {
        size_t blank = i;
        while (blank > start && line[blank - 1] != ' ' && line[blank - 1] != '\t') blank--;
        if (blank > start) cut = blank;
      }
      output_write(&c->b.out, line + start, cut - start);
      output_byte(&c->b.out, '\n');
      start = cut;
      column = 0;
      for (size_t k = start; k < i; k++) column = next_column(c, column, line[k]);
      continue;
    }
    column = next;
    i++;
  }
  output_write(&c->b.out, line + start, size - start);
  if (newline) output_byte(&c->b.out, '\n');
}

static void fold_file(columns *c, const char *path) {
  input in;
  char *line;
  size_t size;
  bool newline;
  if (!bin_open(&c->b, &in, path)) return;
  while (input_line(&in, &line, &size, &newline)) fold_line(c, line, size, newline);
  bin_check_read(&c->b, &in, path);
  input_close(&in);
}

static int fold_main(int argc, char **argv, char **environment) {
  columns c = {.width = 80};
  options o;
  options_start(&o, &c.b, command_find("fold"), argc, argv, environment);
  if (argc > 1 && argv[1][0] == '-' && argv[1][1] >= '0' && argv[1][1] <= '9') {
    c.width = strtoul(argv[1] + 1, NULL, 10);
    o.next++;
  }
  for (int key; (key = options_next(&o)) != 0;) {
    if (key == 'b') c.bytes = true;
    if (key == 's') c.spaces = true;
    if (key == 'w') c.width = options_number(&o, NULL, "invalid number of columns");
  }
  if (c.width == 0) bin_die(&c.b, 1, "invalid number of columns: %s", quote_curly("0"));
  if (o.operand_count == 0) fold_file(&c, "-");
  for (int i = 0; i < o.operand_count; i++) fold_file(&c, o.operands[i]);
  return bin_end(&c.b);
}

/* ---- tabs ---- */

static void parse_stops(columns *c, const char *list) {
  c->stop_count = 0;
  for (const char *at = list; *at != 0;) {
    at += strspn(at, ", \t");
    if (*at == 0) break;
    bool every = *at == '/';
    if (every || *at == '+') at++;
    char *end;
    size_t value = strtoul(at, &end, 10);
    if (end == at) bin_die(&c->b, 1, "tab size contains invalid character(s): %s", quote_curly(at));
    if (value == 0) bin_die(&c->b, 1, "tab size cannot be 0");
    if (every)
      c->every = value;
    else {
      if (c->stop_count > 0 && value <= c->stops[c->stop_count - 1])
        bin_die(&c->b, 1, "tab sizes must be ascending");
      c->stops = memory_resize(c->stops, (c->stop_count + 1) * sizeof *c->stops);
      c->stops[c->stop_count++] = value;
    }
    at = end;
  }
  if (c->stop_count == 1 && c->every == 0) {
    c->every = c->stops[0];
    c->stop_count = 0;
  }
}

/* The next stop behind `column`; column + 1 when there is none (or 0 with `none`). */
static size_t next_stop(const columns *c, size_t column, bool *none) {
  *none = false;
  for (size_t i = 0; i < c->stop_count; i++) {
    if (c->stops[i] > column) return c->stops[i];
  }
  if (c->every > 0) return column + c->every - column % c->every;
  if (c->stop_count == 0) return column + 8 - column % 8;
  *none = true;
  return column + 1;
}

static void expand_line(columns *c, const char *line, size_t size, bool newline) {
  size_t column = 0;
  bool leading = true, none;
  for (size_t i = 0; i < size; i++) {
    char byte = line[i];
    if (byte == '\t' && (leading || !c->initial)) {
      for (size_t stop = next_stop(c, column, &none); column < stop; column++)
        output_byte(&c->b.out, ' ');
      continue;
    }
    if (byte == '\b')
      column -= column > 0;
    else
      column++;
    if (byte != ' ' && byte != '\t') leading = false;
    output_byte(&c->b.out, byte);
  }
  if (newline) output_byte(&c->b.out, '\n');
}

static void unexpand_line(columns *c, const char *line, size_t size, bool newline) {
  size_t column = 0, blanks = 0, blank_start = 0;
  bool leading = true, none;
  for (size_t i = 0; i <= size; i++) {
    char byte = i < size ? line[i] : '\n';
    bool blank = (byte == ' ' || byte == '\t') && (leading || c->all);
    if (blank) {
      if (blanks == 0) blank_start = column;
      size_t stop = next_stop(c, column, &none);
      column = byte == '\t' ? stop : column + 1;
      blanks++;
      size_t reached = next_stop(c, column - 1, &none);
      if (!none && column == reached &&
          (blanks > 1 || byte == '\t' || column - blank_start > 1 || line[i + 1] == ' ' ||
           line[i + 1] == '\t')) {
        output_byte(&c->b.out, '\t');
        blanks = 0;
      }
      continue;
    }
    for (size_t k = blank_start > column - blanks ? blank_start : column - blanks;
         blanks > 0 && k < column; k++)
      output_byte(&c->b.out, ' ');
    blanks = 0;
    if (i == size) break;
    leading = false;
    column++;
    output_byte(&c->b.out, byte);
  }
  if (newline) output_byte(&c->b.out, '\n');
}

static void tabs_file(columns *c, const char *path, bool expanding) {
  input in;
  char *line;
  size_t size;
  bool newline;
  if (!bin_open(&c->b, &in, path)) return;
  while (input_line(&in, &line, &size, &newline)) {
    if (expanding)
      expand_line(c, line, size, newline);
    else
      unexpand_line(c, memory_copy(line, size), size, newline);
  }
  bin_check_read(&c->b, &in, path);
  input_close(&in);
}

static int tabs_main(const char *name, bool expanding, int argc, char **argv, char **environment) {
  columns c = {0};
  options o;
  bool first_only = false;
  options_start(&o, &c.b, command_find(name), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) {
    if (key == 't') {
      parse_stops(&c, o.value);
      c.all = true;
    }
    if (key == 'i') c.initial = true;
    if (key == 'a') c.all = true;
    if (key == OPTION_LONG) first_only = true;
  }
  if (first_only) c.all = false;
  if (o.operand_count == 0) tabs_file(&c, "-", expanding);
  for (int i = 0; i < o.operand_count; i++) tabs_file(&c, o.operands[i], expanding);
  return bin_end(&c.b);
}

static int expand_main(int argc, char **argv, char **environment) {
  return tabs_main("expand", true, argc, argv, environment);
}
static int unexpand_main(int argc, char **argv, char **environment) {
  return tabs_main("unexpand", false, argc, argv, environment);
}

static int rev_main(int argc, char **argv, char **environment) {
  bin b;
  options o;
  char *standard[] = {"-", NULL}, *line;
  size_t size;
  bool newline;
  options_start(&o, &b, command_find("rev"), argc, argv, environment);
  while (options_next(&o) != 0) {
  }
  char **files = o.operand_count > 0 ? o.operands : standard;
  for (; *files != NULL; files++) {
    input in;
    int error = input_open(&in, *files);
    if (error < 0) {
      bin_error(&b, "cannot open %s: %s", *files, error_text(error));
      continue;
    }
    while (input_line(&in, &line, &size, &newline)) {
      for (size_t end = size; end > 0;) {
        size_t start = end - 1;
        while (start > 0 && end - start < 4 && ((unsigned char)line[start] & 0xC0) == 0x80) start--;
        if (utf8_step(line + start, end - start) != end - start) start = end - 1;
        output_write(&b.out, line + start, end - start);
        end = start;
      }
      if (newline) output_byte(&b.out, '\n');
    }
    input_close(&in);
  }
  return bin_end(&b);
}

const command command_fold = {.name = "fold",
                              .main = fold_main,
                              .usage = "fold [OPTION]... [FILE]...",
                              .options =
                                  "-b, --bytes\tcount bytes, not columns\n-s, --spaces\tbreak at "
                                  "blanks\n-w, --width=WIDTH\tcolumns; 80"};
const command command_expand = {.name = "expand",
                                .main = expand_main,
                                .usage = "expand [OPTION]... [FILE]...",
                                .options =
                                    "-i, --initial\tonly tabs in front of a line\n-t, "
                                    "--tabs=LIST\ttab stops, or the distance of them"};
const command command_unexpand = {
    .name = "unexpand",
    .main = unexpand_main,
    .usage = "unexpand [OPTION]... [FILE]...",
    .options =
        "-a, --all\tall blanks, not only those in front\n--first-only\tonly those in front\n-t, "
        "--tabs=LIST\ttab stops; implies -a"};
const command command_rev = {
    .name = "rev", .main = rev_main, .usage = "rev [FILE]...", .options = ""};
