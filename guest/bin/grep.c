// SPDX-License-Identifier: MIT
/* grep.c -- grep, egrep and fgrep. All patterns are one automaton, which is run over whole buffers:
 * a line is looked for only around a match. With -z, back-references or Perl's extras it goes
 * record by record. */
#include "../text/bytes.h"
#include "../text/regex.h"
#include "../text/unicode.h"
#include "glob.h"
#include "options.h"
#include "walk.h"

typedef struct {
  char **at;
  size_t count;
} globs;

typedef struct {
  bin b;
  text patterns;
  bool have_patterns;
  size_t pattern_count;
  regex_syntax syntax;
  unsigned flags;
  regex *re; /* NULL: no pattern at all, nothing matches */
  bool invert, count, list, list_without, quiet, no_messages, only, numbers, offsets, c_locale;
  bool names, no_names, null_names, zero, recursive, follow, initial_tab, color;
  int binary;  /* 'b' a message, 't'ext, 'w'ithout match */
  int folders; /* 'r'ead, 's'kip, 'R'ecurse */
  uint64_t most, before, after;
  bool group_separators;
  const char *separator, *label;
  globs include, exclude, exclude_folders;
  bool matched, failed; /* over all files */
  /* Of the file being read: */
  const char *name;
  bool with_name;
} grep;

/* A window of whole lines, each with its mark. Offsets are into the window. */
typedef struct {
  grep *g;
  input in;
  char mark;
  uint64_t selected, line_number, base; /* base: file offset of the window */
  size_t at;                            /* lines before here have been judged */
  size_t counted;                       /* lines before here are in line_number */
  size_t shown;                         /* end of what has been printed */
  uint64_t trailing;                    /* lines of context still to print */
  bool printed, skipped;                /* skipped: unprinted lines have left the window */
  bool is_binary, said_binary, done;
} scan;

static const char red[] = "\33[01;31m\33[K", off[] = "\33[m\33[K";

static void colored(grep *g, const char *code, const char *at, size_t size) {
  if (g->color) output_format(&g->b.out, "\33[%sm\33[K", code);
  output_write(&g->b.out, at, size);
  if (g->color) output_string(&g->b.out, off);
}

static void put_separator(grep *g, char kind) {
  colored(g, "36", &kind, 1);
}

static void put_number(grep *g, const char *code, uint64_t value, int width) {
  text t = {0};
  text_format(&t, "%*llu", width, (unsigned long long)value);
  colored(g, code, t.at, t.len);
  text_free(&t);
}

static void put_head(scan *s, char kind, size_t offset) {
  grep *g = s->g;
  bool any = g->with_name || g->numbers || g->offsets;
  if (g->with_name) {
    colored(g, "35", g->name, strlen(g->name));
    if (g->null_names)
      output_byte(&g->b.out, 0);
    else
      put_separator(g, kind);
  }
  if (g->numbers) {
    put_number(g, "32", s->line_number, 0);
    put_separator(g, kind);
  }
  if (g->offsets) {
    put_number(g, "32", s->base + offset, 0);
    put_separator(g, kind);
  }
  if (g->initial_tab && any) output_byte(&g->b.out, '\t');
}

static bool is_valid(const grep *g, const char *line, size_t size) {
  for (size_t i = 0; i < size;) {
    uint32_t c;
    size_t length = (unsigned char)line[i] < 0x80 ? 1
                    : g->c_locale                 ? 0
                                                  : utf8_decode(line + i, size - i, &c);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

static void count_lines(scan *s, const char *text, size_t to) {
  if (!s->g->numbers) return;
  s->line_number += bytes_count(text + s->counted, s->mark, to - s->counted);
  s->counted = to;
}

/* The matches within a line: alone (-o) or in colour. */
static void put_matches(scan *s, const char *text, size_t start, size_t end) {
  grep *g = s->g;
  const char *line = text + start;
  size_t size = end - start, at = 0, done = 0;
  regex_span span;
  while (g->re != NULL && at <= size && regex_search(g->re, line, size, at, 0, &span, 1) == 1) {
    if (span.end == span.start) {
      at = (size_t)span.end +
           (span.end < (ptrdiff_t)size ? utf8_step(line + span.end, size - (size_t)span.end) : 1);
      continue;
    }
    if (g->only) {
      put_head(s, ':', start + (size_t)span.start);
      colored(g, "01;31", line + span.start, (size_t)(span.end - span.start));
      output_byte(&g->b.out, s->mark);
    } else {
      output_write(&g->b.out, line + done, (size_t)span.start - done);
      output_string(&g->b.out, red);
      output_write(&g->b.out, line + span.start, (size_t)(span.end - span.start));
      output_string(&g->b.out, off);
    }
    at = done = (size_t)span.end;
  }
  if (!g->only) output_write(&g->b.out, line + done, size - done);
}

static void put_line(scan *s, const char *text, size_t start, size_t end, char kind) {
  grep *g = s->g;
  if (g->binary == 'b' && !s->is_binary && !is_valid(g, text + start, end - start))
    s->is_binary = true;
  if (s->is_binary && g->binary != 't' && !g->zero) {
    s->said_binary = true;
    s->done = true;
    return;
  }
  count_lines(s, text, start);
  if (g->numbers) s->line_number++, s->counted = end + 1;
  if (g->only) {
    if (kind == ':' && !g->invert) put_matches(s, text, start, end);
  } else {
    put_head(s, kind, start);
    if (g->color && kind == ':' && !g->invert)
      put_matches(s, text, start, end);
    else
      output_write(&g->b.out, text + start, end - start);
    output_byte(&g->b.out, s->mark);
  }
  s->shown = end + 1;
  s->printed = true;
}

static size_t line_end(const scan *s, const char *text, size_t from, size_t size) {
  const char *found = bytes_chr(text + from, s->mark, size - from);
  return found == NULL ? size : (size_t)(found - text);
}

/* Lines behind the last selected one, up to `limit`. */
static void put_trailing(scan *s, const char *text, size_t limit) {
  while (s->trailing > 0 && s->shown < limit && !s->done) {
    size_t end = line_end(s, text, s->shown, limit);
    put_line(s, text, s->shown, end, '-');
    s->trailing--;
  }
}

static void put_leading(scan *s, const char *text, size_t start) {
  grep *g = s->g;
  size_t from = start;
  for (uint64_t left = g->before; left > 0 && from > s->shown; left--) {
    const char *before = bytes_rchr(text + s->shown, s->mark, from - 1 - s->shown);
    from = before == NULL ? s->shown : (size_t)(before - text) + 1;
  }
  bool gap = s->printed && (from > s->shown || s->skipped);
  if (gap && (g->before > 0 || g->after > 0) && g->group_separators && !g->only) {
    colored(g, "36", g->separator, strlen(g->separator));
    output_byte(&g->b.out, '\n');
  }
  s->shown = from;
  s->skipped = false;
  while (s->shown < start && !s->done)
    put_line(s, text, s->shown, line_end(s, text, s->shown, start), '-');
}

static void select_line(scan *s, const char *text, size_t start, size_t end) {
  grep *g = s->g;
  s->selected++;
  if (g->quiet || g->list || g->list_without) {
    s->done = true;
    return;
  }
  if (!g->count) {
    put_trailing(s, text, start);
    if (!s->done) put_leading(s, text, start);
    if (!s->done) put_line(s, text, start, end, ':');
    s->trailing = g->after;
  }
}

/* Whether selected lines are printed as they are, one after the other. */
static bool as_they_are(const grep *g) {
  return !g->quiet && !g->list && !g->list_without && !g->count && !g->with_name && !g->numbers &&
         !g->offsets && !g->initial_tab && !g->only && !g->color && g->before == 0 &&
         g->after == 0 && g->most == UINT64_MAX;
}

/* Selects whole lines at once; false where they have to be looked at one by one. */
static bool select_lines(scan *s, const char *text, size_t start, size_t end) {
  const grep *g = s->g;
  if (!as_they_are(g) || s->is_binary) return false;
  if (g->binary == 'b' && !is_valid(g, text + start, end - start)) return false;
  s->selected++;
  output_write(&s->g->b.out, text + start, end - start);
  s->shown = end;
  s->printed = true;
  return true;
}

/* The next line of text[from..size) that matches, whatever -v says; size is behind a mark. 1 found,
 * 0 not, -1 gave up. */
static int next_match(scan *s, const char *text, size_t size, size_t from, size_t *start,
                      size_t *end) {
  grep *g = s->g;
  size_t match_end;
  if (g->re == NULL || from >= size) return 0;
  if (!g->zero) {
    int found = regex_test(g->re, text + from, size - 1 - from, 0, &match_end);
    if (found != 1) return found;
    match_end += from;
    const char *before = bytes_rchr(text + from, '\n', match_end - from);
    *start = before == NULL ? from : (size_t)(before - text) + 1;
    *end = line_end(s, text, match_end, size);
    return 1;
  }
  for (size_t at = from; at < size; at = *end + 1) {
    *start = at;
    *end = line_end(s, text, at, size);
    int found = regex_test(g->re, text + at, *end - at, 0, NULL);
    if (found != 0) return found;
  }
  return 0;
}

static void scan_window(scan *s, const char *text, size_t size) {
  grep *g = s->g;
  while (!s->done && s->at < size) {
    size_t start = size, end = size;
    int found = next_match(s, text, size, s->at, &start, &end);
    if (found < 0) {
      bin_warn(&g->b, "%s: exceeded PCRE's backtracking limit", g->name);
      g->failed = true;
      s->done = true;
      return;
    }
    if (found != 1) start = size;
    if (g->invert && s->at < start && select_lines(s, text, s->at, start)) s->at = start;
    while (g->invert && s->at < start && !s->done) { /* every line before the match */
      if (s->selected >= g->most) break;
      size_t stop = line_end(s, text, s->at, start);
      select_line(s, text, s->at, stop);
      s->at = stop + 1;
    }
    if (!g->invert && found == 1 && s->selected < g->most) select_line(s, text, start, end);
    if (s->selected >= g->most) { /* only the context behind it is left */
      put_trailing(s, text, size);
      if (s->trailing == 0 || g->count) s->done = true;
      s->at = size;
      return;
    }
    s->at = found == 1 ? end + 1 : size;
  }
  if (!g->count && !s->done) put_trailing(s, text, size);
}

/* Drops what no later match could want as context. */
static void slide(scan *s, const char *text, size_t size) {
  size_t keep = size;
  for (uint64_t left = s->g->before; left > 0 && keep > s->shown && keep > 0; left--) {
    const char *before = bytes_rchr(text, s->mark, keep - 1);
    keep = before == NULL ? 0 : (size_t)(before - text) + 1;
  }
  if (keep < s->shown) keep = s->shown;
  count_lines(s, text, keep);
  s->skipped |= s->shown < keep;
  s->shown = s->shown > keep ? s->shown - keep : 0;
  s->counted = s->counted > keep ? s->counted - keep : 0;
  s->at = s->at > keep ? s->at - keep : 0;
  s->base += keep;
  input_take(&s->in, keep);
}

static void scan_file(scan *s) {
  size_t have = 0, total;
  char *text;
  for (;;) {
    total = input_peek(&s->in, have + 1, &text);
    bool last = s->in.ended && total == have;
    if (last && total > s->at && text[total - 1] != s->mark) {
      input_mark_end(&s->in, s->mark);
      total = input_peek(&s->in, 0, &text);
    }
    if (!s->is_binary && total > have && !s->g->zero && s->g->binary != 't') {
      s->is_binary = memchr(text + have, 0, total - have) != NULL;
      if (s->is_binary && s->g->binary == 'w') return;
    }
    const char *end = total > s->at ? bytes_rchr(text + s->at, s->mark, total - s->at) : NULL;
    if (end != NULL) {
      size_t size = (size_t)(end - text) + 1;
      scan_window(s, text, size);
      if (s->done) return;
      slide(s, text, size);
    }
    if (last) return;
    have = s->in.end - s->in.start;
  }
}

/* ---- files ---- */

static void put_name(grep *g) {
  colored(g, "35", g->name, strlen(g->name));
  output_byte(&g->b.out, g->null_names ? 0 : '\n');
}

static void report(scan *s) {
  grep *g = s->g;
  bool found = s->selected > 0;
  if (found != g->list_without) g->matched = true;
  if (g->quiet) return;
  if (g->count && !g->list && !g->list_without) {
    if (g->with_name) {
      colored(g, "35", g->name, strlen(g->name));
      if (g->null_names)
        output_byte(&g->b.out, 0);
      else
        put_separator(g, ':');
    }
    output_format(&g->b.out, "%llu\n", (unsigned long long)s->selected);
  }
  if ((g->list && found) || (g->list_without && !found)) put_name(g);
  if (s->said_binary) {
    bin_warn(&g->b, "%s: binary file matches", g->name);
  }
}

static void search(grep *g, const char *path, const char *shown) {
  scan s = {.g = g, .mark = g->zero ? 0 : '\n'};
  g->name = shown;
  int error = input_open(&s.in, path);
  file_stat stat;
  if (error == 0 && sys_fstat(s.in.fd, &stat) == 0 && stat.kind == FILE_DIRECTORY) {
    input_close(&s.in);
    if (g->folders == 's') return;
    error = -EISDIR;
  }
  if (error == -EISDIR) {
    if (!g->no_messages) bin_warn(&g->b, "%s: Is a directory", shown);
    g->failed = true;
    return;
  }
  if (error < 0) {
    if (!g->no_messages) bin_warn(&g->b, "%s: %s", shown, error_text(error));
    g->failed = true;
    return;
  }
  if (g->most > 0) scan_file(&s);
  if (s.in.error != 0) {
    if (!g->no_messages) bin_warn(&g->b, "%s: %s", shown, error_text(s.in.error));
    g->failed = true;
  }
  report(&s);
  if (s.in.fd == 0 && s.in.end > s.in.start)
    sys_seek(0, -(int64_t)(s.in.end - s.in.start), 1 /* SEEK_CUR */);
  input_close(&s.in);
}

static bool any_glob(const globs *list, const char *name, const char *path) {
  for (size_t i = 0; i < list->count; i++) {
    if (glob_match(list->at[i], name, 0) || glob_match(list->at[i], path, 0)) return true;
  }
  return false;
}

static bool is_excluded(const grep *g, const char *name, const char *path) {
  if (any_glob(&g->exclude, name, path)) return true;
  return g->include.count > 0 && !any_glob(&g->include, name, path);
}

static bool enough(const grep *g) {
  return g->quiet && g->matched;
}

static void search_tree(grep *g, const char *start, bool stripped) {
  walk w;
  walk_event event;
  walk_start(&w, start, true);
  w.follow = g->follow;
  while (!enough(g) && walk_next(&w, &event)) {
    const char *shown = stripped && strncmp(w.path, "./", 2) == 0 ? w.path + 2 : w.path;
    if (event == WALK_ERROR) {
      if (!g->no_messages) bin_warn(&g->b, "%s: %s", shown, error_text(w.error));
      g->failed = true;
    } else if (event == WALK_ENTER) {
      w.skip = w.depth > 0 && any_glob(&g->exclude_folders, w.name, shown);
      if (w.depth == 0 && strcmp(start, ".") != 0)
        w.skip = any_glob(&g->exclude_folders, w.name, shown);
    } else if (event == WALK_FILE && !(w.depth > 0 && w.stat.kind != FILE_REGULAR &&
                                       !(g->follow && w.stat.kind == FILE_LINK))) {
      if (!is_excluded(g, w.name, shown)) search(g, w.path, shown);
    }
  }
}

/* ---- the command line ---- */

static void add_pattern(grep *g, const char *pattern, size_t size) {
  if (g->pattern_count++ > 0) text_char(&g->patterns, '\n');
  text_add(&g->patterns, pattern, size);
  g->have_patterns = true;
}

static void add_pattern_file(grep *g, const char *path) {
  input in;
  int error = input_open(&in, path);
  if (error < 0) bin_die(&g->b, 2, "%s: %s", path, error_text(error));
  size_t size;
  char *all = input_all(&in, &size);
  g->have_patterns = true;
  if (size > 0) add_pattern(g, all, all[size - 1] == '\n' ? size - 1 : size);
  input_close(&in);
}

static void push_glob(globs *list, char *pattern) {
  size_t size = strlen(pattern);
  while (size > 1 && pattern[size - 1] == '/') pattern[--size] = 0;
  list->at = memory_resize(list->at, (list->count + 1) * sizeof *list->at);
  list->at[list->count++] = pattern;
}

static void compile(grep *g) {
  if (g->pattern_count == 0) return;
  const char *error;
  unsigned flags = g->flags | (g->zero ? 0 : REGEX_LINES) | (g->c_locale ? REGEX_BYTES : 0);
  if (g->syntax != REGEX_PERL) {
    flags |= REGEX_LIST;
  } else if (memchr(g->patterns.at, '\n', g->patterns.len) != NULL) {
    bin_die(&g->b, 2, "the -P option only supports a single pattern");
  }
  g->re = regex_compile(text_end(&g->patterns), g->patterns.len, g->syntax, flags, &error);
  if (g->re == NULL) bin_die(&g->b, 2, "%s", error);
}

static uint64_t context(grep *g, options *o) {
  uint64_t value;
  if (number_parse(o->value, NULL, &value) == -EINVAL) {
    bin_die(&g->b, 2, "%s: invalid context length argument", o->value);
  }
  return value;
}

static void long_option(grep *g, options *o) {
  if (options_is(o, "include")) push_glob(&g->include, o->value);
  if (options_is(o, "exclude")) push_glob(&g->exclude, o->value);
  if (options_is(o, "exclude-dir")) push_glob(&g->exclude_folders, o->value);
  if (options_is(o, "label")) g->label = o->value;
  if (options_is(o, "color")) g->color = o->value != NULL && strcmp(o->value, "always") == 0;
  if (options_is(o, "binary-files"))
    g->binary = *o->value == 't' ? 't' : *o->value == 'w' ? 'w' : 'b';
  if (options_is(o, "group-separator")) g->separator = o->value;
  if (options_is(o, "no-group-separator")) g->group_separators = false;
  if (options_is(o, "no-ignore-case")) g->flags &= ~(unsigned)REGEX_ICASE;
  if (options_is(o, "exclude-from")) {
    input in;
    char *line;
    size_t size;
    if (!bin_open(&g->b, &in, o->value)) bin_exit(&g->b, 2);
    while (input_line(&in, &line, &size, NULL)) push_glob(&g->exclude, memory_copy(line, size));
  }
}

/* -5 means -C 5; several digits in a row are one number. */
static void digit(grep *g, char c, bool *was_digit) {
  uint64_t value = (uint64_t)(c - '0');
  if (*was_digit && g->before < 1000000) value += g->before * 10;
  g->before = g->after = value;
  *was_digit = true;
}

static void read_options(grep *g, options *o) {
  bool was_digit = false;
  for (int key; (key = options_next(o)) != 0;) {
    if (key >= '0' && key <= '9') {
      digit(g, (char)key, &was_digit);
      continue;
    }
    was_digit = false;
    switch (key) {
      case 'E':
        g->syntax = REGEX_EXTENDED;
        break;
      case 'F':
        g->syntax = REGEX_FIXED;
        break;
      case 'G':
        g->syntax = REGEX_BASIC;
        break;
      case 'P':
        g->syntax = REGEX_PERL;
        break;
      case 'e':
        add_pattern(g, o->value, strlen(o->value));
        break;
      case 'f':
        add_pattern_file(g, o->value);
        break;
      case 'i':
        g->flags |= REGEX_ICASE;
        break;
      case 'w':
        g->flags |= REGEX_WHOLE_WORD;
        break;
      case 'x':
        g->flags |= REGEX_WHOLE_LINE;
        break;
      case 'v':
        g->invert = true;
        break;
      case 'c':
        g->count = true;
        break;
      case 'l':
        g->list = true;
        break;
      case 'L':
        g->list_without = true;
        break;
      case 'q':
        g->quiet = true;
        break;
      case 's':
        g->no_messages = true;
        break;
      case 'o':
        g->only = true;
        break;
      case 'n':
        g->numbers = true;
        break;
      case 'b':
        g->offsets = true;
        break;
      case 'H':
        g->names = true, g->no_names = false;
        break;
      case 'h':
        g->no_names = true, g->names = false;
        break;
      case 'Z':
        g->null_names = true;
        break;
      case 'z':
        g->zero = true;
        break;
      case 'T':
        g->initial_tab = true;
        break;
      case 'r':
        g->recursive = true;
        break;
      case 'R':
        g->recursive = g->follow = true;
        break;
      case 'd':
        g->folders = *o->value;
        g->recursive = *o->value == 'r' && o->value[2] == 'c';
        break;
      case 'a':
        g->binary = 't';
        break;
      case 'I':
        g->binary = 'w';
        break;
      case 'A':
        g->after = context(g, o);
        break;
      case 'B':
        g->before = context(g, o);
        break;
      case 'C':
        g->before = g->after = context(g, o);
        break;
      case 'm':
        if (*o->value == '-')
          g->most = UINT64_MAX;
        else if (number_parse(o->value, "bK", &g->most) == -EINVAL)
          bin_die(&g->b, 2, "invalid max count");
        break;
      case OPTION_LONG:
        long_option(g, o);
        break;
      default:
        break;
    }
  }
}

static int run(int argc, char **argv, char **environment, regex_syntax syntax) {
  grep g = {.syntax = syntax,
            .most = UINT64_MAX,
            .binary = 'b',
            .folders = 'r',
            .group_separators = true,
            .separator = "--",
            .label = "(standard input)"};
  options o;
  options_start(&o, &g.b, command_find("grep"), argc, argv, environment);
  g.b.usage_status = 2;
  g.c_locale = environment_bytes(environment);
  read_options(&g, &o);
  int next = 0;
  if (!g.have_patterns) {
    if (o.operand_count == 0) {
      static const char usage[] = "Usage: grep [OPTION]... PATTERNS [FILE]...\n";
      sys_write(2, usage, sizeof usage - 1);
      bin_usage(&g.b, NULL);
    }
    add_pattern(&g, o.operands[next], strlen(o.operands[next]));
    next++;
  }
  compile(&g);
  if (g.only && !g.invert) g.before = g.after = 0;
  int files = o.operand_count - next;
  g.with_name = g.names || (!g.no_names && (files > 1 || g.recursive));
  if (g.with_name && g.no_names) g.with_name = false;
  if (files == 0 && g.recursive) search_tree(&g, ".", true);
  if (files == 0 && !g.recursive) search(&g, "-", g.label);
  for (int i = next; i < o.operand_count && !enough(&g); i++) {
    const char *path = o.operands[i];
    file_stat stat;
    bool folder = g.recursive && strcmp(path, "-") != 0 && sys_stat(path, &stat) == 0 &&
                  stat.kind == FILE_DIRECTORY;
    if (strcmp(path, "-") == 0) {
      search(&g, "-", g.label);
    } else if (folder) {
      if (files == 1 && !g.no_names) g.with_name = true;
      search_tree(&g, path, false);
    } else if (!is_excluded(&g, path, path)) {
      if (files == 1 && !g.names) g.with_name = false;
      search(&g, path, path);
    }
  }
  int failed = bin_end(&g.b);
  if (failed != 0) return 2;
  if (g.failed && !(g.quiet && g.matched)) return 2;
  return g.matched ? 0 : 1;
}

static int grep_main(int argc, char **argv, char **environment) {
  return run(argc, argv, environment, REGEX_BASIC);
}
static int egrep_main(int argc, char **argv, char **environment) {
  return run(argc, argv, environment, REGEX_EXTENDED);
}
static int fgrep_main(int argc, char **argv, char **environment) {
  return run(argc, argv, environment, REGEX_FIXED);
}

#define OPTIONS                                                         \
  "-E, --extended-regexp\tpatterns are extended regular expressions\n"  \
  "-F, --fixed-strings\tpatterns are plain strings\n"                   \
  "-G, --basic-regexp\tpatterns are basic regular expressions\n"        \
  "-P, --perl-regexp\tpatterns are Perl's (a subset: see docs)\n"       \
  "-e, --regexp=PATTERNS\tuse PATTERNS\n"                               \
  "-f, --file=FILE\ttake patterns from FILE\n"                          \
  "-i, -y, --ignore-case\tignore case\n"                                \
  "--no-ignore-case\tdo not\n"                                          \
  "-w, --word-regexp\tmatch only whole words\n"                         \
  "-x, --line-regexp\tmatch only whole lines\n"                         \
  "-z, --null-data\tlines end with NUL\n"                               \
  "-s, --no-messages\tno messages about files\n"                        \
  "-v, --invert-match\tselect lines that do not match\n"                \
  "-m, --max-count=NUM\tstop after NUM selected lines\n"                \
  "-b, --byte-offset\tshow byte offsets\n"                              \
  "-n, --line-number\tshow line numbers\n"                              \
  "--line-buffered\tignored\n"                                          \
  "-H, --with-filename\tshow file names\n"                              \
  "-h, --no-filename\tdo not\n"                                         \
  "--label=LABEL\tthe name of standard input\n"                         \
  "-o, --only-matching\tshow only what matches\n"                       \
  "-q, --quiet, --silent\tno output\n"                                  \
  "--binary-files=TYPE\tbinary, text or without-match\n"                \
  "-a, --text\tas --binary-files=text\n"                                \
  "-I\tas --binary-files=without-match\n"                               \
  "-d, --directories=ACTION\tread, skip or recurse\n"                   \
  "-D, --devices=ACTION\tignored\n"                                     \
  "-r, --recursive\tgo into folders\n"                                  \
  "-R, --dereference-recursive\tas -r, following links\n"               \
  "--include=GLOB\tsearch only files that match GLOB\n"                 \
  "--exclude=GLOB\tleave out files that match GLOB\n"                   \
  "--exclude-from=FILE\tleave out files that match a line of FILE\n"    \
  "--exclude-dir=GLOB\tleave out folders that match GLOB\n"             \
  "-L, --files-without-match\tshow names of files without a match\n"    \
  "-l, --files-with-matches\tshow names of files with a match\n"        \
  "-c, --count\tshow counts\n"                                          \
  "-T, --initial-tab\ta tab before the line\n"                          \
  "-Z, --null\tNUL behind file names\n"                                 \
  "-A, --after-context=NUM\tshow NUM lines behind\n"                    \
  "-B, --before-context=NUM\tshow NUM lines before\n"                   \
  "-C, --context=NUM\tshow NUM lines around\n"                          \
  "-0\tas -C 0\n-1\tas -C 1\n-2\tas -C 2\n-3\tas -C 3\n-4\tas -C 4\n"   \
  "-5\tas -C 5\n-6\tas -C 6\n-7\tas -C 7\n-8\tas -C 8\n-9\tas -C 9\n"   \
  "--group-separator=SEP\tbetween groups of lines, instead of --\n"     \
  "--no-group-separator\tnothing between groups\n"                      \
  "--color[=WHEN], --colour[=WHEN]\tmark matches when WHEN is always\n" \
  "-U, --binary\tignored"

const command command_grep = {.name = "grep",
                              .main = grep_main,
                              .usage = "grep [OPTION]... PATTERNS [FILE]...",
                              .options = OPTIONS,
                              .stack = 262144};
const command command_egrep = {.name = "egrep",
                               .main = egrep_main,
                               .usage = "egrep [OPTION]... PATTERNS [FILE]...",
                               .options = OPTIONS,
                               .stack = 262144};
const command command_fgrep = {.name = "fgrep",
                               .main = fgrep_main,
                               .usage = "fgrep [OPTION]... PATTERNS [FILE]...",
                               .options = OPTIONS,
                               .stack = 262144};
