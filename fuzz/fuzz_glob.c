// SPDX-License-Identifier: MIT
/* fuzz_glob.c -- patterns against texts: the ways of asking must agree with one another.
 *
 * The input is a byte of flags, a pattern, a NUL, a text. A whole match must be a prefix as long as
 * the text and a suffix that starts at its beginning; what a search finds must match. */
#include <stdlib.h>
#include <string.h>

#include "../guest/shell/pattern.h"

static void check_search(const pattern *p, const char *text, size_t size) {
  pattern_search search;
  size_t start, end, from = 0;
  pattern_search_begin(&search, p, text, size);
  while (from <= size && pattern_search_next(&search, from, &start, &end)) {
    if (start < from || end < start || end > size) abort();
    if (!pattern_matches(p, text + start, end - start)) abort();
    from = end > start ? end : end + 1;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 2 || size > 400) return 0;
  const char *bytes = (const char *)data + 1;
  size_t split = strnlen(bytes, size - 1);
  const char *text = split + 1 < size ? bytes + split + 1 : "";
  size_t length = split + 1 < size ? size - split - 2 : 0;
  arena memory = {0};
  uint8_t *marks = arena_zero(&memory, split + 1);
  for (size_t i = 0; i < split; i++) marks[i] = data[0] & 4 && bytes[i] == '"';
  pattern *p = pattern_compile(&memory, bytes, marks, split, data[0] & 3);
  bool whole = pattern_matches(p, text, length);
  ptrdiff_t longest = pattern_prefix(p, text, length, true);
  ptrdiff_t shortest = pattern_prefix(p, text, length, false);
  ptrdiff_t first = pattern_suffix(p, text, length, true);
  if (whole != (longest == (ptrdiff_t)length)) abort();
  if (whole != (first == 0)) abort();
  if (shortest > longest || (shortest < 0) != (longest < 0)) abort();
  check_search(p, text, length);
  arena_free(&memory);
  return 0;
}
