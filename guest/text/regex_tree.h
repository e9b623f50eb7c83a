// SPDX-License-Identifier: MIT
/* regex_tree.h -- a parsed regular expression, and the arena that holds it. Private to regex_*.c.
 */
#ifndef GUEST_TEXT_REGEX_TREE_H
#define GUEST_TEXT_REGEX_TREE_H

#include <stdint.h>

#include "regex.h"

/* Everything of one regex lives in its arena. After a failed allocation `failed` stays set and
 * regex_take gives NULL. */
typedef struct regex_block regex_block;
typedef struct {
  regex_block *blocks;
  size_t left;
  char *next;
  size_t total;
  bool failed;
} regex_arena;
void *regex_take(regex_arena *from, size_t size); /* zeroed */
void regex_arena_free(regex_arena *from);

/* Code points (or bytes), sorted and apart once regex_set_finish was called. */
typedef struct {
  uint32_t first, last;
} regex_range;
typedef struct {
  regex_range *ranges;
  uint32_t count, room;
} regex_set;
void regex_set_add(regex_arena *from, regex_set *set, uint32_t first, uint32_t last);
void regex_set_finish(regex_set *set);
/* Adds the other cases of what is in it. */
void regex_set_fold(regex_arena *from, regex_set *set);
/* What is not in it, up to `limit`. Both finished. */
regex_set regex_set_negated(regex_arena *from, const regex_set *set, uint32_t limit);
bool regex_set_has(const regex_set *set, uint32_t character);

typedef enum {
  NODE_EMPTY,
  NODE_TEXT,
  NODE_SET,
  NODE_CAT,
  NODE_ALT,
  NODE_REPEAT,
  NODE_GROUP,
  NODE_ASSERT,
  NODE_BACKREF,
  NODE_LOOK,
  NODE_ATOMIC,
  NODE_KEEP,
} node_kind;

typedef enum {
  ASSERT_LINE_START,
  ASSERT_LINE_END, /* at newlines too when `lines` */
  ASSERT_TEXT_START,
  ASSERT_TEXT_END,
  ASSERT_TEXT_END_NEWLINE, /* Perl's \Z and $ */
  ASSERT_WORD_EDGE,
  ASSERT_NOT_WORD_EDGE,
  ASSERT_WORD_START,
  ASSERT_WORD_END,
  ASSERT_NO_WORD_BEFORE,
  ASSERT_NO_WORD_AFTER,
  ASSERT_NEVER,
} assert_kind;

typedef enum { REPEAT_GREEDY, REPEAT_LAZY, REPEAT_POSSESSIVE } repeat_mode;
#define REPEAT_NO_MAX UINT32_MAX

typedef struct regex_part regex_part;

typedef struct node {
  node_kind kind;
  bool captures;          /* a group is inside */
  bool spare;             /* REPEAT: an optional round written out, not taken when empty */
  bool lines;             /* ASSERT_LINE_*: newlines count */
  bool icase;             /* BACKREF */
  bool behind, negative;  /* LOOK */
  repeat_mode mode;       /* REPEAT */
  uint32_t min, max;      /* REPEAT */
  uint32_t number;        /* GROUP (0: does not capture), BACKREF, ASSERT: its kind */
  struct node **children; /* CAT, ALT: count of them; REPEAT, GROUP, LOOK, ATOMIC: one */
  uint32_t count;
  char *text; /* TEXT */
  uint32_t size;
  regex_set set;                    /* SET */
  regex_part **forward, **backward; /* made while searching: see regex_span.c */
} node;

typedef struct {
  const char *name;
  size_t size;
  uint32_t number;
} group_name;

typedef struct {
  node *root;
  uint32_t groups;
  bool backtrack; /* has what only the backtracker can do */
  group_name *names;
  uint32_t name_count;
  const char *error;
} regex_tree;

/* False when the pattern is wrong: tree->error says why. */
bool regex_parse(regex_arena *from, const char *pattern, size_t size, regex_syntax syntax,
                 unsigned flags, regex_tree *tree);

node *regex_node_new(regex_arena *from, node_kind kind, uint32_t count);

/* Groups nest at most this deep: each level costs some 400 bytes of stack while parsing, and the
 * smallest process stack is 64 KiB. */
#define REGEX_DEPTH 120
/* States of one pattern, counted repeats written out. */
#define REGEX_PROGRAM_MAX 200000u

#endif
