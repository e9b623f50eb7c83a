// SPDX-License-Identifier: MIT
/* content.c -- the bytes of a file, in chunks. */
#include "content.h"

#include <stdbool.h>
#include <string.h>

#include "../../abi/messages.h"
#include "../kernel/kernel.h"

static uint64_t total;

uint64_t content_total(void) {
  return total;
}

/* ---- the table ---- */

static uint8_t **table(content *of) {
  return of->count > 1 ? of->many : &of->only;
}

static uint8_t *chunk_at(const content *of, uint64_t index) {
  if (index >= of->count) return NULL;
  return of->count > 1 ? of->many[index] : of->only;
}

/* Bytes that chunk `index` has room for. */
static uint32_t room_of(const content *of, uint64_t index) {
  return index + 1 == of->count ? of->last : CHUNK;
}

/* The file's bytes that lie in chunks; the last of them may hold only part of one. */
static uint64_t bytes_held(const content *of, uint64_t size, uint32_t held) {
  uint64_t whole = (uint64_t)held * CHUNK;
  uint64_t last = size == 0 ? 0 : (size - 1) / CHUNK;
  bool partial = size > 0 && chunk_at(of, last) != NULL;
  return partial ? whole - ((last + 1) * CHUNK - size) : whole;
}

uint64_t content_bytes_held(const content *of) {
  return bytes_held(of, of->size, of->held);
}

static uint32_t table_capacity(uint32_t count) {
  uint32_t capacity = 4;
  while (capacity < count) capacity *= 2;
  return capacity;
}

/* Makes the last chunk of the table `room` bytes long, or leaves all as it was. */
static bool grow_last(content *of, uint32_t room) {
  uint8_t **last = &table(of)[of->count - 1];
  if (*last != NULL && room > of->last) {
    uint8_t *grown = kernel_realloc(*last, room);
    if (grown == NULL) return false;
    memset(grown + of->last, 0, room - of->last);
    *last = grown;
  }
  if (room > of->last) of->last = room;
  return true;
}

/* A table of at least `count` entries, the new ones holes. */
static bool grow_table(content *of, uint32_t count) {
  if (count <= of->count) return true;
  if (of->count > 0 && !grow_last(of, CHUNK)) return false; /* it is the last no more */
  if (count > 1) {
    uint8_t **old = of->count > 1 ? of->many : NULL;
    uint8_t *only = of->count == 1 ? of->only : NULL;
    if (old == NULL || table_capacity(count) > table_capacity(of->count)) {
      uint8_t **grown = kernel_realloc(old, table_capacity(count) * sizeof *grown);
      if (grown == NULL) return false;
      if (old == NULL && of->count == 1) grown[0] = only;
      of->many = grown;
    }
    memset(of->many + of->count, 0, (count - of->count) * sizeof *of->many);
  } else {
    of->only = NULL;
  }
  of->count = count;
  of->last = 0;
  return true;
}

/* ---- writing ---- */

static uint32_t rounded_room(uint32_t needed) {
  uint32_t room = 32;
  while (room < needed) room *= 2;
  return room < CHUNK ? room : CHUNK;
}

/* Chunk `index` with room up to `end`. */
static bool provide(content *of, uint32_t index, uint32_t end) {
  uint8_t **at = &table(of)[index];
  bool is_last = index + 1 == of->count;
  if (*at != NULL) return !is_last || end <= of->last || grow_last(of, rounded_room(end));
  uint32_t room = is_last ? rounded_room(end > of->last ? end : of->last) : CHUNK;
  *at = kernel_malloc(room);
  if (*at == NULL) return false;
  memset(*at, 0, room);
  if (is_last) of->last = room;
  of->held++;
  return true;
}

static uint32_t chunks_to_fill(const content *of, uint64_t first, uint64_t last) {
  uint32_t holes = 0;
  for (uint64_t i = first; i <= last; i++) holes += chunk_at(of, i) == NULL;
  return holes;
}

static bool within_limit(const content *of, uint32_t more_chunks, uint64_t end) {
  uint64_t size = end > of->size ? end : of->size;
  uint64_t now = content_bytes_held(of);
  uint64_t last = (size - 1) / CHUNK;
  uint64_t then = ((uint64_t)of->held + more_chunks) * CHUNK;
  bool last_is_held = last * CHUNK < end || chunk_at(of, last) != NULL;
  if (last_is_held) then -= (last + 1) * CHUNK - size;
  return total - now + then <= kernel_limits()->file_bytes;
}

static void copy_in(content *to, const uint8_t *from, size_t size, uint64_t at) {
  while (size > 0) {
    uint32_t offset = (uint32_t)(at % CHUNK);
    size_t part = CHUNK - offset < size ? CHUNK - offset : size;
    memcpy(chunk_at(to, at / CHUNK) + offset, from, part);
    from += part;
    at += part;
    size -= part;
  }
}

static bool provide_all(content *to, uint64_t at, uint64_t end) {
  uint32_t last = (uint32_t)((end - 1) / CHUNK);
  if (!grow_table(to, last + 1)) return false;
  for (uint32_t i = (uint32_t)(at / CHUNK); i <= last; i++)
    if (!provide(to, i, i < last ? CHUNK : (uint32_t)(end - (uint64_t)last * CHUNK))) return false;
  return true;
}

/* What was provided before it failed holds zeros. */
static int64_t write_within_limit(content *to, const void *from, size_t size, uint64_t at) {
  uint64_t before = content_bytes_held(to);
  bool provided = provide_all(to, at, at + size);
  if (provided) {
    copy_in(to, from, size, at);
    if (at + size > to->size) to->size = at + size;
  }
  total += content_bytes_held(to) - before;
  return provided ? (int64_t)size : -ENOMEM;
}

int64_t content_write(content *to, const void *from, size_t size, uint64_t at) {
  if (size == 0) return 0;
  if (at >= FILE_BYTES_MAX || size > FILE_BYTES_MAX - at) return -EFBIG;
  uint32_t holes = chunks_to_fill(to, at / CHUNK, (at + size - 1) / CHUNK);
  if (!within_limit(to, holes, at + size)) return -ENOSPC;
  return write_within_limit(to, from, size, at);
}

int content_fill(content *of, const void *from, size_t size) {
  content_release(of);
  int64_t written = size == 0 ? 0 : write_within_limit(of, from, size, 0);
  return written < 0 ? (int)written : 0;
}

/* ---- reading ---- */

int64_t content_read(const content *from, void *to, size_t size, uint64_t at) {
  if (at >= from->size) return 0;
  if (size > from->size - at) size = (size_t)(from->size - at);
  uint8_t *into = to;
  for (size_t left = size; left > 0;) {
    uint64_t index = at / CHUNK;
    uint32_t offset = (uint32_t)(at % CHUNK);
    size_t part = CHUNK - offset < left ? CHUNK - offset : left;
    const uint8_t *chunk = chunk_at(from, index);
    size_t there =
        chunk == NULL || room_of(from, index) <= offset ? 0 : room_of(from, index) - offset;
    if (there > part) there = part;
    if (there > 0) memcpy(into, chunk + offset, there);
    memset(into + there, 0, part - there);
    into += part;
    at += part;
    left -= part;
  }
  return (int64_t)size;
}

/* ---- shrinking ---- */

static void drop_chunks(content *of, uint32_t from) {
  for (uint32_t i = from; i < of->count; i++) {
    uint8_t **chunk = &table(of)[i];
    if (*chunk == NULL) continue;
    kernel_free(*chunk);
    *chunk = NULL;
    of->held--;
  }
}

static void shrink_table(content *of, uint32_t count) {
  if (count >= of->count) return;
  drop_chunks(of, count);
  if (of->count > 1 && count <= 1) {
    uint8_t **many = of->many;
    of->only = count == 1 ? many[0] : NULL;
    kernel_free(many);
  }
  of->count = count;
  of->last = CHUNK;
}

static void clear_beyond(content *of, uint64_t size) {
  uint64_t index = size / CHUNK;
  uint8_t *chunk = chunk_at(of, index);
  uint32_t offset = (uint32_t)(size % CHUNK);
  if (chunk != NULL && room_of(of, index) > offset)
    memset(chunk + offset, 0, room_of(of, index) - offset);
}

int content_resize(content *of, uint64_t size) {
  if (size > FILE_BYTES_MAX) return -EFBIG;
  uint64_t before = content_bytes_held(of);
  if (size <= of->size) { /* if equal, a failed write may have left chunks beyond the end */
    shrink_table(of, (uint32_t)((size + CHUNK - 1) / CHUNK));
    clear_beyond(of, size);
  }
  uint64_t old = of->size;
  of->size = size;
  uint64_t after = content_bytes_held(of);
  if (after > before && total - before + after > kernel_limits()->file_bytes) {
    of->size = old;
    return -ENOSPC;
  }
  total += after - before;
  return 0;
}

void content_release(content *of) {
  (void)content_resize(of, 0);
}
