// SPDX-License-Identifier: MIT
/* regex_program.h -- a tree as a nondeterministic automaton over bytes, and the lazily built
 * deterministic one that runs it. Private to regex_*.c.
 *
 * A character set becomes byte ranges of its UTF-8 forms, so the automaton never decodes.
 * Assertions stay in the states and are resolved when the byte behind them is known; that is why a
 * match shows one step late, on the byte (or end) that follows it. */
#ifndef GUEST_TEXT_REGEX_PROGRAM_H
#define GUEST_TEXT_REGEX_PROGRAM_H

#include "regex_tree.h"

typedef enum { OP_RANGES, OP_SPLIT, OP_ASSERT, OP_MATCH } regex_op;

typedef struct {
  uint8_t low, high;
  uint32_t to;
} regex_edge;

typedef struct {
  uint8_t op;
  uint8_t assertion;
  bool lines;
  uint32_t a, b; /* RANGES: first edge and count; SPLIT: both ways; ASSERT: a is the way on */
} regex_state;

typedef struct {
  regex_state *states;
  uint32_t count, room;
  regex_edge *edges;
  uint32_t edge_count, edge_room;
  uint32_t start;
  bool backward;       /* reads the text from its end */
  bool asserts, words; /* has assertions; has some about words */
  bool bytes, too_big, failed;
  uint8_t class_of[256];
  uint32_t classes;
} regex_program;

/* Children [from, to) of a CAT, or the node itself when it is none (from 0, to 1). */
bool regex_program_make(regex_program *program, const node *root, uint32_t from, uint32_t to,
                        bool backward, bool bytes);
void regex_program_free(regex_program *program);

typedef enum {
  DFA_TEST,     /* starts anywhere, stops at the first end */
  DFA_LEFTMOST, /* starts anywhere, the longest of the leftmost */
  DFA_ANCHORED, /* starts here, the longest */
} dfa_mode;

typedef struct dfa dfa;
dfa *dfa_new(const regex_program *program, dfa_mode mode); /* NULL: no memory */
void dfa_free(dfa *automaton);

/* What the text looks like around a run. */
typedef struct {
  const char *text;
  size_t size;
  unsigned flags;       /* of regex_search */
  const uint8_t *allow; /* when set: ends count only where allow[end - from] */
  uint8_t *mark;        /* when set: mark[position - low end] = 1 at each end */
} dfa_text;

#define DFA_NONE (-1)
#define DFA_FAILED (-2)
/* Runs from `from` up to `to` (down to it when the program is backward) and returns where the match
 * ends, DFA_NONE or DFA_FAILED. */
ptrdiff_t dfa_run(dfa *automaton, const dfa_text *text, size_t from, size_t to);

/* Bytes that a match can start with, as a set of 256; false when it may be empty. */
bool regex_program_first(const regex_program *program, bool first[256]);

#endif
