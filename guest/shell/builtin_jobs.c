// SPDX-License-Identifier: MIT
/* builtin_jobs.c -- jobs, wait, kill, disown, trap. */
#include <stdlib.h>

#include "builtins.h"
#include "quote.h"

/* ---- jobs ---- */

static const char *state_text(const job *of, text *scratch) {
  if (of->state == JOB_RUNNING) return "Running";
  if (of->state == JOB_STOPPED) return "Stopped";
  if (of->status == 0) return "Done";
  if (of->status > 128 && signal_name(of->status - 128) != NULL && of->status != 130) {
    switch (of->status - 128) {
      case 15:
        return "Terminated";
      case 9:
        return "Killed";
      case 1:
        return "Hangup";
      default:
        break;
    }
  }
  scratch->len = 0;
  text_format(scratch, "Exit %d", of->status);
  return text_end(scratch);
}

static void show_job(shell *sh, const job *of, char mark, bool with_pid) {
  text scratch = {.in = &sh->scratch};
  const char *state = state_text(of, &scratch);
  text_format(&sh->out, "[%d]%c  ", of->number, mark);
  if (with_pid) text_format(&sh->out, "%d ", of->pid);
  text_format(&sh->out, "%-24s%s%s\n", state, of->command, of->state == JOB_RUNNING ? " &" : "");
}

static char job_mark(shell *sh, const job *of) {
  if (job_find(sh, "%+") == of) return '+';
  return job_find(sh, "%-") == of ? '-' : ' ';
}

int builtin_jobs(shell *sh, int argc, char **argv) {
  builtin_options o = {.argv = argv};
  bool pids = false, only_pids = false, running = false;
  int letter, status = 0;
  while ((letter = builtin_option(sh, &o, "lnprsx")) != -1) {
    if (letter == '?') return 2;
    pids |= letter == 'l';
    only_pids |= letter == 'p';
    running |= letter == 'r';
    if (letter == 's') return 0;
  }
  jobs_poll(sh);
  for (int i = o.index; i < argc; i++)
    if (job_find(sh, argv[i]) == NULL) {
      complain_as(sh, "jobs", "%s: no such job", argv[i]);
      status = 1;
    }
  for (job *at = sh->jobs, *next; at != NULL; at = next) {
    next = at->next;
    bool wanted = o.index >= argc;
    for (int i = o.index; i < argc; i++) wanted |= job_find(sh, argv[i]) == at;
    if (!wanted || (running && at->state != JOB_RUNNING)) continue;
    if (only_pids)
      text_format(&sh->out, "%d\n", at->pid);
    else
      show_job(sh, at, job_mark(sh, at), pids);
    if (at->state == JOB_DONE && !at->foreign) job_retire(sh, at);
  }
  return status;
}

/* ---- wait ---- */

static job *job_of_pid(shell *sh, int64_t pid) {
  for (job *at = sh->jobs; at != NULL; at = at->next)
    for (size_t i = 0; i < at->count; i++)
      if (at->pids[i] == pid) return at;
  return NULL;
}

static job *waited_job(shell *sh, const char *id) {
  int64_t pid;
  if (*id == '%') {
    job *found = job_find(sh, id);
    if (found == NULL) complain_as(sh, "wait", "%s: no such job", id);
    return found;
  }
  if (!builtin_number(id, &pid) || pid < 0) {
    complain_as(sh, "wait", "`%s': not a pid or valid job spec", id);
    return NULL;
  }
  job *found = job_of_pid(sh, pid);
  if (found == NULL)
    complain_as(sh, "wait", "pid %lld is not a child of this shell", (long long)pid);
  return found;
}

/* The first of the jobs that has ended; waits for one to end. NULL when there is none. */
static job *wait_any(shell *sh, int argc, char **ids, int *status) {
  for (;;) {
    bool any = false;
    jobs_poll(sh);
    for (job *at = sh->jobs; at != NULL; at = at->next) {
      bool wanted = argc == 0;
      for (int i = 0; i < argc; i++) {
        int64_t pid;
        wanted |= *ids[i] == '%' ? job_find(sh, ids[i]) == at
                                 : builtin_number(ids[i], &pid) && job_of_pid(sh, pid) == at;
      }
      if (!wanted) continue;
      any = true;
      if (at->state != JOB_DONE) continue;
      *status = at->status;
      return at;
    }
    if (!any) return NULL;
    if (sh->any_signal_trap) trap_poll(sh);
    process_sleep(1000000);
  }
}

static int wait_all(shell *sh) {
  while (sh->jobs != NULL) {
    job *first = sh->jobs;
    if (first->foreign) {
      job_forget(sh, first);
      continue;
    }
    int status = job_wait(sh, first);
    if (first->state != JOB_DONE) return status; /* a trap came first */
    job_retire(sh, first);
  }
  return 0;
}

int builtin_wait(shell *sh, int argc, char **argv) {
  builtin_options o = {.argv = argv};
  bool next = false;
  const char *into = NULL;
  int letter, status = 0;
  while ((letter = builtin_option(sh, &o, "fnp:")) != -1) {
    if (letter == '?') return 2;
    next |= letter == 'n';
    if (letter == 'p') into = o.argument;
  }
  shell_flush(sh);
  if (next) {
    job *ended = wait_any(sh, argc - o.index, argv + o.index, &status);
    if (ended == NULL) return 127;
    if (into != NULL) var_set_number(sh, into, ended->pid);
    job_retire(sh, ended);
    return status;
  }
  if (o.index >= argc) return wait_all(sh);
  for (int i = o.index; i < argc; i++) {
    int64_t pid;
    if (*argv[i] != '%' && builtin_number(argv[i], &pid) && job_ended(sh, (int)pid, &status))
      continue;
    if (*argv[i] != '%' && builtin_number(argv[i], &pid) && pid > 0 &&
        job_of_pid(sh, pid) == NULL && process_wait((int)pid, &status) > 0)
      continue; /* a process substitution */
    job *found = waited_job(sh, argv[i]);
    if (found == NULL) {
      int64_t ignored;
      status = *argv[i] == '%' || builtin_number(argv[i], &ignored) ? 127 : 1;
      continue;
    }
    status = job_wait(sh, found);
    if (into != NULL) var_set_number(sh, into, found->pid);
    if (found->state == JOB_DONE) job_retire(sh, found);
  }
  return status;
}

int builtin_disown(shell *sh, int argc, char **argv) {
  builtin_options o = {.argv = argv};
  int letter, status = 0;
  bool all = false, keep = false;
  while ((letter = builtin_option(sh, &o, "har")) != -1) {
    if (letter == '?') return 2;
    all |= letter != 'h';
    keep |= letter == 'h';
  }
  if (keep) return 0;
  if (all) jobs_forget(sh);
  for (int i = o.index; i < argc; i++) {
    int64_t pid;
    job *found = *argv[i] != '%' && builtin_number(argv[i], &pid) ? job_of_pid(sh, pid)
                                                                  : job_find(sh, argv[i]);
    if (found != NULL) {
      job_forget(sh, found);
    } else {
      complain_as(sh, "disown", "%s: no such job", argv[i]);
      status = 1;
    }
  }
  if (o.index >= argc && !all && job_find(sh, "%+") != NULL) job_forget(sh, job_find(sh, "%+"));
  return status;
}

/* ---- kill ---- */

static void list_signals(shell *sh) {
  for (int number = 1; number < 32; number++)
    text_format(&sh->out, "%2d) %s%s", number, signal_name(number), number % 5 == 0 ? "\n" : "\t");
  text_char(&sh->out, '\n');
}

/* kill -l 15, kill -l TERM, kill -l 143 */
static int translate_signals(shell *sh, char **words) {
  int status = 0;
  if (*words == NULL) list_signals(sh);
  for (; *words != NULL; words++) {
    int64_t number;
    if (builtin_number(*words, &number)) {
      if (number > 128) number -= 128;
      const char *name = number >= 0 && number < 32 ? signal_name((int)number) : NULL;
      if (name != NULL) {
        text_format(&sh->out, "%s\n", strncmp(name, "SIG", 3) == 0 ? name + 3 : name);
        continue;
      }
    } else if (signal_named(*words) >= 0) {
      text_format(&sh->out, "%d\n", signal_named(*words));
      continue;
    }
    complain_as(sh, "kill", "%s: invalid signal specification", *words);
    status = 1;
  }
  return status;
}

static bool kill_one(shell *sh, const char *target, int signal) {
  int64_t pid;
  if (*target == '%') {
    job *found = job_find(sh, target);
    if (found == NULL) {
      complain_as(sh, "kill", "%s: no such job", target);
      return false;
    }
    bool any = false;
    for (size_t i = 0; i < found->count; i++) any |= process_kill(found->pids[i], signal) == 0;
    return any;
  }
  if (!builtin_number(target, &pid)) {
    complain_as(sh, "kill", "%s: arguments must be process or job IDs", target);
    return false;
  }
  if (pid < 0) pid = -pid; /* no process groups: the process that would lead it */
  int failed = process_kill((int)pid, signal);
  if (failed >= 0) return true;
  complain_as(sh, "kill", "(%lld) - %s", (long long)pid, error_text(failed));
  return false;
}

int builtin_kill(shell *sh, int argc, char **argv) {
  int signal = SIGNAL_TERM, i = 1;
  if (argc > 1 && (strcmp(argv[1], "-l") == 0 || strcmp(argv[1], "-L") == 0))
    return translate_signals(sh, argv + 2);
  if (argc > 2 && (strcmp(argv[1], "-s") == 0 || strcmp(argv[1], "-n") == 0)) {
    signal = signal_named(argv[2]);
    i = 3;
  } else if (argc > 1 && *argv[1] == '-' && argv[1][1] != 0 && strcmp(argv[1], "--") != 0) {
    signal = signal_named(argv[1] + 1);
    i = 2;
  }
  if (signal < 0 || signal >= TRAP_DEBUG) {
    complain_as(sh, "kill", "%s: invalid signal specification", i == 3 ? argv[2] : argv[1] + 1);
    return 1;
  }
  if (i < argc && strcmp(argv[i], "--") == 0) i++;
  if (i >= argc) return builtin_usage(sh, "kill");
  bool any = false;
  for (; i < argc; i++) any |= kill_one(sh, argv[i], signal);
  process_yield(); /* so that what was signalled can act before the script goes on */
  return any ? 0 : 1;
}

/* ---- trap ---- */

static void show_trap(shell *sh, int number) {
  const trap *set = &sh->traps[number];
  if (set->action == NULL) return;
  text_string(&sh->out, "trap -- ");
  quote_single(&sh->out, set->action, strlen(set->action));
  text_format(&sh->out, " %s\n", signal_name(number));
}

static void set_trap(shell *sh, int number, const char *action) {
  trap *set = &sh->traps[number];
  free(set->action);
  *set = (trap){.action = action != NULL ? memory_string(action) : NULL};
  if (number == 0 || number >= TRAP_DEBUG) return;
  if (action == NULL) {
    process_on_signal(number, SIGNAL_DEFAULT);
  } else if (*action == 0) {
    process_on_signal(number, SIGNAL_IGNORE);
  } else {
    process_on_signal(number, SIGNAL_CATCH);
    sh->any_signal_trap = true;
  }
}

/* The first change in a subshell drops what it only inherited for showing. */
static void forget_inherited(shell *sh) {
  for (int number = 0; number < TRAP_COUNT; number++)
    if (sh->traps[number].inherited) {
      free(sh->traps[number].action);
      sh->traps[number] = (trap){0};
    }
}

static int show_traps(shell *sh, char **names) {
  int status = 0;
  if (*names == NULL)
    for (int number = 0; number < TRAP_COUNT; number++) show_trap(sh, number);
  for (; *names != NULL; names++) {
    int number = signal_named(*names);
    if (number >= 0 && number < TRAP_COUNT) {
      show_trap(sh, number);
    } else {
      complain_as(sh, "trap", "%s: invalid signal specification", *names);
      status = 1;
    }
  }
  return status;
}

int builtin_trap(shell *sh, int argc, char **argv) {
  builtin_options o = {.argv = argv};
  int letter, status = 0;
  bool print = false;
  if (argc > 1 && strcmp(argv[1], "-") == 0) {
    o.index = 1;
  } else {
    while ((letter = builtin_option(sh, &o, "lp")) != -1) {
      if (letter == '?') return 2;
      if (letter == 'l') {
        list_signals(sh);
        return 0;
      }
      print = true;
    }
  }
  if (print || o.index >= argc) return show_traps(sh, argv + o.index);
  const char *action = argv[o.index];
  bool alone = o.index + 1 == argc;
  int64_t number;
  if (strcmp(action, "-") == 0)
    action = NULL;
  else if (alone || (builtin_number(action, &number) && signal_named(action) >= 0))
    action = NULL, o.index--; /* only signals: back to the default */
  if (alone && o.index + 1 < argc && signal_named(argv[o.index + 1]) < 0) {
    complain_as(sh, "trap", "%s: invalid signal specification", argv[o.index + 1]);
    return builtin_usage(sh, "trap");
  }
  forget_inherited(sh);
  for (int i = o.index + 1; i < argc; i++) {
    int signal = signal_named(argv[i]);
    if (signal < 0 || signal >= TRAP_COUNT || signal == SIGNAL_KILL || signal == SIGNAL_STOP) {
      if (signal == SIGNAL_KILL || signal == SIGNAL_STOP) continue;
      complain_as(sh, "trap", "%s: invalid signal specification", argv[i]);
      status = 1;
      continue;
    }
    set_trap(sh, signal, action);
  }
  return status;
}
