// SPDX-License-Identifier: MIT
/* yaml_reader.h -- what the two halves of the YAML reader share: yaml.c reads the structure,
 * yaml_scalar.c what stands in it.
 *
 * The text ends with a NUL and holds none before, so one character of it can always be looked at.
 * Line ends are single newlines. Functions that return false or NULL have set the error. */
#ifndef GUEST_BIN_YAML_READER_H
#define GUEST_BIN_YAML_READER_H

#include "../text/text.h"
#include "yaml.h"

typedef struct {
  size_t at, line, line_start;
} yaml_position;

typedef struct yaml_anchor {
  struct yaml_anchor *next;
  const char *name;
  size_t size;
  yaml_node *node; /* NULL while it is being read */
} yaml_anchor;

#define YAML_ANCHOR_BUCKETS 256

struct yaml {
  char *text;
  size_t size;
  yaml_position now;
  size_t depth;
  uint64_t aliased;
  bool began; /* a document was read */
  yaml_anchor *anchors[YAML_ANCHOR_BUCKETS];
  const char *error;
  size_t error_line, error_column;
};

/* NULL, for the caller to return. */
void *yaml_fail(yaml *y, yaml_position where, const char *error);

static inline char yaml_char(const yaml *y) {
  return y->text[y->now.at];
}
static inline char yaml_char_after(const yaml *y) {
  return yaml_char(y) == 0 ? 0 : y->text[y->now.at + 1];
}
static inline size_t yaml_column(const yaml *y) {
  return y->now.at - y->now.line_start;
}
static inline bool yaml_is_blank(char c) {
  return c == ' ' || c == '\t';
}
static inline bool yaml_is_space(char c) {
  return yaml_is_blank(c) || c == '\n' || c == 0;
}
static inline bool yaml_is_flow_mark(char c) {
  return c == ',' || c == '[' || c == ']' || c == '{' || c == '}';
}
static inline void yaml_blanks(yaml *y) {
  while (yaml_is_blank(yaml_char(y))) y->now.at++;
}
static inline void yaml_newline(yaml *y) {
  y->now.at++;
  y->now.line++;
  y->now.line_start = y->now.at;
}
/* Whether `---` or `...` stands here, at the beginning of a line. */
bool yaml_at_marker(const yaml *y);

yaml_node *yaml_node_new(yaml_position where, const yaml *y, yaml_kind kind);

/* Where a scalar of one line ends; the position stays. */
size_t yaml_plain_end(const yaml *y, bool flow);
/* Whether a plain scalar can begin here. */
bool yaml_plain_begins(const yaml *y, bool flow);
/* Reads on over further lines that are indented deeper than `parent`, unless it is a key. */
yaml_node *yaml_plain(yaml *y, long parent, bool flow, bool key);
yaml_node *yaml_quoted(yaml *y, bool key);
yaml_node *yaml_block_scalar(yaml *y, long parent);

/* Says what a scalar means, by its tag or, where that is NULL, by the core schema. False when the
 * tag does not fit. A collection stays what it is. */
bool yaml_resolve(yaml *y, yaml_node *node, const char *tag, size_t size, yaml_position where);

#endif
