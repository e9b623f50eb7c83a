// SPDX-License-Identifier: MIT
/* compounds.c -- the grammar of compound commands: one function per construct. */
#include "parser.h"

/* A list that must not be empty, up to `closer`, which is taken. */
static node *parse_body(parser *p, const char *closer) {
  node *body = parse_list(p, true);
  if (body == NULL && !p->failed) parse_unexpected(p);
  word_expect(p, closer);
  return body;
}

static node *parse_if(parser *p) {
  node *made = node_make(p, NODE_IF, p->token.line);
  clause **last = &made->clauses;
  token_take(p);
  for (;;) {
    clause *arm = arena_zero(p->memory, sizeof *arm);
    *last = arm;
    last = &arm->next;
    arm->condition = parse_body(p, "then");
    arm->body = parse_list(p, true);
    if (arm->body == NULL && !p->failed) parse_unexpected(p);
    if (p->failed) return made;
    if (word_accept(p, "elif")) continue;
    if (word_accept(p, "else"))
      made->otherwise = parse_body(p, "fi");
    else
      word_expect(p, "fi");
    return made;
  }
}

static node *parse_while(parser *p, bool until) {
  node *made = node_make(p, NODE_WHILE, p->token.line);
  made->until = until;
  token_take(p);
  made->test = parse_body(p, "do");
  made->loop_body = parse_body(p, "done");
  return made;
}

/* do ... done, or { ... } as bash also takes it. */
static node *parse_loop_body(parser *p) {
  if (word_accept(p, "{")) return parse_body(p, "}");
  word_expect(p, "do");
  return parse_body(p, "done");
}

static word *arith_part(parser *p, char stop) {
  return scan_word(p, (scan_how){.kind = SCAN_ARITH, .quoted = true, .stop = stop, .closer = ')'});
}

/* Takes the )) that ends arithmetic. */
static void arith_close(parser *p, uint32_t line) {
  if (lexer_char(p) != ')' || lexer_peek(p, 1) != ')') {
    parse_unclosed(p, line, ")");
    return;
  }
  lexer_advance(p);
  lexer_advance(p);
}

static node *parse_for_arith(parser *p, uint32_t line) {
  node *made = node_make(p, NODE_FOR_ARITH, line);
  token_take(p);
  lexer_advance(p);
  const char *from = p->in->at;
  int semicolons = 0;
  made->step_init = arith_part(p, ';');
  if (lexer_char(p) == ';') lexer_advance(p), semicolons++;
  made->condition = arith_part(p, ';');
  if (lexer_char(p) == ';') lexer_advance(p), semicolons++;
  made->step = arith_part(p, 0);
  const char *to = p->in->at;
  arith_close(p, line);
  if (semicolons < 2 && !p->failed) {
    parse_fail(p, "syntax error: arithmetic expression required");
    text_format(&p->error, "syntax error: `((%.*s))'\n", (int)(to - from), from);
    return made;
  }
  token_accept(p, TOKEN_SEMICOLON, READ_COMMAND);
  skip_newlines(p);
  made->arith_body = parse_loop_body(p);
  return made;
}

/* The words after `in`, up to ; or a newline. */
static word *parse_for_words(parser *p) {
  word *first = NULL, **last = &first;
  while (token_peek(p, READ_ARGUMENT)->kind == TOKEN_WORD) {
    *last = p->token.word;
    last = &p->token.word->next;
    token_take(p);
  }
  token_kind end = p->token.kind;
  if (end != TOKEN_SEMICOLON && end != TOKEN_NEWLINE) parse_unexpected(p);
  return first;
}

static bool next_is_double_open(parser *p) {
  return token_peek(p, READ_ARGUMENT)->kind == TOKEN_OPEN && lexer_char(p) == '(';
}

static node *parse_for(parser *p, node_kind kind) {
  uint32_t line = p->token.line;
  token_take(p);
  if (kind == NODE_FOR && next_is_double_open(p)) return parse_for_arith(p, line);
  node *made = node_make(p, kind, line);
  token *name = token_peek(p, READ_ARGUMENT);
  if (name->kind != TOKEN_WORD) {
    parse_unexpected(p);
    return made;
  }
  made->name = arena_copy(p->memory, name->source.at, name->source.len);
  made->hash = name_hash(made->name, name->source.len);
  token_take(p);
  skip_newlines(p);
  if (word_accept(p, "in")) {
    made->with_words = true;
    made->list = parse_for_words(p);
    token_take(p);
  } else {
    token_accept(p, TOKEN_SEMICOLON, READ_COMMAND);
  }
  if (p->failed) return made;
  skip_newlines(p);
  made->body = parse_loop_body(p);
  return made;
}

static void parse_case_patterns(parser *p, case_item *item) {
  word **last = &item->patterns;
  for (;;) {
    token *t = token_peek(p, READ_ARGUMENT);
    if (t->kind != TOKEN_WORD) {
      parse_unexpected(p);
      return;
    }
    *last = t->word;
    last = &t->word->next;
    token_take(p);
    if (token_accept(p, TOKEN_PIPE, READ_ARGUMENT)) continue;
    if (!token_accept(p, TOKEN_CLOSE, READ_ARGUMENT)) parse_unexpected(p);
    return;
  }
}

/* Returns false when this item must be the last. */
static bool parse_case_item(parser *p, case_item *item) {
  token_accept(p, TOKEN_OPEN, READ_ARGUMENT);
  parse_case_patterns(p, item);
  if (p->failed) return false;
  item->body = parse_list(p, true);
  token_kind end = token_peek(p, READ_COMMAND)->kind;
  if (end == TOKEN_CASE_FALL) item->end = CASE_FALL;
  if (end == TOKEN_CASE_TEST) item->end = CASE_TEST;
  if (end != TOKEN_CASE_END && end != TOKEN_CASE_FALL && end != TOKEN_CASE_TEST) return false;
  token_take(p);
  return true;
}

/* Newlines, where the next word is no command. */
static void skip_newlines_plain(parser *p) {
  while (token_peek(p, READ_ARGUMENT)->kind == TOKEN_NEWLINE) token_take(p);
}

static node *parse_case(parser *p) {
  node *made = node_make(p, NODE_CASE, p->token.line);
  case_item **last = &made->items;
  token_take(p);
  token *subject = token_peek(p, READ_ARGUMENT);
  if (subject->kind != TOKEN_WORD) {
    parse_unexpected(p);
    return made;
  }
  made->subject = subject->word;
  token_take(p);
  skip_newlines_plain(p);
  if (!token_is(token_peek(p, READ_ARGUMENT), "in")) {
    parse_unexpected(p);
    return made;
  }
  token_take(p);
  for (;;) {
    skip_newlines_plain(p);
    if (p->failed || token_is(token_peek(p, READ_ARGUMENT), "esac")) break;
    case_item *item = arena_zero(p->memory, sizeof *item);
    *last = item;
    last = &item->next;
    if (!parse_case_item(p, item)) break;
  }
  word_expect(p, "esac");
  return made;
}

static node *parse_group(parser *p) {
  node *made = node_make(p, NODE_GROUP, p->token.line);
  token_take(p);
  made->body = parse_body(p, "}");
  return made;
}

static node *parse_arith(parser *p) {
  node *made = node_make(p, NODE_ARITH, p->token.line);
  token_take(p);
  lexer_advance(p);
  made->condition = arith_part(p, 0);
  arith_close(p, made->line);
  return made;
}

node *parse_subshell(parser *p) {
  if (lexer_char(p) == '(') {
    lexer_advance(p);
    bool arithmetic = arithmetic_ahead(p);
    p->in->at--;
    if (arithmetic) return parse_arith(p);
  }
  node *made = node_make(p, NODE_SUBSHELL, p->token.line);
  token_take(p);
  made->body = parse_list(p, true);
  if (made->body == NULL && !p->failed) parse_unexpected(p);
  if (!token_accept(p, TOKEN_CLOSE, READ_COMMAND)) parse_unexpected(p);
  return made;
}

static node *parse_test(parser *p) {
  node *made = node_make(p, NODE_CONDITION, p->token.line);
  token_take(p);
  made->expression = parse_condition(p);
  if (p->failed) return made;
  if (!token_is(token_peek(p, READ_TEST), "]]")) {
    parse_fail(p, "syntax error in conditional expression");
    return made;
  }
  token_take(p);
  return made;
}

/* Whether a compound command stands behind the token at hand, which nothing has read yet. */
static bool compound_follows(const parser *p) {
  static const char *const compounds[] = {"{",      "if",   "while", "until", "for",
                                          "select", "case", "[[",    "((",    NULL};
  size_t at = 0;
  while (lexer_peek(p, at) == ' ' || lexer_peek(p, at) == '\t') at++;
  if (lexer_peek(p, at) == '(') return true;
  for (size_t i = 0; compounds[i] != NULL; i++) {
    size_t size = strlen(compounds[i]), same = 0;
    while (same < size && lexer_peek(p, at + same) == compounds[i][same]) same++;
    int after = lexer_peek(p, at + size);
    if (same == size && (after == ' ' || after == '\t' || after == '\n')) return true;
  }
  return false;
}

/* coproc [NAME] command: a name only stands before a compound command. */
static node *parse_coproc(parser *p) {
  static const char *const reserved[] = {"{",      "if",   "while", "until", "for", "case",
                                         "select", "time", "[[",    "!",     NULL};
  node *made = node_make(p, NODE_COPROC, p->token.line);
  made->name = "COPROC";
  token_take(p);
  token *t = token_peek(p, READ_COMMAND);
  const char *name = token_literal(t);
  if (name != NULL && name_valid(name, strlen(name)) && !token_is_any(t, reserved) &&
      compound_follows(p)) {
    made->name = name;
    token_take(p);
  }
  made->body = parse_command(p);
  made->hash = name_hash(made->name, strlen(made->name));
  return made;
}

/* NULL when the word at hand is not reserved. */
node *parse_reserved(parser *p, bool *was) {
  token *t = &p->token;
  *was = true;
  if (token_is(t, "if")) return parse_if(p);
  if (token_is(t, "while")) return parse_while(p, false);
  if (token_is(t, "until")) return parse_while(p, true);
  if (token_is(t, "for")) return parse_for(p, NODE_FOR);
  if (token_is(t, "select")) return parse_for(p, NODE_SELECT);
  if (token_is(t, "case")) return parse_case(p);
  if (token_is(t, "{")) return parse_group(p);
  if (token_is(t, "[[")) return parse_test(p);
  if (token_is(t, "function")) return parse_function_keyword(p);
  if (token_is(t, "coproc")) return parse_coproc(p);
  *was = false;
  return NULL;
}
