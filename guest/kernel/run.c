// SPDX-License-Identifier: MIT
/* run.c -- runs: one program of the host's with all the processes it starts.
 *
 * A run ends with its first process. What is left of it then is ended too: a process that waits in
 * process_next_event is told and may tidy up, any other one simply does not run again. */
#include <stdio.h>
#include <string.h>

#include "call.h"
#include "control.h"
#include "descriptor.h"
#include "outbox.h"
#include "process.h"

static run *runs;

static void release(run *released) {
  kernel_free((void *)(uintptr_t)released->program.text);
  if (released->program.argv != NULL) kernel_free(released->program.argv);
  kernel_free(released->result);
  kernel_free(released);
}

static run *new_run(uint32_t id, const run_program *program) {
  run *made = kernel_malloc(sizeof *made);
  if (made != NULL) *made = (run){.id = id, .program = *program, .started = kernel_now()};
  return made;
}

int runs_start(uint32_t id, process_entry *entry, const char *name, const run_program *program,
               uint32_t stack) {
  run *started = new_run(id, program);
  if (started == NULL) return -ENOMEM;
  process_options options = {
      .entry = entry, .context = &started->program, .name = name, .stack = stack};
  started->root = process_create(started, NULL, &options);
  if (started->root == NULL) {
    kernel_free(started);
    return -ENOMEM;
  }
  started->next = runs;
  runs = started;
  return 0;
}

int64_t kernel_run_start(void) {
  process *self = process_current();
  return self == NULL ? kernel_now() : self->run->started;
}

/* ---- a session: one process that is the root of one run after another ---- */

static process *resting; /* between two runs */
static run no_run;       /* the one it belongs to then */

int runs_go_on(uint32_t id, process_entry *entry, const char *name, const run_program *program,
               uint32_t stack) {
  if (resting == NULL) {
    int status = runs_start(id, entry, name, program, stack);
    if (status == 0) runs->is_session = true;
    return status;
  }
  run *next = new_run(id, program);
  if (next == NULL) return -ENOMEM;
  next->is_session = true;
  next->root = resting;
  next->live = 1;
  next->next = runs;
  runs = next;
  resting->run = next;
  process_wake(resting, WOKEN);
  resting = NULL;
  return 0;
}

bool process_in_session(void) {
  const process *self = process_current();
  return self->run->is_session && self->run->root == self;
}

const run_program *process_next_program(int status) {
  process *self = process_current();
  run *done = self->run;
  if (!process_in_session() || done->ending) return NULL;
  done->live--;
  done->root = NULL;
  done->status = status;
  done->ending = true;
  process_leave_children(self);
  self->run = &no_run;
  resting = self;
  process_block(NULL, INT64_MAX, 0);
  descriptors_renew_stdin();
  return &self->run->program;
}

/* ---- results ---- */

static int set_result(run *of, const char *json, size_t size) {
  char *copy = kernel_malloc(size == 0 ? 1 : size);
  if (copy == NULL) return -ENOMEM;
  memcpy(copy, json, size);
  kernel_free(of->result);
  of->result = copy;
  of->result_size = size;
  return 0;
}

int process_set_result(const char *json, size_t size) {
  process *self = process_current();
  if (self->run->root != self) return -EPERM;
  return self->run->sealed ? 0 : set_result(self->run, json, size);
}

static void send_result(const run *done) {
  static const char no_memory[] = "{\"end\":\"limit.memory\"}";
  char own[48];
  const char *json = done->result;
  size_t size = done->result_size;
  if (json == NULL) {
    size = (size_t)snprintf(own, sizeof own, "{\"end\":\"done\",\"status\":%d}", done->status);
    json = own;
  }
  if (!outbox_add(ABI_DONE, done->id, json, size, NULL, 0))
    outbox_add(ABI_DONE, done->id, no_memory, sizeof no_memory - 1, NULL, 0);
}

static void finish(run *done) {
  send_result(done);
  for (run **at = &runs; *at != NULL; at = &(*at)->next) {
    if (*at != done) continue;
    *at = done->next;
    break;
  }
  release(done);
}

/* ---- the end ---- */

void runs_process_ended(process *ended) {
  run *of = ended->run;
  if (ended == resting) resting = NULL;
  of->live--;
  if (of->root != ended) return;
  of->root = NULL;
  of->status = ended->status;
  of->ending = true;
}

static void sweep(run *swept) {
  swept->swept = true;
  process *next;
  for (process *at = process_first(); at != NULL; at = next) {
    next = at->next;
    if (at->run != swept || at->state == PROCESS_ENDED || at->told_end) continue;
    bool gentle = at->wait_flags & WAIT_END && at->killed_by == 0;
    if (gentle && at->state == PROCESS_WAITING) {
      at->told_end = true;
      process_wake(at, WOKEN_BY_END);
    } else if (!gentle) {
      process_end(at, 128 + SIGNAL_KILL);
      next = process_first(); /* ending one may have freed others */
    }
  }
}

void runs_check(void) {
  bool interrupted = kernel_interrupted();
  run *next;
  for (run *at = runs; at != NULL; at = next) {
    next = at->next;
    if (interrupted) at->ending = true;
    if (at->ending && !at->swept) sweep(at);
    if (at->live == 0) finish(at);
  }
}

bool runs_unlock(void) {
  if (runs == NULL || scheduler_next_deadline() != INT64_MAX || calls_in_flight() != 0)
    return false;
  static const char stuck[] =
      "{\"end\":\"exception\",\"status\":1,\"error\":{\"kind\":\"exception\",\"name\":\"Error\","
      "\"message\":\"every process waits for another one, and nothing is left that could wake any: "
      "no call, no timer, no output that is still to come\"}}";
  for (run *at = runs; at != NULL; at = at->next) {
    if (set_result(at, stuck, sizeof stuck - 1) == 0) at->sealed = true;
    at->ending = true;
  }
  return true;
}
