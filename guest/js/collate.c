// SPDX-License-Identifier: MIT
/* collate.c -- the order people expect of words: what localeCompare gives.
 *
 * The order of the Unicode collation algorithm's root table for Latin text: first letters without
 * accents and case, then accents, then case (small before capital); space and punctuation come
 * before digits, digits before letters. Characters of other scripts follow in the order of their
 * code points. */
#include "collate.h"

#include <stdlib.h>
#include <string.h>

#include "libunicode.h"

typedef struct {
  uint32_t primary;   /* 0 for a combining mark */
  uint16_t secondary; /* the mark */
  uint8_t tertiary;   /* 1 for a capital */
} element;

typedef struct {
  element *at;
  size_t count, expanded; /* how many letters stand for two */
} elements;

/* ASCII but for letters and digits, in the root table's order. */
static const char punctuation[] = "\t\n\v\f\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$";
enum { DIGITS = 64, LETTERS = 80, OTHERS = 128 };

static element element_of(uint32_t c) {
  element e = {0, 0, 0};
  if (c >= 'A' && c <= 'Z') {
    e.primary = LETTERS + c - 'A';
    e.tertiary = 1;
  } else if (c >= 'a' && c <= 'z') {
    e.primary = LETTERS + c - 'a';
  } else if (c >= '0' && c <= '9') {
    e.primary = DIGITS + c - '0';
  } else if (c < 0x80) {
    const char *found = c == 0 ? NULL : strchr(punctuation, (int)c);
    e.primary = found != NULL ? (uint32_t)(found - punctuation) + 1 : 0;
  } else if (c >= 0x300 && c < 0x370) {
    e.secondary = (uint16_t)(c - 0x300 + 1);
  } else {
    uint32_t lower[3];
    int count = lre_case_conv(lower, c, 1);
    e.tertiary = count == 1 && lower[0] != c;
    e.primary = OTHERS + (count == 1 ? lower[0] : c);
  }
  return e;
}

static bool is_ascii(const uint16_t *text, size_t size) {
  for (size_t i = 0; i < size; i++)
    if (text[i] >= 0x80) return false;
  return true;
}

static void *grow(void *opaque, void *at, size_t size) {
  (void)opaque;
  if (size != 0) return realloc(at, size);
  free(at);
  return NULL;
}

/* Letters that Unicode does not take apart, but the collation table does: into a letter and an
 * overlay mark, or into two letters. */
static const struct {
  uint16_t letter, first, second;
} apart_letters[] = {
    {0xDF, 's', 's'},    {0x1E9E, 'S', 'S'},  {0xE6, 'a', 'e'},    {0xC6, 'A', 'E'},
    {0x153, 'o', 'e'},   {0x152, 'O', 'E'},   {0xF8, 'o', 0x338},  {0xD8, 'O', 0x338},
    {0x142, 'l', 0x335}, {0x141, 'L', 0x335}, {0x111, 'd', 0x335}, {0x110, 'D', 0x335},
};

static size_t put_point(uint32_t c, uint32_t *to) {
  to[0] = c;
  if (c < 0x80) return 1;
  for (size_t i = 0; i < sizeof apart_letters / sizeof apart_letters[0]; i++)
    if (apart_letters[i].letter == c) {
      to[0] = apart_letters[i].first;
      to[1] = apart_letters[i].second;
      return 2;
    }
  return 1;
}

static uint32_t *code_points(const uint16_t *text, size_t size, size_t *count, size_t *expanded) {
  uint32_t *points = malloc((size * 2 + 1) * sizeof *points);
  *count = 0;
  for (size_t i = 0; points != NULL && i < size; i++) {
    uint32_t c = text[i];
    if (c >= 0xD800 && c < 0xDC00 && i + 1 < size && text[i + 1] >= 0xDC00 && text[i + 1] < 0xE000)
      c = 0x10000 + ((c - 0xD800) << 10) + (text[++i] - 0xDC00u);
    size_t more = put_point(c, points + *count);
    *expanded += more - 1;
    *count += more;
  }
  return points;
}

/* Letters with accents fall apart into the letter and the accents. */
static bool elements_of(const uint16_t *text, size_t size, elements *to) {
  size_t count;
  uint32_t *points = code_points(text, size, &count, &to->expanded), *apart = points;
  if (points == NULL) return false;
  if (!is_ascii(text, size)) {
    int length = unicode_normalize(&apart, points, (int)count, UNICODE_NFD, NULL, grow);
    free(points);
    if (length < 0) return false;
    count = (size_t)length;
  }
  to->at = malloc((count + 1) * sizeof *to->at);
  to->count = count;
  for (size_t i = 0; to->at != NULL && i < count; i++) to->at[i] = element_of(apart[i]);
  if (apart == points)
    free(points);
  else
    free(apart);
  return to->at != NULL;
}

static bool is_digit(const element *e) {
  return e->primary >= DIGITS && e->primary < DIGITS + 10;
}

/* Skips combining marks; the number of the next element with a primary weight. */
static size_t next_primary(const elements *text, size_t at) {
  while (at < text->count && text->at[at].primary == 0) at++;
  return at;
}

/* Two runs of digits by value; both positions move behind them. */
static int compare_numbers(const elements *a, size_t *i, const elements *b, size_t *j) {
  size_t from[2], length[2];
  const elements *texts[2] = {a, b};
  size_t *positions[2] = {i, j};
  for (int k = 0; k < 2; k++) {
    size_t at = *positions[k];
    while (at < texts[k]->count && texts[k]->at[at].primary == DIGITS) at++;
    from[k] = at;
    while (at < texts[k]->count && is_digit(&texts[k]->at[at])) at++;
    length[k] = at - from[k];
    *positions[k] = at;
  }
  if (length[0] != length[1]) return length[0] < length[1] ? -1 : 1;
  for (size_t k = 0; k < length[0]; k++) {
    uint32_t x = a->at[from[0] + k].primary, y = b->at[from[1] + k].primary;
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

static int compare_primary(const elements *a, const elements *b, bool numeric) {
  for (size_t i = 0, j = 0;;) {
    i = next_primary(a, i);
    j = next_primary(b, j);
    if (i == a->count || j == b->count) return (j == b->count) - (i == a->count);
    if (numeric && is_digit(&a->at[i]) && is_digit(&b->at[j])) {
      int order = compare_numbers(a, &i, b, &j);
      if (order != 0) return order;
      continue;
    }
    uint32_t x = a->at[i++].primary, y = b->at[j++].primary;
    if (x != y) return x < y ? -1 : 1;
  }
}

/* The accents of one letter after the other; a letter without any comes first. */
static int compare_secondary(const elements *a, const elements *b) {
  for (size_t i = 0, j = 0; i < a->count || j < b->count;) {
    uint16_t x = i < a->count ? a->at[i].secondary : 0;
    uint16_t y = j < b->count ? b->at[j].secondary : 0;
    if (x != y) return x < y ? -1 : 1;
    i++;
    j++;
  }
  return 0;
}

static int compare_tertiary(const elements *a, const elements *b) {
  for (size_t i = 0; i < a->count && i < b->count; i++)
    if (a->at[i].tertiary != b->at[i].tertiary)
      return a->at[i].tertiary < b->at[i].tertiary ? -1 : 1;
  return 0;
}

int collate(const uint16_t *a, size_t a_size, const uint16_t *b, size_t b_size, int strength,
            bool numeric) {
  elements x = {0}, y = {0};
  int order = COLLATE_NO_MEMORY;
  if (elements_of(a, a_size, &x) && elements_of(b, b_size, &y)) {
    order = compare_primary(&x, &y, numeric);
    if (order == 0 && (strength == COLLATE_ACCENTS || strength == COLLATE_ALL))
      order = compare_secondary(&x, &y);
    if (order == 0 && (strength == COLLATE_CASE || strength == COLLATE_ALL))
      order = compare_tertiary(&x, &y);
    if (order == 0 && strength == COLLATE_ALL)
      order = (x.expanded > y.expanded) - (x.expanded < y.expanded);
  }
  free(x.at);
  free(y.at);
  return order;
}
