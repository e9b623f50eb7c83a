// SPDX-License-Identifier: MIT
/* expand.h -- from words to strings, in bash's order: braces, tilde, parameters, commands and
 * arithmetic, splitting, pathnames, quotes removed.
 *
 * A word is expanded into text with a mark for every byte: whether it was quoted (then it is no
 * pattern) and whether it came out of an unquoted expansion (then it is split). Splitting, pathname
 * expansion and quote removal only read the marks; no quoting character is ever put into the text
 * and taken out again.
 *
 * Everything lies in the scratch arena. False or NULL means that it failed, with a message given
 * and sh->unwind set. Expanding waits wherever a command is substituted. */
#ifndef GUEST_SHELL_EXPAND_H
#define GUEST_SHELL_EXPAND_H

#include "pattern.h"
#include "state.h"

typedef struct {
  char **at; /* a NULL follows the last, once fields_end was called */
  size_t count, cap;
} fields;

void fields_add(shell *sh, fields *to, char *field);
char **fields_end(shell *sh, fields *of);

enum {
  MARK_QUOTED = 1,
  MARK_SPLIT = 2,
  MARK_BREAK = 4, /* with a NUL byte: a field ends here */
  MARK_EMPTY = 8, /* with a NUL byte: there is a field here, even if nothing is in it */
};

/* A word being expanded. */
typedef struct {
  shell *sh;
  text text;
  text marks;      /* as long as the text; unused without `fields` */
  bool marked;     /* marks are kept */
  bool fields;     /* "$@" makes several fields */
  bool assignment; /* ~ also behind : */
  bool at_empty;   /* a quoted $@ without arguments was seen */
  bool failed;
  bool inside; /* in the word of ${x:-word}: literal text is split too */
} expansion;

void expansion_add(expansion *x, const char *bytes, size_t size, uint8_t mark);
void expansion_mark(expansion *x, uint8_t mark); /* BREAK or EMPTY */
void expand_parts(expansion *x, const part *parts, bool quoted);
/* param.c */
void expand_parameter(expansion *x, const part *of, bool quoted);

/* [waits] The words of a command. */
bool expand_words(shell *sh, const word *words, fields *to);
bool expand_one(shell *sh, const word *one, fields *to);
/* [waits] Without splitting or pathnames: an assignment's value, what `case` looks at. */
char *expand_string(shell *sh, const word *of, bool assignment);
char *expand_sized(shell *sh, const word *of, bool assignment, size_t *size);
/* [waits] A pattern, for case, [[ == ]], ${x#..}. */
pattern *expand_pattern(shell *sh, const word *of, unsigned flags);
/* [waits] The same as set -x shows it: quoted characters behind backslashes. */
char *expand_shown_pattern(shell *sh, const word *of);
/* [waits] The right side of =~: quoted characters are escaped. */
char *expand_regex(shell *sh, const word *of);
/* [waits] The target of a redirection; NULL when it is not exactly one word. */
char *expand_target(shell *sh, const word *of);
/* [waits] Expands and evaluates. `who` names the construct in messages. */
bool expand_arithmetic(shell *sh, const char *who, const word *expression, int64_t *value);
unsigned pattern_flags(const shell *sh);

/* brace.c: the words that a word with braces stands for; false when there would be too many. Words
 * without anything else to expand come as text. */
typedef struct {
  const char *plain; /* NULL: `word` */
  word *word;
} braced;
bool brace_expand(shell *sh, const word *of, braced **to, size_t *count);

/* glob.c: adds the paths that match, sorted, and returns their number; -1 when there are too many.
 */
ptrdiff_t glob_expand(shell *sh, const char *text, const uint8_t *marks, size_t size, fields *to);

/* substitute.c: [waits] runs commands and collects what they print, without the newlines at the
 * end. */
bool substitute_command(shell *sh, const part *of, text *to);
/* [waits] <( and >( : starts the commands and returns the /dev/fd path, NULL when that failed. */
char *substitute_process(shell *sh, const part *of);

/* tilde: what ~name stands for, NULL when it stands for itself. */
const char *tilde_value(shell *sh, const char *name, size_t size);

#endif
