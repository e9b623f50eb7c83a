// SPDX-License-Identifier: MIT
/* bc_number.h -- decimal numbers of any size.
 *
 * A number is limbs / 10^scale: an integer in limbs of nine digits, least first, without leading
 * zeros, so zero has none. Numbers do not change once made; they are shared by counting. Nothing
 * here waits, but out of memory ends the process. */
#ifndef GUEST_BIN_BC_NUMBER_H
#define GUEST_BIN_BC_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  size_t uses;
  bool negative;
  size_t scale;
  size_t size;
  uint32_t at[];
} number;

number *number_keep(number *n);
void number_drop(number *n); /* NULL is fine */
number *number_of(long long value);
/* Digits with at most one point, in `base` (2 to 36); those too large count as base - 1. */
number *number_read(const char *text, int base);

bool number_is_zero(const number *n);
int number_compare(const number *a, const number *b);
number *number_add(const number *a, const number *b, bool subtract); /* scale: the larger */
number *number_multiply(const number *a, const number *b,
                        size_t scale);                                 /* as bc: see bc_number.c */
number *number_divide(const number *a, const number *b, size_t scale); /* NULL: by zero */
number *number_modulo(const number *a, const number *b, size_t scale); /* NULL: by zero */
number *number_power(const number *a, long long n, size_t scale); /* NULL: 0 to a negative power */
number *number_root(const number *a, size_t scale);               /* NULL: of a negative number */
number *number_rescale(const number *a, size_t scale);            /* cuts off, or adds zeros */
number *number_negate(const number *a);
size_t number_digits(const number *a); /* in front of the point; 0 for less than one */
/* Saturates at LLONG_MAX. */
long long number_integer(const number *a);
/* The digits of the whole integer (no point, no sign), malloc'd. */
char *number_text(const number *a, size_t *size);

#endif
