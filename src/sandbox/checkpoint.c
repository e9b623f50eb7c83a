// SPDX-License-Identifier: MIT
/* checkpoint.c -- states of a sandbox that have a name, to return to.
 *
 * A checkpoint is what a fork would be, without a gate and with its machine reduced to bytes (a
 * large one shares a memory file with the sandbox, so that only what was written since is its own).
 * Returning makes a fork of it and puts that in the place of what is there. Labels, what succeeded,
 * budgets and the ledger stay as they are: they are about what has happened, and that has.
 *
 * Calls made after the return have other keys than those of the future that is dropped (the
 * sandbox gets another id, as a fork does), though their numbers are the same. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limits.h"
#include "sandbox/park.h"
#include "sandbox/sandbox.h"

struct cloche__named {
  char *name;
  cloche_sandbox *state; /* its machine is parked */
  int64_t taken;         /* monotonic ns */
};

static void drop(cloche__named *named) {
  free(named->name);
  cloche_sandbox_free(named->state);
}

static cloche__named *find(cloche_sandbox *box, cloche_text name) {
  for (size_t i = 0; i < box->checkpoint_count; i++)
    if (cloche__text_equal(cloche__text(box->checkpoints[i].name), name))
      return &box->checkpoints[i];
  return NULL;
}

static cloche_status record(cloche_sandbox *box, const char *kind, cloche_text name) {
  cloche__buffer members = {0};
  if (box->ledger == NULL) return CLOCHE_OK;
  cloche__moment moment = cloche__sandbox_moment(box);
  cloche__buffer_string(&members, "\"name\":");
  cloche__json_write_string(name, &members);
  cloche_status status = members.failed ? CLOCHE_E_MEMORY
                                        : cloche__ledger_record(box->ledger, kind, &moment,
                                                                cloche__buffer_view(&members));
  cloche__buffer_free(&members);
  return status;
}

/* ---- taking one ---- */

static cloche_status take_state(cloche_sandbox *box, cloche_sandbox *state) {
  cloche_status status = cloche__park_use(box);
  if (status == CLOCHE_OK) status = cloche__fork_state(box, state);
  if (status != CLOCHE_OK) return status;
  if (!box->active) cloche__machine_forget_checkpoint(&box->machine);
  bool packed = cloche__park_pack(&box->machine, true, &state->parked);
  cloche__park_leave(box);
  return packed ? CLOCHE_OK : CLOCHE_E_MEMORY;
}

/* Room for one more, or the one of that name. NULL: no memory. */
static cloche__named *place_for(cloche_sandbox *box, cloche_text name) {
  cloche__named *known = find(box, name);
  if (known != NULL) return known;
  cloche__named *grown =
      realloc(box->checkpoints, (box->checkpoint_count + 1) * sizeof *box->checkpoints);
  if (grown == NULL) return NULL;
  box->checkpoints = grown;
  grown[box->checkpoint_count] = (cloche__named){0};
  return &grown[box->checkpoint_count];
}

static cloche_status put(cloche_sandbox *box, cloche_text name, cloche_sandbox *state) {
  cloche__named *place = place_for(box, name);
  char *copy = place == NULL ? NULL : strndup(name.at, name.len);
  if (copy == NULL) return CLOCHE_E_MEMORY;
  cloche_status status = record(box, "checkpoint", name);
  if (status != CLOCHE_OK) {
    free(copy);
    return status;
  }
  bool added = place->name == NULL;
  drop(place);
  *place = (cloche__named){.name = copy, .state = state, .taken = cloche__monotonic()};
  box->checkpoint_count += added;
  return CLOCHE_OK;
}

cloche_status cloche_checkpoint(cloche_sandbox *box, cloche_text name) {
  if (!cloche__sandbox_enter(box)) return CLOCHE_E_ARGUMENT;
  if (!cloche__sandbox_waits(box)) return CLOCHE_E_STATE;
  if (box->mounts.count > 0)
    return cloche__sandbox_refuse(box, CLOCHE_E_FILE,
                                  "mounted folders are not the sandbox's to bring back");
  if (name.len == 0 || name.len > 255 || memchr(name.at, '\0', name.len) != NULL)
    return cloche__sandbox_refuse(box, CLOCHE_E_ARGUMENT,
                                  "a checkpoint's name has 1 to 255 bytes and no NUL");
  if (find(box, name) == NULL && box->checkpoint_count >= CLOCHE__CHECKPOINTS)
    return cloche__sandbox_refuse(box, CLOCHE_E_LIMIT,
                                  "there are as many checkpoints as there may be");
  cloche_sandbox *state = calloc(1, sizeof *state);
  if (state == NULL) return CLOCHE_E_MEMORY;
  cloche_status status = take_state(box, state);
  if (status == CLOCHE_OK) status = put(box, name, state);
  if (status == CLOCHE_OK)
    cloche__calls_share(box);
  else
    cloche_sandbox_free(state);
  return status;
}

cloche_status cloche_checkpoint_drop(cloche_sandbox *box, cloche_text name) {
  if (!cloche__sandbox_enter(box)) return CLOCHE_E_ARGUMENT;
  cloche__named *named = find(box, name);
  if (named == NULL)
    return cloche__sandbox_refuse(box, CLOCHE_E_UNKNOWN, "there is no checkpoint of that name");
  drop(named);
  *named = box->checkpoints[--box->checkpoint_count];
  return CLOCHE_OK;
}

void cloche__checkpoints_free(cloche_sandbox *box) {
  for (size_t i = 0; i < box->checkpoint_count; i++) drop(&box->checkpoints[i]);
  free(box->checkpoints);
}

/* ---- returning ---- */

/* Takes the state out of a fork, which is left with what was there. */
#define SWAP(field)                               \
  do {                                            \
    __typeof__(box->field) held = box->field;     \
    box->field = fork->field, fork->field = held; \
  } while (0)
static void swap(cloche_sandbox *box, cloche_sandbox *fork) {
  SWAP(machine);
  SWAP(inbox);
  SWAP(queue);
  SWAP(queue_bytes);
  SWAP(queue_first);
  SWAP(queue_count);
  SWAP(queue_capacity);
  SWAP(calls);
  SWAP(call_count);
  SWAP(call_capacity);
  memcpy(box->id, fork->id, sizeof box->id);
  cloche__fork_progress(fork, box);
}
#undef SWAP

/* What belongs to the future that is dropped and has no place in the state. */
static void begin_anew(cloche_sandbox *box) {
  box->dead = box->ended = box->setting_up = false;
  box->outbox_bytes = 0;
  box->stopping = CLOCHE_END_DONE;
  box->entered = 0;
  box->cancelled_calls = 0;
  if (box->active) box->has_result = false;
  atomic_store(&box->cancelled, 0);
  cloche__changes_forget(box);
}

/* A sandbox like the one that was kept, but for its gate. */
static cloche_status remake(const cloche__named *named, cloche_sandbox *fork) {
  cloche_status status = cloche__fork_state(named->state, fork);
  if (status == CLOCHE_OK) status = cloche__park_open(&named->state->parked, fork);
  fork->started += cloche__monotonic() - named->taken; /* what lies between is not the run's */
  return status;
}

cloche_status cloche_rollback(cloche_sandbox *box, cloche_text name) {
  if (!cloche__sandbox_enter(box)) return CLOCHE_E_ARGUMENT;
  cloche__named *named = find(box, name);
  if (box->forks != cloche__engine_forks())
    return cloche__sandbox_refuse(box, CLOCHE_E_STATE,
                                  "the sandbox belongs to the parent of this process");
  if (named == NULL)
    return cloche__sandbox_refuse(box, CLOCHE_E_UNKNOWN, "there is no checkpoint of that name");
  cloche_sandbox *fork = calloc(1, sizeof *fork);
  if (fork == NULL) return CLOCHE_E_MEMORY;
  cloche_status status = remake(named, fork);
  if (status == CLOCHE_OK) status = record(box, "rollback", name);
  if (status == CLOCHE_OK) {
    bool same_run = box->active && !box->ended && fork->active && box->run == fork->run;
    cloche__park_forget(box);
    cloche__calls_abandon(box, fork);
    if (box->gate != NULL && !same_run) cloche_gate_end_run(box->gate);
    swap(box, fork);
    begin_anew(box);
    cloche__calls_share(box);
  }
  cloche_sandbox_free(fork);
  cloche__park_leave(box);
  return status;
}
