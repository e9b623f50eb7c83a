// SPDX-License-Identifier: MIT
/* collate.h -- compares two texts of UTF-16 as a dictionary would. */
#ifndef GUEST_JS_COLLATE_H
#define GUEST_JS_COLLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { COLLATE_BASE = 1, COLLATE_ACCENTS = 2, COLLATE_CASE = 3, COLLATE_ALL = 4 };
enum { COLLATE_NO_MEMORY = 2 };

/* -1, 0 or 1, or COLLATE_NO_MEMORY. `numeric` compares runs of digits by value. */
int collate(const uint16_t *a, size_t a_size, const uint16_t *b, size_t b_size, int strength,
            bool numeric);

#endif
