// SPDX-License-Identifier: MIT
/* pattern.h -- method names in their one canonical spelling, and patterns over them.
 *
 * `mcp:a.b.c`, `a.b.c` and `a/b/c` are one name, spelt "a/b/c". Whatever takes a name or a pattern
 * goes through cloche__name_read, so that a check and a call can never disagree. In a pattern `*`
 * is one segment, `**` any number of them, and `create_*` part of one. */
#ifndef CLOCHE_GATE_PATTERN_H
#define CLOCHE_GATE_PATTERN_H

#include "json/json.h"
#include "limits.h"

typedef enum cloche__segment_kind {
  CLOCHE__SEGMENT_LITERAL,
  CLOCHE__SEGMENT_ANY,  /* * */
  CLOCHE__SEGMENT_PART, /* create_* */
  CLOCHE__SEGMENT_MANY  /* ** */
} cloche__segment_kind;

typedef struct cloche__segment {
  uint16_t at, len;
  uint8_t kind;
} cloche__segment;

typedef struct cloche__name { /* also what a pattern is read into */
  uint16_t len, count;
  char text[CLOCHE__METHOD_BYTES];
  cloche__segment segments[CLOCHE__METHOD_SEGMENTS];
} cloche__name;

typedef struct cloche__pattern { /* a name cut to size, in an arena */
  cloche_text text;
  const cloche__segment *segments;
  size_t count;
  bool literal;
} cloche__pattern;

/* Reads a name, or with `pattern` a pattern. NULL, or a sentence that says what is wrong. */
const char *cloche__name_read(cloche_text spelling, bool pattern, cloche__name *name);
static inline cloche_text cloche__name_text(const cloche__name *name) {
  return (cloche_text){name->text, name->len};
}
bool cloche__pattern_keep(const cloche__name *name, cloche__arena *arena, cloche__pattern *pattern);
/* Linear in the length of the name for any one pattern. */
bool cloche__pattern_matches(const cloche__pattern *pattern, const cloche__name *name);
/* True only if every name that `narrow` matches is matched by `wide` too. */
bool cloche__pattern_covers(const cloche__pattern *wide, const cloche__pattern *narrow);

#endif
