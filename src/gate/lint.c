// SPDX-License-Identifier: MIT
/* lint.c -- doubts about a policy that is valid: what it says may not be what was meant. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gate/gate.h"

typedef struct {
  const cloche__layer *layer;
  int64_t now;
  bool json;
  size_t count;
  cloche__buffer *out;
  cloche__name *names; /* of the tools */
} linter;

__attribute__((format(printf, 4, 5))) static void doubt(linter *l, const cloche__rule *rule,
                                                        const char *code, const char *format, ...) {
  char message[600];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  size_t index = rule == NULL ? 0 : (size_t)(rule - l->layer->rules);
  if (!l->json) {
    if (rule != NULL)
      cloche__buffer_format(l->out, "/rules/%zu \"%.*s\": ", index, (int)rule->key.len,
                            rule->key.at);
    cloche__buffer_format(l->out, "%s\n", message);
  } else {
    cloche__buffer_format(l->out, "%s{\"code\":\"%s\"", l->count > 0 ? "," : "", code);
    if (rule != NULL) {
      cloche__json_write_key("rule", l->out);
      cloche__json_write_string(rule->key, l->out);
      cloche__buffer_format(l->out, ",\"path\":\"/rules/%zu\"", index);
    }
    cloche__json_write_key("message", l->out);
    cloche__json_write_string(cloche__text(message), l->out);
    cloche__buffer_byte(l->out, '}');
  }
  l->count++;
}

/* ---- rules that never match ---- */

static void check_tools_exist(linter *l, const cloche__rule *rule) {
  if (!l->layer->has_tools) return;
  for (size_t i = 0; i < l->layer->tool_count; i++) {
    if (cloche__pattern_matches(&rule->pattern, &l->names[i])) return;
  }
  doubt(l, rule, "no_tool", "matches none of the tools.");
}

static bool is_lower(cloche__operator op) {
  return op == CLOCHE__OP_MORE || op == CLOCHE__OP_AT_LEAST;
}
static bool is_upper(cloche__operator op) {
  return op == CLOCHE__OP_LESS || op == CLOCHE__OP_AT_MOST;
}

/* Does no value that `a` holds for satisfy `b`? Sure only where `a` lists values, or both bound. */
static bool excludes(const cloche__clause *a, const cloche__clause *b) {
  const cloche__json *listed = a->op == CLOCHE__OP_IN ? a->value->items : a->value;
  size_t count = a->op == CLOCHE__OP_IN ? a->value->count : 1;
  cloche__path here = {.count = 0};
  cloche__clause test = *b;
  cloche__where_context context = {NULL, CLOCHE__GATE_STEPS};
  test.path = &here; /* ask `b` of the value itself */
  if (a->op == CLOCHE__OP_EQUAL || a->op == CLOCHE__OP_IN) {
    for (size_t i = 0; i < count; i++) {
      if (b->by_param || cloche__where_holds(&test, &context, &listed[i]) == CLOCHE__TRUE)
        return false;
    }
    return true;
  }
  if (a->op == CLOCHE__OP_EXISTS && b->op == CLOCHE__OP_NOT_EXISTS) return true;
  if (!is_lower(a->op) || !is_upper(b->op) || b->by_param) return false;
  if (a->value->kind != b->value->kind) return true;
  bool strict = a->op == CLOCHE__OP_MORE || b->op == CLOCHE__OP_LESS;
  int order =
      a->value->kind == CLOCHE__JSON_NUMBER
          ? cloche__json_number_compare(cloche__json_text(a->value), cloche__json_text(b->value))
          : cloche__text_compare(cloche__json_text(a->value), cloche__json_text(b->value));
  return strict ? order >= 0 : order > 0;
}

enum { TESTS = 64 };

static void list_tests(const cloche__clause *clause, const cloche__clause **tests, size_t *count) {
  if (clause->kind == CLOCHE__CLAUSE_TEST && *count < TESTS) tests[(*count)++] = clause;
  for (size_t i = 0; clause->kind == CLOCHE__CLAUSE_AND && i < clause->count; i++) {
    list_tests(&clause->children[i], tests, count);
  }
}

static void check_contradiction(linter *l, const cloche__rule *rule) {
  const cloche__clause *tests[TESTS];
  size_t count = 0;
  if (rule->where != NULL) list_tests(rule->where, tests, &count);
  for (size_t i = 0; i < count; i++) {
    for (size_t j = 0; j < count; j++) {
      const cloche__path *path = tests[i]->path;
      if (i == j || tests[i]->by_param || !cloche__text_equal(path->text, tests[j]->path->text))
        continue;
      if (!excludes(tests[i], tests[j])) continue;
      doubt(l, rule, "never", "can never hold: \"%.*s\" cannot meet both \"%s\" and \"%s\".",
            (int)path->text.len, path->text.at, cloche__operator_text(tests[i]->op),
            cloche__operator_text(tests[j]->op));
      return;
    }
  }
}

/* ---- shadows ---- */

/* Holds for every call that its pattern matches. */
static bool is_unconditional(const cloche__rule *rule) {
  return rule->where == NULL && rule->order_count == 0 && rule->if_label.count == 0 &&
         rule->unless_label.count == 0 && rule->expires == INT64_MAX && !rule->closed;
}

static bool shadows(const cloche__rule *over, const cloche__rule *rule) {
  if (over == rule || over->effect == rule->effect) {
    /* An earlier allow without budget is always charged first. */
    return over < rule && over->effect == CLOCHE_ALLOW && over->budget_count == 0;
  }
  return over->effect == CLOCHE_DENY ||
         (over->effect == CLOCHE_ASK && rule->effect == CLOCHE_ALLOW);
}

static void check_shadow(linter *l, const cloche__rule *rule, const uint32_t *unconditional,
                         size_t count) {
  for (size_t i = 0; i < count; i++) {
    const cloche__rule *over = &l->layer->rules[unconditional[i]];
    if (!shadows(over, rule) || !cloche__pattern_covers(&over->pattern, &rule->pattern)) continue;
    doubt(l, rule, "shadowed", "is shadowed by the rule \"%.*s\", which %s.", (int)over->key.len,
          over->key.at,
          over->effect == CLOCHE_DENY  ? "denies all that it matches"
          : over->effect == CLOCHE_ASK ? "asks about all that it matches"
                                       : "stands before it and allows all that it matches");
    return;
  }
}

/* ---- parameters ---- */

static void check_path(linter *l, const cloche__rule *rule, const cloche__path *path) {
  for (size_t i = 0; i < l->layer->tool_count; i++) {
    const cloche__tool *tool = &l->layer->tools[i];
    if (tool->input == NULL || !cloche__pattern_matches(&rule->pattern, &l->names[i])) continue;
    if (cloche__schema_knows(tool->input, path)) continue;
    doubt(l, rule, "no_param", "names the parameter \"%.*s\", which %.*s does not have.",
          (int)path->text.len, path->text.at, (int)tool->name.len, tool->name.at);
    return;
  }
}

/* Paths inside elements start elsewhere, and are not looked at. */
static void check_clause(linter *l, const cloche__rule *rule, const cloche__clause *clause) {
  if (clause->kind != CLOCHE__CLAUSE_TEST) {
    for (size_t i = 0; i < clause->count; i++) check_clause(l, rule, &clause->children[i]);
    return;
  }
  check_path(l, rule, clause->path);
  if (clause->by_param) check_path(l, rule, clause->other);
  for (size_t i = 0; i < clause->path->count && rule->effect != CLOCHE_ALLOW; i++) {
    if (!clause->path->steps[i].every) continue;
    doubt(l, rule, "every",
          "holds only if every element of \"%.*s\" meets it; to stop a call for one element use "
          "\"any\".",
          (int)clause->path->text.len, clause->path->text.at);
    return;
  }
}

static void check_params(linter *l, const cloche__rule *rule) {
  if (rule->where != NULL) check_clause(l, rule, rule->where);
  for (size_t i = 0; i < rule->setting_count; i++) check_path(l, rule, rule->settings[i].path);
  for (size_t i = 0; i < rule->budget_count; i++) {
    const cloche__path *total = l->layer->budgets[rule->budgets[i]].total;
    if (total != NULL) check_path(l, rule, total);
  }
  for (size_t i = 0; i < rule->order_count; i++) {
    if (rule->orders[i].param != NULL) check_path(l, rule, rule->orders[i].param);
  }
}

static void check_free_grant(linter *l, const cloche__rule *rule) {
  if (rule->effect != CLOCHE_ALLOW || !is_unconditional(rule) || rule->budget_count > 0) return;
  for (size_t i = 0; i < l->layer->tool_count; i++) {
    if (!cloche__pattern_matches(&rule->pattern, &l->names[i])) continue;
    doubt(l, rule, "unconstrained", "grants %.*s without any constraint or budget.",
          (int)l->layer->tools[i].name.len, l->layer->tools[i].name.at);
  }
}

/* ---- the policy ---- */

static void check_budgets(linter *l) {
  for (size_t i = 0; i < l->layer->budget_count; i++) {
    bool used = false;
    for (size_t r = 0; r < l->layer->rule_count && !used; r++) {
      const cloche__rule *rule = &l->layer->rules[r];
      for (size_t b = 0; b < rule->budget_count; b++) used |= rule->budgets[b] == i;
    }
    cloche_text key = l->layer->budgets[i].key;
    if (!used) doubt(l, NULL, "unused", "No rule uses %.*s.", (int)key.len, key.at);
  }
}

static void check_rules(linter *l, uint32_t *unconditional) {
  size_t count = 0;
  for (size_t i = 0; i < l->layer->rule_count; i++) {
    if (is_unconditional(&l->layer->rules[i])) unconditional[count++] = (uint32_t)i;
  }
  for (size_t i = 0; i < l->layer->rule_count; i++) {
    const cloche__rule *rule = &l->layer->rules[i];
    if (l->now >= rule->expires) doubt(l, rule, "expired", "has expired.");
    check_tools_exist(l, rule);
    check_contradiction(l, rule);
    check_shadow(l, rule, unconditional, count);
    check_params(l, rule);
    check_free_grant(l, rule);
  }
}

cloche_status cloche_policy_lint(const cloche_policy *policy, int64_t now, bool json, char **text,
                                 size_t *len, size_t *count) {
  if (policy == NULL || text == NULL || len == NULL) return CLOCHE_E_ARGUMENT;
  cloche__buffer out = {0};
  cloche__arena arena = {0};
  size_t found = 0;
  if (json) cloche__buffer_byte(&out, '[');
  for (size_t i = 0; i < policy->count; i++) {
    const cloche__layer *layer = policy->layers[i].layer;
    linter l = {layer, now,  json,
                found, &out, cloche__arena_take(&arena, layer->tool_count, sizeof *l.names)};
    uint32_t *unconditional = cloche__arena_take(&arena, layer->rule_count, sizeof *unconditional);
    if (l.names == NULL || unconditional == NULL) out.failed = true;
    if (out.failed) break;
    for (size_t t = 0; t < layer->tool_count; t++)
      cloche__name_read(layer->tools[t].name, false, &l.names[t]);
    check_rules(&l, unconditional);
    check_budgets(&l);
    found = l.count;
  }
  if (json) cloche__buffer_byte(&out, ']');
  if (!json && out.len == 0) cloche__buffer_reserve(&out, 1); /* something to free() */
  cloche__arena_free(&arena);
  if (out.failed) {
    cloche__buffer_free(&out);
    return CLOCHE_E_MEMORY;
  }
  *text = out.at;
  *len = out.len;
  if (count != NULL) *count = found;
  return CLOCHE_OK;
}
