// SPDX-License-Identifier: MIT
/* trap.c -- signals and the shell's own events. */
#include <stdlib.h>

#include "exec.h"

static const struct {
  int number;
  const char *name;
} signals[] = {
    {0, "EXIT"},           {1, "SIGHUP"},     {2, "SIGINT"},           {3, "SIGQUIT"},
    {4, "SIGILL"},         {5, "SIGTRAP"},    {6, "SIGABRT"},          {7, "SIGBUS"},
    {8, "SIGFPE"},         {9, "SIGKILL"},    {10, "SIGUSR1"},         {11, "SIGSEGV"},
    {12, "SIGUSR2"},       {13, "SIGPIPE"},   {14, "SIGALRM"},         {15, "SIGTERM"},
    {16, "SIGSTKFLT"},     {17, "SIGCHLD"},   {18, "SIGCONT"},         {19, "SIGSTOP"},
    {20, "SIGTSTP"},       {21, "SIGTTIN"},   {22, "SIGTTOU"},         {23, "SIGURG"},
    {24, "SIGXCPU"},       {25, "SIGXFSZ"},   {26, "SIGVTALRM"},       {27, "SIGPROF"},
    {28, "SIGWINCH"},      {29, "SIGIO"},     {30, "SIGPWR"},          {31, "SIGSYS"},
    {TRAP_DEBUG, "DEBUG"}, {TRAP_ERR, "ERR"}, {TRAP_RETURN, "RETURN"},
};
#define SIGNAL_NAMES (sizeof signals / sizeof signals[0])

static bool same_name(const char *a, const char *b) {
  for (; *a != 0 && *b != 0; a++, b++) {
    char x = *a >= 'a' && *a <= 'z' ? (char)(*a - 32) : *a;
    if (x != *b) return false;
  }
  return *a == 0 && *b == 0;
}

int signal_named(const char *name) {
  if (*name >= '0' && *name <= '9') {
    char *end;
    long number = strtol(name, &end, 10);
    return *end == 0 && number < TRAP_DEBUG ? (int)number : -1;
  }
  for (size_t i = 0; i < SIGNAL_NAMES; i++) {
    const char *full = signals[i].name;
    if (same_name(name, full) || (strncmp(full, "SIG", 3) == 0 && same_name(name, full + 3)))
      return signals[i].number;
  }
  return -1;
}

const char *signal_name(int number) {
  for (size_t i = 0; i < SIGNAL_NAMES; i++)
    if (signals[i].number == number) return signals[i].name;
  return NULL;
}

/* An action that sets off its own trap stops doing so here. One level is a whole reader and the
 * commands in it, about ten frames. */
#define TRAP_DEPTH 16u

/* Runs an action; $? and PIPESTATUS inside are those of the command before, and again afterwards,
 * unless it exits. */
int trap_run(shell *sh, int number, const char *action) {
  if (sh->trap_depth >= TRAP_DEPTH) return sh->status;
  int status = sh->status;
  uint32_t line = sh->line;
  const node *command = sh->command;
  unwind before = sh->unwind;
  unsigned count = sh->unwind_count;
  bool last = sh->last_command;
  char *text = memory_string(action); /* the action may change its own trap */
  size_t stages = sh->pipe_status_count;
  int *statuses = memory_take((stages + 1) * sizeof *statuses);
  if (stages > 0) memcpy(statuses, sh->pipe_status, stages * sizeof *statuses);
  sh->unwind = UNWIND_NONE;
  sh->last_command = false;
  sh->trap_depth++;
  run_text(sh, text, strlen(text), number == TRAP_EXIT ? "exit trap" : NULL, line);
  sh->trap_depth--;
  free(text);
  set_pipe_status(sh, statuses, stages);
  free(statuses);
  sh->last_command = last;
  if (sh->unwind == UNWIND_EXIT || sh->unwind == UNWIND_RETURN) return sh->status;
  sh->unwind = before;
  sh->unwind_count = count;
  sh->line = line;
  sh->command = command;
  return sh->status = status;
}

void trap_poll(shell *sh) {
  int signal;
  while (sh->unwind == UNWIND_NONE && (signal = process_take_signal()) != 0) {
    const char *action = signal < TRAP_DEBUG ? sh->traps[signal].action : NULL;
    if (action != NULL && *action != 0) trap_run(sh, signal, action);
  }
}

static bool own_trap(const shell *sh, int number) {
  const trap *set = &sh->traps[number];
  return set->action != NULL && *set->action != 0 && !set->inherited;
}

/* DEBUG and RETURN are not seen inside functions, ERR neither, unless the options say so. What a
 * function sets itself is, and stays when it returns. */
void traps_hide(shell *sh, trap hidden[TRAP_COUNT - TRAP_DEBUG]) {
  for (int number = TRAP_DEBUG; number < TRAP_COUNT; number++) {
    trap *set = &sh->traps[number], *kept = &hidden[number - TRAP_DEBUG];
    *kept = (trap){0};
    if (set->action == NULL ||
        option_on(sh, number == TRAP_ERR ? OPTION_ERRTRACE : OPTION_FUNCTRACE))
      continue;
    *kept = *set;
    *set = (trap){0};
  }
}

void traps_show(shell *sh, trap hidden[TRAP_COUNT - TRAP_DEBUG]) {
  for (int number = TRAP_DEBUG; number < TRAP_COUNT; number++) {
    trap *set = &sh->traps[number], *kept = &hidden[number - TRAP_DEBUG];
    if (kept->action == NULL) continue;
    if (set->action == NULL)
      *set = *kept;
    else
      free(kept->action);
  }
}

void trap_debug(shell *sh) {
  if (!own_trap(sh, TRAP_DEBUG) || sh->in_debug_trap) return;
  sh->in_debug_trap = true;
  trap_run(sh, TRAP_DEBUG, sh->traps[TRAP_DEBUG].action);
  sh->in_debug_trap = false;
}

void trap_error(shell *sh) {
  if (!own_trap(sh, TRAP_ERR) || sh->in_err_trap) return;
  sh->in_err_trap = true;
  trap_run(sh, TRAP_ERR, sh->traps[TRAP_ERR].action);
  sh->in_err_trap = false;
}

void trap_return(shell *sh) {
  if (!own_trap(sh, TRAP_RETURN)) return;
  trap_run(sh, TRAP_RETURN, sh->traps[TRAP_RETURN].action);
}

/* A subshell ignores what its parent ignored; the rest becomes the default, but `trap` still shows
 * it until the subshell sets a trap of its own. ERR and DEBUG pass on where the options say so. */
void traps_reset(shell *sh) {
  sh->any_signal_trap = false;
  for (int number = 0; number < TRAP_COUNT; number++) {
    trap *set = &sh->traps[number];
    if (set->action == NULL || *set->action == 0) continue;
    bool passed =
        (number == TRAP_ERR && option_on(sh, OPTION_ERRTRACE)) ||
        ((number == TRAP_DEBUG || number == TRAP_RETURN) && option_on(sh, OPTION_FUNCTRACE));
    if (!passed) set->inherited = true;
    if (number > 0 && number < TRAP_DEBUG) process_on_signal(number, SIGNAL_DEFAULT);
  }
}
