// SPDX-License-Identifier: MIT
/* rg.c -- search files, as ripgrep does, through a tree without what .gitignore and the like leave
 * out. Where ripgrep's order depends on its threads, this goes by name. */
#include "rg.h"

#include "../kernel/linux_errno.h"
#include "path.h"

#include <stdio.h>

typedef enum {
  SHOW_LINES,
  SHOW_COUNT,
  SHOW_MATCH_COUNT,
  SHOW_FILES,
  SHOW_OTHERS,
  SHOW_ONLY,
  SHOW_JSON,
  SHOW_NOTHING,
  LIST_FILES
} show;

typedef struct {
  bin b;
  regex *re;
  size_t groups;
  regex_span *spans;
  show show;
  bool invert, numbers, column, offsets, names, names_set, no_names, heading, vimgrep, null, trim,
      passthru, zero_lines;
  bool json, hidden, no_ignore, no_parent, follow, binary, text, multiline, quiet, silent,
      include_zero, no_context;
  size_t before, after, most, depth;
  const char *replace, *separator;
  bool depth_set;
  rg_rules globs;
  bool picks; /* a glob without "!" was given */
  const char *types[32], *not_types[32];
  size_t type_count, not_type_count;
  /* as it goes on */
  rg_rules ignores, parents; /* parents: of the folders above, in the same repository */
  char *above;               /* where the search began, seen from the repository */
  bool any, failed, shown_file;
  uint64_t matches_all, lines_all, searches, searches_with, searched, printed;
  text made; /* of -r */
} rg;

/* ---- one file ---- */

typedef struct {
  rg *r;
  const char *path;
  bool standard;
  uint64_t number, offset, lines, matches;
  size_t context_left;
  uint64_t last_shown;
  bool headed, began;
  text *ring; /* lines before, for -B */
  uint64_t ring_first;
  size_t ring_count;
} search;

static void put(rg *r, const char *at) {
  output_string(&r->b.out, at);
}

__attribute__((format(printf, 2, 3))) static void complain(rg *r, const char *format, ...) {
  char line[1200];
  va_list rest;
  va_start(rest, format);
  int size = vsnprintf(line, sizeof line - 1, format, rest);
  va_end(rest);
  if (size < 0) return;
  if (size > (int)sizeof line - 2) size = (int)sizeof line - 2;
  line[size++] = '\n';
  output_flush(&r->b.out);
  sys_write(2, line, (size_t)size);
}

static void put_json(rg *r, const char *at, size_t size) {
  output *out = &r->b.out;
  bool valid = true;
  for (size_t i = 0, used; i < size && valid; i += used)
    valid = !(point_decode(at + i, size - i, &used) & POINT_BYTE);
  if (!valid) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    put(r, "{\"bytes\":\"");
    for (size_t i = 0; i < size; i += 3) {
      uint32_t three = (uint32_t)(unsigned char)at[i] << 16;
      if (i + 1 < size) three |= (uint32_t)(unsigned char)at[i + 1] << 8;
      if (i + 2 < size) three |= (unsigned char)at[i + 2];
      output_byte(out, digits[three >> 18]);
      output_byte(out, digits[three >> 12 & 63]);
      output_byte(out, i + 1 < size ? digits[three >> 6 & 63] : '=');
      output_byte(out, i + 2 < size ? digits[three & 63] : '=');
    }
    put(r, "\"}");
    return;
  }
  put(r, "{\"text\":\"");
  for (size_t i = 0; i < size; i++) {
    unsigned char c = (unsigned char)at[i];
    static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
    const char *found = c == 0 ? NULL : strchr(from, c);
    if (found != NULL) {
      output_byte(out, '\\');
      output_byte(out, to[found - from]);
    } else if (c < ' ') {
      output_format(out, "\\u%04x", c);
    } else {
      output_byte(out, c);
    }
  }
  put(r, "\"}");
}

/* What -r makes of one match: $1, ${name}, $0. */
static void add_replacement(rg *r, text *to, const char *line, const char *with) {
  for (const char *at = with; *at != 0; at++) {
    if (*at != '$') {
      text_char(to, *at);
      continue;
    }
    if (at[1] == '$') {
      text_char(to, *++at);
      continue;
    }
    bool braces = at[1] == '{';
    const char *name = at + 1 + braces;
    size_t size = strspn(name, "0123456789_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
    if (size == 0 || (braces && name[size] != '}')) {
      text_char(to, '$');
      continue;
    }
    size_t group;
    if (strspn(name, "0123456789") >= size)
      group = strtoul(name, NULL, 10);
    else
      group = regex_group_number(r->re, name, size);
    bool known = group > 0 || (size == 1 && *name == '0');
    if (known && group <= r->groups && r->spans[group].start >= 0)
      text_add(to, line + r->spans[group].start,
               (size_t)(r->spans[group].end - r->spans[group].start));
    at = name + size - 1 + braces;
  }
}

/* The next match at `from` or behind; an empty one directly behind the last is passed over. */
static bool next_match(search *s, const char *line, size_t size, size_t from) {
  rg *r = s->r;
  if (from > size) return false;
  int found = regex_search(r->re, line, size, from, 0, r->spans, r->groups + 1);
  if (found < 0) {
    bin_warn(&r->b, "%s: the pattern takes too long", s->path);
    r->failed = true;
  }
  return found > 0;
}

static size_t behind(const rg *r) {
  size_t end = (size_t)r->spans[0].end;
  return r->spans[0].end > r->spans[0].start ? end : end + 1;
}

static void put_head(search *s, char mark, uint64_t number, uint64_t offset, long column) {
  rg *r = s->r;
  output *out = &r->b.out;
  if (r->heading && r->names) {
    if (!s->headed) {
      if (r->shown_file) output_byte(out, '\n');
      output_string(out, s->path);
      output_byte(out, r->null ? 0 : '\n');
    }
    s->headed = true;
    r->shown_file = true;
  } else if (r->names) {
    put(r, s->path);
    output_byte(out, r->null ? 0 : mark);
  }
  if (r->numbers) output_format(out, "%llu%c", (unsigned long long)number, mark);
  if (r->column && column > 0) output_format(out, "%ld%c", column, mark);
  if (r->offsets) output_format(out, "%llu%c", (unsigned long long)offset, mark);
}

static void put_text(rg *r, const char *line, size_t size) {
  if (r->trim) {
    while (size > 0 && (*line == ' ' || *line == '\t')) {
      line++;
      size--;
    }
  }
  output_write(&r->b.out, line, size);
  output_byte(&r->b.out, '\n');
}

static void put_context(search *s, const char *line, size_t size, uint64_t number,
                        uint64_t offset) {
  if (s->last_shown != 0 && number > s->last_shown + 1 && !s->r->no_context) {
    put(s->r, s->r->separator);
    output_byte(&s->r->b.out, '\n');
  }
  if (s->r->show == SHOW_JSON) {
    put(s->r, "{\"type\":\"context\",\"data\":{\"path\":");
    put_json(s->r, s->path, strlen(s->path));
    put(s->r, ",\"lines\":");
    text whole = {0};
    text_add(&whole, line, size);
    text_char(&whole, '\n');
    put_json(s->r, whole.at, whole.len);
    text_free(&whole);
    output_format(&s->r->b.out,
                  ",\"line_number\":%llu,\"absolute_offset\":%llu,\"submatches\":[]}}\n",
                  (unsigned long long)number, (unsigned long long)offset);
  } else {
    put_head(s, '-', number, offset, 0);
    put_text(s->r, line, size);
  }
  s->last_shown = number;
}

static void put_before(search *s) {
  rg *r = s->r;
  for (size_t i = 0; i < s->ring_count; i++) {
    uint64_t number = s->ring_first + i;
    text *line = &s->ring[number % r->before];
    if (number > s->last_shown) {
      uint64_t back = 0;
      for (uint64_t k = number; k < s->number; k++) back += s->ring[k % r->before].len + 1;
      put_context(s, line->len == 0 ? "" : line->at, line->len, number, s->offset - back);
    }
  }
  s->ring_count = 0;
}

static void keep_line(search *s, const char *line, size_t size) {
  rg *r = s->r;
  if (r->before == 0) return;
  if (s->ring == NULL) {
    s->ring = memory_take(r->before * sizeof *s->ring);
    memset(s->ring, 0, r->before * sizeof *s->ring);
  }
  text *to = &s->ring[s->number % r->before];
  to->len = 0;
  text_add(to, line, size);
  if (s->ring_count == r->before)
    s->ring_first++;
  else if (s->ring_count++ == 0)
    s->ring_first = s->number;
}

static void begin_json(search *s) {
  if (s->began || s->r->show != SHOW_JSON) return;
  s->began = true;
  put(s->r, "{\"type\":\"begin\",\"data\":{\"path\":");
  put_json(s->r, s->path, strlen(s->path));
  put(s->r, "}}\n");
}

static void put_json_match(search *s, const char *line, size_t size, bool newline) {
  rg *r = s->r;
  text whole = {0};
  begin_json(s);
  text_add(&whole, line, size);
  if (newline) text_char(&whole, '\n');
  put(r, "{\"type\":\"match\",\"data\":{\"path\":");
  put_json(r, s->path, strlen(s->path));
  put(r, ",\"lines\":");
  put_json(r, whole.at == NULL ? "" : whole.at, whole.len);
  output_format(&r->b.out, ",\"line_number\":%llu,\"absolute_offset\":%llu,\"submatches\":[",
                (unsigned long long)s->number, (unsigned long long)s->offset);
  bool first = true;
  for (size_t from = 0; !r->invert && next_match(s, line, size, from); from = behind(r)) {
    if (!first) put(r, ",");
    first = false;
    s->matches++;
    put(r, "{\"match\":");
    put_json(r, line + r->spans[0].start, (size_t)(r->spans[0].end - r->spans[0].start));
    output_format(&r->b.out, ",\"start\":%td,\"end\":%td}", r->spans[0].start, r->spans[0].end);
  }
  put(r, "]}}\n");
  text_free(&whole);
}

static void put_only(search *s, const char *line, size_t size) {
  rg *r = s->r;
  for (size_t from = 0; next_match(s, line, size, from); from = behind(r)) {
    size_t start = (size_t)r->spans[0].start, length = (size_t)r->spans[0].end - start;
    if (length == 0 && r->replace == NULL) continue;
    s->matches++;
    put_head(s, ':', s->number, s->offset + start, (long)start + 1);
    if (r->replace != NULL) {
      r->made.len = 0;
      add_replacement(r, &r->made, line, r->replace);
      output_write(&r->b.out, r->made.at == NULL ? "" : r->made.at, r->made.len);
      output_byte(&r->b.out, '\n');
    } else {
      output_write(&r->b.out, line + start, length);
      output_byte(&r->b.out, '\n');
    }
  }
}

static void put_match(search *s, const char *line, size_t size) {
  rg *r = s->r;
  long column = 1;
  if (s->last_shown != 0 && s->number > s->last_shown + 1 && (r->before > 0 || r->after > 0) &&
      !r->no_context) {
    put(r, r->separator);
    output_byte(&r->b.out, '\n');
  }
  s->last_shown = s->number;
  if (r->vimgrep && !r->invert) {
    for (size_t from = 0; next_match(s, line, size, from); from = behind(r)) {
      put_head(s, ':', s->number, s->offset, r->spans[0].start + 1);
      put_text(r, line, size);
    }
    return;
  }
  if (r->column && !r->invert && next_match(s, line, size, 0)) column = r->spans[0].start + 1;
  put_head(s, ':', s->number, s->offset, column);
  if (r->replace == NULL || r->invert) {
    put_text(r, line, size);
    return;
  }
  r->made.len = 0;
  size_t copied = 0;
  for (size_t from = 0; next_match(s, line, size, from); from = behind(r)) {
    size_t start = (size_t)r->spans[0].start;
    text_add(&r->made, line + copied, start - copied);
    add_replacement(r, &r->made, line, r->replace);
    copied = (size_t)r->spans[0].end;
  }
  text_add(&r->made, line + copied, size - copied);
  put_text(r, r->made.at, r->made.len);
}

static void count_matches(search *s, const char *line, size_t size) {
  for (size_t from = 0; next_match(s, line, size, from); from = behind(s->r)) s->matches++;
}

/* True when the rest of the file does not matter. */
static bool take_line(search *s, const char *line, size_t size, bool newline) {
  rg *r = s->r;
  s->number++;
  bool found = regex_test(r->re, line, size, 0, NULL) > 0;
  if (found != r->invert) {
    s->lines++;
    switch (r->show) {
      case SHOW_FILES:
      case SHOW_OTHERS:
      case SHOW_NOTHING:
        return true;
      case SHOW_COUNT:
        break;
      case SHOW_MATCH_COUNT:
        if (r->invert)
          s->matches++;
        else
          count_matches(s, line, size);
        break;
      case SHOW_ONLY:
        if (!r->invert) put_only(s, line, size);
        break;
      case SHOW_JSON:
        put_before(s);
        put_json_match(s, line, size, newline);
        s->last_shown = s->number;
        break;
      default:
        put_before(s);
        put_match(s, line, size);
        break;
    }
    s->context_left = r->after;
    if (r->most != 0 && s->lines >= r->most && s->context_left == 0) return true;
  } else if (s->context_left > 0 && (r->show == SHOW_LINES || r->show == SHOW_JSON)) {
    s->context_left--;
    put_context(s, line, size, s->number, s->offset);
    if (r->most != 0 && s->lines >= r->most && s->context_left == 0) return true;
  } else if (r->passthru && r->show == SHOW_LINES) {
    put_head(s, '-', s->number, s->offset, 0);
    put_text(r, line, size);
  } else {
    if (r->most != 0 && s->lines >= r->most) return true;
    keep_line(s, line, size);
  }
  s->offset += size + newline;
  return r->b.out.error != 0;
}

/* -U: the whole file at once; a match may hold many lines. */
static void search_whole(search *s, input *in) {
  rg *r = s->r;
  size_t size, from = 0, line_start = 0;
  char *all = input_all(in, &size);
  uint64_t number = 1;
  size_t counted = 0;
  while (next_match(s, all, size, from)) {
    size_t start = (size_t)r->spans[0].start, end = (size_t)r->spans[0].end;
    if (start >= size && size > 0 && all[size - 1] == '\n') break;
    line_start = start;
    while (line_start > 0 && all[line_start - 1] != '\n') line_start--;
    size_t line_end = end > start && all[end - 1] == '\n' ? end - 1 : end;
    while (line_end < size && all[line_end] != '\n') line_end++;
    for (; counted < line_start; counted++) number += all[counted] == '\n';
    s->matches++;
    if (r->show == SHOW_FILES || r->show == SHOW_OTHERS || r->show == SHOW_NOTHING) {
      s->lines++;
      break;
    }
    if (r->show == SHOW_ONLY) {
      s->lines++;
      put_head(s, ':', number, start, (long)(start - line_start) + 1);
      output_write(&r->b.out, all + start, end - start);
      output_byte(&r->b.out, '\n');
      from = behind(r);
      continue;
    }
    if (r->show == SHOW_JSON) {
      s->number = number;
      s->offset = line_start;
      begin_json(s);
      put(r, "{\"type\":\"match\",\"data\":{\"path\":");
      put_json(r, s->path, strlen(s->path));
      put(r, ",\"lines\":");
      put_json(r, all + line_start, line_end - line_start + (line_end < size));
      output_format(&r->b.out,
                    ",\"line_number\":%llu,\"absolute_offset\":%zu,\"submatches\":[{\"match\":",
                    (unsigned long long)number, line_start);
      put_json(r, all + start, end - start);
      output_format(&r->b.out, ",\"start\":%zu,\"end\":%zu}]}}\n", start - line_start,
                    end - line_start);
      s->lines++;
      from = behind(r);
      continue;
    }
    s->number = number;
    for (size_t at = line_start; at <= line_end;) {
      size_t stop = at;
      while (stop < line_end && all[stop] != '\n') stop++;
      s->lines++;
      if (r->show == SHOW_LINES) {
        put_head(s, ':', s->number, at, at == line_start ? (long)(start - line_start) + 1 : 1);
        put_text(r, all + at, stop - at);
      }
      s->number++;
      at = stop + 1;
    }
    from = line_end + 1;
    if (r->most != 0 && s->matches >= r->most) break;
  }
  free(all);
}

static void finish(search *s, uint64_t searched) {
  rg *r = s->r;
  output *out = &r->b.out;
  bool matched = s->lines > 0;
  r->searches++;
  r->searches_with += matched;
  r->lines_all += s->lines;
  r->matches_all += s->matches;
  r->searched += searched;
  if (r->show == SHOW_OTHERS ? !matched : matched) r->any = true;
  if (r->quiet) return;
  if (r->show == SHOW_FILES || r->show == SHOW_OTHERS) {
    if (matched == (r->show == SHOW_FILES)) {
      put(r, s->path);
      output_byte(out, r->null ? 0 : '\n');
    }
  } else if (r->show == SHOW_COUNT || r->show == SHOW_MATCH_COUNT) {
    uint64_t count = r->show == SHOW_COUNT && !r->multiline ? s->lines : s->matches;
    if (count == 0 && !r->include_zero) return;
    if (r->names) {
      put(r, s->path);
      output_byte(out, r->null ? 0 : ':');
    }
    output_format(out, "%llu\n", (unsigned long long)count);
  } else if (r->show == SHOW_JSON && s->began) {
    put(r, "{\"type\":\"end\",\"data\":{\"path\":");
    put_json(r, s->path, strlen(s->path));
    output_format(
        out,
        ",\"binary_offset\":null,\"stats\":{\"elapsed\":{\"secs\":0,\"nanos\":0,\"human\":"
        "\"0.000000s\"},\"searches\":1,\"searches_with_match\":1,\"bytes_searched\":%llu,"
        "\"bytes_printed\":0,\"matched_lines\":%llu,\"matches\":%llu}}}\n",
        (unsigned long long)searched, (unsigned long long)s->lines, (unsigned long long)s->matches);
  }
}

static void search_file(rg *r, const char *path, const char *shown, bool named) {
  search s = {.r = r, .path = shown};
  input in;
  int error = input_open(&in, path);
  if (error < 0) {
    if (!r->silent)
      complain(r, "%s: %s (os error %d)", shown, error_text(error), errno_to_linux(-error));
    r->failed = true;
    return;
  }
  char *at;
  size_t have = input_peek(&in, 1, &at);
  const char *nul = r->text || r->multiline || have == 0 ? NULL : memchr(at, 0, have);
  if (nul != NULL && !named && !r->binary) {
    input_close(&in);
    return;
  }
  uint64_t hole = nul == NULL ? 0 : (uint64_t)(nul - at);
  char *line;
  size_t size;
  bool newline;
  if (r->multiline) {
    search_whole(&s, &in);
  } else if (nul != NULL) { /* only whether it matches */
    show what = r->show;
    bool found = false;
    while (!found && input_line(&in, &line, &size, NULL))
      found = regex_test(r->re, line, size, 0, NULL) > 0;
    s.lines = found;
    if (found && (what == SHOW_LINES || what == SHOW_ONLY)) {
      if (r->names) output_format(&r->b.out, "%s: ", shown);
      output_format(&r->b.out, "binary file matches (found \"\\0\" byte around offset %llu)\n",
                    (unsigned long long)hole);
    }
  } else {
    while (input_line(&in, &line, &size, &newline)) {
      if (take_line(&s, line, size, newline)) break;
    }
  }
  if (in.error != 0) {
    complain(r, "%s: %s (os error %d)", shown, error_text(in.error), errno_to_linux(in.error));
    r->failed = true;
  }
  input_close(&in);
  for (size_t i = 0; s.ring != NULL && i < r->before; i++) text_free(&s.ring[i]);
  free(s.ring);
  finish(&s, s.offset);
}

/* ---- the tree ---- */

static bool matches_any(const char *globs, const char *base) {
  char *copy = memory_string(globs);
  bool found = false;
  for (char *at = copy, *end; at != NULL && !found; at = end) {
    end = strchr(at, ' ');
    if (end != NULL) *end++ = 0;
    found = rg_glob(at, base, false);
  }
  free(copy);
  return found;
}

/* `relative` is the path from where the search began. */
static bool is_left_out(rg *r, const char *shown, const char *relative, bool is_folder) {
  const char *base = strrchr(relative, '/');
  base = base == NULL ? relative : base + 1;
  if (strncmp(shown, "./", 2) == 0) shown += 2;
  int glob = rg_rule_match(&r->globs, 0, shown, is_folder); /* these begin at the working folder */
  if (glob < 0) return true; /* "!" was turned round when it was read: see main */
  if (glob > 0) return false;
  if (r->picks && !is_folder) return true;
  int ignored = rg_rule_match(&r->ignores, 0, relative, is_folder);
  if (ignored == 0 && r->parents.count > 0) {
    text whole = {0};
    text_format(&whole, "%s%s", r->above, relative);
    ignored = rg_rule_match(&r->parents, 0, text_end(&whole), is_folder);
    text_free(&whole);
  }
  if (ignored > 0) return true;
  if (!r->hidden && *base == '.' && ignored == 0) return true;
  if (is_folder) return false;
  for (size_t i = 0; i < r->not_type_count; i++) {
    if (matches_any(r->not_types[i], base)) return true;
  }
  for (size_t i = 0; i < r->type_count; i++) {
    if (matches_any(r->types[i], base)) return false;
  }
  return r->type_count > 0;
}

static void read_ignores(rg *r, const char *file, const char *folder) {
  input in;
  char *line;
  size_t size;
  if (input_open(&in, file) < 0) return;
  while (input_line(&in, &line, &size, NULL)) {
    char *copy = memory_copy(line, size);
    rg_rule_add(&r->ignores, folder, copy, size, false);
    free(copy);
  }
  input_close(&in);
}

static bool is_there(const char *folder, const char *name) {
  file_stat stat;
  char *path = path_join(folder, name);
  bool there = sys_stat(path, &stat) == 0;
  free(path);
  return there;
}

/* Whether this folder, or one above it, is a git repository; reads what the folders above ignore.
 */
static bool in_repository(rg *r, const char *folder) {
  char *at, *start;
  if (path_resolve(folder, PATH_EXISTING, true, &at) < 0) return false;
  start = memory_string(at);
  while (!is_there(at, ".git")) {
    if (strcmp(at, "/") == 0) return false;
    at = path_parent(at);
  }
  size_t root = strcmp(at, "/") == 0 ? 1 : strlen(at) + 1;
  r->parents.count = 0;
  r->above = memory_string("");
  if (strlen(start) < root) return true;
  text above = {0};
  text_format(&above, "%s/", start + root);
  r->above = text_end(&above);
  rg_rules own = r->ignores;
  r->ignores = r->parents;
  for (char *end = r->above;; end++) {
    char *prefix = memory_copy(r->above, (size_t)(end - r->above));
    text file = {0};
    text_format(&file, "%s/%s.gitignore", strcmp(at, "/") == 0 ? "" : at, prefix);
    read_ignores(r, text_end(&file), prefix);
    end = strchr(end, '/');
    if (end == NULL || end[1] == 0) break;
  }
  r->parents = r->ignores;
  r->ignores = own;
  return true;
}

static void rg_folder(rg *r, const char *path, const char *prefix, const char *relative,
                      size_t depth, bool git) {
  char **names;
  size_t count, rules = r->ignores.count;
  if (r->depth_set && depth >= r->depth) return;
  if (process_stack_left() < 12288) {
    bin_warn(&r->b, "%s: too deep", path);
    r->failed = true;
    return;
  }
  int error = path_list(path, true, &names, &count);
  if (error < 0) {
    if (!r->silent)
      complain(r, "%s: %s (os error %d)", path, error_text(error), errno_to_linux(-error));
    r->failed = true;
    return;
  }
  if (!r->no_ignore) {
    static const char *const files[] = {".gitignore", ".ignore", ".rgignore"};
    git = git || is_there(path, ".git");
    for (int i = git ? 0 : 1; i < 3; i++) {
      char *file = path_join(path, files[i]);
      read_ignores(r, file, relative);
      free(file);
    }
  }
  for (size_t i = 0; i < count && r->b.out.error == 0; i++) {
    char *full = path_join(path, names[i]);
    file_stat stat;
    text shown = {0}, inner = {0};
    text_format(&shown, "%s%s", prefix, names[i]);
    text_format(&inner, "%s%s", relative, names[i]);
    bool there = (r->follow ? sys_stat(full, &stat) : sys_lstat(full, &stat)) == 0;
    if (there && (stat.kind == FILE_DIRECTORY || stat.kind == FILE_REGULAR) &&
        !is_left_out(r, text_end(&shown), text_end(&inner), stat.kind == FILE_DIRECTORY)) {
      text_end(&shown);
      if (stat.kind == FILE_DIRECTORY) {
        text_char(&shown, '/');
        text_char(&inner, '/');
        rg_folder(r, full, text_end(&shown), text_end(&inner), depth + 1, git);
      } else if (r->show == LIST_FILES) {
        r->any = true;
        if (!r->quiet) {
          put(r, shown.at);
          output_byte(&r->b.out, r->null ? 0 : '\n');
        }
      } else {
        search_file(r, full, shown.at, false);
      }
    }
    text_free(&shown);
    text_free(&inner);
    free(full);
    if (r->quiet && r->any) break;
  }
  for (size_t i = 0; i < count; i++) free(names[i]);
  free(names);
  r->ignores.count = rules;
}

static void search_operand(rg *r, const char *path, bool implied) {
  file_stat stat;
  if (strcmp(path, "-") == 0) {
    search_file(r, "-", "<stdin>", true);
    return;
  }
  int error = sys_stat(path, &stat);
  if (error < 0) {
    if (!r->silent)
      complain(r, "%s: %s (os error %d)", path, error_text(error), errno_to_linux(-error));
    r->failed = true;
    return;
  }
  if (stat.kind != FILE_DIRECTORY) {
    if (r->show == LIST_FILES) {
      r->any = true;
      put(r, path);
      output_byte(&r->b.out, r->null ? 0 : '\n');
      return;
    }
    search_file(r, path, path, true);
    return;
  }
  text prefix = {0};
  if (!implied) text_format(&prefix, "%s%s", path, path[strlen(path) - 1] == '/' ? "" : "/");
  text_string(&prefix, "");
  rg_folder(r, path, text_end(&prefix), "", 0, !r->no_ignore && in_repository(r, path));
  text_free(&prefix);
}

/* ---- the pattern ---- */

/* Rust's syntax as the automaton knows it: \d \D (?:...). False when only backtracking will do. */
static bool to_extended(const char *from, text *to, bool longest_matters) {
  bool class = false;
  for (const char *at = from; *at != 0; at++) {
    if (*at == '\\') {
      at++;
      if (*at == 0) return false;
      if (*at == 'd' || *at == 's' || *at == 'w') {
        const char *name = *at == 'd' ? "[:digit:]" : *at == 's' ? "[:space:]" : NULL;
        if (class && name == NULL)
          text_string(to, "[:alnum:]_");
        else if (class)
          text_string(to, name);
        else if (*at == 'd')
          text_string(to, "[0-9]");
        else
          text_format(to, "\\%c", *at);
      } else if (*at == 'D' && !class) {
        text_string(to, "[^0-9]");
      } else if (strchr("bBWS", *at) != NULL && !class) {
        text_format(to, "\\%c", *at);
      } else if (*at == 't' || *at == 'n' || *at == 'r') {
        text_char(to, *at == 't' ? '\t' : *at == 'n' ? '\n' : '\r');
      } else if ((*at | 32) >= 'a' && (*at | 32) <= 'z') {
        return false;
      } else if (*at >= '0' && *at <= '9') {
        return false;
      } else if (class) {
        if (*at == ']' || *at == '[' || *at == '^' || *at == '-' || *at == '\\') return false;
        text_char(to, *at);
      } else {
        text_format(to, "\\%c", *at);
      }
      continue;
    }
    if (class) {
      if (*at == '[' && at[1] == ':') {
        const char *end = strstr(at, ":]");
        if (end == NULL) return false;
        text_add(to, at, (size_t)(end + 2 - at));
        at = end + 1;
        continue;
      }
      if (*at == ']') class = false;
      if (*at == '[' || (*at == '&' && at[1] == '&')) return false;
      text_char(to, *at);
      continue;
    }
    if (*at == '[') {
      class = true;
      text_char(to, *at);
      if (at[1] == '^') text_char(to, *++at);
      if (at[1] == ']') text_char(to, *++at);
      continue;
    }
    if (*at == '(' && at[1] == '?') {
      if (at[2] != ':') return false;
      text_char(to, '(');
      at += 2;
      continue;
    }
    if (*at == '|' && longest_matters) return false;
    if (strchr("*+?}", *at) != NULL && at[1] == '?') return false;
    if (strchr("*+?", *at) != NULL && (at == from || strchr("(|", at[-1]) != NULL)) return false;
    text_char(to, *at);
  }
  return !class;
}

static bool has_capitals(const char *pattern) {
  for (const char *at = pattern; *at != 0; at++) {
    if (*at == '\\' && at[1] != 0)
      at++;
    else if (*at >= 'A' && *at <= 'Z')
      return true;
    else if ((unsigned char)*at >= 0xc3 && (unsigned char)at[0] == 0xc3 &&
             (unsigned char)at[1] >= 0x80 && (unsigned char)at[1] <= 0x9e)
      return true;
  }
  return false;
}

typedef struct {
  char **at;
  size_t count;
  bool fixed, icase, smart, word, line, perl, dot_all;
} patterns;

static void compile(rg *r, patterns *p) {
  bool exact = r->show == SHOW_ONLY || r->show == SHOW_JSON || r->show == SHOW_MATCH_COUNT ||
               r->replace != NULL || r->column || r->vimgrep || r->multiline;
  bool icase = p->icase, extended = !p->perl && !p->dot_all, fixed = p->fixed;
  text all = {0}, plain = {0};
  if (p->smart && !icase) {
    icase = true;
    for (size_t i = 0; i < p->count; i++) icase &= !has_capitals(p->at[i]);
  }
  for (size_t i = 0; i < p->count && !fixed && extended; i++) {
    if (i > 0) text_char(&all, '|');
    if (p->count > 1) text_char(&all, '(');
    extended = to_extended(p->at[i], &all, exact) && (p->count == 1 || !exact) &&
               (r->replace == NULL || strstr(p->at[i], "(?:") == NULL);
    if (p->count > 1) text_char(&all, ')');
  }
  if (fixed && p->count == 1 && r->multiline) extended = true;
  unsigned flags = (icase ? REGEX_ICASE : 0) | (p->word ? REGEX_WHOLE_WORD : 0) |
                   (p->line ? REGEX_WHOLE_LINE : 0) | (r->multiline ? REGEX_LINES : 0);
  const char *error = NULL;
  if (fixed) {
    for (size_t i = 0; i < p->count; i++) {
      if (i > 0) text_char(&plain, '\n');
      text_string(&plain, p->at[i]);
    }
    if (p->count == 0) text_string(&plain, "");
    r->re = regex_compile(plain.at, plain.len, REGEX_FIXED, flags | (p->count > 1 ? REGEX_LIST : 0),
                          &error);
  } else if (extended) {
    text_string(&all, "");
    r->re = regex_compile(all.at, all.len, REGEX_EXTENDED, flags, &error);
  } else {
    if (p->dot_all) text_string(&plain, "(?s)");
    for (size_t i = 0; i < p->count; i++) {
      if (i > 0) text_char(&plain, '|');
      text_format(&plain, p->count > 1 ? "(?:%s)" : "%s", p->at[i]);
    }
    text_string(&plain, "");
    r->re = regex_compile(plain.at, plain.len, REGEX_PERL, flags, &error);
  }
  if (r->re == NULL) {
    output_flush(&r->b.out);
    text message = {0};
    text_format(&message, "regex parse error:\n    %s\nerror: %s\n", p->count > 0 ? p->at[0] : "",
                error);
    sys_write(2, message.at, message.len);
    bin_exit(&r->b, 2);
  }
  r->groups = regex_groups(r->re);
  r->spans = memory_take((r->groups + 1) * sizeof *r->spans);
}

/* ---- the command line ---- */

static void add_pattern(patterns *p, char *pattern) {
  p->at = memory_resize(p->at, (p->count + 1) * sizeof *p->at);
  p->at[p->count++] = pattern;
}

static void pattern_file(rg *r, patterns *p, const char *path) {
  input in;
  char *line;
  size_t size;
  int error = input_open(&in, path);
  if (error < 0)
    bin_die(&r->b, 2, "%s: %s (os error %d)", path, error_text(error), errno_to_linux(-error));
  while (input_line(&in, &line, &size, NULL)) add_pattern(p, memory_copy(line, size));
  input_close(&in);
}

static void add_glob(rg *r, const char *glob, bool icase) {
  bool not = *glob == '!';
  text turned = {0}; /* for ignore rules a match leaves out; for -g it takes in */
  text_format(&turned, "%s%s", not ? "!" : "", glob + not );
  rg_rule_add(&r->globs, "", turned.at, turned.len, icase);
  r->picks |= !not ;
}

static void add_type(rg *r, const char *name, bool not ) {
  const char *globs = rg_type(name);
  if (globs == NULL) {
    output_flush(&r->b.out);
    text message = {0};
    text_format(&message, "unrecognized file type: %s\n", name);
    sys_write(2, message.at, message.len);
    bin_exit(&r->b, 2);
  }
  if (not &&r->not_type_count < 32) r->not_types[r->not_type_count++] = globs;
  if (!not &&r->type_count < 32) r->types[r->type_count++] = globs;
}

static void list_types(rg *r) {
  for (size_t i = 0; i < rg_type_count; i++) {
    output_format(&r->b.out, "%s: ", rg_types[i][0]);
    for (const char *at = rg_types[i][1]; *at != 0; at++) {
      if (*at == ' ')
        put(r, ", ");
      else
        output_byte(&r->b.out, *at);
    }
    output_byte(&r->b.out, '\n');
  }
  bin_exit(&r->b, 0);
}

static void long_option(rg *r, patterns *p, options *o) {
#define IS(name) options_is(o, name)
  if (IS("json")) r->json = true;
  if (IS("files")) r->show = LIST_FILES;
  if (IS("files-without-match")) r->show = SHOW_OTHERS;
  if (IS("count-matches")) r->show = SHOW_MATCH_COUNT;
  if (IS("type-list")) list_types(r);
  if (IS("hidden")) r->hidden = true;
  if (IS("no-hidden")) r->hidden = false;
  if (IS("no-ignore") || IS("no-ignore-vcs")) r->no_ignore = true;
  if (IS("iglob")) add_glob(r, o->value, true);
  if (IS("column")) r->column = r->numbers = true;
  if (IS("vimgrep")) r->vimgrep = r->column = r->numbers = r->names = r->names_set = true;
  if (IS("heading")) r->heading = true;
  if (IS("no-heading")) r->heading = false;
  if (IS("trim")) r->trim = true;
  if (IS("passthru") || IS("passthrough")) r->passthru = true;
  if (IS("multiline-dotall")) p->dot_all = true;
  if (IS("include-zero")) r->include_zero = true;
  if (IS("no-messages")) r->silent = true;
  if (IS("binary")) r->binary = true;
  if (IS("context-separator")) r->separator = o->value;
  if (IS("no-context-separator")) r->no_context = true;
  if (IS("max-depth") || IS("maxdepth")) {
    r->depth = (size_t)options_number(o, NULL, "invalid depth");
    r->depth_set = true;
  }
#undef IS
}

static int rg_main(int argc, char **argv, char **environment) {
  rg r = {.separator = "--"};
  patterns p = {0};
  options o;
  int unrestricted = 0;
  options_start(&o, &r.b, command_find("rg"), argc, argv, environment);
  r.b.usage_status = 2;
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case 'A':
        r.after = (size_t)options_number(&o, NULL, "invalid number");
        break;
      case 'B':
        r.before = (size_t)options_number(&o, NULL, "invalid number");
        break;
      case 'C':
        r.before = r.after = (size_t)options_number(&o, NULL, "invalid number");
        break;
      case 'a':
        r.text = true;
        break;
      case 'b':
        r.offsets = true;
        break;
      case 'c':
        r.show = r.show == SHOW_ONLY ? SHOW_MATCH_COUNT : SHOW_COUNT;
        break;
      case 'e':
        add_pattern(&p, o.value);
        break;
      case 'f':
        pattern_file(&r, &p, o.value);
        break;
      case 'F':
        p.fixed = true;
        break;
      case 'g':
        add_glob(&r, o.value, false);
        break;
      case 'H':
        r.names = r.names_set = true;
        break;
      case 'I':
        r.names = false;
        r.names_set = true;
        break;
      case 'i':
        p.icase = true;
        p.smart = false;
        break;
      case 's':
        p.icase = p.smart = false;
        break;
      case 'S':
        p.smart = true;
        break;
      case 'l':
        r.show = SHOW_FILES;
        break;
      case 'L':
        r.follow = true;
        break;
      case 'm':
        r.most = (size_t)options_number(&o, NULL, "invalid number");
        break;
      case 'n':
        r.numbers = true;
        break;
      case 'N':
        r.numbers = false;
        break;
      case 'o':
        r.show = r.show == SHOW_COUNT ? SHOW_MATCH_COUNT : SHOW_ONLY;
        break;
      case 'P':
        p.perl = true;
        break;
      case 'p':
        r.heading = r.numbers = true;
        break;
      case 'q':
        r.quiet = true;
        break;
      case 'r':
        r.replace = o.value;
        break;
      case 't':
        add_type(&r, o.value, false);
        break;
      case 'T':
        add_type(&r, o.value, true);
        break;
      case 'U':
        r.multiline = true;
        break;
      case 'u':
        unrestricted++;
        break;
      case 'v':
        r.invert = true;
        break;
      case 'w':
        p.word = true;
        break;
      case 'x':
        p.line = true;
        break;
      case '0':
        r.null = true;
        break;
      case '.':
        r.hidden = true;
        break;
      case OPTION_LONG:
        long_option(&r, &p, &o);
        break;
      default:
        break;
    }
  }
  if (r.json && (r.show == SHOW_LINES || r.show == SHOW_ONLY)) r.show = SHOW_JSON;
  r.no_ignore |= unrestricted > 0;
  r.hidden |= unrestricted > 1;
  r.binary |= unrestricted > 2;
  int first = 0;
  if (p.count == 0 && r.show != LIST_FILES) {
    if (o.operand_count == 0) {
      output_flush(&r.b.out);
      static const char message[] =
          "error: The following required arguments were not provided:\n    <PATTERN>\n";
      sys_write(2, message, sizeof message - 1);
      bin_exit(&r.b, 2);
    }
    add_pattern(&p, o.operands[first++]);
  }
  if (r.quiet && r.show != LIST_FILES && r.show != SHOW_OTHERS) r.show = SHOW_NOTHING;
  if (r.show != LIST_FILES) compile(&r, &p);
  int count = o.operand_count - first;
  file_stat stat, standard;
  bool folder =
      count == 1 && sys_stat(o.operands[first], &stat) == 0 && stat.kind == FILE_DIRECTORY;
  bool piped = count == 0 && r.show != LIST_FILES && sys_fstat(0, &standard) == 0 &&
               (standard.kind == FILE_PIPE ||
                (standard.kind == FILE_REGULAR && standard.size > 0)); /* given none, it is empty */
  if (!r.names_set) r.names = count > 1 || folder || (count == 0 && !piped);
  if (piped)
    search_operand(&r, "-", false);
  else if (count == 0)
    search_operand(&r, ".", true);
  for (int i = 0; i < count && !(r.quiet && r.any); i++)
    search_operand(&r, o.operands[first + i], false);
  if (r.show == SHOW_JSON)
    output_format(
        &r.b.out,
        "{\"data\":{\"elapsed_total\":{\"human\":\"0.000000s\",\"nanos\":0,\"secs\":0},\"stats\":{"
        "\"bytes_printed\":0,\"bytes_searched\":%llu,\"elapsed\":{\"human\":\"0.000000s\","
        "\"nanos\":"
        "0,\"secs\":0},\"matched_lines\":%llu,\"matches\":%llu,\"searches\":%llu,"
        "\"searches_with_match\":%llu}},\"type\":\"summary\"}\n",
        (unsigned long long)r.searched, (unsigned long long)r.lines_all,
        (unsigned long long)r.matches_all, (unsigned long long)r.searches,
        (unsigned long long)r.searches_with);
  r.b.status = r.failed && !(r.quiet && r.any) ? 2 : r.any ? 0 : 1;
  return bin_end(&r.b);
}

const command command_rg = {
    .name = "rg",
    .main = rg_main,
    .usage =
        "rg [OPTIONS] PATTERN [PATH ...]\nrg [OPTIONS] -e PATTERN ... [PATH ...]\nrg [OPTIONS] "
        "--files [PATH ...]",
    .stack = 256 << 10,
    .options =
        "-A, --after-context=NUM\tNUM lines behind each match\n-a, --text\tbinary files as text\n"
        "-B, --before-context=NUM\tNUM lines before\n-b, --byte-offset\twhere it "
        "is\n--binary\talso binary files\n"
        "-C, --context=NUM\tNUM lines around\n-c, --count\thow many lines match\n--color=WHEN\tas "
        "usual\n"
        "--column\tin which column\n--context-separator=TEXT\tinstead of --\n--count-matches\thow "
        "many matches\n"
        "-e, --regexp=PATTERN\ta pattern; may be given often\n-F, --fixed-strings\tno regular "
        "expression\n"
        "-f, --file=FILE\tpatterns, one a line\n--files\tlist the files, do not search\n"
        "-l, --files-with-matches\tonly names\n--files-without-match\tnames of the others\n"
        "-g, --glob=GLOB\tonly such files; !GLOB: none\n-H, --with-filename\talways with "
        "names\n--heading\tnames on a line of their own\n"
        "-., --hidden\talso names that begin with a dot\n-I, --no-filename\tnever with names\n-i, "
        "--ignore-case\tignore case\n--iglob=GLOB\tas -g, ignoring case\n"
        "--include-zero\twith -c, also 0\n--json\ta JSON object for each thing\n-L, "
        "--follow\tfollow links\n"
        "-m, --max-count=NUM\tstop after NUM lines\n--max-depth=NUM\tso many folders deep\n-N, "
        "--no-line-number\twithout numbers\n"
        "-n, --line-number\twith numbers\n--no-context-separator\tnothing "
        "between\n--no-heading\tas usual\n--no-hidden\tas usual\n--no-ignore\tdo not read ignore "
        "files\n--no-ignore-vcs\tthe same\n--no-messages\tsay nothing about files that cannot be "
        "read\n"
        "-0, --null\tnames end with NUL\n-o, --only-matching\tonly what matches\n-P, "
        "--pcre2\tPerl's expressions\n-p, --pretty\tas --heading -n\n"
        "--passthru, --passthrough\talso lines that do not match\n-q, --quiet\tonly the "
        "status\n-r, --replace=TEXT\tprint TEXT for matches: $1, ${name}\n"
        "-S, --smart-case\tignore case if the pattern has no capitals\n-s, --case-sensitive\tas "
        "usual\n--sort=BY\tit is by name\n-j, --threads=NUM\tas usual\n"
        "--trim\twithout blanks in front\n-T, --type-not=TYPE\tno such files\n-t, "
        "--type=TYPE\tonly such files\n--type-list\tlist the types\n"
        "-U, --multiline\tmatches may hold newlines\n--multiline-dotall\tand . is one\n-u, "
        "--unrestricted\tas --no-ignore; twice: and --hidden\n"
        "-v, --invert-match\tlines that do not match\n--vimgrep\ta line for each match\n-w, "
        "--word-regexp\twhole words\n-x, --line-regexp\twhole lines"};
