// SPDX-License-Identifier: MIT
/* processes.c -- a table of atomics: one thread writes it, its signal handler reads it. */
#include "cli/processes.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

#include "cli/guard.h"

static _Atomic pid_t groups[CLOCHE__PROCESSES_MAX];

static _Atomic pid_t *find(pid_t group) {
  for (size_t i = 0; i < CLOCHE__PROCESSES_MAX; i++)
    if (atomic_load(&groups[i]) == group) return &groups[i];
  return NULL;
}

bool cloche__process_room(void) {
  return find(0) != NULL;
}

void cloche__process_note(pid_t group) {
  _Atomic pid_t *place = find(0);
  if (place != NULL) atomic_store(place, group);
  cloche__guard_tell(group, true);
}

void cloche__process_end(pid_t group) {
  _Atomic pid_t *place = find(group);
  if (place == NULL) return;
  atomic_store(place, 0); /* first: the number may soon be another's */
  cloche__guard_tell(group, false);
  kill(-group, SIGKILL);
}

void cloche__process_end_all(void) {
  for (size_t i = 0; i < CLOCHE__PROCESSES_MAX; i++) {
    pid_t group = atomic_exchange(&groups[i], 0);
    if (group != 0) kill(-group, SIGKILL);
  }
}
