// SPDX-License-Identifier: MIT
/* cut.c -- print parts of lines. As GNU's, -c counts bytes.
 * The list becomes sorted, separate ranges once; each line then walks them from left to right. */
#include "../text/bytes.h"
#include "options.h"

typedef struct {
  uint64_t first, last; /* from 1 */
} range;

typedef struct {
  bin b;
  bool fields, only_delimited, complement, zero;
  char delimiter;
  const char *between; /* output delimiter; NULL: the input's for fields, none for bytes */
  size_t between_size;
  range *ranges;
  size_t count;
} cut;

static int by_first(const void *a, const void *b) {
  const range *x = a, *y = b;
  return x->first < y->first ? -1 : x->first > y->first;
}

static _Noreturn void wrong(cut *c, const char *what, const char *list) {
  if (list == NULL) bin_usage(&c->b, "%s", what);
  bin_usage(&c->b, "%s %s", what, quote_curly(list));
}

static uint64_t take_number(cut *c, const char **at, const char *list) {
  uint64_t value = 0;
  for (; **at >= '0' && **at <= '9'; ++*at) {
    if (value > UINT64_MAX / 20)
      wrong(c, c->fields ? "field number is too large" : "byte/character offset is too large",
            list);
    value = value * 10 + (uint64_t)(**at - '0');
  }
  return value;
}

static void parse_list(cut *c, const char *list) {
  const char *numbered =
      c->fields ? "fields are numbered from 1" : "byte/character positions are numbered from 1";
  const char *invalid = c->fields ? "invalid field value" : "invalid byte or character position";
  const char *at = list;
  if (*at == 0) wrong(c, numbered, NULL);
  for (;;) {
    range r = {1, UINT64_MAX};
    bool have_first = *at >= '0' && *at <= '9', dash;
    const char *item = at;
    if (have_first) r.first = take_number(c, &at, item);
    if (have_first && r.first == 0) wrong(c, numbered, NULL);
    dash = *at == '-';
    if (dash) at++;
    bool have_last = dash && *at >= '0' && *at <= '9';
    if (have_last) r.last = take_number(c, &at, item);
    if (!dash) r.last = r.first;
    if (*at != 0 && *at != ',' && *at != ' ' && *at != '\t') wrong(c, invalid, item);
    if (dash && !have_first && !have_last) wrong(c, "invalid range with no endpoint: -", NULL);
    if (!have_first && !dash) wrong(c, numbered, NULL);
    if (r.last < r.first) wrong(c, r.last == 0 ? numbered : "invalid decreasing range", NULL);
    c->ranges = memory_resize(c->ranges, (c->count + 1) * sizeof *c->ranges);
    c->ranges[c->count++] = r;
    if (*at == 0) break;
    at++;
  }
}

static void merge(cut *c) {
  qsort(c->ranges, c->count, sizeof *c->ranges, by_first);
  size_t kept = 0;
  for (size_t i = 1; i < c->count; i++) {
    range *last = &c->ranges[kept];
    /* Neighbours stay apart: an output delimiter goes between them. */
    if (c->ranges[i].first <= last->last) {
      if (c->ranges[i].last > last->last) last->last = c->ranges[i].last;
    } else {
      c->ranges[++kept] = c->ranges[i];
    }
  }
  c->count = kept + 1;
}

static void complement(cut *c) {
  range *others = memory_take((c->count + 1) * sizeof *others);
  size_t count = 0;
  uint64_t next = 1;
  for (size_t i = 0; i < c->count; i++) {
    if (c->ranges[i].first > next) others[count++] = (range){next, c->ranges[i].first - 1};
    next = c->ranges[i].last == UINT64_MAX ? 0 : c->ranges[i].last + 1;
    if (next == 0) break;
  }
  if (next != 0) others[count++] = (range){next, UINT64_MAX};
  c->ranges = others;
  c->count = count;
}

static void cut_bytes(cut *c, const char *line, size_t size) {
  bool first = true;
  for (size_t i = 0; i < c->count && c->ranges[i].first <= size; i++) {
    size_t from = (size_t)c->ranges[i].first - 1;
    size_t to = c->ranges[i].last < size ? (size_t)c->ranges[i].last : size;
    if (!first && c->between != NULL) output_write(&c->b.out, c->between, c->between_size);
    output_write(&c->b.out, line + from, to - from);
    first = false;
  }
}

/* False when the line has no delimiter and is to be left out. */
static bool cut_fields(cut *c, const char *line, size_t size) {
  const char *end = line + size, *at = line, *stop = bytes_chr(line, c->delimiter, size);
  if (stop == NULL) {
    if (!c->only_delimited) output_write(&c->b.out, line, size);
    return !c->only_delimited;
  }
  uint64_t field = 1;
  bool first = true;
  size_t i = 0;
  for (;; field++) {
    while (i < c->count && c->ranges[i].last < field) i++;
    if (i == c->count) break;
    if (c->ranges[i].first <= field) {
      if (!first && c->between != NULL) output_write(&c->b.out, c->between, c->between_size);
      if (!first && c->between == NULL) output_byte(&c->b.out, c->delimiter);
      first = false;
      if (c->ranges[i].last == UINT64_MAX && c->between == NULL) stop = NULL; /* all the rest */
      output_write(&c->b.out, at, (size_t)((stop != NULL ? stop : end) - at));
    }
    if (stop == NULL) break;
    at = stop + 1;
    stop = bytes_chr(at, c->delimiter, (size_t)(end - at));
  }
  return true;
}

static void cut_file(cut *c, const char *path) {
  input in;
  if (!bin_open(&c->b, &in, path)) return;
  char *line;
  size_t size;
  int mark = c->zero ? 0 : '\n';
  while (input_until(&in, mark, &line, &size, NULL)) {
    bool show = true;
    if (c->fields && c->delimiter == '\n') {
      output_write(&c->b.out, line, size);
    } else if (c->fields) {
      show = cut_fields(c, line, size);
    } else {
      cut_bytes(c, line, size);
    }
    if (show) output_byte(&c->b.out, mark);
    if (c->b.out.error != 0) break;
  }
  bin_check_read(&c->b, &in, path);
  input_close(&in);
}

static int cut_main(int argc, char **argv, char **environment) {
  cut c = {.delimiter = '\t'};
  options o;
  const char *list = NULL;
  bool have_delimiter = false, inverted = false;
  options_start(&o, &c.b, command_find("cut"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case 'b':
      case 'c':
      case 'f':
        if (list != NULL) bin_usage(&c.b, "only one list may be specified");
        list = o.value;
        c.fields = key == 'f';
        break;
      case 'd':
        if (strlen(o.value) > 1) bin_usage(&c.b, "the delimiter must be a single character");
        c.delimiter = *o.value;
        have_delimiter = true;
        break;
      case 's':
        c.only_delimited = true;
        break;
      case 'z':
        c.zero = true;
        break;
      case OPTION_LONG:
        if (options_is(&o, "complement")) {
          inverted = true;
        } else {
          c.between = o.value;
          c.between_size = *o.value != 0 ? strlen(o.value) : 1; /* an empty one means NUL */
        }
        break;
      default:
        break;
    }
  }
  if (list == NULL) bin_usage(&c.b, "you must specify a list of bytes, characters, or fields");
  if (!c.fields && have_delimiter) {
    bin_usage(&c.b, "an input delimiter may be specified only when operating on fields");
  }
  if (!c.fields && c.only_delimited) {
    bin_usage(&c.b, "suppressing non-delimited lines makes sense\n\tonly when operating on fields");
  }
  parse_list(&c, list);
  merge(&c);
  if (inverted) complement(&c);
  if (o.operand_count == 0) cut_file(&c, "-");
  for (int i = 0; i < o.operand_count; i++) cut_file(&c, o.operands[i]);
  return bin_end(&c.b);
}

const command command_cut = {.name = "cut",
                             .main = cut_main,
                             .usage = "cut OPTION... [FILE]...",
                             .options =
                                 "-b, --bytes=LIST\tprint only these bytes\n"
                                 "-c, --characters=LIST\tas -b\n"
                                 "-d, --delimiter=DELIM\tfields end at DELIM instead of tab\n"
                                 "-f, --fields=LIST\tprint only these fields\n"
                                 "-n\tignored\n"
                                 "--complement\tprint what was not chosen\n"
                                 "-s, --only-delimited\tleave out lines without a delimiter\n"
                                 "--output-delimiter=STRING\tput STRING between what is printed\n"
                                 "-z, --zero-terminated\tlines end with NUL"};
