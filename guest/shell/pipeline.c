// SPDX-License-Identifier: MIT
/* pipeline.c -- child processes: the stages of pipelines, subshells, background jobs, coprocesses.
 *
 * A child starts with a copy of the shell's state. It makes the copy itself, as the first thing it
 * does, out of its parent's memory; the parent lets it by waiting, for which there is always a
 * reason (it waits for the child, or yields until the copy is made). */
#include <stdlib.h>

#include "exec.h"

/* ---- children ---- */

static void wire(const child_order *order) {
  if (order->in > 0) {
    sys_dup2(order->in, 0);
    sys_close(order->in);
  }
  if (order->out > 1) {
    sys_dup2(order->out, 1);
    sys_close(order->out);
  }
  if (order->close_too >= 0) sys_close(order->close_too);
}

static bool redirects_input(const node *of) {
  for (const redirect *at = of->redirects; at != NULL; at = at->next)
    if (at->fd == 0 ||
        (at->fd < 0 && (at->kind == REDIRECT_INPUT || at->kind >= REDIRECT_READ_WRITE)))
      return true;
  return false;
}

/* A background command must not read what the script reads. */
static void input_from_nothing(const node *of) {
  if (redirects_input(of)) return;
  int nothing = sys_memory_file("", 0);
  if (nothing < 0) return;
  sys_dup2(nothing, 0);
  if (nothing != 0) sys_close(nothing);
}

static int run_child(shell *sh, const child_order *order) {
  const node *of = order->node;
  bool background = order->background;
  if (order->substituted) {
    if (!shopt_on(sh, SHOPT_INHERIT_ERREXIT)) sh->options &= ~(1u << OPTION_ERREXIT);
    sh->xtrace_depth++;
  }
  wire(order);
  if (background && of->kind == NODE_PIPELINE && of->negated) { /* bash forgets about the ! */
    node *plain = arena_take(&sh->scratch, sizeof *plain);
    *plain = *of;
    plain->negated = false;
    of = plain;
  }
  if (background) input_from_nothing(of);
  sh->last_command = true;
  /* A subshell's own redirections are made in here, once. */
  if (of->kind == NODE_SUBSHELL) {
    if (order->substituted) sh->subshell_depth++; /* $( ( ) ) is two */
    if (!redirect_all(sh, of->redirects)) return shell_finish(sh, 1);
    of = of->body;
  }
  exec_node(sh, of);
  return shell_finish(sh, sh->status);
}

static int child_entry(void *context) {
  child_order *asked = context;
  child_order order = *asked;
  shell *sh = shell_copy(order.parent);
  asked->taken = true;
  return run_child(sh, &order);
}

/* The order lies in the heap, which the child keeps alive, and not on a stack that goes with us. */
int child_start(shell *sh, const child_order *asked, bool until_taken) {
  child_order *order = arena_take(&sh->scratch, sizeof *order);
  *order = *asked;
  order->parent = sh;
  order->taken = false;
  shell_flush(sh);
  process_options options = {.entry = child_entry,
                             .context = order,
                             .name = "bash",
                             .stack = SHELL_PROCESS_STACK,
                             .borrows = true};
  int pid = process_spawn(&options);
  if (pid < 0) {
    complain(sh, "fork: %s", error_text(pid));
    sh->unwind = UNWIND_EXIT;
    sh->status = 254;
    return -1;
  }
  /* The child copies our state in its first moments. Where we go on, and change it, let it. */
  while (until_taken && !order->taken && process_kill(pid, 0) == 0) process_yield();
  return pid;
}

int child_wait(shell *sh, int pid) {
  int status = 127;
  process_wait_whole(pid, &status);
  if (sh->any_signal_trap) trap_poll(sh);
  return status;
}

/* ---- pipelines ---- */

void set_pipe_status(shell *sh, const int *statuses, size_t count) {
  if (count > sh->pipe_status_cap) {
    sh->pipe_status_cap = count + 8;
    sh->pipe_status = memory_resize(sh->pipe_status, sh->pipe_status_cap * sizeof(int));
  }
  if (count > 0) memcpy(sh->pipe_status, statuses, count * sizeof(int));
  sh->pipe_status_count = count;
}

static void close_pipe(int ends[2]) {
  if (ends[0] >= 0) sys_close(ends[0]);
  if (ends[1] >= 0) sys_close(ends[1]);
}

static size_t stage_count(const node *first) {
  size_t count = 0;
  for (const node *at = first; at != NULL; at = at->next) count++;
  return count;
}

/* With shopt lastpipe the last stage runs here. */
static int run_last_stage(shell *sh, const node *of, int in) {
  int saved = sys_dup(0, 100);
  sys_dup2(in, 0);
  sys_close(in);
  sh->condition_depth++;
  int status = exec_node(sh, of);
  sh->condition_depth--;
  if (saved >= 0) {
    sys_dup2(saved, 0);
    sys_close(saved);
  } else {
    sys_close(0);
  }
  return status;
}

typedef struct {
  int *pids;
  int *statuses;
  size_t count, started;
} stages;

/* Starts one process per stage, each reading what the one before it writes. */
static bool start_stages(shell *sh, const node *first, stages *all, bool here, int *last_in) {
  int in = -1;
  for (const node *at = first; at != NULL; at = at->next) {
    int ends[2] = {-1, -1};
    if (here && at->next == NULL) break;
    int failed = at->next != NULL ? sys_pipe(ends) : 0;
    if (failed < 0) {
      complain(sh, "pipe error: %s", error_text(failed));
      if (in >= 0) sys_close(in);
      return false;
    }
    child_order order = {.node = at, .in = in, .out = ends[1], .close_too = ends[0]};
    int pid = child_start(sh, &order, false);
    if (in >= 0) sys_close(in);
    if (ends[1] >= 0) sys_close(ends[1]);
    in = ends[0];
    if (pid < 0) {
      if (in >= 0) sys_close(in);
      return false;
    }
    all->pids[all->started++] = pid;
    if (at->kind == NODE_SIMPLE ||
        at->kind == NODE_SUBSHELL) { /* what a trap sees that the pipeline sets off */
      sh->line = at->line;
      set_command(sh, at);
    }
  }
  *last_in = in;
  return true;
}

static int pipeline_status(const shell *sh, const stages *all) {
  int status = all->statuses[all->count - 1];
  if (!option_on(sh, OPTION_PIPEFAIL)) return status;
  for (size_t i = all->count; i > 0; i--)
    if (all->statuses[i - 1] != 0) return all->statuses[i - 1];
  return 0;
}

static int run_stages(shell *sh, const node *first) {
  stages all = {.count = stage_count(first)};
  all.pids = arena_zero(&sh->scratch, all.count * sizeof(int));
  all.statuses = arena_zero(&sh->scratch, all.count * sizeof(int));
  bool here = shopt_on(sh, SHOPT_LASTPIPE) && !option_on(sh, OPTION_MONITOR);
  int in = -1;
  bool fine = start_stages(sh, first, &all, here, &in);
  if (fine && here) {
    const node *last = first;
    while (last->next != NULL) last = last->next;
    all.statuses[all.count - 1] = run_last_stage(sh, last, in);
  }
  for (size_t i = 0; i < all.started; i++) all.statuses[i] = child_wait(sh, all.pids[i]);
  if (!fine) return sh->status = sh->unwind == UNWIND_EXIT ? sh->status : 1;
  set_pipe_status(sh, all.statuses, all.count);
  return pipeline_status(sh, &all);
}

/* ---- time ---- */

static void print_time(text *to, const char *label, int64_t ns, bool posix) {
  int64_t ms = ns / 1000000;
  if (posix)
    text_format(to, "%s %lld.%02lld\n", label, (long long)(ms / 1000), (long long)(ms % 1000 / 10));
  else
    text_format(to, "%s\t%lldm%lld.%03llds\n", label, (long long)(ms / 60000),
                (long long)(ms / 1000 % 60), (long long)(ms % 1000));
}

/* Virtual time; a program's own time and the system's are not told apart. */
static void report_time(shell *sh, int64_t spent, bool posix) {
  if (!posix) text_char(&sh->errors, '\n');
  print_time(&sh->errors, "real", spent, posix);
  print_time(&sh->errors, "user", spent, posix);
  print_time(&sh->errors, "sys", 0, posix);
  shell_flush(sh);
}

/* A pipeline that ends with ( ) fails twice in bash, where set -e does not end it at once: that
 * one, even under !, and the whole. ERR shows it. */
static bool subshell_failed(const shell *sh, const node *of) {
  if (option_on(sh, OPTION_ERREXIT) || sh->condition_depth > 0) return false;
  const node *last = of->first;
  while (last->next != NULL) last = last->next;
  return last->kind == NODE_SUBSHELL && sh->pipe_status_count > 0 &&
         sh->pipe_status[sh->pipe_status_count - 1] != 0;
}

int exec_pipeline(shell *sh, const node *of) {
  arena_mark mark = arena_here(&sh->scratch);
  int64_t begun = of->timed ? kernel_now() : 0;
  bool single = of->first == NULL || of->first->next == NULL, last = sh->last_command;
  int status = 0;
  bool sleeps = of->negated && option_on(sh, OPTION_ERREXIT);
  if (sleeps) sh->condition_depth++;
  if (of->negated || of->timed) sh->last_command = false;
  if (single)
    status = of->first != NULL ? exec_node(sh, of->first) : 0;
  else
    status = run_stages(sh, of->first);
  if (sleeps) sh->condition_depth--;
  sh->last_command = last;
  if (of->timed) report_time(sh, kernel_now() - begun, of->timed == 2);
  arena_back(&sh->scratch, mark);
  if (sh->unwind != UNWIND_NONE) return sh->status;
  if (!single && subshell_failed(sh, of)) {
    sh->status = status;
    trap_error(sh);
    if (sh->unwind != UNWIND_NONE) return sh->status;
  }
  if (of->negated) return sh->status = status == 0;
  sh->status = status;
  if (single) return status;
  return exec_failed(sh, of, status);
}

/* ---- subshells and the background ---- */

int exec_subshell(shell *sh, const node *of) {
  sh->line = of->line;
  set_command(sh, of);
  if (sh->last_command && no_trap_left(sh) && of->redirects == NULL && sh->is_subshell &&
      sh->condition_depth == 0) {
    /* This process ends with it anyway. */
    sh->subshell_depth++;
    traps_reset(sh);
    exec_node(sh, of->body);
    sh->unwind = UNWIND_EXIT;
    return sh->status;
  }
  child_order order = {.node = of, .in = -1, .out = -1, .close_too = -1};
  int pid = child_start(sh, &order, false);
  if (pid < 0) return sh->status;
  sh->status = child_wait(sh, pid);
  set_pipe_status(sh, &sh->status, 1);
  return sh->status;
}

int exec_background(shell *sh, const node *of) {
  child_order order = {.node = of, .in = -1, .out = -1, .close_too = -1, .background = true};
  int pid = child_start(sh, &order, true);
  if (pid < 0) return sh->status;
  sh->background_pid = pid;
  int *pids = memory_take(sizeof *pids);
  *pids = pid;
  job_add(sh, pids, 1, of);
  return sh->status = 0;
}

/* coproc: a child whose input and output are pipes of ours, their numbers in an array. */
int exec_coproc(shell *sh, const node *of) {
  int to_child[2], from_child[2];
  if (of->body == NULL) return sh->status = 1;
  if (sys_pipe(to_child) < 0) {
    complain(sh, "cannot make pipe for %s", of->name);
    return sh->status = 1;
  }
  if (sys_pipe(from_child) < 0) {
    close_pipe(to_child);
    complain(sh, "cannot make pipe for %s", of->name);
    return sh->status = 1;
  }
  int write_end = sys_dup(to_child[1], 60), read_end = sys_dup(from_child[0], 60);
  sys_close(to_child[1]);
  sys_close(from_child[0]);
  child_order order = {
      .node = of->body, .in = to_child[0], .out = from_child[1], .close_too = write_end};
  int pid = child_start(sh, &order, true);
  sys_close(to_child[0]);
  sys_close(from_child[1]);
  if (pid < 0) return sh->status;
  variable *ends = var_declare(sh, of->name, false, false);
  char number[24];
  number_format(read_end, number);
  var_store_index(sh, ends, 0, number, false);
  number_format(write_end, number);
  var_store_index(sh, ends, 1, number, false);
  text name = {.in = &sh->scratch};
  text_format(&name, "%s_PID", of->name);
  var_set_number(sh, text_end(&name), pid);
  sh->background_pid = pid;
  int *pids = memory_take(sizeof *pids);
  *pids = pid;
  job_add(sh, pids, 1, of);
  return sh->status = 0;
}
