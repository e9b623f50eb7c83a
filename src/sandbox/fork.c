// SPDX-License-Identifier: MIT
/* fork.c -- another sandbox with the same state, in the same process.
 *
 * Memory is copied page by page where it differs from the image, or when that is much frozen once
 * and shared; the host's part is copied field by field.
 * Budgets are shared through the one account, labels copied (invariant 5): a reservation of a call
 * that waits can be used by one of the two. */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "sandbox/park.h"
#include "sandbox/sandbox.h"

static bool copy_buffer(const cloche__buffer *from, cloche__buffer *to) {
  cloche__buffer_text(to, cloche__buffer_view(from));
  return !to->failed;
}

void cloche__fork_progress(const cloche_sandbox *from, cloche_sandbox *to) {
  to->pristine = from->pristine;
  to->was_pristine = from->was_pristine;
  to->next_timer = from->next_timer;
  to->last_call = from->last_call;
  to->first_call = from->first_call;
  to->run = from->run;
  to->language = from->language;
  to->active = from->active;
  to->used = from->used;
  to->run_fuel = from->run_fuel;
  to->clock = from->clock;
  to->clock_fuel = from->clock_fuel;
  to->started = from->started;
  to->waiting_since = from->waiting_since;
  to->memory_refused = from->memory_refused;
  memcpy(to->said, from->said, sizeof to->said);
  to->usage = from->usage;
  to->file_operation = from->file_operation;
}

/* All that is plain numbers; what is allocated is made anew. */
static void copy_numbers(const cloche_sandbox *from, cloche_sandbox *to) {
  to->engine = from->engine;
  to->forks = from->forks;
  atomic_fetch_add(&to->engine->boxes, 1);
  to->limits = from->limits;
  to->policy = from->policy;
  to->ledger = from->ledger;
  memcpy(to->seed, from->seed, sizeof to->seed);
  to->real_time = from->real_time;
  to->clock_stands = from->clock_stands;
  cloche__fork_progress(from, to);
}

/* Calls that were announced to the parent's embedder are announced for the fork as well. */
static bool copy_calls(const cloche_sandbox *from, cloche_sandbox *to) {
  for (size_t i = 0; i < from->call_count; i++) {
    const cloche__pending *call = &from->calls[i];
    if (!cloche__call_restored(to, call)) return false;
    bool queued = false;
    for (size_t k = 0; k < from->queue_count; k++) {
      const cloche__item *item = &from->queue[from->queue_first + k];
      queued |= item->kind != CLOCHE_OUTPUT && item->call == call->id;
    }
    cloche__item item = {.kind = call->asked ? CLOCHE_APPROVAL : CLOCHE_CALL, .call = call->id};
    if (!queued && !cloche__queue_add(to, item)) return false;
  }
  for (size_t k = 0; k < from->queue_count; k++)
    if (!cloche__queue_add(to, from->queue[from->queue_first + k])) return false;
  return copy_buffer(&from->queue_bytes, &to->queue_bytes);
}

static cloche_status copy_machine(cloche_sandbox *from, cloche_sandbox *to) {
  cloche_status status = cloche__machine_open(&to->machine, to->engine, &to->limits);
  if (status != CLOCHE_OK) return status;
  if (to->active && to->was_pristine) cloche__machine_checkpoint(&to->machine, true);
  return cloche__machine_copy(&from->machine, &to->machine);
}

cloche_status cloche__fork_state(const cloche_sandbox *from, cloche_sandbox *to) {
  copy_numbers(from, to);
  if (getrandom(to->id, sizeof to->id, 0) != sizeof to->id) return CLOCHE_E_SYSTEM;
  return copy_buffer(&from->inbox, &to->inbox) && copy_calls(from, to) ? CLOCHE_OK
                                                                       : CLOCHE_E_MEMORY;
}

static cloche_status copy(cloche_sandbox *from, cloche_text name, cloche_sandbox *to) {
  cloche_status status = cloche__fork_state(from, to);
  if (status != CLOCHE_OK) return status;
  to->name = name.len > 0 ? strndup(name.at, name.len) : strdup(from->name);
  if (to->name == NULL || !copy_buffer(&from->tools, &to->tools) ||
      !copy_buffer(&from->setup, &to->setup))
    return CLOCHE_E_MEMORY;
  if (from->gate != NULL) status = cloche_gate_copy(from->gate, &to->gate);
  return status == CLOCHE_OK ? copy_machine(from, to) : status;
}

/* On record under both names. */
static cloche_status record(cloche_sandbox *from, const cloche_sandbox *to) {
  cloche__buffer members = {0};
  if (from->ledger == NULL) return CLOCHE_OK;
  cloche__moment moment = cloche__sandbox_moment(from);
  cloche__buffer_string(&members, "\"as\":");
  cloche__json_write_string(cloche__text(to->name), &members);
  cloche_status status = members.failed ? CLOCHE_E_MEMORY
                                        : cloche__ledger_record(from->ledger, "fork", &moment,
                                                                cloche__buffer_view(&members));
  cloche__buffer_free(&members);
  return status;
}

cloche_status cloche_fork(cloche_sandbox *box, cloche_text name, cloche_sandbox **made) {
  if (!cloche__sandbox_enter(box) || made == NULL) return CLOCHE_E_ARGUMENT;
  if (!cloche__sandbox_waits(box)) return CLOCHE_E_STATE;
  if (box->mounts.count > 0)
    return cloche__sandbox_refuse(
        box, CLOCHE_E_FILE,
        "a sandbox with mounted folders cannot be forked: what they hold is not in it");
  cloche_status status = cloche__park_use(box);
  if (status != CLOCHE_OK) return status;
  cloche_sandbox *fork = calloc(1, sizeof *fork);
  if (fork == NULL) return CLOCHE_E_MEMORY;
  if (!box->active) cloche__machine_forget_checkpoint(&box->machine);
  status = copy(box, name, fork);
  if (status == CLOCHE_OK) status = record(box, fork);
  if (status != CLOCHE_OK) {
    cloche_sandbox_free(fork);
    return status;
  }
  cloche__calls_share(box);
  cloche__park_leave(box);
  cloche__park_leave(fork);
  *made = fork;
  return CLOCHE_OK;
}
