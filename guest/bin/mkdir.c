// SPDX-License-Identifier: MIT
// mkdir.c -- mkdir and rmdir.
#include "filemode.h"
#include "options.h"
#include "path.h"

typedef struct {
  bin b;
  bool parents, verbose, ignore_full;
  const char *mode;
  uint32_t umask;
} folders;

static bool is_folder(const char *path) {
  file_stat stat;
  return sys_stat(path, &stat) == 0 && stat.kind == FILE_DIRECTORY;
}

static int make_one(folders *f, const char *path, uint32_t mode) {
  int error = sys_mkdir(path, mode);
  if (error == 0 && f->verbose) {
    output_format(&f->b.out, "mkdir: created directory %s\n", quote_always(path));
  }
  return error;
}

/* Makes every missing folder above the last. */
static int make_parents(folders *f, char *path) {
  for (char *at = path; *at != 0; at++) {
    if (*at != '/' || at == path || at[1] == 0 || at[1] == '/') continue;
    *at = 0;
    int error = is_folder(path) ? 0 : make_one(f, path, 0777);
    if (error == -EEXIST && is_folder(path)) error = 0;
    if (error < 0) {
      bin_error(&f->b, "cannot create directory %s: %s", quote_curly(path),
                error_text(error == -EEXIST ? -ENOTDIR : error));
      return error;
    }
    *at = '/';
  }
  return 0;
}

static void make(folders *f, char *path) {
  uint32_t mode = 0777;
  if (f->parents && make_parents(f, path) < 0) return;
  if (f->mode != NULL && !filemode_apply(f->mode, 0777, true, f->umask, &mode)) {
    bin_die(&f->b, 1, "invalid mode %s", quote_curly(f->mode));
  }
  int error = make_one(f, path, mode);
  if (error == 0 && f->mode != NULL) sys_chmod(path, mode);
  if (error == -EEXIST && f->parents && is_folder(path)) return;
  if (error < 0)
    bin_error(&f->b, "cannot create directory %s: %s", quote_curly(path), error_text(error));
}

static int mkdir_main(int argc, char **argv, char **environment) {
  folders f = {0};
  options o;
  options_start(&o, &f.b, command_find("mkdir"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) {
    if (key == 'p') f.parents = true;
    if (key == 'v') f.verbose = true;
    if (key == 'm') f.mode = o.value;
  }
  options_need(&o, 1);
  f.umask = sys_umask(022);
  sys_umask(f.umask);
  for (int i = 0; i < o.operand_count; i++) make(&f, o.operands[i]);
  return bin_end(&f.b);
}

static bool remove_one(folders *f, const char *path) {
  if (f->verbose) output_format(&f->b.out, "rmdir: removing directory, %s\n", quote_always(path));
  int error = sys_rmdir(path);
  if (error == 0) return true;
  if (f->ignore_full && error == -ENOTEMPTY) return false;
  bin_error(&f->b, "failed to remove %s: %s", quote_always(path), error_text(error));
  return false;
}

static int rmdir_main(int argc, char **argv, char **environment) {
  folders f = {0};
  options o;
  options_start(&o, &f.b, command_find("rmdir"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) {
    if (key == 'p') f.parents = true;
    if (key == 'v') f.verbose = true;
    if (key == OPTION_LONG) f.ignore_full = true;
  }
  options_need(&o, 1);
  for (int i = 0; i < o.operand_count; i++) {
    char *path = o.operands[i];
    while (remove_one(&f, path) && f.parents) {
      path = path_parent(path);
      if (strcmp(path, ".") == 0 || strcmp(path, "/") == 0) break;
    }
  }
  return bin_end(&f.b);
}

const command command_mkdir = {.name = "mkdir",
                               .main = mkdir_main,
                               .usage = "mkdir [OPTION]... DIRECTORY...",
                               .options =
                                   "-m, --mode=MODE\tset the mode, as chmod\n"
                                   "-p, --parents\tmake parents too; no error if it exists\n"
                                   "-v, --verbose\tsay what is made"};
const command command_rmdir = {.name = "rmdir",
                               .main = rmdir_main,
                               .usage = "rmdir [OPTION]... DIRECTORY...",
                               .options =
                                   "--ignore-fail-on-non-empty\tno error for folders in use\n"
                                   "-p, --parents\tremove DIRECTORY and those above it\n"
                                   "-v, --verbose\tsay what is removed"};
