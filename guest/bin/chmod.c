// SPDX-License-Identifier: MIT
// chmod.c -- change modes of files.
#include "filemode.h"
#include "options.h"
#include "walk.h"

typedef struct {
  bin b;
  const char *spec;
  bool quiet, verbose, changes, recursive;
  uint32_t reference, umask;
  bool from_reference;
} chmod;

static void change(chmod *c, const char *path, const file_stat *stat) {
  uint32_t mode = c->reference;
  if (!c->from_reference &&
      !filemode_apply(c->spec, stat->mode, stat->kind == FILE_DIRECTORY, c->umask, &mode))
    return;
  int error = sys_chmod(path, mode);
  if (error < 0) {
    if (!c->quiet)
      bin_warn(&c->b, "changing permissions of %s: %s", quote_always(path), error_text(error));
    c->b.status = 1;
    return;
  }
  if (!c->verbose && !(c->changes && mode != stat->mode)) return;
  char before[11], after[11];
  filemode_text(FILE_REGULAR, stat->mode, before);
  filemode_text(FILE_REGULAR, mode, after);
  if (mode == stat->mode) {
    output_format(&c->b.out, "mode of %s retained as %04o (%s)\n", quote_always(path), mode,
                  after + 1);
  } else {
    output_format(&c->b.out, "mode of %s changed from %04o (%s) to %04o (%s)\n", quote_always(path),
                  stat->mode, before + 1, mode, after + 1);
  }
}

static void change_tree(chmod *c, const char *start) {
  walk w;
  walk_event event;
  walk_start(&w, start, true);
  while (walk_next(&w, &event)) {
    if (event == WALK_ERROR) {
      if (!c->quiet)
        bin_warn(&c->b, "cannot access %s: %s", quote_always(w.path), error_text(w.error));
      c->b.status = 1;
    } else if (event != WALK_LEAVE && w.stat.kind != FILE_LINK) {
      change(c, w.path, &w.stat);
      w.skip = event == WALK_ENTER && !c->recursive;
    }
  }
}

/* A mode such as -x or -w,+r looks like an option. */
static bool is_mode(const char *argument) {
  return argument[0] == '-' && argument[1] != 0 && strchr("rwxXstugoa", argument[1]) != NULL &&
         strspn(argument + 1, "rwxXstugoa+-=,0123456789") == strlen(argument + 1);
}

static int chmod_main(int argc, char **argv, char **environment) {
  chmod c = {0};
  options o;
  options_start(&o, &c.b, command_find("chmod"), argc, argv, environment);
  for (int i = 1; i < argc && c.spec == NULL && strcmp(argv[i], "--") != 0; i++) {
    if (!is_mode(argv[i])) continue;
    c.spec = argv[i];
    for (int k = i; k < argc; k++) argv[k] = argv[k + 1];
    o.argc = --argc;
  }
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case 'R':
        c.recursive = true;
        break;
      case 'v':
        c.verbose = true;
        break;
      case 'c':
        c.changes = true;
        break;
      case 'f':
        c.quiet = true;
        break;
      case OPTION_LONG: {
        file_stat stat;
        int error = sys_stat(o.value, &stat);
        if (error < 0)
          bin_die(&c.b, 1, "failed to get attributes of %s: %s", quote_always(o.value),
                  error_text(error));
        c.reference = stat.mode;
        c.from_reference = true;
        break;
      }
      default:
        break;
    }
  }
  int next = 0;
  if (c.spec == NULL && !c.from_reference) {
    options_need(&o, 1);
    c.spec = o.operands[next++];
  }
  if (next == o.operand_count) {
    if (c.spec == NULL) bin_usage(&c.b, "missing operand");
    bin_usage(&c.b, "missing operand after %s", quote_curly(c.spec));
  }
  uint32_t mode;
  c.umask = sys_umask(022);
  sys_umask(c.umask);
  if (c.spec != NULL && !filemode_apply(c.spec, 0, false, 0, &mode))
    bin_usage(&c.b, "invalid mode: %s", quote_curly(c.spec));
  for (; next < o.operand_count; next++) change_tree(&c, o.operands[next]);
  return bin_end(&c.b);
}

const command command_chmod = {.name = "chmod",
                               .main = chmod_main,
                               .usage =
                                   "chmod [OPTION]... MODE[,MODE]... FILE...\n   or: chmod "
                                   "[OPTION]... --reference=RFILE FILE...",
                               .options =
                                   "-c, --changes\tsay what changes\n"
                                   "-f, --silent, --quiet\tno messages\n"
                                   "-v, --verbose\tsay what is done with each file\n"
                                   "-R, --recursive\tfolders and what is in them\n"
                                   "--reference=RFILE\tuse RFILE's mode"};
