// SPDX-License-Identifier: MIT
/* worker_main.c -- inside a worker: makes everything a guest needs, raises the walls, takes turns.
 *
 * Nothing is allocated from the system by name after the walls stand: no file, no socket, no
 * thread. Once a guest has run, nothing that happens here is believed by the other side. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json/buffer.h"
#include "limits.h"
#include "sandbox/jail.h"
#include "sandbox/machine.h"
#include "sandbox/trap.h"
#include "sandbox/worker.h"

typedef struct {
  int socket;
  cloche_engine *engine;
  cloche__machine machine;
  cloche__buffer records;
  size_t ahead_at, ahead_end; /* of what has come and not been looked at */
  uint8_t ahead[4096];
} inmate;

/* ---- before the walls ---- */

/* Runs a small program once, so that the pages which every program writes are there already. */
static void warm_up(cloche_engine *engine) {
  cloche_sandbox *box;
  if (cloche_sandbox_new(engine, NULL, &box) != CLOCHE_OK) return;
  cloche_program program = {.text = {"return 'hi'", 11}};
  cloche_event event = {0};
  if (cloche_exec(box, &program) == CLOCHE_OK)
    while (event.kind != CLOCHE_DONE && cloche_step(box, &event) == CLOCHE_OK) continue;
  cloche_sandbox_free(box);
}

static bool prepare(inmate *self) {
  cloche_engine_options options = {.idle_slots = 1};
  int image = cloche__frame_receive_file(self->socket);
  if (image < 0 || cloche__engine_new(&options, image, &self->engine) != CLOCHE_OK) return false;
  warm_up(self->engine);
  cloche_limits none = {0}; /* until the sandbox says what it may have */
  return cloche__machine_open(&self->machine, self->engine, &none) == CLOCHE_OK &&
         cloche__trap_prepare() == CLOCHE_OK;
}

/* Bytes that count against RLIMIT_DATA now. */
static uint64_t data_size(void) {
  char line[256];
  FILE *file = fopen("/proc/self/statm", "r");
  if (file == NULL) return 0;
  char *field = fgets(line, sizeof line, file);
  fclose(file);
  for (int skip = 5; field != NULL && skip > 0; skip--) /* "data" is the sixth */
    if ((field = strchr(field, ' ')) != NULL) field++;
  return field == NULL ? 0 : strtoull(field, NULL, 10) * (unsigned long long)sysconf(_SC_PAGESIZE);
}

static bool greet(inmate *self) {
  cloche__frame_hello hello = {.version = CLOCHE__FRAMES_VERSION, .data = data_size()};
  memcpy(hello.image, self->engine->image.header->hash, sizeof hello.image);
  hello.walls = cloche__jail_enter(~0u, self->socket);
  self->socket = 0;
  return cloche__frame_send(0, CLOCHE__FRAME_HELLO, &hello, sizeof hello, NULL, 0, INT64_MAX);
}

/* ---- requests ---- */

/* Small frames come together; they are read together. */
static bool receive(inmate *self, void *to, size_t size) {
  uint8_t *at = to;
  while (size > 0) {
    size_t there = self->ahead_end - self->ahead_at, take = size < there ? size : there;
    memcpy(at, self->ahead + self->ahead_at, take);
    self->ahead_at += take;
    at += take;
    size -= take;
    if (size >= sizeof self->ahead) return cloche__frame_receive(self->socket, at, size, INT64_MAX);
    if (size == 0) return true;
    self->ahead_at = 0;
    self->ahead_end = cloche__frame_receive_some(self->socket, self->ahead, sizeof self->ahead);
    if (self->ahead_end == 0) return false;
  }
  return true;
}

/* `size` bytes that follow a request, into `records`. */
static bool receive_bytes(inmate *self, size_t size) {
  cloche__buffer_clear(&self->records);
  if (size == 0) return true;
  if (!cloche__buffer_reserve(&self->records, size) || !receive(self, self->records.at, size))
    return false;
  self->records.len = size;
  return true;
}

static bool answer(inmate *self, bool done) {
  uint32_t word = done;
  return cloche__frame_send(self->socket, CLOCHE__FRAME_OK, &word, sizeof word, NULL, 0, INT64_MAX);
}

static bool open_up(inmate *self) {
  cloche__frame_open open;
  if (!receive(self, &open, sizeof open)) return false;
  cloche__slot_limit(self->machine.slot, open.memory);
  return true;
}

static bool take_turn(inmate *self, uint32_t size) {
  cloche__frame_turn asked;
  if (!receive(self, &asked, sizeof asked) || !receive_bytes(self, size - sizeof asked))
    return false;
  cloche__turn turn = {.fuel = asked.fuel,
                       .until = asked.until,
                       .deadline = asked.deadline,
                       .control = asked.control,
                       .records = self->records.at,
                       .record_bytes = self->records.len,
                       .setup_bytes = asked.setup};
  cloche__machine_turn(&self->machine, &turn);
  cloche__frame_turned turned = {.used = turn.used,
                                 .setup_used = turn.setup_used,
                                 .setup_done = turn.setup_done,
                                 .next_timer = turn.next_timer,
                                 .end = (uint32_t)turn.end,
                                 .size = turn.size,
                                 .memory_refused = turn.memory_refused,
                                 .halfway = cloche__machine_is_halfway(&self->machine)};
  return cloche__frame_send(self->socket, CLOCHE__FRAME_TURNED, &turned, sizeof turned, turn.outbox,
                            turn.outbox_bytes, INT64_MAX);
}

static bool write_bytes(inmate *self, uint32_t size) {
  cloche__frame_write write;
  if (!receive(self, &write, sizeof write) || !receive_bytes(self, size - sizeof write))
    return false;
  return answer(
      self, cloche__machine_write(&self->machine, write.at, self->records.at, self->records.len));
}

static bool checkpoint(inmate *self) {
  uint32_t pristine;
  return receive(self, &pristine, sizeof pristine) &&
         cloche__machine_checkpoint(&self->machine, pristine != 0);
}

static bool save(inmate *self) {
  uint32_t checkpoint;
  if (!receive(self, &checkpoint, sizeof checkpoint)) return false;
  cloche__buffer_clear(&self->records);
  bool saved = checkpoint != 0 ? cloche__machine_save_checkpoint(&self->machine, &self->records)
                               : cloche__machine_save(&self->machine, &self->records);
  if (!saved) cloche__buffer_clear(&self->records);
  return cloche__frame_send(self->socket, CLOCHE__FRAME_SAVED, NULL, 0, self->records.at,
                            self->records.len, INT64_MAX);
}

static bool load(inmate *self, uint32_t size) {
  if (!receive_bytes(self, size)) return false;
  int32_t status = cloche__machine_load(&self->machine, cloche__buffer_view(&self->records));
  return cloche__frame_send(self->socket, CLOCHE__FRAME_LOADED, &status, sizeof status, NULL, 0,
                            INT64_MAX);
}

static bool hash(inmate *self) {
  uint8_t bytes[32];
  cloche__machine_hash(&self->machine, bytes);
  return cloche__frame_send(self->socket, CLOCHE__FRAME_HASHED, bytes, sizeof bytes, NULL, 0,
                            INT64_MAX);
}

/* False: there is nobody to answer, or what was asked cannot be done: no use going on. */
static bool obey(inmate *self, cloche__frame frame) {
  switch ((cloche__frame_kind)frame.kind) {
    case CLOCHE__FRAME_OPEN:
      return open_up(self);
    case CLOCHE__FRAME_TURN:
      return take_turn(self, frame.size);
    case CLOCHE__FRAME_WRITE:
      return write_bytes(self, frame.size);
    case CLOCHE__FRAME_CHECKPOINT:
      return checkpoint(self);
    case CLOCHE__FRAME_ROLLBACK:
      return cloche__machine_rollback(&self->machine);
    case CLOCHE__FRAME_END:
      cloche__machine_end(&self->machine);
      return true;
    case CLOCHE__FRAME_SAVE:
      return save(self);
    case CLOCHE__FRAME_LOAD:
      return load(self, frame.size);
    case CLOCHE__FRAME_HASH:
      return hash(self);
    default:
      return false;
  }
}

int cloche__worker_main(int socket) {
  inmate self = {.socket = socket};
  if (!prepare(&self) || !greet(&self)) return 1;
  cloche__frame frame;
  while (receive(&self, &frame, sizeof frame) && obey(&self, frame)) continue;
  _exit(0); /* what it holds goes with it */
}
