// SPDX-License-Identifier: MIT
/* tail.c -- keeps the end by moving it to the front; streams of complaints are short. */
#include "cli/tail.h"

#include <string.h>

void cloche__tail_add(cloche__tail *tail, const char *bytes, size_t len) {
  if (len > sizeof tail->bytes) {
    tail->cut = true;
    bytes += len - sizeof tail->bytes;
    len = sizeof tail->bytes;
  }
  size_t keep = sizeof tail->bytes - len;
  if (tail->len > keep) {
    tail->cut = true;
    memmove(tail->bytes, tail->bytes + tail->len - keep, keep);
    tail->len = keep;
  }
  memcpy(tail->bytes + tail->len, bytes, len);
  tail->len += len;
}

cloche_text cloche__tail_lines(const cloche__tail *tail) {
  size_t end = tail->len;
  while (end > 0 && (tail->bytes[end - 1] == '\n' || tail->bytes[end - 1] == '\r')) end--;
  size_t start = end, lines = 1;
  while (start > 0) {
    if (tail->bytes[start - 1] == '\n' && lines++ == CLOCHE__TAIL_LINES) break;
    start--;
  }
  if (start == 0 && tail->cut) { /* it begins in the middle of a line */
    const char *newline = memchr(tail->bytes, '\n', end);
    if (newline != NULL) start = (size_t)(newline + 1 - tail->bytes);
  }
  return (cloche_text){tail->bytes + start, end - start};
}
