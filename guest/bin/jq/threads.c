// SPDX-License-Identifier: MIT
/* threads.c -- the stand-in for threads that libjq is built with: see pthread.h.
 *
 * libjq keeps work space per thread (for numbers), from malloc. Here that memory goes when its
 * process does, whatever way it ends, so each process has values of its own, and a row of a dead
 * process is taken over. This table and what jq_boot makes are the only changing statics of
 * guest/bin. */
#include <stddef.h>
#include <string.h>

#include "../../kernel/kernel.h"
#include "pthread.h"

#define KEYS 8
#define PROCESSES 128

typedef struct {
  int pid; /* 0: the boot, which is no process; -1: free */
  const void *values[KEYS];
  char **environment;
} row;

static row rows[PROCESSES];
static size_t row_count = 1; /* rows[0] is the boot's */
static row *current = rows;
static unsigned key_count;

int jq_once_run(jq_once *once, void (*run)(void)) {
  if (*once == 0) {
    *once = 1;
    run();
  }
  return 0;
}

int jq_key_make(jq_key *key, void (*destroy)(void *)) {
  (void)destroy; /* the memory goes with the process */
  if (key_count == KEYS) return 1;
  *key = key_count++;
  return 0;
}

/* The row of the process that runs now; another may have run since the last look. */
static row *current_row(void) {
  if (row_count == 1) return rows; /* the boot, or nobody said jq_process_begin */
  int pid = process_pid();
  if (current->pid != pid) {
    for (size_t i = 0; i < row_count; i++) {
      if (rows[i].pid == pid) current = &rows[i];
    }
  }
  return current;
}

void *jq_key_get(jq_key key) {
  return (void *)(uintptr_t)current_row()->values[key];
}

int jq_key_set(jq_key key, const void *value) {
  current_row()->values[key] = value;
  return 0;
}

char ***jq_environ_at() {
  static char *none[] = {NULL};
  row *mine = current_row();
  if (mine->environment == NULL) mine->environment = none;
  return &mine->environment;
}

int jq_process_begin(int pid, char **environment) {
  row *found = NULL;
  for (size_t i = 1; i < row_count && found == NULL; i++) {
    if (rows[i].pid == pid || rows[i].pid == -1) found = &rows[i];
  }
  for (size_t i = 1; i < row_count && found == NULL; i++) {
    if (process_kill(rows[i].pid, 0) == -ESRCH) found = &rows[i];
  }
  if (found == NULL && row_count < PROCESSES) found = &rows[row_count++];
  if (found == NULL) return 0;
  memset(found, 0, sizeof *found);
  found->pid = pid;
  found->environment = environment;
  return 1;
}

void jq_process_end(int pid) {
  for (size_t i = 1; i < row_count; i++) {
    if (rows[i].pid == pid) rows[i].pid = -1;
  }
}
