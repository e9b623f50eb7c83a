// SPDX-License-Identifier: MIT
/* amount.c -- exact sums of decimals. */
#include "gate/amount.h"

#include <string.h>

enum { LIMBS = 12, FRACTION = 4, DIGITS = 9, BASE = 1000000000 };

/* Adds a digit that stands for digit x 10^place. */
static bool put_digit(cloche__amount *amount, int digit, int64_t place) {
  int64_t index = place + FRACTION * DIGITS;
  if (digit == 0) return true;
  if (index < 0 || index >= LIMBS * DIGITS) return false;
  uint32_t unit = 1;
  for (int64_t i = index % DIGITS; i > 0; i--) unit *= 10;
  amount->limbs[index / DIGITS] += (uint32_t)digit * unit;
  return true;
}

static int64_t read_exponent(cloche_text number, size_t at) {
  int64_t size = 0;
  bool negative = at < number.len && number.at[at] == '-';
  for (; at < number.len; at++) {
    if (number.at[at] >= '0') size = size * 10 + (number.at[at] - '0'); /* + and - are below '0' */
  }
  return negative ? -size : size;
}

bool cloche__amount_read(cloche_text number, cloche__amount *amount) {
  cloche__amount read = {{0}};
  cloche_text zero = cloche__text("0");
  if (cloche__json_number_compare(number, zero) < 0) return false;
  size_t end = 0, dot;
  while (end < number.len && number.at[end] != 'e' && number.at[end] != 'E') end++;
  for (dot = 0; dot < end && number.at[dot] != '.';) dot++;
  int64_t place = (int64_t)dot - 1 + (end < number.len ? read_exponent(number, end + 1) : 0);
  for (size_t i = 0; i < end; i++) {
    if (number.at[i] == '.') continue;
    if (number.at[i] != '-' && !put_digit(&read, number.at[i] - '0', place)) return false;
    place--;
  }
  *amount = read;
  return true;
}

int cloche__amount_compare(const cloche__amount *a, const cloche__amount *b) {
  for (int i = LIMBS - 1; i >= 0; i--) {
    if (a->limbs[i] != b->limbs[i]) return a->limbs[i] < b->limbs[i] ? -1 : 1;
  }
  return 0;
}

bool cloche__amount_add(cloche__amount *sum, const cloche__amount *added) {
  cloche__amount result = *sum;
  uint32_t carry = 0;
  for (int i = 0; i < LIMBS; i++) {
    result.limbs[i] += added->limbs[i] + carry; /* below 2 x 10^9 + 1: fits */
    carry = result.limbs[i] >= BASE;
    if (carry) result.limbs[i] -= BASE;
  }
  if (carry) return false;
  *sum = result;
  return true;
}

void cloche__amount_subtract(cloche__amount *sum, const cloche__amount *taken) {
  uint32_t borrow = 0;
  if (cloche__amount_compare(sum, taken) <= 0) {
    *sum = (cloche__amount){{0}};
    return;
  }
  for (int i = 0; i < LIMBS; i++) {
    uint32_t less = taken->limbs[i] + borrow;
    borrow = sum->limbs[i] < less;
    sum->limbs[i] += (borrow ? BASE : 0) - less;
  }
}

void cloche__amount_write(const cloche__amount *amount, cloche__buffer *out) {
  char digits[LIMBS * DIGITS + 1];
  size_t at = 0, point = (LIMBS - FRACTION) * DIGITS, end = LIMBS * DIGITS;
  for (int i = LIMBS - 1; i >= 0; i--) {
    uint32_t limb = amount->limbs[i], unit = BASE / 10;
    for (int j = 0; j < DIGITS; j++, unit /= 10) digits[at++] = (char)('0' + limb / unit % 10);
  }
  for (at = 0; at + 1 < point && digits[at] == '0';) at++;
  while (end > point && digits[end - 1] == '0') end--;
  cloche__buffer_add(out, digits + at, point - at);
  if (end > point) cloche__buffer_byte(out, '.');
  cloche__buffer_add(out, digits + point, end - point);
}
