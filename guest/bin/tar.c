// SPDX-License-Identifier: MIT
/* tar.c -- the command. Compression is gzip's, run beside it through a pipe; whether an archive
 * that is read is compressed is seen from its first bytes. */
#include "tar.h"

#include "glob.h"
#include "options.h"
#include "path.h"
#include "run.h"

void tar_error(tar *t, const char *path, const char *what) {
  bin_warn(&t->b, "%s: %s", path, what);
  t->failed = true;
}

bool tar_excluded(const tar *t, const char *path) {
  size_t size = strlen(path);
  while (size > 1 && path[size - 1] == '/') size--;
  char *name = memory_copy(path, size);
  bool excluded = false;
  for (size_t i = 0; i < t->exclude_count && !excluded; i++) {
    /* A pattern may match from any part of the path on. */
    for (const char *at = name; at != NULL && !excluded;
         at = strchr(at, '/'), at = at == NULL ? NULL : at + 1) {
      excluded = glob_match(t->exclude[i], at, GLOB_LEADING);
    }
  }
  free(name);
  return excluded;
}

/* gzip between us and the archive. `fd` is the archive; the pipe's other end is returned. */
static int start_gzip(tar *t, int fd, bool decompress, int *pid) {
  int ends[2];
  int error = sys_pipe(ends);
  if (error < 0) bin_die(&t->b, 2, "cannot make a pipe: %s", error_text(error));
  char *argv[] = {"gzip", decompress ? "-dc" : "-c", NULL};
  int mine = ends[decompress ? 0 : 1], theirs = ends[decompress ? 1 : 0];
  const int descriptors[3] = {decompress ? fd : theirs, decompress ? theirs : fd, -1};
  int closed[3] = {mine, theirs, fd};
  output_flush(&t->b.out);
  *pid = run_start_closing("tar", 2, argv, t->environment, descriptors, closed, fd > 2 ? 3 : 2);
  if (*pid < 0) bin_die(&t->b, 2, "cannot start gzip: %s", error_text(*pid));
  sys_close(theirs);
  if (fd > 2) sys_close(fd);
  return mine;
}

static int open_archive(tar *t, const char *path, bool write) {
  if (path == NULL || strcmp(path, "-") == 0) return write ? 1 : 0;
  int fd = sys_open(path, write ? OPEN_WRITE | OPEN_CREATE | OPEN_TRUNCATE : OPEN_READ, 0666);
  if (fd < 0) {
    bin_warn(&t->b, "%s: Cannot open: %s", path, error_text(fd));
    bin_die(&t->b, 2, "Error is not recoverable: exiting now");
  }
  return fd;
}

static void write_archive(tar *t, const char *path, bool by_suffix) {
  size_t size = path != NULL ? strlen(path) : 0;
  bool named_gz =
      by_suffix && size > 3 &&
      (strcmp(path + size - 3, ".gz") == 0 || (size > 4 && strcmp(path + size - 4, ".tgz") == 0));
  int fd = open_archive(t, path, true), pid = -1;
  if (t->gzip || named_gz) fd = start_gzip(t, fd, false, &pid);
  output_open_fd(&t->out, fd);
  if (fd == 1) t->b.out.fd = 2; /* -v must not mix with the archive */
  tar_create(t);
  if (fd > 2) sys_close(fd);
  int status = 0;
  while (pid > 0 && process_wait(pid, &status) == -EINTR) {
  }
  if (status != 0) t->failed = true;
}

static void read_archive(tar *t, const char *path, bool extract, const char *folder) {
  int fd = open_archive(t, path, false), pid = -1;
  unsigned char first[2] = {0};
  bool seekable = fd > 2 && sys_pread(fd, first, 2, 0) == 2;
  if ((seekable && first[0] == 0x1F && first[1] == 0x8B) || (!seekable && t->gzip))
    fd = start_gzip(t, fd, true, &pid);
  input_open_fd(&t->in, fd);
  if (folder != NULL) {
    int error = sys_chdir(folder);
    if (error < 0) {
      bin_warn(&t->b, "%s: Cannot open: %s", folder, error_text(error));
      bin_die(&t->b, 2, "Error is not recoverable: exiting now");
    }
  }
  tar_read(t, extract);
  char *at;
  while (pid > 0 && input_some(&t->in, &at) > 0) {
  } /* gzip would die of a closed pipe */
  input_close(&t->in);
  int status = 0;
  while (pid > 0 && process_wait(pid, &status) == -EINTR) {
  }
  if (status != 0) {
    bin_warn(&t->b, "Child returned status %d", status);
    t->failed = true;
  }
}

/* "czf" without a dash: each letter that takes a value takes the next argument in turn. */
static char **old_style(int *argc, char **argv) {
  if (*argc < 2 || argv[1][0] == '-') return argv;
  char **made = memory_take(((size_t)*argc * 2 + strlen(argv[1]) * 2 + 2) * sizeof *made);
  int count = 0, next = 2;
  made[count++] = argv[0];
  for (const char *letter = argv[1]; *letter != 0; letter++) {
    text option = {0};
    text_format(&option, "-%c", *letter);
    made[count++] = text_end(&option);
    if (strchr("fCTXb", *letter) != NULL && next < *argc) made[count++] = argv[next++];
  }
  while (next < *argc) made[count++] = argv[next++];
  made[count] = NULL;
  *argc = count;
  return made;
}

static void add_exclude(tar *t, char *pattern) {
  t->exclude = memory_resize(t->exclude, (t->exclude_count + 1) * sizeof *t->exclude);
  t->exclude[t->exclude_count++] = pattern;
}

static void push_operand(tar *t, char *operand) {
  t->operands = memory_resize(t->operands, ((size_t)t->operand_count + 2) * sizeof *t->operands);
  t->operands[t->operand_count++] = operand;
}

static void read_names(tar *t, const char *path, bool excludes) {
  input in;
  char *line;
  size_t size;
  int error = input_open(&in, path);
  if (error < 0) bin_die(&t->b, 2, "%s: Cannot open: %s", path, error_text(error));
  while (input_line(&in, &line, &size, NULL)) {
    char *copy = memory_copy(line, size);
    if (excludes)
      add_exclude(t, copy);
    else
      push_operand(t, copy);
  }
  input_close(&in);
}

static int tar_main(int argc, char **argv, char **environment) {
  tar t = {.environment = environment};
  options o;
  argv = old_style(&argc, argv);
  options_start(&o, &t.b, command_find("tar"), argc, argv, environment);
  t.b.usage_status = 2;
  zone_parse(&t.zone, environment_get(environment, "TZ"));
  int mode = 0, taken = 0;
  bool by_suffix = false;
  const char *path = NULL, *folder = NULL;
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case 'c':
      case 'x':
      case 't':
        if (mode != 0 && mode != key)
          bin_usage(
              &t.b,
              "You may not specify more than one '-Acdtrux', '--delete' or  '--test-label' option");
        mode = key;
        break;
      case 'f':
        path = o.value;
        break;
      case 'C':
        while (taken < o.operand_count) push_operand(&t, o.operands[taken++]);
        if (mode == 'c') { /* it holds for the operands behind it */
          push_operand(&t, "-C");
          push_operand(&t, o.value);
        } else {
          folder = folder == NULL ? o.value : path_join(folder, o.value);
        }
        break;
      case 'z':
        t.gzip = true;
        break;
      case 'a':
        by_suffix = true;
        break;
      case 'v':
        t.verbose++;
        break;
      case 'h':
        t.follow = true;
        break;
      case 'P':
        t.absolute = true;
        break;
      case 'k':
        t.keep_old = true;
        break;
      case 'O':
        t.to_standard = true;
        break;
      case 'm':
        t.no_mtime = true;
        break;
      case 'p':
        t.preserve = true;
        break;
      case 'T':
        read_names(&t, o.value, false);
        break;
      case 'X':
        read_names(&t, o.value, true);
        break;
      case 'j':
      case 'J':
        bin_die(&t.b, 2, "only gzip compression is supported here (-z)");
      case OPTION_LONG:
        if (options_is(&o, "exclude")) add_exclude(&t, o.value);
        if (options_is(&o, "strip-components"))
          t.strip = (size_t)options_number(&o, NULL, "invalid number of elements");
        if (options_is(&o, "wildcards")) t.wildcards = true;
        break;
      default:
        break;
    }
  }
  while (taken < o.operand_count) push_operand(&t, o.operands[taken++]);
  if (mode == 0)
    bin_usage(&t.b, "You must specify one of the '-Acdtrux', '--delete' or '--test-label' options");
  if (mode == 'c')
    write_archive(&t, path, by_suffix);
  else
    read_archive(&t, path, mode == 'x', folder);
  if (t.failed) {
    bin_warn(&t.b, "Exiting with failure status due to previous errors");
    t.b.status = 2;
  }
  return bin_end(&t.b);
}

const command command_tar = {
    .name = "tar",
    .main = tar_main,
    .usage = "tar -c|-x|-t [OPTION]... [FILE]...",
    .options =
        "-c, --create\tmake an archive\n-x, --extract, --get\tunpack it\n-t, --list\tlist it\n"
        "-f, --file=ARCHIVE\tthe archive; - for standard input or output\n"
        "-z, --gzip\tcompressed with gzip (seen by itself when reading a file)\n"
        "-a, --auto-compress\tby the archive's name\n-j, --bzip2\trefused\n-J, --xz\trefused\n"
        "-C, --directory=DIR\tchange to DIR\n-v, --verbose\tlist the files\n"
        "-h, --dereference\tfollow links\n-P, --absolute-names\tkeep a leading /\n"
        "-k, --keep-old-files\tdo not replace files\n-O, --to-stdout\tto standard output\n"
        "-m, --touch\tdo not set times\n-p, --preserve-permissions\tall mode bits\n"
        "-T, --files-from=FILE\tnames from FILE\n-X, --exclude-from=FILE\tpatterns from FILE\n"
        "--exclude=PATTERN\tleave out what matches\n--strip-components=NUMBER\tdrop leading parts "
        "of names\n"
        "--wildcards\toperands are patterns\n-b, --blocking-factor=N\tignored\n"
        "-o, --no-same-owner\tignored\n--owner=NAME\tignored\n--group=NAME\tignored\n"
        "--numeric-owner\tignored\n--sort=ORDER\tignored\n--format=FORMAT\tignored"};
