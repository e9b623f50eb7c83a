// SPDX-License-Identifier: MIT
// patch_read.c -- reads what patch applies: unified, context and normal differences.
#include "patch.h"

#include <stdio.h>

/* ---- lines of the input, one of which may be put back ---- */

bool patch_line(patch_input *p, char **line, size_t *size, bool *newline) {
  if (p->kept) {
    p->kept = false;
  } else {
    char *at;
    size_t length;
    p->line.len = 0;
    p->have = input_line(&p->in, &at, &length, &p->newline);
    if (p->have) {
      text_add(&p->line, at, length);
      p->number++;
    }
    text_end(&p->line);
  }
  *line = p->line.at;
  *size = p->line.len;
  if (newline != NULL) *newline = p->newline;
  return p->have;
}

void patch_keep(patch_input *p) {
  p->kept = p->have;
}

static void add_line(patch_hunk *h, char kind, const char *at, size_t size) {
  if (h->count == h->room)
    h->lines = memory_resize(h->lines, (h->room = h->room * 2 + 16) * sizeof *h->lines);
  h->lines[h->count++] = (patch_edit){kind, {memory_copy(at, size), size, true}};
  if (kind != '+') h->old_count++;
  if (kind != '-') h->new_count++;
}

static void malformed(patch_input *p, const char *line) {
  bin_die(p->b, 2, "**** malformed patch at line %zu: %s\n", p->number, line);
}

static void no_line_number(patch_input *p, const char *line) {
  bin_die(p->b, 2, "**** missing line number at line %zu: %s\n", p->number, line);
}

/* Numbers of lines are cut off far beyond what a file can hold. */
static size_t read_count(const char *at, char **end) {
  unsigned long value = strtoul(at, end, 10);
  return value > 1000000000 ? 1000000000 : value;
}

static bool read_range(const char **at, size_t *first, size_t *count) {
  char *end;
  if (**at < '0' || **at > '9') return false;
  *first = read_count(*at, &end);
  *count = 1;
  if (*end == ',') {
    if (end[1] < '0' || end[1] > '9') return false;
    *count = read_count(end + 1, &end);
  }
  *at = end;
  return true;
}

/* "\ No newline at end of file" belongs to the line before it. */
static void drop_newlines(patch_input *p, patch_edit *last) {
  char *line;
  size_t size;
  if (!patch_line(p, &line, &size, NULL)) return;
  if (size > 0 && *line == '\\' && last != NULL)
    last->line.newline = false;
  else
    patch_keep(p);
}

static bool read_unified(patch_input *p, patch_hunk *h, const char *header) {
  const char *at = header + 4;
  size_t old_count, new_count;
  if (!read_range(&at, &h->old_first, &old_count)) no_line_number(p, header);
  if (strncmp(at, " +", 2) != 0) malformed(p, header);
  at += 2;
  if (!read_range(&at, &h->new_first, &new_count)) no_line_number(p, header);
  if (strncmp(at, " @@", 3) != 0) malformed(p, header);
  h->label = memory_string(at + 3);
  while (h->old_count < old_count || h->new_count < new_count) {
    char *line, kind;
    size_t size;
    if (!patch_line(p, &line, &size, NULL)) {
      /* Blank context at the end may have been cut off. */
      if (old_count - h->old_count <= 3 && old_count - h->old_count == new_count - h->new_count) {
        add_line(h, ' ', "", 0);
        continue;
      }
      bin_die(p->b, 2, "**** unexpected end of file in patch");
    }
    kind = size == 0 ? ' ' : *line;
    if (kind == '\t') {
      add_line(h, ' ', line, size);
      continue;
    }
    if (kind == '\\') {
      if (h->count > 0) h->lines[h->count - 1].line.newline = false;
      continue;
    }
    if (kind != ' ' && kind != '+' && kind != '-') malformed(p, line);
    if ((kind != '+' && h->old_count >= old_count) || (kind != '-' && h->new_count >= new_count))
      malformed(p, line);
    add_line(h, kind, size == 0 ? "" : line + 1, size == 0 ? 0 : size - 1);
  }
  drop_newlines(p, h->count > 0 ? &h->lines[h->count - 1] : NULL);
  return true;
}

/* ---- context: both halves are read, then put together ---- */

static bool is_context_line(const char *line, size_t size) {
  return size >= 2 && strchr(" !+-", *line) != NULL && line[1] == ' ';
}

static void read_half(patch_input *p, patch_hunk *half, size_t count) {
  for (size_t seen = 0; seen < count;) {
    char *line;
    size_t size;
    if (!patch_line(p, &line, &size, NULL)) return;
    if (strncmp(line, "---", 3) == 0 || strncmp(line, "***", 3) == 0) {
      patch_keep(p);
      return;
    }
    if (*line == '\\') {
      if (half->count > 0) half->lines[half->count - 1].line.newline = false;
      continue;
    }
    if (!is_context_line(line, size) && size != 0 && !(size == 1 && *line == ' ')) {
      patch_keep(p);
      return;
    }
    add_line(half, size == 0 ? ' ' : *line, size > 2 ? line + 2 : "", size > 2 ? size - 2 : 0);
    seen++;
  }
  drop_newlines(p, half->count > 0 ? &half->lines[half->count - 1] : NULL);
}

static bool read_span(const char *line, const char *start, size_t *first, size_t *count) {
  size_t length = strlen(start);
  if (strncmp(line, start, length) != 0) return false;
  const char *at = line + length;
  char *end;
  if (*at < '0' || *at > '9') return false;
  *first = read_count(at, &end);
  size_t last = *first;
  if (*end == ',') last = read_count(end + 1, &end);
  *count = last < *first || *first == 0 ? 0 : last - *first + 1;
  return *end == ' ';
}

static void push(patch_hunk *h, char kind, patch_text line) {
  add_line(h, kind, line.at, line.size);
  h->lines[h->count - 1].line.newline = line.newline;
}

static bool read_context(patch_input *p, patch_hunk *h) {
  char *line;
  size_t size, old_count, new_count;
  patch_hunk old = {0}, new = {0};
  if (!patch_line(p, &line, &size, NULL) || !read_span(line, "*** ", &h->old_first, &old_count))
    return false;
  read_half(p, &old, old_count);
  if (!patch_line(p, &line, &size, NULL)) malformed(p, "");
  if (!read_span(line, "--- ", &h->new_first, &new_count)) malformed(p, line);
  read_half(p, &new, new_count);
  if (old.count == 0 && old_count > 0) { /* only context and what was added: stands in the second */
    for (size_t i = 0; i < new.count; i++) {
      if (new.lines[i].kind == ' ') push(h, ' ', new.lines[i].line);
      if (new.lines[i].kind == '+') push(h, '+', new.lines[i].line);
    }
  } else if (new.count == 0 && new_count > 0) {
    for (size_t i = 0; i < old.count; i++)
      push(h, old.lines[i].kind == ' ' ? ' ' : '-', old.lines[i].line);
  } else {
    size_t i = 0, k = 0;
    while (i < old.count || k < new.count) {
      while (i < old.count && old.lines[i].kind != ' ') push(h, '-', old.lines[i++].line);
      while (k < new.count &&new.lines[k].kind != ' ') push(h, '+', new.lines[k++].line);
      if (i < old.count && k < new.count) {
        push(h, ' ', old.lines[i++].line);
        k++;
      } else if (i < old.count || k < new.count) {
        malformed(p, line);
      }
    }
  }
  if (h->old_count != old_count || h->new_count != new_count) malformed(p, line);
  return true;
}

/* ---- normal: 5,7c8 and so on ---- */

static bool is_normal(const char *line) {
  size_t a, b;
  const char *at = line;
  if (!read_range(&at, &a, &b) || *at == 0 || strchr("acd", *at) == NULL) return false;
  at++;
  return read_range(&at, &a, &b) && *at == 0;
}

static void read_marked(patch_input *p, patch_hunk *h, char mark, char kind, size_t count) {
  for (; count > 0; count--) {
    char *line;
    size_t size;
    if (!patch_line(p, &line, &size, NULL))
      bin_die(p->b, 2, "**** unexpected end of file in patch");
    if (size < 2 || *line != mark || line[1] != ' ')
      bin_die(p->b, 2, "**** '%c' followed by space or tab expected at line %zu of patch", mark,
              p->number);
    add_line(h, kind, line + 2, size - 2);
  }
  drop_newlines(p, h->count > 0 ? &h->lines[h->count - 1] : NULL);
}

static bool read_normal(patch_input *p, patch_hunk *h, const char *header) {
  size_t old_last, new_last;
  const char *at = header;
  if (!is_normal(header)) return false;
  read_range(&at, &h->old_first, &old_last);
  char what = *at++;
  read_range(&at, &h->new_first, &new_last);
  size_t old_count = what == 'a' ? 0
                     : strchr(header, ',') != NULL && strchr(header, ',') < strchr(header, what)
                         ? old_last - h->old_first + 1
                         : 1;
  const char *comma = strchr(strchr(header, what), ',');
  size_t new_count = what == 'd' ? 0 : comma != NULL ? new_last - h->new_first + 1 : 1;
  read_marked(p, h, '<', '-', old_count);
  if (what == 'c') {
    char *line;
    size_t size;
    if (!patch_line(p, &line, &size, NULL) || strcmp(line, "---") != 0)
      bin_die(p->b, 2, "**** '---' expected at line %zu of patch", p->number);
  }
  read_marked(p, h, '>', '+', new_count);
  return true;
}

bool patch_next_hunk(patch_input *p, patch_hunk *h) {
  char *line;
  size_t size;
  *h = (patch_hunk){0};
  if (!patch_line(p, &line, &size, NULL)) return false;
  h->line = p->number;
  char *header = memory_copy(line, size);
  bool found = false;
  if (p->form == PATCH_UNIFIED && strncmp(header, "@@ -", 4) == 0)
    found = read_unified(p, h, header);
  else if (p->form == PATCH_CONTEXT && strncmp(header, "***************", 15) == 0)
    found = read_context(p, h);
  else if (p->form == PATCH_NORMAL)
    found = read_normal(p, h, header);
  if (!found) patch_keep(p);
  free(header);
  if (found && h->old_count == 0) h->old_first++;
  if (found && h->new_count == 0) h->new_first++;
  return found;
}

/* ---- headers ---- */

/* The name of "--- name<tab>time"; whether it stands for no file. malloc'd. */
static char *read_name(const char *at, bool *nothing, char **stamp) {
  while (*at == ' ' || *at == '\t') at++;
  size_t size = strcspn(at, "\t");
  char *name = memory_copy(at, size);
  const char *when = at[size] == '\t' ? at + size + 1 : "";
  if (*when == 0) { /* names of context differences may have their time behind blanks */
    while (size > 0 && (name[size - 1] == ' ' || name[size - 1] == '\r')) name[--size] = 0;
  }
  *nothing = strcmp(name, "/dev/null") == 0 || strncmp(when, "1970-01-01 00:00:00", 19) == 0 ||
             strncmp(when, "Thu Jan  1 00:00:00 1970", 24) == 0;
  *stamp = memory_string(when);
  return name;
}

bool patch_next_file(patch_input *p, patch_header *h) {
  char *line;
  size_t size;
  *h = (patch_header){.line = p->number + 1};
  while (patch_line(p, &line, &size, NULL)) {
    if (h->leading_count < 1000) {
      h->leading = memory_resize(h->leading, (h->leading_count + 1) * sizeof *h->leading);
      h->leading[h->leading_count++] = memory_copy(line, size);
    }
    if (strncmp(line, "Index: ", 7) == 0) {
      h->index = memory_string(line + 7);
    } else if (strncmp(line, "diff --git ", 11) == 0) {
      h->git = true;
    } else if (h->git && strncmp(line, "rename from ", 12) == 0) {
      h->rename_from = memory_string(line + 12);
    } else if (h->git && strncmp(line, "rename to ", 10) == 0) {
      h->rename_to = memory_string(line + 10);
    } else if (h->git && strncmp(line, "new file mode ", 14) == 0) {
      h->mode = (uint32_t)strtoul(line + 14, NULL, 8) & 0777;
    } else if (h->git && strncmp(line, "new mode ", 9) == 0) {
      h->mode = (uint32_t)strtoul(line + 9, NULL, 8) & 0777;
    } else if (strncmp(line, "--- ", 4) == 0 && h->old_name == NULL) {
      h->old_name = read_name(line + 4, &h->no_old, &h->old_time);
      if (h->context) { /* *** was the old one: this is the new */
        h->new_name = h->old_name;
        h->no_new = h->no_old;
        h->new_time = h->old_time;
        h->old_name = h->star_name;
        h->no_old = h->no_star;
        h->old_time = h->star_time;
      }
    } else if (strncmp(line, "+++ ", 4) == 0 && h->old_name != NULL) {
      free(h->new_name);
      h->new_name = read_name(line + 4, &h->no_new, &h->new_time);
    } else if (strncmp(line, "*** ", 4) == 0 && h->star_name == NULL) {
      h->star_name = read_name(line + 4, &h->no_star, &h->star_time);
      h->context = true;
    } else if (strncmp(line, "@@ -", 4) == 0 && p->only != PATCH_CONTEXT &&
               p->only != PATCH_NORMAL) {
      p->form = PATCH_UNIFIED;
      h->empty_old = strncmp(line, "@@ -0,0 ", 8) == 0;
      h->empty_new = strstr(line, " +0,0 @@") != NULL;
      h->leading_count--;
      patch_keep(p);
      return true;
    } else if (strncmp(line, "***************", 15) == 0 && h->context) {
      p->form = PATCH_CONTEXT;
      h->leading_count--;
      patch_keep(p);
      return true;
    } else if (is_normal(line) && (p->only == PATCH_NORMAL || p->only == PATCH_ANY)) {
      p->form = PATCH_NORMAL;
      h->leading_count--;
      patch_keep(p);
      return true;
    }
  }
  return h->rename_from != NULL && h->rename_to != NULL;
}
