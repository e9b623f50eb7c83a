// SPDX-License-Identifier: MIT
// sort_key.c -- see sort_key.h.
#include "sort_key.h"

#include <stdlib.h>
#include <string.h>

#include "../text/bytes.h"
#include "../text/unicode.h"
#include "version.h"

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n';
}
static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static const char *skip_fields(const char *at, const char *end, size_t count, int separator,
                               bool keep_last) {
  for (; at < end && count > 0; count--) {
    if (separator >= 0) {
      const char *found = bytes_chr(at, separator, (size_t)(end - at));
      at = found == NULL ? end : found + (count > 1 || !keep_last);
    } else {
      while (at < end && is_blank(*at)) at++;
      while (at < end && !is_blank(*at)) at++;
    }
  }
  return at;
}

void sort_key_find(const sort_key *key, int separator, const char *line, size_t size,
                   const char **from, size_t *length) {
  const char *end = line + size, *at = skip_fields(line, end, key->start_field, separator, false);
  if (key->start_blanks) {
    while (at < end && is_blank(*at)) at++;
  }
  at += key->start_byte < (size_t)(end - at) ? key->start_byte : (size_t)(end - at);
  const char *stop = end;
  if (key->end_field != SIZE_MAX) {
    bool whole = key->end_byte == 0;
    stop = skip_fields(line, end, key->end_field + whole, separator, whole);
    if (!whole) {
      if (key->end_blanks) {
        while (stop < end && is_blank(*stop)) stop++;
      }
      stop += key->end_byte < (size_t)(end - stop) ? key->end_byte : (size_t)(end - stop);
    }
  }
  *from = at;
  *length = stop > at ? (size_t)(stop - at) : 0;
}

/* A decimal number cut into its parts, without conversion, so that any length compares exactly. */
typedef struct {
  bool negative, zero;
  const char *whole, *fraction;
  size_t whole_size, fraction_size;
  const char *end;
} number;

static number take_number(const char *at, size_t size) {
  const char *end = at + size;
  number n = {0};
  while (at < end && is_blank(*at)) at++;
  if (at < end && *at == '-') {
    n.negative = true;
    at++;
  }
  while (at < end && *at == '0') at++;
  n.whole = at;
  while (at < end && is_digit(*at)) at++;
  n.whole_size = (size_t)(at - n.whole);
  if (at < end && *at == '.') {
    n.fraction = ++at;
    while (at < end && is_digit(*at)) at++;
    n.fraction_size = (size_t)(at - n.fraction);
    while (n.fraction_size > 0 && n.fraction[n.fraction_size - 1] == '0') n.fraction_size--;
  }
  n.end = at;
  n.zero = n.whole_size == 0 && n.fraction_size == 0;
  if (n.zero) n.negative = false;
  return n;
}

static int compare_magnitudes(const number *a, const number *b) {
  if (a->whole_size != b->whole_size) return a->whole_size < b->whole_size ? -1 : 1;
  int order = a->whole_size == 0 ? 0 : memcmp(a->whole, b->whole, a->whole_size);
  if (order != 0) return order;
  size_t common = a->fraction_size < b->fraction_size ? a->fraction_size : b->fraction_size;
  order = common == 0 ? 0 : memcmp(a->fraction, b->fraction, common);
  if (order != 0 || a->fraction_size == b->fraction_size) return order;
  return a->fraction_size < b->fraction_size ? -1 : 1;
}

static int compare_numbers(const number *a, const number *b) {
  if (a->negative != b->negative) return a->negative ? -1 : 1;
  int order = compare_magnitudes(a, b);
  return a->negative ? -order : order;
}

/* How large a unit the number has: K 1, M 2... negative for a negative number. */
static int unit_of(const number *n, const char *limit) {
  static const char units[] = "KMGTPEZYRQ";
  char c = n->end < limit ? *n->end : 0;
  if (c == 'k') c = 'K';
  const char *place = c == 0 || n->zero ? NULL : strchr(units, c);
  int unit = place == NULL ? 0 : (int)(place - units) + 1;
  return n->negative ? -unit : unit;
}

static int compare_human(const char *a, size_t m, const char *b, size_t n) {
  number x = take_number(a, m), y = take_number(b, n);
  int signs = (x.zero ? 0 : x.negative ? -1 : 1) - (y.zero ? 0 : y.negative ? -1 : 1);
  if (signs != 0) return signs;
  int units = unit_of(&x, a + m) - unit_of(&y, b + n);
  return units != 0 ? units : compare_numbers(&x, &y);
}

static int compare_general(const char *a, size_t m, const char *b, size_t n) {
  char first[512], second[512], *first_end, *second_end;
  if (m > 511) m = 511;
  if (n > 511) n = 511;
  memcpy(first, a, m), first[m] = 0;
  memcpy(second, b, n), second[n] = 0;
  long double x = strtold(first, &first_end), y = strtold(second, &second_end);
  bool none_x = first_end == first, none_y = second_end == second;
  if (none_x || none_y) return none_x == none_y ? 0 : none_x ? -1 : 1;
  if (x < y) return -1;
  if (x > y) return 1;
  if (x == y) return 0;
  return (x == x) - (y == y); /* not-a-number comes before numbers */
}

static int month_of(const char *at, size_t size) {
  static const char names[] = "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC";
  while (size > 0 && is_blank(*at)) at++, size--;
  if (size < 3) return 0;
  for (int i = 0; i < 12; i++) {
    bool same = true;
    for (int k = 0; k < 3; k++)
      same &= unicode_upper((unsigned char)at[k] & 0x7Fu) == (uint32_t)names[i * 3 + k];
    if (same) return i + 1;
  }
  return 0;
}

static uint64_t salted(uint64_t hash, const char *at, size_t size) {
  for (size_t i = 0; i < size; i++) hash = (hash ^ (unsigned char)at[i]) * 0x100000001B3ull;
  return hash ^ hash >> 29;
}

static bool counts(const sort_key *key, unsigned char c) {
  if (key->dictionary) return is_blank((char)c) || (c < 0x80 && unicode_is(c, UNICODE_ALNUM));
  return !key->printable || (c >= ' ' && c < 127);
}

static int compare_translated(const sort_key *key, const char *a, size_t m, const char *b,
                              size_t n) {
  size_t i = 0, k = 0;
  for (;;) {
    while (i < m && !counts(key, (unsigned char)a[i])) i++;
    while (k < n && !counts(key, (unsigned char)b[k])) k++;
    if (i == m || k == n) return (i < m) - (k < n);
    int x = (unsigned char)a[i++], y = (unsigned char)b[k++];
    if (key->fold && x < 0x80) x = (int)unicode_upper((uint32_t)x);
    if (key->fold && y < 0x80) y = (int)unicode_upper((uint32_t)y);
    if (x != y) return x - y;
  }
}

static int compare_bytes(const char *a, size_t m, const char *b, size_t n) {
  size_t common = m < n ? m : n;
  int order = common == 0 ? 0 : memcmp(a, b, common);
  return order != 0 ? order : (m > n) - (m < n);
}

int sort_key_compare(const sort_key *key, uint64_t salt, const char *a, size_t m, const char *b,
                     size_t n) {
  int order = 0;
  switch (key->order) {
    case ORDER_NUMBER: {
      number x = take_number(a, m), y = take_number(b, n);
      order = compare_numbers(&x, &y);
      break;
    }
    case ORDER_HUMAN:
      order = compare_human(a, m, b, n);
      break;
    case ORDER_GENERAL:
      order = compare_general(a, m, b, n);
      break;
    case ORDER_MONTH:
      order = month_of(a, m) - month_of(b, n);
      break;
    case ORDER_VERSION:
      order = version_compare(a, m, b, n);
      break;
    case ORDER_RANDOM: {
      uint64_t x = salted(salt, a, m), y = salted(salt, b, n);
      order = x < y ? -1 : x > y ? 1 : compare_bytes(a, m, b, n);
      break;
    }
    case ORDER_BYTES:
      order = key->fold || key->dictionary || key->printable ? compare_translated(key, a, m, b, n)
                                                             : compare_bytes(a, m, b, n);
      break;
  }
  return key->reverse ? -order : order;
}

static uint64_t number_prefix(const char *at, size_t size, bool *exact) {
  number n = take_number(at, size);
  if (n.whole_size > 18 || n.fraction_size > 0) *exact = false;
  uint64_t whole = 0;
  for (size_t i = 0; i < n.whole_size && whole < 1ull << 62; i++) {
    whole = n.whole_size > 18 ? 1ull << 62 : whole * 10 + (uint64_t)(n.whole[i] - '0');
  }
  return (1ull << 63) + (n.negative ? 0 - whole : whole);
}

uint64_t sort_key_prefix(const sort_key *key, const char *at, size_t size, bool *exact) {
  uint64_t prefix = 0;
  if (key->order == ORDER_NUMBER) {
    prefix = number_prefix(at, size, exact);
    return key->reverse ? ~prefix : prefix;
  }
  *exact = false;
  if (key->order == ORDER_BYTES && !key->fold && !key->dictionary && !key->printable) {
    for (size_t i = 0; i < 8; i++) prefix = prefix << 8 | (i < size ? (unsigned char)at[i] : 0);
  }
  return key->reverse ? ~prefix : prefix;
}
