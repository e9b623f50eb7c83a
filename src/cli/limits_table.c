// SPDX-License-Identifier: MIT
/* limits_table.c -- one row per limit. */
#include "cli/limits_table.h"

#include <string.h>

#define ROW(name, unit, usual, what) \
  { #name, CLOCHE__##unit, offsetof(cloche_limits, name), usual, what }
const cloche__limit cloche__limits[] = {
    ROW(timeout, DURATION, "10s", "while it computes"),
    ROW(total_timeout, DURATION, "5m", "waiting included"),
    ROW(memory, SIZE, "64MiB", "beyond the image"),
    ROW(stack, SIZE, "1MiB", "of the engine"),
    ROW(output, SIZE, "1MiB", "stdout and stderr"),
    ROW(fuel, COUNT, "none", "units, repeatable"),
    ROW(calls, COUNT, "1000", "calls, allowed or not"),
    ROW(in_flight, COUNT, "32", "calls at once"),
    ROW(argument, SIZE, "1MiB", "one call's JSON"),
    ROW(result, SIZE, "8MiB", "one answer's JSON"),
    ROW(files, COUNT, "10000", "files"),
    ROW(file_bytes, SIZE, "none", "within the memory"),
};
const size_t cloche__limit_count = sizeof cloche__limits / sizeof *cloche__limits;

static bool is_signed(const cloche__limit *limit) {
  return limit->unit == CLOCHE__DURATION;
}

const char *cloche__limit_set(cloche_limits *limits, const cloche__limit *limit, cloche_text text) {
  uint64_t value;
  const char *wrong = cloche__read_quantity(
      limit->unit, text, is_signed(limit) ? (uint64_t)INT64_MAX : UINT64_MAX, &value);
  if (wrong == NULL) memcpy((char *)limits + limit->offset, &value, sizeof value);
  return wrong;
}

void cloche__limits_merge(cloche_limits *to, const cloche_limits *from) {
  for (size_t i = 0; i < cloche__limit_count; i++) {
    uint64_t value;
    memcpy(&value, (const char *)from + cloche__limits[i].offset, sizeof value);
    if (value != 0) memcpy((char *)to + cloche__limits[i].offset, &value, sizeof value);
  }
}
