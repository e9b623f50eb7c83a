// SPDX-License-Identifier: MIT
/* glob.c -- pathname expansion, one component after the other over all paths found so far.
 *
 * There is no recursion, so a deep tree costs memory and not stack. */
#include <stdlib.h>

#include "expand.h"

/* More paths than any sandbox may hold files; products like * / * / * stop here. */
#define GLOB_MAX 200000u

typedef struct {
  shell *sh;
  fields *found; /* paths so far */
  unsigned flags;
  bool dots;
  bool only_folders; /* more components follow */
  bool star;         /* the last component was ** */
} walk;

static char *join(shell *sh, const char *before, const char *name, size_t size) {
  size_t length = strlen(before);
  char *path = arena_take(&sh->scratch, length + size + 1);
  memcpy(path, before, length);
  memcpy(path + length, name, size);
  path[length + size] = 0;
  return path;
}

static bool is_folder(const char *path, bool follow) {
  file_stat stat;
  int failed = follow ? sys_stat(path, &stat) : sys_lstat(path, &stat);
  return failed == 0 && stat.kind == FILE_DIRECTORY;
}

/* An entry that begins with a dot is only found by a pattern that does, too. */
static bool dot_allowed(const walk *w, const char *name, const char *text, size_t size) {
  if (*name != '.' || w->dots) return true;
  if (size > 0 && *text == '.') return true;
  if (size > 1 && *text == '\\' && text[1] == '.') return true;
  if (size < 3 || text[1] != '(' || *text == '!') return false;
  for (size_t i = 1; i + 1 < size; i++)
    if ((text[i] == '(' || text[i] == '|') && text[i + 1] == '.') return true;
  return false;
}

/* The entries of the folder `before` that match; `before` ends in / or is empty. */
static bool match_folder(walk *w, const char *before, const pattern *p, const char *text,
                         size_t size, fields *to) {
  directory *open;
  const char *name;
  file_kind kind;
  if (directory_open(*before != 0 ? before : ".", &open) < 0) return true;
  bool room = true;
  while (room && directory_next(open, &name, &kind)) {
    size_t length = strlen(name);
    if (!dot_allowed(w, name, text, size) || !pattern_matches(p, name, length)) continue;
    char *path = join(w->sh, before, name, length);
    if (w->only_folders && kind != FILE_DIRECTORY && !(kind == FILE_LINK && is_folder(path, true)))
      continue;
    fields_add(w->sh, to, path);
    room = to->count < GLOB_MAX;
  }
  directory_close(open);
  return room;
}

/* ** : `before` itself and every folder below it; with the last component, the files too. */
static bool match_all_below(walk *w, const char *before, bool last, fields *to) {
  fields pending = {0};
  fields_add(w->sh, &pending, (char *)before);
  if (!last || *before != 0) fields_add(w->sh, to, (char *)before);
  for (size_t i = 0; i < pending.count; i++) {
    directory *open;
    const char *name;
    file_kind kind;
    const char *folder = pending.at[i];
    if (directory_open(*folder != 0 ? folder : ".", &open) < 0) continue;
    while (directory_next(open, &name, &kind)) {
      if (*name == '.' && !w->dots) continue;
      char *path = join(w->sh, folder, name, strlen(name));
      if (kind == FILE_DIRECTORY) {
        char *below = join(w->sh, path, "/", 1);
        fields_add(w->sh, &pending, below);
        fields_add(w->sh, to, last ? path : below);
      } else if (last) {
        fields_add(w->sh, to, path);
      }
      if (to->count >= GLOB_MAX) break;
    }
    directory_close(open);
    if (to->count >= GLOB_MAX) return false;
  }
  return true;
}

/* The component's text with its escapes taken off. */
static size_t plain_component(const char *text, const uint8_t *marks, size_t size, char *to) {
  size_t length = 0;
  for (size_t i = 0; i < size; i++) {
    if (text[i] == '\\' && !(marks[i] & MARK_QUOTED) && i + 1 < size) i++;
    to[length++] = text[i];
  }
  return length;
}

static bool walk_component(walk *w, const char *text, const uint8_t *marks, size_t size,
                           bool last) {
  fields next = {0};
  bool room = true;
  bool star = size == 2 && text[0] == '*' && text[1] == '*' && !((marks[0] | marks[1]) & 1) &&
              shopt_on(w->sh, SHOPT_GLOBSTAR);
  w->only_folders = !last;
  w->star = star;
  if (star) {
    for (size_t i = 0; room && i < w->found->count; i++)
      room = match_all_below(w, w->found->at[i], last, &next);
  } else if (pattern_special(text, marks, size, w->flags)) {
    pattern *p = pattern_compile(&w->sh->scratch, text, marks, size, w->flags);
    for (size_t i = 0; room && i < w->found->count; i++)
      room = match_folder(w, w->found->at[i], p, text, size, &next);
  } else {
    char *plain = arena_take(&w->sh->scratch, size + 1);
    size_t length = plain_component(text, marks, size, plain);
    for (size_t i = 0; i < w->found->count; i++)
      fields_add(w->sh, &next, join(w->sh, w->found->at[i], plain, length));
    *w->found = next;
    return true;
  }
  *w->found = next;
  return room;
}

static void add_slashes(walk *w, const char *slashes, size_t count, bool behind_star) {
  for (size_t i = 0; i < w->found->count; i++) {
    char *path = w->found->at[i];
    size_t length = strlen(path);
    if (behind_star && length == 0) continue;           /* ** that stood for nothing */
    bool ended = length > 0 && path[length - 1] == '/'; /* by ** */
    if (!ended || count > 1) w->found->at[i] = join(w->sh, path, slashes, count - (ended ? 1 : 0));
  }
}

static int by_text(const void *left, const void *right) {
  return strcmp(*(char *const *)left, *(char *const *)right);
}

/* GLOBIGNORE: patterns, separated by colons, for paths that are left out. */
static bool ignored(shell *sh, const char *ignore, const char *path) {
  const char *slash = strrchr(path, '/');
  const char *name = slash != NULL ? slash + 1 : path;
  if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return true;
  while (*ignore != 0) {
    size_t size = strcspn(ignore, ":");
    pattern *p = pattern_compile(&sh->scratch, ignore, NULL, size, pattern_flags(sh));
    if (pattern_matches(p, path, strlen(path))) return true;
    ignore += size + (ignore[size] == ':');
  }
  return false;
}

ptrdiff_t glob_expand(shell *sh, const char *text, const uint8_t *marks, size_t size, fields *to) {
  fields found = {0};
  const char *ignore = var_get(sh, "GLOBIGNORE");
  if (ignore != NULL && *ignore == 0) ignore = NULL;
  walk w = {.sh = sh, .found = &found};
  w.flags = (shopt_on(sh, SHOPT_EXTGLOB) ? PATTERN_EXTGLOB : 0u) |
            (shopt_on(sh, SHOPT_NOCASEGLOB) ? PATTERN_NOCASE : 0u);
  w.dots = shopt_on(sh, SHOPT_DOTGLOB) || ignore != NULL;
  fields_add(sh, &found, "");
  for (size_t at = 0; at < size && found.count > 0;) {
    size_t end = at;
    while (end < size && text[end] != '/') end++;
    size_t slashes = end;
    while (slashes < size && text[slashes] == '/') slashes++;
    if (end > at &&
        !walk_component(&w, text + at, marks + at, end - at, slashes == size && end == size))
      return -1;
    bool star = end - at == 2 && w.star;
    if (slashes > end) add_slashes(&w, text + end, slashes - end, star);
    at = slashes;
  }
  if (found.count > 1) qsort(found.at, found.count, sizeof(char *), by_text);
  ptrdiff_t added = 0;
  for (size_t i = 0; i < found.count; i++) {
    file_stat stat;
    if (*found.at[i] == 0 || sys_lstat(found.at[i], &stat) < 0) continue;
    if (ignore != NULL && ignored(sh, ignore, found.at[i])) continue;
    fields_add(sh, to, found.at[i]);
    added++;
  }
  return added;
}
