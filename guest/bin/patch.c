// SPDX-License-Identifier: MIT
/* patch.c -- apply differences to files. Where a hunk fits is looked for as GNU's does: at its
 * place, then further and further away, then with less of its context. */
#include "patch.h"

#include "options.h"
#include "path.h"

#include <stdio.h>

typedef struct {
  bin b;
  patch_input in;
  bool reverse, forward, force, batch, dry, silent, backup, no_backup, remove_empty, blanks;

  long strip; /* -1: all folders */
  size_t fuzz;
  const char *target, *output, *rejects, *suffix;
  bool failed;
  bool any;
} patch;

/* One file while it is changed. */
typedef struct {
  patch_text *lines;
  size_t count;
  text out;
  size_t taken; /* lines of the old file that are already in `out` */
  long offset;  /* where hunks were found, against where they say */
  long grown;   /* lines added less lines taken away, so far */
  bool no_newline;
} work;

static void say(patch *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(patch *p, const char *format, ...) {
  char line[2048];
  va_list rest;
  if (p->silent) return;
  va_start(rest, format);
  vsnprintf(line, sizeof line, format, rest);
  va_end(rest);
  output_string(&p->b.out, line);
}

static void split_lines(work *w, char *at, size_t size) {
  size_t room = 0;
  while (size > 0) {
    char *end = memchr(at, '\n', size);
    size_t length = end == NULL ? size : (size_t)(end - at);
    if (w->count == room)
      w->lines = memory_resize(w->lines, (room = room * 2 + 64) * sizeof *w->lines);
    w->lines[w->count++] = (patch_text){at, length, end != NULL};
    length += end != NULL;
    at += length;
    size -= length;
  }
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

static bool is_similar(const patch_text *a, const patch_text *b) {
  const char *x = a->at, *y = b->at, *x_end = x + a->size, *y_end = y + b->size;
  for (;;) {
    bool x_blank = x < x_end && is_blank(*x), y_blank = y < y_end && is_blank(*y);
    if (x_blank || y_blank) {
      while (x < x_end && is_blank(*x)) x++;
      while (y < y_end && is_blank(*y)) y++;
      if (x_blank != y_blank && x < x_end && y < y_end) return false;
      continue;
    }
    if (x == x_end || y == y_end) return x == x_end && y == y_end;
    if (*x++ != *y++) return false;
  }
}

static bool is_same(const patch *p, const patch_text *a, const patch_text *b, bool last) {
  if (p->blanks) return is_similar(a, b);
  if (a->size != b->size || (a->size > 0 && memcmp(a->at, b->at, a->size) != 0)) return false;
  return a->newline == b->newline || !last;
}

/* The lines that must be in the file; malloc'd. */
static patch_text *pattern_of(const patch_hunk *h) {
  patch_text *lines = memory_take((h->old_count + 1) * sizeof *lines);
  size_t count = 0;
  for (size_t i = 0; i < h->count; i++) {
    if (h->lines[i].kind != '+') lines[count++] = h->lines[i].line;
  }
  return lines;
}

static bool fits(const patch *p, const work *w, const patch_text *pattern, size_t count, long where,
                 long skip_first, long skip_last) {
  for (long i = skip_first; i < (long)count - skip_last; i++) {
    long line = where - 1 + i;
    if (line < 0 || line >= (long)w->count) return false;
    if (!is_same(p, &w->lines[line], &pattern[i], line == (long)w->count - 1)) return false;
  }
  return true;
}

/* Where the hunk fits (from 1), 0 when it does not. */
static long locate(const patch *p, work *w, const patch_hunk *h, long fuzz) {
  long count = (long)h->old_count, before = 0, after = 0, first = (long)h->old_first + w->offset;
  if (count == 0) return first - 1 <= (long)w->count && first > (long)w->taken ? first : 0;
  while (before < (long)h->count && h->lines[before].kind == ' ') before++;
  while (after < (long)h->count && h->lines[h->count - 1 - (size_t)after].kind == ' ') after++;
  long context = before > after ? before : after;
  long skip_first = fuzz + before - context, skip_last = fuzz + after - context, found = 0;
  patch_text *pattern = pattern_of(h);
  long highest = (long)w->count - (count - skip_last) + 1, lowest = (long)w->taken + 1;
  long up = highest - first, down = first - lowest;
  if (first <= down) down = first - 1;
  if (skip_first < 0 && h->old_first <= 1) { /* no context in front: it is the start of the file */
    bool whole = skip_last < 0 && count != (long)w->count;
    if (!whole && w->taken <= (size_t)before && 1 - first <= up &&
        fits(p, w, pattern, (size_t)count, 1, 0, skip_last < 0 ? 0 : skip_last))
      found = 1;
  } else {
    if (skip_first < 0) skip_first = 0;
    if (skip_last < 0) { /* none behind: the end */
      long where = (long)w->count - count + 1;
      if (where >= lowest && fits(p, w, pattern, (size_t)count, where, skip_first, 0))
        found = where;
    } else {
      long most = up > down ? up : down;
      long start = first > highest ? first - highest : first < lowest ? lowest - first : 0;
      for (long away = start; away <= most && found == 0; away++) {
        if (away <= up && fits(p, w, pattern, (size_t)count, first + away, skip_first, skip_last))
          found = first + away;
        if (found == 0 && away > 0 && away <= down &&
            fits(p, w, pattern, (size_t)count, first - away, skip_first, skip_last))
          found = first - away;
      }
    }
  }
  free(pattern);
  if (found != 0) w->offset += found - first;
  return found;
}

static void put_line(work *w, const patch_text *line) {
  if (w->no_newline) text_char(&w->out, '\n'); /* it was the last line, and is not any more */
  text_add(&w->out, line->at, line->size);
  w->no_newline = !line->newline;
  if (line->newline) text_char(&w->out, '\n');
}

static void copy_to(work *w, size_t end) {
  for (; w->taken < end && w->taken < w->count; w->taken++) put_line(w, &w->lines[w->taken]);
}

static void apply(work *w, const patch_hunk *h, long where) {
  copy_to(w, (size_t)where - 1);
  for (size_t i = 0; i < h->count; i++) {
    const patch_edit *edit = &h->lines[i];
    if (edit->kind == '+')
      put_line(w, &edit->line);
    else if (edit->kind == '-')
      w->taken++;
    else
      copy_to(w, w->taken + 1);
  }
  w->grown += (long)h->new_count - (long)h->old_count;
}

static void turn_round(patch_hunk *h) {
  size_t first = h->old_first, count = h->old_count;
  h->old_first = h->new_first;
  h->new_first = first;
  h->old_count = h->new_count;
  h->new_count = count;
  for (size_t i = 0; i < h->count; i++) {
    if (h->lines[i].kind != ' ') h->lines[i].kind = h->lines[i].kind == '-' ? '+' : '-';
  }
  /* What is taken away stands before what is added. */
  for (size_t i = 0; i < h->count;) {
    size_t start = i;
    while (i < h->count && h->lines[i].kind != ' ') i++;
    patch_edit *sorted = memory_take((i - start + 1) * sizeof *sorted);
    size_t next = 0;
    for (size_t k = start; k < i; k++) {
      if (h->lines[k].kind == '-') sorted[next++] = h->lines[k];
    }
    for (size_t k = start; k < i; k++) {
      if (h->lines[k].kind == '+') sorted[next++] = h->lines[k];
    }
    if (next > 0) memcpy(&h->lines[start], sorted, next * sizeof *sorted);
    free(sorted);
    if (i < h->count) i++;
  }
}

/* ---- rejects ---- */

static void reject(text *to, const patch_header *header, const patch_hunk *h, bool first) {
  if (first) {
    text_format(to, "--- %s", header->old_name == NULL ? "/dev/null" : header->old_name);
    if (header->old_time != NULL && *header->old_time != 0)
      text_format(to, "\t%s", header->old_time);
    text_format(to, "\n+++ %s", header->new_name == NULL ? "/dev/null" : header->new_name);
    if (header->new_time != NULL && *header->new_time != 0)
      text_format(to, "\t%s", header->new_time);
    text_char(to, '\n');
  }
  size_t old_first = h->old_count == 0 ? h->old_first - 1 : h->old_first;
  size_t new_first = h->new_count == 0 ? h->new_first - 1 : h->new_first;
  text_format(to, "@@ -%zu", old_first);
  if (h->old_count != 1) text_format(to, ",%zu", h->old_count);
  text_format(to, " +%zu", new_first);
  if (h->new_count != 1) text_format(to, ",%zu", h->new_count);
  text_format(to, " @@%s\n", h->label == NULL ? "" : h->label);
  for (size_t i = 0; i < h->count; i++) {
    text_char(to, h->lines[i].kind);
    text_add(to, h->lines[i].line.at, h->lines[i].line.size);
    text_string(to, h->lines[i].line.newline ? "\n" : "\n\\ No newline at end of file\n");
  }
}

/* ---- which file ---- */

static const char *stripped(long strip, const char *name) {
  if (strip < 0) {
    const char *base = strrchr(name, '/');
    return base == NULL ? name : base + 1;
  }
  const char *at = name;
  for (long left = strip; left > 0; left--) {
    const char *slash = strchr(at, '/');
    if (slash == NULL) return NULL;
    while (*slash == '/') slash++;
    at = slash;
  }
  return *at == 0 ? NULL : at;
}

/* A name that leads out of the folder is not taken from a patch. */
static bool is_safe(const char *name) {
  if (*name == '/') return false;
  for (const char *at = name; *at != 0;) {
    size_t size = strcspn(at, "/");
    if (size == 2 && at[0] == '.' && at[1] == '.') return false;
    at += size;
    while (*at == '/') at++;
  }
  return true;
}

static size_t parts_of(const char *name) {
  size_t parts = 1;
  for (; *name != 0; name++) parts += name[0] == '/' && name[1] != '/' && name[1] != 0;
  return parts;
}

static size_t base_size(const char *name) {
  const char *slash = strrchr(name, '/');
  return strlen(slash == NULL ? name : slash + 1);
}

static bool is_better(const char *a, const char *b) {
  if (b == NULL) return true;
  if (parts_of(a) != parts_of(b)) return parts_of(a) < parts_of(b);
  if (base_size(a) != base_size(b)) return base_size(a) < base_size(b);
  return strlen(a) < strlen(b);
}

static char *choose(patch *p, const patch_header *h, bool *unsafe) {
  const char *names[3] = {h->no_old && h->git ? NULL : h->old_name,
                          h->no_new && h->git ? NULL : h->new_name, h->index};
  const char *best = NULL, *best_missing = NULL;
  *unsafe = false;
  for (int i = 0; i < 3; i++) {
    if (names[i] == NULL || strcmp(names[i], "/dev/null") == 0) continue;
    const char *name = stripped(p->strip, names[i]);
    if (name == NULL) continue;
    if (!is_safe(name)) {
      say(p, "Ignoring potentially dangerous file name %s\n", name);
      *unsafe = true;
      continue;
    }
    file_stat stat;
    if (sys_stat(name, &stat) == 0 && stat.kind == FILE_REGULAR) {
      if (is_better(name, best)) best = name;
    } else if (is_better(name, best_missing)) {
      best_missing = name;
    }
  }
  bool makes = p->reverse ? h->no_new || h->empty_new : h->no_old || h->empty_old;
  if (best == NULL && makes) best = best_missing;
  return best == NULL ? NULL : memory_string(best);
}

/* ---- one file ---- */

static void make_parents(const char *path) {
  char *parent = path_parent(path);
  file_stat stat;
  if (strcmp(parent, ".") != 0 && strcmp(parent, "/") != 0 && sys_stat(parent, &stat) < 0) {
    make_parents(parent);
    sys_mkdir(parent, 0777);
  }
  free(parent);
}

static void drop_parents(const char *path) {
  char *parent = path_parent(path);
  if (strcmp(parent, ".") != 0 && strcmp(parent, "/") != 0 && sys_rmdir(parent) == 0)
    drop_parents(parent);
  free(parent);
}

static void write_file(patch *p, const char *path, const char *at, size_t size, uint32_t mode) {
  make_parents(path);
  int fd = sys_open(path, OPEN_WRITE | OPEN_CREATE | OPEN_TRUNCATE, mode);
  if (fd == -EACCES) {
    sys_unlink(path);
    fd = sys_open(path, OPEN_WRITE | OPEN_CREATE | OPEN_TRUNCATE, mode);
  }
  int64_t put = fd < 0 ? fd : size == 0 ? 0 : sys_write(fd, at, size);
  if (fd >= 0) sys_close(fd);
  if (put < 0) bin_die(&p->b, 2, "**** Can't create file %s : %s", path, error_text((int)put));
}

static bool ask_reverse(patch *p, bool *skip, bool *apply_anyway) {
  say(p, p->reverse ? "Unreversed patch detected!"
                    : "Reversed (or previously applied) patch detected!");
  if (p->forward) {
    say(p, "  Skipping patch.\n");
    *skip = true;
    return false;
  }
  if (p->batch) {
    say(p, p->reverse ? "  Ignoring -R.\n" : "  Assuming -R.\n");
    return true;
  }
  /* There is nobody to ask, and silence means no. */
  say(p, p->reverse ? "  Ignore -R? [n] \n" : "  Assume -R? [n] \n");
  say(p, "Apply anyway? [n] \nSkipping patch.\n");
  *skip = true;
  *apply_anyway = false;
  return false;
}

typedef struct {
  size_t hunks, failed, ignored;
  text rejects;
  bool mismatch;
} outcome;

static void do_hunk(patch *p, work *w, const patch_header *header, patch_hunk *h, outcome *o,
                    bool *skip) {
  if (p->reverse) turn_round(h);
  size_t context = 0, behind = 0;
  while (context < h->count && h->lines[context].kind == ' ') context++;
  while (behind < h->count && h->lines[h->count - 1 - behind].kind == ' ') behind++;
  if (behind > context) context = behind;
  size_t most = p->fuzz < context ? p->fuzz : context, fuzz = 0;
  long where = 0;
  bool anyway = p->force;
  for (; !*skip && fuzz <= most; fuzz++) {
    where = locate(p, w, h, (long)fuzz);
    if (where == 0 && o->hunks == 1 && !anyway) {
      long offset = w->offset;
      turn_round(h);
      long other = locate(p, w, h, (long)fuzz);
      if (other != 0 && h->old_count + h->new_count > 0 && ask_reverse(p, skip, &anyway)) {
        p->reverse = !p->reverse;
        o->mismatch = true;
        where = other;
      } else {
        w->offset = offset;
        turn_round(h);
      }
    }
    if (where != 0) break;
  }
  long shown = (where != 0 ? where : (long)h->old_first + w->offset) + w->grown;
  if (*skip) {
    o->ignored++;
    reject(&o->rejects, header, h, o->rejects.len == 0);
    return;
  }
  if (where == 0) {
    say(p, "Hunk #%zu FAILED at %ld.\n", o->hunks, shown);
    o->failed++;
    o->mismatch = true;
    reject(&o->rejects, header, h, o->rejects.len == 0);
    return;
  }
  if (fuzz > 0 || w->offset != 0) {
    o->mismatch = true;
    say(p, "Hunk #%zu succeeded at %ld", o->hunks, shown);
    if (fuzz > 0) say(p, " with fuzz %zu", fuzz);
    if (w->offset != 0)
      say(p, " (offset %ld line%s)", w->offset, w->offset == 1 || w->offset == -1 ? "" : "s");
    say(p, ".\n");
  }
  apply(w, h, where);
}

static void report_missing(patch *p, patch_header *h) {
  say(p, "can't find file to patch at input line %zu\n", p->in.number);
  say(p, p->strip < 0 ? "Perhaps you should have used the -p or --strip option?\n"
                      : "Perhaps you used the wrong -p or --strip option?\n");
  say(p, "The text leading up to this was:\n--------------------------\n");
  for (size_t i = 0; i < h->leading_count; i++) say(p, "|%s\n", h->leading[i]);
  say(p, "--------------------------\nFile to patch: \nSkip this patch? [y] \nSkipping patch.\n");
}

static void do_file(patch *p, patch_header *header) {
  bool unsafe = false;
  p->any = true;
  char *path = p->target != NULL ? memory_string(p->target) : choose(p, header, &unsafe);
  char *renamed = NULL;
  if (header->rename_from != NULL && header->rename_to != NULL && p->target == NULL) {
    long strip = p->strip > 0 ? p->strip - 1 : p->strip; /* these names have no a/ in front */
    const char *from = stripped(strip, p->reverse ? header->rename_to : header->rename_from);
    const char *to = stripped(strip, p->reverse ? header->rename_from : header->rename_to);
    if (from != NULL && to != NULL && is_safe(from) && is_safe(to)) {
      path = memory_string(from);
      renamed = memory_string(to);
    }
  }
  bool skip = path == NULL;
  outcome o = {0};
  work w = {0};
  file_stat stat = {.mode = header->mode != 0 ? header->mode : 0666};
  bool exists = path != NULL && sys_stat(path, &stat) == 0;
  if (skip) {
    report_missing(p, header);
  } else {
    if (exists) {
      input in;
      size_t size;
      if (!bin_open(&p->b, &in, path)) bin_exit(&p->b, 2);
      char *all = input_all(&in, &size);
      split_lines(&w, all, size);
      input_close(&in);
    }
    say(p, p->dry ? "checking file %s" : "patching file %s",
        quote_needed(p->output != NULL && !p->dry ? p->output
                     : renamed != NULL            ? renamed
                                                  : path));
    if (p->output != NULL || renamed != NULL)
      say(p, renamed != NULL ? " (renamed from %s)" : " (read from %s)", quote_needed(path));
    say(p, "\n");
  }
  patch_hunk h;
  while (patch_next_hunk(&p->in, &h)) {
    o.hunks++;
    do_hunk(p, &w, header, &h, &o, &skip);
  }
  if (path != NULL) {
    copy_to(&w, w.count);
    bool gone = (p->reverse ? header->no_old : header->no_new) && !skip;
    bool changed = !skip && (o.failed < o.hunks || o.hunks == 0);
    if (w.out.at == NULL) text_string(&w.out, "");
    if (!p->dry && changed) {
      const char *to = p->output != NULL ? p->output : renamed != NULL ? renamed : path;
      bool keeps = p->backup || (o.mismatch && !p->no_backup);
      if (keeps && exists && p->output == NULL) {
        text kept = {0};
        text_format(&kept, "%s%s", path, p->suffix == NULL ? ".orig" : p->suffix);
        sys_unlink(text_end(&kept));
        sys_rename(path, kept.at);
      } else if (keeps && !exists && p->output == NULL && p->backup) {
        text kept = {0};
        text_format(&kept, "%s%s", path, p->suffix == NULL ? ".orig" : p->suffix);
        write_file(p, text_end(&kept), "", 0, 0666);
      }
      if (w.out.len == 0 && (gone || p->remove_empty) && p->output == NULL) {
        sys_unlink(path);
        drop_parents(path);
      } else {
        if (strcmp(to, "-") == 0) {
          output_write(&p->b.out, w.out.at, w.out.len);
        } else {
          write_file(p, to, w.out.at, w.out.len, stat.mode & 0777);
          sys_chmod(to, header->mode != 0 ? header->mode
                        : exists          ? stat.mode & 0777
                                          : 0666 & ~022u);
        }
        if (renamed != NULL && strcmp(renamed, path) != 0) sys_unlink(path);
      }
    }
    if (gone && w.out.len > 0 && changed && o.failed == 0) {
      say(p, "Not deleting file %s as content differs from patch\n", quote_needed(path));
      p->failed = true;
    }
  }
  if (o.failed + o.ignored > 0 || path == NULL) {
    size_t count = path == NULL ? o.hunks : o.failed + o.ignored;
    p->failed = true;
    say(p, "%zu out of %zu hunk%s %s", count, o.hunks, o.hunks == 1 ? "" : "s",
        o.failed > 0 ? "FAILED" : "ignored");
    if (path != NULL) {
      text name = {0};
      text_format(&name, "%s.rej", p->output != NULL ? p->output : path);
      const char *to = p->rejects != NULL ? p->rejects : text_end(&name);
      if (!p->dry && strcmp(to, "-") != 0) {
        say(p, " -- saving rejects to file %s", quote_needed(to));
        write_file(p, to, o.rejects.at, o.rejects.len, 0666 & ~022u);
      }
    }
    say(p, "\n");
  }
  text_free(&w.out);
}

static int patch_main(int argc, char **argv, char **environment) {
  patch p = {.strip = -1, .fuzz = 2};
  options o;
  const char *from = NULL;
  options_start(&o, &p.b, command_find("patch"), argc, argv, environment);
  p.b.usage_status = 2;
  p.b.usage_named = true;
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case 'p':
        p.strip = (long)options_number(&o, NULL, "**** strip count");
        break;
      case 'R':
        p.reverse = true;
        break;
      case 'N':
        p.forward = true;
        break;
      case 'f':
        p.force = true;
        break;
      case 't':
        p.batch = true;
        break;
      case 's':
        p.silent = true;
        break;
      case 'b':
        p.backup = true;
        break;
      case 'z':
        p.suffix = o.value;
        break;
      case 'E':
        p.remove_empty = true;
        break;
      case 'F':
        p.fuzz = (size_t)options_number(&o, NULL, "**** fuzz factor");
        break;
      case 'l':
        p.blanks = true;
        break;
      case 'i':
        from = o.value;
        break;
      case 'o':
        p.output = o.value;
        break;
      case 'r':
        p.rejects = o.value;
        break;
      case 'u':
        p.in.only = PATCH_UNIFIED;
        break;
      case 'c':
        p.in.only = PATCH_CONTEXT;
        break;
      case 'n':
        p.in.only = PATCH_NORMAL;
        break;
      case 'd': {
        int error = sys_chdir(o.value);
        if (error < 0)
          bin_die(&p.b, 2, "**** Can't change to directory %s : %s", quote_needed(o.value),
                  error_text(error));
        break;
      }
      default:
        if (options_is(&o, "dry-run")) p.dry = true;
        if (options_is(&o, "no-backup-if-mismatch")) p.no_backup = true;
        break;
    }
  }
  if (o.operand_count > 2) bin_usage(&p.b, "%s: extra operand", o.operands[2]);
  if (o.operand_count > 0) p.target = o.operands[0];
  if (o.operand_count > 1) from = o.operands[1];
  p.in.b = &p.b;
  int error = from == NULL ? 0 : input_open(&p.in.in, from);
  if (error < 0)
    bin_die(&p.b, 2, "**** Can't open patch file %s : %s", quote_needed(from), error_text(error));
  patch_header header;
  while (patch_next_file(&p.in, &header)) do_file(&p, &header);
  if (!p.any && p.in.number > 0)
    bin_die(&p.b, 2, "**** Only garbage was found in the patch input.");
  if (p.failed) p.b.status = 1;
  return bin_end(&p.b);
}

const command command_patch = {
    .name = "patch",
    .main = patch_main,
    .usage = "patch [OPTION]... [ORIGFILE [PATCHFILE]]",
    .stack = 128 << 10,
    .options =
        "-b, --backup\tkeep the old file as FILE.orig\n-c, --context\tthe patch is a context "
        "difference\n"
        "-d, --directory=DIR\tgo to DIR first\n--dry-run\tchange nothing, say what would happen\n"
        "-E, --remove-empty-files\tremove files that become empty\n-f, --force\task nothing\n"
        "-F, --fuzz=LINES\tof context that may differ, 2 without\n-i, --input=PATCHFILE\tread it "
        "from there\n"
        "-l, --ignore-whitespace\tblanks may differ\n-n, --normal\tthe patch is a normal "
        "difference\n"
        "-N, --forward\tskip what is applied already\n"
        "--no-backup-if-mismatch\tnor when hunks moved\n-o, --output=FILE\twrite the result there\n"
        "-p, --strip=NUM\ttake NUM folders off names\n-r, --reject-file=FILE\twhere rejects go\n"
        "-R, --reverse\tundo\n-s, --silent, --quiet\tsay less\n-t, --batch\task nothing, assume "
        "reversed patches\n"
        "-u, --unified\tthe patch is a unified difference\n-z, --suffix=SUFFIX\tof what is kept"};
