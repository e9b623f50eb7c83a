// SPDX-License-Identifier: MIT
/* number.c -- JSON numbers compared as the decimals they are written as.
 *
 * A number is seen as 0.ddd x 10^scale, d the significant digits. The digits stay in the text,
 * where one dot may lie between them; scales are exact in 64 bits because exponents are bounded
 * (CLOCHE__JSON_EXPONENT) and texts are shorter than memory. */
#include "json/json.h"

typedef struct {
  bool negative;
  const char *digit, *end; /* the first significant digit; equal for zero */
  int64_t scale;
} decimal;

static int64_t read_exponent(const char *at, const char *end) {
  int64_t size = 0;
  bool negative = at < end && *at == '-';
  if (at < end && (*at == '-' || *at == '+')) at++;
  for (; at < end; at++) size = size * 10 + (*at - '0');
  return negative ? -size : size;
}

static decimal see(cloche_text number) {
  const char *at = number.at, *end = at + number.len, *stop = at;
  decimal seen = {.negative = number.len > 0 && *at == '-'};
  if (seen.negative) at++;
  for (stop = at; stop < end && *stop != 'e' && *stop != 'E';) stop++;
  if (stop < end) seen.scale = read_exponent(stop + 1, end);
  const char *dot = at;
  while (dot < stop && *dot != '.') dot++;
  seen.scale += dot - at; /* as if the first digit were significant... */
  for (; at < stop && (*at == '0' || *at == '.'); at++) seen.scale -= *at == '0'; /* ...it is not */
  while (stop > at && (stop[-1] == '0' || stop[-1] == '.')) {
    if (stop <= dot) break; /* zeros before the dot count, but compare as padding anyway */
    stop--;
  }
  seen.digit = at;
  seen.end = stop;
  if (at == stop) seen = (decimal){.digit = at, .end = at};
  return seen;
}

/* The next digit, zero for ever after the last. */
static char next_digit(decimal *seen) {
  if (seen->digit < seen->end && *seen->digit == '.') seen->digit++;
  return seen->digit < seen->end ? *seen->digit++ : '0';
}

static int compare_sizes(decimal a, decimal b) {
  if (a.scale != b.scale) return a.scale < b.scale ? -1 : 1;
  while (a.digit < a.end || b.digit < b.end) {
    char from_a = next_digit(&a), from_b = next_digit(&b);
    if (from_a != from_b) return from_a < from_b ? -1 : 1;
  }
  return 0;
}

int cloche__json_number_compare(cloche_text a, cloche_text b) {
  decimal left = see(a), right = see(b);
  bool left_zero = left.digit == left.end, right_zero = right.digit == right.end;
  int left_sign = left_zero ? 0 : left.negative ? -1 : 1;
  int right_sign = right_zero ? 0 : right.negative ? -1 : 1;
  if (left_sign != right_sign) return left_sign < right_sign ? -1 : 1;
  if (left_sign == 0) return 0;
  return left_sign * compare_sizes(left, right);
}

bool cloche__json_number_integral(cloche_text number) {
  decimal seen = see(number);
  int64_t digits = 0, last = 0;
  while (seen.digit < seen.end) {
    digits++;
    if (next_digit(&seen) != '0') last = digits;
  }
  return last <= seen.scale || last == 0;
}

/* The size of an integral number, if it fits. */
static bool to_uint64(decimal seen, uint64_t *out) {
  uint64_t value = 0;
  if (seen.digit == seen.end) seen.scale = 0;
  if (seen.scale > 20) return false;
  for (int64_t i = 0; i < seen.scale; i++) {
    if (__builtin_mul_overflow(value, 10u, &value)) return false;
    if (__builtin_add_overflow(value, (uint64_t)(next_digit(&seen) - '0'), &value)) return false;
  }
  *out = value;
  return true;
}

bool cloche__json_uint64(const cloche__json *value, uint64_t *out) {
  if (value == NULL || value->kind != CLOCHE__JSON_NUMBER) return false;
  decimal seen = see(cloche__json_text(value));
  uint64_t size;
  if (!cloche__json_number_integral(cloche__json_text(value)) || !to_uint64(seen, &size)) {
    return false;
  }
  if (seen.negative && size != 0) return false;
  *out = size;
  return true;
}

bool cloche__json_int64(const cloche__json *value, int64_t *out) {
  if (value == NULL || value->kind != CLOCHE__JSON_NUMBER) return false;
  decimal seen = see(cloche__json_text(value));
  uint64_t size;
  if (!cloche__json_number_integral(cloche__json_text(value)) || !to_uint64(seen, &size)) {
    return false;
  }
  if (size > (uint64_t)INT64_MAX + seen.negative) return false;
  *out = seen.negative ? (int64_t)(0 - size) : (int64_t)size;
  return true;
}
