// SPDX-License-Identifier: MIT
/* arith.c -- evaluates arithmetic straight from its text.
 *
 * Expressions are short and mostly run once per loop, so there is no tree: one pass reads tokens
 * and computes, with `skip` raised over what && || ?: leave out. Recursion is one level per
 * parenthesis, sign or variable that holds an expression; ARITH_DEPTH bounds it. */
#include "arith.h"

#include <stdlib.h>

#include "state.h"

/* bash allows 1024; ours is what the guest's stack is sure to hold. */
#define ARITH_DEPTH 256

/* Tokens: single characters stand for themselves. */
enum {
  TOK_END = 0,
  TOK_NUMBER = 256,
  TOK_NAME,
  TOK_EQ,    /* == */
  TOK_NE,    /* != */
  TOK_LE,    /* <= */
  TOK_GE,    /* >= */
  TOK_SHL,   /* << */
  TOK_SHR,   /* >> */
  TOK_AND,   /* && */
  TOK_OR,    /* || */
  TOK_POWER, /* ** */
  TOK_INC,   /* ++ */
  TOK_DEC,   /* -- */
  TOK_SET,   /* op=, the operator in `set_op` */
};

typedef struct {
  const char *name; /* in the expression's text, not ended */
  size_t size;
  const char *subscript; /* NULL: none */
  size_t subscript_size;
} target;

typedef struct {
  shell *sh;
  const char *who;
  const char *text, *at, *end;
  const char *token_at; /* where the last token but the end began */
  int token, before;    /* this token and the one before it */
  int set_op;
  int64_t number;
  target target; /* of the last name */
  unsigned depth;
  unsigned skip;
  bool failed;
} evaluator;

static int64_t eval_comma(evaluator *e);
static bool evaluate(shell *sh, const char *who, const char *text, size_t size, unsigned depth,
                     int64_t *value);

/* ---- messages ---- */

static int64_t fail_at(evaluator *e, const char *what, const char *token) {
  if (e->failed) return 0;
  e->failed = true;
  const char *from = e->text;
  while (from < e->end && (*from == ' ' || *from == '\t' || *from == '\n')) from++;
  complain(e->sh, "%s%s%.*s: %s (error token is \"%.*s\")", e->who != NULL ? e->who : "",
           e->who != NULL ? ": " : "", (int)(e->end - from), from, what, (int)(e->end - token),
           token);
  return 0;
}

static int64_t fail(evaluator *e, const char *what) {
  return fail_at(e, what, e->token_at);
}

/* ---- tokens ---- */

static int digit_value(char c, int base) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'z') return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z') return base <= 36 ? c - 'A' + 10 : c - 'A' + 36;
  if (c == '@') return 62;
  if (c == '_') return 63;
  return -1;
}

/* 0x1F, 017, 10, 36#zz. Everything that could belong to a number is taken as part of it. */
static void read_number(evaluator *e) {
  const char *at = e->at, *start = e->at;
  int base = 10;
  uint64_t value = 0;
  bool based = false;
  if (*at == '0' && at + 1 < e->end) {
    at++;
    base = 8;
    if (*at == 'x' || *at == 'X') {
      base = 16;
      at++;
      start = at;
    }
  }
  bool any = false;
  for (; at < e->end; at++) {
    if (*at == '#') {
      bool bad = based || base == 16 || value < 2 || value > 64;
      if (base == 8 && value == 0) bad = true;
      if (bad) {
        fail(e, based ? "invalid number" : "invalid arithmetic base");
        return;
      }
      base = (int)value;
      based = true;
      value = 0;
      any = false;
      continue;
    }
    int digit = digit_value(*at, based ? base : 16);
    if (digit < 0) break;
    if (digit >= base) {
      fail(e, "value too great for base");
      return;
    }
    any = true;
    value = value * (uint64_t)base + (uint64_t)digit;
  }
  if (based && !any) {
    fail(e, "invalid integer constant");
    return;
  }
  (void)start;
  e->at = at;
  e->number = (int64_t)value;
  e->token = TOK_NUMBER;
}

/* The subscript's end: past the matching ]; NULL when there is none. */
static const char *subscript_end(const char *at, const char *end) {
  size_t depth = 0;
  for (; at < end; at++) {
    if (*at == '\\' && at + 1 < end)
      at++;
    else if (*at == '[')
      depth++;
    else if (*at == ']' && --depth == 0)
      return at + 1;
  }
  return NULL;
}

static void read_name(evaluator *e) {
  const char *at = e->at;
  while (at < e->end && name_rest((unsigned char)*at)) at++;
  e->target = (target){.name = e->at, .size = (size_t)(at - e->at)};
  if (at < e->end && *at == '[') {
    const char *after = subscript_end(at, e->end);
    if (after == NULL) {
      fail(e, "bad array subscript");
      return;
    }
    e->target.subscript = at + 1;
    e->target.subscript_size = (size_t)(after - at - 2);
    at = after;
  }
  e->at = at;
  e->token = TOK_NAME;
}

static bool is_operator(int token) {
  return token == TOK_END || (token < 256 && token != ')') ||
         (token > TOK_NAME && token != TOK_INC && token != TOK_DEC);
}

static bool name_follows(const evaluator *e) {
  const char *at = e->at + 2;
  while (at < e->end && (*at == ' ' || *at == '\t' || *at == '\n')) at++;
  return at < e->end && name_start((unsigned char)*at);
}

static void read_operator(evaluator *e) {
  static const struct {
    char text[3];
    int token;
  } doubles[] = {{"==", TOK_EQ},    {"!=", TOK_NE},  {"<=", TOK_LE},  {">=", TOK_GE},
                 {"<<", TOK_SHL},   {">>", TOK_SHR}, {"&&", TOK_AND}, {"||", TOK_OR},
                 {"**", TOK_POWER}, {"++", TOK_INC}, {"--", TOK_DEC}};
  char first = *e->at, second = e->at + 1 < e->end ? e->at[1] : 0;
  int token = 0;
  size_t size = 1;
  for (size_t i = 0; second != 0 && i < sizeof doubles / sizeof doubles[0]; i++)
    if (doubles[i].text[0] == first && doubles[i].text[1] == second) {
      token = doubles[i].token;
      size = 2;
      break;
    }
  if ((token == TOK_INC || token == TOK_DEC) && e->before != TOK_NAME && !name_follows(e)) {
    token = 0; /* two signs, as in 5--3 */
    size = 1;
  }
  if (token == 0) token = (unsigned char)first;
  char after = e->at + size < e->end ? e->at[size] : 0;
  bool settable =
      size == 1 ? strchr("+-*/%&|^", first) != NULL : token == TOK_SHL || token == TOK_SHR;
  if (settable && after == '=') {
    e->set_op = token;
    token = TOK_SET;
    size++;
  } else if (size == 1 && strchr("+-*/%^|&<>=!~()?:,", first) == NULL) {
    fail(e, is_operator(e->before) ? "syntax error: operand expected"
                                   : "syntax error: invalid arithmetic operator");
    return;
  }
  e->at += size;
  e->token = token;
}

static void next_token(evaluator *e) {
  e->before = e->token;
  while (e->at < e->end && (*e->at == ' ' || *e->at == '\t' || *e->at == '\n')) e->at++;
  if (e->failed || e->at >= e->end) {
    e->token = TOK_END;
    return;
  }
  e->token_at = e->at;
  unsigned char c = (unsigned char)*e->at;
  if (c >= '0' && c <= '9')
    read_number(e);
  else if (name_start(c))
    read_name(e);
  else
    read_operator(e);
  if (e->failed) e->token = TOK_END;
}

/* ---- variables ---- */

/* A plain decimal number, as nearly every variable in arithmetic holds. */
static bool plain_number(const char *text, int64_t *value) {
  bool negative = *text == '-';
  const char *at = text + negative;
  uint64_t number = 0;
  if (*at == 0 || (*at == '0' && at[1] != 0)) return false;
  for (; *at >= '0' && *at <= '9'; at++) number = number * 10 + (uint64_t)(*at - '0');
  if (*at != 0) return false;
  *value = (int64_t)(negative ? 0 - number : number);
  return true;
}

/* An associative array's key: quotes come off, nothing else happens. */
static char *plain_key(evaluator *e, const target *of) {
  text key = {.in = &e->sh->scratch};
  char quote = 0;
  for (size_t i = 0; i < of->subscript_size; i++) {
    char c = of->subscript[i];
    if (c == '\\' && quote != '\'' && i + 1 < of->subscript_size)
      text_char(&key, of->subscript[++i]);
    else if (quote == 0 && (c == '\'' || c == '"'))
      quote = c;
    else if (c == quote && quote != 0)
      quote = 0;
    else
      text_char(&key, c);
  }
  return text_end(&key);
}

static bool target_index(evaluator *e, const target *of, const variable *in, int64_t *index) {
  if (!evaluate(e->sh, e->who, of->subscript, of->subscript_size, e->depth + 1, index)) {
    e->failed = true;
    return false;
  }
  if (*index < 0 && in != NULL && in->attributes & ATTR_ARRAY)
    *index += indexed_last(&in->array) + 1;
  if (*index >= 0) return true;
  complain(e->sh, "%.*s: bad array subscript", (int)of->size, of->name);
  e->failed = true;
  return false;
}

static const char *target_text(evaluator *e, const target *of) {
  uint32_t hash = name_hash(of->name, of->size);
  const char *name = arena_copy(&e->sh->scratch, of->name, of->size);
  const char *subscript;
  variable *found = var_target(e->sh, &name, &hash, &subscript);
  if (found == NULL) return NULL;
  if (found->symbol->hook >= HOOK_DYNAMIC) computed_refresh(e->sh, found);
  if (subscript != NULL && of->subscript == NULL)
    return var_get(e->sh, arena_copy(&e->sh->scratch, of->name, of->size));
  if (of->subscript == NULL) return var_value(e->sh, found);
  if (found->attributes & ATTR_MAP) return keyed_get(&found->map, plain_key(e, of));
  int64_t index;
  if (!target_index(e, of, found, &index)) return NULL;
  if (found->attributes & ATTR_ARRAY) return indexed_get(&found->array, index);
  return index == 0 ? var_value(e->sh, found) : NULL;
}

static int64_t target_value(evaluator *e, const target *of) {
  int64_t value;
  if (e->skip > 0) return 0;
  arena_mark mark = arena_here(&e->sh->scratch);
  const char *text = target_text(e, of);
  if (e->failed) return 0;
  if (text == NULL) {
    if (option_on(e->sh, OPTION_NOUNSET)) {
      complain(e->sh, "%.*s: unbound variable", (int)of->size, of->name);
      e->failed = true;
      e->sh->unwind = UNWIND_EXIT;
      e->sh->status = refused_status(e->sh);
    }
    return 0;
  }
  if (*text == 0) return 0;
  if (!plain_number(text, &value) &&
      !evaluate(e->sh, e->who, text, strlen(text), e->depth + 1, &value)) {
    e->failed = true;
    return 0;
  }
  arena_back(&e->sh->scratch, mark);
  return value;
}

static int64_t target_set(evaluator *e, const target *to, int64_t value) {
  char digits[24];
  if (e->skip > 0 || e->failed) return value;
  arena_mark mark = arena_here(&e->sh->scratch);
  size_t size = number_format(value, digits);
  char *name = arena_copy(&e->sh->scratch, to->name, to->size);
  uint32_t hash = name_hash(to->name, to->size);
  bool done;
  if (to->subscript == NULL) {
    done = var_set_sized(e->sh, name, hash, digits, size, false);
  } else {
    variable *in = var_find(e->sh, name, hash);
    int64_t index;
    if (in != NULL && in->attributes & ATTR_MAP)
      done = var_store_key(e->sh, in, plain_key(e, to), digits, false);
    else if ((done = target_index(e, to, in, &index)) && in != NULL)
      done = var_store_index(e->sh, in, index, digits, false);
    else if (done)
      done = var_store_index(e->sh, var_declare(e->sh, name, false, false), index, digits, false);
  }
  if (!done) e->failed = true;
  arena_back(&e->sh->scratch, mark);
  return value;
}

/* ---- expressions, from the tightest operator to the loosest ---- */

static bool deeper(evaluator *e) {
  if (e->depth < ARITH_DEPTH) {
    e->depth++;
    return true;
  }
  fail(e, "expression recursion level exceeded");
  return false;
}

/* x, x++, x-- ; not looked up when it is about to be assigned. */
static int64_t eval_name(evaluator *e) {
  target here = e->target;
  next_token(e);
  if (e->token == TOK_INC || e->token == TOK_DEC) {
    int64_t old = target_value(e, &here);
    target_set(e, &here, (int64_t)((uint64_t)old + (e->token == TOK_INC ? 1u : ~(uint64_t)0)));
    next_token(e);
    e->before = TOK_NUMBER;
    return old;
  }
  if (e->token == '=') return 0;
  int64_t value = target_value(e, &here);
  e->target = here;
  return value;
}

static int64_t eval_step(evaluator *e, int token) {
  next_token(e);
  if (e->token != TOK_NAME) return fail(e, "syntax error: operand expected");
  target here = e->target;
  int64_t value =
      (int64_t)((uint64_t)target_value(e, &here) + (token == TOK_INC ? 1u : ~(uint64_t)0));
  target_set(e, &here, value);
  next_token(e);
  e->before = TOK_NUMBER;
  return value;
}

static int64_t eval_unary(evaluator *e) {
  int64_t value = 0;
  int token = e->token;
  if (token == TOK_NUMBER) {
    value = e->number;
    next_token(e);
    return value;
  }
  if (token == TOK_NAME) return eval_name(e);
  if (!deeper(e)) return 0;
  switch (token) {
    case TOK_INC:
    case TOK_DEC:
      value = eval_step(e, token);
      break;
    case '(':
      next_token(e);
      value = eval_comma(e);
      if (e->token != ')') fail(e, "missing `)'");
      next_token(e);
      e->before = TOK_NUMBER;
      break;
    case '!':
      next_token(e);
      value = !eval_unary(e);
      break;
    case '~':
      next_token(e);
      value = ~eval_unary(e);
      break;
    case '-':
      next_token(e);
      value = (int64_t)(0 - (uint64_t)eval_unary(e));
      break;
    case '+':
      next_token(e);
      value = eval_unary(e);
      break;
    default:
      fail(e, "syntax error: operand expected");
  }
  e->before = TOK_NUMBER; /* no longer something to assign to */
  e->depth--;
  return value;
}

static int precedence(int token) {
  switch (token) {
    case TOK_OR:
      return 1;
    case TOK_AND:
      return 2;
    case '|':
      return 3;
    case '^':
      return 4;
    case '&':
      return 5;
    case TOK_EQ:
    case TOK_NE:
      return 6;
    case '<':
    case '>':
    case TOK_LE:
    case TOK_GE:
      return 7;
    case TOK_SHL:
    case TOK_SHR:
      return 8;
    case '+':
    case '-':
      return 9;
    case '*':
    case '/':
    case '%':
      return 10;
    case TOK_POWER:
      return 11;
    default:
      return 0;
  }
}

static int64_t power(int64_t base, int64_t exponent) {
  uint64_t result = 1, factor = (uint64_t)base;
  for (; exponent > 0; exponent >>= 1, factor *= factor)
    if (exponent & 1) result *= factor;
  return (int64_t)result;
}

static int64_t divide(evaluator *e, int op, int64_t left, int64_t right, const char *operand) {
  if (right == 0) {
    while (operand < e->end && (*operand == ' ' || *operand == '\t')) operand++;
    return e->skip > 0 ? 0 : fail_at(e, "division by 0", operand);
  }
  if (right == -1) return op == '/' ? (int64_t)(0 - (uint64_t)left) : 0; /* INT64_MIN / -1 traps */
  return op == '/' ? left / right : left % right;
}

static int64_t apply(evaluator *e, int op, int64_t left, int64_t right, const char *operand) {
  uint64_t a = (uint64_t)left, b = (uint64_t)right;
  switch (op) {
    case '|':
      return left | right;
    case '^':
      return left ^ right;
    case '&':
      return left & right;
    case TOK_EQ:
      return left == right;
    case TOK_NE:
      return left != right;
    case '<':
      return left < right;
    case '>':
      return left > right;
    case TOK_LE:
      return left <= right;
    case TOK_GE:
      return left >= right;
    case TOK_SHL:
      return (int64_t)(a << (b & 63));
    case TOK_SHR:
      return left >> (b & 63);
    case '+':
      return (int64_t)(a + b);
    case '-':
      return (int64_t)(a - b);
    case '*':
      return (int64_t)(a * b);
    case TOK_POWER:
      if (right < 0) return e->skip > 0 ? 0 : fail(e, "exponent less than 0");
      return power(left, right);
    default:
      return divide(e, op, left, right, operand);
  }
}

static int64_t eval_binary(evaluator *e, int least) {
  int64_t left = eval_unary(e);
  for (;;) {
    int op = e->token, level = precedence(op);
    if (level < least || level == 0 || e->failed) return left;
    const char *operand = e->at;
    bool decided = (op == TOK_AND && left == 0) || (op == TOK_OR && left != 0);
    next_token(e);
    if (decided) e->skip++;
    int64_t right = eval_binary(e, op == TOK_POWER ? level : level + 1);
    if (decided) e->skip--;
    if (op == TOK_AND)
      left = left != 0 && right != 0;
    else if (op == TOK_OR)
      left = left != 0 || right != 0;
    else
      left = apply(e, op, left, right, operand);
    e->before = TOK_NUMBER; /* what was computed cannot be assigned to */
  }
}

static int64_t eval_assign(evaluator *e);

static int64_t eval_conditional(evaluator *e) {
  int64_t test = eval_binary(e, 1);
  if (e->token != '?' || e->failed) return test;
  if (!deeper(e)) return 0;
  next_token(e);
  if (e->token == TOK_END || e->token == ':') {
    fail(e, "expression expected");
    return 0;
  }
  if (test == 0) e->skip++;
  int64_t yes = eval_comma(e);
  if (test == 0) e->skip--;
  if (e->token != ':') return fail(e, "`:' expected for conditional expression");
  next_token(e);
  if (e->token == TOK_END) return fail(e, "expression expected");
  if (test != 0) e->skip++;
  int64_t no = eval_conditional(e);
  if (test != 0) e->skip--;
  e->depth--;
  e->before = TOK_NUMBER;
  return test != 0 ? yes : no;
}

static int64_t eval_assign(evaluator *e) {
  int64_t left = eval_conditional(e);
  if ((e->token != '=' && e->token != TOK_SET) || e->failed) return left;
  if (e->before != TOK_NAME) return fail(e, "attempted assignment to non-variable");
  if (!deeper(e)) return 0;
  target into = e->target;
  int op = e->token == '=' ? 0 : e->set_op;
  const char *operand = e->at;
  next_token(e);
  int64_t right = eval_assign(e);
  e->depth--;
  if (e->failed) return 0;
  if (op != 0) right = apply(e, op, left, right, operand);
  e->before = TOK_NUMBER;
  return e->failed ? 0 : target_set(e, &into, right);
}

static int64_t eval_comma(evaluator *e) {
  int64_t value = eval_assign(e);
  while (e->token == ',' && !e->failed) {
    next_token(e);
    value = eval_assign(e);
  }
  return value;
}

static bool evaluate(shell *sh, const char *who, const char *text, size_t size, unsigned depth,
                     int64_t *value) {
  evaluator e = {.sh = sh,
                 .who = who,
                 .text = text,
                 .at = text,
                 .end = text + size,
                 .token_at = text,
                 .depth = depth};
  *value = 0;
  if (depth >= ARITH_DEPTH) {
    fail(&e, "expression recursion level exceeded");
    return false;
  }
  next_token(&e);
  if (e.token == TOK_END && !e.failed) return true;
  *value = eval_comma(&e);
  if (!e.failed && e.token != TOK_END) fail(&e, "syntax error in expression");
  return !e.failed;
}

bool arith_evaluate(shell *sh, const char *expression, size_t size, int64_t *value) {
  return evaluate(sh, NULL, expression, size, 0, value);
}

bool arith_evaluate_for(shell *sh, const char *who, const char *expression, size_t size,
                        int64_t *value) {
  return evaluate(sh, who, expression, size, 0, value);
}
