// SPDX-License-Identifier: MIT
/* rule_load.c -- reads the document of a policy into a layer. Everything unknown or useless is an
 * error with its place; what a rule's effect makes meaningless (a budget on a denial) too. */
#include <stdio.h>
#include <string.h>

#include "gate/policy.h"

typedef struct {
  cloche__loader *loader;
  cloche__layer *layer;
  cloche__rule *rules;
  cloche__budget *budgets; /* the named ones first, then those of rules */
  cloche__watch *watches;
  cloche__table named; /* budgets by name */
  size_t watch_max;
} rule_reader;

static const cloche__json *get(const cloche__json *object, const char *key, const cloche__at *up,
                               cloche__at *here) {
  *here = cloche__at_key(up, cloche__text(key));
  return cloche__json_get(object, key);
}

static bool load_pattern(rule_reader *r, const cloche__at *at, cloche_text spelling,
                         cloche__pattern *pattern) {
  cloche__name name;
  char hint[160];
  const char *problem = cloche__name_read(spelling, true, &name);
  if (problem != NULL) return cloche__fail(r->loader, at, "This is no pattern: %s.", problem);
  if (!cloche__pattern_keep(&name, &r->layer->arena, pattern)) return cloche__no_memory(r->loader);
  const cloche__layer *layer = r->layer;
  if (!layer->has_tools || !pattern->literal || cloche__layer_tool(layer, pattern->text) != NULL) {
    return true;
  }
  return cloche__fail(
      r->loader, at, "There is no tool of this name%s",
      cloche__did_you_mean(pattern->text, layer->tool_names, layer->tool_count, hint));
}

/* ---- budgets ---- */

static bool load_rate(rule_reader *r, const cloche__at *at, const cloche__json *rate,
                      cloche__budget *budget) {
  static const char *const keys[] = {"calls", "per", NULL};
  cloche__at here;
  cloche_text per = {0};
  if (!cloche__check_keys(r->loader, at, rate, keys) ||
      !cloche__load_count(r->loader, at, rate, "calls", &budget->rate_calls) ||
      !cloche__load_text(r->loader, at, rate, "per", &per)) {
    return false;
  }
  get(rate, "per", at, &here);
  if (budget->rate_calls > CLOCHE__RATE_CALLS) {
    return cloche__fail(r->loader, at, "A rate needs \"calls\", at most %d.", CLOCHE__RATE_CALLS);
  }
  if (cloche__duration_read(per, &budget->rate_window) && budget->rate_window > 0) return true;
  return cloche__fail(r->loader, &here,
                      "A rate needs \"per\", a time such as \"30s\", \"5m\", \"1h\" or \"7d\".");
}

/* {"amount": {"<=": 5000}} */
static bool load_total(rule_reader *r, const cloche__at *at, const cloche__json *total,
                       cloche__budget *budget) {
  static const char *const keys[] = {"<=", NULL};
  if (!cloche__expect(r->loader, at, total, CLOCHE__JSON_OBJECT)) return false;
  if (total->count != 1) {
    return cloche__fail(r->loader, at,
                        "A total is of one parameter: {\"amount\": {\"<=\": 5000}}.");
  }
  const cloche__json *bound = &total->members[0].value;
  cloche__at here = cloche__at_key(at, total->members[0].key);
  if (!cloche__path_load(r->loader, &here, total->members[0].key, false, &budget->total) ||
      !cloche__check_keys(r->loader, &here, bound, keys)) {
    return false;
  }
  const cloche__json *most = cloche__json_get(bound, "<=");
  cloche__amount read;
  if (most != NULL && most->kind == CLOCHE__JSON_NUMBER &&
      cloche__amount_read(cloche__json_text(most), &read)) {
    budget->total_text = cloche__json_text(most);
    return true;
  }
  return cloche__fail(r->loader, &here, "A total needs {\"<=\": N}, N a number, 0 or more.");
}

#define BUDGET_KEYS "max_calls", "max_concurrent", "rate", "total", "refund_on_error"

/* Reads the bounds; *bounded tells whether there is one. */
static bool load_bounds(rule_reader *r, const cloche__at *at, const cloche__json *source,
                        cloche__budget *budget, bool *bounded) {
  cloche__at rate_at, total_at, refund_at;
  const cloche__json *rate = get(source, "rate", at, &rate_at);
  const cloche__json *total = get(source, "total", at, &total_at);
  budget->max_calls = budget->max_concurrent = budget->rate_calls = CLOCHE__NONE;
  if (!cloche__load_count(r->loader, at, source, "max_calls", &budget->max_calls) ||
      !cloche__load_count(r->loader, at, source, "max_concurrent", &budget->max_concurrent) ||
      !cloche__load_flag(r->loader, at, source, "refund_on_error", &budget->refund) ||
      (rate != NULL && !load_rate(r, &rate_at, rate, budget)) ||
      (total != NULL && !load_total(r, &total_at, total, budget))) {
    return false;
  }
  *bounded = budget->max_calls != CLOCHE__NONE || budget->max_concurrent != CLOCHE__NONE ||
             rate != NULL || total != NULL;
  if (*bounded || get(source, "refund_on_error", at, &refund_at) == NULL) return true;
  return cloche__fail(r->loader, &refund_at, "There is no budget here to refund.");
}

static bool make_key(rule_reader *r, const char *kind, cloche_text name, cloche_text *key) {
  char *at = cloche__take(r->loader, strlen(kind) + name.len, 1);
  if (at == NULL) return false;
  memcpy(at, kind, strlen(kind));
  memcpy(at + strlen(kind), name.at, name.len);
  *key = (cloche_text){at, strlen(kind) + name.len};
  return true;
}

static bool load_named_budgets(rule_reader *r, const cloche__at *up, const cloche__json *source) {
  static const char *const keys[] = {BUDGET_KEYS, "description", NULL};
  cloche__at at, here;
  size_t twice;
  const cloche__json *all = get(source, "budgets", up, &at);
  if (all == NULL) return true;
  if (!cloche__expect(r->loader, &at, all, CLOCHE__JSON_OBJECT)) return false;
  cloche_text *names = cloche__take(r->loader, all->count, sizeof *names);
  if (names == NULL) return false;
  for (size_t i = 0; i < all->count; i++) {
    const cloche__json *one = &all->members[i].value;
    bool bounded;
    names[i] = all->members[i].key;
    here = cloche__at_key(&at, names[i]);
    if (!cloche__check_keys(r->loader, &here, one, keys) ||
        !load_bounds(r, &here, one, &r->budgets[i], &bounded) ||
        !make_key(r, "budgets/", names[i], &r->budgets[i].key)) {
      return false;
    }
    if (!bounded) return cloche__fail(r->loader, &here, "This budget bounds nothing.");
  }
  r->layer->budget_count = all->count;
  return cloche__table_make(&r->layer->arena, names, all->count, &r->named, &twice) == CLOCHE_OK ||
         cloche__no_memory(r->loader);
}

static bool load_rule_budgets(rule_reader *r, const cloche__at *at, const cloche__json *source,
                              cloche__rule *rule) {
  cloche__at here;
  const cloche__json *shared = get(source, "budget", at, &here);
  cloche__texts names = {0};
  cloche__budget own = {0};
  bool bounded;
  if (!load_bounds(r, at, source, &own, &bounded)) return false;
  if (shared != NULL && !cloche__load_strings(r->loader, &here, shared, &names.at, &names.count)) {
    return false;
  }
  size_t *indices = cloche__take(r->loader, names.count + 1, sizeof *indices);
  if (indices == NULL) return false;
  rule->budgets = indices;
  if (bounded) {
    if (!make_key(r, "rules/", rule->key, &own.key)) return false;
    r->budgets[r->layer->budget_count] = own;
    indices[rule->budget_count++] = r->layer->budget_count++;
  }
  for (size_t i = 0; i < names.count; i++) {
    size_t found = cloche__table_find(&r->named, names.at[i]);
    if (found == SIZE_MAX) {
      char hint[160];
      const cloche__json *all = cloche__json_get(&r->layer->source.root, "budgets");
      return cloche__fail(
          r->loader, &here, "\"budgets\" has no \"%.*s\"%s", (int)names.at[i].len, names.at[i].at,
          cloche__did_you_mean(names.at[i], r->named.keys, all == NULL ? 0 : all->count, hint));
    }
    indices[rule->budget_count++] = found;
  }
  return rule->budget_count <= CLOCHE__CHARGES / 2 ||
         cloche__fail(r->loader, &here, "A rule charges at most %d budgets.", CLOCHE__CHARGES / 2);
}

/* ---- order ---- */

static bool same_watch(const cloche__watch *a, const cloche__pattern *call,
                       const cloche__path *param) {
  if (!cloche__text_equal(a->call.text, call->text) || (a->param == NULL) != (param == NULL))
    return false;
  return param == NULL || cloche__text_equal(a->param->text, param->text);
}

static size_t add_watch(rule_reader *r, const cloche__pattern *call, const cloche__path *param) {
  cloche__layer *layer = r->layer;
  for (size_t i = 0; i < layer->watch_count; i++) {
    if (same_watch(&layer->watches[i], call, param)) return i;
  }
  r->watches[layer->watch_count] = (cloche__watch){*call, param};
  return layer->watch_count++;
}

/* "same": "id", or {"mine": "theirs"} */
static bool load_same(rule_reader *r, const cloche__at *at, const cloche__json *same,
                      const cloche__path **mine, const cloche__path **theirs) {
  bool pair = same->kind == CLOCHE__JSON_OBJECT && same->count == 1 &&
              same->members[0].value.kind == CLOCHE__JSON_STRING;
  if (!pair && same->kind != CLOCHE__JSON_STRING) {
    return cloche__fail(r->loader, at,
                        "This is a parameter, \"id\", or {\"of this call\": \"of that call\"}.");
  }
  cloche_text own = pair ? same->members[0].key : cloche__json_text(same);
  cloche_text other = pair ? cloche__json_text(&same->members[0].value) : own;
  return cloche__path_load(r->loader, at, own, false, mine) &&
         cloche__path_load(r->loader, at, other, false, theirs);
}

static bool load_order(rule_reader *r, const cloche__at *at, const cloche__json *source,
                       bool forbids, cloche__order *order) {
  static const char *const keys[] = {"call", "same", NULL};
  const cloche__json *call = source, *same = NULL;
  const cloche__path *theirs = NULL;
  cloche__at call_at = *at, same_at;
  cloche__pattern pattern;
  if (source->kind != CLOCHE__JSON_STRING) {
    if (!cloche__check_keys(r->loader, at, source, keys)) return false;
    call = get(source, "call", at, &call_at);
    same = get(source, "same", at, &same_at);
    if (call == NULL)
      return cloche__fail(r->loader, at, "This needs \"call\", the other call's pattern.");
    if (!cloche__expect(r->loader, &call_at, call, CLOCHE__JSON_STRING)) return false;
  }
  if (!load_pattern(r, &call_at, cloche__json_text(call), &pattern)) return false;
  if (same != NULL && !load_same(r, &same_at, same, &order->param, &theirs)) return false;
  order->forbids = forbids;
  order->watch = add_watch(r, &pattern, theirs);
  return true;
}

static size_t length_of(const cloche__json *value) {
  return value == NULL ? 0 : value->kind == CLOCHE__JSON_ARRAY ? value->count : 1;
}

static bool load_orders(rule_reader *r, const cloche__at *up, const cloche__json *source,
                        cloche__rule *rule) {
  static const char *const keys[] = {"after", "not_after"};
  size_t most =
      length_of(cloche__json_get(source, keys[0])) + length_of(cloche__json_get(source, keys[1]));
  cloche__order *orders = cloche__take(r->loader, most, sizeof *orders);
  if (orders == NULL) return false;
  rule->orders = orders;
  for (size_t k = 0; k < 2; k++) {
    cloche__at at;
    const cloche__json *list = get(source, keys[k], up, &at);
    bool many = list != NULL && list->kind == CLOCHE__JSON_ARRAY;
    for (size_t i = 0; i < length_of(list); i++) {
      cloche__at here = cloche__at_index(&at, i);
      const cloche__json *one = many ? &list->items[i] : list;
      if (!load_order(r, many ? &here : &at, one, k == 1, &orders[rule->order_count++]))
        return false;
    }
  }
  return true;
}

/* ---- the rest of a rule ---- */

static bool load_labels(rule_reader *r, const cloche__at *up, const cloche__json *source,
                        const char *key, cloche__texts *labels) {
  cloche__at at;
  const cloche__json *list = get(source, key, up, &at);
  if (list == NULL) return true;
  if (!cloche__load_strings(r->loader, &at, list, &labels->at, &labels->count)) return false;
  for (size_t i = 0; i < labels->count; i++) {
    if (labels->at[i].len == 0 || labels->at[i].len > 64) {
      return cloche__fail(r->loader, &at, "A label has 1 to 64 bytes.");
    }
  }
  return true;
}

static bool starts_path(const cloche__path *outer, const cloche__path *inner) {
  if (outer->count > inner->count) return false;
  for (size_t i = 0; i < outer->count; i++) {
    if (!cloche__text_equal(outer->steps[i].key, inner->steps[i].key)) return false;
  }
  return true;
}

static bool load_settings(rule_reader *r, const cloche__at *up, const cloche__json *source,
                          cloche__rule *rule) {
  cloche__at at;
  const cloche__json *set = get(source, "set", up, &at);
  if (set == NULL) return true;
  if (!cloche__expect(r->loader, &at, set, CLOCHE__JSON_OBJECT)) return false;
  cloche__setting *settings = cloche__take(r->loader, set->count, sizeof *settings);
  if (settings == NULL) return false;
  rule->settings = settings;
  r->layer->sets = true;
  for (size_t i = 0; i < set->count; i++) {
    cloche__at here = cloche__at_key(&at, set->members[i].key);
    const cloche__path *path;
    if (!cloche__path_load(r->loader, &here, set->members[i].key, false, &path)) return false;
    for (size_t j = 0; j < path->count; j++) {
      if (path->steps[j].index != SIZE_MAX) {
        return cloche__fail(r->loader, &here, "\"set\" names members of objects, not of arrays.");
      }
    }
    for (size_t j = 0; j < i; j++) {
      if (starts_path(settings[j].path, path) || starts_path(path, settings[j].path)) {
        return cloche__fail(r->loader, &here, "This overlaps with another parameter that is set.");
      }
    }
    settings[rule->setting_count++] = (cloche__setting){path, &set->members[i].value};
  }
  return true;
}

static size_t count_tests(const cloche__clause *clause) {
  size_t count = 0;
  if (clause->kind == CLOCHE__CLAUSE_TEST) return 1;
  for (size_t i = 0; i < clause->count; i++) count += count_tests(&clause->children[i]);
  return count;
}

/* The first step of each path outside elements; inside them paths start elsewhere. */
static void list_mentioned(const cloche__clause *clause, cloche_text *names, size_t *count) {
  if (clause->kind == CLOCHE__CLAUSE_TEST) {
    if (clause->path->count > 0) names[(*count)++] = clause->path->steps[0].key;
    return;
  }
  for (size_t i = 0; i < clause->count; i++) list_mentioned(&clause->children[i], names, count);
}

static bool load_closed(rule_reader *r, const cloche__at *at, const cloche__json *source,
                        cloche__rule *rule) {
  if (!cloche__load_flag(r->loader, at, source, "closed", &rule->closed)) return false;
  if (!rule->closed) return true;
  size_t most = (rule->where == NULL ? 0 : count_tests(rule->where)) + rule->setting_count + 1;
  cloche_text *names = cloche__take(r->loader, most, sizeof *names);
  if (names == NULL) return false;
  if (rule->where != NULL) list_mentioned(rule->where, names, &rule->mentioned.count);
  for (size_t i = 0; i < rule->setting_count; i++) {
    names[rule->mentioned.count++] = rule->settings[i].path->steps[0].key;
  }
  rule->mentioned.at = names;
  return true;
}

static bool load_effect(rule_reader *r, const cloche__at *up, const cloche__json *source,
                        cloche__rule *rule) {
  static const char *const names[] = {"deny", "allow", "ask"};
  static const char *const never_on_deny[] = {"set",    "closed",         "adds",
                                              "budget", "max_calls",      "rate",
                                              "total",  "max_concurrent", "refund_on_error"};
  cloche__at at;
  const cloche__json *effect = get(source, "effect", up, &at);
  uint8_t found = 0;
  while (effect != NULL && found < 3 && !cloche__json_is(effect, names[found])) found++;
  if (effect == NULL || found == 3) {
    return cloche__fail(r->loader, &at, "A rule needs an effect: \"allow\", \"deny\" or \"ask\".");
  }
  rule->effect = found;
  for (size_t i = 0; found == CLOCHE_DENY && i < sizeof never_on_deny / sizeof *never_on_deny;
       i++) {
    if (get(source, never_on_deny[i], up, &at) == NULL) continue;
    return cloche__fail(r->loader, &at, "This means nothing on a rule that denies.");
  }
  if (found != CLOCHE_ASK && get(source, "approve_up_to", up, &at) != NULL) {
    return cloche__fail(r->loader, &at, "This means something only on a rule that asks.");
  }
  return true;
}

static bool load_key(rule_reader *r, const cloche__at *up, const cloche__json *source,
                     cloche__rule *rule) {
  cloche__at at;
  const cloche__json *pattern = get(source, "pattern", up, &at);
  if (pattern == NULL) return cloche__fail(r->loader, up, "A rule needs a pattern of methods.");
  if (!cloche__expect(r->loader, &at, pattern, CLOCHE__JSON_STRING) ||
      !load_pattern(r, &at, cloche__json_text(pattern), &rule->pattern) ||
      !cloche__load_text(r->loader, up, source, "name", &rule->key)) {
    return false;
  }
  get(source, "name", up, &at);
  if (rule->key.at == NULL) return true;
  if (rule->key.len > 0 && rule->key.len <= 128) return true;
  return cloche__fail(r->loader, &at, "A name has 1 to 128 bytes.");
}

static bool load_expiry(rule_reader *r, const cloche__at *up, const cloche__json *source,
                        cloche__rule *rule) {
  cloche__at at;
  cloche__time time;
  const cloche__json *expires = get(source, "expires", up, &at);
  rule->expires = INT64_MAX;
  if (expires == NULL) return true;
  if (expires->kind != CLOCHE__JSON_STRING ||
      !cloche__time_read(cloche__json_text(expires), &time) ||
      __builtin_mul_overflow(time.seconds, (int64_t)1000000000, &rule->expires) ||
      __builtin_add_overflow(rule->expires, (int64_t)time.nanoseconds, &rule->expires)) {
    return cloche__fail(
        r->loader, &at,
        "A time is written \"2026-01-31\" or \"2026-01-31T12:00:00Z\", with its zone.");
  }
  return true;
}

static bool load_approval(rule_reader *r, const cloche__at *at, const cloche__json *source,
                          cloche__rule *rule) {
  uint64_t up_to = 1;
  if (!cloche__load_count(r->loader, at, source, "approve_up_to", &up_to)) return false;
  if (up_to == 0 || up_to > 1000000) {
    return cloche__fail(r->loader, at, "\"approve_up_to\" is 1 to 1000000 calls.");
  }
  rule->approve_up_to = (uint32_t)up_to;
  return true;
}

static bool load_rule(rule_reader *r, const cloche__at *at, const cloche__json *source,
                      cloche__rule *rule) {
  static const char *const keys[] = {
      "name",         "description", "pattern",       "effect", "where",     "closed", "set",
      "explain",      "reason",      "expires",       "after",  "not_after", "adds",   "if_label",
      "unless_label", "secret",      "approve_up_to", "budget", BUDGET_KEYS, NULL};
  cloche__at where_at;
  if (!cloche__check_keys(r->loader, at, source, keys)) return false;
  const cloche__json *where = get(source, "where", at, &where_at);
  cloche_text description;
  return load_effect(r, at, source, rule) &&
         cloche__load_text(r->loader, at, source, "description", &description) &&
         (where == NULL || cloche__where_load(r->loader, &where_at, where, &rule->where)) &&
         load_settings(r, at, source, rule) && load_closed(r, at, source, rule) &&
         cloche__load_flag(r->loader, at, source, "explain", &rule->explain) &&
         cloche__load_text(r->loader, at, source, "reason", &rule->reason) &&
         load_expiry(r, at, source, rule) && load_orders(r, at, source, rule) &&
         load_labels(r, at, source, "adds", &rule->adds) &&
         load_labels(r, at, source, "if_label", &rule->if_label) &&
         load_labels(r, at, source, "unless_label", &rule->unless_label) &&
         load_approval(r, at, source, rule) && load_rule_budgets(r, at, source, rule);
}

/* ---- keys of rules ---- */

/* An unnamed rule is its pattern, with "#2", "#3"... for further ones of that pattern: stable when
 * rules of other patterns come and go, as what was spent is kept under it. */
static bool name_unnamed(rule_reader *r, const cloche__json *list) {
  size_t count = list->count, size = 4;
  while (size < count * 2) size *= 2;
  struct {
    const cloche__rule *first;
    uint32_t seen;
  } *slots = cloche__take(r->loader, size, sizeof *slots);
  if (slots == NULL) return false;
  for (size_t i = 0; i < count; i++) {
    cloche__rule *rule = &r->rules[i];
    cloche_text text = rule->pattern.text;
    if (rule->key.at != NULL) continue;
    size_t at = cloche__hash(CLOCHE__HASH_START, text) & (size - 1);
    while (slots[at].first != NULL && !cloche__text_equal(slots[at].first->pattern.text, text)) {
      at = (at + 1) & (size - 1);
    }
    slots[at].first = rule;
    rule->key = text;
    if (++slots[at].seen == 1) continue;
    char *key = cloche__take(r->loader, text.len + 12, 1);
    if (key == NULL) return false;
    int len = snprintf(key, text.len + 12, "%.*s#%u", (int)text.len, text.at, slots[at].seen);
    rule->key = (cloche_text){key, (size_t)len};
  }
  return true;
}

static bool check_names_differ(rule_reader *r, const cloche__at *at, size_t count) {
  cloche_text *keys = cloche__take(r->loader, count, sizeof *keys);
  cloche__table table;
  size_t twice;
  if (keys == NULL) return false;
  for (size_t i = 0; i < count; i++) keys[i] = r->rules[i].key;
  cloche_status status = cloche__table_make(&r->layer->arena, keys, count, &table, &twice);
  if (status == CLOCHE_E_MEMORY) return cloche__no_memory(r->loader);
  cloche__at here = cloche__at_index(at, status == CLOCHE_OK ? 0 : twice);
  return status == CLOCHE_OK ||
         cloche__fail(r->loader, &here, "Another rule has the name \"%.*s\" already.",
                      (int)keys[twice].len, keys[twice].at);
}

/* ---- secrets ---- */

static bool load_secret(rule_reader *r, const cloche__at *at, const cloche__json *paths,
                        cloche__secret *secret) {
  const cloche_text *texts;
  size_t count;
  if (!cloche__load_strings(r->loader, at, paths, &texts, &count)) return false;
  const cloche__path **list = cloche__take(r->loader, count, sizeof *list);
  if (list == NULL) return false;
  for (size_t i = 0; i < count; i++) {
    if (!cloche__path_load(r->loader, at, texts[i], true, &list[i])) return false;
  }
  secret->paths = list;
  secret->count = count;
  return true;
}

/* {"stripe/create": ["card/number"]} beside the rules, and "secret" on a rule, are the same thing.
 */
static bool load_secrets(rule_reader *r, const cloche__at *up, const cloche__json *source,
                         const cloche__json *list) {
  cloche__at at, rules_at = cloche__at_key(up, cloche__text("rules"));
  const cloche__json *all = get(source, "secrets", up, &at);
  if (all != NULL && !cloche__expect(r->loader, &at, all, CLOCHE__JSON_OBJECT)) return false;
  size_t most = (all == NULL ? 0 : all->count) + list->count;
  cloche__secret *secrets = cloche__take(r->loader, most, sizeof *secrets);
  if (secrets == NULL) return false;
  r->layer->secrets = secrets;
  for (size_t i = 0; all != NULL && i < all->count; i++) {
    cloche__at here = cloche__at_key(&at, all->members[i].key);
    cloche__secret *secret = &secrets[r->layer->secret_count++];
    if (!load_pattern(r, &here, all->members[i].key, &secret->pattern) ||
        !load_secret(r, &here, &all->members[i].value, secret)) {
      return false;
    }
  }
  for (size_t i = 0; i < list->count; i++) {
    cloche__at rule_at = cloche__at_index(&rules_at, i), here;
    const cloche__json *paths = get(&list->items[i], "secret", &rule_at, &here);
    if (paths == NULL) continue;
    cloche__secret *secret = &secrets[r->layer->secret_count++];
    secret->pattern = r->rules[i].pattern;
    if (!load_secret(r, &here, paths, secret)) return false;
  }
  return true;
}

/* ---- the document ---- */

static size_t count_watches(const cloche__json *list) {
  size_t count = 0;
  for (size_t i = 0; i < list->count; i++) {
    count += length_of(cloche__json_get(&list->items[i], "after")) +
             length_of(cloche__json_get(&list->items[i], "not_after"));
  }
  return count;
}

static bool load_rules(rule_reader *r, const cloche__at *up, const cloche__json *source,
                       const cloche__json *list) {
  cloche__at at = cloche__at_key(up, cloche__text("rules"));
  const cloche__json *named = cloche__json_get(source, "budgets");
  size_t count = list->count;
  r->rules = cloche__take(r->loader, count, sizeof *r->rules);
  r->budgets =
      cloche__take(r->loader, count + (named == NULL ? 0 : named->count), sizeof *r->budgets);
  r->watches = cloche__take(r->loader, count_watches(list), sizeof *r->watches);
  if (r->rules == NULL || r->budgets == NULL || r->watches == NULL) return false;
  r->layer->rules = r->rules;
  r->layer->budgets = r->budgets;
  r->layer->watches = r->watches;
  if (!load_named_budgets(r, up, source)) return false;
  for (size_t i = 0; i < count; i++) {
    cloche__at here = cloche__at_index(&at, i);
    if (!cloche__expect(r->loader, &here, &list->items[i], CLOCHE__JSON_OBJECT) ||
        !load_key(r, &here, &list->items[i], &r->rules[i])) {
      return false;
    }
  }
  if (!name_unnamed(r, list) || !check_names_differ(r, &at, count)) return false;
  for (size_t i = 0; i < count; i++) {
    cloche__at here = cloche__at_index(&at, i);
    if (!load_rule(r, &here, &list->items[i], &r->rules[i])) return false;
  }
  r->layer->rule_count = count;
  return load_secrets(r, up, source, list);
}

bool cloche__layer_load(cloche__loader *loader, cloche__layer *layer, const cloche__json *source) {
  static const char *const keys[] = {"name",    "description",   "rules", "budgets",
                                     "secrets", "check_results", NULL};
  rule_reader r = {.loader = loader, .layer = layer};
  cloche__at rules_at;
  cloche_text description;
  if (!cloche__check_keys(loader, NULL, source, keys) ||
      !cloche__load_text(loader, NULL, source, "name", &layer->name) ||
      !cloche__load_text(loader, NULL, source, "description", &description) ||
      !cloche__load_flag(loader, NULL, source, "check_results", &layer->checks_results)) {
    return false;
  }
  if (layer->name.len > 128) return cloche__fail(loader, NULL, "A name has at most 128 bytes.");
  const cloche__json *list = get(source, "rules", NULL, &rules_at);
  if (list == NULL)
    return cloche__fail(loader, NULL, "A policy needs \"rules\"; [] denies everything.");
  if (!cloche__expect(loader, &rules_at, list, CLOCHE__JSON_ARRAY)) return false;
  if (list->count > CLOCHE__RULES) {
    return cloche__fail(loader, &rules_at, "A policy has at most %d rules.", CLOCHE__RULES);
  }
  return load_rules(&r, NULL, source, list) &&
         (cloche__index_make(layer) || cloche__no_memory(loader));
}
