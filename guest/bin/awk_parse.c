// SPDX-License-Identifier: MIT
// awk_parse.c -- awk's grammar, by recursive descent.
#include "awk.h"

/* Nesting of expressions and statements, each level some 500 bytes of stack over its functions. */
#define DEPTH_MAX 250

static awk_node *expression(awk *a);
static awk_node *statement(awk *a);
static awk_node *unary(awk *a);
static awk_node *primary(awk *a);

static awk_node *make(awk *a, awk_op op, awk_node *x, awk_node *y) {
  awk_node *n = memory_take(sizeof *n);
  *n = (awk_node){.op = op, .line = a->line, .a = x, .b = y};
  return n;
}

static void push(awk_node *n, awk_node *item) {
  if ((n->count & (n->count + 1)) == 0)
    n->list = memory_resize(n->list, (n->count + 1) * 2 * sizeof *n->list);
  n->list[n->count++] = item;
}

static bool accept(awk *a, int token) {
  if (a->token != token) return false;
  awk_next(a);
  return true;
}

static void expect(awk *a, int token) {
  if (!accept(a, token)) awk_syntax(a);
}

static void skip_newlines(awk *a) {
  while (a->token == T_NEWLINE) awk_next(a);
}

static void enter(awk *a) {
  if (++a->depth > DEPTH_MAX)
    bin_die(&a->b, 2, "%s:%d: the program nests too deeply", a->source_name, a->line);
}

size_t awk_global(awk *a, const char *name, size_t size) {
  for (size_t i = 0; i < a->global_count; i++) {
    if (strlen(a->global_names[i]) == size && memcmp(a->global_names[i], name, size) == 0) return i;
  }
  if (a->global_count == a->global_room) {
    a->global_room = a->global_room * 2 + 64;
    a->globals = memory_resize(a->globals, a->global_room * sizeof *a->globals);
    a->global_names = memory_resize(a->global_names, a->global_room * sizeof *a->global_names);
  }
  a->globals[a->global_count] = (awk_slot){0};
  a->global_names[a->global_count] = memory_copy(name, size);
  return a->global_count++;
}

static size_t function_number(awk *a, const char *name, size_t size) {
  for (size_t i = 0; i < a->function_count; i++) {
    if (strlen(a->functions[i].name) == size && memcmp(a->functions[i].name, name, size) == 0)
      return i;
  }
  a->functions = memory_resize(a->functions, (a->function_count + 1) * sizeof *a->functions);
  a->functions[a->function_count] = (awk_function){.name = memory_copy(name, size)};
  return a->function_count++;
}

static awk_node *variable(awk *a) {
  const char *name = a->token_text;
  size_t size = a->token_size;
  awk_node *n = make(a, N_GLOBAL, NULL, NULL);
  if (a->current != NULL) {
    for (size_t i = a->current->count; i > 0; i--) {
      if (strlen(a->current->parameters[i - 1]) == size &&
          memcmp(a->current->parameters[i - 1], name, size) == 0) {
        n->op = N_LOCAL;
        n->slot = i - 1;
        awk_next(a);
        return n;
      }
    }
  }
  n->slot = awk_global(a, name, size);
  awk_next(a);
  return n;
}

static void arguments(awk *a, awk_node *n, int close) {
  bool no_gt = a->no_gt, no_in = a->no_in;
  a->no_gt = a->no_in = false;
  skip_newlines(a);
  while (a->token != close) {
    push(n, expression(a));
    skip_newlines(a);
    if (a->token == close) break;
    expect(a, ',');
    skip_newlines(a);
  }
  a->no_gt = no_gt;
  a->no_in = no_in;
  expect(a, close);
}

/* At a '/' (or "/=") where an operand belongs. */
static awk_node *regex_constant(awk *a) {
  const char *begin = a->token == T_DIV_ASSIGN ? a->at - 1 : a->at;
  a->at = begin;
  bool bracket = false;
  for (; a->at < a->limit && *a->at != '\n'; a->at++) {
    if (*a->at == '\\' && a->at + 1 < a->limit) {
      a->at++;
    } else if (bracket) {
      bool first = a->at[-1] == '[' || (a->at[-1] == '^' && a->at[-2] == '[');
      if (*a->at == '[' && a->at + 1 < a->limit && a->at[1] == ':') {
        const char *close = strstr(a->at, ":]");
        if (close != NULL) a->at = close + 1;
      } else if (*a->at == ']' && !first) {
        bracket = false;
      }
    } else if (*a->at == '[') {
      bracket = true;
    } else if (*a->at == '/') {
      break;
    }
  }
  if (a->at >= a->limit || *a->at != '/')
    bin_die(&a->b, 1, "%s:%d: unterminated regexp", a->source_name, a->line);
  awk_node *n = make(a, N_REGEX, NULL, NULL);
  n->string = string_new(begin, (size_t)(a->at - begin));
  const char *error;
  n->re = regex_compile(begin, n->string->size, REGEX_AWK, 0, &error);
  if (n->re == NULL)
    bin_die(&a->b, 1, "%s:%d: %s: /%s/", a->source_name, a->line, error, n->string->at);
  a->at++;
  a->token = T_REGEX;
  awk_next(a);
  return n;
}

static awk_node *grouping(awk *a) {
  bool no_gt = a->no_gt, no_in = a->no_in;
  a->no_gt = a->no_in = false;
  awk_next(a);
  skip_newlines(a);
  awk_node *n = expression(a);
  skip_newlines(a);
  if (a->token == ',') { /* (i, j) in array */
    awk_node *list = make(a, N_GROUP, NULL, NULL);
    push(list, n);
    while (accept(a, ',')) {
      skip_newlines(a);
      push(list, expression(a));
      skip_newlines(a);
    }
    n = list;
  } else {
    n = make(a, N_GROUP, n, NULL);
  }
  a->no_gt = no_gt;
  a->no_in = no_in;
  expect(a, ')');
  return n;
}

static bool is_lvalue(const awk_node *n) {
  return n->op == N_GLOBAL || n->op == N_LOCAL || n->op == N_FIELD || n->op == N_INDEX;
}

/* getline [lvalue] [< file] */
static awk_node *getline(awk *a, awk_node *command) {
  awk_node *n = make(a, N_GETLINE, NULL, command);
  n->redirect = command != NULL ? '|' : 0;
  awk_next(a);
  if (a->token == T_NAME || a->token == '$') {
    enter(a);
    bool no_gt = a->no_gt;
    awk_node *target = NULL;
    if (a->token == '$') {
      awk_next(a);
      awk_node *which = a->token == T_INC || a->token == T_DEC || a->token == '-' ? unary(a) : NULL;
      if (which == NULL)
        which = a->token == '(' ? grouping(a) : a->token == T_NUMBER ? NULL : variable(a);
      if (which == NULL) {
        which = make(a, N_NUMBER, NULL, NULL);
        which->number = a->token_number;
        awk_next(a);
      }
      target = make(a, N_FIELD, which, NULL);
    } else {
      target = variable(a);
      if (a->token == '[') {
        awk_next(a);
        awk_node *index = make(a, N_INDEX, target, NULL);
        arguments(a, index, ']');
        target = index;
      }
    }
    n->a = target;
    a->no_gt = no_gt;
    a->depth--;
  }
  if (command == NULL && a->token == '<') {
    awk_next(a);
    n->redirect = '<';
    /* A primary without concatenation: getline < "a" "b" is (getline < "a") "b". */
    bool no_in = a->no_in;
    a->no_in = true;
    enter(a);
    n->b = primary(a);
    a->depth--;
    a->no_in = no_in;
  }
  return n;
}

static awk_node *builtin_call(awk *a) {
  awk_node *n = make(a, N_BUILTIN, NULL, NULL);
  n->slot = a->token_slot;
  awk_next(a);
  if (a->token == '(') {
    awk_next(a);
    arguments(a, n, ')');
  } else if (n->slot != B_LENGTH) {
    awk_syntax(a);
  }
  static const unsigned char least[] = {0, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 2, 1, 1, 1, 1, 0, 0, 1,
                                        1, 1, 1, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2, 1, 1, 1, 1};
  static const unsigned char most[] = {1, 3, 2,   4,   3,   3, 4, 3, 255, 1, 1, 2, 1,
                                       1, 1, 1,   0,   1,   1, 1, 1, 2,   1, 3, 0, 2,
                                       3, 3, 255, 255, 255, 2, 2, 1, 1,   1, 1};
  if (n->count < least[n->slot] || n->count > most[n->slot]) {
    bin_die(&a->b, 1, "%s:%d: %zu is invalid as number of arguments for %s", a->source_name,
            a->line, n->count, awk_builtin_name(n->slot));
  }
  return n;
}

static awk_node *function_call(awk *a) {
  awk_node *n = make(a, N_CALL, NULL, NULL);
  n->slot = function_number(a, a->token_text, a->token_size);
  awk_next(a);
  expect(a, '(');
  arguments(a, n, ')');
  return n;
}

static awk_node *primary(awk *a) {
  awk_node *n;
  switch (a->token) {
    case T_NUMBER:
      n = make(a, N_NUMBER, NULL, NULL);
      n->number = a->token_number;
      awk_next(a);
      return n;
    case T_STRING:
      n = make(a, N_STRING, NULL, NULL);
      n->string = awk_unescape(a->token_text, a->token_size);
      awk_next(a);
      return n;
    case '/':
    case T_DIV_ASSIGN:
      return regex_constant(a);
    case '(':
      return grouping(a);
    case '$':
      awk_next(a);
      enter(a);
      if (a->token == T_INC || a->token == T_DEC) {
        awk_op op = a->token == T_INC ? N_PRE_INC : N_PRE_DEC;
        awk_next(a);
        n = make(a, N_FIELD, make(a, op, primary(a), NULL), NULL);
      } else if (a->token == '-' || a->token == '+' || a->token == '!') {
        awk_op op = a->token == '-' ? N_MINUS : a->token == '+' ? N_PLUS : N_NOT;
        awk_next(a);
        n = make(a, N_FIELD, make(a, op, primary(a), NULL), NULL);
      } else {
        n = make(a, N_FIELD, primary(a), NULL);
      }
      a->depth--;
      return n;
    case T_BUILTIN:
      return builtin_call(a);
    case T_FUNC_NAME:
      return function_call(a);
    case T_GETLINE:
      return getline(a, NULL);
    case T_NAME:
      n = variable(a);
      if (a->token != '[') return n;
      awk_next(a);
      n = make(a, N_INDEX, n, NULL);
      arguments(a, n, ']');
      return n;
    default:
      awk_syntax(a);
  }
}

static awk_node *postfix(awk *a) {
  if (a->token == T_INC || a->token == T_DEC) {
    awk_op op = a->token == T_INC ? N_PRE_INC : N_PRE_DEC;
    awk_next(a);
    awk_node *target = primary(a);
    if (!is_lvalue(target)) awk_syntax(a);
    return make(a, op, target, NULL);
  }
  awk_node *n = primary(a);
  if (is_lvalue(n) && (a->token == T_INC || a->token == T_DEC)) {
    n = make(a, a->token == T_INC ? N_POST_INC : N_POST_DEC, n, NULL);
    awk_next(a);
  }
  return n;
}

static awk_node *power(awk *a) {
  awk_node *left = postfix(a);
  if (!accept(a, T_POW)) return left;
  enter(a);
  /* Right to left, and -2 may stand behind it. */
  awk_node *right = a->token == '-' || a->token == '+' || a->token == '!' ? unary(a) : power(a);
  a->depth--;
  return make(a, N_POW, left, right);
}

static awk_node *unary(awk *a) {
  awk_op op = a->token == '!'   ? N_NOT
              : a->token == '-' ? N_MINUS
              : a->token == '+' ? N_PLUS
                                : N_NUMBER;
  if (op == N_NUMBER) return power(a);
  awk_next(a);
  enter(a);
  awk_node *n = make(a, op, unary(a), NULL);
  a->depth--;
  return n;
}

static awk_node *product(awk *a) {
  awk_node *left = unary(a);
  for (;;) {
    awk_op op = a->token == '*'   ? N_MUL
                : a->token == '/' ? N_DIV
                : a->token == '%' ? N_MOD
                                  : N_NUMBER;
    if (op == N_NUMBER) return left;
    awk_next(a);
    left = make(a, op, left, unary(a));
  }
}

static awk_node *sum(awk *a) {
  awk_node *left = product(a);
  for (;;) {
    awk_op op = a->token == '+' ? N_ADD : a->token == '-' ? N_SUB : N_NUMBER;
    if (op == N_NUMBER) return left;
    awk_next(a);
    left = make(a, op, left, product(a));
  }
}

static bool starts_operand(const awk *a) {
  switch (a->token) {
    case T_NUMBER:
    case T_STRING:
    case T_NAME:
    case T_FUNC_NAME:
    case T_BUILTIN:
    case '$':
    case '!':
    case '(':
    case '-':
    case '+':
    case T_INC:
    case T_DEC:
      return true;
    default:
      return false; /* a '/' here divides; "getline" would be a command's */
  }
}

static awk_node *concatenation(awk *a) {
  awk_node *left = sum(a);
  while (starts_operand(a) && a->token != '+' && a->token != '-') {
    if (a->token == T_IN) break;
    left = make(a, N_CONCAT, left, sum(a));
  }
  return left;
}

static awk_node *comparison(awk *a) {
  awk_node *left = concatenation(a);
  for (;;) {
    if (a->token == '|' && !a->no_gt) {
      const char *look = a->at;
      while (look < a->limit && (*look == ' ' || *look == '\t')) look++;
      if (a->limit - look < 7 || memcmp(look, "getline", 7) != 0) return left;
      awk_next(a);
      left = getline(a, left);
      continue;
    }
    if (a->token == '|') { /* in print: a pipe out, unless getline follows */
      const char *look = a->at;
      while (look < a->limit && (*look == ' ' || *look == '\t')) look++;
      if (a->limit - look < 7 || memcmp(look, "getline", 7) != 0) return left;
      awk_next(a);
      left = getline(a, left);
      continue;
    }
    awk_op op = a->token == '<'                ? N_LT
                : a->token == T_LE             ? N_LE
                : a->token == T_EQ             ? N_EQ
                : a->token == T_NE             ? N_NE
                : a->token == '>' && !a->no_gt ? N_GT
                : a->token == T_GE             ? N_GE
                                               : N_NUMBER;
    if (op == N_NUMBER) return left;
    awk_next(a);
    left = make(a, op, left, concatenation(a));
  }
}

static awk_node *matching(awk *a) {
  awk_node *left = comparison(a);
  while (a->token == '~' || a->token == T_NOT_MATCH) {
    awk_op op = a->token == '~' ? N_MATCH : N_NOT_MATCH;
    awk_next(a);
    left = make(a, op, left, comparison(a));
  }
  return left;
}

static awk_node *membership(awk *a) {
  awk_node *left = matching(a);
  while (a->token == T_IN && !a->no_in) {
    awk_next(a);
    if (a->token != T_NAME) awk_syntax(a);
    awk_node *n = make(a, N_IN, variable(a), NULL);
    if (left->op == N_GROUP && left->count > 0) {
      n->list = left->list;
      n->count = left->count;
    } else {
      push(n, left);
    }
    left = n;
  }
  return left;
}

static awk_node *conjunction(awk *a) {
  awk_node *left = membership(a);
  while (accept(a, T_AND)) {
    skip_newlines(a);
    left = make(a, N_AND, left, membership(a));
  }
  return left;
}

static awk_node *disjunction(awk *a) {
  awk_node *left = conjunction(a);
  while (accept(a, T_OR)) {
    skip_newlines(a);
    left = make(a, N_OR, left, conjunction(a));
  }
  return left;
}

static awk_node *condition(awk *a) {
  awk_node *left = disjunction(a);
  if (a->token != '?') return left;
  awk_next(a);
  skip_newlines(a);
  awk_node *n = make(a, N_CONDITION, left, expression(a));
  skip_newlines(a);
  expect(a, ':');
  skip_newlines(a);
  n->c = expression(a);
  return n;
}

static awk_node *expression(awk *a) {
  enter(a);
  awk_node *left = condition(a);
  awk_op op;
  switch (a->token) {
    case '=':
      op = N_ASSIGN;
      break;
    case T_ADD_ASSIGN:
      op = N_ADD_ASSIGN;
      break;
    case T_SUB_ASSIGN:
      op = N_SUB_ASSIGN;
      break;
    case T_MUL_ASSIGN:
      op = N_MUL_ASSIGN;
      break;
    case T_DIV_ASSIGN:
      op = N_DIV_ASSIGN;
      break;
    case T_MOD_ASSIGN:
      op = N_MOD_ASSIGN;
      break;
    case T_POW_ASSIGN:
      op = N_POW_ASSIGN;
      break;
    default:
      a->depth--;
      return left;
  }
  /* The target may be the right end of what was read: in "1 == x = 2" or "!x = y" it is x. */
  awk_node **target = &left;
  while (!is_lvalue(*target)) {
    awk_node *n = *target;
    if (n->op == N_NOT || n->op == N_MINUS || n->op == N_PLUS)
      target = &n->a;
    else if ((n->op >= N_OR && n->op <= N_POW && n->op != N_IN) || n->op == N_CONDITION)
      target = n->op == N_CONDITION ? &n->c : &n->b;
    else
      awk_syntax(a);
  }
  awk_next(a);
  skip_newlines(a);
  awk_node *value = expression(a);
  *target = make(a, op, *target, value);
  a->depth--;
  return left;
}

/* ---- statements ---- */

static bool ends_statement(const awk *a) {
  return a->token == ';' || a->token == T_NEWLINE || a->token == '}' || a->token == T_END;
}

static void end_simple(awk *a) {
  if (a->token == ';' || a->token == T_NEWLINE)
    awk_next(a);
  else if (a->token != '}' && a->token != T_END)
    awk_syntax(a);
}

static awk_node *print_statement(awk *a) {
  awk_node *n = make(a, a->token == T_PRINT ? N_PRINT : N_PRINTF, NULL, NULL);
  awk_next(a);
  a->no_gt = true;
  while (!ends_statement(a) && a->token != '>' && a->token != T_APPEND && a->token != '|') {
    push(n, expression(a));
    if (!accept(a, ',')) break;
    skip_newlines(a);
  }
  a->no_gt = false;
  /* print (a, b) > "file": the group was the list. */
  if (n->count == 1 && n->list[0]->op == N_GROUP && n->list[0]->count > 0) {
    awk_node *group = n->list[0];
    n->list = group->list;
    n->count = group->count;
  }
  if (a->token == '>' || a->token == T_APPEND || a->token == '|') {
    n->redirect = a->token == T_APPEND ? 'a' : (char)a->token;
    awk_next(a);
    a->no_gt = true;
    n->a = concatenation(a);
    a->no_gt = false;
  }
  if (n->op == N_PRINTF && n->count == 0) awk_syntax(a);
  return n;
}

static awk_node *simple_statement(awk *a) {
  awk_node *n;
  if (a->token == T_PRINT || a->token == T_PRINTF) return print_statement(a);
  if (a->token == T_DELETE) {
    awk_next(a);
    bool group = accept(a, '(');
    if (a->token != T_NAME) awk_syntax(a);
    n = make(a, N_DELETE, variable(a), NULL);
    if (accept(a, '[')) arguments(a, n, ']');
    if (group) expect(a, ')');
    return n;
  }
  return make(a, N_EXPRESSION, expression(a), NULL);
}

static awk_node *block(awk *a) {
  awk_node *n = make(a, N_BLOCK, NULL, NULL);
  expect(a, '{');
  while (a->token != '}') {
    if (a->token == T_END) awk_syntax(a);
    if (a->token == T_NEWLINE || a->token == ';')
      awk_next(a);
    else
      push(n, statement(a));
  }
  awk_next(a);
  return n;
}

/* What a loop or condition governs. */
static awk_node *body(awk *a) {
  skip_newlines(a);
  if (accept(a, ';')) return make(a, N_BLOCK, NULL, NULL);
  return statement(a);
}

static awk_node *if_statement(awk *a) {
  awk_next(a);
  expect(a, '(');
  awk_node *n = make(a, N_IF, expression(a), NULL);
  expect(a, ')');
  n->b = body(a);
  /* An else may come behind newlines and one semicolon. */
  const char *at = a->at;
  int token = a->token, line = a->line;
  while (a->token == T_NEWLINE || a->token == ';') awk_next(a);
  if (a->token == T_ELSE) {
    awk_next(a);
    n->c = body(a);
  } else {
    a->at = at;
    a->token = token;
    a->line = line;
  }
  return n;
}

static awk_node *for_statement(awk *a) {
  awk_next(a);
  expect(a, '(');
  awk_node *first = NULL;
  if (a->token != ';') {
    a->no_in = false;
    first = simple_statement(a);
    if (a->token == ')' && first->op == N_EXPRESSION && first->a->op == N_IN &&
        first->a->count == 1 && is_lvalue(first->a->list[0])) {
      awk_next(a);
      awk_node *n = make(a, N_FOR_IN, first->a->list[0], first->a->a);
      n->c = body(a);
      return n;
    }
  }
  awk_node *n = make(a, N_FOR, first, NULL);
  expect(a, ';');
  skip_newlines(a);
  if (a->token != ';') n->b = expression(a);
  expect(a, ';');
  skip_newlines(a);
  if (a->token != ')') n->c = simple_statement(a);
  expect(a, ')');
  n->d = body(a);
  return n;
}

static awk_node *do_statement(awk *a) {
  awk_next(a);
  awk_node *n = make(a, N_DO, NULL, body(a));
  while (a->token == T_NEWLINE || a->token == ';') awk_next(a);
  expect(a, T_WHILE);
  expect(a, '(');
  n->a = expression(a);
  expect(a, ')');
  return n;
}

static awk_node *switch_statement(awk *a) {
  awk_next(a);
  expect(a, '(');
  awk_node *n = make(a, N_SWITCH, expression(a), NULL);
  expect(a, ')');
  skip_newlines(a);
  expect(a, '{');
  while (a->token != '}') {
    if (a->token == T_NEWLINE || a->token == ';') {
      awk_next(a);
    } else if (a->token == T_CASE || a->token == T_DEFAULT) {
      bool is_case = a->token == T_CASE;
      awk_next(a);
      push(n, make(a, N_CASE, is_case ? expression(a) : NULL, NULL));
      expect(a, ':');
    } else {
      push(n, statement(a));
    }
  }
  awk_next(a);
  return n;
}

static awk_node *jump(awk *a, awk_op op, bool takes_value) {
  awk_next(a);
  awk_node *n = make(a, op, NULL, NULL);
  if (takes_value && !ends_statement(a)) n->a = expression(a);
  end_simple(a);
  return n;
}

static awk_node *statement(awk *a) {
  awk_node *n;
  enter(a);
  switch (a->token) {
    case '{':
      n = block(a);
      break;
    case T_IF:
      n = if_statement(a);
      break;
    case T_FOR:
      n = for_statement(a);
      break;
    case T_SWITCH:
      n = switch_statement(a);
      break;
    case T_WHILE:
      awk_next(a);
      expect(a, '(');
      n = make(a, N_WHILE, expression(a), NULL);
      expect(a, ')');
      n->b = body(a);
      break;
    case T_DO:
      n = do_statement(a);
      end_simple(a);
      break;
    case T_BREAK:
      n = jump(a, N_BREAK, false);
      break;
    case T_CONTINUE:
      n = jump(a, N_CONTINUE, false);
      break;
    case T_NEXT:
      n = jump(a, N_NEXT, false);
      break;
    case T_NEXTFILE:
      n = jump(a, N_NEXTFILE, false);
      break;
    case T_EXIT:
      n = jump(a, N_EXIT, true);
      break;
    case T_RETURN:
      if (a->current == NULL)
        bin_die(&a->b, 1, "%s:%d: `return' used outside function context", a->source_name, a->line);
      n = jump(a, N_RETURN, true);
      break;
    default:
      n = simple_statement(a);
      end_simple(a);
      break;
  }
  a->depth--;
  return n;
}

static void function_definition(awk *a) {
  awk_next(a);
  if (a->token != T_NAME && a->token != T_FUNC_NAME) awk_syntax(a);
  size_t number = function_number(a, a->token_text, a->token_size);
  if (a->functions[number].defined) {
    bin_die(&a->b, 1, "%s:%d: function name `%s' previously defined", a->source_name, a->line,
            a->functions[number].name);
  }
  awk_function f = a->functions[number];
  awk_next(a);
  expect(a, '(');
  while (a->token != ')') {
    skip_newlines(a);
    if (a->token != T_NAME) awk_syntax(a);
    f.parameters = memory_resize(f.parameters, (f.count + 1) * sizeof *f.parameters);
    f.parameters[f.count++] = memory_copy(a->token_text, a->token_size);
    awk_next(a);
    skip_newlines(a);
    if (a->token == ')') break;
    expect(a, ',');
    skip_newlines(a);
  }
  awk_next(a);
  skip_newlines(a);
  f.defined = true;
  a->functions[number] = f;
  a->current = &f;
  f.body = block(a);
  a->current = NULL;
  a->functions[number] = f;
}

static void rule(awk *a) {
  awk_rule r = {.kind = RULE_MAIN};
  switch (a->token) {
    case T_BEGIN:
      r.kind = RULE_BEGIN;
      awk_next(a);
      break;
    case T_END_RULE:
      r.kind = RULE_END;
      awk_next(a);
      break;
    case T_BEGINFILE:
      r.kind = RULE_BEGINFILE;
      awk_next(a);
      break;
    case T_ENDFILE:
      r.kind = RULE_ENDFILE;
      awk_next(a);
      break;
    case '{':
      break;
    default:
      r.pattern = expression(a);
      if (accept(a, ',')) {
        skip_newlines(a);
        r.pattern_end = expression(a);
      }
      break;
  }
  if (a->token == '{')
    r.body = block(a);
  else if (r.kind != RULE_MAIN)
    awk_syntax(a);
  a->rules = memory_resize(a->rules, (a->rule_count + 1) * sizeof *a->rules);
  a->rules[a->rule_count++] = r;
}

void awk_parse(awk *a, const char *source, size_t size, const char *name) {
  a->source = a->at = source;
  a->limit = source + size;
  a->source_name = name;
  a->line = 1;
  a->token = T_NEWLINE;
  awk_next(a);
  for (;;) {
    while (a->token == T_NEWLINE || a->token == ';') awk_next(a);
    if (a->token == T_END) return;
    if (a->token == T_FUNCTION)
      function_definition(a);
    else
      rule(a);
  }
}

void awk_parse_end(awk *a) {
  for (size_t i = 0; i < a->function_count; i++) {
    if (!a->functions[i].defined)
      bin_die(&a->b, 2, "fatal: function `%s' not defined", a->functions[i].name);
  }
}
