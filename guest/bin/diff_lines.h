// SPDX-License-Identifier: MIT
/* diff_lines.h -- which lines two texts have in common. */
#ifndef GUEST_BIN_DIFF_LINES_H
#define GUEST_BIN_DIFF_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* changed[f][i] is set for each line of text f that the other lacks. The arrays have one false
 * element before [0] and one behind the last. */
typedef struct {
  const uint32_t *lines[2]; /* equal lines have equal numbers */
  size_t count[2];
  bool *changed[2];
} diff_lines;

/* Sets `changed`, for the fewest changes (or few, when that would take too long), slid as GNU's
 * diff slides them. The caller frees changed[f] - 1. */
void diff_lines_compare(diff_lines *d);

#endif
