// SPDX-License-Identifier: MIT
/* regex.h -- regular expressions in linear time.
 *
 * The common part of the syntaxes people know: . [a-z] [^...] \d \w \s \b ^ $ (...) (?:...) |
 * * + ? {m,n}, over code points; no flags. What needs backtracking (back-references, look-around)
 * is refused when the policy is loaded. All states advance together, one character at a time
 * (Thompson's way), so the work is at most states x characters, counted against `steps`. */
#ifndef CLOCHE_GATE_REGEX_H
#define CLOCHE_GATE_REGEX_H

#include "json/arena.h"

typedef struct cloche__regex cloche__regex;

typedef enum cloche__match {
  CLOCHE__MATCH_NO,
  CLOCHE__MATCH_YES,
  CLOCHE__MATCH_LIMIT /* `steps` were used up: not known */
} cloche__match;

/* Compiles `source` into the arena. E_ARGUMENT: *problem is a sentence. E_MEMORY. */
cloche_status cloche__regex_make(cloche_text source, cloche__arena *arena,
                                 const cloche__regex **regex, const char **problem);
/* Where `.` is any character, line breaks as well: JSON Schema's is not. The same results. */
cloche_status cloche__regex_over_lines(cloche_text source, cloche__arena *arena,
                                       const cloche__regex **regex, const char **problem);
/* A glob: `*` and `?` stay between slashes, `**` does not. The same results. */
cloche_status cloche__regex_glob(cloche_text source, cloche__arena *arena,
                                 const cloche__regex **regex, const char **problem);
/* With `whole` all of `text` has to match, else any part of it. Takes from *steps what it used.
 * Text that is not UTF-8 matches nothing. */
cloche__match cloche__regex_match(const cloche__regex *regex, cloche_text text, bool whole,
                                  size_t *steps);

#endif
