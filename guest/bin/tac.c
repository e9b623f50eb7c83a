// SPDX-License-Identifier: MIT
// tac.c -- print records last first. A separator belongs to the record before it, or after with -b.
#include "../text/bytes.h"
#include "../text/regex.h"
#include "options.h"

typedef struct {
  bin b;
  const char *separator;
  size_t size;
  bool before;
  regex *pattern;
} tac;

/* The last separator that ends at or before `limit`. False when there is none. */
static bool last_separator(const tac *t, const char *all, size_t limit, size_t *start,
                           size_t *end) {
  if (t->size == 1 && t->pattern == NULL) {
    const char *found = bytes_rchr(all, *t->separator, limit);
    if (found == NULL) return false;
    *start = (size_t)(found - all);
    *end = *start + 1;
    return true;
  }
  for (size_t at = limit; at > 0; at--) { /* at: where it could start, counted from one */
    size_t from = at - 1;
    if (t->pattern == NULL) {
      if (limit - from < t->size || memcmp(all + from, t->separator, t->size) != 0) continue;
      *start = from;
      *end = from + t->size;
      return true;
    }
    regex_span span;
    if (regex_search(t->pattern, all, limit, from, 0, &span, 1) != 1) continue;
    if (span.start != (ptrdiff_t)from || span.end == span.start) continue;
    *start = from;
    *end = (size_t)span.end;
    return true;
  }
  return false;
}

static void reverse(tac *t, const char *path) {
  input in;
  int error = input_open(&in, path);
  if (error < 0) {
    bin_error(&t->b, "failed to open %s for reading: %s", quote_always(path), error_text(error));
    return;
  }
  size_t size, start, end;
  char *all = input_all(&in, &size);
  if (in.error != 0) bin_error(&t->b, "%s: read error: %s", path, error_text(in.error));
  input_close(&in);
  size_t limit = size, stop = size;
  while (limit > 0 && last_separator(t, all, limit, &start, &end)) {
    size_t cut = t->before ? start : end;
    output_write(&t->b.out, all + cut, stop - cut);
    stop = cut;
    limit = start;
  }
  output_write(&t->b.out, all, stop);
  free(all);
}

static int tac_main(int argc, char **argv, char **environment) {
  tac t = {.separator = "\n", .size = 1};
  options o;
  bool is_regex = false;
  options_start(&o, &t.b, command_find("tac"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) {
    if (key == 'b') t.before = true;
    if (key == 'r') is_regex = true;
    if (key == 's') {
      t.separator = o.value;
      t.size = strlen(o.value);
      if (t.size == 0) t.separator = "", t.size = 1; /* an empty one means NUL */
    }
  }
  if (is_regex) {
    const char *error;
    t.pattern = regex_compile(t.separator, t.size, REGEX_BASIC, REGEX_LINES, &error);
    if (t.pattern == NULL) bin_die(&t.b, 1, "%s", error);
  }
  if (o.operand_count == 0) reverse(&t, "-");
  for (int i = 0; i < o.operand_count; i++) reverse(&t, o.operands[i]);
  return bin_end(&t.b);
}

const command command_tac = {.name = "tac",
                             .main = tac_main,
                             .usage = "tac [OPTION]... [FILE]...",
                             .options =
                                 "-b, --before\tput the separator before each record\n"
                                 "-r, --regex\tthe separator is a regular expression\n"
                                 "-s, --separator=STRING\trecords end with STRING"};
