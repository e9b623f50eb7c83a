// SPDX-License-Identifier: MIT
// rm.c -- rm and unlink.
#include "ask.h"
#include "options.h"
#include "path.h"
#include "walk.h"

typedef struct {
  bin b;
  bool force, interactive, recursive, folders, verbose;
} rm;

static bool confirmed(rm *r, const char *what, const char *path) {
  if (!r->interactive) return true;
  text question = {0};
  text_format(&question, "%s %s? ", what, quote_always(path));
  return ask(&r->b, text_end(&question));
}

static void failed(rm *r, const char *path, int error) {
  if (error < 0) error = -error;
  if (r->force && (error == ENOENT || error == ENOTDIR)) return;
  bin_error(&r->b, "cannot remove %s: %s", quote_always(path), error_text(error));
}

static const char *kind_of(const file_stat *stat) {
  if (stat->kind == FILE_LINK) return "remove symbolic link";
  if (stat->kind == FILE_REGULAR)
    return stat->size == 0 ? "remove regular empty file" : "remove regular file";
  return "remove";
}

static void remove_file(rm *r, const char *path, const file_stat *stat) {
  if (!confirmed(r, kind_of(stat), path)) return;
  int error = sys_unlink(path);
  if (error < 0) {
    failed(r, path, error);
  } else if (r->verbose) {
    output_format(&r->b.out, "removed %s\n", quote_always(path));
  }
}

static void remove_folder(rm *r, const char *path) {
  if (!confirmed(r, "remove directory", path)) return;
  int error = sys_rmdir(path);
  if (error < 0) {
    failed(r, path, error);
  } else if (r->verbose) {
    output_format(&r->b.out, "removed directory %s\n", quote_always(path));
  }
}

static bool is_forbidden(rm *r, const char *path) {
  char *base = path_base(path);
  if (strcmp(base, ".") == 0 || strcmp(base, "..") == 0) {
    bin_error(&r->b, "refusing to remove '.' or '..' directory: skipping %s", quote_always(path));
    return true;
  }
  if (r->recursive && strcmp(base, "/") == 0) {
    bin_warn(&r->b, "it is dangerous to operate recursively on '/'");
    bin_error(&r->b, "use --no-preserve-root to override this failsafe");
    return true;
  }
  return false;
}

static void remove_tree(rm *r, const char *path) {
  walk w;
  walk_event event;
  walk_start(&w, path, false);
  while (walk_next(&w, &event)) {
    if (event == WALK_ERROR) {
      failed(r, w.path, w.error);
    } else if (event == WALK_FILE) {
      remove_file(r, w.path, &w.stat);
    } else if (event == WALK_LEAVE) {
      remove_folder(r, w.path);
    } else if (!r->recursive) {
      w.skip = true;
      if (r->folders) {
        remove_folder(r, w.path);
      } else {
        failed(r, w.path, EISDIR);
      }
      return;
    } else if (r->interactive && !confirmed(r, "descend into directory", w.path)) {
      w.skip = true;
    }
  }
}

static int rm_main(int argc, char **argv, char **environment) {
  rm r = {0};
  options o;
  options_start(&o, &r.b, command_find("rm"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case 'f':
        r.force = true, r.interactive = false;
        break;
      case 'i':
        r.interactive = true, r.force = false;
        break;
      case 'I':
        break;
      case 'r':
        r.recursive = true;
        break;
      case 'd':
        r.folders = true;
        break;
      case 'v':
        r.verbose = true;
        break;
      default:
        break;
    }
  }
  if (o.operand_count == 0 && r.force) return 0;
  options_need(&o, 1);
  for (int i = 0; i < o.operand_count; i++) {
    if (!is_forbidden(&r, o.operands[i])) remove_tree(&r, o.operands[i]);
  }
  return bin_end(&r.b);
}

static int unlink_main(int argc, char **argv, char **environment) {
  bin b;
  options o;
  options_start(&o, &b, command_find("unlink"), argc, argv, environment);
  while (options_next(&o) != 0) {
  }
  options_need(&o, 1);
  options_allow(&o, 1);
  int error = sys_unlink(o.operands[0]);
  if (error < 0)
    bin_error(&b, "cannot unlink %s: %s", quote_always(o.operands[0]), error_text(error));
  return bin_end(&b);
}

const command command_rm = {.name = "rm",
                            .main = rm_main,
                            .usage = "rm [OPTION]... [FILE]...",
                            .options =
                                "-f, --force\tno error for missing files, no questions\n"
                                "-i\task before each removal\n"
                                "-I\tignored\n"
                                "-r, -R, --recursive\tremove folders and what is in them\n"
                                "-d, --dir\tremove empty folders\n"
                                "-v, --verbose\tsay what is removed\n"
                                "--preserve-root[=all]\talways so\n"
                                "--one-file-system\tignored"};
const command command_unlink = {
    .name = "unlink", .main = unlink_main, .usage = "unlink FILE", .options = ""};
