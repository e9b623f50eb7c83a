// SPDX-License-Identifier: MIT
// timeout.c -- timeout, sleep and time: what has to do with passing (virtual) time.
#include "options.h"
#include "run.h"

/* A number with s, m, h or d behind it, as ns. False when it is none. */
static bool parse_duration(const char *from, int64_t *ns) {
  char *end;
  double value = strtod(from, &end);
  double unit = *end == 'm' ? 60 : *end == 'h' ? 3600 : *end == 'd' ? 86400 : 1;
  if (end == from || *from == '-' || !(value >= 0)) return false;
  if (*end != 0 && (strchr("smhd", *end) == NULL || end[1] != 0)) return false;
  value *= unit * 1e9;
  *ns = value >= 9e18 ? INT64_MAX / 2 : (int64_t)value;
  return true;
}

static int sleep_main(int argc, char **argv, char **environment) {
  bin b;
  options o;
  int64_t total = 0;
  options_start(&o, &b, command_find("sleep"), argc, argv, environment);
  while (options_next(&o) != 0) {
  }
  options_need(&o, 1);
  bool wrong = false;
  for (int i = 0; i < o.operand_count; i++) {
    int64_t ns;
    if (!parse_duration(o.operands[i], &ns)) {
      bin_warn(&b, "invalid time interval %s", quote_curly(o.operands[i]));
      wrong = true;
    } else {
      total = total > INT64_MAX - ns ? INT64_MAX : total + ns;
    }
  }
  if (wrong) bin_usage(&b, NULL);
  process_sleep(total);
  return bin_end(&b);
}

static int parse_signal(const char *name) {
  static const struct {
    const char *name;
    int number;
  } known[] = {{"HUP", 1},   {"INT", 2},   {"QUIT", 3},  {"KILL", 9},  {"USR1", 10}, {"USR2", 12},
               {"PIPE", 13}, {"ALRM", 14}, {"TERM", 15}, {"CHLD", 17}, {"CONT", 18}, {"STOP", 19}};
  if (*name >= '0' && *name <= '9') return atoi(name);
  if (strncmp(name, "SIG", 3) == 0) name += 3;
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    if (strcmp(known[i].name, name) == 0) return known[i].number;
  }
  return -1;
}

typedef struct {
  bin b;
  int signal;
  int64_t limit, kill_after;
  bool preserve, verbose;
} timeout;

/* Waits for the child until `until`; true when it ended. */
static bool wait_child(int pid, int64_t until, int *status) {
  process_event event;
  for (;;) {
    int error = process_next_event(&event, until);
    if (error < 0) return false;
    if (event.kind == EVENT_TIME) return false;
    if (event.kind == EVENT_CHILD && event.id == pid) {
      *status = event.status;
      return true;
    }
  }
}

static int guard(timeout *t, int argc, char **argv) {
  int pid = run_start("timeout", argc, argv, t->b.environment, NULL), status = 0;
  if (pid < 0) bin_die(&t->b, 125, "cannot start %s: %s", argv[0], error_text(pid));
  int64_t until = t->limit == 0 ? INT64_MAX : kernel_now() + t->limit;
  if (wait_child(pid, until, &status)) return status;
  if (t->verbose)
    bin_warn(&t->b, "sending signal %s to command %s", t->signal == 9 ? "KILL" : "TERM",
             quote_curly(argv[0]));
  process_kill(pid, t->signal);
  bool killed = t->signal == SIGNAL_KILL;
  if (t->kill_after > 0 && !wait_child(pid, kernel_now() + t->kill_after, &status)) {
    process_kill(pid, SIGNAL_KILL);
    killed = true;
    wait_child(pid, INT64_MAX, &status);
  } else if (t->kill_after == 0) {
    wait_child(pid, INT64_MAX, &status);
  }
  if (killed) return 137;
  return t->preserve ? status : 124;
}

static int timeout_main(int argc, char **argv, char **environment) {
  timeout t = {.signal = SIGNAL_TERM};
  options o;
  options_start(&o, &t.b, command_find("timeout"), argc, argv, environment);
  t.b.usage_status = 125;
  o.in_order = true;
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case 's':
        t.signal = parse_signal(o.value);
        if (t.signal < 0) bin_usage(&t.b, "%s: invalid signal", quote_curly(o.value));
        break;
      case 'k':
        if (!parse_duration(o.value, &t.kill_after))
          bin_usage(&t.b, "invalid time interval %s", quote_curly(o.value));
        break;
      case 'v':
        t.verbose = true;
        break;
      default:
        t.preserve |= options_is(&o, "preserve-status");
        break;
    }
  }
  if (o.operand_count < 2) bin_usage(&t.b, NULL);
  if (!parse_duration(o.operands[0], &t.limit))
    bin_usage(&t.b, "invalid time interval %s", quote_curly(o.operands[0]));
  return guard(&t, o.operand_count - 1, o.operands + 1);
}

static void show_times(bin *b, bool portable, int64_t elapsed) {
  text line = {0};
  double seconds = (double)elapsed / 1e9;
  if (portable) {
    text_format(&line, "real %.2f\nuser %.2f\nsys 0.00\n", seconds, seconds);
  } else {
    text_format(&line, "%.2fuser 0.00system %d:%05.2felapsed 100%%CPU\n", seconds,
                (int)(elapsed / 60000000000), seconds - 60.0 * (double)(elapsed / 60000000000));
  }
  output_flush(&b->out);
  sys_write(2, line.at, line.len);
}

static int time_main(int argc, char **argv, char **environment) {
  bin b;
  options o;
  bool portable = false;
  options_start(&o, &b, command_find("time"), argc, argv, environment);
  b.usage_status = 125;
  o.in_order = true;
  while (options_next(&o) != 0) portable = true;
  options_need(&o, 1);
  int64_t begin = kernel_now();
  int pid = run_start("time", o.operand_count, o.operands, environment, NULL), status = 0;
  if (pid < 0) bin_die(&b, 126, "cannot start %s: %s", o.operands[0], error_text(pid));
  while (process_wait(pid, &status) == -EINTR) {
  }
  show_times(&b, portable, kernel_now() - begin);
  return status;
}

const command command_sleep = {
    .name = "sleep", .main = sleep_main, .usage = "sleep NUMBER[SUFFIX]...", .options = ""};
const command command_timeout = {
    .name = "timeout",
    .main = timeout_main,
    .usage = "timeout [OPTION] DURATION COMMAND [ARG]...",
    .options =
        "--preserve-status\tgive the command's status even after the time is up\n"
        "--foreground\tignored\n"
        "-k, --kill-after=DURATION\tkill it when it still runs so much later\n"
        "-s, --signal=SIGNAL\tsend SIGNAL instead of TERM\n"
        "-v, --verbose\tsay when a signal is sent"};
const command command_time = {.name = "time",
                              .main = time_main,
                              .usage = "time [-p] COMMAND [ARG]...",
                              .options = "-p, --portability\tPOSIX's format"};
