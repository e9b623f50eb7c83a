// SPDX-License-Identifier: MIT
// unicode.c -- see unicode.h. ASCII is answered by comparisons, the rest by binary search.
#include "unicode.h"

#include <string.h>

typedef struct {
  uint32_t first, last, step;
  int32_t shift;
} unicode_shift;

#include "unicode_tables.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

size_t utf8_decode(const char *at, size_t size, uint32_t *character) {
  const unsigned char *s = (const unsigned char *)at;
  if (size == 0) return 0;
  uint32_t c = s[0];
  if (c < 0x80) {
    *character = c;
    return 1;
  }
  size_t length = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;
  if (c < 0xC2 || c > 0xF4 || size < length) return 0;
  c &= 0x7Fu >> length;
  for (size_t i = 1; i < length; i++) {
    if ((s[i] & 0xC0) != 0x80) return 0;
    c = c << 6 | (s[i] & 0x3Fu);
  }
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (c < least[length] || c > UNICODE_LAST || (c >= 0xD800 && c <= 0xDFFF)) return 0;
  *character = c;
  return length;
}

size_t utf8_encode(uint32_t c, char *to) {
  if (c < 0x80) {
    to[0] = (char)c;
    return 1;
  }
  if (c < 0x800) {
    to[0] = (char)(0xC0 | c >> 6);
    to[1] = (char)(0x80 | (c & 0x3F));
    return 2;
  }
  if (c < 0x10000) {
    to[0] = (char)(0xE0 | c >> 12);
    to[1] = (char)(0x80 | (c >> 6 & 0x3F));
    to[2] = (char)(0x80 | (c & 0x3F));
    return 3;
  }
  to[0] = (char)(0xF0 | c >> 18);
  to[1] = (char)(0x80 | (c >> 12 & 0x3F));
  to[2] = (char)(0x80 | (c >> 6 & 0x3F));
  to[3] = (char)(0x80 | (c & 0x3F));
  return 4;
}

size_t utf8_step(const char *at, size_t size) {
  if (size == 0) return 0;
  if ((unsigned char)*at < 0x80) return 1;
  uint32_t c;
  size_t length = utf8_decode(at, size, &c);
  return length == 0 ? 1 : length;
}

size_t utf8_count(const char *text, size_t size) {
  size_t count = 0;
  for (size_t i = 0; i < size; i += utf8_step(text + i, size - i)) count++;
  return count;
}

static bool in_ranges(const unicode_range *ranges, size_t count, uint32_t c) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (c > ranges[middle].last) {
      low = middle + 1;
    } else if (c < ranges[middle].first) {
      high = middle;
    } else {
      return (c - ranges[middle].first) % ranges[middle].step == 0;
    }
  }
  return false;
}

static bool ascii_is(uint32_t c, unicode_class kind) {
  bool upper = c >= 'A' && c <= 'Z', lower = c >= 'a' && c <= 'z', digit = c >= '0' && c <= '9';
  switch (kind) {
    case UNICODE_UPPER:
      return upper;
    case UNICODE_LOWER:
      return lower;
    case UNICODE_ALPHA:
      return upper || lower;
    case UNICODE_DIGIT:
      return digit;
    case UNICODE_ALNUM:
      return upper || lower || digit;
    case UNICODE_PUNCT:
      return c > ' ' && c < 127 && !(upper || lower || digit);
    case UNICODE_SPACE:
      return c == ' ' || (c >= '\t' && c <= '\r');
    case UNICODE_BLANK:
      return c == ' ' || c == '\t';
    case UNICODE_PRINT:
      return c >= ' ' && c < 127;
    case UNICODE_GRAPH:
      return c > ' ' && c < 127;
    case UNICODE_CNTRL:
      return c < ' ' || c == 127;
    case UNICODE_XDIGIT:
      return digit || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f');
  }
  return false;
}

const unicode_range *unicode_ranges(unicode_class kind, size_t *count) {
#define TABLE(name)     \
  *count = COUNT(name); \
  return name
  switch (kind) {
    case UNICODE_UPPER:
      TABLE(table_upper);
    case UNICODE_LOWER:
      TABLE(table_lower);
    case UNICODE_ALPHA:
    case UNICODE_ALNUM:
      TABLE(table_alpha);
    case UNICODE_PUNCT:
      TABLE(table_punct);
    case UNICODE_SPACE:
    case UNICODE_BLANK:
      TABLE(table_space);
    case UNICODE_PRINT:
    case UNICODE_GRAPH:
      TABLE(table_print);
    case UNICODE_CNTRL:
      TABLE(table_cntrl);
    case UNICODE_DIGIT:
    case UNICODE_XDIGIT:
      break;
  }
#undef TABLE
  *count = 0;
  return NULL;
}

bool unicode_is(uint32_t c, unicode_class kind) {
  if (c < 0x80) return ascii_is(c, kind);
  if (kind == UNICODE_GRAPH && unicode_is(c, UNICODE_SPACE)) return false;
  if (kind == UNICODE_BLANK && (c == 0x2028 || c == 0x2029)) return false; /* line separators */
  size_t count;
  const unicode_range *ranges = unicode_ranges(kind, &count);
  return in_ranges(ranges, count, c);
}

static uint32_t shifted(const unicode_shift *rows, size_t count, uint32_t c) {
  size_t low = 0, high = count;
  while (low < high) { /* the last row whose first is not beyond c */
    size_t middle = (low + high) / 2;
    if (rows[middle].first <= c) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  /* Rows of step 2 may interleave, so look back a little. */
  for (size_t i = low; i > 0 && i + 3 > low; i--) {
    const unicode_shift *row = &rows[i - 1];
    if (c <= row->last && (c - row->first) % row->step == 0) return c + (uint32_t)row->shift;
  }
  return c;
}

uint32_t unicode_lower(uint32_t c) {
  if (c < 0x80) return c >= 'A' && c <= 'Z' ? c + 32 : c;
  return shifted(table_to_lower, COUNT(table_to_lower), c);
}

uint32_t unicode_upper(uint32_t c) {
  if (c < 0x80) return c >= 'a' && c <= 'z' ? c - 32 : c;
  return shifted(table_to_upper, COUNT(table_to_upper), c);
}

int unicode_width(uint32_t c) {
  if (c < 0x80) return c == 0 ? 0 : c < ' ' || c == 127 ? -1 : 1;
  if (!unicode_is(c, UNICODE_PRINT)) return -1;
  if (in_ranges(table_width_0, COUNT(table_width_0), c)) return 0;
  return in_ranges(table_width_2, COUNT(table_width_2), c) ? 2 : 1;
}

bool unicode_class_named(const char *name, size_t size, unicode_class *kind) {
  static const char *const names[] = {"upper", "lower", "alpha", "digit", "alnum", "punct",
                                      "space", "blank", "print", "graph", "cntrl", "xdigit"};
  for (size_t i = 0; i < COUNT(names); i++) {
    if (strlen(names[i]) == size && memcmp(names[i], name, size) == 0) {
      *kind = (unicode_class)i;
      return true;
    }
  }
  return false;
}
