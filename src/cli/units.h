// SPDX-License-Identifier: MIT
/* units.h -- numbers as people write them: 500ms, 64MiB, 1,000 without the comma,
 * 2026-03-01T12:00:00Z.
 *
 * Each answers NULL when *out was set, and otherwise a sentence that says what is wanted. */
#ifndef CLOCHE_CLI_UNITS_H
#define CLOCHE_CLI_UNITS_H

#include "cloche.h"

typedef enum cloche__unit { CLOCHE__DURATION, CLOCHE__SIZE, CLOCHE__COUNT } cloche__unit;

/* Nanoseconds, bytes, or a count; "none" is `none`. At least 1: zero would mean the default to the
 * library, and no limit at all to some readers. */
const char *cloche__read_quantity(cloche__unit unit, cloche_text text, uint64_t none,
                                  uint64_t *out);
/* Nanoseconds since 1970. */
const char *cloche__read_time(cloche_text text, int64_t *out);

#endif
