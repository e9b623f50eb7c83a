// SPDX-License-Identifier: MIT
/* words.c -- what is inside a word: quotes, nested commands, where it ends. */
#include "scanner.h"
#include "shared.h"

/* ---- parts ---- */

void lexer_skip(parser *p, size_t count) {
  while (count-- > 0) lexer_advance(p);
}

static void flush(scanner *s) {
  if (s->run.len == 0) return;
  part *made = arena_zero(s->p->memory, sizeof *made);
  made->kind = (uint8_t)s->run_kind;
  made->text = (slice){text_end(&s->run), s->run.len};
  *s->last = made;
  s->last = &made->next;
  s->run = (text){.in = s->p->memory};
}

void scanner_char(scanner *s, part_kind kind, int c) {
  if (s->run_kind != kind) flush(s);
  s->run_kind = kind;
  text_char(&s->run, (char)c);
}

part *scanner_part(scanner *s, part_kind kind) {
  flush(s);
  part *made = arena_zero(s->p->memory, sizeof *made);
  made->kind = (uint8_t)kind;
  *s->last = made;
  s->last = &made->next;
  return made;
}

static part *scan_inside(parser *p, scan_how how) {
  scanner inner = {.p = p, .how = how};
  inner.last = &inner.first;
  inner.run.in = p->memory;
  scan_parts(&inner);
  return inner.first;
}

word *word_of(parser *p, part *parts, const char *from) {
  word *made = arena_zero(p->memory, sizeof *made);
  made->parts = parts;
  made->line = p->line;
  if (p->in->at >= from) made->source = (slice){from, (size_t)(p->in->at - from)};
  return made;
}

word *scan_nested(parser *p, scan_how how) {
  const char *from = p->in->at;
  scanner inner = {.p = p, .how = how};
  inner.last = &inner.first;
  inner.run.in = p->memory;
  scan_parts(&inner);
  word *made = word_of(p, inner.first, from);
  made->flags = inner.flags;
  return made;
}

/* ---- quotes ---- */

static void scan_single(scanner *s) {
  parser *p = s->p;
  uint32_t line = p->line;
  lexer_advance(p);
  part *made = scanner_part(s, PART_QUOTED);
  const char *from = p->in->at;
  while (lexer_peek(p, 0) != '\'') {
    if (lexer_peek(p, 0) == -1) {
      parse_unclosed(p, line, "'");
      return;
    }
    lexer_advance(p);
  }
  size_t size = (size_t)(p->in->at - from);
  made->text = (slice){arena_copy(p->memory, from, size), size};
  lexer_advance(p);
  s->flags |= WORD_QUOTES;
}

/* $'...' */
static void scan_ansi(scanner *s) {
  parser *p = s->p;
  uint32_t line = p->line;
  lexer_advance(p);
  lexer_advance(p);
  part *made = scanner_part(s, PART_QUOTED);
  const char *from = p->in->at;
  while (lexer_peek(p, 0) != '\'') {
    if (lexer_peek(p, 0) == '\\' && lexer_peek(p, 1) != -1) lexer_advance(p);
    if (lexer_peek(p, 0) == -1) {
      parse_unclosed(p, line, "'");
      return;
    }
    lexer_advance(p);
  }
  text plain = {.in = p->memory};
  shared_unescape(&plain, from, (size_t)(p->in->at - from), true);
  const char *end = text_end(&plain);
  made->text = (slice){end, strlen(end)}; /* bash's strings end at \0 too */
  lexer_advance(p);
  s->flags |= WORD_QUOTES;
}

static void scan_double(scanner *s) {
  parser *p = s->p;
  uint32_t line = p->line;
  part *made = scanner_part(s, PART_DOUBLE);
  lexer_advance(p);
  s->flags |= WORD_QUOTES;
  if (!parse_deeper(p)) return;
  made->inside = scan_inside(p, (scan_how){.kind = SCAN_DOUBLE, .quoted = true});
  p->depth--;
  if (lexer_char(p) == '"')
    lexer_advance(p);
  else
    parse_unclosed(p, line, "\"");
}

/* Which characters a backslash still escapes inside double quotes. */
static bool escapable(const scanner *s, int c) {
  if (c == '$' || c == '`' || c == '\\') return true;
  if (c == '"') return s->how.kind != SCAN_DOCUMENT;
  return c == '}' && s->how.kind == SCAN_BRACE;
}

static void scan_backslash(scanner *s) {
  parser *p = s->p;
  int next = lexer_peek(p, 1);
  if (next == '\n') {
    lexer_advance(p);
    lexer_advance(p);
  } else if (next == -1) {
    lexer_advance(p);
    scanner_char(s, PART_QUOTED, '\\');
  } else if (s->how.quoted && !escapable(s, next)) {
    lexer_advance(p);
    scanner_char(s, PART_QUOTED, '\\');
    if (next != '\'' || s->how.kind != SCAN_BRACE) return;
    lexer_advance(p); /* it hides no brace */
    scanner_char(s, PART_QUOTED, next);
  } else {
    lexer_advance(p);
    lexer_advance(p);
    scanner_char(s, PART_QUOTED, next);
    s->flags |= WORD_QUOTES;
  }
}

/* ---- commands inside words ---- */

/* $( and <( : the commands up to the closing parenthesis, parsed here and now. */
static node *scan_commands(parser *p, slice *source) {
  const char *from = p->in->at;
  token saved = p->token;
  bool held = p->held;
  p->held = false;
  if (!parse_deeper(p)) return NULL;
  p->substitutions++;
  node *body = parse_list(p, true);
  p->substitutions--;
  p->depth--;
  token *after = token_peek(p, READ_COMMAND);
  if (after->kind == TOKEN_CLOSE) {
    *source = (slice){from, p->in->at >= from + 1 ? (size_t)(p->in->at - from - 1) : 0};
  } else if (after->kind == TOKEN_END && !p->failed) {
    parse_unclosed(p, p->line, ")");
  } else {
    parse_unexpected(p);
  }
  p->token = saved;
  p->held = held;
  return body;
}

static void scan_command(scanner *s) {
  part *made = scanner_part(s, PART_COMMAND);
  lexer_advance(s->p);
  lexer_advance(s->p);
  made->body = scan_commands(s->p, &made->source);
}

static void scan_process(scanner *s) {
  part *made = scanner_part(s, PART_PROCESS);
  made->direction = (char)lexer_char(s->p);
  lexer_advance(s->p);
  lexer_advance(s->p);
  made->body = scan_commands(s->p, &made->source);
}

/* `...`: backslashes are taken off first, then the rest is parsed when it is run, because a mistake
 * in it is one command's failure and not the script's. */
static void scan_backquote(scanner *s) {
  parser *p = s->p;
  uint32_t line = p->line;
  part *made = scanner_part(s, PART_COMMAND);
  made->backquoted = true;
  lexer_advance(p);
  text plain = {.in = p->memory};
  for (;;) {
    int c = lexer_char(p);
    if (c == -1) {
      parse_unclosed(p, line, "`");
      return;
    }
    int next = lexer_peek(p, 1);
    lexer_advance(p);
    if (c == '`') break;
    if (c == '\\' &&
        (next == '$' || next == '`' || next == '\\' || (next == '"' && s->how.quoted))) {
      c = next;
      lexer_advance(p);
    }
    text_char(&plain, (char)c);
  }
  text_end(&plain);
  made->source = (slice){plain.at, plain.len};
}

/* ---- arithmetic ---- */

/* Looks ahead only: quotes and parentheses, up to the one that closes. */
bool arithmetic_ahead(const parser *p) {
  const char *at = p->in->at, *end = p->in->end;
  size_t depth = 0;
  for (; at < end; at++) {
    if (*at == '\\') {
      at++;
    } else if (*at == '\'' || *at == '"') {
      char quote = *at++;
      while (at < end && *at != quote) at += *at == '\\' && quote == '"' ? 2 : 1;
    } else if (*at == '(') {
      depth++;
    } else if (*at == ')') {
      if (depth-- == 0) return at + 1 < end && at[1] == ')';
    }
  }
  return false;
}

static void scan_arithmetic(scanner *s, char closer) {
  parser *p = s->p;
  uint32_t line = p->line;
  part *made = scanner_part(s, PART_ARITHMETIC);
  lexer_advance(p);
  lexer_advance(p);
  if (closer == ')') lexer_advance(p);
  if (!parse_deeper(p)) return;
  made->expression =
      scan_nested(p, (scan_how){.kind = SCAN_ARITH, .quoted = true, .closer = closer});
  p->depth--;
  bool closed = lexer_char(p) == closer && (closer == ']' || lexer_peek(p, 1) == ')');
  if (!closed) {
    parse_unclosed(p, line, closer == ')' ? ")" : "]");
    return;
  }
  lexer_advance(p);
  if (closer == ')') lexer_advance(p);
}

/* ---- dollars ---- */

static void scan_dollar(scanner *s) {
  parser *p = s->p;
  while (lexer_peek(p, 1) == '\\' && lexer_peek(p, 2) == '\n') {
    char *at = (char *)p->in->at; /* the text is the parser's own copy */
    memcpy(at, "\\\n$", 3);
    lexer_skip(p, 2);
  }
  int next = lexer_peek(p, 1);
  bool bare = !s->how.quoted || (s->how.kind == SCAN_BRACE && !s->how.document);
  if (next == '(' && lexer_peek(p, 2) == '(') {
    const char *at = p->in->at;
    p->in->at += 3;
    bool arithmetic = arithmetic_ahead(p);
    p->in->at = at;
    if (arithmetic)
      scan_arithmetic(s, ')');
    else
      scan_command(s);
  } else if (next == '(') {
    scan_command(s);
  } else if (next == '[') {
    scan_arithmetic(s, ']');
  } else if (next == '{') {
    scan_braced(s);
  } else if (next == '\'' && bare) {
    scan_ansi(s);
  } else if (next == '"' && bare) {
    lexer_advance(p);
    scan_double(s);
  } else if (name_start(next)) {
    scan_named(s, parameter_size(p, 1));
  } else if (is_digit(next) || special_parameter(next)) {
    scan_named(s, 1);
  } else {
    lexer_advance(p);
    scanner_char(s, s->how.quoted ? PART_QUOTED : PART_LITERAL, '$');
  }
}

/* ---- where words end ---- */

/* Inside parentheses of a pattern or a regular expression everything is text. */
static bool plain_end(scanner *s, int c) {
  parser *p = s->p;
  if (s->parens > 0) {
    if (c == ')') s->parens--;
    if (c == '(') s->parens++;
    return false;
  }
  if (s->how.regex && (c == '(' || c == '|')) {
    if (c == '(') s->parens++;
    return false;
  }
  if ((c == '<' || c == '>') && lexer_peek(p, 1) == '(' && !s->how.regex) return false;
  if (c == '(' && s->how.extglob && s->run.len > 0 && s->run_kind == PART_LITERAL &&
      strchr("?*+@!", s->run.at[s->run.len - 1]) != NULL) {
    s->parens++;
    return false;
  }
  return is_meta(c);
}

static bool arith_end(scanner *s, int c) {
  char opener = s->how.closer == ']' ? '[' : '(';
  if (c == opener) s->parens++;
  if (c == s->how.closer && s->parens-- == 0) return true;
  return c == s->how.stop && s->how.stop != 0 && s->parens == 0;
}

/* In a slice the colon of ?: and those inside parentheses do not end the offset. */
static bool brace_end(scanner *s, int c) {
  if (s->how.stop == ':') {
    if (c == '(') s->parens++;
    if (c == ')' && s->parens > 0) s->parens--;
    if (c == '?') s->questions++;
    if (c == ':' && s->parens == 0) {
      if (s->questions == 0) return true;
      s->questions--;
    }
    return c == '}';
  }
  if (s->p->in->at < s->quoted_to) return false;
  return c == '}' || (c == s->how.stop && s->how.stop != 0);
}

/* In "${x:-'}'}" single quotes are text, but they still hide a brace. */
static void hide_quoted(scanner *s) {
  const char *from = s->p->in->at + 1, *end = s->p->in->end;
  const char *close = from < end ? memchr(from, '\'', (size_t)(end - from)) : NULL;
  if (close != NULL && s->p->in->at >= s->quoted_to) s->quoted_to = close + 1;
}

static bool scan_ends(scanner *s, int c) {
  switch (s->how.kind) {
    case SCAN_WORD:
      return plain_end(s, c);
    case SCAN_DOUBLE:
      return c == '"';
    case SCAN_BRACE:
      return brace_end(s, c);
    case SCAN_DOCUMENT:
      return false;
    case SCAN_ARITH:
      return arith_end(s, c);
    case SCAN_SUBSCRIPT:
      if (c == '[') s->parens++;
      return c == ']' && s->parens-- == 0;
  }
  return true;
}

/* A character that means itself, but for what it may mean to later expansions. */
static void scan_ordinary(scanner *s, int c) {
  if (c == '\'' && s->how.kind == SCAN_BRACE && s->how.quoted) hide_quoted(s);
  lexer_advance(s->p);
  if (c == '{') s->flags |= WORD_BRACE;
  if (c == '~') s->flags |= WORD_TILDE;
  scanner_char(s, s->how.quoted ? PART_QUOTED : PART_LITERAL, c);
}

static void scan_one(scanner *s, int c) {
  parser *p = s->p;
  bool quoted = s->how.quoted;
  if (c == '\\') {
    scan_backslash(s);
  } else if (c == '$') {
    scan_dollar(s);
  } else if (c == '`') {
    scan_backquote(s);
  } else if (c == '\'' && !quoted) {
    scan_single(s);
  } else if (c == '"' && (s->how.kind == SCAN_ARITH || p->in->at < s->quoted_to)) {
    lexer_advance(p);
  } else if (c == '"' && s->how.kind != SCAN_DOCUMENT) {
    scan_double(s);
  } else if ((c == '<' || c == '>') && lexer_peek(p, 1) == '(' && s->how.kind == SCAN_WORD &&
             s->parens == 0) {
    scan_process(s);
  } else {
    scan_ordinary(s, c);
  }
}

void scan_parts(scanner *s) {
  parser *p = s->p;
  for (;;) {
    int c = lexer_char(p);
    if (c == -1 || p->failed || scan_ends(s, c)) break;
    scan_one(s, c);
  }
  if (s->how.kind == SCAN_WORD && s->parens > 0) parse_unclosed(p, p->line, ")");
  flush(s);
}

/* ---- whole words ---- */

/* Without any of these a literal is what it expands to. */
static bool nothing_special(const char *at, size_t size) {
  bool bracket = false;
  for (size_t i = 0; i < size; i++) {
    if (strchr("*?\\{~(", at[i]) != NULL || (at[i] == ']' && bracket)) return false;
    bracket |= at[i] == '[';
  }
  return true;
}

static void finish_word(word *made) {
  const part *only = made->parts;
  if (only != NULL && only->next == NULL && only->kind == PART_LITERAL &&
      nothing_special(only->text.at, only->text.len))
    made->flags |= WORD_PLAIN;
}

word *scan_word(parser *p, scan_how how) {
  word *made = scan_nested(p, how);
  finish_word(made);
  return made;
}

/* The parser goes on behind the document as if it had been fine. */
static word *scan_mistake(parser *p, const parser *before) {
  word *made = arena_zero(p->memory, sizeof *made);
  made->parts = arena_zero(p->memory, sizeof *made->parts);
  made->parts->kind = PART_MISTAKE;
  made->parts->message = (slice){arena_copy(p->memory, p->error.at, p->error.len), p->error.len};
  made->parts->line = p->error_line;
  p->failed = p->incomplete = false;
  p->error.len = 0;
  p->depth = before->depth;
  p->substitutions = before->substitutions;
  p->held = before->held;
  p->documents = NULL;
  p->documents_last = &p->documents;
  return made;
}

/* A word within the body of a here-document, which has been cut out of the text already. */
word *scan_document(parser *p, const char *body, size_t size, uint32_t line) {
  input of_body = {.at = body, .end = body + size};
  input *in = p->in;
  uint32_t saved = p->line;
  const char *last_line = p->last_line, *text_start = p->text_start;
  token token = p->token;
  p->in = &of_body;
  p->last_line = p->text_start = body;
  p->line = line;
  parser before = *p;
  word *made = scan_nested(p, (scan_how){.kind = SCAN_DOCUMENT, .quoted = true, .document = true});
  if (p->failed) made = scan_mistake(p, &before);
  p->in = in;
  p->line = saved;
  p->last_line = last_line;
  p->text_start = text_start;
  p->token = token;
  return made;
}
