// SPDX-License-Identifier: MIT
/* regex_backtrack.h -- the matcher for back-references and Perl's extras. Private to regex_*.c.
 *
 * A program of instructions with an explicit stack on the heap: it never recurses with the text,
 * only with nested lookarounds. It gives up after BACKTRACK_STEPS, as PCRE does. */
#ifndef GUEST_TEXT_REGEX_BACKTRACK_H
#define GUEST_TEXT_REGEX_BACKTRACK_H

#include "regex_tree.h"

/* PCRE's default match limit. */
#define BACKTRACK_STEPS 10000000u

typedef struct backtrack backtrack;

backtrack *backtrack_new(const regex_tree *tree, bool bytes, const char **error);
void backtrack_free(backtrack *program);
/* Tries to match at each position from `from` on; stores 2 * (groups + 1) offsets. As regex_search.
 */
int backtrack_search(backtrack *program, const char *text, size_t size, size_t from, unsigned flags,
                     const bool *first, ptrdiff_t *slots);

#endif
