// SPDX-License-Identifier: MIT
/* find.h -- find's expression: read by find_parse.c, evaluated by find.c. */
#ifndef GUEST_BIN_FIND_H
#define GUEST_BIN_FIND_H

#include "../text/regex.h"
#include "bin.h"
#include "times.h"
#include "walk.h"

typedef enum {
  FIND_TRUE,
  FIND_FALSE,
  FIND_AND,
  FIND_OR,
  FIND_LIST,
  FIND_NOT,
  FIND_NAME,
  FIND_PATH,
  FIND_LINK_NAME,
  FIND_REGEX,
  FIND_TYPE,
  FIND_SIZE,
  FIND_TIME,
  FIND_NEWER,
  FIND_PERM,
  FIND_EMPTY,
  FIND_LINKS,
  FIND_INODE,
  FIND_SAME_FILE,
  FIND_ACCESS,
  FIND_USER,
  FIND_PRUNE,
  FIND_PRINT,
  FIND_PRINTF,
  FIND_LS,
  FIND_EXEC,
  FIND_DELETE,
  FIND_QUIT,
} find_kind;

typedef struct find_node {
  find_kind kind;
  struct find_node *left, *right;
  const char *text; /* pattern, format, letters of types */
  int flags;        /* of glob_match; ACCESS: mode; TIME, NEWER: which time ('a', 'c', 'm') */
  regex *re;
  int compare;          /* '+', '-' or 0: more than, less than, exactly */
  int64_t number, unit; /* in units of `unit` bytes or ns */
  uint32_t mode;        /* PERM: bits; compare '-': all of them, '/': any, 0: exactly */
  char **words;         /* EXEC */
  int word_count;
  bool batch, in_folder, zero;
  output *file; /* where print and printf go; NULL: standard output */
  /* EXEC with +: what waits to be run */
  char **waiting;
  size_t waiting_count, waiting_room, waiting_bytes;
} find_node;

typedef struct {
  bin b;
  char **environment;
  char **at; /* while parsing */
  find_node *expression;
  bool depth_first, follow, follow_operands, acts, quit, day_start;
  int min_depth, max_depth;
  int64_t now;
  regex_syntax syntax;
  int nesting;
  time_zone zone;
  const char *start; /* the operand being walked */
} find;

/* Reads the expression at f->at, adding -print when nothing acts. */
void find_parse(find *f);
/* Prints by a -printf format. [waits] */
void find_printf(find *f, output *out, const char *format, const walk *w);

/* Parentheses and operators nest at most this deep on the command's stack. */
#define FIND_DEPTH 200

#endif
