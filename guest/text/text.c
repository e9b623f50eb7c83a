// SPDX-License-Identifier: MIT
/* text.c -- blocks of memory, growing strings, characters. */
#include "text.h"

#include <stdio.h>
#include <stdlib.h>

#include "../kernel/kernel.h"
#include "unicode.h"

/* A block holds the temporaries of an ordinary command; bigger things get a block of their own. */
#define BLOCK_BYTES 8000u

struct arena_block {
  arena_block *before;
  size_t used, size;
  _Alignas(8) char bytes[];
};

static _Noreturn void memory_gone(size_t size) {
  char message[96];
  int length = snprintf(message, sizeof message, "bash: cannot allocate %zu bytes\n", size);
  static const char ended[] = "{\"end\":\"limit.memory\",\"status\":137}";
  sys_write(2, message, (size_t)length);
  process_set_result(ended, sizeof ended - 1); /* counts only when the whole run is this process */
  process_exit(137);
}

void *memory_take(size_t size) {
  void *taken = malloc(size != 0 ? size : 1);
  if (taken == NULL) memory_gone(size);
  return taken;
}

void *memory_resize(void *old, size_t size) {
  void *taken = realloc(old, size != 0 ? size : 1);
  if (taken == NULL) memory_gone(size);
  return taken;
}

char *memory_copy(const char *from, size_t size) {
  char *copy = memory_take(size + 1);
  if (size != 0) memcpy(copy, from, size);
  copy[size] = 0;
  return copy;
}

char *memory_string(const char *from) {
  return memory_copy(from, strlen(from));
}

static arena_block *block_make(arena *from, size_t size) {
  arena_block *block = from->spare;
  if (block != NULL && block->size >= size) {
    from->spare = NULL;
  } else {
    size_t room = size > BLOCK_BYTES ? size : BLOCK_BYTES;
    if (room > SIZE_MAX - sizeof(arena_block)) memory_gone(room);
    block = memory_take(sizeof(arena_block) + room);
    block->size = room;
  }
  block->used = 0;
  block->before = from->block;
  from->block = block;
  return block;
}

static size_t rounded(size_t size) {
  if (size > SIZE_MAX - 7) memory_gone(size);
  return (size + 7) & ~(size_t)7;
}

void *arena_take(arena *from, size_t size) {
  size = rounded(size);
  arena_block *block = from->block;
  if (block == NULL || block->size - block->used < size) block = block_make(from, size);
  void *taken = block->bytes + block->used;
  block->used += size;
  return taken;
}

void *arena_zero(arena *from, size_t size) {
  void *taken = arena_take(from, size);
  memset(taken, 0, size);
  return taken;
}

char *arena_copy(arena *from, const char *bytes, size_t size) {
  char *copy = arena_take(from, size + 1);
  if (size != 0) memcpy(copy, bytes, size);
  copy[size] = 0;
  return copy;
}

arena_mark arena_here(const arena *of) {
  return (arena_mark){of->block, of->block != NULL ? of->block->used : 0};
}

static void block_drop(arena *of, arena_block *block) {
  if (of->spare == NULL && block->size == BLOCK_BYTES)
    of->spare = block;
  else
    free(block);
}

void arena_back(arena *of, arena_mark mark) {
  while (of->block != mark.block) {
    arena_block *block = of->block;
    of->block = block->before;
    block_drop(of, block);
  }
  if (of->block != NULL) of->block->used = mark.used;
}

void arena_free(arena *all) {
  arena_back(all, (arena_mark){NULL, 0});
  free(all->spare);
  all->spare = NULL;
}

/* Grows in place where the string is the newest thing in its block. */
static bool text_stretch(text *t, size_t want) {
  arena_block *block = t->in->block;
  if (t->cap == 0 || block == NULL || t->at + t->cap != block->bytes + block->used) return false;
  size_t more = want - t->cap;
  if (block->size - block->used < more) return false;
  block->used += more;
  t->cap = want;
  return true;
}

void text_reserve(text *t, size_t more) {
  if (more > SIZE_MAX / 4 || t->len > SIZE_MAX / 4) memory_gone(more);
  size_t want = t->len + more + 1;
  if (want <= t->cap) return;
  if (want < t->cap * 2) want = t->cap * 2;
  if (want < 32) want = 32;
  want = rounded(want);
  if (t->in == NULL) {
    t->at = memory_resize(t->at, want);
    t->cap = want;
  } else if (!text_stretch(t, want)) {
    char *bigger = arena_take(t->in, want);
    if (t->len != 0) memcpy(bigger, t->at, t->len);
    t->at = bigger;
    t->cap = want;
  }
}

void text_add(text *t, const char *bytes, size_t size) {
  if (size == 0) return;
  text_reserve(t, size);
  memcpy(t->at + t->len, bytes, size);
  t->len += size;
}

void text_string(text *t, const char *string) {
  text_add(t, string, strlen(string));
}

void text_pad(text *t, char with, size_t count) {
  text_reserve(t, count);
  memset(t->at + t->len, with, count);
  t->len += count;
}

void text_format(text *t, const char *format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  int size = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  text_reserve(t, (size_t)size);
  vsnprintf(t->at + t->len, (size_t)size + 1, format, again);
  va_end(again);
  t->len += (size_t)size;
}

char *text_end(text *t) {
  text_reserve(t, 0);
  t->at[t->len] = 0;
  return t->at;
}

void text_free(text *t) {
  free(t->at);
  *t = (text){0};
}

size_t number_format(int64_t number, char *to) {
  char digits[24];
  size_t count = 0, at = 0;
  uint64_t left = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
  do digits[count++] = (char)('0' + left % 10);
  while ((left /= 10) != 0);
  if (number < 0) to[at++] = '-';
  while (count > 0) to[at++] = digits[--count];
  to[at] = 0;
  return at;
}

void characters_set_bytes(bool bytes) {
  *process_word() = bytes;
}

bool characters_are_bytes(void) {
  return *process_word() != 0;
}

uint32_t point_decode(const char *at, size_t left, size_t *used) {
  *used = 1;
  if ((unsigned char)*at < 0x80) return (unsigned char)*at;
  uint32_t point;
  size_t size = characters_are_bytes() ? 0 : utf8_decode(at, left, &point);
  if (size == 0) return POINT_BYTE | (unsigned char)*at;
  *used = size;
  return point;
}

void point_add(text *t, uint32_t point) {
  text_reserve(t, 4);
  if (point & POINT_BYTE || point < 0x80)
    t->at[t->len++] = (char)(point & 0xFF);
  else
    t->len += utf8_encode(point, t->at + t->len);
}

size_t point_count(const char *at, size_t size) {
  return characters_are_bytes() ? size : utf8_count(at, size);
}

size_t point_offset(const char *at, size_t size, size_t character) {
  size_t i = 0, used;
  for (; character > 0 && i < size; character--, i += used) point_decode(at + i, size - i, &used);
  return i;
}
