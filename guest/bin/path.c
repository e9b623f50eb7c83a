// SPDX-License-Identifier: MIT
// path.c -- see path.h.
#include "path.h"

#include <stdlib.h>
#include <string.h>

#include "../kernel/kernel.h"
#include "../text/text.h"

/* As many links as Linux follows in one name. */
#define LINKS_MAX 40

char *path_join(const char *folder, const char *name) {
  text path = {0};
  text_string(&path, folder);
  if (path.len > 0 && path.at[path.len - 1] != '/') text_char(&path, '/');
  text_string(&path, name);
  return text_end(&path);
}

static size_t without_slashes(const char *path, size_t size) {
  while (size > 1 && path[size - 1] == '/') size--;
  return size;
}

char *path_base(const char *path) {
  size_t size = without_slashes(path, strlen(path)), start = size;
  while (start > 0 && path[start - 1] != '/') start--;
  if (start == size) start = size > 0 ? size - 1 : 0; /* nothing but slashes */
  return memory_copy(path + start, size - start);
}

char *path_parent(const char *path) {
  size_t size = without_slashes(path, strlen(path));
  while (size > 0 && path[size - 1] != '/') size--;
  if (size == 0) return memory_string(".");
  return memory_copy(path, without_slashes(path, size));
}

char *path_current(void) {
  char *path = memory_take(4096);
  if (sys_getcwd(path, 4096) < 0) strcpy(path, "/");
  return path;
}

static void drop_last(text *path) {
  while (path->len > 0 && path->at[path->len - 1] != '/') path->len--;
  if (path->len > 0) path->len--;
}

/* The target of the link at `path`, NULL when it is none. */
static char *link_target(const char *path, const file_stat *stat) {
  if (stat->kind != FILE_LINK) return NULL;
  char *target = memory_take(4097);
  int64_t size = sys_readlink(path, target, 4096);
  if (size < 0) size = 0;
  target[size] = 0;
  return target;
}

int path_resolve(const char *path, path_missing missing, bool links, char **resolved) {
  if (*path == 0) return -ENOENT;
  text done = {0};
  char *rest = memory_string(path);
  if (*path != '/') text_string(&done, path_current());
  if (done.len == 1) done.len = 0; /* the root is the empty text */
  int hops = 0;
  bool gone = false;
  while (*rest != 0) {
    while (*rest == '/') rest++;
    size_t size = strcspn(rest, "/");
    if (size == 0) break;
    bool last = rest[size + strspn(rest + size, "/")] == 0, slash = rest[size] == '/';
    if (size == 2 && memcmp(rest, "..", 2) == 0) {
      drop_last(&done);
    } else if (!(size == 1 && *rest == '.')) {
      text_char(&done, '/');
      text_add(&done, rest, size);
      file_stat stat;
      int error = gone ? -ENOENT : sys_lstat(text_end(&done), &stat);
      char *target = error == 0 && links ? link_target(text_end(&done), &stat) : NULL;
      if (error == -ENOENT &&
          (missing == PATH_MAY_MISS || (missing == PATH_LAST_MAY_MISS && last))) {
        gone = true;
      } else if (error < 0 && missing != PATH_MAY_MISS) {
        return error;
      } else if (target != NULL) {
        if (++hops > LINKS_MAX) return -ELOOP;
        drop_last(&done);
        if (*target == '/') done.len = 0;
        char *joined = path_join(target, rest + size);
        rest = slash || rest[size] != 0 ? joined : target;
        continue;
      } else if (error == 0 && slash && missing != PATH_MAY_MISS) {
        if (sys_stat(text_end(&done), &stat) == 0 && stat.kind != FILE_DIRECTORY) return -ENOTDIR;
      }
    }
    rest += size;
  }
  if (done.len == 0) text_char(&done, '/');
  *resolved = text_end(&done);
  return 0;
}

char *path_relative(const char *to, const char *from) {
  size_t common = 0, i = 0;
  for (;; i++) { /* the longest common folder */
    bool end_to = to[i] == 0 || to[i] == '/', end_from = from[i] == 0 || from[i] == '/';
    if (end_to && end_from) common = i;
    if (to[i] != from[i] || to[i] == 0) break;
  }
  if (strcmp(from, "/") == 0) common = 0;
  text path = {0};
  const char *left = from + common;
  while (*left != 0) {
    while (*left == '/') left++;
    size_t size = strcspn(left, "/");
    if (size > 0) text_string(&path, path.len == 0 ? ".." : "/..");
    left += size;
  }
  const char *rest = to + common;
  while (*rest == '/') rest++;
  if (*rest != 0 && path.len > 0) text_char(&path, '/');
  text_string(&path, rest);
  if (path.len == 0) text_char(&path, '.');
  return text_end(&path);
}

static int by_bytes(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

int path_list(const char *folder, bool sorted, char ***names, size_t *count) {
  directory *open;
  int error = directory_open(folder, &open);
  if (error < 0) return error;
  size_t room = 32;
  char **list = memory_take(room * sizeof *list);
  *count = 0;
  const char *name;
  file_kind kind;
  while (directory_next(open, &name, &kind)) {
    if (*count + 1 >= room) list = memory_resize(list, (room *= 2) * sizeof *list);
    list[(*count)++] = memory_string(name);
  }
  directory_close(open);
  list[*count] = NULL;
  if (sorted) qsort(list, *count, sizeof *list, by_bytes);
  *names = list;
  return 0;
}
