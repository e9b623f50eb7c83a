// SPDX-License-Identifier: MIT
// xargs.c -- run a command with arguments from standard input.
#include "options.h"
#include "run.h"

/* What GNU's xargs takes by default for one command line. */
#define LINE_BYTES 131072u

typedef struct {
  bin b;
  input in;
  int separator; /* -1: blanks, with quotes */
  const char *replace, *end_mark;
  uint64_t most, lines, bytes, parallel;
  bool trace, run_empty, exit_if_long;
  char **environment, **command;
  int command_count;
  char **items;
  size_t count, room, size;
  int running;
  bool ended, stop;
  int null; /* the children's standard input */
} xargs;

/* ---- reading ---- */

/* 1 an item, 0 the end, 2 an item that ends its line. */
static int take_plain(xargs *x, char **item) {
  char *line;
  size_t size;
  if (!input_until(&x->in, x->separator, &line, &size, NULL)) return 0;
  *item = memory_copy(line, size);
  return 2;
}

static int take_quoted(xargs *x, char **item) {
  text word = {0};
  int c = input_byte(&x->in), quote = 0;
  bool whole_line = x->replace != NULL;
  while (c == ' ' || c == '\t' || c == '\n') c = input_byte(&x->in);
  if (c < 0) return 0;
  for (; c >= 0; c = input_byte(&x->in)) {
    if (quote != 0) {
      if (c == '\n') {
        bin_die(&x->b, 1,
                "unmatched %s quote; by default quotes are special to xargs unless you use the -0 "
                "option",
                quote == '"' ? "double" : "single");
      }
      if (c == quote) {
        quote = 0;
      } else {
        text_char(&word, (char)c);
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '\\') {
      c = input_byte(&x->in);
      if (c >= 0) text_char(&word, (char)c);
    } else if (c == '\n' || (!whole_line && (c == ' ' || c == '\t'))) {
      break;
    } else {
      text_char(&word, (char)c);
    }
  }
  if (quote != 0) {
    bin_die(
        &x->b, 1,
        "unmatched %s quote; by default quotes are special to xargs unless you use the -0 option",
        quote == '"' ? "double" : "single");
  }
  *item = text_end(&word);
  if (x->end_mark != NULL && strcmp(*item, x->end_mark) == 0) return 0;
  bool continued = false;
  while (c == ' ' || c == '\t') { /* a blank at the end of a line joins it with the next */
    continued = true;
    c = input_byte(&x->in);
  }
  if (continued && c >= 0) {
    if (c == '\n') return 1;
    x->in.start--;
    return 1;
  }
  return 2;
}

/* ---- running ---- */

static void note_status(xargs *x, int status) {
  if (status == 0) return;
  if (status == 255) {
    bin_warn(&x->b, "%s: exited with status 255; aborting", x->command[0]);
    x->stop = true;
    x->b.status = 124;
  } else if (status > 128) {
    bin_warn(&x->b, "%s: terminated by signal %d", x->command[0], status - 128);
    x->stop = true;
    x->b.status = 125;
  } else if (status == 126 || status == 127) {
    x->stop = true;
    x->b.status = status;
  } else if (x->b.status == 0) {
    x->b.status = 123;
  }
}

static void wait_until(xargs *x, int most) {
  while (x->running > most) {
    int status;
    if (process_wait(-1, &status) < 0) {
      x->running = 0;
      return;
    }
    x->running--;
    note_status(x, status);
  }
}

static void start(xargs *x, int argc, char **argv) {
  if (x->trace) {
    text line = {0};
    for (int i = 0; i < argc; i++)
      text_format(&line, "%s%s", i > 0 ? " " : "", quote_needed(argv[i]));
    text_char(&line, '\n');
    sys_write(2, line.at, line.len);
  }
  output_flush(&x->b.out);
  const int descriptors[3] = {x->null, -1, -1};
  int pid = run_start("xargs", argc, argv, x->environment, descriptors);
  while (pid == -EAGAIN && x->running > 0) { /* too many: let one end first */
    wait_until(x, x->running - 1);
    pid = run_start("xargs", argc, argv, x->environment, descriptors);
  }
  if (pid < 0) bin_die(&x->b, 1, "cannot start %s: %s", argv[0], error_text(pid));
  x->running++;
  wait_until(x, x->parallel == 0 ? 1 << 20 : (int)x->parallel - 1);
}

static void run_items(xargs *x) {
  size_t total = (size_t)x->command_count + x->count;
  char **argv = memory_take((total + 1) * sizeof *argv);
  memcpy(argv, x->command, (size_t)x->command_count * sizeof *argv);
  if (x->count > 0) memcpy(argv + x->command_count, x->items, x->count * sizeof *argv);
  argv[total] = NULL;
  start(x, (int)total, argv);
  free(argv);
  for (size_t i = 0; i < x->count; i++) free(x->items[i]);
  x->count = x->size = 0;
}

static char *replaced(const char *from, const char *mark, const char *with) {
  text made = {0};
  size_t size = strlen(mark);
  for (const char *at = from;;) {
    const char *found = strstr(at, mark);
    if (found == NULL) {
      text_string(&made, at);
      return text_end(&made);
    }
    text_add(&made, at, (size_t)(found - at));
    text_string(&made, with);
    at = found + size;
  }
}

static void run_replaced(xargs *x, const char *item) {
  char **argv = memory_take(((size_t)x->command_count + 1) * sizeof *argv);
  argv[0] = x->command[0];
  for (int i = 1; i < x->command_count; i++) argv[i] = replaced(x->command[i], x->replace, item);
  argv[0] = replaced(x->command[0], x->replace, item);
  argv[x->command_count] = NULL;
  start(x, x->command_count, argv);
}

static void push_item(xargs *x, char *item) {
  if (x->count == x->room) {
    x->room = x->room * 2 + 64;
    x->items = memory_resize(x->items, x->room * sizeof *x->items);
  }
  x->items[x->count++] = item;
  x->size += strlen(item) + 1;
}

static void go(xargs *x) {
  size_t base = 0;
  uint64_t lines = 0;
  bool ran = false;
  for (int i = 0; i < x->command_count; i++) base += strlen(x->command[i]) + 1;
  while (!x->stop) {
    char *item;
    int got = x->separator >= 0 ? take_plain(x, &item) : take_quoted(x, &item);
    if (got == 0) break;
    if (x->replace != NULL) {
      run_replaced(x, item);
      ran = true;
      continue;
    }
    size_t size = strlen(item) + 1;
    if (base + size > x->bytes) bin_die(&x->b, 1, "argument line too long");
    if (base + x->size + size > x->bytes) {
      run_items(x);
      ran = true;
    }
    push_item(x, item);
    lines += got == 2;
    if ((x->most > 0 && x->count >= x->most) || (x->lines > 0 && lines >= x->lines)) {
      run_items(x);
      ran = true;
      lines = 0;
    }
  }
  if (!x->stop && x->replace == NULL && (x->count > 0 || (!ran && x->run_empty))) run_items(x);
  wait_until(x, 0);
}

/* -d takes one character or an escape of it. */
static int delimiter(xargs *x, const char *value) {
  if (value[0] != '\\' || value[1] == 0) {
    if (value[0] != 0 && value[1] != 0) {
      bin_die(&x->b, 1,
              "Invalid input delimiter specification %s: the delimiter must be either a single "
              "character or an escape sequence starting with \\.",
              value);
    }
    return (unsigned char)value[0];
  }
  static const char from[] = "abfnrtv\\", to[] = "\a\b\f\n\r\t\v\\";
  const char *known = strchr(from, value[1]);
  if (known != NULL) return (unsigned char)to[known - from];
  if (value[1] == 'x') return (int)strtol(value + 2, NULL, 16) & 0xFF;
  return (int)strtol(value + 1, NULL, 8) & 0xFF;
}

static int xargs_main(int argc, char **argv, char **environment) {
  xargs x = {.separator = -1,
             .run_empty = true,
             .bytes = LINE_BYTES,
             .parallel = 1,
             .environment = environment};
  options o;
  const char *file = NULL;
  options_start(&o, &x.b, command_find("xargs"), argc, argv, environment);
  o.in_order = true;
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case '0':
        x.separator = 0;
        break;
      case 'a':
        file = o.value;
        break;
      case 'd':
        x.separator = delimiter(&x, o.value);
        break;
      case 'E':
        x.end_mark = *o.value != 0 ? o.value : NULL;
        break;
      case 'I':
        x.replace = o.value;
        x.lines = x.most = 0;
        break;
      case 'i':
        x.replace = o.value != NULL ? o.value : "{}";
        break;
      case 'L':
        x.lines = options_number(&o, NULL, "invalid number for -L option");
        x.most = 0;
        x.replace = NULL;
        break;
      case 'l':
        x.lines = o.value != NULL ? strtoull(o.value, NULL, 10) : 1;
        break;
      case 'n':
        x.most = options_number(&o, NULL, "invalid number for -n option");
        if (x.most == 0) bin_usage(&x.b, "value 0 for -n option should be >= 1");
        x.lines = 0;
        if (x.most != 1) x.replace = NULL;
        break;
      case 'P':
        x.parallel = options_number(&o, NULL, "invalid number for -P option");
        break;
      case 's':
        x.bytes = options_number(&o, NULL, "invalid number for -s option");
        break;
      case 'r':
        x.run_empty = false;
        break;
      case 't':
        x.trace = true;
        break;
      case 'x':
        x.exit_if_long = true;
        break;
      default:
        break;
    }
  }
  if (x.replace != NULL && x.most == 1) x.most = 0;
  static const char *const echo[] = {"echo"};
  x.command = o.operand_count > 0 ? o.operands : (char **)(uintptr_t)echo;
  x.command_count = o.operand_count > 0 ? o.operand_count : 1;
  int fd = file != NULL ? sys_open(file, OPEN_READ, 0) : 0;
  if (fd < 0) bin_die(&x.b, 1, "Cannot open input file %s: %s", quote_curly(file), error_text(fd));
  input_open_fd(&x.in, fd);
  x.null = file != NULL ? -1 : sys_open("/dev/null", OPEN_READ, 0);
  go(&x);
  int status = x.b.status;
  bin_end(&x.b);
  return status;
}

const command command_xargs = {
    .name = "xargs",
    .main = xargs_main,
    .usage = "xargs [OPTION]... COMMAND [INITIAL-ARGS]...",
    .options =
        "-0, --null\titems end with NUL\n"
        "-a, --arg-file=FILE\tread items from FILE\n"
        "-d, --delimiter=CHARACTER\titems end with CHARACTER\n"
        "-E END\tstop at an item that is END\n"
        "-I R\tfor each line, put it in place of R\n"
        "-i[R], --replace[=R]\tas -I, R being {} when left out\n"
        "-L MAX-LINES\tat most MAX-LINES lines for one command\n"
        "-l[MAX-LINES], --max-lines[=MAX-LINES]\tas -L, 1 when left out\n"
        "-n, --max-args=MAX-ARGS\tat most MAX-ARGS arguments for one command\n"
        "-o, --open-tty\tignored\n"
        "-P, --max-procs=MAX-PROCS\trun up to MAX-PROCS at a time; 0 for no limit\n"
        "-p, --interactive\tignored\n"
        "-r, --no-run-if-empty\trun nothing without items\n"
        "-s, --max-chars=MAX-CHARS\tat most MAX-CHARS bytes for one command\n"
        "-t, --verbose\tshow each command\n"
        "-x, --exit\tend when a command would be too long"};
