// SPDX-License-Identifier: MIT
/* parser.h -- from text to tree, one complete command at a time.
 *
 * The shell runs each complete command before it reads the next, since a command may change how the
 * rest is read (aliases, extglob) and a mistake further down must not stop what stands above it.
 *
 * Time is linear in the text. Recursion happens only for nesting, which PARSE_DEPTH bounds: every
 * other repetition is a loop. A parse that failed makes every further token the end of the text, so
 * the callers unwind by themselves. */
#ifndef GUEST_SHELL_PARSER_H
#define GUEST_SHELL_PARSER_H

#include "ast.h"

/* Constructs inside one another. One level costs about six frames, under 1 KiB of the guest's stack
 * all together; real scripts rarely pass 20. */
#define PARSE_DEPTH 200

typedef enum { PARSED_COMMAND, PARSED_END, PARSED_ERROR } parse_result;

typedef enum {
  TOKEN_END,
  TOKEN_NEWLINE,
  TOKEN_WORD,
  TOKEN_ASSIGNMENT,
  TOKEN_REDIRECT,
  TOKEN_AND, /* && */
  TOKEN_OR,  /* || */
  TOKEN_SEMICOLON,
  TOKEN_CASE_END,  /* ;;  */
  TOKEN_CASE_FALL, /* ;&  */
  TOKEN_CASE_TEST, /* ;;& */
  TOKEN_AMPERSAND,
  TOKEN_PIPE,
  TOKEN_PIPE_BOTH, /* |&  */
  TOKEN_OPEN,      /* (   */
  TOKEN_CLOSE,     /* )   */
  TOKEN_LESS,      /* < inside [[ ]] */
  TOKEN_GREATER,   /* > inside [[ ]] */
} token_kind;

typedef struct {
  token_kind kind;
  uint32_t line;
  slice source;
  word *word;
  assignment *assign;
  redirect *redirect;
} token;

/* How the next token is read. */
typedef enum {
  READ_COMMAND, /* a command may begin: assignments, aliases */
  READ_ARGUMENT,
  READ_DECLARATION, /* an argument of declare and its kin: assignments are words */
  READ_TEST,        /* inside [[ ]] */
  READ_REGEX,       /* right of =~ */
  READ_ELEMENT,     /* inside name=( ) */
} read_mode;

/* Text that is being read: the program's, or an alias pushed on top of it. */
typedef struct input {
  const char *at, *end;
  const char *alias; /* its name, NULL for the program */
  struct input *below;
} input;

/* A here-document whose body comes behind the next newline. */
typedef struct pending_document {
  struct pending_document *next;
  redirect *document;
} pending_document;

typedef struct parser {
  program *program;
  arena *memory;
  input *in;
  uint32_t line;
  unsigned depth;
  unsigned substitutions; /* $( or <( around */
  bool extglob;
  /* Aliases: NULL when they are off. Returns the text or NULL. */
  const char *(*alias)(void *context, const char *name);
  void *alias_context;
  bool alias_next; /* the last alias ended in a blank: look at the next word too */
  bool held;       /* `token` has been read ahead */
  token token;
  pending_document *documents, **documents_last;
  bool failed;
  bool incomplete; /* it failed because the text ended */
  text error;      /* lines without a prefix */
  uint32_t error_line;
  const char *text_start; /* of what is read: the program, or a here-document's body */
  const char *last_line;  /* where the line at hand starts, for the second line of a message */
} parser;

program *program_make(const char *source, size_t size);
void parser_begin(parser *p, program *of, uint32_t first_line);
void parser_end(parser *p); /* frees the message; the program stays */
parse_result parse_next(parser *p, node **parsed);

/* ---- between the parser's files ---- */

int lexer_peek(const parser *p, size_t ahead); /* -1 at the end */
int lexer_char(parser *p);
void lexer_advance(parser *p);
void lexer_skip_blanks(parser *p);
token *token_peek(parser *p, read_mode mode);
void token_take(parser *p);
const char *token_literal(const token *t); /* an unquoted word without $; NULL otherwise */
void skip_newlines(parser *p);

void parse_fail(parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void parse_unexpected(parser *p); /* the token at hand */
void parse_unclosed(parser *p, uint32_t line, const char *closer);
bool parse_deeper(parser *p); /* false (and failed) when the nesting is too deep */

/* Small steps of the grammar. */
bool token_is(const token *t, const char *text);               /* an unquoted word */
bool token_is_any(const token *t, const char *const *words);   /* one of a list that ends in NULL */
bool token_accept(parser *p, token_kind kind, read_mode mode); /* takes it if it is next */
bool word_accept(parser *p, const char *text);
bool word_expect(parser *p, const char *text); /* or it is a mistake */
node *node_make(parser *p, node_kind kind, uint32_t line);
node *parse_command(parser *p);
node *parse_function_keyword(parser *p);
/* A compound command, when the word at hand begins one; *was tells. */
node *parse_reserved(parser *p, bool *was);
node *parse_subshell(parser *p);

/* Commands up to a token that starts none. NULL when there is none. */
node *parse_list(parser *p, bool many_lines);
condition *parse_condition(parser *p);

/* Words. */
typedef enum {
  SCAN_WORD,      /* ends at blanks and operators */
  SCAN_DOUBLE,    /* ends at " */
  SCAN_BRACE,     /* ends at } and at `stop` */
  SCAN_DOCUMENT,  /* ends with the text */
  SCAN_ARITH,     /* ends at )) and, outside parentheses, at `stop` */
  SCAN_SUBSCRIPT, /* ends at ] */
} scan_kind;

typedef struct {
  scan_kind kind;
  bool quoted; /* ' is ordinary and \ escapes only a few */
  bool regex;
  bool document; /* in the body of a here-document, however deep */
  bool extglob;
  char stop;   /* 0: none */
  char closer; /* SCAN_ARITH: ')' or ']' */
} scan_how;

word *scan_word(parser *p, scan_how how);
assignment *scan_assignment(parser *p); /* NULL, and nothing read, when there is none here */
word *scan_document(parser *p, const char *body, size_t size, uint32_t line);
/* True when what follows (( up to the matching )) could be arithmetic. */
bool arithmetic_ahead(const parser *p);

#endif
