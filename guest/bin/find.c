// SPDX-License-Identifier: MIT
/* find.c -- walk trees and do something with the files that an expression selects.
 * Files come in the order in which they were made, as GNU's come in that of the folder. */
#include "find.h"

#include "filemode.h"
#include "glob.h"
#include "options.h"
#include "path.h"
#include "run.h"

/* One command line of -exec ... +. */
#define BATCH_BYTES 131072u

static int run_and_wait(find *f, int argc, char **argv) {
  output_flush(&f->b.out);
  int pid = run_start("find", argc, argv, f->environment, NULL), status = 0;
  if (pid < 0) {
    bin_error(&f->b, "cannot start %s: %s", argv[0], error_text(pid));
    return 1;
  }
  while (process_wait(pid, &status) == -EINTR) {
  }
  return status;
}

static void run_batch(find *f, find_node *n) {
  if (n->waiting_count == 0) return;
  size_t total = (size_t)n->word_count + n->waiting_count;
  char **argv = memory_take((total + 1) * sizeof *argv);
  memcpy(argv, n->words, (size_t)n->word_count * sizeof *argv);
  memcpy(argv + n->word_count, n->waiting, n->waiting_count * sizeof *argv);
  argv[total] = NULL;
  if (run_and_wait(f, (int)total, argv) != 0) f->b.status = 1;
  for (size_t i = 0; i < n->waiting_count; i++) free(n->waiting[i]);
  n->waiting_count = n->waiting_bytes = 0;
  free(argv);
}

static void finish_batches(find *f, find_node *n) {
  if (n == NULL) return;
  finish_batches(f, n->left);
  finish_batches(f, n->right);
  if (n->kind == FIND_EXEC && n->batch) run_batch(f, n);
  if (n->file != NULL) output_flush(n->file);
}

static char *put_path(const char *word, const char *path) {
  text made = {0};
  for (const char *at = word; *at != 0;) {
    if (at[0] == '{' && at[1] == '}') {
      text_string(&made, path);
      at += 2;
    } else {
      text_char(&made, *at++);
    }
  }
  return text_end(&made);
}

static bool execute(find *f, find_node *n, const walk *w) {
  char *path = memory_string(w->path), *back = NULL;
  if (n->in_folder) {
    char *folder = path_parent(w->path);
    back = path_current();
    path = path_join(".", path_base(w->path));
    sys_chdir(folder);
  }
  bool result = true;
  if (n->batch && !n->in_folder) {
    if (n->waiting_count == n->waiting_room) {
      n->waiting_room = n->waiting_room * 2 + 64;
      n->waiting = memory_resize(n->waiting, n->waiting_room * sizeof *n->waiting);
    }
    n->waiting[n->waiting_count++] = path;
    n->waiting_bytes += strlen(path) + 1;
    if (n->waiting_bytes > BATCH_BYTES) run_batch(f, n);
  } else {
    char **argv = memory_take(((size_t)n->word_count + 2) * sizeof *argv);
    int argc = n->word_count;
    for (int i = 0; i < argc; i++) argv[i] = put_path(n->words[i], path);
    if (n->batch) argv[argc++] = path;
    argv[argc] = NULL;
    result = run_and_wait(f, argc, argv) == 0;
    if (n->batch) f->b.status |= !result, result = true;
  }
  if (back != NULL) sys_chdir(back);
  return result;
}

static bool compares(const find_node *n, int64_t value) {
  return n->compare == '+'   ? value > n->number
         : n->compare == '-' ? value < n->number
                             : value == n->number;
}

static int64_t time_of(const walk *w, int which) {
  return which == 'a' ? w->stat.atime : which == 'c' ? w->stat.ctime : w->stat.mtime;
}

/* Age in whole units; -mmin compares the exact age for + and -. */
static bool time_matches(const find *f, const find_node *n, const walk *w) {
  int64_t now = f->now;
  if (f->day_start) now = now / 86400000000000ll * 86400000000000ll + 86400000000000ll;
  int64_t age = now - time_of(w, n->flags), units = age / n->unit;
  if (n->unit < 86400000000000ll) { /* minutes round up */
    if (n->compare == '+') return age > n->number * n->unit;
    if (n->compare == '-') return age < n->number * n->unit;
    return age > (n->number - 1) * n->unit && age <= n->number * n->unit;
  }
  return compares(n, units);
}

static bool is_empty(const walk *w) {
  if (w->stat.kind == FILE_REGULAR) return w->stat.size == 0;
  directory *open;
  if (w->stat.kind != FILE_DIRECTORY || directory_open(w->path, &open) < 0) return false;
  const char *name;
  file_kind kind;
  bool any = directory_next(open, &name, &kind);
  directory_close(open);
  return !any;
}

static bool type_matches(const char *letters, const walk *w) {
  return strchr(letters, "?fdlpc"[w->stat.kind]) != NULL;
}

static bool link_matches(const find_node *n, const walk *w) {
  char target[4097];
  int64_t size = w->stat.kind == FILE_LINK ? sys_readlink(w->path, target, 4096) : -1;
  if (size < 0) return false;
  target[size] = 0;
  return glob_match(n->text, target, n->flags);
}

static bool perm_matches(const find_node *n, uint32_t mode) {
  if (n->compare == '-') return (mode & n->mode) == n->mode;
  if (n->compare == '/') return n->mode == 0 || (mode & n->mode) != 0;
  return mode == n->mode;
}

static bool delete (find *f, const walk *w) {
  if (w->depth == 0 && strcmp(w->path, ".") == 0) return true;
  int error = w->stat.kind == FILE_DIRECTORY ? sys_rmdir(w->path) : sys_unlink(w->path);
  if (error < 0) bin_error(&f->b, "cannot delete %s: %s", quote_curly(w->path), error_text(error));
  return error == 0;
}

static bool name_matches(const find_node *n, const walk *w) {
  const char *name = w->depth == 0 ? path_base(w->path) : w->name;
  return glob_match(n->text, name, n->flags);
}

static void print(find *f, find_node *n, const walk *w) {
  output *out = n->file != NULL ? n->file : &f->b.out;
  if (n->kind == FIND_PRINTF) {
    find_printf(f, out, n->text, w);
  } else if (n->kind == FIND_LS) {
    find_printf(f, out, "%9i %6k %M %3n %-8u %-8g %8s %Tb %Te %TH:%TM %p\n", w);
  } else {
    output_string(out, w->path);
    output_byte(out, n->zero ? 0 : '\n');
  }
}

static bool evaluate(find *f, find_node *n, walk *w) {
  switch (n->kind) {
    case FIND_TRUE:
      return true;
    case FIND_FALSE:
      return false;
    case FIND_AND:
      return evaluate(f, n->left, w) && evaluate(f, n->right, w);
    case FIND_OR:
      return evaluate(f, n->left, w) || evaluate(f, n->right, w);
    case FIND_LIST:
      evaluate(f, n->left, w);
      return evaluate(f, n->right, w);
    case FIND_NOT:
      return !evaluate(f, n->left, w);
    case FIND_NAME:
      return name_matches(n, w);
    case FIND_PATH:
      return glob_match(n->text, w->path, n->flags);
    case FIND_LINK_NAME:
      return link_matches(n, w);
    case FIND_REGEX:
      return regex_test(n->re, w->path, strlen(w->path), 0, NULL) == 1;
    case FIND_TYPE:
      return type_matches(n->text, w);
    case FIND_SIZE:
      return compares(n, (int64_t)((w->stat.size + (uint64_t)n->unit - 1) / (uint64_t)n->unit));
    case FIND_TIME:
      return time_matches(f, n, w);
    case FIND_NEWER:
      return time_of(w, n->flags) > n->number;
    case FIND_PERM:
      return perm_matches(n, w->stat.mode);
    case FIND_EMPTY:
      return is_empty(w);
    case FIND_LINKS:
      return compares(n, w->stat.links);
    case FIND_INODE:
      return compares(n, (int64_t)w->stat.inode);
    case FIND_SAME_FILE:
      return (int64_t)w->stat.inode == n->number;
    case FIND_ACCESS:
      return sys_access(w->path, n->flags) == 0;
    case FIND_USER:
      return strcmp(n->text, "root") == 0 || strcmp(n->text, "0") == 0;
    case FIND_PRUNE:
      w->skip = true;
      return true;
    case FIND_PRINT:
    case FIND_PRINTF:
    case FIND_LS:
      print(f, n, w);
      return true;
    case FIND_EXEC:
      return execute(f, n, w);
    case FIND_DELETE:
      return delete (f, w);
    case FIND_QUIT:
      f->quit = true;
      return true;
  }
  return false;
}

static void visit(find *f, walk *w, walk_event event) {
  if (event == WALK_ERROR) {
    bin_error(&f->b, "%s: %s", quote_curly(w->path), error_text(w->error));
    return;
  }
  bool wanted = w->depth >= f->min_depth && (w->depth <= f->max_depth);
  bool now = event == WALK_FILE || event == (f->depth_first ? WALK_LEAVE : WALK_ENTER);
  if (wanted && now) evaluate(f, f->expression, w);
  if (event != WALK_ENTER) {
    w->skip = false;
  } else if (w->depth >= f->max_depth) {
    if (f->depth_first && wanted) evaluate(f, f->expression, w); /* WALK_LEAVE will not come */
    w->skip = true;
  }
}

static void search(find *f, const char *start) {
  walk w;
  walk_event event;
  f->start = start;
  walk_start(&w, start, f->follow_operands);
  w.follow = f->follow;
  while (!f->quit && walk_next(&w, &event)) visit(f, &w, event);
}

static int find_main(int argc, char **argv, char **environment) {
  find f = {
      .environment = environment, .max_depth = 1 << 30, .now = kernel_now(), .syntax = REGEX_BASIC};
  bin_start(&f.b, "find", environment);
  zone_parse(&f.zone, environment_get(environment, "TZ"));
  int next = 1;
  for (; next < argc && argv[next][0] == '-' && argv[next][1] != 0 && argv[next][2] == 0; next++) {
    if (argv[next][1] == 'L')
      f.follow = f.follow_operands = true;
    else if (argv[next][1] == 'H')
      f.follow = false, f.follow_operands = true;
    else if (argv[next][1] == 'P')
      f.follow = f.follow_operands = false;
    else
      break;
  }
  if (next < argc && (strcmp(argv[next], "--help") == 0 || strcmp(argv[next], "-help") == 0)) {
    options o; /* it prints the help */
    options_start(&o, &f.b, command_find("find"), 2, (char *[]){argv[0], "--help", NULL},
                  environment);
    options_next(&o);
  }
  int first = next;
  while (next < argc && (argv[next][0] != '-' || argv[next][1] == 0) &&
         strcmp(argv[next], "!") != 0 && strcmp(argv[next], "(") != 0 &&
         strcmp(argv[next], ")") != 0 && strcmp(argv[next], ",") != 0)
    next++;
  f.at = argv + next;
  find_parse(&f);
  if (next == first) search(&f, ".");
  for (int i = first; i < next && !f.quit; i++) search(&f, argv[i]);
  finish_batches(&f, f.expression);
  return bin_end(&f.b);
}

const command command_find_files = {
    .name = "find",
    .main = find_main,
    .usage = "find [-H] [-L] [-P] [PATH...] [EXPRESSION]",
    .options =
        "-H, -L, -P\tfollow links among the operands, all links, none\n"
        "-amin -cmin -mmin N, -atime -ctime -mtime N\thow long ago, in minutes or days\n"
        "-anewer -cnewer -newer FILE, -newerXY REF\tnewer than FILE, or than a time with -newermt\n"
        "-delete\tremove; implies -depth\n"
        "-depth, -maxdepth N, -mindepth N\tfolders after their content; how deep\n"
        "-empty\tempty file or folder\n"
        "-exec COMMAND ;, -exec COMMAND {} +, -execdir\trun a command\n"
        "-name -iname -path -ipath -lname -ilname PATTERN\tshell patterns\n"
        "-regex -iregex PATTERN, -regextype TYPE\tregular expressions over the whole path\n"
        "-inum N, -links N, -samefile NAME, -user NAME, -group NAME\tattributes\n"
        "-perm MODE, -readable, -writable, -executable\tmodes\n"
        "-print, -print0, -printf FORMAT, -fprint -fprint0 -fprintf FILE, -ls\toutput\n"
        "-prune, -quit, -true, -false\tcontrol\n"
        "-size N[bcwkMG]\tsize, rounded up\n"
        "-type [fdlpc,]\tkind of file\n"
        "( EXPR ), ! EXPR, -not EXPR, EXPR -a EXPR, EXPR -o EXPR, EXPR , EXPR\toperators\n"
        "-daystart, -follow, -xdev, -mount, -noleaf\toptions; the last three change nothing",
    .stack = 196608};
