// SPDX-License-Identifier: MIT
/* arena.h -- memory that is given back all at once.
 *
 * A growing arena takes blocks from malloc and doubles them. A fixed arena lives in the caller's
 * memory and answers NULL when that is used up: the gate decides in one, without allocating. */
#ifndef CLOCHE_JSON_ARENA_H
#define CLOCHE_JSON_ARENA_H

#include "cloche.h"

typedef struct cloche__arena_block cloche__arena_block;

typedef struct cloche__arena {
  char *next;                  /* first free byte of the block in use */
  size_t left;                 /* free bytes there */
  cloche__arena_block *blocks; /* newest first; NULL for a fixed arena */
  char *fixed;                 /* start of the caller's memory, or NULL */
  size_t fixed_size;
} cloche__arena; /* all zero is an empty growing arena */

cloche__arena cloche__arena_fixed(void *memory, size_t size);
/* `count` things of `size` bytes, aligned for any of ours, not cleared. NULL when memory ran out or
 * the product overflows; never NULL for a count of zero otherwise. */
void *cloche__arena_take(cloche__arena *arena, size_t count, size_t size);
/* A copy of `text` in the arena. False when memory ran out. */
bool cloche__arena_copy(cloche__arena *arena, cloche_text text, cloche_text *copy);
/* Empties the arena but keeps its newest (largest) block, so that a steady user stops allocating.
 */
void cloche__arena_reset(cloche__arena *arena);
void cloche__arena_free(cloche__arena *arena);

#endif
