// SPDX-License-Identifier: MIT
/* yaml.h -- reads YAML 1.2 into a tree, one document after another.
 *
 * All of the language but for what is listed here: block and flow collections, all five styles of
 * scalars, anchors and aliases, explicit keys, comments, directives, several documents. Scalars
 * mean what the core schema says: `true`, `0x1F` and `~` are not strings, `yes` and `010` are a
 * string and ten.
 *
 * Tags     Those of the core schema (!!str !!int !!float !!bool !!null) decide what a scalar is.
 *          With any other tag it is a string. A collection's tag is read past.
 * Merge    An unquoted key `<<` is marked; what it merges is for the caller to say.
 * Aliases  are the node they name, not a copy. A tree written out in full has `weight` nodes; that
 *          aliases may stand for YAML_ALIASED nodes at most keeps it bounded.
 * Not here Byte orders other than UTF-8; a line's length does not limit an implicit key; flow
 *          collections need no indentation. Keys of a map may repeat: the caller looks.
 *
 * Memory is malloc'd and goes with the process. */
#ifndef GUEST_BIN_YAML_H
#define GUEST_BIN_YAML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Collections inside one another. Each level costs up to 400 bytes of the process's stack. */
#define YAML_DEPTH 500
/* Ten anchors of ten aliases each to the one before would be 10^10 values. */
#define YAML_ALIASED 1000000u

typedef enum {
  YAML_NULL,
  YAML_FALSE,
  YAML_TRUE,
  YAML_NUMBER, /* as JSON writes it, or .inf, -.inf, .nan */
  YAML_STRING,
  YAML_LIST,
  YAML_MAP,
} yaml_kind;

typedef struct yaml_node {
  yaml_kind kind;
  bool merge;          /* an unquoted `<<` */
  bool plain;          /* while it is read: an unquoted scalar whose kind is not decided */
  size_t line, column; /* where it begins; from 1, the column in characters */
  char *at;            /* NUMBER, STRING; ends with a NUL */
  size_t size;
  struct yaml_node **items; /* LIST; MAP: each key and its value behind it */
  size_t count;
  uint64_t weight;
} yaml_node;

typedef struct yaml yaml;

/* `text` has a NUL behind its `size` bytes, is changed, and has to stay. Never NULL. */
yaml *yaml_open(char *text, size_t size);
/* The next document; NULL behind the last one and after an error. */
yaml_node *yaml_next(yaml *y);
/* What is wrong and where; NULL when nothing is. */
const char *yaml_error(const yaml *y, size_t *line, size_t *column);

#endif
