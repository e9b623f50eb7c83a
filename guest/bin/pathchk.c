// SPDX-License-Identifier: MIT
// pathchk.c -- say which names could not be made, here or on other systems.
#include "options.h"

#include <stdio.h>
#include <string.h>

#define PORTABLE "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-/"

typedef struct {
  bin b;
  bool portable, extra;
} pathchk;

static bool check_characters(pathchk *p, const char *path) {
  size_t fine = strspn(path, PORTABLE);
  if (path[fine] == 0) return true;
  size_t used = 1;
  point_decode(path + fine, strlen(path + fine), &used);
  char *one = memory_copy(path + fine, used), escaped[8];
  if (used == 1 && (unsigned char)*one < ' ') {
    const char *named = strchr("\aa\bb\ff\nn\rr\tt\vv", *one);
    snprintf(escaped, sizeof escaped, named != NULL && *one != 0 ? "\\%c" : "\\%03o",
             named != NULL ? named[1] : (unsigned char)*one);
    one = escaped;
  }
  bin_error(&p->b, "nonportable character %s in file name %s", quote_curly(one),
            quote_always(path));
  return false;
}

static void check(pathchk *p, const char *path) {
  if (p->extra) {
    for (const char *at = path; *at != 0; at++) {
      if (*at != '-' || (at != path && at[-1] != '/')) continue;
      bin_error(&p->b, "leading '-' in a component of file name %s", quote_always(path));
      return;
    }
  }
  if ((p->portable || p->extra) && *path == 0) {
    bin_error(&p->b, "empty file name");
    return;
  }
  if (p->portable && !check_characters(p, path)) return;
  file_stat stat;
  if (!p->portable) {
    int error = sys_lstat(path, &stat);
    if (error == 0) return;
    if (error != -ENOENT || *path == 0) {
      bin_error(&p->b, "%s: %s", quote_needed(path), error_text(error));
      return;
    }
  }
  size_t limit = p->portable ? 255 : 4095, part = p->portable ? 14 : 255;
  if (strlen(path) > limit) {
    bin_error(&p->b, "limit %zu exceeded by length %zu of file name %s", limit, strlen(path),
              quote_always(path));
    return;
  }
  for (const char *at = path; *at != 0;) {
    size_t size = strcspn(at, "/");
    if (size > part) {
      bin_error(&p->b, "limit %zu exceeded by length %zu of file name component %s", part, size,
                quote_curly(memory_copy(at, size)));
      return;
    }
    at += size;
    at += *at == '/';
  }
}

static int pathchk_main(int argc, char **argv, char **environment) {
  pathchk p = {0};
  options o;
  options_start(&o, &p.b, command_find("pathchk"), argc, argv, environment);
  o.in_order = true;
  for (int key; (key = options_next(&o)) != 0;) {
    if (key == 'p' || options_is(&o, "portability")) p.portable = true;
    if (key == 'P' || options_is(&o, "portability")) p.extra = true;
  }
  options_need(&o, 1);
  for (int i = 0; i < o.operand_count; i++) check(&p, o.operands[i]);
  return bin_end(&p.b);
}

const command command_pathchk = {
    .name = "pathchk",
    .main = pathchk_main,
    .usage = "pathchk [OPTION]... NAME...",
    .options =
        "-p\tcheck for most POSIX systems\n-P\tcheck for empty names and leading \"-\"\n"
        "--portability\tas -p -P"};
