// SPDX-License-Identifier: MIT
// diff.c -- show how two files or folders differ.
#include "../text/bytes.h"
#include "../text/unicode.h"
#include "diff_lines.h"
#include "glob.h"
#include "options.h"
#include "path.h"
#include "times.h"

typedef struct {
  const char *at;
  size_t size;
} line;

typedef struct {
  const char *path, *label;
  char *text;
  size_t size;
  line *lines;
  size_t count;
  bool missing, no_newline; /* of the last line */
  file_stat stat;
} side;

typedef struct {
  bin b;
  int style; /* 'n'ormal, 'u'nified, 'c'ontext, 'e'd */
  size_t context;
  bool recursive, brief, report_same, icase, all_blanks, blank_amounts, trailing, blank_lines,
      new_files, text, strip_cr;
  const char *labels[2];
  int label_count;
  char **exclude;
  size_t exclude_count;
  text options_given; /* for the line before each file of -r */
  time_zone zone;
} diff;

/* ---- reading ---- */

static int load(side *s, const char *path) {
  input in;
  int error = input_open(&in, path);
  s->path = path;
  if (error < 0) return error;
  sys_fstat(in.fd, &s->stat);
  s->text = input_all(&in, &s->size);
  error = -in.error;
  input_close(&in);
  return error;
}

static void cut_lines(side *s) {
  size_t room = bytes_count(s->text, '\n', s->size) + 1;
  s->lines = memory_take(room * sizeof *s->lines);
  for (size_t at = 0; at < s->size;) {
    const char *end = bytes_chr(s->text + at, '\n', s->size - at);
    size_t stop = end == NULL ? s->size : (size_t)(end - s->text);
    s->lines[s->count++] = (line){s->text + at, stop - at};
    s->no_newline = end == NULL;
    at = stop + 1;
  }
}

static bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The line as far as it counts for comparing. */
static void normalise(const diff *d, const line *l, text *out) {
  out->len = 0;
  size_t size = l->size;
  if (d->strip_cr && size > 0 && l->at[size - 1] == '\r') size--;
  if (d->trailing || d->blank_amounts) {
    while (size > 0 && is_blank(l->at[size - 1])) size--;
  }
  for (size_t i = 0; i < size; i++) {
    char c = l->at[i];
    if (is_blank(c) && d->all_blanks) continue;
    if (is_blank(c) && d->blank_amounts) {
      while (i + 1 < size && is_blank(l->at[i + 1])) i++;
      c = ' ';
    }
    text_char(out, d->icase && c >= 'A' && c <= 'Z' ? c + 32 : c);
  }
}

typedef struct {
  const char *at;
  size_t size;
  uint32_t number;
  uint32_t hash;
} known_line;

/* Gives equal lines equal numbers, over both texts. */
static void number_lines(const diff *d, side s[2], uint32_t *numbers[2]) {
  size_t total = s[0].count + s[1].count, buckets = 64;
  while (buckets < total * 2) buckets *= 2;
  known_line *table = memory_take(buckets * sizeof *table);
  memset(table, 0, buckets * sizeof *table);
  bool plain = !(d->icase || d->all_blanks || d->blank_amounts || d->trailing || d->strip_cr);
  uint32_t next = 1;
  text scratch = {0};
  for (int f = 0; f < 2; f++) {
    numbers[f] = memory_take((s[f].count + 1) * sizeof(uint32_t));
    for (size_t i = 0; i < s[f].count; i++) {
      line l = s[f].lines[i];
      /* A last line without newline differs from the same with one. */
      bool open = s[f].no_newline && i + 1 == s[f].count && plain;
      if (!plain) {
        normalise(d, &l, &scratch);
        l = (line){memory_copy(scratch.at, scratch.len), scratch.len};
      }
      uint32_t hash = open ? 77u : 2166136261u;
      for (size_t k = 0; k < l.size; k++) hash = (hash ^ (unsigned char)l.at[k]) * 16777619u;
      size_t at = hash & (buckets - 1);
      while (table[at].number != 0 && !(table[at].hash == hash && table[at].size == l.size &&
                                        (l.size == 0 || memcmp(table[at].at, l.at, l.size) == 0)))
        at = (at + 1) & (buckets - 1);
      if (table[at].number == 0) table[at] = (known_line){l.at, l.size, next++, hash};
      numbers[f][i] = table[at].number;
    }
  }
  text_free(&scratch);
  free(table);
}

/* ---- changes ---- */

typedef struct {
  size_t start[2], end[2]; /* lines, from 0, end exclusive */
  bool ignored;
} change;

typedef struct {
  change *at;
  size_t count;
} changes;

/* Whether nothing but blank lines (-B) changed. */
static bool is_trivial(const diff *d, const side s[2], const change *c) {
  if (!d->blank_lines) return false;
  for (int f = 0; f < 2; f++) {
    for (size_t i = c->start[f]; i < c->end[f]; i++) {
      for (size_t k = 0; k < s[f].lines[i].size; k++) {
        if (!is_blank(s[f].lines[i].at[k]) || !(d->all_blanks || d->blank_amounts)) return false;
      }
    }
  }
  return true;
}

static changes find_changes(diff *d, side s[2]) {
  uint32_t *numbers[2];
  number_lines(d, s, numbers);
  diff_lines l = {.lines = {numbers[0], numbers[1]}, .count = {s[0].count, s[1].count}};
  diff_lines_compare(&l);
  changes all = {0};
  size_t i = 0, k = 0, room = 0;
  while (i < s[0].count || k < s[1].count) {
    if (!l.changed[0][i] && !l.changed[1][k]) {
      i++, k++;
      continue;
    }
    change c = {.start = {i, k}};
    while (l.changed[0][i]) i++;
    while (l.changed[1][k]) k++;
    c.end[0] = i, c.end[1] = k;
    c.ignored = is_trivial(d, s, &c);
    if (all.count == room) all.at = memory_resize(all.at, (room = room * 2 + 16) * sizeof *all.at);
    all.at[all.count++] = c;
  }
  return all;
}

/* ---- printing ---- */

static void put_line(diff *d, const side *s, size_t i, const char *mark) {
  output_string(&d->b.out, mark);
  output_write(&d->b.out, s->lines[i].at, s->lines[i].size);
  output_byte(&d->b.out, '\n');
  if (s->no_newline && i + 1 == s->count)
    output_string(&d->b.out, "\\ No newline at end of file\n");
}

static void put_range(diff *d, size_t start, size_t end) {
  if (end - start <= 1)
    output_format(&d->b.out, "%zu", end);
  else
    output_format(&d->b.out, "%zu,%zu", start + 1, end);
}

static void put_normal(diff *d, side s[2], const changes *all) {
  for (size_t n = 0; n < all->count; n++) {
    const change *c = &all->at[n];
    if (c->ignored) continue;
    bool removes = c->end[0] > c->start[0], adds = c->end[1] > c->start[1];
    put_range(d, c->start[0], c->end[0]);
    output_byte(&d->b.out, !removes ? 'a' : adds ? 'c' : 'd');
    put_range(d, c->start[1], c->end[1]);
    output_byte(&d->b.out, '\n');
    for (size_t i = c->start[0]; i < c->end[0]; i++) put_line(d, &s[0], i, "< ");
    if (removes && adds) output_string(&d->b.out, "---\n");
    for (size_t i = c->start[1]; i < c->end[1]; i++) put_line(d, &s[1], i, "> ");
  }
}

static void put_ed(diff *d, side s[2], const changes *all) {
  for (size_t n = all->count; n > 0; n--) {
    const change *c = &all->at[n - 1];
    bool removes = c->end[0] > c->start[0], adds = c->end[1] > c->start[1];
    put_range(d, c->start[0], c->end[0]);
    output_format(&d->b.out, "%c\n", !removes ? 'a' : adds ? 'c' : 'd');
    for (size_t i = c->start[1]; i < c->end[1]; i++) put_line(d, &s[1], i, "");
    if (adds) output_string(&d->b.out, ".\n");
  }
}

static void put_name(diff *d, const char *mark, const side *s) {
  output_format(&d->b.out, "%s %s", mark, s->label != NULL ? s->label : s->path);
  if (s->label == NULL) {
    time_parts parts;
    text time = {0};
    int64_t seconds = s->missing ? 0 : s->stat.mtime / 1000000000;
    time_split(seconds, s->missing ? 0 : (int32_t)(s->stat.mtime % 1000000000), &d->zone, &parts);
    static const char format[] = "%Y-%m-%d %H:%M:%S.%N %z";
    time_format(&time, format, sizeof format - 1, &parts, seconds);
    output_format(&d->b.out, "\t%s", text_end(&time));
  }
  output_byte(&d->b.out, '\n');
}

/* The changes from `first` on that share a hunk: gaps of no more than twice the context. */
static size_t hunk_end(const diff *d, const changes *all, size_t first) {
  size_t last = first;
  while (last + 1 < all->count) {
    size_t gap = all->at[last + 1].start[0] - all->at[last].end[0];
    size_t most = all->at[last + 1].ignored ? d->context : 2 * d->context;
    if (gap > most) break;
    last++;
  }
  return last;
}

static void put_unified_range(diff *d, size_t start, size_t end) {
  size_t count = end - start;
  if (count == 1)
    output_format(&d->b.out, "%zu", start + 1);
  else
    output_format(&d->b.out, "%zu,%zu", count == 0 ? start : start + 1, count);
}

static void put_unified_hunk(diff *d, side s[2], const changes *all, size_t first, size_t last) {
  size_t from[2], to[2];
  for (int f = 0; f < 2; f++) {
    size_t before = all->at[first].start[f] < d->context ? all->at[first].start[f] : d->context;
    size_t other = all->at[first].start[!f] < d->context ? all->at[first].start[!f] : d->context;
    size_t lead = before < other ? before : other;
    from[f] = all->at[first].start[f] - lead;
    size_t left = s[f].count - all->at[last].end[f],
           other_left = s[!f].count - all->at[last].end[!f];
    size_t trail = left < other_left ? left : other_left;
    to[f] = all->at[last].end[f] + (trail < d->context ? trail : d->context);
  }
  output_string(&d->b.out, "@@ -");
  put_unified_range(d, from[0], to[0]);
  output_string(&d->b.out, " +");
  put_unified_range(d, from[1], to[1]);
  output_string(&d->b.out, " @@\n");
  size_t i = from[0];
  for (size_t n = first; n <= last; n++) {
    const change *c = &all->at[n];
    for (; i < c->start[0]; i++) put_line(d, &s[0], i, " ");
    for (; i < c->end[0]; i++) put_line(d, &s[0], i, "-");
    for (size_t k = c->start[1]; k < c->end[1]; k++) put_line(d, &s[1], k, "+");
  }
  for (; i < to[0]; i++) put_line(d, &s[0], i, " ");
}

static void put_context_half(diff *d, side s[2], const changes *all, size_t first, size_t last,
                             int f, size_t from, size_t to) {
  const char *rule = f == 0 ? "*** " : "--- ", *end = f == 0 ? " ****\n" : " ----\n";
  output_string(&d->b.out, rule);
  if (to - from <= 1)
    output_format(&d->b.out, "%zu", to);
  else
    output_format(&d->b.out, "%zu,%zu", from + 1, to);
  output_string(&d->b.out, end);
  bool any = false;
  for (size_t n = first; n <= last; n++) any |= all->at[n].end[f] > all->at[n].start[f];
  if (!any) return;
  size_t i = from;
  for (size_t n = first; n <= last; n++) {
    const change *c = &all->at[n];
    bool both = c->end[0] > c->start[0] && c->end[1] > c->start[1];
    for (; i < c->start[f]; i++) put_line(d, &s[f], i, "  ");
    for (; i < c->end[f]; i++) put_line(d, &s[f], i, both ? "! " : f == 0 ? "- " : "+ ");
  }
  for (; i < to; i++) put_line(d, &s[f], i, "  ");
}

static void put_context_hunk(diff *d, side s[2], const changes *all, size_t first, size_t last) {
  output_string(&d->b.out, "***************\n");
  for (int f = 0; f < 2; f++) {
    size_t lead = all->at[first].start[0] < all->at[first].start[1] ? all->at[first].start[0]
                                                                    : all->at[first].start[1];
    if (lead > d->context) lead = d->context;
    size_t a = s[0].count - all->at[last].end[0], b = s[1].count - all->at[last].end[1],
           trail = a < b ? a : b;
    if (trail > d->context) trail = d->context;
    put_context_half(d, s, all, first, last, f, all->at[first].start[f] - lead,
                     all->at[last].end[f] + trail);
  }
}

static void put_hunks(diff *d, side s[2], const changes *all) {
  bool named = false;
  for (size_t first = 0; first < all->count;) {
    size_t last = hunk_end(d, all, first);
    bool shown = false;
    for (size_t n = first; n <= last; n++) shown |= !all->at[n].ignored;
    if (shown && !named) {
      put_name(d, d->style == 'u' ? "---" : "***", &s[0]);
      put_name(d, d->style == 'u' ? "+++" : "---", &s[1]);
      named = true;
    }
    if (shown && d->style == 'u')
      put_unified_hunk(d, s, all, first, last);
    else if (shown)
      put_context_hunk(d, s, all, first, last);
    first = last + 1;
  }
}

/* ---- files ---- */

static int compare_sides(diff *d, side s[2], bool announce) {
  bool binary = !d->text && (memchr(s[0].text, 0, s[0].size < 32768 ? s[0].size : 32768) != NULL ||
                             memchr(s[1].text, 0, s[1].size < 32768 ? s[1].size : 32768) != NULL);
  bool equal = s[0].size == s[1].size && memcmp(s[0].text, s[1].text, s[0].size) == 0;
  if (binary && !equal) {
    output_format(&d->b.out,
                  d->brief ? "Files %s and %s differ\n" : "Binary files %s and %s differ\n",
                  s[0].path, s[1].path);
    return 1;
  }
  changes all = {0};
  if (!equal) {
    for (int f = 0; f < 2; f++) cut_lines(&s[f]);
    all = find_changes(d, s);
  }
  bool differ = false;
  for (size_t i = 0; i < all.count; i++) differ |= !all.at[i].ignored;
  if (!differ) {
    if (d->report_same)
      output_format(&d->b.out, "Files %s and %s are identical\n", s[0].path, s[1].path);
    return 0;
  }
  if (d->brief) {
    output_format(&d->b.out, "Files %s and %s differ\n", s[0].path, s[1].path);
    return 1;
  }
  if (announce)
    output_format(&d->b.out, "diff%s %s %s\n", d->options_given.len > 0 ? d->options_given.at : "",
                  quote_needed(s[0].path), quote_needed(s[1].path));
  for (int f = 0; f < 2; f++) s[f].label = d->labels[f];
  if (d->style == 'n')
    put_normal(d, s, &all);
  else if (d->style == 'e')
    put_ed(d, s, &all);
  else
    put_hunks(d, s, &all);
  return 1;
}

static int compare_files(diff *d, const char *a, const char *b, bool announce) {
  side s[2] = {{0}, {0}};
  const char *paths[2] = {a, b};
  int status = 0;
  for (int f = 0; f < 2; f++) {
    int error = load(&s[f], paths[f]);
    if (error == -ENOENT && d->new_files) {
      s[f] = (side){.path = paths[f], .text = memory_string(""), .missing = true};
    } else if (error < 0) {
      bin_warn(&d->b, "%s: %s", paths[f], error_text(error));
      status = 2;
    }
  }
  return status != 0 ? status : compare_sides(d, s, announce);
}

static bool is_folder(const char *path) {
  file_stat stat;
  return sys_stat(path, &stat) == 0 && stat.kind == FILE_DIRECTORY;
}

static bool is_excluded(const diff *d, const char *name) {
  for (size_t i = 0; i < d->exclude_count; i++) {
    if (glob_match(d->exclude[i], name, 0)) return true;
  }
  return false;
}

static int compare_folders(diff *d, const char *a, const char *b);

static int compare_entry(diff *d, const char *a, const char *b, int which, const char *name) {
  char *x = path_join(a, name), *y = path_join(b, name);
  file_stat p, q;
  bool have[2] = {which <= 0, which >= 0};
  if (have[0]) have[0] = sys_stat(x, &p) == 0;
  if (have[1]) have[1] = sys_stat(y, &q) == 0;
  bool folder[2] = {have[0] && p.kind == FILE_DIRECTORY, have[1] && q.kind == FILE_DIRECTORY};
  if ((!have[0] || !have[1]) && !d->new_files) {
    output_format(&d->b.out, "Only in %s: %s\n", have[0] ? a : b, name);
    return 1;
  }
  if (folder[0] || folder[1]) {
    if ((folder[0] && have[1] && !folder[1]) || (folder[1] && have[0] && !folder[0])) {
      output_format(&d->b.out, "File %s is a %s while file %s is a %s\n", x,
                    folder[0] ? "directory" : "regular file", y,
                    folder[1] ? "directory" : "regular file");
      return 1;
    }
    if (d->recursive) return compare_folders(d, x, y);
    output_format(&d->b.out, "Common subdirectories: %s and %s\n", x, y);
    return 0;
  }
  return compare_files(d, x, y, true);
}

static int compare_folders(diff *d, const char *a, const char *b) {
  char **names[2];
  size_t count[2], i = 0, k = 0;
  const char *paths[2] = {a, b};
  int status = 0;
  if (process_stack_left() < 16384) {
    bin_warn(&d->b, "%s: folders nest too deeply", a);
    return 2;
  }
  for (int f = 0; f < 2; f++) {
    int error = path_list(paths[f], true, &names[f], &count[f]);
    if (error == -ENOENT && d->new_files)
      count[f] = 0;
    else if (error < 0) {
      bin_warn(&d->b, "%s: %s", paths[f], error_text(error));
      return 2;
    }
  }
  while (i < count[0] || k < count[1]) {
    int order = i == count[0] ? 1 : k == count[1] ? -1 : strcmp(names[0][i], names[1][k]);
    const char *name = order <= 0 ? names[0][i] : names[1][k];
    i += order <= 0;
    k += order >= 0;
    if (is_excluded(d, name)) continue;
    int one = compare_entry(d, a, b, order < 0 ? -1 : order > 0 ? 1 : 0, name);
    if (one > status) status = one;
  }
  return status;
}

static int compare(diff *d, const char *a, const char *b) {
  bool x = strcmp(a, "-") != 0 && is_folder(a), y = strcmp(b, "-") != 0 && is_folder(b);
  if (x && y) return compare_folders(d, a, b);
  if (x) return compare_files(d, path_join(a, path_base(b)), b, false);
  if (y) return compare_files(d, a, path_join(b, path_base(a)), false);
  return compare_files(d, a, b, false);
}

static void long_option(diff *d, options *o) {
  if (options_is(o, "label") && d->label_count < 2) d->labels[d->label_count++] = o->value;
  if (options_is(o, "strip-trailing-cr")) d->strip_cr = true;
}

static size_t context_of(options *o) {
  return o->value == NULL ? 3 : (size_t)options_number(o, NULL, "invalid context length");
}

static int diff_main(int argc, char **argv, char **environment) {
  diff d = {.style = 'n', .context = 3};
  options o;
  options_start(&o, &d.b, command_find("diff"), argc, argv, environment);
  d.b.usage_status = 2;
  d.b.usage_named = true;
  zone_parse(&d.zone, environment_get(environment, "TZ"));
  for (int i = 1; i < argc; i++) {
    if (argv[i][0] == '-' && argv[i][1] != 0 && strcmp(argv[i], "--") != 0)
      text_format(&d.options_given, " %s", argv[i]);
  }
  text_end(&d.options_given);
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case 'u':
        d.style = 'u';
        if (o.value != NULL) d.context = context_of(&o);
        break;
      case 'U':
        d.style = 'u';
        d.context = context_of(&o);
        break;
      case 'c':
        d.style = 'c';
        if (o.value != NULL) d.context = context_of(&o);
        break;
      case 'C':
        d.style = 'c';
        d.context = context_of(&o);
        break;
      case 'e':
        d.style = 'e';
        break;
      case 'r':
        d.recursive = true;
        break;
      case 'q':
        d.brief = true;
        break;
      case 's':
        d.report_same = true;
        break;
      case 'i':
        d.icase = true;
        break;
      case 'w':
        d.all_blanks = true;
        break;
      case 'b':
        d.blank_amounts = true;
        break;
      case 'Z':
        d.trailing = true;
        break;
      case 'B':
        d.blank_lines = true;
        break;
      case 'N':
        d.new_files = true;
        break;
      case 'a':
        d.text = true;
        break;
      case 'x':
        d.exclude = memory_resize(d.exclude, (d.exclude_count + 1) * sizeof *d.exclude);
        d.exclude[d.exclude_count++] = o.value;
        break;
      case OPTION_LONG:
        long_option(&d, &o);
        break;
      default:
        break;
    }
  }
  if (o.operand_count < 2) bin_usage(&d.b, "missing operand after '%s'", argv[argc - 1]);
  if (o.operand_count > 2) bin_usage(&d.b, "extra operand '%s'", o.operands[2]);
  int status = compare(&d, o.operands[0], o.operands[1]);
  return bin_end(&d.b) != 0 ? 2 : status;
}

const command command_diff = {
    .name = "diff",
    .main = diff_main,
    .usage = "diff [OPTION]... FILES",
    .options =
        "-a, --text\tall files are text\n"
        "-b, --ignore-space-change\tignore amounts of blanks\n"
        "-B, --ignore-blank-lines\tignore changes of empty lines only\n"
        "-c, --context[=NUM]\tcopied context, NUM lines\n-C NUM\tas -c with NUM lines\n"
        "-d, --minimal\tignored\n-e, --ed\tan ed script\n"
        "-i, --ignore-case\tignore case\n"
        "--label=LABEL\tin place of a file's name and time\n"
        "-N, --new-file\tmissing files count as empty\n"
        "--normal\tas usual\n"
        "-p, --show-c-function\tignored\n"
        "-q, --brief\tonly say whether they differ\n"
        "-r, --recursive\tfolders below too\n"
        "-s, --report-identical-files\tsay when they do not\n"
        "--strip-trailing-cr\tignore CR before a newline\n"
        "-t, --expand-tabs\tignored\n"
        "-u, --unified[=NUM]\tunified context, NUM lines\n-U NUM\tas -u with NUM lines\n"
        "-w, --ignore-all-space\tignore blanks\n"
        "-x, --exclude=PAT\tleave out files that match PAT\n"
        "-Z, --ignore-trailing-space\tignore blanks at the end of a line\n"
        "--color[=WHEN]\tignored",
    .stack = 262144};
