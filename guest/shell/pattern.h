// SPDX-License-Identifier: MIT
/* pattern.h -- shell patterns: * ? [..] and, when asked, ?(..) *(..) +(..) @(..) !(..).
 *
 * Matching keeps the set of all positions that can be reached instead of trying one way after the
 * other, so no pattern takes exponential time: the cost is the length of the text times that of the
 * pattern, and another factor of the text only for !(..). Characters are UTF-8.
 *
 * A pattern lives in the arena it was compiled in; matching uses that arena for its sets and gives
 * the memory back. */
#ifndef GUEST_SHELL_PATTERN_H
#define GUEST_SHELL_PATTERN_H

#include "../text/text.h"

enum {
  PATTERN_EXTGLOB = 1,
  PATTERN_NOCASE = 2,
};

typedef struct pattern pattern;

/* marks[i] & 1 says that text[i] was quoted and means itself; NULL: nothing was. Never fails: what
 * is no pattern is text. */
pattern *pattern_compile(arena *in, const char *text, const uint8_t *marks, size_t size,
                         unsigned flags);
/* True when it has anything that is not plain text. */
bool pattern_special(const char *text, const uint8_t *marks, size_t size, unsigned flags);

bool pattern_matches(const pattern *p, const char *text, size_t size);
/* Length of the shortest or longest prefix that matches, where the suffix that matches starts, or
 * -1. */
ptrdiff_t pattern_prefix(const pattern *p, const char *text, size_t size, bool longest);
ptrdiff_t pattern_suffix(const pattern *p, const char *text, size_t size, bool longest);

/* Finds one match after the other: leftmost, longest. */
typedef struct {
  const pattern *pattern;
  const char *text;
  size_t size;
  bool bytes;       /* one of the two is no UTF-8 */
  uint64_t *starts; /* positions from which some match exists; NULL: not computed */
} pattern_search;

void pattern_search_begin(pattern_search *s, const pattern *p, const char *text, size_t size);
bool pattern_search_next(pattern_search *s, size_t from, size_t *start, size_t *end);

#endif
