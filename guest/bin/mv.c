// SPDX-License-Identifier: MIT
// mv.c -- rename files. All of the guest is one file system, so nothing is ever copied.
#include "ask.h"
#include "copy.h"
#include "options.h"
#include "path.h"

typedef struct {
  bin b;
  bool force, interactive, no_clobber, update, verbose, no_target_folder;
  const char *backup;
} mv;

static bool may_replace(mv *m, const char *to, const file_stat *source, const file_stat *there) {
  if (m->no_clobber || (m->update && there->mtime >= source->mtime)) return false;
  if (m->interactive) {
    text question = {0};
    text_format(&question, "overwrite %s? ", quote_always(to));
    if (!ask(&m->b, text_end(&question))) return false;
  }
  if (m->backup != NULL) {
    text saved = {0};
    text_format(&saved, "%s%s", to, m->backup);
    sys_rename(to, text_end(&saved));
  }
  return true;
}

static void move(mv *m, const char *from, const char *to) {
  file_stat source, there;
  int error = sys_lstat(from, &source);
  if (error < 0) {
    bin_error(&m->b, "cannot stat %s: %s", quote_always(from), error_text(error));
    return;
  }
  if (sys_lstat(to, &there) == 0) {
    if (there.inode == source.inode) {
      bin_error(&m->b, "%s and %s are the same file", quote_always(from), quote_always(to));
      return;
    }
    if (there.kind == FILE_DIRECTORY && source.kind != FILE_DIRECTORY) {
      bin_error(&m->b, "cannot overwrite directory %s with non-directory", quote_always(to));
      return;
    }
    if (there.kind != FILE_DIRECTORY && source.kind == FILE_DIRECTORY) {
      bin_error(&m->b, "cannot overwrite non-directory %s with directory %s", quote_always(to),
                quote_always(from));
      return;
    }
    if (!may_replace(m, to, &source, &there)) return;
  }
  error = sys_rename(from, to);
  if (error == -EINVAL && source.kind == FILE_DIRECTORY) {
    bin_error(&m->b, "cannot move %s to a subdirectory of itself, %s", quote_always(from),
              quote_always(to));
  } else if (error < 0) {
    bin_error(&m->b, "cannot move %s to %s: %s", quote_always(from), quote_always(to),
              error_text(error));
  } else if (m->verbose) {
    output_format(&m->b.out, "renamed %s -> %s\n", quote_always(from), quote_always(to));
  }
}

static int mv_main(int argc, char **argv, char **environment) {
  mv m = {0};
  options o;
  const char *folder = NULL;
  options_start(&o, &m.b, command_find("mv"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case 'f':
        m.interactive = m.no_clobber = false;
        break;
      case 'i':
        m.interactive = true, m.no_clobber = false;
        break;
      case 'n':
        m.no_clobber = true, m.interactive = false;
        break;
      case 'u':
        m.update = true;
        break;
      case 'v':
        m.verbose = true;
        break;
      case 't':
        folder = o.value;
        break;
      case 'T':
        m.no_target_folder = true;
        break;
      case 'b':
        m.backup = "~";
        break;
      case 'S':
        m.backup = o.value;
        break;
      default:
        break;
    }
  }
  int count = o.operand_count;
  if (count == 0) bin_usage(&m.b, "missing file operand");
  if (count == 1 && folder == NULL) {
    bin_usage(&m.b, "missing destination file operand after %s", quote_always(o.operands[0]));
  }
  char *last = o.operands[count - 1];
  if (m.no_target_folder && count > 2)
    bin_usage(&m.b, "extra operand %s", quote_always(o.operands[2]));
  bool given = folder != NULL;
  if (!given) count--;
  if (!given && !m.no_target_folder && copy_is_folder(last)) folder = last;
  if (folder == NULL && count > 1) {
    bin_die(&m.b, 1, "target %s: %s", quote_always(last),
            error_text(sys_access(last, 0) < 0 ? ENOENT : ENOTDIR));
  }
  for (int i = 0; i < count; i++) {
    move(&m, o.operands[i], folder == NULL ? last : copy_target(folder, o.operands[i]));
  }
  return bin_end(&m.b);
}

const command command_mv = {
    .name = "mv",
    .main = mv_main,
    .usage =
        "mv [OPTION]... SOURCE DEST\n   or: mv [OPTION]... SOURCE... DIRECTORY\n"
        "   or: mv [OPTION]... -t DIRECTORY SOURCE...",
    .options =
        "-b\tkeep what is overwritten under another name\n"
        "-f, --force\tdo not ask\n"
        "-i, --interactive\task before overwriting\n"
        "-n, --no-clobber\tdo not overwrite\n"
        "-S, --suffix=SUFFIX\tthe suffix of -b\n"
        "-t, --target-directory=DIRECTORY\tmove into DIRECTORY\n"
        "-T, --no-target-directory\tDEST is not a folder to move into\n"
        "-u, --update\tonly when the source is newer\n"
        "-v, --verbose\tsay what is renamed"};
