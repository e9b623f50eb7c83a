// SPDX-License-Identifier: MIT
/* version.c -- see version.h. Runs of non-digits compare by letters first, other bytes behind them,
 * "~" before everything, even the end; runs of digits compare as numbers. File suffixes count only
 * when all before them is equal. */
#include "version.h"

#include <stdbool.h>
#include <string.h>

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The order of what stands at `at`; the end of the text is -1, a digit 0. */
static int order(const char *s, size_t at, size_t size) {
  if (at == size) return -1;
  unsigned char c = (unsigned char)s[at];
  if (is_digit((char)c)) return 0;
  if (is_letter((char)c)) return c;
  return c == '~' ? -2 : c + 256;
}

static int compare_runs(const char *a, size_t m, const char *b, size_t n) {
  size_t i = 0, k = 0;
  while (i < m || k < n) {
    while ((i < m && !is_digit(a[i])) || (k < n && !is_digit(b[k]))) {
      int x = order(a, i, m), y = order(b, k, n);
      if (x != y) return x - y;
      i++, k++;
    }
    while (i < m && a[i] == '0') i++;
    while (k < n && b[k] == '0') k++;
    int first = 0;
    while (i < m && k < n && is_digit(a[i]) && is_digit(b[k])) {
      if (first == 0) first = a[i] - b[k];
      i++, k++;
    }
    if (i < m && is_digit(a[i])) return 1;
    if (k < n && is_digit(b[k])) return -1;
    if (first != 0) return first;
  }
  return 0;
}

/* The length without suffixes like ".tar.gz". */
static size_t stem(const char *s, size_t size) {
  size_t cut = size, i = size;
  for (;;) {
    size_t end = i;
    while (i > 0 && (is_letter(s[i - 1]) || is_digit(s[i - 1]) || s[i - 1] == '~')) i--;
    if (i == end || i < 2 || s[i - 1] != '.' || is_digit(s[i])) return cut;
    cut = --i;
  }
}

static int sign(int value) {
  return value < 0 ? -1 : value > 0;
}

int version_compare(const char *a, size_t m, const char *b, size_t n) {
  if (m == n && (m == 0 || memcmp(a, b, m) == 0)) return 0;
  if (m == 0 || n == 0) return m == 0 ? -1 : 1;
  bool hidden_a = *a == '.', hidden_b = *b == '.';
  if (hidden_a != hidden_b) return hidden_a ? -1 : 1;
  if (hidden_a) { /* "." and ".." come first */
    if (m == 1 || n == 1) return m == 1 ? -1 : 1;
    bool up_a = m == 2 && a[1] == '.', up_b = n == 2 && b[1] == '.';
    if (up_a || up_b) return up_a ? -1 : 1;
  }
  int compared = compare_runs(a, stem(a, m), b, stem(b, n));
  return sign(compared != 0 ? compared : compare_runs(a, m, b, n));
}
