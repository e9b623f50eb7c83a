// SPDX-License-Identifier: MIT
/* conditions.c -- the grammar inside [[ ]]. */
#include "parser.h"

static condition *parse_or(parser *p);

static condition *condition_make(parser *p, test_kind kind) {
  condition *made = arena_zero(p->memory, sizeof *made);
  made->kind = (uint8_t)kind;
  return made;
}

static token *peek_line(parser *p, read_mode mode) {
  token *t = token_peek(p, mode);
  while (t->kind == TOKEN_NEWLINE) {
    token_take(p);
    t = token_peek(p, mode);
  }
  return t;
}

static bool is_closing(const token *t) {
  const char *text = token_literal(t);
  return text != NULL && strcmp(text, "]]") == 0;
}

static bool is_unary(const char *text) {
  return text != NULL && text[0] == '-' && text[1] != 0 && text[2] == 0 &&
         strchr("abcdefghknoprstuvwxzGLNORS", text[1]) != NULL;
}

static bool is_binary(const token *t) {
  static const char *const names[] = {"=",   "==",  "!=",  "=~",  "-eq", "-ne", "-lt",
                                      "-le", "-gt", "-ge", "-nt", "-ot", "-ef", NULL};
  if (t->kind == TOKEN_LESS || t->kind == TOKEN_GREATER) return true;
  const char *text = token_literal(t);
  for (size_t i = 0; text != NULL && names[i] != NULL; i++)
    if (strcmp(text, names[i]) == 0) return true;
  return false;
}

static void near_token(parser *p, const char *what, const token *t) {
  if (t->kind == TOKEN_END) {
    p->incomplete = true;
    parse_fail(p, "unexpected EOF while looking for `]]'");
    return;
  }
  slice shown = t->kind == TOKEN_NEWLINE ? (slice){"newline", 7} : t->source;
  parse_fail(p, "%s `%.*s'", what, (int)(shown.len < 80 ? shown.len : 80), shown.at);
}

static condition *parse_unary(parser *p, const char *operator) {
  condition *made = condition_make(p, TEST_UNARY);
  made->operator= operator;
  token_take(p);
  token *operand = token_peek(p, READ_TEST);
  if (operand->kind != TOKEN_WORD || is_closing(operand)) {
    near_token(p, "unexpected argument to conditional unary operator", operand);
    return made;
  }
  made->first = operand->word;
  token_take(p);
  return made;
}

static condition *parse_binary(parser *p, word *left) {
  token *t = token_peek(p, READ_TEST);
  if (!is_binary(t)) {
    bool over = t->kind == TOKEN_AND || t->kind == TOKEN_OR || t->kind == TOKEN_CLOSE ||
                t->kind == TOKEN_NEWLINE || is_closing(t);
    if (!over) near_token(p, "conditional binary operator expected near", t);
    condition *made = condition_make(p, TEST_WORD);
    made->first = left;
    return made;
  }
  condition *made = condition_make(p, TEST_BINARY);
  made->first = left;
  made->operator= t->kind == TOKEN_LESS ? "<" : t->kind == TOKEN_GREATER ? ">" : token_literal(t);
  bool regex = strcmp(made->operator, "=~") == 0;
  token_take(p);
  token *right = token_peek(p, regex ? READ_REGEX : READ_TEST);
  if (right->kind != TOKEN_WORD) {
    near_token(p, "unexpected argument to conditional binary operator", right);
    return made;
  }
  made->second = right->word;
  token_take(p);
  return made;
}

static condition *parse_primary(parser *p) {
  token *t = peek_line(p, READ_TEST);
  if (t->kind == TOKEN_OPEN) {
    token_take(p);
    condition *made = condition_make(p, TEST_GROUP);
    made->left = parse_or(p);
    if (peek_line(p, READ_TEST)->kind == TOKEN_CLOSE)
      token_take(p);
    else
      near_token(p, "expected `)' near", &p->token);
    return made;
  }
  if (t->kind != TOKEN_WORD || is_closing(t)) {
    near_token(p, "syntax error near", t);
    return condition_make(p, TEST_WORD);
  }
  if (is_unary(token_literal(t))) return parse_unary(p, token_literal(t));
  word *left = t->word;
  token_take(p);
  return parse_binary(p, left);
}

static condition *parse_not(parser *p) {
  bool negated = false;
  for (;;) {
    const char *text = token_literal(peek_line(p, READ_TEST));
    if (text == NULL || strcmp(text, "!") != 0) break;
    token_take(p);
    negated = !negated;
  }
  if (!parse_deeper(p)) return condition_make(p, TEST_WORD);
  condition *made = parse_primary(p);
  p->depth--;
  if (!negated) return made;
  condition *inverted = condition_make(p, TEST_NOT);
  inverted->left = made;
  return inverted;
}

/* a && b && c grows to the right, so that evaluating a long chain is a loop. */
static condition *parse_chain(parser *p, condition *(*operand)(parser *), token_kind joint,
                              test_kind kind) {
  condition *first = operand(p), **slot = &first;
  while (!p->failed && peek_line(p, READ_TEST)->kind == joint) {
    token_take(p);
    condition *made = condition_make(p, kind);
    made->left = *slot;
    *slot = made;
    slot = &made->right;
    *slot = operand(p);
  }
  return first;
}

static condition *parse_and(parser *p) {
  return parse_chain(p, parse_not, TOKEN_AND, TEST_AND);
}

static condition *parse_or(parser *p) {
  return parse_chain(p, parse_and, TOKEN_OR, TEST_OR);
}

condition *parse_condition(parser *p) {
  return parse_or(p);
}
