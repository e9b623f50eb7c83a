// SPDX-License-Identifier: MIT
/* arena.c -- memory that is given back all at once. */
#include "json/arena.h"

#include <stdlib.h>
#include <string.h>

struct cloche__arena_block {
  cloche__arena_block *older;
  size_t size; /* of `bytes` */
  _Alignas(16) char bytes[];
};

enum { ALIGN = 16, FIRST_BLOCK = 1024 };

cloche__arena cloche__arena_fixed(void *memory, size_t size) {
  size_t skip = (ALIGN - (uintptr_t)memory % ALIGN) % ALIGN;
  if (skip > size) skip = size;
  char *start = (char *)memory + skip;
  return (cloche__arena){
      .next = start, .left = size - skip, .fixed = start, .fixed_size = size - skip};
}

static bool grow(cloche__arena *arena, size_t need) {
  if (arena->fixed != NULL) return false;
  size_t size = arena->blocks == NULL ? FIRST_BLOCK : arena->blocks->size;
  if (arena->blocks != NULL && size <= SIZE_MAX / 4) size *= 2;
  if (size < need) size = need;
  if (size > SIZE_MAX - sizeof(cloche__arena_block)) return false;
  cloche__arena_block *block = malloc(sizeof *block + size);
  if (block == NULL) return false;
  block->older = arena->blocks;
  block->size = size;
  arena->blocks = block;
  arena->next = block->bytes;
  arena->left = size;
  return true;
}

void *cloche__arena_take(cloche__arena *arena, size_t count, size_t size) {
  if (size != 0 && count > (SIZE_MAX - ALIGN) / size) return NULL;
  size_t need = (count * size + ALIGN - 1) / ALIGN * ALIGN;
  if (need == 0) need = ALIGN;
  if (need > arena->left && !grow(arena, need)) return NULL;
  void *taken = arena->next;
  arena->next += need;
  arena->left -= need;
  return taken;
}

bool cloche__arena_copy(cloche__arena *arena, cloche_text text, cloche_text *copy) {
  char *at = cloche__arena_take(arena, text.len, 1);
  if (at == NULL) return false;
  if (text.len > 0) memcpy(at, text.at, text.len);
  *copy = (cloche_text){at, text.len};
  return true;
}

static void free_blocks(cloche__arena_block *block) {
  while (block != NULL) {
    cloche__arena_block *older = block->older;
    free(block);
    block = older;
  }
}

void cloche__arena_reset(cloche__arena *arena) {
  if (arena->fixed != NULL) {
    arena->next = arena->fixed;
    arena->left = arena->fixed_size;
  } else if (arena->blocks != NULL) {
    free_blocks(arena->blocks->older);
    arena->blocks->older = NULL;
    arena->next = arena->blocks->bytes;
    arena->left = arena->blocks->size;
  }
}

void cloche__arena_free(cloche__arena *arena) {
  free_blocks(arena->blocks);
  *arena = (cloche__arena){0};
}
