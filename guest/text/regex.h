// SPDX-License-Identifier: MIT
/* regex.h -- regular expressions for the shell and the commands.
 *
 * POSIX basic and extended syntax with GNU's extensions (\w \W \s \S \b \B \< \> \` \' and in basic
 * also \+ \? \|), awk's, a subset of Perl's, and fixed strings. Text is UTF-8; a byte that is not
 * part of a valid character matches neither `.` nor any bracket, only itself.
 *
 * Matches are leftmost-longest with POSIX submatches; time is linear in the text (submatches: in
 * the match times the pattern). Patterns with back-references and Perl's are matched by
 * backtracking: leftmost, first alternative first.
 *
 * Owner    A regex is malloc'd; regex_free releases it (a process's end does too).
 * Sharing  Searching builds the automaton as it goes: one process at a time per regex.
 * Waiting  Nothing here waits. */
#ifndef GUEST_TEXT_REGEX_H
#define GUEST_TEXT_REGEX_H

#include <stdbool.h>
#include <stddef.h>

typedef struct regex regex;

typedef enum { REGEX_BASIC, REGEX_EXTENDED, REGEX_AWK, REGEX_PERL, REGEX_FIXED } regex_syntax;

/* Flags of regex_compile. */
enum {
  REGEX_ICASE = 1,
  REGEX_LINES = 2,       /* ^ and $ also match at newlines; . and [^x] do not match a newline */
  REGEX_BYTES = 4,       /* the C locale: every byte is a character */
  REGEX_WHOLE_WORD = 8,  /* as grep -w */
  REGEX_WHOLE_LINE = 16, /* as grep -x */
  REGEX_LIST = 32,       /* the pattern is several, one a line; any may match */
};

/* Flags of regex_search. */
enum { REGEX_NOT_BOL = 1, REGEX_NOT_EOL = 2 };

/* Byte offsets into the text; both -1 when the group took no part. */
typedef struct {
  ptrdiff_t start, end;
} regex_span;

/* NULL when the pattern is wrong: *error is then GNU's sentence for it (static text). */
regex *regex_compile(const char *pattern, size_t size, regex_syntax syntax, unsigned flags,
                     const char **error);
void regex_free(regex *re); /* NULL is fine */

/* Number of parenthesised groups, the whole match not counted. */
size_t regex_groups(const regex *re);

/* Looks for the first match that starts at `from` or later; what lies before `from` counts as
 * context for ^ and \b. spans[0] gets the whole match, spans[n] group n; `count` may be 0, and
 * spans beyond the last group get -1. Returns 1 found, 0 not, -1 given up (memory, or a
 * backtracking pattern that would not end). */
int regex_search(regex *re, const char *text, size_t size, size_t from, unsigned flags,
                 regex_span *spans, size_t count);

/* Only whether there is a match: *end (may be NULL) is where the one that ends first ends. With
 * REGEX_LINES the text may hold many lines. Returns as regex_search. */
int regex_test(regex *re, const char *text, size_t size, size_t from, size_t *end);

/* The number of a Perl named group, 0 when there is none. */
size_t regex_group_number(const regex *re, const char *name, size_t size);

#endif
