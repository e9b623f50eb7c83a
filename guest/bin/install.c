// SPDX-License-Identifier: MIT
// install.c -- copy files into place with a mode, and make folders.
#include "copy.h"
#include "filemode.h"
#include "options.h"
#include "path.h"

typedef struct {
  bin b;
  bool folders, leading, no_folder, verbose, preserve, compare;
  uint32_t mode;
  const char *target, *suffix;
} install;

static bool make_folders(install *in, const char *path, uint32_t mode, bool last) {
  file_stat stat;
  int error = sys_stat(path, &stat);
  if (error == 0 && stat.kind == FILE_DIRECTORY) return true;
  char *parent = path_parent(path);
  if (strcmp(parent, path) != 0 && strcmp(parent, ".") != 0 &&
      !make_folders(in, parent, 0755, false))
    return false;
  error = error == 0 ? -EEXIST : sys_mkdir(path, mode);
  if (error < 0) {
    bin_error(&in->b, "cannot create directory %s: %s", quote_curly(path),
              error_text(error == -EEXIST && !last ? -ENOTDIR : error));
    return false;
  }
  if (in->verbose)
    output_format(&in->b.out, "install: creating directory %s\n", quote_always(path));
  return true;
}

static bool is_same(const char *a, const char *b) {
  input x, y;
  bool same = true;
  if (input_open(&x, a) < 0) return false;
  if (input_open(&y, b) < 0) {
    input_close(&x);
    return false;
  }
  for (int c, d; same;) {
    c = input_byte(&x);
    d = input_byte(&y);
    same = c == d;
    if (c < 0) break;
  }
  input_close(&x);
  input_close(&y);
  return same;
}

static void put_file(install *in, const char *from, const char *to) {
  file_stat stat, old;
  int error = sys_stat(from, &stat);
  if (error < 0) {
    bin_error(&in->b, "cannot stat %s: %s", quote_always(from), error_text(error));
    return;
  }
  if (stat.kind == FILE_DIRECTORY) {
    bin_error(&in->b, "omitting directory %s", quote_always(from));
    return;
  }
  bool exists = sys_lstat(to, &old) == 0, removed = false;
  if (exists && old.kind == FILE_DIRECTORY) {
    bin_error(&in->b, "cannot overwrite directory %s with non-directory", quote_always(to));
    return;
  }
  if (exists && old.inode == stat.inode && old.kind == FILE_REGULAR) {
    bin_error(&in->b, "%s and %s are the same file", quote_always(from), quote_always(to));
    return;
  }
  if (exists && in->compare && old.kind == FILE_REGULAR && old.mode == in->mode &&
      is_same(from, to))
    return;
  text kept = {0};
  if (exists && in->suffix != NULL) {
    text_format(&kept, "%s%s", to, in->suffix);
    sys_rename(to, text_end(&kept));
  } else if (exists) {
    removed = sys_unlink(to) == 0;
  }
  int source = sys_open(from, OPEN_READ, 0), target = -1;
  if (source < 0) {
    bin_error(&in->b, "cannot open %s for reading: %s", quote_always(from), error_text(source));
    return;
  }
  target = sys_open(to, OPEN_WRITE | OPEN_CREATE | OPEN_EXCLUSIVE, 0600);
  if (target < 0) {
    bin_error(&in->b, "cannot create regular file %s: %s", quote_always(to), error_text(target));
    sys_close(source);
    return;
  }
  if (removed && in->verbose) output_format(&in->b.out, "removed %s\n", quote_always(to));
  if (in->verbose) {
    output_format(&in->b.out, "%s -> %s", quote_always(from), quote_always(to));
    if (kept.len > 0) output_format(&in->b.out, " (backup: %s)", quote_always(kept.at));
    output_byte(&in->b.out, '\n');
  }
  bool reading;
  error = copy_bytes(source, target, &reading);
  if (error < 0)
    bin_error(&in->b, reading ? "error reading %s: %s" : "error writing %s: %s",
              quote_always(reading ? from : to), error_text(error));
  sys_close(source);
  sys_close(target);
  sys_chmod(to, in->mode);
  if (in->preserve) sys_utimes(to, stat.atime, stat.mtime, true);
}

static int install_main(int argc, char **argv, char **environment) {
  install in = {.mode = 0755};
  options o;
  const char *mode = NULL, *suffix = "~";
  bool backup = false;
  options_start(&o, &in.b, command_find("install"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case 'b':
        backup = true;
        break;
      case 'C':
        in.compare = true;
        break;
      case 'd':
        in.folders = true;
        break;
      case 'D':
        in.leading = true;
        break;
      case 'm':
        mode = o.value;
        break;
      case 'p':
        in.preserve = true;
        break;
      case 'S':
        suffix = o.value;
        backup = true;
        break;
      case 't':
        in.target = o.value;
        break;
      case 'T':
        in.no_folder = true;
        break;
      case 'v':
        in.verbose = true;
        break;
      default:
        break; /* -c, -s and owners change nothing here */
    }
  }
  if (backup) in.suffix = suffix;
  if (mode != NULL && !filemode_apply(mode, 0, in.folders, 0, &in.mode))
    bin_die(&in.b, 1, "invalid mode %s", quote_curly(mode));
  int count = o.operand_count;
  if (count == 0) bin_usage(&in.b, "missing file operand");
  if (in.folders) {
    for (int i = 0; i < count; i++) {
      if (make_folders(&in, o.operands[i], in.mode, true)) sys_chmod(o.operands[i], in.mode);
    }
    return bin_end(&in.b);
  }
  const char *folder = in.target;
  if (folder == NULL && count == 1)
    bin_usage(&in.b, "missing destination file operand after %s", quote_always(o.operands[0]));
  if (folder != NULL && in.leading) make_folders(&in, folder, 0755, true);
  if (folder != NULL && !copy_is_folder(folder)) {
    file_stat stat;
    int error = sys_stat(folder, &stat);
    bin_die(&in.b, 1, "failed to access %s: %s", quote_always(folder),
            error_text(error < 0 ? error : -ENOTDIR));
  }
  if (folder == NULL && in.no_folder && count > 2)
    bin_usage(&in.b, "extra operand %s", quote_always(o.operands[2]));
  if (folder == NULL && !in.no_folder && (count > 2 || copy_is_folder(o.operands[count - 1]))) {
    folder = o.operands[--count];
    if (!copy_is_folder(folder)) {
      if (sys_access(folder, 0) < 0)
        bin_die(&in.b, 1, "target %s: %s", quote_always(folder), error_text(ENOENT));
      bin_die(&in.b, 1, "target %s is not a directory", quote_always(folder));
    }
  }
  if (folder != NULL) {
    for (int i = 0; i < count; i++)
      put_file(&in, o.operands[i], copy_target(folder, o.operands[i]));
  } else {
    if (in.leading && !make_folders(&in, path_parent(o.operands[1]), 0755, true))
      return bin_end(&in.b);
    put_file(&in, o.operands[0], o.operands[1]);
  }
  return bin_end(&in.b);
}

const command command_install = {
    .name = "install",
    .main = install_main,
    .usage =
        "install [OPTION]... SOURCE DEST\ninstall [OPTION]... SOURCE... DIRECTORY\n"
        "install [OPTION]... -t DIRECTORY SOURCE...\ninstall [OPTION]... -d DIRECTORY...",
    .options =
        "-b, --backup\tkeep what is there\n-c\tas usual\n"
        "-C, --compare\tleave a file that is the same already\n"
        "-d, --directory\tmake folders\n-D\tmake the folders above DEST\n"
        "-g, --group=GROUP\tas usual\n-m, --mode=MODE\tinstead of rwxr-xr-x\n"
        "-o, --owner=OWNER\tas usual\n-p, --preserve-timestamps\tkeep the times\n"
        "-s, --strip\tas usual\n-S, --suffix=SUFFIX\tof what is kept\n"
        "-t, --target-directory=DIRECTORY\tcopy all into DIRECTORY\n"
        "-T, --no-target-directory\tDEST is a file\n-v, --verbose\tsay what is done"};
