// SPDX-License-Identifier: MIT
// ln.c -- make links.
#include "copy.h"
#include "options.h"
#include "path.h"

typedef struct {
  bin b;
  bool symbolic, force, verbose, relative, no_follow;
} ln;

static void make(ln *l, const char *target, const char *path) {
  const char *content = target;
  if (l->relative && l->symbolic) {
    char *to, *from;
    if (path_resolve(target, PATH_MAY_MISS, true, &to) == 0 &&
        path_resolve(path_parent(path), PATH_MAY_MISS, true, &from) == 0) {
      content = path_relative(to, from);
    }
  }
  file_stat stat;
  if (!l->symbolic) {
    int error = sys_lstat(target, &stat);
    if (error < 0) {
      bin_error(&l->b, "failed to access %s: %s", quote_always(target), error_text(error));
      return;
    }
    if (stat.kind == FILE_DIRECTORY) {
      bin_error(&l->b, "%s: hard link not allowed for directory", target);
      return;
    }
  }
  int error = l->symbolic ? sys_symlink(content, path) : sys_link(target, path);
  if (error == -EEXIST && l->force) {
    file_stat there;
    if (!l->symbolic && sys_lstat(path, &there) == 0 && there.inode == stat.inode) {
      bin_error(&l->b, "%s and %s are the same file", quote_always(target), quote_always(path));
      return;
    }
    sys_unlink(path);
    error = l->symbolic ? sys_symlink(content, path) : sys_link(target, path);
  }
  if (error < 0) {
    bool both = !l->symbolic && error != -EEXIST && error != -ENOSPC && error != -EROFS;
    bin_error(&l->b, "failed to create %s link %s%s%s: %s", l->symbolic ? "symbolic" : "hard",
              quote_always(path), both ? " => " : "", both ? quote_always(target) : "",
              error_text(error));
  } else if (l->verbose) {
    output_format(&l->b.out, "%s %s %s\n", quote_always(path), l->symbolic ? "->" : "=>",
                  quote_always(content));
  }
}

static bool is_folder(const ln *l, const char *path) {
  file_stat stat;
  if (l->no_follow && sys_lstat(path, &stat) == 0 && stat.kind == FILE_LINK) return false;
  return copy_is_folder(path);
}

static int ln_main(int argc, char **argv, char **environment) {
  ln l = {0};
  options o;
  const char *folder = NULL;
  bool no_folder = false;
  options_start(&o, &l.b, command_find("ln"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case 's':
        l.symbolic = true;
        break;
      case 'f':
        l.force = true;
        break;
      case 'n':
        l.no_follow = true;
        break;
      case 'r':
        l.relative = true;
        break;
      case 'v':
        l.verbose = true;
        break;
      case 't':
        folder = o.value;
        break;
      case 'T':
        no_folder = true;
        break;
      default:
        break;
    }
  }
  int count = o.operand_count;
  if (count == 0) bin_usage(&l.b, "missing file operand");
  char *last = o.operands[count - 1];
  if (no_folder) {
    if (count != 2) {
      bin_usage(&l.b, count < 2 ? "missing destination file operand after %s" : "extra operand %s",
                quote_always(o.operands[count < 2 ? 0 : 2]));
    }
    make(&l, o.operands[0], last);
    return bin_end(&l.b);
  }
  if (folder == NULL && count == 1) {
    folder = ".";
  } else if (folder == NULL && is_folder(&l, last)) {
    folder = last;
    count--;
  }
  if (folder == NULL && count > 2)
    bin_die(&l.b, 1, "target %s: %s", quote_always(last),
            error_text(sys_access(last, 0) < 0 ? ENOENT : ENOTDIR));
  if (folder == NULL) {
    make(&l, o.operands[0], last);
  } else {
    for (int i = 0; i < count; i++) {
      make(&l, o.operands[i], copy_target(folder, o.operands[i]));
    }
  }
  return bin_end(&l.b);
}

const command command_ln = {
    .name = "ln",
    .main = ln_main,
    .usage =
        "ln [OPTION]... [-T] TARGET LINK_NAME\n   or: ln [OPTION]... TARGET\n"
        "   or: ln [OPTION]... TARGET... DIRECTORY\n   or: ln [OPTION]... -t DIRECTORY TARGET...",
    .options =
        "-f, --force\tremove existing destinations\n"
        "-n, --no-dereference\ta link to a folder is no folder\n"
        "-r, --relative\tmake the symbolic link relative\n"
        "-s, --symbolic\tmake symbolic links\n"
        "-t, --target-directory=DIRECTORY\tmake the links in DIRECTORY\n"
        "-T, --no-target-directory\tLINK_NAME is not a folder\n"
        "-v, --verbose\tsay what is made"};
