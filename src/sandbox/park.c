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

static bool is_parkable(const cloche_sandbox *box) {
  bool is_open = box->machine.slot != NULL || box->machine.remote != NULL;
  return !box->dead && !cloche__machine_is_halfway(&box->machine) && box->outbox_bytes == 0 &&
         is_open;
}

static bool compress(const cloche__buffer *plain, cloche__packed *packed) {
  *packed = (cloche__packed){.plain = plain->len};
  if (plain->len == 0) return true;
  size_t room = ZSTD_compressBound(plain->len);
  char *bytes = malloc(room);
  size_t size = bytes == NULL ? 0 : ZSTD_compress(bytes, room, plain->at, plain->len, LEVEL);
  if (bytes == NULL || ZSTD_isError(size)) {
    free(bytes);
    return false;
  }
  char *exact = realloc(bytes, size);
  packed->bytes = (cloche_text){exact != NULL ? exact : bytes, size};
  return true;
}

static bool decompress(const cloche__packed *packed, cloche__buffer *plain) {
  if (packed->plain == 0) return true;
  if (!cloche__buffer_reserve(plain, packed->plain)) return false;
  plain->len = ZSTD_decompress(plain->at, packed->plain, packed->bytes.at, packed->bytes.len);
  return plain->len == packed->plain; /* else zstd found no memory: the bytes are our own */
}

bool cloche__park_pack(cloche__machine *machine, bool freeze, cloche__parked *parked) {
  cloche__kept kept;
  *parked = (cloche__parked){0};
  if (!cloche__machine_keep(machine, freeze, &kept)) return false;
  bool packed =
      compress(&kept.state, &parked->state) && compress(&kept.checkpoint, &parked->checkpoint);
  parked->frozen = cloche__frozen_keep(kept.frozen);
  cloche__kept_free(&kept);
  if (!packed) cloche__parked_free(parked);
  return packed;
}

cloche_status cloche__park_unpack(const cloche__parked *parked, cloche__machine *machine) {
  cloche__kept kept = {.frozen = cloche__frozen_keep(parked->frozen)};
  cloche_status status = CLOCHE_E_MEMORY;
  if (decompress(&parked->state, &kept.state) && decompress(&parked->checkpoint, &kept.checkpoint))
    status = cloche__machine_take_up(machine, &kept);
  cloche__kept_free(&kept);
  return status;
}

void cloche__parked_free(cloche__parked *parked) {
  free((void *)parked->state.bytes.at);
  free((void *)parked->checkpoint.bytes.at);
  cloche__frozen_free(parked->frozen);
  *parked = (cloche__parked){0};
}

/* The machine's state stays as it is when this fails. */
static bool park(cloche_sandbox *box) {
  if (!box->active) cloche__machine_forget_checkpoint(&box->machine);
  if (!cloche__park_pack(&box->machine, false, &box->parked)) return false;
  cloche__machine_close(&box->machine);
  memset(&box->machine, 0, sizeof box->machine);
  return true;
}

cloche_status cloche__park_open(const cloche__parked *parked, cloche_sandbox *box) {
  cloche_status status = cloche__machine_open(&box->machine, box->engine, &box->limits);
  if (status == CLOCHE_OK) {
    if (box->active && box->was_pristine) cloche__machine_checkpoint(&box->machine, true);
    status = cloche__park_unpack(parked, &box->machine);
  }
  if (status != CLOCHE_OK) {
    cloche__machine_close(&box->machine);
    memset(&box->machine, 0, sizeof box->machine);
  }
  return status;
}

static cloche_status unpark(cloche_sandbox *box) {
  cloche_status status = cloche__park_open(&box->parked, box);
  if (status == CLOCHE_OK) cloche__parked_free(&box->parked);
  return status;
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
  cloche__parked_free(&box->parked);
  box->place = CLOCHE__HERE;
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
