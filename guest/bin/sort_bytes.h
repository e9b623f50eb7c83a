// SPDX-License-Identifier: MIT
/* sort_bytes.h -- puts the records of lines in order, by an integer or by the lines' bytes.
 *
 * Both are stable: what they cannot tell apart stays as it was. */
#ifndef GUEST_BIN_SORT_BYTES_H
#define GUEST_BIN_SORT_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint64_t prefix;
  uint32_t start, size; /* of the line, in the text */
} record;

/* `spare` has room for as many. */
void sort_by_prefix(record *at, size_t count, record *spare);
/* As memcmp orders the lines, a shorter one first; prefixes are overwritten. */
void sort_by_bytes(record *at, size_t count, record *spare, const char *text, bool reverse);

#endif
