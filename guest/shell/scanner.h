// SPDX-License-Identifier: MIT
/* scanner.h -- a word being put together: what words.c, parameters.c and assignments.c share. */
#ifndef GUEST_SHELL_SCANNER_H
#define GUEST_SHELL_SCANNER_H

#include "parser.h"

/* A word being put together. Ordinary characters are gathered in `run`. */
typedef struct {
  parser *p;
  scan_how how;
  part *first, **last;
  text run;
  part_kind run_kind;
  unsigned parens;       /* open in an extglob pattern, a regular expression or arithmetic */
  const char *quoted_to; /* up to there a } closes nothing */
  unsigned questions;    /* a ? b : c inside ${x:offset:length} */
  uint8_t flags;
} scanner;

void scanner_char(scanner *s, part_kind kind, int c);
part *scanner_part(scanner *s, part_kind kind);
void scan_parts(scanner *s);
/* A word inside another one, up to but without its closing character. */
word *scan_nested(parser *p, scan_how how);
word *word_of(parser *p, part *parts, const char *from);
void lexer_skip(parser *p, size_t count);

/* parameters.c: ${..} at the dollar, and $name whose name has that many bytes. */
void scan_braced(scanner *s);
void scan_named(scanner *s, size_t size);
size_t parameter_size(const parser *p, size_t ahead); /* bytes of the name there, 0: none */

static inline bool special_parameter(int c) {
  return c == '@' || c == '*' || c == '#' || c == '?' || c == '-' || c == '$' || c == '!';
}

static inline bool is_digit(int c) {
  return c >= '0' && c <= '9';
}

static inline bool is_meta(int c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '|' || c == '&' || c == ';' || c == '(' ||
         c == ')' || c == '<' || c == '>';
}

#endif
