// SPDX-License-Identifier: MIT
/* table.h -- finds texts by hash; built once, then only read. */
#ifndef CLOCHE_GATE_TABLE_H
#define CLOCHE_GATE_TABLE_H

#include "json/arena.h"

typedef struct cloche__table {
  const uint32_t *slots; /* index + 1; 0 is free */
  size_t mask;
  const cloche_text *keys;
} cloche__table; /* all zero is empty */

uint64_t cloche__hash(uint64_t start, cloche_text text);
#define CLOCHE__HASH_START 14695981039346656037u
/* `keys` stay where they are. E_MEMORY; E_ARGUMENT: *twice is the index of a key that was there. */
cloche_status cloche__table_make(cloche__arena *arena, const cloche_text *keys, size_t count,
                                 cloche__table *table, size_t *twice);
size_t cloche__table_find(const cloche__table *table, cloche_text key); /* SIZE_MAX: absent */

#endif
