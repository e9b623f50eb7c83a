// SPDX-License-Identifier: MIT
/* park.c -- the engine's line of mapped sandboxes, and their way to bytes and back. */
#include "sandbox/park.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { LEVEL = 1 };

/* ---- the line; under the engine's lock ---- */

static void join(cloche_engine *engine, cloche_sandbox *box) {
  box->place = CLOCHE__IN_LINE;
  box->line_before = engine->line_last;
  box->line_after = NULL;
  *(engine->line_last != NULL ? &engine->line_last->line_after : &engine->line_first) = box;
  engine->line_last = box;
  engine->line_count++;
}

static void quit(cloche_engine *engine, cloche_sandbox *box) {
  *(box->line_before != NULL ? &box->line_before->line_after : &engine->line_first) =
      box->line_after;
  *(box->line_after != NULL ? &box->line_after->line_before : &engine->line_last) =
      box->line_before;
  engine->line_count--;
  box->place = CLOCHE__HERE;
}

/* ---- to bytes and back ---- */

/* Nothing of it may be needed that a snapshot of the machine does not have. */
static bool is_parkable(const cloche_sandbox *box) {
  bool is_open = box->machine.slot != NULL || box->machine.remote != NULL;
  bool image_is_checkpoint = !box->active || box->was_pristine;
  return !box->dead && !cloche__machine_is_halfway(&box->machine) && box->outbox_bytes == 0 &&
         is_open && image_is_checkpoint;
}

static bool pack(cloche_sandbox *box) {
  cloche__buffer plain = {0};
  bool packed = cloche__machine_save(&box->machine, &plain);
  size_t room = packed ? ZSTD_compressBound(plain.len) : 0;
  char *bytes = packed ? malloc(room) : NULL;
  size_t size = bytes == NULL ? 0 : ZSTD_compress(bytes, room, plain.at, plain.len, LEVEL);
  packed = bytes != NULL && !ZSTD_isError(size);
  char *exact = packed ? realloc(bytes, size) : NULL;
  if (packed) {
    box->parked = (cloche_text){exact != NULL ? exact : bytes, size};
    box->parked_plain = plain.len;
  } else {
    free(bytes);
  }
  cloche__buffer_free(&plain);
  return packed;
}

/* The machine's state stays as it is when this fails. */
static bool park(cloche_sandbox *box) {
  if (!pack(box)) return false;
  cloche__machine_close(&box->machine);
  memset(&box->machine, 0, sizeof box->machine);
  return true;
}

static cloche_status unpack(cloche_sandbox *box) {
  char *plain = malloc(box->parked_plain + 1);
  if (plain == NULL) return CLOCHE_E_MEMORY;
  size_t size = ZSTD_decompress(plain, box->parked_plain, box->parked.at, box->parked.len);
  cloche_status status = CLOCHE_E_MEMORY; /* zstd found none: the bytes are our own */
  if (size == box->parked_plain)
    status = cloche__machine_load(&box->machine, (cloche_text){plain, size});
  free(plain);
  return status;
}

static cloche_status unpark(cloche_sandbox *box) {
  cloche_status status = cloche__machine_open(&box->machine, box->engine, &box->limits);
  if (status == CLOCHE_OK) {
    if (box->active) cloche__machine_checkpoint(&box->machine, true);
    status = unpack(box);
  }
  if (status != CLOCHE_OK) {
    cloche__machine_close(&box->machine);
    memset(&box->machine, 0, sizeof box->machine);
    return status;
  }
  free((void *)box->parked.at);
  box->parked = (cloche_text){NULL, 0};
  return CLOCHE_OK;
}

/* ---- using ---- */

/* While there are few, none of them has to take the lock. The other half of the bound is theirs. */
static bool is_crowded(cloche_engine *engine) {
  return atomic_load_explicit(&engine->boxes, memory_order_relaxed) > engine->mapped_max / 2;
}

/* The place of a sandbox that was never in the line, or has been parked, is its own thread's to
 * read; one that is in the line may be on its way out of it. */
static void take_back(cloche_sandbox *box) {
  cloche_engine *engine = box->engine;
  cloche__place place = atomic_load(&box->place);
  if (place == CLOCHE__HERE || place == CLOCHE__PARKED) return;
  pthread_mutex_lock(&engine->lock);
  while (box->place == CLOCHE__PARKING) pthread_cond_wait(&engine->parked, &engine->lock);
  if (box->place == CLOCHE__IN_LINE) quit(engine, box);
  pthread_mutex_unlock(&engine->lock);
}

cloche_status cloche__park_use(cloche_sandbox *box) {
  take_back(box);
  if (box->place != CLOCHE__PARKED) return CLOCHE_OK;
  cloche_status status = unpark(box);
  if (status == CLOCHE_OK) box->place = CLOCHE__HERE;
  return status;
}

void cloche__park_leave(cloche_sandbox *box) {
  cloche_engine *engine = box->engine;
  if (!is_crowded(engine) || box->place != CLOCHE__HERE || !is_parkable(box)) return;
  pthread_mutex_lock(&engine->lock);
  join(engine, box);
  while (engine->line_count > engine->mapped_max / 2) {
    cloche_sandbox *oldest = engine->line_first;
    quit(engine, oldest);
    oldest->place = CLOCHE__PARKING;
    pthread_mutex_unlock(&engine->lock);
    bool parked = park(oldest); /* nobody else touches it meanwhile */
    pthread_mutex_lock(&engine->lock);
    oldest->place = parked ? CLOCHE__PARKED : CLOCHE__HERE;
    pthread_cond_broadcast(&engine->parked);
  }
  pthread_mutex_unlock(&engine->lock);
}

void cloche__park_forget(cloche_sandbox *box) {
  take_back(box);
  free((void *)box->parked.at);
}

cloche_status cloche_park(cloche_sandbox *box) {
  if (!cloche__sandbox_enter(box)) return CLOCHE_E_ARGUMENT;
  if (!cloche__sandbox_waits(box)) return CLOCHE_E_STATE;
  take_back(box);
  if (box->place == CLOCHE__PARKED) return CLOCHE_OK;
  if (!is_parkable(box))
    return cloche__sandbox_refuse(
        box, CLOCHE_E_STATE,
        "a hard stop would have to bring back what earlier runs left, which is kept mapped");
  if (!park(box)) return CLOCHE_E_MEMORY;
  box->place = CLOCHE__PARKED;
  return CLOCHE_OK;
}
