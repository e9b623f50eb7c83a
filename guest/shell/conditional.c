// SPDX-License-Identifier: MIT
/* conditional.c -- evaluates [[ ]]. */
#include <stdlib.h>

#include "../text/regex.h"
#include "arith.h"
#include "builtins.h"
#include "quote.h"

/* 0 true, 1 false, 2 failed. */
static int truth(bool holds) {
  return holds ? 0 : 1;
}

static bool variable_is_set(shell *sh, const char *name) {
  const char *bracket = strchr(name, '[');
  size_t size = strlen(name);
  if (bracket == NULL || name[size - 1] != ']') {
    if (*name >= '0' && *name <= '9') {
      unsigned long number = strtoul(name, NULL, 10);
      return number == 0 || number <= sh->arguments.count;
    }
    variable *found = var_find_name(sh, name);
    return found != NULL && var_value(sh, found) != NULL;
  }
  const char *plain = arena_copy(&sh->scratch, name, (size_t)(bracket - name));
  const char *subscript =
      arena_copy(&sh->scratch, bracket + 1, size - (size_t)(bracket - name) - 2);
  variable *found = var_find_name(sh, plain);
  if (!var_is_set(found)) return false;
  bool all = strcmp(subscript, "@") == 0 || strcmp(subscript, "*") == 0;
  if (found->attributes & ATTR_MAP)
    return all ? found->map.count > 0 : keyed_get(&found->map, subscript) != NULL;
  if (all) return !(found->attributes & ATTR_ARRAY) || found->array.count > 0;
  int64_t index;
  if (!var_index(sh, found, subscript, &index)) return false;
  return found->attributes & ATTR_ARRAY ? indexed_get(&found->array, index) != NULL : index == 0;
}

static bool test_is_set(void *context, const char *name) {
  return variable_is_set(context, name);
}

static bool test_is_reference(void *context, const char *name) {
  variable *found = var_find_raw(context, name);
  return found != NULL && found->attributes & ATTR_REFERENCE && found->text != NULL;
}

static bool test_option(void *context, const char *name) {
  int number = option_named(name);
  return number >= 0 && option_on(context, (option)number);
}

shared_test_shell test_shell(shell *sh) {
  return (shared_test_shell){sh, test_is_set, test_is_reference, test_option};
}

static void trace(shell *sh, const char *before, const char *operator, const char * after) {
  if (!option_on(sh, OPTION_XTRACE)) return;
  text line = {.in = &sh->scratch};
  text_string(&line, "[[ ");
  if (before != NULL) text_format(&line, "%s ", *before != 0 ? before : "''");
  text_string(&line, operator);
  if (after != NULL) text_format(&line, " %s", *after != 0 ? after : "''");
  text_string(&line, " ]]");
  trace_text(sh, line.at, line.len);
}

static int eval_unary(shell *sh, const condition *of) {
  const char *operand = expand_string(sh, of->first, false);
  if (operand == NULL) return 2;
  trace(sh, NULL, of->operator, operand);
  switch (of->operator[1]) {
    case 'n':
      return truth(*operand != 0);
    case 'z':
      return truth(*operand == 0);
    case 'v':
      return truth(variable_is_set(sh, operand));
    case 'R':
      return truth(test_is_reference(sh, operand));
    case 'o':
      return truth(test_option(sh, operand));
    default:
      return truth(shared_test_unary(of->operator[1], operand) == 0);
  }
}

/* BASH_REMATCH: the whole match and every group, "" for those that took no part. */
static void set_rematch(shell *sh, const char *subject, const regex_span *spans, size_t count) {
  variable *into = var_declare(sh, "BASH_REMATCH", false, false);
  into->attributes &= ~(unsigned)ATTR_READONLY;
  var_clear(into);
  if (!(into->attributes & ATTR_ARRAY)) var_make_array(into);
  into->attributes &= ~(unsigned)ATTR_UNSET;
  for (size_t i = 0; i < count; i++) {
    bool took = spans[i].start >= 0;
    indexed_put(&into->array, (int64_t)i, took ? subject + spans[i].start : "",
                took ? (size_t)(spans[i].end - spans[i].start) : 0);
  }
}

static regex *compile_regex(shell *sh, const char *pattern) {
  unsigned flags = shopt_on(sh, SHOPT_NOCASEMATCH) ? REGEX_ICASE : 0;
  const char *error = NULL;
  if (sh->regex != NULL && flags == sh->regex_flags && strcmp(pattern, sh->regex_text) == 0)
    return sh->regex;
  regex_free(sh->regex);
  free(sh->regex_text);
  sh->regex = regex_compile(pattern, strlen(pattern), REGEX_EXTENDED, flags, &error);
  sh->regex_text = sh->regex != NULL ? memory_string(pattern) : NULL;
  sh->regex_flags = flags;
  return sh->regex;
}

static int eval_regex(shell *sh, const char *subject, const word *right) {
  const char *pattern = expand_regex(sh, right);
  if (pattern == NULL) return 2;
  trace(sh, subject, "=~", pattern);
  regex *compiled = compile_regex(sh, pattern);
  if (compiled == NULL) return 2;
  size_t count = regex_groups(compiled) + 1;
  regex_span *spans = arena_take(&sh->scratch, count * sizeof *spans);
  int found = regex_search(compiled, subject, strlen(subject), 0, 0, spans, count);
  set_rematch(sh, subject, spans, found == 1 ? count : 0);
  return found < 0 ? 2 : truth(found == 1);
}

static int eval_pattern(shell *sh, const char *subject, const condition *of) {
  unsigned flags = PATTERN_EXTGLOB | (shopt_on(sh, SHOPT_NOCASEMATCH) ? PATTERN_NOCASE : 0u);
  pattern *compiled = expand_pattern(sh, of->second, flags);
  if (compiled == NULL) return 2;
  if (option_on(sh, OPTION_XTRACE)) {
    trace(sh, subject, of->operator, expand_shown_pattern(sh, of->second));
  }
  bool matched = pattern_matches(compiled, subject, strlen(subject));
  return truth(matched == (*of->operator!= '!'));
}

static int eval_number(shell *sh, const condition *of, const char *left) {
  const char *right = expand_string(sh, of->second, false);
  int64_t a, b;
  if (right == NULL) return 2;
  trace(sh, left, of->operator, right);
  if (!arith_evaluate_for(sh, "[[", left, strlen(left), &a)) return 1;
  if (!arith_evaluate_for(sh, "[[", right, strlen(right), &b)) return 1;
  const char *op = of->operator+ 1;
  if (strcmp(op, "eq") == 0) return truth(a == b);
  if (strcmp(op, "ne") == 0) return truth(a != b);
  if (strcmp(op, "lt") == 0) return truth(a < b);
  if (strcmp(op, "le") == 0) return truth(a <= b);
  if (strcmp(op, "gt") == 0) return truth(a > b);
  return truth(a >= b);
}

static int eval_binary(shell *sh, const condition *of) {
  const char *op = of->operator;
  const char *left = expand_string(sh, of->first, false);
  if (left == NULL) return 2;
  if (strcmp(op, "=~") == 0) return eval_regex(sh, left, of->second);
  if (*op == '=' || *op == '!') return eval_pattern(sh, left, of);
  bool file = strcmp(op, "-nt") == 0 || strcmp(op, "-ot") == 0 || strcmp(op, "-ef") == 0;
  if (*op == '-' && !file) return eval_number(sh, of, left);
  const char *right = expand_string(sh, of->second, false);
  if (right == NULL) return 2;
  trace(sh, left, op, right);
  if (file) return truth(shared_test_files(op, left, right) == 0);
  int order = strcmp(left, right);
  return truth(*op == '<' ? order < 0 : order > 0);
}

static int eval(shell *sh, const condition *of) {
  for (;;) {
    switch (of->kind) {
      case TEST_AND:
      case TEST_OR: {
        int left = eval(sh, of->left);
        if (left == 2 || sh->unwind != UNWIND_NONE) return left;
        if ((left == 0) == (of->kind == TEST_OR)) return left;
        of = of->right;
        continue;
      }
      case TEST_NOT: {
        int inner = eval(sh, of->left);
        return inner == 2 ? 2 : !inner;
      }
      case TEST_GROUP:
        of = of->left;
        continue;
      case TEST_UNARY:
        return eval_unary(sh, of);
      case TEST_BINARY:
        return eval_binary(sh, of);
      default: {
        const char *value = expand_string(sh, of->first, false);
        if (value == NULL) return 2;
        trace(sh, NULL, "-n", value);
        return truth(*value != 0);
      }
    }
  }
}

int exec_condition(shell *sh, const condition *of) {
  arena_mark mark = arena_here(&sh->scratch);
  int status = eval(sh, of);
  if (sh->errors.len > 0) shell_flush(sh);
  arena_back(&sh->scratch, mark);
  return sh->unwind != UNWIND_NONE && status == 2 ? sh->status : status;
}
