// SPDX-License-Identifier: MIT
// cp.c -- copy files and trees.
#include "ask.h"
#include "copy.h"
#include "options.h"
#include "path.h"

typedef struct {
  bin b;
  bool recursive, force, interactive, no_clobber, update, verbose, preserve, link, symbolic;
  bool keep_links, follow_operands, parents, no_target_folder, attributes_only;
  const char *backup; /* suffix */
} cp;

int copy_bytes(int from, int to, bool *reading) {
  char *block = memory_take(65536);
  int64_t got, error = 0;
  *reading = true;
  while ((got = sys_read(from, block, 65536)) > 0) {
    error = sys_write(to, block, (size_t)got);
    if (error < 0) {
      *reading = false;
      break;
    }
  }
  free(block);
  return (int)(got < 0 ? got : error < 0 ? error : 0);
}

char *copy_target(const char *folder, const char *operand) {
  return path_join(folder, path_base(operand));
}

bool copy_is_folder(const char *path) {
  file_stat stat;
  return sys_stat(path, &stat) == 0 && stat.kind == FILE_DIRECTORY;
}

static void say(cp *c, const char *from, const char *to) {
  if (c->verbose) output_format(&c->b.out, "%s -> %s\n", quote_always(from), quote_always(to));
}

static void keep_times(cp *c, const char *to, const file_stat *stat) {
  if (!c->preserve) return;
  sys_utimes(to, stat->atime, stat->mtime, true);
  sys_chmod(to, stat->mode);
}

static void copy_content(cp *c, const char *from, const char *to, const file_stat *stat,
                         bool exists) {
  int in = sys_open(from, OPEN_READ, 0);
  if (in < 0) {
    bin_error(&c->b, "cannot open %s for reading: %s", quote_always(from), error_text(in));
    return;
  }
  int out = sys_open(to, OPEN_WRITE | OPEN_CREATE | OPEN_TRUNCATE, stat->mode & 0777);
  if (out < 0 && c->force && exists) {
    sys_unlink(to);
    out = sys_open(to, OPEN_WRITE | OPEN_CREATE | OPEN_TRUNCATE, stat->mode & 0777);
  }
  if (out < 0) {
    bin_error(&c->b, "cannot create regular file %s: %s", quote_always(to), error_text(out));
    sys_close(in);
    return;
  }
  bool reading;
  int error = c->attributes_only ? 0 : copy_bytes(in, out, &reading);
  if (error < 0) {
    bin_error(&c->b, "error %s %s: %s", reading ? "reading" : "writing",
              quote_always(reading ? from : to), error_text(error));
  }
  sys_close(in);
  sys_close(out);
  keep_times(c, to, stat);
}

static void copy_link(cp *c, const char *from, const char *to, bool exists) {
  char target[4097];
  int64_t size = sys_readlink(from, target, 4096);
  if (size < 0) {
    bin_error(&c->b, "cannot read symbolic link %s: %s", quote_always(from), error_text((int)size));
    return;
  }
  target[size] = 0;
  if (exists) sys_unlink(to);
  int error = sys_symlink(target, to);
  if (error < 0)
    bin_error(&c->b, "cannot create symbolic link %s: %s", quote_always(to), error_text(error));
}

/* What stands in the way: true when the copy may go on. */
static bool may_replace(cp *c, const char *from, const char *to, const file_stat *source,
                        const file_stat *there) {
  if (source->inode == there->inode && source->kind == there->kind && !c->link) {
    bin_error(&c->b, "%s and %s are the same file", quote_always(from), quote_always(to));
    return false;
  }
  if (there->kind == FILE_DIRECTORY && source->kind != FILE_DIRECTORY) {
    bin_error(&c->b, "cannot overwrite directory %s with non-directory", quote_always(to));
    return false;
  }
  if (c->no_clobber) return false;
  if (c->update && there->mtime >= source->mtime) return false;
  if (c->interactive) {
    text question = {0};
    text_format(&question, "overwrite %s? ", quote_always(to));
    if (!ask(&c->b, text_end(&question))) return false;
  }
  if (c->backup != NULL) {
    text saved = {0};
    text_format(&saved, "%s%s", to, c->backup);
    sys_rename(to, text_end(&saved));
  }
  return true;
}

static void copy(cp *c, const char *from, const char *to, int depth);

static void copy_folder(cp *c, const char *from, const char *to, const file_stat *stat, bool exists,
                        const file_stat *there, int depth) {
  if (exists && there->kind != FILE_DIRECTORY) {
    bin_error(&c->b, "cannot overwrite non-directory %s with directory %s", quote_always(to),
              quote_always(from));
    return;
  }
  char **names;
  size_t count;
  int error = exists ? 0 : sys_mkdir(to, stat->mode | 0700);
  if (error < 0) {
    bin_error(&c->b, "cannot create directory %s: %s", quote_always(to), error_text(error));
    return;
  }
  if (!exists) say(c, from, to);
  error = path_list(from, false, &names, &count);
  if (error < 0) {
    bin_error(&c->b, "cannot access %s: %s", quote_always(from), error_text(error));
    return;
  }
  for (size_t i = 0; i < count; i++)
    copy(c, path_join(from, names[i]), path_join(to, names[i]), depth + 1);
  keep_times(c, to, stat);
}

/* Folders nest at most this deep: each level costs some 400 bytes of the command's stack. */
#define DEPTH_MAX 400

static bool is_inside(const char *from, const char *to) {
  char *source, *target;
  if (path_resolve(from, PATH_EXISTING, true, &source) < 0) return false;
  if (path_resolve(to, PATH_LAST_MAY_MISS, true, &target) < 0) return false;
  size_t size = strlen(source);
  return strncmp(source, target, size) == 0 && (target[size] == '/' || target[size] == 0);
}

static void copy(cp *c, const char *from, const char *to, int depth) {
  file_stat stat, there;
  bool follow = depth == 0 ? c->follow_operands || !c->keep_links : !c->keep_links;
  int error = follow ? sys_stat(from, &stat) : sys_lstat(from, &stat);
  if (error < 0) {
    bin_error(&c->b, "cannot stat %s: %s", quote_always(from), error_text(error));
    return;
  }
  if (stat.kind == FILE_DIRECTORY && !c->recursive) {
    bin_error(&c->b, "-r not specified; omitting directory %s", quote_always(from));
    return;
  }
  if (depth > DEPTH_MAX) {
    bin_error(&c->b, "cannot copy %s: folders nest too deeply", quote_always(from));
    return;
  }
  if (stat.kind == FILE_DIRECTORY && depth == 0 && is_inside(from, to)) {
    bin_error(&c->b, "cannot copy a directory, %s, into itself, %s", quote_always(from),
              quote_always(to));
    return;
  }
  bool exists = (stat.kind == FILE_LINK ? sys_lstat(to, &there) : sys_stat(to, &there)) == 0;
  if (stat.kind == FILE_DIRECTORY) {
    copy_folder(c, from, to, &stat, exists, &there, depth);
    return;
  }
  if (exists && !may_replace(c, from, to, &stat, &there)) return;
  say(c, from, to);
  if (c->link || c->symbolic) {
    if (exists && c->force) sys_unlink(to);
    error = c->link ? sys_link(from, to) : sys_symlink(from, to);
    if (error < 0) {
      bin_error(&c->b, "cannot create %s %s to %s: %s", c->link ? "hard link" : "symbolic link",
                quote_always(to), quote_always(from), error_text(error));
    }
  } else if (stat.kind == FILE_LINK) {
    copy_link(c, from, to, exists);
  } else {
    copy_content(c, from, to, &stat, exists && c->backup == NULL);
  }
}

/* --parents: the operand's own folders are made below the target. */
static char *target_with_parents(const char *folder, const char *operand) {
  char *target = path_join(folder, operand);
  for (char *at = target + strlen(folder) + 1; *at != 0; at++) {
    if (*at != '/') continue;
    *at = 0;
    if (!copy_is_folder(target)) sys_mkdir(target, 0777);
    *at = '/';
  }
  return target;
}

static void set_preserve(cp *c, const char *list) {
  c->preserve = true;
  if (list != NULL && strstr(list, "links") != NULL && strchr(list, ',') == NULL)
    c->preserve = false;
}

static void read_options(cp *c, options *o, const char **folder) {
  for (int key; (key = options_next(o)) != 0;) {
    switch (key) {
      case 'a':
        c->recursive = c->preserve = c->keep_links = true;
        break;
      case 'd':
        c->keep_links = true;
        break;
      case 'f':
        c->force = true;
        break;
      case 'i':
        c->interactive = true, c->no_clobber = false;
        break;
      case 'n':
        c->no_clobber = true, c->interactive = false;
        break;
      case 'l':
        c->link = true;
        break;
      case 's':
        c->symbolic = true;
        break;
      case 'r':
        c->recursive = true;
        if (!c->follow_operands) c->keep_links = true;
        break;
      case 'L':
        c->keep_links = false;
        c->follow_operands = true;
        break;
      case 'H':
        c->follow_operands = true;
        break;
      case 'P':
        c->keep_links = true;
        break;
      case 'p':
        c->preserve = true;
        break;
      case 'u':
        c->update = true;
        break;
      case 'v':
        c->verbose = true;
        break;
      case 'b':
        c->backup = "~";
        break;
      case 'S':
        c->backup = o->value;
        break;
      case 't':
        *folder = o->value;
        break;
      case 'T':
        c->no_target_folder = true;
        break;
      case OPTION_LONG:
        if (options_is(o, "preserve")) set_preserve(c, o->value);
        if (options_is(o, "parents")) c->parents = true;
        if (options_is(o, "attributes-only")) c->attributes_only = true;
        if (options_is(o, "remove-destination")) c->force = true;
        break;
      default:
        break;
    }
  }
}

static int cp_main(int argc, char **argv, char **environment) {
  cp c = {0};
  options o;
  const char *folder = NULL;
  options_start(&o, &c.b, command_find("cp"), argc, argv, environment);
  read_options(&c, &o, &folder);
  int count = o.operand_count;
  if (count == 0) bin_usage(&c.b, "missing file operand");
  if (count == 1 && folder == NULL) {
    bin_usage(&c.b, "missing destination file operand after %s", quote_always(o.operands[0]));
  }
  char *last = o.operands[count - 1];
  if (c.no_target_folder && count > 2)
    bin_usage(&c.b, "extra operand %s", quote_always(o.operands[2]));
  if (folder == NULL && !c.no_target_folder && copy_is_folder(last))
    folder = last, count--;
  else if (folder == NULL)
    count--;
  if (folder == NULL && count > 1)
    bin_die(&c.b, 1, "target %s: %s", quote_always(last),
            error_text(copy_is_folder(last)      ? 0
                       : sys_access(last, 0) < 0 ? ENOENT
                                                 : ENOTDIR));
  if (folder != NULL && !copy_is_folder(folder)) {
    bin_die(&c.b, 1, "target directory %s: %s", quote_always(folder),
            error_text(sys_access(folder, 0) < 0 ? ENOENT : ENOTDIR));
  }
  for (int i = 0; i < count; i++) {
    const char *to = folder == NULL ? last
                     : c.parents    ? target_with_parents(folder, o.operands[i])
                                    : copy_target(folder, o.operands[i]);
    copy(&c, o.operands[i], to, 0);
  }
  return bin_end(&c.b);
}

const command command_cp = {
    .name = "cp",
    .main = cp_main,
    .usage =
        "cp [OPTION]... SOURCE DEST\n   or: cp [OPTION]... SOURCE... DIRECTORY\n"
        "   or: cp [OPTION]... -t DIRECTORY SOURCE...",
    .options =
        "-a, --archive\tas -dRp\n"
        "--attributes-only\tdo not copy the content\n"
        "-b\tkeep what is overwritten under another name\n"
        "-d\tcopy links as links\n"
        "-f, --force\tremove a destination that cannot be opened\n"
        "-H\tfollow links among the operands\n"
        "-i, --interactive\task before overwriting\n"
        "-l, --link\tmake hard links\n"
        "-L, --dereference\tfollow all links\n"
        "-n, --no-clobber\tdo not overwrite\n"
        "-P, --no-dereference\tfollow no links\n"
        "-p\tkeep mode and times\n"
        "--preserve[=LIST]\tkeep mode, timestamps\n"
        "--no-preserve=LIST\tignored\n"
        "--parents\tuse the full source name below DIRECTORY\n"
        "-r, -R, --recursive\tcopy folders\n"
        "--remove-destination\tremove each destination first\n"
        "-s, --symbolic-link\tmake symbolic links\n"
        "-S, --suffix=SUFFIX\tthe suffix of -b\n"
        "-t, --target-directory=DIRECTORY\tcopy into DIRECTORY\n"
        "-T, --no-target-directory\tDEST is not a folder to copy into\n"
        "-u, --update\tonly when the source is newer\n"
        "-v, --verbose\tsay what is copied",
    .stack = 393216};
