// SPDX-License-Identifier: MIT
/* parser.c -- the grammar of simple commands, functions, pipelines, lists and whole programs. */
#include "parser.h"

#include <stdlib.h>

/* ---- reserved words ---- */

/* Unlike WORD_PLAIN this holds for `[[` and `{` too. */
const char *token_literal(const token *t) {
  if (t->kind != TOKEN_WORD || t->word->flags & WORD_QUOTES) return NULL;
  const part *only = t->word->parts;
  if (only == NULL || only->next != NULL || only->kind != PART_LITERAL) return NULL;
  return only->text.at;
}

bool token_is(const token *t, const char *text) {
  const char *literal = token_literal(t);
  return literal != NULL && strcmp(literal, text) == 0;
}

bool token_is_any(const token *t, const char *const *words) {
  for (; *words != NULL; words++)
    if (token_is(t, *words)) return true;
  return false;
}

/* Words that end a list of commands. */
static bool closes_list(const token *t) {
  static const char *const closers[] = {"then", "do",   "done", "elif", "else",
                                        "fi",   "esac", "}",    NULL};
  return token_is_any(t, closers);
}

bool word_accept(parser *p, const char *text) {
  if (!token_is(token_peek(p, READ_COMMAND), text)) return false;
  token_take(p);
  return true;
}

bool word_expect(parser *p, const char *text) {
  if (word_accept(p, text)) return true;
  parse_unexpected(p);
  return false;
}

bool token_accept(parser *p, token_kind kind, read_mode mode) {
  if (token_peek(p, mode)->kind != kind) return false;
  token_take(p);
  return true;
}

node *node_make(parser *p, node_kind kind, uint32_t line) {
  node *made = arena_zero(p->memory, sizeof *made);
  made->kind = (uint8_t)kind;
  made->line = line;
  return made;
}

/* ---- redirections ---- */

static void parse_redirect(parser *p, redirect ***last) {
  redirect *made = p->token.redirect;
  token_take(p);
  token *target = token_peek(p, READ_ARGUMENT);
  if (target->kind != TOKEN_WORD) {
    parse_unexpected(p);
    return;
  }
  if (made->kind == REDIRECT_DOCUMENT) {
    pending_document *pending = arena_zero(p->memory, sizeof *pending);
    pending->document = made;
    made->delimiter = target->word->source;
    made->quoted = (target->word->flags & WORD_QUOTES) != 0;
    *p->documents_last = pending;
    p->documents_last = &pending->next;
  } else {
    made->target = target->word;
  }
  token_take(p);
  **last = made;
  *last = &made->next;
}

static void parse_redirects(parser *p, node *of) {
  redirect **last = &of->redirects;
  while (token_peek(p, READ_COMMAND)->kind == TOKEN_REDIRECT && !p->failed)
    parse_redirect(p, &last);
}

/* ---- simple commands and functions ---- */

/* Builtins whose arguments may be assignments: name=( ... ) is one word there. */
static bool is_declaration(const word *command) {
  static const char *const names[] = {"declare",  "typeset", "local", "export",
                                      "readonly", "eval",    "let",   NULL};
  if (command == NULL || !(command->flags & WORD_PLAIN)) return false;
  for (size_t i = 0; names[i] != NULL; i++)
    if (strcmp(command->parts->text.at, names[i]) == 0) return true;
  return false;
}

static bool is_prefix(const word *command) {
  if (!(command->flags & WORD_PLAIN)) return false;
  const char *name = command->parts->text.at;
  return strcmp(name, "command") == 0 || strcmp(name, "builtin") == 0;
}

static node *parse_function_body(parser *p, node *function) {
  skip_newlines(p);
  token *t = token_peek(p, READ_COMMAND);
  static const char *const compounds[] = {"{",    "if", "while",  "until", "for",
                                          "case", "[[", "select", NULL};
  if (t->kind != TOKEN_OPEN && !token_is_any(t, compounds)) {
    parse_unexpected(p);
    return function;
  }
  function->body = parse_command(p);
  function->end_line = p->line;
  return function;
}

static node *parse_function(parser *p, const word *name, uint32_t line) {
  node *made = node_make(p, NODE_FUNCTION, line);
  made->name = arena_copy(p->memory, name->source.at, name->source.len);
  made->hash = name_hash(made->name, name->source.len);
  return made;
}

static word *word_of_assignment(parser *p, assignment *assign) {
  word *made = arena_zero(p->memory, sizeof *made);
  made->assign = assign;
  made->source = assign->source;
  made->line = p->token.line;
  return made;
}

/* Assignments come first, redirections anywhere, the rest are words. */
static node *parse_simple(parser *p) {
  node *made = node_make(p, NODE_SIMPLE, p->token.line);
  assignment **last_assign = &made->assigns;
  word **last_word = &made->words;
  redirect **last_redirect = &made->redirects;
  read_mode mode = READ_COMMAND;
  const word *command = NULL;
  for (;;) {
    token *t = token_peek(p, mode);
    if (t->kind == TOKEN_REDIRECT) {
      parse_redirect(p, &last_redirect);
    } else if (t->kind == TOKEN_ASSIGNMENT && mode == READ_COMMAND) {
      *last_assign = t->assign;
      last_assign = &t->assign->next;
      token_take(p);
    } else if (t->kind == TOKEN_ASSIGNMENT) {
      *last_word = word_of_assignment(p, t->assign);
      last_word = &(*last_word)->next;
      token_take(p);
    } else if (t->kind == TOKEN_WORD) {
      *last_word = t->word;
      last_word = &t->word->next;
      token_take(p);
      if (command == NULL || (is_prefix(command) && made->words->next == t->word))
        command = t->word;
      mode = is_declaration(command) ? READ_DECLARATION : READ_ARGUMENT;
      if (made->words == t->word && made->assigns == NULL) {
        /* bash counts a command's line when it sees what follows its first word. */
        token *second = token_peek(p, mode);
        if (second->kind != TOKEN_NEWLINE && second->kind != TOKEN_END) made->line = second->line;
      }
      bool first = made->words == command && command->next == NULL;
      if (first && made->assigns == NULL && made->redirects == NULL &&
          token_peek(p, mode)->kind == TOKEN_OPEN) {
        node *function = parse_function(p, command, made->line);
        token_take(p);
        function->posix_name = true;
        if (!token_accept(p, TOKEN_CLOSE, READ_ARGUMENT)) {
          parse_unexpected(p);
          return made;
        }
        return parse_function_body(p, function);
      }
    } else {
      return made;
    }
    if (p->failed) return made;
  }
}

/* function name [()] compound */
node *parse_function_keyword(parser *p) {
  uint32_t line = p->token.line;
  token_take(p);
  token *name = token_peek(p, READ_ARGUMENT);
  if (name->kind != TOKEN_WORD) {
    parse_unexpected(p);
    return NULL;
  }
  node *made = parse_function(p, name->word, line);
  token_take(p);
  if (token_accept(p, TOKEN_OPEN, READ_COMMAND) && !token_accept(p, TOKEN_CLOSE, READ_COMMAND)) {
    parse_unexpected(p);
    return made;
  }
  return parse_function_body(p, made);
}

/* ---- commands ---- */

node *parse_command(parser *p) {
  token *t = token_peek(p, READ_COMMAND);
  const char *from = t->source.at;
  node *made = NULL;
  bool reserved = false;
  if (!parse_deeper(p)) return NULL;
  if (t->kind == TOKEN_OPEN) {
    made = parse_subshell(p);
    reserved = true;
  } else if (t->kind == TOKEN_WORD) {
    made = parse_reserved(p, &reserved);
  }
  if (reserved && made != NULL && !p->failed) {
    if (made->kind != NODE_FUNCTION && made->kind != NODE_COPROC) parse_redirects(p, made);
  } else if (!reserved &&
             (t->kind == TOKEN_WORD || t->kind == TOKEN_ASSIGNMENT || t->kind == TOKEN_REDIRECT)) {
    if (closes_list(t))
      parse_unexpected(p);
    else
      made = parse_simple(p);
  } else if (!reserved) {
    parse_unexpected(p);
  }
  p->depth--;
  if (made != NULL && p->held && p->token.source.at != NULL && p->token.source.at >= from)
    made->source = (slice){from, (size_t)(p->token.source.at - from)};
  return made;
}

/* ---- pipelines and lists ---- */

/* cmd |& next is cmd 2>&1 | next. */
static void pipe_errors_too(parser *p, node *stage) {
  redirect *made = arena_zero(p->memory, sizeof *made), **last = &stage->redirects;
  made->kind = REDIRECT_DUP_OUTPUT;
  made->fd = 2;
  made->target = arena_zero(p->memory, sizeof *made->target);
  part *one = arena_zero(p->memory, sizeof *one);
  one->text = (slice){"1", 1};
  made->target->parts = one;
  made->target->flags = WORD_PLAIN;
  made->target->source = one->text;
  while (*last != NULL) last = &(*last)->next;
  *last = made;
}

static void parse_stages(parser *p, node *pipeline) {
  node **last = &pipeline->first;
  for (;;) {
    node *stage = parse_command(p);
    if (stage == NULL || p->failed) return;
    *last = stage;
    last = &stage->next;
    token_kind after = token_peek(p, READ_COMMAND)->kind;
    if (after == TOKEN_PIPE_BOTH) pipe_errors_too(p, stage);
    if (after != TOKEN_PIPE && after != TOKEN_PIPE_BOTH) return;
    token_take(p);
    skip_newlines(p);
  }
}

/* `!` and `time` in front, in any order and number. */
static void parse_prefixes(parser *p, node *pipeline) {
  for (;;) {
    if (word_accept(p, "!")) {
      pipeline->negated = !pipeline->negated;
    } else if (word_accept(p, "time")) {
      pipeline->timed = 1;
      if (token_is(token_peek(p, READ_COMMAND), "-p")) {
        token_take(p);
        pipeline->timed = 2;
      }
      if (token_is(token_peek(p, READ_COMMAND), "--")) token_take(p);
    } else {
      return;
    }
  }
}

static bool ends_pipeline(token_kind kind) {
  return kind == TOKEN_NEWLINE || kind == TOKEN_SEMICOLON || kind == TOKEN_END ||
         kind == TOKEN_CLOSE || kind == TOKEN_AND || kind == TOKEN_OR || kind == TOKEN_AMPERSAND;
}

static node *parse_pipeline(parser *p) {
  token *t = token_peek(p, READ_COMMAND);
  node *made = node_make(p, NODE_PIPELINE, t->line);
  const char *from = t->source.at;
  parse_prefixes(p, made);
  bool prefixed = made->negated || made->timed || p->token.source.at != from;
  if (prefixed && (ends_pipeline(token_peek(p, READ_COMMAND)->kind) || closes_list(&p->token)))
    return made;
  parse_stages(p, made);
  if (made->negated && made->first != NULL && made->first->next == NULL)
    made->first->inverted = true;
  bool alone = made->first != NULL && made->first->next == NULL && !made->negated && !made->timed;
  return alone ? made->first : made;
}

/* A list being built; `chain` is where the and-or list at its end began, for &. */
typedef struct {
  node *first, **last, **chain;
} list_builder;

/* Turns the and-or list at the end into one item, since & puts all of it into the background. */
static void background(parser *p, list_builder *list) {
  node *items = *list->chain;
  if (items->next != NULL) {
    node *wrapped = node_make(p, NODE_LIST, items->line);
    wrapped->first = items;
    *list->chain = wrapped;
    items = wrapped;
  }
  items->joint = JOIN_BACKGROUND;
  list->last = &items->next;
  list->chain = list->last;
}

/* What follows a pipeline. Returns false when the list ends there. */
static bool parse_joint(parser *p, list_builder *list, node *item, bool many_lines) {
  token_kind kind = token_peek(p, READ_COMMAND)->kind;
  if (kind == TOKEN_AND || kind == TOKEN_OR) {
    item->joint = kind == TOKEN_AND ? JOIN_AND : JOIN_OR;
    token_take(p);
    skip_newlines(p);
    return true;
  }
  if (kind == TOKEN_AMPERSAND) background(p, list);
  list->chain = list->last;
  if (kind == TOKEN_SEMICOLON || kind == TOKEN_AMPERSAND) {
    token_take(p);
    return true;
  }
  if (kind != TOKEN_NEWLINE || !many_lines) return false;
  token_take(p);
  return true;
}

static bool list_over(parser *p, bool many_lines) {
  if (many_lines) skip_newlines(p);
  token *t = token_peek(p, READ_COMMAND);
  switch (t->kind) {
    case TOKEN_END:
    case TOKEN_NEWLINE:
    case TOKEN_CLOSE:
    case TOKEN_CASE_END:
    case TOKEN_CASE_FALL:
    case TOKEN_CASE_TEST:
      return true;
    default:
      return closes_list(t);
  }
}

node *parse_list(parser *p, bool many_lines) {
  list_builder list = {NULL, &list.first, &list.first};
  uint32_t line = p->line;
  bool joined = false;
  while (joined || !list_over(p, many_lines)) {
    node *item = parse_pipeline(p);
    if (p->failed || item == NULL) return NULL;
    *list.last = item;
    list.last = &item->next;
    if (!parse_joint(p, &list, item, many_lines)) break;
    joined = item->joint == JOIN_AND || item->joint == JOIN_OR;
  }
  if (list.first == NULL) return NULL;
  if (list.first->next == NULL && list.first->joint == JOIN_END) return list.first;
  node *made = node_make(p, NODE_LIST, line);
  made->first = list.first;
  return made;
}

/* ---- programs ---- */

/* NUL bytes cannot be part of a shell's text: bash skips them, and so does this. */
program *program_make(const char *source, size_t size) {
  program *made = memory_take(sizeof *made);
  *made = (program){.references = 1};
  made->text = memory_take(size + 1);
  if (memchr(source, 0, size) == NULL) {
    memcpy(made->text, source, size);
    made->size = size;
  } else {
    for (size_t i = 0; i < size; i++)
      if (source[i] != 0) made->text[made->size++] = source[i];
  }
  made->text[made->size] = 0;
  return made;
}

void parser_begin(parser *p, program *of, uint32_t first_line) {
  *p = (parser){.program = of, .memory = &of->memory, .line = first_line};
  p->in = arena_zero(p->memory, sizeof *p->in);
  p->in->at = of->text;
  p->in->end = of->text + of->size;
  p->last_line = p->text_start = of->text;
  p->documents_last = &p->documents;
}

void parser_end(parser *p) {
  text_free(&p->error);
}

parse_result parse_next(parser *p, node **parsed) {
  skip_newlines(p);
  *parsed = NULL;
  if (!p->failed && token_peek(p, READ_COMMAND)->kind == TOKEN_END) return PARSED_END;
  if (!p->failed) *parsed = parse_list(p, false);
  if (!p->failed) {
    token_kind after = token_peek(p, READ_COMMAND)->kind;
    if (*parsed == NULL || (after != TOKEN_NEWLINE && after != TOKEN_END)) parse_unexpected(p);
  }
  if (p->failed) return PARSED_ERROR;
  token_take(p); /* the newline; its here-documents have been read */
  if (p->documents != NULL) token_peek(p, READ_COMMAND);
  return PARSED_COMMAND;
}
