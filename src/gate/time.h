// SPDX-License-Identifier: MIT
/* time.h -- ISO 8601 times and durations. */
#ifndef CLOCHE_GATE_TIME_H
#define CLOCHE_GATE_TIME_H

#include "json/buffer.h"

typedef struct cloche__time {
  int64_t seconds; /* since 1970, UTC */
  int32_t nanoseconds;
} cloche__time;

/* YYYY-MM-DD (its midnight, UTC) or YYYY-MM-DDThh:mm[:ss[.fraction]] with Z or +hh:mm: without a
 * zone a time is not one moment, and is refused. At most nine digits of fraction. */
bool cloche__time_read(cloche_text text, cloche__time *time);
int cloche__time_compare(cloche__time a, cloche__time b);
/* ns since 1970 as "2026-01-31T12:00:00.123456789Z"; always nine digits, so that times sort. */
void cloche__time_write(int64_t nanoseconds, cloche__buffer *out);
/* "250ms", "30s", "5m", "2h", "7d" in nanoseconds; no sign, no fraction. */
bool cloche__duration_read(cloche_text text, int64_t *nanoseconds);

#endif
