// SPDX-License-Identifier: MIT
/* csplit.c -- cut a file into pieces where patterns say. All of the file is read before the first
 * piece is written, since an offset may go back as far as it likes. */
#include <stdio.h>

#include "../text/regex.h"
#include "options.h"

typedef struct {
  const char *text; /* as given */
  regex *pattern;   /* NULL: a line number */
  int64_t number;   /* the line, or how far from the matching line */
  bool skips;       /* %pattern%: what comes before is left out */
  uint64_t repeats;
  bool forever;
} control;

typedef struct {
  const char *at;
  size_t size; /* with its newline */
} line_span;

typedef struct {
  bin b;
  const char *prefix, *suffix;
  int digits;
  bool keep, quiet, elide, suppress;
  control *controls;
  size_t control_count;
  line_span *lines;
  size_t line_count, next; /* next: the first line that was not written or skipped */
  size_t current;          /* lines up to here were matched against, from 1 */
  output out;
  bool open;
  uint64_t written;
  unsigned made; /* pieces that exist */
} csplit;

/* ---- pieces ---- */

static char *piece_name(csplit *c, unsigned number) {
  text name = {0};
  text_string(&name, c->prefix);
  if (c->suffix == NULL) {
    text_format(&name, "%0*u", c->digits, number);
  } else {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    text_format(&name, c->suffix, number); /* checked: one conversion of an int */
#pragma GCC diagnostic pop
  }
  return text_end(&name);
}

/* Ends with status 1; what was made is removed, unless -k. */
static _Noreturn void give_up(csplit *c) {
  if (!c->keep) {
    for (unsigned i = 0; i < c->made; i++) sys_unlink(piece_name(c, i));
  }
  bin_exit(&c->b, 1);
}

static void open_piece(csplit *c) {
  char *name = piece_name(c, c->made);
  int fd = sys_open(name, OPEN_WRITE | OPEN_CREATE | OPEN_TRUNCATE, 0666);
  if (fd < 0) {
    bin_warn(&c->b, "%s: %s", name, error_text(fd));
    give_up(c);
  }
  c->made++;
  c->written = 0;
  c->open = true;
  output_open_fd(&c->out, fd);
}

static void close_piece(csplit *c) {
  if (!c->open) return;
  char *name = piece_name(c, c->made - 1);
  output_flush(&c->out);
  sys_close(c->out.fd);
  free(c->out.buffer);
  c->open = false;
  if (c->out.error != 0) {
    bin_warn(&c->b, "write error for %s: %s", quote_curly(name), error_text(c->out.error));
    give_up(c);
  }
  if (c->written == 0 && c->elide) {
    sys_unlink(name);
    c->made--;
  } else if (!c->quiet) {
    output_format(&c->b.out, "%llu\n", (unsigned long long)c->written);
  }
}

/* Writes, or with `skip` drops, lines until line `end` (from 1, not itself) is next. */
static void take_until(csplit *c, size_t end, bool skip) {
  for (; c->next + 1 < end && c->next < c->line_count; c->next++) {
    if (skip) continue;
    output_write(&c->out, c->lines[c->next].at, c->lines[c->next].size);
    c->written += c->lines[c->next].size;
  }
}

static void take_rest(csplit *c) {
  take_until(c, c->line_count + 1, false);
  close_piece(c);
}

static _Noreturn void fail(csplit *c, const control *p, const char *what, uint64_t repetition) {
  if (!p->skips) take_rest(c);
  output_flush(&c->b.out);
  if (repetition == 0)
    bin_warn(&c->b, "%s: %s", quote_curly(p->text), what);
  else
    bin_warn(&c->b, "%s: %s on repetition %llu", quote_curly(p->text), what,
             (unsigned long long)repetition);
  give_up(c);
}

static void split_at_line(csplit *c, const control *p, uint64_t repetition) {
  open_piece(c);
  uint64_t line = (uint64_t)p->number * (repetition + 1);
  bool over = c->next >= c->line_count;
  take_until(c, line > c->line_count ? c->line_count + 1 : (size_t)line, false);
  if ((c->suppress ? over : c->next >= c->line_count) || line > c->line_count)
    fail(c, p, "line number out of range", repetition);
  close_piece(c);
  c->current = (size_t)line;
  if (c->suppress) c->next++;
}

static bool matches(csplit *c, const control *p, size_t line) {
  line_span span = c->lines[line - 1];
  if (span.size > 0 && span.at[span.size - 1] == '\n') span.size--;
  return regex_search(p->pattern, span.at, span.size, 0, 0, NULL, 0) == 1;
}

/* False when a pattern that is repeated for ever was not found any more. */
static bool split_at_match(csplit *c, const control *p, uint64_t repetition) {
  if (!p->skips) open_piece(c);
  do {
    c->current++;
  } while (c->current <= c->line_count && !matches(c, p, c->current));
  if (c->current > c->line_count) {
    if (!p->forever) fail(c, p, "match not found", repetition);
    if (!p->skips) take_rest(c);
    return false;
  }
  int64_t stop = (int64_t)c->current + p->number;
  if (stop < (int64_t)c->next + 1 || stop > (int64_t)c->line_count + 1)
    fail(c, p, "line number out of range", repetition);
  take_until(c, (size_t)stop, p->skips);
  close_piece(c);
  if (p->number > 0) c->current = (size_t)stop;
  if (c->suppress && c->next < c->line_count) c->next++;
  return true;
}

static void split(csplit *c) {
  for (size_t i = 0; i < c->control_count; i++) {
    control *p = &c->controls[i];
    for (uint64_t done = 0; p->forever || done <= p->repeats; done++) {
      if (p->pattern == NULL)
        split_at_line(c, p, done);
      else if (!split_at_match(c, p, done))
        return;
    }
  }
  open_piece(c);
  take_rest(c);
}

/* ---- the command line ---- */

/* /PATTERN/OFFSET or %PATTERN%OFFSET. */
static void read_pattern(csplit *c, control *p) {
  const char *end = strrchr(p->text + 1, *p->text), *error;
  char *stop;
  if (end == NULL) bin_die(&c->b, 1, "%s: closing delimiter '%c' missing", p->text, *p->text);
  p->skips = *p->text == '%';
  if (end[1] != 0) {
    p->number = strtoll(end + 1, &stop, 10);
    if (stop == end + 1 || *stop != 0)
      bin_die(&c->b, 1, "%s: integer expected after delimiter", quote_curly(p->text));
  }
  p->pattern = regex_compile(p->text + 1, (size_t)(end - p->text - 1), REGEX_BASIC, 0, &error);
  if (p->pattern == NULL) bin_die(&c->b, 1, "%s: invalid regular expression: %s", p->text, error);
}

static void read_line_number(csplit *c, control *p, int64_t before) {
  uint64_t number;
  if (number_parse(p->text, "", &number) != 0 || number > INT32_MAX)
    bin_die(&c->b, 1, "%s: invalid pattern", quote_curly(p->text));
  if (number == 0) bin_die(&c->b, 1, "%s: line number must be greater than zero", p->text);
  p->number = (int64_t)number;
  if (p->number < before)
    bin_die(&c->b, 1, "line number %s is smaller than preceding line number, %lld",
            quote_curly(p->text), (long long)before);
  if (p->number == before)
    bin_warn(&c->b, "warning: line number %s is the same as preceding line number",
             quote_curly(p->text));
}

/* {NUMBER} or {*} */
static void read_repeats(csplit *c, control *p, const char *given) {
  size_t size = strlen(given);
  if (given[size - 1] != '}')
    bin_die(&c->b, 1, "%s: '}' is required in repeat count", quote_curly(given));
  char *count = memory_copy(given + 1, size - 2);
  p->forever = strcmp(count, "*") == 0;
  if (!p->forever && number_parse(count, "", &p->repeats) != 0)
    bin_die(&c->b, 1, "%s}: integer required between '{' and '}'",
            quote_curly(memory_copy(given, size - 1)));
  free(count);
}

static void read_controls(csplit *c, char **given) {
  int64_t before = 0;
  size_t count = 0;
  while (given[count] != NULL) count++;
  c->controls = memory_take((count + 1) * sizeof *c->controls);
  for (; *given != NULL; given++) {
    if (**given == '{' && c->control_count > 0) {
      read_repeats(c, &c->controls[c->control_count - 1], *given);
      continue;
    }
    control *p = &c->controls[c->control_count++];
    *p = (control){.text = *given};
    if (**given == '/' || **given == '%') {
      read_pattern(c, p);
    } else {
      read_line_number(c, p, before);
      before = p->number;
    }
  }
}

/* -b: one conversion of a whole number, and no other. */
static void check_suffix(csplit *c, const char *format) {
  size_t conversions = 0;
  for (const char *at = format; *at != 0; at++) {
    if (*at != '%') continue;
    if (*++at == '%') continue;
    at += strspn(at, "-+ #0'");
    size_t width = strspn(at, "0123456789");
    at += width;
    if (*at == '.') at += 1 + strspn(at + 1, "0123456789");
    if (*at == 0) bin_die(&c->b, 1, "missing conversion specifier in suffix");
    if (strchr("diouxX", *at) == NULL || width > 3)
      bin_die(&c->b, 1, "invalid conversion specifier in suffix: %c", *at);
    conversions++;
  }
  if (conversions == 0) bin_die(&c->b, 1, "missing %% conversion specification in suffix");
  if (conversions > 1) bin_die(&c->b, 1, "too many %% conversion specifications in suffix");
  c->suffix = format;
}

static void read_lines(csplit *c, const char *path) {
  input in;
  size_t size, room = 0;
  int error = input_open(&in, path);
  if (error < 0)
    bin_die(&c->b, 1, "cannot open %s for reading: %s", quote_always(path), error_text(error));
  char *all = input_all(&in, &size);
  if (in.error != 0) bin_die(&c->b, 1, "read error: %s", error_text(in.error));
  for (size_t at = 0; at < size;) {
    const char *newline = memchr(all + at, '\n', size - at);
    size_t length = newline != NULL ? (size_t)(newline - all) + 1 - at : size - at;
    if (c->line_count == room) {
      room = room * 2 + 64;
      c->lines = memory_resize(c->lines, room * sizeof *c->lines);
    }
    c->lines[c->line_count++] = (line_span){all + at, length};
    at += length;
  }
}

static int csplit_main(int argc, char **argv, char **environment) {
  csplit c = {.prefix = "xx", .digits = 2};
  options o;
  uint64_t digits;
  options_start(&o, &c.b, command_find("csplit"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) {
    if (key == 'b') check_suffix(&c, o.value);
    if (key == 'f') c.prefix = o.value;
    if (key == 'k') c.keep = true;
    if (key == 's') c.quiet = true;
    if (key == 'z') c.elide = true;
    if (key == OPTION_LONG) c.suppress = true;
    if (key != 'n') continue;
    digits = options_number(&o, "", "invalid number");
    c.digits = digits > 200 ? 200 : (int)digits;
  }
  options_need(&o, 2);
  read_controls(&c, o.operands + 1);
  read_lines(&c, o.operands[0]);
  split(&c);
  return bin_end(&c.b);
}

const command command_csplit = {
    .name = "csplit",
    .main = csplit_main,
    .usage = "csplit [OPTION]... FILE PATTERN...",
    .options =
        "-b, --suffix-format=FORMAT\tname pieces by printf's FORMAT instead of %02d\n"
        "-f, --prefix=PREFIX\tnames begin with PREFIX instead of xx\n"
        "-k, --keep-files\tkeep the pieces when something is wrong\n"
        "-n, --digits=DIGITS\tso many digits instead of 2\n"
        "-s, -q, --quiet, --silent\tdo not print sizes\n"
        "-z, --elide-empty-files\tno empty pieces\n"
        "--suppress-matched\tleave out the lines that match"};
