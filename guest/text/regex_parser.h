// SPDX-License-Identifier: MIT
/* regex_parser.h -- the parser's state, shared by regex_parse.c (structure), regex_bracket.c
 * ([...] and classes) and regex_perl.c (what only Perl's syntax has). */
#ifndef GUEST_TEXT_REGEX_PARSER_H
#define GUEST_TEXT_REGEX_PARSER_H

#include "regex_tree.h"
#include "unicode.h"

typedef struct {
  regex_arena *arena;
  const char *start, *at, *end;
  regex_syntax syntax;
  bool icase, lines, bytes, list;
  bool dot_all, extended; /* Perl's s and x */
  unsigned depth;
  uint32_t groups, group_base; /* a list's back-references count from its own pattern */
  uint64_t closed;             /* which of the first 63 groups are complete */
  regex_tree *tree;
  const char *error;
} parser;

/* Each gives NULL after setting p->error. */
node *regex_parse_alternatives(parser *p);
node *regex_parse_bracket(parser *p);     /* after '[' */
node *regex_parse_perl_group(parser *p);  /* after "(?" or "(*" */
node *regex_parse_perl_escape(parser *p); /* after '\\' */
node *regex_parse_fail(parser *p, const char *error);
node *regex_node_character(parser *p, uint32_t character);
node *regex_node_byte(parser *p, unsigned char byte);
node *regex_node_class(parser *p, unicode_class kind, bool negated);
node *regex_node_word(parser *p, bool negated);
node *regex_node_set(parser *p, regex_set *set, bool negated);
node *regex_node_assert(parser *p, assert_kind kind);
node *regex_node_wrap(parser *p, node_kind kind, node *child);
void regex_set_add_class(parser *p, regex_set *set, unicode_class kind);
void regex_set_add_word(parser *p, regex_set *set);
/* Reads one character of the pattern; an invalid byte is stored as itself with *raw set. */
uint32_t regex_parser_take(parser *p, bool *raw);

#endif
