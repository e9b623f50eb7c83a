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
  const char *at = number.at, *end = at + number.len, *stop;
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

bool cloche__json_number_plain(cloche_text number, int64_t *value) {
  size_t i = number.len > 0 && number.at[0] == '-';
  bool negative = i > 0;
  int64_t size = 0;
  if (number.len > 18) return false;
  for (; i < number.len; i++) {
    unsigned digit = (unsigned)(number.at[i] - '0');
    if (digit > 9) return false;
    size = size * 10 + (int64_t)digit;
  }
  *value = negative ? -size : size;
  return true;
}

int cloche__json_number_compare(cloche_text a, cloche_text b) {
  int64_t plain_a, plain_b;
  if (cloche__json_number_plain(a, &plain_a) && cloche__json_number_plain(b, &plain_b)) {
    return (plain_a > plain_b) - (plain_a < plain_b);
  }
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

/* The digits as a whole number without zeros at its end, `*places` powers of ten too small, modulo
 * `modulus` if that is not 0. False when it does not fit 18 digits (without a modulus). */
static bool to_coefficient(decimal seen, uint64_t modulus, uint64_t *value, int64_t *places) {
  int64_t digits = 0, last = 0;
  for (decimal copy = seen; copy.digit < copy.end;) {
    digits++;
    if (next_digit(&copy) != '0') last = digits;
  }
  *places = seen.scale - last;
  *value = 0;
  if (modulus == 0 && last > 18) return false;
  for (int64_t i = 0; i < last; i++) {
    __uint128_t next = (__uint128_t)*value * 10 + (unsigned)(next_digit(&seen) - '0');
    *value = (uint64_t)(modulus == 0 ? next : next % modulus);
  }
  return true;
}

static uint64_t power_of_ten(int64_t exponent, uint64_t modulus) {
  __uint128_t result = 1, base = 10 % modulus;
  for (; exponent > 0; exponent >>= 1, base = base * base % modulus) {
    if (exponent & 1) result = result * base % modulus;
  }
  return (uint64_t)(result % modulus);
}

bool cloche__json_number_multiple(cloche_text number, cloche_text unit) {
  decimal seen = see(number);
  uint64_t divisor, rest;
  int64_t places, unit_places;
  if (!to_coefficient(see(unit), 0, &divisor, &unit_places) || divisor == 0) return false;
  if (seen.digit == seen.end) return true;
  to_coefficient(seen, divisor, &rest, &places);
  /* Without zeros at its end it is no multiple of a unit that has more of them. */
  if (places < unit_places) return false;
  return (__uint128_t)rest * power_of_ten(places - unit_places, divisor) % divisor == 0;
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
