// SPDX-License-Identifier: MIT
/* pipe.c -- a ring of bytes that starts small and grows to its capacity as it is needed: most pipes
 * carry a line or two. Emptied, it starts at its first byte again, so as to touch few pages. */
#include "pipe.h"

#include <string.h>

struct pipe {
  uint8_t *ring;
  size_t capacity, first, used;
  uint32_t readers, writers;
  wait_queue readable, writable;
};

/* A writer that is ahead by STEP lets the others run: a ring that stays small touches few pages,
 * and what the reader gets is still in the processor's cache. */
enum { FIRST_CAPACITY = 1024, STEP = 16384 };

pipe *pipe_create(void) {
  pipe *made = kernel_malloc(sizeof *made);
  if (made != NULL) *made = (pipe){0};
  return made;
}

void pipe_add(pipe *to, bool writer) {
  (writer ? &to->writers : &to->readers)[0]++;
}

void pipe_remove(pipe *from, bool writer) {
  (writer ? &from->writers : &from->readers)[0]--;
  if (from->writers == 0) queue_wake_all(&from->readable);
  if (from->readers == 0) queue_wake_all(&from->writable);
  if (from->readers + from->writers > 0) return;
  kernel_free(from->ring);
  kernel_free(from);
}

/* ---- the ring ---- */

/* True if it then has room for `size` more; at least what is there stays. */
static bool grow(pipe *to, size_t size) {
  size_t capacity = to->capacity == 0 ? FIRST_CAPACITY : to->capacity;
  while (capacity - to->used < size) capacity *= 2;
  if (capacity == to->capacity) return true;
  uint8_t *ring = kernel_malloc(capacity);
  if (ring == NULL) return false;
  size_t until_end = to->capacity - to->first;
  size_t part = to->used < until_end ? to->used : until_end;
  if (to->used > 0) {
    memcpy(ring, to->ring + to->first, part);
    memcpy(ring + part, to->ring, to->used - part);
  }
  kernel_free(to->ring);
  to->ring = ring;
  to->capacity = capacity;
  to->first = 0;
  return true;
}

static void put(pipe *to, const uint8_t *from, size_t size) {
  size_t at = to->first + to->used;
  if (at >= to->capacity) at -= to->capacity;
  size_t until_end = to->capacity - at;
  size_t part = size < until_end ? size : until_end;
  memcpy(to->ring + at, from, part);
  memcpy(to->ring, from + part, size - part);
  to->used += size;
}

static size_t take(pipe *from, uint8_t *to, size_t size) {
  if (size > from->used) size = from->used;
  size_t until_end = from->capacity - from->first;
  size_t part = size < until_end ? size : until_end;
  memcpy(to, from->ring + from->first, part);
  memcpy(to + part, from->ring, size - part);
  from->used -= size;
  from->first += size;
  if (from->first >= from->capacity) from->first -= from->capacity;
  if (from->used == 0) from->first = 0;
  return size;
}

static size_t room(const pipe *in) {
  return in->used >= PIPE_CAPACITY ? 0 : PIPE_CAPACITY - in->used;
}

/* ---- reading ---- */

bool pipe_readable(const pipe *asked) {
  return asked->used > 0 || asked->writers == 0;
}

size_t pipe_size(const pipe *asked) {
  return asked->used;
}

int64_t pipe_read_now(pipe *from, void *to, size_t size) {
  if (size == 0 || from->used == 0) return size == 0 || from->writers == 0 ? 0 : -EAGAIN;
  size_t taken = take(from, to, size);
  queue_wake_all(&from->writable);
  return (int64_t)taken;
}

int64_t pipe_read(pipe *from, void *to, size_t size) {
  while (size > 0 && !pipe_readable(from)) process_block(&from->readable, INT64_MAX, 0);
  return pipe_read_now(from, to, size);
}

/* ---- writing ---- */

static int64_t broken(void) {
  signal_send(process_current(), SIGNAL_PIPE);
  return -EPIPE;
}

int64_t pipe_write_now(pipe *to, const void *from, size_t size) {
  if (to->readers == 0) return broken();
  if (size == 0) return 0;
  if (!grow(to, size)) return -ENOMEM;
  put(to, from, size);
  queue_wake_all(&to->readable);
  return (int64_t)size;
}

int64_t pipe_write(pipe *to, const void *from, size_t size) {
  size_t needed = size <= PIPE_ATOMIC ? size : 1;
  const uint8_t *at = from;
  size_t left = size;
  do {
    while (to->readers > 0 && room(to) < needed) process_block(&to->writable, INT64_MAX, 0);
    size_t part = left < room(to) ? left : room(to);
    if (part > STEP) part = STEP;
    int64_t result = pipe_write_now(to, at, part);
    if (result == -EPIPE && process_current()->killed_by != 0) process_yield(); /* never returns */
    if (result < 0) return result;
    at += part;
    left -= part;
    if (to->used >= STEP && to->readers > 0) process_yield();
  } while (left > 0);
  return (int64_t)size;
}
