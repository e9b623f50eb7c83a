// SPDX-License-Identifier: MIT
/* assignments.c -- the grammar of name=value, name[subscript]+=value and name=( ... ). */
#include "scanner.h"

/* Bytes up to and with the ] that closes the subscript at `ahead`; 0 when it stays open. */
static size_t subscript_size(const parser *p, size_t ahead) {
  size_t at = ahead + 1, depth = 0;
  for (;; at++) {
    int c = lexer_peek(p, at);
    if (c == -1) return 0;
    if (c == '\\') {
      at++;
    } else if (c == '\'' || c == '"') {
      int quote = c;
      for (at++; lexer_peek(p, at) != quote; at++) {
        if (lexer_peek(p, at) == -1) return 0;
        if (quote == '"' && lexer_peek(p, at) == '\\') at++;
      }
    } else if (c == '[' || c == '(' || c == '{') {
      depth++;
    } else if (depth > 0 && (c == ')' || c == '}')) {
      depth--;
    } else if (c == ']') {
      if (depth == 0) return at + 1 - ahead;
      depth--;
    } else if (depth == 0 && (c == '\n' || c == ';')) {
      return 0;
    }
  }
}

/* True when `=` or `+=` follows; the two sizes are of the name and the subscript. */
static bool assignment_ahead(const parser *p, size_t *name, size_t *subscript) {
  *name = *subscript = 0;
  if (!name_start(lexer_peek(p, 0))) return false;
  while (name_rest(lexer_peek(p, *name))) ++*name;
  size_t at = *name;
  if (lexer_peek(p, at) == '[') {
    *subscript = subscript_size(p, at);
    if (*subscript == 0) return false;
    at += *subscript;
  }
  if (lexer_peek(p, at) == '+') at++;
  return lexer_peek(p, at) == '=';
}

static word *scan_bracketed(parser *p) {
  lexer_advance(p);
  word *made = scan_nested(p, (scan_how){.kind = SCAN_SUBSCRIPT});
  if (lexer_char(p) == ']') lexer_advance(p);
  return made;
}

/* [subscript]=value or [subscript]+=value inside ( ). */
static bool element_subscript(parser *p, element *made) {
  if (lexer_peek(p, 0) != '[') return false;
  size_t size = subscript_size(p, 0);
  if (size == 0) return false;
  bool append = lexer_peek(p, size) == '+';
  if (lexer_peek(p, size + append) != '=') return false;
  made->subscript = scan_bracketed(p);
  made->append = append;
  lexer_skip(p, append ? 2 : 1);
  return true;
}

static element *scan_element(parser *p) {
  element *made = arena_zero(p->memory, sizeof *made);
  if (element_subscript(p, made) || !p->failed)
    made->value = scan_word(p, (scan_how){.kind = SCAN_WORD, .extglob = p->extglob});
  return made;
}

/* Between the parentheses: words, newlines and comments. */
static void scan_elements(parser *p, assignment *made) {
  uint32_t line = p->line;
  element **last = &made->elements;
  lexer_advance(p);
  for (;;) {
    lexer_skip_blanks(p);
    int c = lexer_char(p);
    if (c == '\n') {
      lexer_advance(p);
    } else if (c == ')') {
      lexer_advance(p);
      return;
    } else if (c == -1) {
      parse_unclosed(p, line, ")");
      return;
    } else if (is_meta(c) && !((c == '<' || c == '>') && lexer_peek(p, 1) == '(')) {
      p->token = (token){.kind = TOKEN_SEMICOLON, .line = p->line, .source = {p->in->at, 1}};
      parse_unexpected(p);
      return;
    } else {
      *last = scan_element(p);
      last = &(*last)->next;
    }
    if (p->failed) return;
  }
}

assignment *scan_assignment(parser *p) {
  size_t name, subscript;
  if (lexer_char(p) == -1 || !assignment_ahead(p, &name, &subscript)) return NULL;
  const char *from = p->in->at;
  assignment *made = arena_zero(p->memory, sizeof *made);
  made->name = arena_copy(p->memory, from, name);
  made->hash = name_hash(from, name);
  lexer_skip(p, name);
  if (subscript != 0) made->subscript = scan_bracketed(p);
  if (lexer_char(p) == '+') {
    made->append = true;
    lexer_advance(p);
  }
  lexer_advance(p);
  if (lexer_char(p) == '(' && subscript == 0) {
    made->compound = true;
    scan_elements(p, made);
  } else {
    made->value = scan_word(p, (scan_how){.kind = SCAN_WORD, .extglob = p->extglob});
  }
  if (p->in->at >= from) made->source = (slice){from, (size_t)(p->in->at - from)};
  return made;
}
