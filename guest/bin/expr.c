// SPDX-License-Identifier: MIT
// expr.c -- evaluate an expression given as arguments. Numbers are 64 bits and overflow is an
// error.
#include "../shell/shared.h"
#include "../text/regex.h"
#include "../text/unicode.h"
#include "options.h"

typedef struct {
  bin b;
  char **at;
  int depth;
} expr;

/* Parentheses nest at most this deep on the command's stack. */
#define DEPTH_MAX 100

static char *evaluate(expr *e, bool wanted);

static _Noreturn void syntax(expr *e) {
  if (*e->at == NULL)
    bin_die(&e->b, 2, "syntax error: missing argument after %s", quote_curly(e->at[-1]));
  bin_die(&e->b, 2, "syntax error: unexpected argument %s", quote_curly(*e->at));
}

static bool accept(expr *e, const char *word) {
  if (*e->at == NULL || strcmp(*e->at, word) != 0) return false;
  e->at++;
  return true;
}

static bool is_number(const char *text, int64_t *value) {
  const char *at = text + (*text == '-');
  if (*at < '0' || *at > '9') return false;
  int64_t number = 0;
  for (; *at >= '0' && *at <= '9'; at++) {
    bool over = __builtin_mul_overflow(number, 10, &number);
    over |= __builtin_add_overflow(number, *text == '-' ? '0' - *at : *at - '0', &number);
    if (over) return false;
  }
  *value = number;
  return *at == 0;
}

static int64_t number(expr *e, const char *text) {
  int64_t value = 0;
  if (is_number(text, &value)) return value;
  size_t digits = strspn(text + (*text == '-'), "0123456789");
  if (digits > 0 && text[digits + (*text == '-')] == 0)
    bin_die(&e->b, 2, "%s: %s", text, error_text(ERANGE));
  bin_die(&e->b, 2, "non-integer argument");
}

static char *from_number(int64_t value) {
  text t = {0};
  text_format(&t, "%lld", (long long)value);
  return text_end(&t);
}

/* Empty, or a number that is zero. */
static bool is_null(const char *text) {
  if (*text == 0) return true;
  const char *at = text + (*text == '-');
  if (*at == 0) return false;
  while (*at == '0') at++;
  return *at == 0;
}

static char *match(expr *e, const char *string, const char *pattern) {
  const char *error;
  regex *re = regex_compile(pattern, strlen(pattern), REGEX_BASIC, 0, &error);
  if (re == NULL) bin_die(&e->b, 2, "%s", error);
  regex_span spans[2] = {{-1, -1}, {-1, -1}};
  bool group = regex_groups(re) > 0;
  int found = regex_search(re, string, strlen(string), 0, 0, spans, 2);
  if (found == 1 && spans[0].start != 0) { /* the pattern counts only at the start */
    text whole = {0};
    text_format(&whole, "^\\(%s\\)", pattern);
    regex *again = regex_compile(whole.at, whole.len, REGEX_BASIC, 0, &error);
    regex_span inner[3];
    found = again == NULL ? 0 : regex_search(again, string, strlen(string), 0, 0, inner, 3);
    spans[0] = inner[1], spans[1] = inner[2];
  }
  if (found != 1) return group ? memory_string("") : from_number(0);
  if (!group) return from_number((int64_t)utf8_count(string, (size_t)spans[0].end));
  if (spans[1].start < 0) return memory_string("");
  return memory_copy(string + spans[1].start, (size_t)(spans[1].end - spans[1].start));
}

static char *substring(const char *string, int64_t from, int64_t count) {
  text part = {0};
  size_t size = strlen(string), at = 0;
  for (int64_t i = 1; at < size && from > 0; i++) {
    size_t step = utf8_step(string + at, size - at);
    if (i >= from && i - from < count) text_add(&part, string + at, step);
    at += step;
  }
  return text_end(&part);
}

static int64_t index_of(const char *string, const char *set) {
  size_t size = strlen(string), at = 0;
  for (int64_t i = 1; at < size; i++) {
    size_t step = utf8_step(string + at, size - at);
    char one[5] = {0};
    memcpy(one, string + at, step);
    if (strstr(set, one) != NULL) return i;
    at += step;
  }
  return 0;
}

static char *primary(expr *e, bool wanted) {
  if (*e->at == NULL) syntax(e);
  if (accept(e, "(")) {
    if (++e->depth > DEPTH_MAX) bin_die(&e->b, 2, "parentheses nest too deeply");
    char *value = evaluate(e, wanted);
    if (*e->at == NULL)
      bin_die(&e->b, 2, "syntax error: expecting ')' after %s", quote_curly(e->at[-1]));
    if (!accept(e, ")"))
      bin_die(&e->b, 2, "syntax error: expecting ')' instead of %s", quote_curly(*e->at));
    e->depth--;
    return value;
  }
  if (strcmp(*e->at, ")") == 0) bin_die(&e->b, 2, "syntax error: unexpected ')'");
  return *e->at++;
}

static char *keyword(expr *e, bool wanted) {
  if (accept(e, "+")) {
    if (*e->at == NULL) syntax(e);
    return *e->at++;
  }
  if (accept(e, "length")) {
    char *string = keyword(e, wanted);
    return from_number((int64_t)utf8_count(string, strlen(string)));
  }
  if (accept(e, "match")) {
    char *string = keyword(e, wanted), *pattern = keyword(e, wanted);
    return wanted ? match(e, string, pattern) : string;
  }
  if (accept(e, "index")) {
    char *string = keyword(e, wanted), *set = keyword(e, wanted);
    return from_number(index_of(string, set));
  }
  if (accept(e, "substr")) {
    char *string = keyword(e, wanted), *from = keyword(e, wanted), *count = keyword(e, wanted);
    int64_t first, length;
    if (!is_number(from, &first) || !is_number(count, &length)) return memory_string("");
    return substring(string, first, length);
  }
  return primary(e, wanted);
}

static char *matching(expr *e, bool wanted) {
  char *left = keyword(e, wanted);
  while (accept(e, ":")) {
    char *pattern = keyword(e, wanted);
    if (wanted) left = match(e, left, pattern);
  }
  return left;
}

static char *product(expr *e, bool wanted) {
  char *left = matching(e, wanted);
  for (;;) {
    int operator= accept(e, "*") ? '*' : accept(e, "/") ? '/' : accept(e, "%") ? '%' : 0;
    if (operator== 0) return left;
    char *right = matching(e, wanted);
    if (!wanted) continue;
    int64_t a = number(e, left), b = number(e, right), result = 0;
    if (operator!= '*' && b == 0) bin_die(&e->b, 2, "division by zero");
    if (operator== '*' ? __builtin_mul_overflow(a, b, &result) : (a == INT64_MIN && b == -1)) {
      bin_die(&e->b, 2, "%s: %s", right, error_text(ERANGE));
    }
    if (operator!= '*') result = operator== '/' ? a / b : a % b;
    left = from_number(result);
  }
}

static char *sum(expr *e, bool wanted) {
  char *left = product(e, wanted);
  for (;;) {
    int operator= accept(e, "+") ? '+' : accept(e, "-") ? '-' : 0;
    if (operator== 0) return left;
    char *right = product(e, wanted);
    if (!wanted) continue;
    int64_t a = number(e, left), b = number(e, right), result;
    bool over = operator== '+' ? __builtin_add_overflow(a, b, &result)
                               : __builtin_sub_overflow(a, b, &result);
    if (over) bin_die(&e->b, 2, "%s: %s", right, error_text(ERANGE));
    left = from_number(result);
  }
}

static char *comparison(expr *e, bool wanted) {
  static const char *const operators[] = {"<", "<=", "=", "==", "!=", ">=", ">"};
  char *left = sum(e, wanted);
  for (;;) {
    int which = -1;
    for (int i = 0; i < 7 && which < 0; i++) which = accept(e, operators[i]) ? i : -1;
    if (which < 0) return left;
    char *right = sum(e, wanted);
    int64_t a, b;
    int order =
        is_number(left, &a) && is_number(right, &b) ? (a > b) - (a < b) : strcmp(left, right);
    const bool results[] = {
        order<0, order <= 0, order == 0, order == 0, order != 0, order >= 0, order> 0};
    left = from_number(results[which]);
  }
}

static char *conjunction(expr *e, bool wanted) {
  char *left = comparison(e, wanted);
  while (accept(e, "&")) {
    char *right = comparison(e, wanted && !is_null(left));
    if (is_null(left) || is_null(right)) left = memory_string("0");
  }
  return left;
}

static char *evaluate(expr *e, bool wanted) {
  char *left = conjunction(e, wanted);
  while (accept(e, "|")) {
    char *right = conjunction(e, wanted && is_null(left));
    if (is_null(left)) left = is_null(right) ? memory_string("0") : right;
  }
  return left;
}

static int expr_main(int argc, char **argv, char **environment) {
  expr e = {0};
  bin_start(&e.b, "expr", environment);
  e.b.usage_status = 2;
  if (argc == 2 && strcmp(argv[1], "--help") == 0) {
    text help = {0};
    command_help(command_find("expr"), &help);
    output_write(&e.b.out, help.at, help.len);
    return bin_end(&e.b);
  }
  int first = argc > 1 && strcmp(argv[1], "--") == 0 ? 2 : 1;
  if (argc <= first) bin_usage(&e.b, "missing operand");
  e.at = argv + first;
  char *value = evaluate(&e, true);
  if (*e.at != NULL) syntax(&e);
  output_format(&e.b.out, "%s\n", value);
  int status = is_null(value);
  return bin_end(&e.b) != 0 ? 3 : status;
}

const command command_expr = {.name = "expr",
                              .main = expr_main,
                              .usage = "expr EXPRESSION",
                              .options =
                                  "ARG1 | ARG2\tARG1 if it is neither null nor 0, otherwise ARG2\n"
                                  "ARG1 & ARG2\tARG1 if neither is null or 0, otherwise 0\n"
                                  "ARG1 < <= = != >= > ARG2\tcompare\n"
                                  "ARG1 + - * / % ARG2\tcompute\n"
                                  "STRING : REGEXP\tmatch at the start\n"
                                  "match STRING REGEXP\tas STRING : REGEXP\n"
                                  "substr STRING POS LENGTH\tpart of STRING, POS from 1\n"
                                  "index STRING CHARS\twhere one of CHARS is in STRING, or 0\n"
                                  "length STRING\tcharacters in STRING\n"
                                  "+ TOKEN\tTOKEN as a string, even a keyword",
                              .stack = 196608};
