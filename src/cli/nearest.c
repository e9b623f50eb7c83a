// SPDX-License-Identifier: MIT
/* nearest.c -- guesses which name was meant, by edit distance with swapped neighbours. */
#include <string.h>

#include "cli/cli.h"

enum { NAME_MAX_BYTES = 64 };

static char fold(char c) {
  if (c >= 'A' && c <= 'Z') return (char)(c - 'A' + 'a');
  return c == '-' || c == '.' || c == '/' ? '_' : c;
}

static int least(int a, int b) {
  return a < b ? a : b;
}

/* Three rows of the usual table: before last, last, this. */
static int distance(const char *a, size_t a_length, const char *b, size_t b_length) {
  int rows[3][NAME_MAX_BYTES + 1];
  int *before = rows[0], *last = rows[1], *row = rows[2];
  for (size_t j = 0; j <= b_length; j++) last[j] = (int)j;
  for (size_t i = 1; i <= a_length; i++) {
    row[0] = (int)i;
    for (size_t j = 1; j <= b_length; j++) {
      bool same = fold(a[i - 1]) == fold(b[j - 1]);
      row[j] = least(least(last[j] + 1, row[j - 1] + 1), last[j - 1] + !same);
      bool swapped =
          i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) && fold(a[i - 2]) == fold(b[j - 1]);
      if (swapped) row[j] = least(row[j], before[j - 2] + 1);
    }
    int *free_row = before;
    before = last;
    last = row;
    row = free_row;
  }
  return last[b_length];
}

const char *cloche__nearest(const char *name, const char *const *names, size_t count) {
  size_t length = strlen(name);
  if (length > NAME_MAX_BYTES) return NULL;
  const char *best = NULL;
  int best_distance = (int)length / 3 + 2; /* farther is no suggestion, it is noise */
  for (size_t i = 0; i < count; i++) {
    size_t other = strlen(names[i]);
    if (other > NAME_MAX_BYTES) continue;
    int d = distance(name, length, names[i], other);
    if (d >= best_distance || d >= (int)length) continue;
    best = names[i];
    best_distance = d;
  }
  return best;
}
