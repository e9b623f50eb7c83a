// SPDX-License-Identifier: MIT
/* table.c -- finds texts by hash. Keys come from policies, which are trusted not to collide on
 * purpose. */
#include "gate/table.h"

#include <string.h>

#include "json/buffer.h"

uint64_t cloche__hash(uint64_t start, cloche_text text) {
  for (size_t i = 0; i < text.len; i++)
    start = (start ^ (unsigned char)text.at[i]) * 1099511628211u;
  return start;
}

static size_t first_slot(const cloche__table *table, cloche_text key) {
  uint64_t hash = cloche__hash(CLOCHE__HASH_START, key);
  return (size_t)(hash ^ hash >> 32) & table->mask;
}

cloche_status cloche__table_make(cloche__arena *arena, const cloche_text *keys, size_t count,
                                 cloche__table *table, size_t *twice) {
  size_t size = 4;
  while (size < count * 2) size *= 2;
  uint32_t *slots = cloche__arena_take(arena, size, sizeof *slots);
  if (slots == NULL) return CLOCHE_E_MEMORY;
  memset(slots, 0, size * sizeof *slots);
  *table = (cloche__table){slots, size - 1, keys};
  for (size_t i = 0; i < count; i++) {
    size_t at = first_slot(table, keys[i]);
    for (; slots[at] != 0; at = (at + 1) & table->mask) {
      if (!cloche__text_equal(keys[slots[at] - 1], keys[i])) continue;
      *twice = i;
      return CLOCHE_E_ARGUMENT;
    }
    slots[at] = (uint32_t)i + 1;
  }
  return CLOCHE_OK;
}

size_t cloche__table_find(const cloche__table *table, cloche_text key) {
  if (table->slots == NULL) return SIZE_MAX;
  for (size_t at = first_slot(table, key); table->slots[at] != 0; at = (at + 1) & table->mask) {
    if (cloche__text_equal(table->keys[table->slots[at] - 1], key)) return table->slots[at] - 1;
  }
  return SIZE_MAX;
}
