// SPDX-License-Identifier: MIT
/* covers.c -- is one policy within another? Yes only where it can be proved; no also means that
 * nobody knows.
 *
 * A rule is within another if its pattern, its constraint and its budget are. A constraint implies
 * another if each test of the other follows from one of its own: the same test, a list whose values
 * all pass, a tighter bound, a longer prefix. */
#define _GNU_SOURCE
#include <string.h>

#include "gate/path.h"
#include "gate/policy.h"

static bool implies(const cloche__clause *narrow, const cloche__clause *wide);

/* ---- operands ---- */

static bool is_upper(cloche__operator op) {
  return op == CLOCHE__OP_LESS || op == CLOCHE__OP_AT_MOST;
}
static bool is_lower(cloche__operator op) {
  return op == CLOCHE__OP_MORE || op == CLOCHE__OP_AT_LEAST;
}

/* Does one value pass a test? */
static bool passes(const cloche__json *value, const cloche__clause *test) {
  cloche__path here = {.count = 0};
  cloche__clause own = *test;
  cloche__where_context context = {NULL, CLOCHE__GATE_STEPS};
  own.path = &here; /* ask it of the value itself */
  return !test->by_param && cloche__where_holds(&own, &context, value) == CLOCHE__TRUE;
}

static bool all_pass(const cloche__clause *narrow, const cloche__clause *wide) {
  if (narrow->op == CLOCHE__OP_EQUAL) return passes(narrow->value, wide);
  for (size_t i = 0; i < narrow->value->count; i++)
    if (!passes(&narrow->value->items[i], wide)) return false;
  return true;
}

static bool holds_kind(const cloche__json *list, cloche__json_kind kind) {
  for (size_t i = 0; i < list->count; i++)
    if (list->items[i].kind == kind) return true;
  return false;
}

static bool holds_value(const cloche__json *list, const cloche__json *value) {
  for (size_t i = 0; i < list->count; i++)
    if (cloche__json_equal(&list->items[i], value)) return true;
  return false;
}

/* not_in is undefined for values of kinds that its list does not have. */
static bool excludes_more(const cloche__json *narrow, const cloche__json *wide) {
  for (size_t i = 0; i < narrow->count; i++)
    if (!holds_kind(wide, narrow->items[i].kind)) return false;
  for (size_t i = 0; i < wide->count; i++)
    if (!holds_value(narrow, &wide->items[i])) return false;
  return true;
}

/* ---- bounds ---- */

typedef struct {
  const cloche__json *at;
  bool strict;
} bound;

static bound upper_of(const cloche__clause *test) {
  if (test->by_param) return (bound){0};
  if (is_upper(test->op)) return (bound){test->value, test->op == CLOCHE__OP_LESS};
  return test->op == CLOCHE__OP_BETWEEN ? (bound){&test->value->items[1], false} : (bound){0};
}

static bound lower_of(const cloche__clause *test) {
  if (test->by_param) return (bound){0};
  if (is_lower(test->op)) return (bound){test->value, test->op == CLOCHE__OP_MORE};
  return test->op == CLOCHE__OP_BETWEEN ? (bound){&test->value->items[0], false} : (bound){0};
}

static bool same_kind(const cloche__json *a, const cloche__json *b) {
  return a != NULL && b != NULL && a->kind == b->kind &&
         (a->kind == CLOCHE__JSON_NUMBER || a->kind == CLOCHE__JSON_STRING);
}

static int order_of(const cloche__json *a, const cloche__json *b) {
  return a->kind == CLOCHE__JSON_NUMBER
             ? cloche__json_number_compare(cloche__json_text(a), cloche__json_text(b))
             : cloche__text_compare(cloche__json_text(a), cloche__json_text(b));
}

/* `sign` 1 for upper bounds, -1 for lower ones. */
static bool is_tighter(bound narrow, bound wide, int sign) {
  if (!same_kind(narrow.at, wide.at)) return false;
  int order = sign * order_of(narrow.at, wide.at);
  return order < 0 || (order == 0 && (narrow.strict || !wide.strict));
}

static bool keeps_away_from(const cloche__clause *narrow, const cloche__json *value) {
  bound upper = upper_of(narrow), lower = lower_of(narrow), point = {value, true};
  return is_tighter(upper, point, 1) || is_tighter(lower, point, -1);
}

/* ---- one test from another ---- */

static bool starts_with(cloche_text text, cloche_text start) {
  return text.len >= start.len && memcmp(text.at, start.at, start.len) == 0;
}

static bool ends_with(cloche_text text, cloche_text end) {
  return text.len >= end.len && memcmp(text.at + text.len - end.len, end.at, end.len) == 0;
}

static bool folders_within(const cloche__clause *narrow, const cloche__clause *wide) {
  for (size_t i = 0; i < narrow->operand_count; i++) {
    bool within = false;
    for (size_t j = 0; j < wide->operand_count && !within; j++)
      within = cloche__path_within(narrow->texts[i], wide->texts[j]) == CLOCHE__WITHIN_YES;
    if (!within) return false;
  }
  return true;
}

/* Is the test true only of a value that is there and not null? */
static bool needs_value(cloche__operator op) {
  switch (op) {
    case CLOCHE__OP_TYPE:
    case CLOCHE__OP_NOT_EXISTS:
    case CLOCHE__OP_EQUAL: /* these two are asked value by value */
    case CLOCHE__OP_IN:
      return false;
    default:
      return true;
  }
}

static bool text_implies(const cloche__clause *narrow, const cloche__clause *wide) {
  bool fixed = narrow->op == CLOCHE__OP_STARTS_WITH || narrow->op == CLOCHE__OP_ENDS_WITH;
  if (!fixed || wide->value->kind != CLOCHE__JSON_STRING) return false;
  cloche_text has = cloche__json_text(narrow->value), wants = cloche__json_text(wide->value);
  if (wide->op == CLOCHE__OP_CONTAINS) return memmem(has.at, has.len, wants.at, wants.len) != NULL;
  if (narrow->op != wide->op) return false;
  return wide->op == CLOCHE__OP_STARTS_WITH ? starts_with(has, wants) : ends_with(has, wants);
}

static bool value_implies(const cloche__clause *narrow, const cloche__clause *wide) {
  if (narrow->op == wide->op && cloche__json_equal(narrow->source, wide->source)) return true;
  if (wide->by_param || narrow->by_param)
    return wide->op == CLOCHE__OP_EXISTS && needs_value(narrow->op);
  if (narrow->op == CLOCHE__OP_EQUAL || narrow->op == CLOCHE__OP_IN) return all_pass(narrow, wide);
  switch (wide->op) {
    case CLOCHE__OP_EXISTS:
      return needs_value(narrow->op);
    case CLOCHE__OP_LESS:
    case CLOCHE__OP_AT_MOST:
      return is_tighter(upper_of(narrow), upper_of(wide), 1);
    case CLOCHE__OP_MORE:
    case CLOCHE__OP_AT_LEAST:
      return is_tighter(lower_of(narrow), lower_of(wide), -1);
    case CLOCHE__OP_UNEQUAL:
      if (narrow->op == CLOCHE__OP_NOT_IN)
        return excludes_more(
            narrow->value,
            &(cloche__json){.kind = CLOCHE__JSON_ARRAY, .count = 1, .items = wide->value});
      return keeps_away_from(narrow, wide->value);
    case CLOCHE__OP_NOT_IN:
      return narrow->op == CLOCHE__OP_NOT_IN && excludes_more(narrow->value, wide->value);
    case CLOCHE__OP_STARTS_WITH:
    case CLOCHE__OP_ENDS_WITH:
    case CLOCHE__OP_CONTAINS:
      return text_implies(narrow, wide);
    case CLOCHE__OP_PATH_WITHIN:
      return narrow->op == wide->op && folders_within(narrow, wide);
    default:
      return false;
  }
}

static cloche_text plain(const cloche__path *path) {
  cloche_text text = path->text;
  return path->from_top ? (cloche_text){text.at + 1, text.len - 1} : text;
}

static bool test_implies(const cloche__clause *narrow, const cloche__clause *wide) {
  if (!cloche__text_equal(plain(narrow->path), plain(wide->path))) return false;
  if (narrow->optional && !wide->optional) return false; /* it holds of nothing, too */
  return value_implies(narrow, wide);
}

/* ---- clauses ---- */

static bool is_same(const cloche__clause *a, const cloche__clause *b) {
  if (a->kind != b->kind || a->count != b->count) return false;
  if (a->kind == CLOCHE__CLAUSE_TEST)
    return a->op == b->op && a->optional == b->optional &&
           cloche__text_equal(plain(a->path), plain(b->path)) &&
           cloche__json_equal(a->source, b->source);
  for (size_t i = 0; i < a->count; i++)
    if (!is_same(&a->children[i], &b->children[i])) return false;
  return true;
}

static bool some_child_implies(const cloche__clause *narrow, const cloche__clause *wide) {
  for (size_t i = 0; i < narrow->count; i++)
    if (implies(&narrow->children[i], wide)) return true;
  return false;
}

/* One bound of a test `between`. */
static cloche__clause half_of(const cloche__clause *between, cloche__operator op, size_t item) {
  cloche__clause half = *between;
  half.op = op;
  half.value = half.source = &between->value->items[item];
  half.plain = false;
  return half;
}

/* The clauses are split from the outside in: what `wide` asks for, then what `narrow` offers. */
static bool implies(const cloche__clause *narrow, const cloche__clause *wide) {
  if (wide->kind == CLOCHE__CLAUSE_AND) {
    for (size_t i = 0; i < wide->count; i++)
      if (!implies(narrow, &wide->children[i])) return false;
    return true;
  }
  if (wide->kind == CLOCHE__CLAUSE_TEST && wide->op == CLOCHE__OP_BETWEEN) {
    cloche__clause low = half_of(wide, CLOCHE__OP_AT_LEAST, 0);
    cloche__clause high = half_of(wide, CLOCHE__OP_AT_MOST, 1);
    return implies(narrow, &low) && implies(narrow, &high);
  }
  if (narrow->kind == CLOCHE__CLAUSE_OR) {
    for (size_t i = 0; i < narrow->count; i++)
      if (!implies(&narrow->children[i], wide)) return false;
    return true;
  }
  if (wide->kind == CLOCHE__CLAUSE_OR)
    for (size_t i = 0; i < wide->count; i++)
      if (implies(narrow, &wide->children[i])) return true;
  if (narrow->kind == CLOCHE__CLAUSE_AND && some_child_implies(narrow, wide)) return true;
  if (narrow->kind == CLOCHE__CLAUSE_TEST && wide->kind == CLOCHE__CLAUSE_TEST)
    return test_implies(narrow, wide);
  return is_same(narrow, wide);
}

/* ---- rules ---- */

static bool names_all(const cloche__texts *wide, const cloche__texts *narrow) {
  for (size_t i = 0; i < narrow->count; i++) {
    bool found = false;
    for (size_t j = 0; j < wide->count && !found; j++)
      found = cloche__text_equal(wide->at[j], narrow->at[i]);
    if (!found) return false;
  }
  return true;
}

/* Every bound of `wide` is met by one of `narrow`'s. */
static bool budget_within(const cloche__budget *narrow, const cloche__budget *wide) {
  bool slower = wide->rate_calls == CLOCHE__NONE ||
                (narrow->rate_calls <= wide->rate_calls && narrow->rate_calls != CLOCHE__NONE &&
                 narrow->rate_window >= wide->rate_window);
  bool cheaper =
      wide->total == NULL ||
      (narrow->total != NULL && cloche__text_equal(plain(narrow->total), plain(wide->total)) &&
       cloche__json_number_compare(narrow->total_text, wide->total_text) <= 0);
  return narrow->max_calls <= wide->max_calls && narrow->max_concurrent <= wide->max_concurrent &&
         slower && cheaper && (!narrow->refund || wide->refund);
}

enum { BUDGETS = 256 };

/* A budget of `wide` that one rule has been held against is not there for another one. */
typedef struct {
  const cloche__layer *narrow, *wide;
  bool taken[BUDGETS];
} comparison;

static bool budgets_within(comparison *c, const cloche__rule *narrow, const cloche__rule *wide) {
  for (size_t i = 0; i < wide->budget_count; i++) {
    size_t at = wide->budgets[i];
    bool met = false;
    if (at >= BUDGETS || c->taken[at]) return false;
    for (size_t j = 0; j < narrow->budget_count && !met; j++)
      met = budget_within(&c->narrow->budgets[narrow->budgets[j]], &c->wide->budgets[at]);
    if (!met) return false;
  }
  for (size_t i = 0; i < wide->budget_count; i++) c->taken[wide->budgets[i]] = true;
  return true;
}

/* Rules that look at more than this one call, or add to it, are beyond a proof. */
static bool is_plain(const cloche__rule *rule) {
  return rule->order_count == 0 && rule->setting_count == 0 && rule->if_label.count == 0 &&
         rule->unless_label.count == 0 && rule->adds.count == 0;
}

static bool rule_within(comparison *c, const cloche__rule *narrow, const cloche__rule *wide) {
  if (!is_plain(wide) || narrow->expires > wide->expires ||
      !cloche__pattern_covers(&wide->pattern, &narrow->pattern))
    return false;
  bool sets = narrow->setting_count > 0; /* which `wide` would get to see */
  if (wide->closed && (!narrow->closed || sets || !names_all(&wide->mentioned, &narrow->mentioned)))
    return false;
  if (wide->where != NULL &&
      (sets || narrow->where == NULL || !implies(narrow->where, wide->where)))
    return false;
  return budgets_within(c, narrow, wide);
}

bool cloche_policy_covers(const cloche_policy *wide, const cloche_policy *narrow) {
  if (wide == NULL || narrow == NULL) return false;
  if (wide->count != 1 || narrow->count != 1) return false;
  comparison c = {.narrow = narrow->layers[0].layer, .wide = wide->layers[0].layer};
  for (size_t i = 0; i < c.wide->rule_count; i++)
    if (c.wide->rules[i].effect != CLOCHE_ALLOW) return false;
  for (size_t i = 0; i < c.narrow->rule_count; i++) {
    bool within = c.narrow->rules[i].effect == CLOCHE_DENY;
    for (size_t j = 0; j < c.wide->rule_count && !within; j++)
      within = rule_within(&c, &c.narrow->rules[i], &c.wide->rules[j]);
    if (!within) return false;
  }
  return true;
}
