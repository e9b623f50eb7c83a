// SPDX-License-Identifier: MIT
/* signal.c -- signals as far as a shell's scripts use them.
 *
 * Nothing runs asynchronously. A caught signal is a bit that the process asks for; one that kills
 * takes effect at the process's next wait, and at once if it waits already. */
#include "process.h"

static uint32_t bit(int signal) {
  return (uint32_t)1 << signal;
}

static bool is_known(int signal) {
  return signal > 0 && signal < 32;
}

static bool ignored_by_default(int signal) {
  return signal == SIGNAL_CHLD || signal == SIGNAL_CONT;
}

static void kill_with(process *to, int signal) {
  if (to->killed_by == 0) to->killed_by = signal;
  if (to->stopped && signal == SIGNAL_KILL) process_continue(to);
  process_wake(to, WOKEN_BY_SIGNAL);
}

void signal_send(process *to, int signal) {
  if (to->state == PROCESS_ENDED) return;
  if (signal == SIGNAL_CONT) process_continue(to);
  if (signal == SIGNAL_KILL) {
    kill_with(to, signal);
  } else if (signal == SIGNAL_STOP) {
    to->stopped = true;
  } else if (to->caught & bit(signal)) {
    to->pending |= bit(signal);
    if (to->wait_flags & WAIT_SIGNALS) process_wake(to, WOKEN_BY_SIGNAL);
  } else if (!(to->ignored & bit(signal)) && !ignored_by_default(signal)) {
    kill_with(to, signal);
  }
}

int process_kill(int pid, int signal) {
  process *to = process_find(pid);
  if (to == NULL) return -ESRCH;
  if (signal == 0) return 0;
  if (!is_known(signal)) return -EINVAL;
  signal_send(to, signal);
  return 0;
}

void process_on_signal(int signal, signal_action action) {
  process *self = process_current();
  if (!is_known(signal) || signal == SIGNAL_KILL || signal == SIGNAL_STOP) return;
  self->caught &= ~bit(signal);
  self->ignored &= ~bit(signal);
  if (action == SIGNAL_CATCH) self->caught |= bit(signal);
  if (action == SIGNAL_IGNORE) self->ignored |= bit(signal);
  if (action != SIGNAL_CATCH) self->pending &= ~bit(signal);
}

int process_take_signal(void) {
  process *self = process_current();
  if (self->pending == 0) return 0;
  int signal = __builtin_ctz(self->pending);
  self->pending &= self->pending - 1;
  return signal;
}
