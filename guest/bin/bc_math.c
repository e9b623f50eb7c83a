// SPDX-License-Identifier: MIT
/* bc_math.c -- what `bc -l` adds: s, c, a, l, e, j. Each is computed with some digits more than
 * asked for and cut off. */
#include "bc.h"

#define GUARD 12

/* These take over the numbers they are given. */
static number *add(number *a, number *b) {
  number *n = number_add(a, b, false);
  number_drop(a);
  number_drop(b);
  return n;
}
static number *subtract(number *a, number *b) {
  number *n = number_add(a, b, true);
  number_drop(a);
  number_drop(b);
  return n;
}
static number *multiply(number *a, number *b, size_t scale) {
  number *product = number_multiply(a, b, scale), *n = number_rescale(product, scale);
  number_drop(product);
  number_drop(a);
  number_drop(b);
  return n;
}
static number *divide(number *a, number *b, size_t scale) {
  number *n = number_divide(a, b, scale);
  number_drop(a);
  number_drop(b);
  return n;
}
static number *cut(number *a, size_t scale) {
  number *n = number_rescale(a, scale);
  number_drop(a);
  return n;
}
static bool is_less(const number *a, long long limit) {
  number *other = number_of(limit);
  bool less = number_compare(a, other) < 0;
  number_drop(other);
  return less;
}

static number *exponential(const number *x, size_t scale) {
  bool negative = x->negative;
  number *y = negative ? number_negate(x) : number_rescale(x, x->scale);
  /* e^-x is 1/e^x; e^x has about x/2.3 digits before its point, which cost as many in front. */
  size_t digits = (size_t)(number_integer(y) > 1000000 ? 1000000 : number_integer(y)) * 4 / 9 + 1;
  size_t wide = scale + GUARD + (negative ? 0 : digits);
  size_t halvings = 0;
  if (negative && digits > scale + GUARD) { /* nothing is left of it */
    number_drop(y);
    return cut(number_of(0), scale);
  }
  if (negative) wide = scale + GUARD + digits;
  y = cut(y, wide + 8);
  while (!is_less(y, 1)) {
    number *half = divide(y, number_of(2), wide + 8);
    y = half;
    halvings++;
  }
  wide += 8 + halvings / 3;
  number *sum = cut(number_of(1), wide), *term = cut(number_of(1), wide);
  for (long long k = 1; !number_is_zero(term); k++) {
    term = multiply(term, number_keep(y), wide);
    term = divide(term, number_of(k), wide);
    sum = add(sum, number_keep(term));
  }
  number_drop(term);
  number_drop(y);
  for (; halvings > 0; halvings--) sum = multiply(number_keep(sum), sum, wide);
  if (negative) sum = divide(number_of(1), sum, scale + 1);
  return cut(sum, scale);
}

static number *logarithm(const number *x, size_t scale) {
  if (x->negative || number_is_zero(x)) { /* (1 - 10^scale) / 1 */
    number *ten = number_of(10), *power = number_power(ten, (long long)scale, 0);
    number_drop(ten);
    return cut(subtract(number_of(1), power), scale);
  }
  size_t wide = scale + GUARD + 8 + number_digits(x);
  number *y = number_rescale(x, wide > x->scale ? wide : x->scale);
  long long doubled = 1;
  number *high = number_read("1.1", 10), *low = number_read(".9", 10);
  while (number_compare(y, high) > 0 || number_compare(y, low) < 0) {
    number *root = number_root(y, wide + 8);
    number_drop(y);
    y = root;
    doubled *= 2;
    wide++;
  }
  number_drop(high);
  number_drop(low);
  /* ln y = 2 artanh((y - 1) / (y + 1)) */
  number *top = subtract(number_keep(y), number_of(1)), *bottom = add(y, number_of(1));
  number *z = divide(top, bottom, wide + 8);
  number *square = multiply(number_keep(z), number_keep(z), wide + 8);
  number *sum = number_keep(z), *power = z;
  for (long long k = 3;; k += 2) {
    power = multiply(power, number_keep(square), wide + 8);
    number *divisor = number_of(k), *term = number_divide(power, divisor, wide + 8);
    number_drop(divisor);
    if (number_is_zero(term)) {
      number_drop(term);
      break;
    }
    sum = add(sum, term);
  }
  number_drop(power);
  number_drop(square);
  return cut(multiply(sum, number_of(2 * doubled), wide + 8), scale);
}

static number *arctangent(number *x, size_t scale) {
  size_t wide = scale + GUARD + 8;
  bool negative = x->negative;
  number *y = negative ? number_negate(x) : number_keep(x);
  y = cut(y, wide > y->scale ? wide : y->scale);
  /* atan x = 2 atan(x / (1 + sqrt(1 + x^2))), until it is small. */
  long long doubled = 1;
  number *small = number_read(".2", 10);
  while (number_compare(y, small) > 0) {
    number *square = multiply(number_keep(y), number_keep(y), wide + 8);
    number *one = add(square, number_of(1));
    number *root = number_root(one, wide + 8);
    number_drop(one);
    y = divide(y, add(root, number_of(1)), wide + 8);
    doubled *= 2;
  }
  number_drop(small);
  number *square = multiply(number_keep(y), number_keep(y), wide + 8);
  number *sum = number_keep(y), *power = y;
  bool minus = true;
  for (long long k = 3;; k += 2, minus = !minus) {
    power = multiply(power, number_keep(square), wide + 8);
    number *divisor = number_of(k), *term = number_divide(power, divisor, wide + 8);
    number_drop(divisor);
    if (number_is_zero(term)) {
      number_drop(term);
      break;
    }
    sum = minus ? subtract(sum, term) : add(sum, term);
  }
  number_drop(power);
  number_drop(square);
  sum = multiply(sum, number_of(doubled), wide + 8);
  if (negative) {
    number *other = number_negate(sum);
    number_drop(sum);
    sum = other;
  }
  return cut(sum, scale);
}

static number *sine(const number *x, size_t scale, bool cosine) {
  size_t wide = scale + GUARD + 8 + number_digits(x);
  number *one = number_of(1), *quarter = arctangent(one, wide + 8);
  number_drop(one);
  number *half = multiply(quarter, number_of(2), wide + 8);
  number *y = number_rescale(x, wide > x->scale ? wide : x->scale);
  if (cosine) y = add(y, number_keep(half));
  /* y = n * pi/2 + rest; the quadrant tells which series. */
  number *turns = number_divide(y, half, 0);
  number *rest = subtract(y, multiply(number_keep(turns), half, wide + 8));
  number *four = number_of(4), *left = number_modulo(turns, four, 0);
  long long quadrant = number_integer(left);
  number_drop(four);
  number_drop(left);
  number_drop(turns);
  if (quadrant < 0) quadrant += 4;
  bool use_cosine = quadrant & 1;
  number *square = multiply(number_keep(rest), number_keep(rest), wide + 8);
  number *term = use_cosine ? cut(number_of(1), wide + 8) : number_keep(rest),
         *sum = number_keep(term);
  for (long long k = use_cosine ? 1 : 2; !number_is_zero(term); k += 2) {
    term = multiply(term, number_keep(square), wide + 8);
    number *next = divide(term, number_of(-k * (k + 1)), wide + 8);
    term = next;
    sum = add(sum, number_keep(term));
  }
  number_drop(term);
  number_drop(square);
  number_drop(rest);
  if (quadrant >= 2) {
    number *other = number_negate(sum);
    number_drop(sum);
    sum = other;
  }
  return cut(sum, scale);
}

static number *bessel(const number *order, const number *x, size_t scale) {
  long long n = number_integer(order);
  bool negative = n < 0 && (n & 1);
  if (n < 0) n = -n;
  size_t wide = scale + GUARD + 8 + 2 * number_digits(x);
  if (number_integer(x) > 0)
    wide += (size_t)(number_integer(x) > 100000 ? 100000 : number_integer(x)) / 2;
  number *half = number_rescale(x, wide);
  half = divide(half, number_of(2), wide);
  number *term = cut(number_of(1), wide);
  for (long long k = 1; k <= n && !number_is_zero(term); k++) {
    term = multiply(term, number_keep(half), wide + (size_t)n);
    term = divide(term, number_of(k), wide + (size_t)n);
  }
  number *square = multiply(number_keep(half), half, wide);
  number *sum = number_keep(term);
  for (long long k = 1; !number_is_zero(term); k++) {
    term = multiply(term, number_keep(square), wide + (size_t)n);
    term = divide(term, number_of(-k), wide + (size_t)n);
    term = divide(term, number_of(n + k), wide + (size_t)n);
    sum = add(sum, number_keep(term));
  }
  number_drop(term);
  number_drop(square);
  if (negative) {
    number *other = number_negate(sum);
    number_drop(sum);
    sum = other;
  }
  return cut(sum, scale);
}

number *bc_math(bc *c, int letter, const number *x, const number *n) {
  switch (letter) {
    case 'e':
      return exponential(x, c->scale);
    case 'l':
      return logarithm(x, c->scale);
    case 's':
      return sine(x, c->scale, false);
    case 'c':
      return sine(x, c->scale, true);
    case 'a': {
      number *copy = number_rescale(x, x->scale), *result = arctangent(copy, c->scale);
      number_drop(copy);
      return result;
    }
    case 'j':
      return n == NULL ? NULL : bessel(x, n, c->scale);
    default:
      return NULL;
  }
}
