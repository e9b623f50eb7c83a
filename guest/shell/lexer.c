// SPDX-License-Identifier: MIT
/* lexer.c -- characters and tokens. What is inside a word is words.c's. */
#include <stdio.h>
#include <stdlib.h>

#include "parser.h"

/* ---- characters ---- */

static int char_below(parser *p) {
  while (p->in->below != NULL && p->in->at >= p->in->end) {
    char last = p->in->end[-1];
    if (last == ' ' || last == '\t') p->alias_next = true;
    p->in = p->in->below;
  }
  return p->in->at < p->in->end ? (unsigned char)*p->in->at : -1;
}

int lexer_char(parser *p) {
  return p->in->at < p->in->end ? (unsigned char)*p->in->at : char_below(p);
}

int lexer_peek(const parser *p, size_t ahead) {
  return (size_t)(p->in->end - p->in->at) > ahead ? (unsigned char)p->in->at[ahead] : -1;
}

void lexer_advance(parser *p) {
  if (p->in->at >= p->in->end) return;
  if (*p->in->at++ == '\n') {
    p->line++;
    if (p->in->below == NULL) p->last_line = p->in->at;
  }
}

/* Blanks, comments and escaped newlines, up to the next token. */
void lexer_skip_blanks(parser *p) {
  for (;;) {
    int c = lexer_char(p);
    if (c == ' ' || c == '\t') {
      lexer_advance(p);
    } else if (c == '\\' && lexer_peek(p, 1) == '\n') {
      lexer_advance(p);
      lexer_advance(p);
    } else if (c == '#') {
      while (lexer_char(p) != -1 && lexer_char(p) != '\n') lexer_advance(p);
    } else {
      return;
    }
  }
}

/* ---- messages ---- */

void parse_fail(parser *p, const char *format, ...) {
  if (p->failed) return;
  p->failed = true;
  p->error_line = p->line;
  char message[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  text_string(&p->error, message);
  text_char(&p->error, '\n');
}

/* The line that the message is about, as bash shows it. */
static void quote_line(parser *p) {
  const input *base = p->in;
  while (base->below != NULL) base = base->below;
  const char *from = p->last_line, *to = from;
  while (to < base->end && *to != '\n') to++;
  text_char(&p->error, '`');
  text_add(&p->error, from, (size_t)(to - from));
  text_string(&p->error, "'\n");
}

void parse_unexpected(parser *p) {
  if (p->failed) return;
  const token *t = &p->token;
  if (t->kind == TOKEN_END) {
    p->incomplete = true;
    parse_fail(p, "syntax error: unexpected end of file");
    if (p->program->size > 0 && p->program->text[p->program->size - 1] != '\n') p->error_line++;
    return;
  }
  p->failed = true;
  p->error_line = t->line;
  text_string(&p->error, "syntax error near unexpected token `");
  if (t->kind == TOKEN_NEWLINE)
    text_string(&p->error, "newline");
  else
    text_add(&p->error, t->source.at, t->source.len);
  text_string(&p->error, "'\n");
  if (t->kind == TOKEN_NEWLINE && p->last_line > p->text_start) {
    /* The newline has been read: the line it ended is the one before. */
    const char *at = p->last_line - 1;
    while (at > p->text_start && at[-1] != '\n') at--;
    p->last_line = at;
  }
  quote_line(p);
}

void parse_unclosed(parser *p, uint32_t line, const char *closer) {
  if (p->failed) return;
  p->incomplete = true;
  parse_fail(p, "unexpected EOF while looking for matching `%s'", closer);
  p->error_line = line;
}

bool parse_deeper(parser *p) {
  if (p->depth < PARSE_DEPTH) {
    p->depth++;
    return true;
  }
  parse_fail(p, "syntax error: more than %d constructs inside one another", PARSE_DEPTH);
  return false;
}

/* ---- here-documents ---- */

/* One line of a document, without its newline. False at the end of the text. */
static bool document_line(parser *p, const char **from, size_t *size) {
  if (lexer_char(p) == -1) return false;
  *from = p->in->at;
  while (p->in->at < p->in->end && *p->in->at != '\n') p->in->at++;
  *size = (size_t)(p->in->at - *from);
  return true;
}

static bool line_continues(const char *line, size_t size) {
  size_t slashes = 0;
  while (slashes < size && line[size - 1 - slashes] == '\\') slashes++;
  return slashes % 2 == 1;
}

/* The delimiter as it must appear in the text: quotes removed. */
static char *delimiter_plain(parser *p, const redirect *document, size_t *size) {
  text plain = {.in = p->memory};
  const char *at = document->delimiter.at, *end = at + document->delimiter.len;
  char quote = 0;
  for (; at < end; at++) {
    if (quote == 0 && (*at == '\'' || *at == '"')) {
      quote = *at;
    } else if (quote != 0 && *at == quote) {
      quote = 0;
    } else if (*at == '\\' && quote != '\'' && at + 1 < end) {
      text_char(&plain, *++at);
    } else if (*at == '$' && quote == 0 && at + 1 < end && (at[1] == '\'' || at[1] == '"')) {
      continue;
    } else {
      text_char(&plain, *at);
    }
  }
  *size = plain.len;
  return text_end(&plain);
}

/* Inside $( ) the parenthesis may stand right behind the delimiter; the text goes on there. */
static bool ends_substitution(parser *p, const char *line, size_t size, const char *delimiter,
                              size_t wanted) {
  if (p->substitutions == 0 || size <= wanted || memcmp(line, delimiter, wanted) != 0) return false;
  if (memchr(line + wanted, ')', size - wanted) == NULL) return false;
  p->in->at = line + wanted;
  return true;
}

static void read_document(parser *p, redirect *document) {
  size_t wanted, size;
  const char *delimiter = delimiter_plain(p, document, &wanted), *line;
  text body = {.in = p->memory};
  uint32_t first = p->line;
  bool continued = false;
  while (document_line(p, &line, &size)) {
    if (document->strip && !continued)
      while (size > 0 && *line == '\t') line++, size--;
    if (!continued && ends_substitution(p, line, size, delimiter, wanted)) break;
    bool ended = p->in->at < p->in->end;
    if (ended) lexer_advance(p);
    if (!continued && size == wanted && memcmp(line, delimiter, size) == 0) break;
    text_add(&body, line, size);
    if (ended) text_char(&body, '\n');
    continued = !document->quoted && line_continues(line, size);
  }
  text_end(&body);
  document->body = (slice){body.at, body.len};
  if (!document->quoted) {
    document->target = scan_document(p, body.at, body.len, first);
    return;
  }
  part *whole = arena_zero(p->memory, sizeof *whole);
  whole->kind = PART_QUOTED;
  whole->text = document->body;
  document->target = arena_zero(p->memory, sizeof *document->target);
  document->target->parts = whole;
}

static void read_documents(parser *p) {
  pending_document *pending = p->documents;
  p->documents = NULL;
  p->documents_last = &p->documents;
  for (; pending != NULL && !p->failed; pending = pending->next)
    read_document(p, pending->document);
}

/* ---- tokens ---- */

static token_kind take(parser *p, size_t count, token_kind kind) {
  while (count-- > 0) lexer_advance(p);
  return kind;
}

static token_kind lex_operator(parser *p, int c) {
  int next = lexer_peek(p, 1);
  switch (c) {
    case '&':
      return next == '&' ? take(p, 2, TOKEN_AND) : take(p, 1, TOKEN_AMPERSAND);
    case '|':
      if (next == '|') return take(p, 2, TOKEN_OR);
      return next == '&' ? take(p, 2, TOKEN_PIPE_BOTH) : take(p, 1, TOKEN_PIPE);
    case ';':
      if (next == ';')
        return lexer_peek(p, 2) == '&' ? take(p, 3, TOKEN_CASE_TEST) : take(p, 2, TOKEN_CASE_END);
      return next == '&' ? take(p, 2, TOKEN_CASE_FALL) : take(p, 1, TOKEN_SEMICOLON);
    case '(':
      return take(p, 1, TOKEN_OPEN);
    case ')':
      return take(p, 1, TOKEN_CLOSE);
    default:
      return TOKEN_END;
  }
}

static redirect_kind lex_redirect_kind(parser *p) {
  static const struct {
    const char *text;
    redirect_kind kind;
  } kinds[] = {
      {"<<<", REDIRECT_STRING},  {"<<-", REDIRECT_DOCUMENT},  {"&>>", REDIRECT_BOTH_APPEND},
      {"<<", REDIRECT_DOCUMENT}, {"<&", REDIRECT_DUP_INPUT},  {"<>", REDIRECT_READ_WRITE},
      {">>", REDIRECT_APPEND},   {">&", REDIRECT_DUP_OUTPUT}, {">|", REDIRECT_CLOBBER},
      {"&>", REDIRECT_BOTH},     {"<", REDIRECT_INPUT},       {">", REDIRECT_OUTPUT},
  };
  for (size_t i = 0;; i++) {
    size_t size = strlen(kinds[i].text), matched = 0;
    while (matched < size && lexer_peek(p, matched) == kinds[i].text[matched]) matched++;
    if (matched < size) continue;
    while (size-- > 0) lexer_advance(p);
    return kinds[i].kind;
  }
}

static void lex_redirect(parser *p, token *t, int fd, const char *variable) {
  redirect *made = arena_zero(p->memory, sizeof *made);
  made->fd = fd;
  made->variable = variable;
  made->line = p->line;
  made->strip = lexer_peek(p, 0) == '<' && lexer_peek(p, 1) == '<' && lexer_peek(p, 2) == '-';
  made->kind = (uint8_t)lex_redirect_kind(p);
  t->kind = TOKEN_REDIRECT;
  t->redirect = made;
}

/* "3>" and "{name}>": the digits or the name belong to the redirection. */
static bool lex_numbered(parser *p, token *t) {
  size_t size = 0;
  if (lexer_peek(p, 0) == '{') {
    size = 1;
    while (name_rest(lexer_peek(p, size))) size++;
    bool named = size > 1 && name_start(lexer_peek(p, 1)) && lexer_peek(p, size) == '}';
    int after = lexer_peek(p, size + 1);
    if (!named || (after != '<' && after != '>')) return false;
    const char *variable = arena_copy(p->memory, p->in->at + 1, size - 1);
    take(p, size + 1, TOKEN_END);
    lex_redirect(p, t, -1, variable);
    return true;
  }
  int fd = 0;
  while (lexer_peek(p, size) >= '0' && lexer_peek(p, size) <= '9' && size < 8)
    fd = fd * 10 + lexer_peek(p, size++) - '0';
  int after = lexer_peek(p, size);
  if (size == 0 || (after != '<' && after != '>')) return false;
  take(p, size, TOKEN_END);
  lex_redirect(p, t, fd, NULL);
  return true;
}

static bool starts_redirect(parser *p, int c) {
  int next = lexer_peek(p, 1);
  if (c == '<' || c == '>') return next != '(';
  return c == '&' && next == '>';
}

/* Replaces the word just read by the text of its alias. */
static bool push_alias(parser *p, const word *name) {
  if (p->alias == NULL || !(name->flags & WORD_PLAIN)) return false;
  const char *plain = name->parts->text.at;
  for (const input *in = p->in; in != NULL; in = in->below)
    if (in->alias != NULL && strcmp(in->alias, plain) == 0) return false;
  const char *value = p->alias(p->alias_context, plain);
  if (value == NULL) return false;
  size_t size = strlen(value);
  if (size == 0) return true;
  input *pushed = arena_zero(p->memory, sizeof *pushed);
  pushed->at = arena_copy(p->memory, value, size);
  pushed->end = pushed->at + size;
  pushed->alias = plain;
  pushed->below = p->in;
  p->in = pushed;
  return true;
}

static void lex_word(parser *p, token *t, read_mode mode) {
  bool may_assign = mode == READ_COMMAND || mode == READ_DECLARATION;
  if (may_assign && (t->assign = scan_assignment(p)) != NULL) {
    t->kind = TOKEN_ASSIGNMENT;
    return;
  }
  bool test = mode == READ_TEST || mode == READ_REGEX;
  t->kind = TOKEN_WORD;
  t->word = scan_word(
      p, (scan_how){.kind = SCAN_WORD, .regex = mode == READ_REGEX, .extglob = p->extglob || test});
}

/* An escaped newline inside an operator is moved in front of it, where blanks are skipped. */
static void join_operator(parser *p) {
  for (;;) {
    size_t size = 0;
    while (size < 2 && lexer_peek(p, size) > 0 && strchr("&|;<>", lexer_peek(p, size)) != NULL)
      size++;
    if (size == 0 || lexer_peek(p, size) != '\\' || lexer_peek(p, size + 1) != '\n') return;
    char *at = (char *)p->in->at; /* the text is the parser's own copy */
    memmove(at + 2, at, size);
    memcpy(at, "\\\n", 2);
    lexer_skip_blanks(p);
  }
}

/* Reads one token. An alias in its place is pushed and read instead, however often. */
static void lex(parser *p, read_mode mode) {
  token *t = &p->token;
  bool test = mode == READ_TEST || mode == READ_REGEX;
again:
  lexer_skip_blanks(p);
  join_operator(p);
  *t = (token){.line = p->line};
  int c = p->failed ? -1 : lexer_char(p);
  const input *from = p->in;
  const char *start = from->at;
  if (c == -1) {
    t->kind = TOKEN_END;
  } else if (c == '\n') {
    lexer_advance(p);
    t->kind = TOKEN_NEWLINE;
    read_documents(p);
    return;
  } else if (test && (c == '<' || c == '>') && lexer_peek(p, 1) != '(') {
    t->kind = take(p, 1, c == '<' ? TOKEN_LESS : TOKEN_GREATER);
  } else if (!test && starts_redirect(p, c)) {
    lex_redirect(p, t, -1, NULL);
  } else if (mode == READ_REGEX && (c == '(' || c == '|')) {
    lex_word(p, t, mode);
  } else if ((t->kind = lex_operator(p, c)) == TOKEN_END) {
    if (test || mode == READ_ELEMENT || !lex_numbered(p, t)) {
      bool aliases = mode == READ_COMMAND || p->alias_next;
      p->alias_next = false;
      lex_word(p, t, mode);
      bool word = t->kind == TOKEN_WORD && !p->failed;
      if (word && aliases && !test && push_alias(p, t->word)) goto again;
    }
  }
  const char *end = p->in == from ? from->at : from->end;
  t->source = (slice){start, (size_t)(end - start)};
}

token *token_peek(parser *p, read_mode mode) {
  if (!p->held) {
    lex(p, mode);
    p->held = true;
  }
  if (p->failed) p->token.kind = TOKEN_END;
  return &p->token;
}

void token_take(parser *p) {
  p->held = false;
}

void skip_newlines(parser *p) {
  while (token_peek(p, READ_COMMAND)->kind == TOKEN_NEWLINE) token_take(p);
}
