// SPDX-License-Identifier: MIT
// bc_number.c -- see bc_number.h.
#include "bc_number.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../text/text.h"

#define BASE 1000000000u
#define DIGITS 9

number *number_keep(number *n) {
  n->uses++;
  return n;
}

void number_drop(number *n) {
  if (n != NULL && --n->uses == 0) free(n);
}

static number *make(size_t size, size_t scale) {
  number *n = memory_take(sizeof *n + (size + 1) * sizeof *n->at);
  *n = (number){.uses = 1, .scale = scale, .size = size};
  return n;
}

static number *trim(number *n) {
  while (n->size > 0 && n->at[n->size - 1] == 0) n->size--;
  if (n->size == 0) n->negative = false;
  return n;
}

bool number_is_zero(const number *n) {
  return n->size == 0;
}

number *number_of(long long value) {
  number *n = make(3, 0);
  unsigned long long left = value < 0 ? 0 - (unsigned long long)value : (unsigned long long)value;
  n->negative = value < 0;
  for (int i = 0; i < 3; i++, left /= BASE) n->at[i] = (uint32_t)(left % BASE);
  return trim(n);
}

static const uint32_t powers[] = {1,      10,      100,      1000,      10000,
                                  100000, 1000000, 10000000, 100000000, 1000000000};

/* The limbs of a * 10^by. */
static number *shift_up(const number *a, size_t by) {
  size_t limbs = by / DIGITS;
  uint64_t factor = powers[by % DIGITS], carry = 0;
  number *n = make(a->size + limbs + 1, a->scale);
  n->negative = a->negative;
  memset(n->at, 0, limbs * sizeof *n->at);
  for (size_t i = 0; i < a->size; i++) {
    carry += a->at[i] * factor;
    n->at[limbs + i] = (uint32_t)(carry % BASE);
    carry /= BASE;
  }
  n->at[limbs + a->size] = (uint32_t)carry;
  return trim(n);
}

/* The limbs of a / 10^by, cut off. */
static number *shift_down(const number *a, size_t by) {
  size_t limbs = by / DIGITS;
  uint32_t factor = powers[by % DIGITS];
  if (limbs >= a->size) return make(0, a->scale);
  number *n = make(a->size - limbs, a->scale);
  n->negative = a->negative;
  uint64_t rest = 0;
  for (size_t i = a->size; i-- > limbs;) {
    rest = rest * BASE + a->at[i];
    n->at[i - limbs] = (uint32_t)(rest / factor);
    rest %= factor;
  }
  return trim(n);
}

number *number_rescale(const number *a, size_t scale) {
  number *n = scale >= a->scale ? shift_up(a, scale - a->scale) : shift_down(a, a->scale - scale);
  n->scale = scale;
  return n;
}

number *number_negate(const number *a) {
  number *n = number_rescale(a, a->scale);
  n->negative = !a->negative && a->size > 0;
  return n;
}

static int compare_limbs(const number *a, const number *b) {
  if (a->size != b->size) return a->size < b->size ? -1 : 1;
  for (size_t i = a->size; i-- > 0;) {
    if (a->at[i] != b->at[i]) return a->at[i] < b->at[i] ? -1 : 1;
  }
  return 0;
}

static number *add_limbs(const number *a, const number *b) {
  if (a->size < b->size) return add_limbs(b, a);
  number *n = make(a->size + 1, a->scale);
  uint32_t carry = 0;
  for (size_t i = 0; i < a->size; i++) {
    carry += a->at[i] + (i < b->size ? b->at[i] : 0);
    n->at[i] = carry % BASE;
    carry /= BASE;
  }
  n->at[a->size] = carry;
  return trim(n);
}

/* a is not less than b. */
static number *subtract_limbs(const number *a, const number *b) {
  number *n = make(a->size, a->scale);
  int64_t borrow = 0;
  for (size_t i = 0; i < a->size; i++) {
    int64_t digit = (int64_t)a->at[i] - (i < b->size ? b->at[i] : 0) - borrow;
    borrow = digit < 0;
    n->at[i] = (uint32_t)(digit + (borrow ? BASE : 0));
  }
  return trim(n);
}

number *number_add(const number *a, const number *b, bool subtract) {
  size_t scale = a->scale > b->scale ? a->scale : b->scale;
  number *x = number_rescale(a, scale), *y = number_rescale(b, scale), *n;
  bool y_negative = y->negative != (subtract && y->size > 0);
  if (x->negative == y_negative) {
    n = add_limbs(x, y);
    n->negative = x->negative;
  } else if (compare_limbs(x, y) >= 0) {
    n = subtract_limbs(x, y);
    n->negative = x->negative;
  } else {
    n = subtract_limbs(y, x);
    n->negative = y_negative;
  }
  n->scale = scale;
  number_drop(x);
  number_drop(y);
  return trim(n);
}

int number_compare(const number *a, const number *b) {
  number *difference = number_add(a, b, true);
  int order = difference->size == 0 ? 0 : difference->negative ? -1 : 1;
  number_drop(difference);
  return order;
}

/* ---- multiplication: by schoolbook, and in halves where both are long ---- */

#define LONG 64

static void multiply_short(const uint32_t *a, size_t m, const uint32_t *b, size_t n, uint32_t *to) {
  memset(to, 0, (m + n) * sizeof *to);
  for (size_t i = 0; i < m; i++) {
    uint64_t carry = 0, digit = a[i];
    for (size_t k = 0; k < n; k++) {
      carry += to[i + k] + digit * b[k];
      to[i + k] = (uint32_t)(carry % BASE);
      carry /= BASE;
    }
    to[i + n] = (uint32_t)carry;
  }
}

static uint32_t add_to(uint32_t *to, size_t room, const uint32_t *a, size_t size) {
  uint32_t carry = 0;
  for (size_t i = 0; i < room && (i < size || carry != 0); i++) {
    carry += to[i] + (i < size ? a[i] : 0);
    to[i] = carry >= BASE ? carry - BASE : carry;
    carry = carry >= BASE;
  }
  return carry;
}

static void take_from(uint32_t *to, size_t room, const uint32_t *a, size_t size) {
  int32_t borrow = 0;
  for (size_t i = 0; i < room && (i < size || borrow != 0); i++) {
    int64_t digit = (int64_t)to[i] - (i < size ? a[i] : 0) - borrow;
    borrow = digit < 0;
    to[i] = (uint32_t)(digit + (borrow ? BASE : 0));
  }
}

/* Both of n limbs; `to` has 2n. The depth is the logarithm of n. */
static void multiply_equal(const uint32_t *a, const uint32_t *b, size_t n, uint32_t *to) {
  if (n < LONG) {
    multiply_short(a, n, b, n, to);
    return;
  }
  size_t low = n / 2, high = n - low, sum = high + 1;
  uint32_t *work = memory_take((2 * sum + 2 * sum) * sizeof *work), *middle = work + 2 * sum;
  uint32_t *x = work, *y = work + sum;
  memset(work, 0, 2 * sum * sizeof *work);
  add_to(x, sum, a, low);
  add_to(x, sum, a + low, high);
  add_to(y, sum, b, low);
  add_to(y, sum, b + low, high);
  multiply_equal(x, y, sum, middle);
  multiply_equal(a, b, low, to);
  multiply_equal(a + low, b + low, high, to + 2 * low);
  take_from(middle, 2 * sum, to, 2 * low);
  take_from(middle, 2 * sum, to + 2 * low, 2 * high);
  size_t size = 2 * sum;
  while (size > 0 && middle[size - 1] == 0) size--;
  add_to(to + low, 2 * n - low, middle, size);
  free(work);
}

static number *multiply_limbs(const number *a, const number *b) {
  if (a->size < b->size) return multiply_limbs(b, a);
  number *n = make(a->size + b->size, 0);
  if (b->size < LONG) {
    multiply_short(a->at, a->size, b->at, b->size, n->at);
    return trim(n);
  }
  memset(n->at, 0, n->size * sizeof *n->at);
  uint32_t *part = memory_take(2 * b->size * sizeof *part);
  uint32_t *piece = memory_take(b->size * sizeof *piece);
  for (size_t start = 0; start < a->size; start += b->size) {
    size_t size = a->size - start < b->size ? a->size - start : b->size;
    memset(piece, 0, b->size * sizeof *piece);
    memcpy(piece, a->at + start, size * sizeof *piece);
    multiply_equal(piece, b->at, b->size, part);
    size_t used = 2 * b->size < n->size - start ? 2 * b->size : n->size - start;
    add_to(n->at + start, n->size - start, part, used);
  }
  free(part);
  free(piece);
  return trim(n);
}

/* The scale is that of the exact product, but at most the largest of `scale` and both scales. */
number *number_multiply(const number *a, const number *b, size_t scale) {
  size_t most = scale;
  if (a->scale > most) most = a->scale;
  if (b->scale > most) most = b->scale;
  number *product = multiply_limbs(a, b);
  product->negative = a->negative != b->negative && product->size > 0;
  product->scale = a->scale + b->scale;
  if (product->scale <= most) return product;
  number *cut = number_rescale(product, most);
  number_drop(product);
  return cut;
}

/* ---- division ---- */

static number *divide_small(const number *a, uint32_t by) {
  number *n = make(a->size, 0);
  uint64_t rest = 0;
  for (size_t i = a->size; i-- > 0;) {
    rest = rest * BASE + a->at[i];
    n->at[i] = (uint32_t)(rest / by);
    rest %= by;
  }
  return trim(n);
}

static number *times_small(const number *a, uint32_t by) {
  number *n = make(a->size + 1, 0);
  uint64_t carry = 0;
  for (size_t i = 0; i < a->size; i++) {
    carry += (uint64_t)a->at[i] * by;
    n->at[i] = (uint32_t)(carry % BASE);
    carry /= BASE;
  }
  n->at[a->size] = (uint32_t)carry;
  return n; /* keeps its leading zero: the division below counts on the limb */
}

/* The whole quotient of the limbs: Knuth's algorithm D. b is not zero. */
static number *divide_limbs(const number *a, const number *b) {
  if (compare_limbs(a, b) < 0) return make(0, 0);
  if (b->size == 1) return divide_small(a, b->at[0]);
  uint32_t factor = BASE / (b->at[b->size - 1] + 1);
  number *u = times_small(a, factor), *v = times_small(b, factor);
  size_t n = b->size, m = a->size - n;
  number *q = make(m + 1, 0);
  uint64_t top = v->at[n - 1], next = v->at[n - 2];
  for (size_t j = m + 1; j-- > 0;) {
    uint64_t head = (uint64_t)u->at[j + n] * BASE + u->at[j + n - 1];
    uint64_t guess = head / top, rest = head % top;
    while (guess >= BASE || guess * next > rest * BASE + u->at[j + n - 2]) {
      guess--;
      rest += top;
      if (rest >= BASE) break;
    }
    int64_t borrow = 0;
    uint64_t carry = 0;
    for (size_t i = 0; i < n; i++) {
      carry += guess * v->at[i];
      int64_t digit = (int64_t)u->at[i + j] - borrow - (int64_t)(carry % BASE);
      carry /= BASE;
      borrow = digit < 0;
      u->at[i + j] = (uint32_t)(digit + (borrow ? BASE : 0));
    }
    int64_t digit = (int64_t)u->at[j + n] - borrow - (int64_t)carry;
    borrow = digit < 0;
    u->at[j + n] = (uint32_t)(digit + (borrow ? BASE : 0));
    if (borrow) {
      guess--;
      uint32_t over = 0;
      for (size_t i = 0; i < n; i++) {
        over += u->at[i + j] + v->at[i];
        u->at[i + j] = over >= BASE ? over - BASE : over;
        over = over >= BASE;
      }
      u->at[j + n] = (u->at[j + n] + over) % BASE;
    }
    q->at[j] = (uint32_t)guess;
  }
  number_drop(u);
  number_drop(v);
  return trim(q);
}

number *number_divide(const number *a, const number *b, size_t scale) {
  if (b->size == 0) return NULL;
  /* a / 10^sa over b / 10^sb, times 10^scale, is a * 10^(scale + sb - sa) over b. */
  size_t up = scale + b->scale;
  number *x = up >= a->scale ? shift_up(a, up - a->scale) : shift_down(a, a->scale - up);
  number *q = divide_limbs(x, b);
  q->negative = a->negative != b->negative && q->size > 0;
  q->scale = scale;
  number_drop(x);
  return q;
}

number *number_modulo(const number *a, const number *b, size_t scale) {
  number *q = number_divide(a, b, scale);
  if (q == NULL) return NULL;
  size_t wide = scale + b->scale > a->scale ? scale + b->scale : a->scale;
  number *back = number_multiply(q, b, wide), *rest = number_add(a, back, true);
  number *result = number_rescale(rest, wide);
  number_drop(q);
  number_drop(back);
  number_drop(rest);
  return result;
}

number *number_power(const number *a, long long n, size_t scale) {
  if (n == 0) return number_of(1);
  bool negative = n < 0;
  unsigned long long left = negative ? 0 - (unsigned long long)n : (unsigned long long)n;
  size_t most = scale;
  if (!negative) {
    unsigned long long exact =
        a->scale > 0 && left > SIZE_MAX / a->scale ? SIZE_MAX : a->scale * left;
    most = scale > a->scale ? scale : a->scale;
    if (exact < most) most = (size_t)exact;
  }
  number *power = number_rescale(a, a->scale), *result = NULL;
  size_t power_scale = a->scale, result_scale = 0;
  for (;; left >>= 1) {
    if (left & 1) {
      if (result == NULL) {
        result = number_keep(power);
        result_scale = power_scale;
      } else {
        result_scale += power_scale;
        number *next = number_multiply(result, power, result_scale);
        number_drop(result);
        result = next;
      }
    }
    if (left <= 1) break;
    power_scale *= 2;
    number *square = number_multiply(power, power, power_scale);
    number_drop(power);
    power = square;
  }
  number_drop(power);
  number *shown;
  if (negative) {
    number *one = number_of(1);
    shown = number_divide(one, result, scale);
    number_drop(one);
  } else {
    shown = result->scale > most ? number_rescale(result, most) : number_keep(result);
  }
  number_drop(result);
  return shown;
}

number *number_root(const number *a, size_t scale) {
  if (a->negative) return NULL;
  if (scale < a->scale) scale = a->scale;
  /* The whole root of a * 10^(2 * scale), by Newton's steps from above. */
  number *wide = number_rescale(a, 2 * scale), *guess;
  wide->scale = 0;
  if (wide->size == 0) {
    wide->scale = scale;
    return wide;
  }
  size_t digits = number_digits(wide);
  number *one = number_of(1);
  guess = shift_up(one, digits / 2 + 1);
  number_drop(one);
  for (;;) {
    number *quotient = divide_limbs(wide, guess), *sum = add_limbs(guess, quotient);
    number *next = divide_small(sum, 2);
    bool done = compare_limbs(next, guess) >= 0;
    number_drop(quotient);
    number_drop(sum);
    if (done) {
      number_drop(next);
      break;
    }
    number_drop(guess);
    guess = next;
  }
  number_drop(wide);
  guess->scale = scale;
  return guess;
}

/* ---- text ---- */

static int digit_of(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'Z' ? c - 'A' + 10 : -1;
}

static number *read_decimal(const char *at, size_t size, size_t scale) {
  number *n = make(size / DIGITS + 1, scale);
  size_t limb = 0;
  for (size_t end = size; limb < n->size; limb++) {
    size_t start = end > DIGITS ? end - DIGITS : 0;
    uint32_t value = 0;
    for (size_t i = start; i < end; i++) value = value * 10 + (uint32_t)(at[i] - '0');
    n->at[limb] = value;
    end = start;
  }
  return trim(n);
}

number *number_read(const char *from, int base) {
  const char *point = strchr(from, '.');
  size_t whole = point == NULL ? strlen(from) : (size_t)(point - from);
  size_t fraction = point == NULL ? 0 : strlen(point + 1);
  if (whole == 1 && fraction == 0) return number_of(digit_of(*from)); /* in any base */
  if (base == 10) {
    text digits = {0};
    for (const char *at = from; *at != 0; at++) {
      if (*at != '.') text_char(&digits, *at > '9' ? '9' : *at);
    }
    number *n = read_decimal(digits.at, digits.len, fraction);
    text_free(&digits);
    return n;
  }
  number *value = number_of(0), *times = number_of(base), *divisor = number_of(1);
  for (const char *at = from; *at != 0; at++) {
    if (*at == '.') continue;
    int digit = digit_of(*at) < base ? digit_of(*at) : base - 1;
    number *up = multiply_limbs(value, times), *one = number_of(digit);
    number_drop(value);
    value = add_limbs(up, one);
    number_drop(up);
    number_drop(one);
    if (point != NULL && at > point) {
      number *next = multiply_limbs(divisor, times);
      number_drop(divisor);
      divisor = next;
    }
  }
  number *result = fraction == 0 ? number_keep(value) : number_divide(value, divisor, fraction);
  number_drop(value);
  number_drop(times);
  number_drop(divisor);
  return result;
}

char *number_text(const number *a, size_t *size) {
  text t = {0};
  for (size_t i = a->size; i-- > 0;) text_format(&t, t.len == 0 ? "%u" : "%09u", a->at[i]);
  text_string(&t, "");
  char *result = text_end(&t);
  *size = t.len;
  return result;
}

size_t number_digits(const number *a) {
  if (a->size == 0) return 0;
  size_t digits = (a->size - 1) * DIGITS;
  for (uint32_t top = a->at[a->size - 1]; top > 0; top /= 10) digits++;
  return digits > a->scale ? digits - a->scale : 0;
}

long long number_integer(const number *a) {
  number *n = number_rescale(a, 0);
  long long value = 0;
  for (size_t i = n->size; i-- > 0;) {
    if (__builtin_mul_overflow(value, (long long)BASE, &value) ||
        __builtin_add_overflow(value, (long long)n->at[i], &value)) {
      value = LLONG_MAX;
      break;
    }
  }
  if (n->negative) value = -value;
  number_drop(n);
  return value;
}
