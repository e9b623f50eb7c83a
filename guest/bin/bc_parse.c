// SPDX-License-Identifier: MIT
// bc_parse.c -- from bc's text to a tree, a line at a time.
#include "bc.h"

#include <stdio.h>

enum {
  T_END = 256, /* of the file */
  T_NUMBER,
  T_NAME,
  T_STRING,
  T_LE,
  T_GE,
  T_EQ,
  T_NE,
  T_AND,
  T_OR,
  T_PLUS_PLUS,
  T_MINUS_MINUS,
  T_ASSIGN, /* op=; the word is the operator */
  T_KEYWORD
};

#define DEPTH 500 /* nested parentheses, blocks and the like */

int bc_byte(bc *c) {
  if (c->ahead != -2) {
    int byte = c->ahead;
    c->ahead = -2;
    return byte;
  }
  int byte = input_byte(&c->in);
  if (byte == '\\') {
    char *at;
    if (input_peek(&c->in, 1, &at) >= 1 && *at == '\n') {
      input_take(&c->in, 1);
      c->line++;
      return bc_byte(c);
    }
  }
  return byte;
}

static bool is_letter(int b) {
  return b >= 'a' && b <= 'z';
}
static bool is_digit(int b) {
  return (b >= '0' && b <= '9') || (b >= 'A' && b <= 'Z');
}

static void wrong(bc *c, const char *what) {
  if (c->failed) return;
  c->failed = true;
  text message = {0};
  output_flush(&c->b.out);
  text_format(&message, "%s %zu: %s\n", c->path, c->line, what);
  sys_write(2, message.at, message.len);
  text_free(&message);
}

static const char *const keywords[] = {"define", "auto",   "return",   "if",    "else",   "while",
                                       "for",    "break",  "continue", "quit",  "halt",   "print",
                                       "length", "scale",  "sqrt",     "ibase", "obase",  "last",
                                       "read",   "limits", "warranty", "void",  "history"};

static int either(bc *c, int second, int both, int alone) {
  int byte = bc_byte(c);
  if (byte == second) return both;
  c->ahead = byte;
  return alone;
}

/* An operator that may be followed by "=": its assignment, its double, or itself. */
static int operator_token(bc *c, int op, int twice, int twice_token) {
  int byte = bc_byte(c);
  c->word.len = 0;
  text_char(&c->word, (char)op);
  text_end(&c->word);
  if (byte == '=') return T_ASSIGN;
  if (twice != 0 && byte == twice) return twice_token;
  c->ahead = byte;
  return op;
}

static void next(bc *c) {
  int byte = bc_byte(c);
  for (;;) {
    if (byte == ' ' || byte == '\t' || byte == '\r' || byte == '\f' || byte == '\v') {
      byte = bc_byte(c);
    } else if (byte == '#') {
      while (byte >= 0 && byte != '\n') byte = bc_byte(c);
    } else if (byte == '/') {
      byte = bc_byte(c);
      if (byte != '*') {
        c->ahead = byte;
        c->token = operator_token(c, '/', 0, 0);
        return;
      }
      byte = bc_byte(c);
      for (int before = 0; byte >= 0 && !(before == '*' && byte == '/'); byte = bc_byte(c)) {
        if (byte == '\n') c->line++;
        before = byte;
      }
      byte = byte < 0 ? byte : bc_byte(c);
    } else {
      break;
    }
  }
  c->word.len = 0;
  if (byte < 0) {
    c->token = T_END;
  } else if (is_letter(byte)) {
    for (; is_letter(byte) || (byte >= '0' && byte <= '9') || byte == '_'; byte = bc_byte(c))
      text_char(&c->word, (char)byte);
    c->ahead = byte;
    text_end(&c->word);
    c->token = T_NAME;
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
      if (strcmp(c->word.at, keywords[i]) == 0) c->token = T_KEYWORD;
    }
  } else if (is_digit(byte) || byte == '.') {
    bool point = false;
    for (; is_digit(byte) || (byte == '.' && !point); byte = bc_byte(c)) {
      point |= byte == '.';
      text_char(&c->word, (char)byte);
    }
    c->ahead = byte;
    c->token = T_NUMBER;
    if (c->word.len == 1 && point) { /* a point alone is the last value */
      c->token = T_KEYWORD;
      c->word.len = 0;
      text_string(&c->word, "last");
    }
    text_end(&c->word);
  } else if (byte == '"') {
    for (byte = bc_byte(c); byte >= 0 && byte != '"'; byte = bc_byte(c)) {
      if (byte == '\n') c->line++;
      text_char(&c->word, (char)byte);
    }
    text_end(&c->word);
    c->token = T_STRING;
  } else {
    switch (byte) {
      case '<':
        c->token = either(c, '=', T_LE, '<');
        break;
      case '>':
        c->token = either(c, '=', T_GE, '>');
        break;
      case '=':
        c->token = either(c, '=', T_EQ, T_ASSIGN);
        text_string(&c->word, "=");
        break;
      case '!':
        c->token = either(c, '=', T_NE, '!');
        break;
      case '&':
        c->token = either(c, '&', T_AND, '&');
        break;
      case '|':
        c->token = either(c, '|', T_OR, '|');
        break;
      case '+':
        c->token = operator_token(c, '+', '+', T_PLUS_PLUS);
        break;
      case '-':
        c->token = operator_token(c, '-', '-', T_MINUS_MINUS);
        break;
      case '*':
      case '%':
      case '^':
        c->token = operator_token(c, byte, 0, 0);
        break;
      case '\n':
        c->line++;
        c->token = '\n';
        break;
      default:
        c->token = byte;
        if (strchr("(){}[],;", byte) == NULL) {
          text message = {0};
          text_format(
              &message,
              byte >= ' ' && byte < 127 ? "illegal character: %c" : "illegal character: \\%03o",
              byte);
          wrong(c, text_end(&message));
          text_free(&message);
        }
        break;
    }
  }
}

int bc_name_of(bc *c, const char *name) {
  for (size_t i = 0; i < c->name_count; i++) {
    if (strcmp(c->names[i].name, name) == 0) return (int)i;
  }
  if (c->name_count == c->name_room)
    c->names = memory_resize(c->names, (c->name_room = c->name_room * 2 + 32) * sizeof *c->names);
  c->names[c->name_count] = (bc_name){.name = memory_string(name)};
  return (int)c->name_count++;
}

static bc_node *node(bc_kind kind) {
  bc_node *n = memory_take(sizeof *n);
  *n = (bc_node){.kind = kind};
  return n;
}

void bc_free(bc_node *list) {
  while (list != NULL) {
    bc_node *following = list->next;
    free(list->text);
    number_drop(list->value);
    bc_free(list->a);
    bc_free(list->b);
    bc_free(list->c);
    bc_free(list->d);
    free(list);
    list = following;
  }
}

static bool is_word(const bc *c, const char *word) {
  return c->token == T_KEYWORD && strcmp(c->word.at, word) == 0;
}

static bool take(bc *c, int token) {
  if (c->token != token) return false;
  next(c);
  return true;
}

static void need(bc *c, int token) {
  if (!c->failed && !take(c, token)) wrong(c, "syntax error");
}

static bool deeper(bc *c) {
  if (++c->depth < DEPTH && process_stack_left() > 16384) return true;
  wrong(c, "Program too deep");
  return false;
}

static bc_node *expression(bc *c);
static bc_node *additive(bc *c);

static bc_node *arguments(bc *c) {
  bc_node *first = NULL, **end = &first;
  if (take(c, ')')) return NULL;
  while (!c->failed) {
    *end = expression(c);
    if (*end != NULL) end = &(*end)->next;
    if (!take(c, ',')) break;
  }
  need(c, ')');
  return first;
}

static bc_node *assigned(bc *c, bc_node *to) {
  if (c->token == T_ASSIGN) {
    bc_node *n = node(BC_ASSIGN);
    n->op = c->word.at[0];
    next(c);
    n->a = to;
    n->b = additive(c);
    return n;
  }
  if (c->token == T_PLUS_PLUS || c->token == T_MINUS_MINUS) {
    bc_node *n = node(BC_AFTER);
    n->op = c->token == T_PLUS_PLUS ? '+' : '-';
    n->a = to;
    next(c);
    return n;
  }
  return to;
}

static bc_node *keyword_primary(bc *c) {
  if (is_word(c, "length") || is_word(c, "sqrt") || is_word(c, "scale")) {
    bc_kind kind = c->word.at[0] == 'l' ? BC_LENGTH : c->word.at[1] == 'q' ? BC_ROOT : BC_SCALE_OF;
    next(c);
    if (kind == BC_SCALE_OF && c->token != '(') {
      bc_node *n = node(BC_SPECIAL);
      n->op = 's';
      return assigned(c, n);
    }
    need(c, '(');
    bc_node *n = node(kind);
    n->a = expression(c);
    need(c, ')');
    return n;
  }
  if (is_word(c, "ibase") || is_word(c, "obase") || is_word(c, "last")) {
    bc_node *n = node(BC_SPECIAL);
    n->op = c->word.at[0];
    next(c);
    return assigned(c, n);
  }
  if (is_word(c, "read")) {
    next(c);
    need(c, '(');
    need(c, ')');
    return node(BC_READ);
  }
  wrong(c, "syntax error");
  return NULL;
}

static bc_node *named(bc *c) {
  bc_node *n = node(BC_VARIABLE);
  n->name = bc_name_of(c, c->word.at);
  next(c);
  if (take(c, '(')) {
    n->kind = BC_CALL;
    n->a = arguments(c);
    return n;
  }
  if (take(c, '[')) {
    if (take(c, ']')) {
      n->kind = BC_ARRAY;
      return n;
    }
    n->kind = BC_ELEMENT;
    n->a = expression(c);
    need(c, ']');
  }
  return assigned(c, n);
}

static bc_node *primary(bc *c) {
  bc_node *n = NULL;
  if (c->failed) return NULL;
  if (c->token == T_NUMBER) {
    n = node(BC_NUMBER);
    n->text = memory_string(c->word.at);
    next(c);
    return n;
  }
  if (c->token == T_NAME) return named(c);
  if (c->token == T_KEYWORD) return keyword_primary(c);
  if (take(c, '(')) {
    if (!deeper(c)) return NULL;
    if (c->returning && c->token == ')') { /* return () */
      next(c);
      n = node(BC_NUMBER);
      n->text = memory_string("0");
      c->depth--;
      return n;
    }
    c->returning = false;
    n = node(BC_GROUP);
    n->a = expression(c);
    need(c, ')');
    c->depth--;
    return n;
  }
  if (c->token == '-') {
    next(c);
    if (!deeper(c)) return NULL;
    n = node(BC_NEGATE);
    n->a = primary(c);
    c->depth--;
    return n;
  }
  if (c->token == T_PLUS_PLUS || c->token == T_MINUS_MINUS) {
    n = node(BC_BEFORE);
    n->op = c->token == T_PLUS_PLUS ? '+' : '-';
    next(c);
    n->a = primary(c);
    if (n->a == NULL ||
        (n->a->kind != BC_VARIABLE && n->a->kind != BC_ELEMENT && n->a->kind != BC_SPECIAL))
      wrong(c, "syntax error");
    return n;
  }
  wrong(c, "syntax error");
  return NULL;
}

static bc_node *binary(int op, bc_node *a, bc_node *b) {
  bc_node *n = node(BC_BINARY);
  n->op = op;
  n->a = a;
  n->b = b;
  return n;
}

static bc_node *power(bc *c) {
  bc_node *a = primary(c);
  if (c->token != '^' || c->failed) return a;
  next(c);
  if (!deeper(c)) return a;
  a = binary('^', a, power(c));
  c->depth--;
  return a;
}

static bc_node *multiplied(bc *c) {
  bc_node *a = power(c);
  while (!c->failed && (c->token == '*' || c->token == '/' || c->token == '%')) {
    int op = c->token;
    next(c);
    a = binary(op, a, power(c));
  }
  return a;
}

static bc_node *additive(bc *c) {
  if (!deeper(c)) return NULL;
  bc_node *a = multiplied(c);
  while (!c->failed && (c->token == '+' || c->token == '-')) {
    int op = c->token;
    next(c);
    a = binary(op, a, multiplied(c));
  }
  c->depth--;
  return a;
}

static bc_node *compared(bc *c) {
  bc_node *a = additive(c);
  for (;;) {
    int op = c->token == '<'    ? '<'
             : c->token == '>'  ? '>'
             : c->token == T_LE ? 'l'
             : c->token == T_GE ? 'g'
             : c->token == T_EQ ? 'e'
             : c->token == T_NE ? 'n'
                                : 0;
    if (op == 0 || c->failed) return a;
    next(c);
    a = binary(op, a, additive(c));
  }
}

static bc_node *negated(bc *c) {
  if (c->token != '!') return compared(c);
  next(c);
  if (!deeper(c)) return NULL;
  bc_node *n = node(BC_NOT);
  n->a = negated(c);
  c->depth--;
  return n;
}

static bc_node *expression(bc *c) {
  bc_node *a = NULL, *whole = NULL;
  for (bool first = true; first || (take(c, T_OR) && !c->failed); first = false) {
    a = negated(c);
    while (!c->failed && take(c, T_AND)) a = binary('&', a, negated(c));
    whole = first ? a : binary('|', whole, a);
  }
  return whole;
}

static void skip_lines(bc *c) {
  while (c->token == '\n' && !c->failed) next(c);
}

static bc_node *statement(bc *c);

static bc_node *block(bc *c) {
  bc_node *n = node(BC_BLOCK), **end = &n->a;
  if (!deeper(c)) return n;
  while (!c->failed && c->token != '}') {
    if (take(c, '\n') || take(c, ';')) continue;
    if (c->token == T_END) {
      wrong(c, "syntax error");
      break;
    }
    *end = statement(c);
    if (*end != NULL) end = &(*end)->next;
    if (c->token != '}' && c->token != ';' && c->token != '\n') wrong(c, "syntax error");
  }
  need(c, '}');
  c->depth--;
  return n;
}

static bc_node *optional(bc *c, int end) {
  return c->token == end ? NULL : expression(c);
}

static bc_node *body_of(bc *c) {
  skip_lines(c);
  if (!deeper(c)) return NULL;
  bc_node *n = statement(c);
  c->depth--;
  return n;
}

static bc_node *loop(bc *c) {
  bc_node *n;
  if (is_word(c, "while")) {
    n = node(BC_WHILE);
    next(c);
    need(c, '(');
    n->a = expression(c);
  } else {
    n = node(BC_FOR);
    next(c);
    need(c, '(');
    n->a = optional(c, ';');
    need(c, ';');
    n->b = optional(c, ';');
    need(c, ';');
    n->c = optional(c, ')');
  }
  need(c, ')');
  c->loops++;
  n->d = body_of(c);
  c->loops--;
  return n;
}

static bc_node *print(bc *c) {
  bc_node *n = node(BC_PRINT), **end = &n->a;
  next(c);
  while (!c->failed) {
    if (c->token == T_STRING) {
      *end = node(BC_STRING);
      (*end)->text = memory_string(c->word.at);
      next(c);
    } else {
      *end = expression(c);
    }
    if (*end != NULL) end = &(*end)->next;
    if (!take(c, ',')) break;
  }
  return n;
}

static bc_node *simple_statement(bc *c, bc_kind kind) {
  next(c);
  return node(kind);
}

static bc_node *statement(bc *c) {
  if (c->failed) return NULL;
  if (c->token == T_STRING) {
    bc_node *n = node(BC_STRING);
    n->text = memory_string(c->word.at);
    next(c);
    return n;
  }
  if (take(c, '{')) return block(c);
  if (is_word(c, "if")) {
    bc_node *n = node(BC_IF);
    next(c);
    need(c, '(');
    n->a = expression(c);
    need(c, ')');
    n->b = body_of(c);
    if (is_word(c, "else")) {
      next(c);
      n->c = body_of(c);
    }
    return n;
  }
  if (is_word(c, "while") || is_word(c, "for")) return loop(c);
  if (is_word(c, "print")) return print(c);
  if (is_word(c, "break") || is_word(c, "continue")) {
    bc_kind kind = c->word.at[0] == 'b' ? BC_BREAK : BC_CONTINUE;
    if (c->loops == 0)
      wrong(c, kind == BC_BREAK ? "Break outside a for/while" : "Continue outside a for");
    return simple_statement(c, kind);
  }
  if (is_word(c, "halt")) return simple_statement(c, BC_HALT);
  if (is_word(c, "limits")) return simple_statement(c, BC_LIMITS);
  if (is_word(c, "quit")) { /* at once, even where it would not be reached */
    bin_exit(&c->b, 0);
  }
  if (is_word(c, "return")) {
    if (!c->in_function) wrong(c, "Return outside of a function.");
    bc_node *n = simple_statement(c, BC_RETURN);
    if (c->token != '\n' && c->token != ';' && c->token != '}' && c->token != T_END) {
      c->returning = true;
      n->a = expression(c);
      c->returning = false;
    }
    return n;
  }
  bc_node *n = node(BC_SHOW);
  n->a = expression(c);
  if (n->a != NULL && n->a->kind == BC_ASSIGN) n->kind = BC_QUIETLY;
  return n;
}

/* a, b[], *d[]: to the closing token, or the end of an auto line. */
static bc_parameter *parameters(bc *c, size_t *count) {
  bc_parameter *list = NULL;
  *count = 0;
  while (!c->failed && (c->token == T_NAME || c->token == '*')) {
    bc_parameter p = {.reference = take(c, '*')};
    if (c->token != T_NAME) {
      wrong(c, "syntax error");
      break;
    }
    p.name = bc_name_of(c, c->word.at);
    next(c);
    if (take(c, '[')) {
      p.array = true;
      need(c, ']');
    }
    list = memory_resize(list, (*count + 1) * sizeof *list);
    list[(*count)++] = p;
    if (!take(c, ',')) break;
  }
  return list;
}

static void definition(bc *c) {
  bc_function f = {.defined = true};
  next(c);
  if (is_word(c, "void")) {
    f.nothing = true;
    next(c);
  }
  if (c->token != T_NAME) {
    wrong(c, "syntax error");
    return;
  }
  int name = bc_name_of(c, c->word.at);
  next(c);
  need(c, '(');
  f.parameters = parameters(c, &f.parameter_count);
  need(c, ')');
  skip_lines(c);
  need(c, '{');
  while (!c->failed && (c->token == '\n' || c->token == ';')) next(c);
  if (is_word(c, "auto")) {
    next(c);
    f.locals = parameters(c, &f.local_count);
    if (c->token != '\n' && c->token != ';') wrong(c, "syntax error");
  }
  c->in_function = true;
  int loops = c->loops;
  c->loops = 0;
  f.body = block(c);
  c->loops = loops;
  c->in_function = false;
  if (c->failed) {
    bc_free(f.body);
    return;
  }
  c->names[name].function = f; /* what was there may still run: it stays in memory */
}

bool bc_parse(bc *c, bc_node **statements) {
  bc_node **end = statements;
  *statements = NULL;
  c->failed = false;
  c->depth = c->loops = 0;
  c->in_function = false;
  next(c);
  if (c->token == T_END) return false;
  while (!c->failed && c->token != '\n' && c->token != T_END) {
    if (take(c, ';')) continue;
    if (is_word(c, "define")) {
      definition(c);
    } else {
      *end = statement(c);
      if (*end != NULL) end = &(*end)->next;
    }
    if (c->token != '\n' && c->token != ';' && c->token != T_END) wrong(c, "syntax error");
  }
  if (c->failed) {
    bc_free(*statements);
    *statements = NULL;
    while (c->token != '\n' && c->token != T_END) {
      c->failed = true; /* no second message for the line */
      next(c);
    }
  }
  return true;
}
