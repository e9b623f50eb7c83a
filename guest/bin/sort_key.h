// SPDX-License-Identifier: MIT
/* sort_key.h -- sort's keys: what part of a line, and how two of them compare. */
#ifndef GUEST_BIN_SORT_KEY_H
#define GUEST_BIN_SORT_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
  ORDER_BYTES,
  ORDER_NUMBER,
  ORDER_GENERAL,
  ORDER_HUMAN,
  ORDER_MONTH,
  ORDER_VERSION,
  ORDER_RANDOM
} sort_order;

typedef struct {
  size_t start_field, start_byte, end_field,
      end_byte;                  /* from 0; end_field SIZE_MAX: the line's end */
  bool start_blanks, end_blanks; /* skip blanks before counting bytes */
  sort_order order;
  bool reverse, fold, dictionary, printable;
  bool own; /* has letters of its own: takes none of the global ones */
} sort_key;

/* The part of a line that the key means. `separator` < 0: blanks before non-blanks. */
void sort_key_find(const sort_key *key, int separator, const char *line, size_t size,
                   const char **at, size_t *length);
int sort_key_compare(const sort_key *key, uint64_t salt, const char *a, size_t a_size,
                     const char *b, size_t b_size);
/* A number that orders keys as far as it goes: equal ones need sort_key_compare, unless *exact
 * stays true for both. */
uint64_t sort_key_prefix(const sort_key *key, const char *at, size_t size, bool *exact);

#endif
