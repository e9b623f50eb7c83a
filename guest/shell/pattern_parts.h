// SPDX-License-Identifier: MIT
/* pattern_parts.h -- a compiled pattern: pattern.c builds it, pattern_match.c walks it. */
#ifndef GUEST_SHELL_PATTERN_PARTS_H
#define GUEST_SHELL_PATTERN_PARTS_H

#include "pattern.h"

typedef enum {
  ELEMENT_TEXT,
  ELEMENT_ANY,
  ELEMENT_STAR,
  ELEMENT_BRACKET,
  ELEMENT_GROUP
} element_kind;

typedef struct {
  uint32_t first, last;
} range;

typedef struct element element;

/* One alternative of a group, or the whole pattern: a chain of elements, linked both ways because
 * suffixes are matched from the end. */
typedef struct branch {
  struct branch *next;
  element *first, *last;
} branch;

struct element {
  element *next, *before;
  uint8_t kind;
  bool negated;     /* BRACKET */
  char group;       /* GROUP: one of ?*+@! */
  uint16_t classes; /* BRACKET: bits of unicode_class */
  const char *text; /* TEXT */
  size_t size;
  range *ranges; /* BRACKET */
  size_t range_count;
  branch *branches; /* GROUP */
};

struct pattern {
  arena *memory;
  branch whole;
  unsigned flags;
  bool fixed; /* neither star nor group: few characters, tried position by position */
  bool groups;
  bool bytes; /* it is no UTF-8: every byte is a character */
};

#endif
