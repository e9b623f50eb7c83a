// SPDX-License-Identifier: MIT
/* where.c -- what constraints say of a call. Recurses with the depth of the policy, never with the
 * depth of the call; allocates nothing. */
#define _GNU_SOURCE
#include "gate/where.h"

#include <stdio.h>
#include <string.h>

#include "gate/path.h"
#include "json/utf8.h"

static const struct {
  const char *text, *wanted;
} operators[] = {
#define X(name, text, wanted) {text, wanted},
    CLOCHE__OPERATORS(X)
#undef X
};

const char *cloche__operator_text(cloche__operator op) {
  return operators[op].text;
}

const char *cloche__operator_wanted(cloche__operator op) {
  return operators[op].wanted;
}

static cloche__truth truth(bool holds) {
  return holds ? CLOCHE__TRUE : CLOCHE__FALSE;
}
static cloche__truth either(cloche__truth a, cloche__truth b) {
  return cloche__not(cloche__and(cloche__not(a), cloche__not(b)));
}

/* ---- comparing ---- */

/* A null equals only null, and of another type is not comparable. */
static cloche__truth equal(const cloche__json *value, const cloche__json *wanted) {
  if (value->kind == wanted->kind) return truth(cloche__json_equal(value, wanted));
  return wanted->kind == CLOCHE__JSON_NULL ? CLOCHE__FALSE : CLOCHE__UNDEFINED;
}

static cloche__truth order_is(cloche__operator op, int order) {
  switch (op) {
    case CLOCHE__OP_LESS:
      return truth(order < 0);
    case CLOCHE__OP_AT_MOST:
      return truth(order <= 0);
    case CLOCHE__OP_MORE:
      return truth(order > 0);
    case CLOCHE__OP_AT_LEAST:
      return truth(order >= 0);
    case CLOCHE__OP_EQUAL:
      return truth(order == 0);
    case CLOCHE__OP_UNEQUAL:
      return truth(order != 0);
    default:
      return CLOCHE__UNDEFINED;
  }
}

static cloche__truth compare(cloche__operator op, const cloche__json *value,
                             const cloche__json *bound) {
  cloche_text left = {value->text, value->count}, right = {bound->text, bound->count};
  if (op == CLOCHE__OP_EQUAL) return equal(value, bound);
  if (op == CLOCHE__OP_UNEQUAL) return cloche__not(equal(value, bound));
  if (value->kind != bound->kind) return CLOCHE__UNDEFINED;
  if (value->kind == CLOCHE__JSON_NUMBER) {
    return order_is(op, cloche__json_number_compare(left, right));
  }
  if (value->kind != CLOCHE__JSON_STRING) return CLOCHE__UNDEFINED;
  return order_is(op, cloche__text_compare(left, right));
}

/* Plain numbers, which most are, need no look at the digits of the operand. */
static cloche__truth compare_with_operand(const cloche__clause *test, const cloche__json *value) {
  int64_t plain;
  if (test->plain && value->kind == CLOCHE__JSON_NUMBER &&
      cloche__json_number_plain(cloche__json_text(value), &plain)) {
    return order_is(test->op, (plain > test->bound) - (plain < test->bound));
  }
  return compare(test->op, value, test->value);
}

/* False needs something in the list that the value could have been. */
static cloche__truth is_in(const cloche__json *value, const cloche__json *list) {
  cloche__truth found = CLOCHE__UNDEFINED;
  for (size_t i = 0; i < list->count; i++) {
    cloche__truth same = equal(value, &list->items[i]);
    if (same == CLOCHE__TRUE) return same;
    if (same == CLOCHE__FALSE && value->kind == list->items[i].kind) found = same;
  }
  return found;
}

static cloche__truth is_between(const cloche__json *value, const cloche__json *bounds) {
  return cloche__and(compare(CLOCHE__OP_AT_LEAST, value, &bounds->items[0]),
                     compare(CLOCHE__OP_AT_MOST, value, &bounds->items[1]));
}

/* ---- texts ---- */

static bool starts_with(cloche_text text, cloche_text start) {
  return text.len >= start.len && memcmp(text.at, start.at, start.len) == 0;
}

static bool ends_with(cloche_text text, cloche_text end) {
  return text.len >= end.len && memcmp(text.at + text.len - end.len, end.at, end.len) == 0;
}

/* An element of another type may be meant to be the same: 7 and "7". */
static cloche__truth contains_item(const cloche__json *array, const cloche__json *wanted) {
  cloche__truth found = CLOCHE__FALSE;
  for (size_t i = 0; i < array->count && found != CLOCHE__TRUE; i++) {
    found = either(found, equal(&array->items[i], wanted));
  }
  return found;
}

static cloche__truth has_within(const cloche__clause *test, const cloche__json *value) {
  const cloche__json *wanted = test->value;
  if (value->kind == CLOCHE__JSON_ARRAY) return contains_item(value, wanted);
  if (value->kind != CLOCHE__JSON_STRING || wanted->kind != CLOCHE__JSON_STRING) {
    return CLOCHE__UNDEFINED;
  }
  return truth(memmem(value->text, value->count, wanted->text, wanted->count) != NULL);
}

static cloche__truth is_match(const cloche__clause *test, cloche__where_context *context,
                              cloche_text text) {
  cloche__match match = cloche__regex_match(test->regex, text, true, &context->steps);
  return match == CLOCHE__MATCH_LIMIT ? CLOCHE__UNDEFINED : truth(match == CLOCHE__MATCH_YES);
}

static cloche__truth is_path_within(const cloche__clause *test, cloche_text path) {
  cloche__truth found = CLOCHE__FALSE;
  if (!cloche__path_is_plain(path)) return CLOCHE__UNDEFINED;
  for (size_t i = 0; i < test->operand_count; i++) {
    cloche__within within = cloche__path_within(path, test->texts[i]);
    found = either(found, within == CLOCHE__WITHIN_UNCLEAR ? CLOCHE__UNDEFINED
                                                           : truth(within == CLOCHE__WITHIN_YES));
  }
  return found;
}

static bool any_host(const cloche__host_pattern *patterns, size_t count, const cloche__host *host) {
  for (size_t i = 0; i < count; i++) {
    if (cloche__host_pattern_matches(&patterns[i], host)) return true;
  }
  return false;
}

static cloche__truth is_email_at(const cloche__clause *test, cloche_text text) {
  cloche__host domain;
  if (!cloche__email_domain(text, &domain)) return CLOCHE__UNDEFINED;
  return truth(any_host(test->hosts, test->operand_count, &domain));
}

static bool any_scheme(const cloche__url_rule *rule, const cloche__url *url) {
  for (size_t i = 0; i < rule->scheme_count; i++) {
    cloche_text scheme = {url->scheme, url->scheme_len};
    if (cloche__text_equal(rule->schemes[i], scheme)) return true;
  }
  return false;
}

static bool is_web(const cloche__url *url) {
  cloche_text scheme = {url->scheme, url->scheme_len};
  return cloche__text_equal(scheme, cloche__text("https")) ||
         cloche__text_equal(scheme, cloche__text("http"));
}

static bool any_port(const cloche__url_rule *rule, int port) {
  for (size_t i = 0; i < rule->port_count; i++) {
    if (rule->ports[i] == port) return true;
  }
  return rule->port_count == 0;
}

static cloche__truth any_prefix(const cloche__url_rule *rule, cloche_text path) {
  cloche__truth found = truth(rule->prefix_count == 0);
  for (size_t i = 0; i < rule->prefix_count; i++) {
    bool clear, within = cloche__url_path_within(path, rule->prefixes[i], &clear);
    found = either(found, clear ? truth(within) : CLOCHE__UNDEFINED);
  }
  return found;
}

static cloche__truth is_url(const cloche__clause *test, cloche_text text) {
  const cloche__url_rule *rule = test->url;
  cloche__url url;
  if (!cloche__url_read(text, &url)) return CLOCHE__UNDEFINED;
  bool named = any_host(rule->hosts, rule->host_count, &url.host);
  /* Undefined, not false: under a `not` a private address must not become an allowance. */
  if (!named && cloche__host_is_private(&url.host)) return CLOCHE__UNDEFINED;
  if (!any_scheme(rule, &url)) return is_web(&url) ? CLOCHE__FALSE : CLOCHE__UNDEFINED;
  if (!any_port(rule, url.port)) return CLOCHE__FALSE;
  if (!named && rule->host_count > 0) return CLOCHE__FALSE;
  return any_prefix(rule, url.path);
}

static cloche__truth compare_times(cloche__operator op, cloche_text text, cloche__time bound) {
  cloche__time time;
  if (!cloche__time_read(text, &time)) return CLOCHE__UNDEFINED;
  int order = cloche__time_compare(time, bound);
  return truth(op == CLOCHE__OP_BEFORE ? order < 0 : order > 0);
}

/* Operators whose parameter has to be a string. */
static cloche__truth test_string(const cloche__clause *test, cloche__where_context *context,
                                 const cloche__json *value) {
  cloche_text text = {value->text, value->count};
  if (value->kind != CLOCHE__JSON_STRING) return CLOCHE__UNDEFINED;
  switch (test->op) {
    case CLOCHE__OP_STARTS_WITH:
      return truth(starts_with(text, cloche__json_text(test->value)));
    case CLOCHE__OP_ENDS_WITH:
      return truth(ends_with(text, cloche__json_text(test->value)));
    case CLOCHE__OP_MATCHES:
    case CLOCHE__OP_GLOB:
      return is_match(test, context, text);
    case CLOCHE__OP_PATH_WITHIN:
      return is_path_within(test, text);
    case CLOCHE__OP_URL:
      return is_url(test, text);
    case CLOCHE__OP_EMAIL_DOMAIN:
      return is_email_at(test, text);
    case CLOCHE__OP_BEFORE:
    case CLOCHE__OP_AFTER:
      return compare_times(test->op, text, test->time);
    default:
      return CLOCHE__UNDEFINED;
  }
}

/* ---- other parts of a value ---- */

static cloche__truth has_type(const cloche__clause *test, const cloche__json *value) {
  if (test->kinds & (1u << value->kind)) return CLOCHE__TRUE;
  return truth((test->kinds & CLOCHE__INTEGER_BIT) && value->kind == CLOCHE__JSON_NUMBER &&
               cloche__json_number_integral(cloche__json_text(value)));
}

static cloche__truth has_length(const cloche__clause *test, cloche__where_context *context,
                                const cloche__json *value) {
  char digits[24];
  if (value->kind < CLOCHE__JSON_STRING) return CLOCHE__UNDEFINED;
  bool string = value->kind == CLOCHE__JSON_STRING;
  size_t length = string ? cloche__utf8_count(cloche__json_text(value)) : value->count;
  int len = snprintf(digits, sizeof digits, "%zu", length);
  cloche__json number = cloche__json_of_number((cloche_text){digits, (size_t)len});
  return cloche__where_holds(test->children, context, &number);
}

static cloche__truth test_elements(const cloche__clause *test, cloche__where_context *context,
                                   const cloche__json *value) {
  bool all = test->op == CLOCHE__OP_ALL;
  cloche__truth found = truth(all);
  if (value->kind != CLOCHE__JSON_ARRAY) return CLOCHE__UNDEFINED;
  for (size_t i = 0; i < value->count; i++) {
    cloche__truth one = cloche__where_holds(test->children, context, &value->items[i]);
    found = all ? cloche__and(found, one) : either(found, one);
    if (found == truth(!all)) break; /* settled */
  }
  return test->op == CLOCHE__OP_NONE ? cloche__not(found) : found;
}

static cloche__truth test_param(const cloche__clause *test, cloche__where_context *context,
                                const cloche__json *root, const cloche__json *value) {
  const cloche__json *other =
      cloche__path_get(test->other, test->other->from_top ? context->top : root);
  cloche__time bound;
  if (other == NULL || other->kind == CLOCHE__JSON_NULL || value->kind == CLOCHE__JSON_NULL) {
    return CLOCHE__UNDEFINED;
  }
  if (test->op != CLOCHE__OP_BEFORE && test->op != CLOCHE__OP_AFTER) {
    return compare(test->op, value, other);
  }
  if (value->kind != CLOCHE__JSON_STRING || other->kind != CLOCHE__JSON_STRING) {
    return CLOCHE__UNDEFINED;
  }
  if (!cloche__time_read(cloche__json_text(other), &bound)) return CLOCHE__UNDEFINED;
  return compare_times(test->op, cloche__json_text(value), bound);
}

/* `value` is what the path led to; NULL when it is absent. */
static cloche__truth test_value(const cloche__clause *test, cloche__where_context *context,
                                const cloche__json *root, const cloche__json *value) {
  bool missing = value == NULL || value->kind == CLOCHE__JSON_NULL;
  if (test->op == CLOCHE__OP_EXISTS) return truth(!missing);
  if (test->op == CLOCHE__OP_NOT_EXISTS) return truth(missing);
  if (value == NULL) return test->optional ? CLOCHE__TRUE : CLOCHE__UNDEFINED;
  if (test->by_param) return test_param(test, context, root, value);
  switch (test->op) {
    case CLOCHE__OP_LESS:
    case CLOCHE__OP_AT_MOST:
    case CLOCHE__OP_MORE:
    case CLOCHE__OP_AT_LEAST:
    case CLOCHE__OP_EQUAL:
    case CLOCHE__OP_UNEQUAL:
      return compare_with_operand(test, value);
    case CLOCHE__OP_IN:
      return is_in(value, test->value);
    case CLOCHE__OP_NOT_IN:
      return cloche__not(is_in(value, test->value));
    case CLOCHE__OP_BETWEEN:
      return is_between(value, test->value);
    case CLOCHE__OP_CONTAINS:
      return has_within(test, value);
    case CLOCHE__OP_LENGTH:
      return has_length(test, context, value);
    case CLOCHE__OP_TYPE:
      return has_type(test, value);
    case CLOCHE__OP_ALL:
    case CLOCHE__OP_ANY:
    case CLOCHE__OP_NONE:
      return test_elements(test, context, value);
    case CLOCHE__OP_WHERE:
      if (value->kind != CLOCHE__JSON_OBJECT) return CLOCHE__UNDEFINED;
      return cloche__where_holds(test->children, context, value);
    default:
      return test_string(test, context, value);
  }
}

/* ---- paths ---- */

/* One step down. False when `value` is no container that the step could be in. */
static bool step_down(const cloche__step *step, const cloche__json **value) {
  const cloche__json *at = *value;
  if (at->kind == CLOCHE__JSON_NULL) {
    *value = NULL;
  } else if (at->kind == CLOCHE__JSON_OBJECT) {
    *value = cloche__json_get_text(at, step->key);
  } else if (at->kind == CLOCHE__JSON_ARRAY && step->index != SIZE_MAX) {
    *value = step->index < at->count ? &at->items[step->index] : NULL;
  } else {
    return false;
  }
  return true;
}

const cloche__json *cloche__path_get(const cloche__path *path, const cloche__json *root) {
  for (size_t i = 0; i < path->count && root != NULL; i++) {
    if (!step_down(&path->steps[i], &root)) return NULL;
  }
  return root;
}

/* Follows the path from its step `at`; a star makes it an AND over all elements. */
static cloche__truth test_from(const cloche__clause *test, size_t at,
                               cloche__where_context *context, const cloche__json *root,
                               const cloche__json *value) {
  for (; at < test->path->count && value != NULL; at++) {
    const cloche__step *step = &test->path->steps[at];
    if (!step->every || value->kind == CLOCHE__JSON_NULL) {
      if (!step_down(step, &value)) return CLOCHE__UNDEFINED;
      continue;
    }
    if (value->kind != CLOCHE__JSON_ARRAY) return CLOCHE__UNDEFINED;
    cloche__truth all = CLOCHE__TRUE;
    for (size_t i = 0; i < value->count && all != CLOCHE__FALSE; i++) {
      all = cloche__and(all, test_from(test, at + 1, context, root, &value->items[i]));
    }
    return all;
  }
  size_t work = 1 + (value != NULL && value->kind == CLOCHE__JSON_STRING ? value->count : 0);
  if (context->steps < work) {
    context->steps = 0;
    return CLOCHE__UNDEFINED;
  }
  context->steps -= work;
  return test_value(test, context, root, value);
}

/* ---- clauses ---- */

cloche__truth cloche__where_holds(const cloche__clause *clause, cloche__where_context *context,
                                  const cloche__json *root) {
  cloche__truth found = truth(clause->kind == CLOCHE__CLAUSE_AND);
  switch (clause->kind) {
    case CLOCHE__CLAUSE_AND:
      for (size_t i = 0; i < clause->count && found != CLOCHE__FALSE; i++) {
        found = cloche__and(found, cloche__where_holds(&clause->children[i], context, root));
      }
      return found;
    case CLOCHE__CLAUSE_OR:
      for (size_t i = 0; i < clause->count && found != CLOCHE__TRUE; i++) {
        found = either(found, cloche__where_holds(&clause->children[i], context, root));
      }
      return found;
    case CLOCHE__CLAUSE_NOT:
      return cloche__not(cloche__where_holds(clause->children, context, root));
    default:
      return test_from(clause, 0, context, root, clause->path->from_top ? context->top : root);
  }
}

const cloche__clause *cloche__where_failure(const cloche__clause *clause,
                                            cloche__where_context *context,
                                            const cloche__json *root) {
  if (cloche__where_holds(clause, context, root) == CLOCHE__TRUE) return NULL;
  for (size_t i = 0; clause->kind == CLOCHE__CLAUSE_AND && i < clause->count; i++) {
    const cloche__clause *failed = cloche__where_failure(&clause->children[i], context, root);
    if (failed != NULL) return failed;
  }
  return clause;
}
