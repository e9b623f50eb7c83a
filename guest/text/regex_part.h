// SPDX-License-Identifier: MIT
/* regex_part.h -- where the groups lie inside a known match. Private to regex_*.c. */
#ifndef GUEST_TEXT_REGEX_PART_H
#define GUEST_TEXT_REGEX_PART_H

#include "regex_program.h"

/* A program with its automaton, for the whole pattern or one node. */
struct regex_part {
  regex_program program;
  dfa *automaton;
  regex_part *others; /* of the same pattern */
};

/* NULL: no memory, or too big. */
regex_part *regex_part_new(const node *root, uint32_t from, uint32_t to, dfa_mode mode,
                           bool backward, bool bytes);
void regex_part_free(regex_part *part);

/* Fills spans[1..groups] for a match of `root` at [start, end). Tables go to the arena, and *parts
 * becomes a list of all parts made, for the caller to free. False: no memory. */
bool regex_assign(node *root, bool bytes, regex_arena *from, regex_part **parts,
                  const dfa_text *text, size_t start, size_t end, regex_span *spans);

#endif
