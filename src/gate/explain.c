// SPDX-License-Identifier: MIT
/* explain.c -- why a call was denied, in words a program can act on.
 *
 * Runs only after a denial. A threshold is named only by a rule that says `explain`; types, names
 * of parameters and of operators always are. Values of the call are never repeated. */
#include <stdio.h>
#include <string.h>

#include "gate/gate.h"

const char *cloche_code_text(cloche_code code) {
  static const char *const texts[] = {
#define X(name, text) text,
      CLOCHE_CODES(X)
#undef X
  };
  return (size_t)code < sizeof texts / sizeof *texts ? texts[code] : "unknown";
}

/* ---- constraints ---- */

static const cloche__json *value_of(const cloche__clause *test, const cloche__json *args) {
  for (size_t i = 0; i < test->path->count; i++) {
    if (test->path->steps[i].every) return args; /* of many: say nothing of its type */
  }
  return cloche__path_get(test->path, args);
}

static bool compares_with_value(const cloche__clause *test) {
  return test->op <= CLOCHE__OP_UNEQUAL && !test->by_param;
}

static void write_expected(const cloche__clause *test, bool explain, char *room, size_t size) {
  cloche__buffer out = cloche__buffer_fixed(room, size - 1);
  const char *op = cloche__operator_text(test->op);
  cloche__buffer_string(&out, op);
  if (explain) {
    cloche__buffer_byte(&out, ' ');
    cloche__json_write(test->source, &out);
  }
  if (!explain || out.failed) {
    cloche__buffer_clear(&out);
    cloche__buffer_string(&out, op);
    if (compares_with_value(test)) {
      cloche__buffer_string(&out, " a ");
      cloche__buffer_string(&out, cloche__json_kind_name(test->value->kind));
    }
  }
  room[out.len] = '\0';
}

/* How the sentence about a rule goes on: with the test itself where the rule explains. */
static void write_wanted(const cloche__clause *test, const cloche_decision *decision, bool explain,
                         char *room, size_t size) {
  if (explain) {
    snprintf(room, size, ": %s", decision->expected);
  } else {
    const char *kind =
        compares_with_value(test) ? cloche__json_kind_name(test->value->kind) : "value";
    bool compares = test->op <= CLOCHE__OP_UNEQUAL;
    snprintf(room, size, ", which asks for %s%s%s", cloche__operator_wanted(test->op),
             compares ? " " : "", compares ? kind : "");
  }
}

/* A test inside an element has a path from there; it is shown as it stands. */
static void explain_test(const cloche__clause *test, const cloche__rule *rule,
                         const cloche__json *args, cloche_decision *decision) {
  const cloche__json *value = value_of(test, args);
  write_expected(test, rule->explain, decision->expected, sizeof decision->expected);
  cloche__name_param(decision, test->path->text);
  snprintf(decision->got, sizeof decision->got, "%s",
           value == NULL   ? "nothing"
           : value == args ? ""
                           : cloche__json_kind_name(value->kind));
  int len = (int)rule->key.len;
  if (value == NULL) {
    cloche__deny(decision, CLOCHE_CODE_CONSTRAINT,
                 "\"%s\" is missing, and the rule \"%.*s\" constrains it.", decision->param, len,
                 rule->key.at);
  } else {
    char wanted[sizeof decision->expected + 2];
    write_wanted(test, decision, rule->explain, wanted, sizeof wanted);
    cloche__deny(decision, CLOCHE_CODE_CONSTRAINT,
                 "\"%s\"%s%s%s does not meet the rule \"%.*s\"%s.", decision->param,
                 value == args ? "" : ", of type ", decision->got, value == args ? "" : ",", len,
                 rule->key.at, wanted);
  }
}

static void explain_where(cloche__case *c, const cloche__rule *rule, cloche_decision *decision) {
  const cloche__clause *failed = cloche__where_failure(rule->where, &c->context, c->args);
  if (failed != NULL && failed->kind == CLOCHE__CLAUSE_TEST) {
    explain_test(failed, rule, c->args, decision);
    return;
  }
  bool negated = failed != NULL && failed->kind == CLOCHE__CLAUSE_NOT;
  cloche__deny(decision, CLOCHE_CODE_CONSTRAINT,
               "What stands under \"%s\" in the rule \"%.*s\" does not hold.",
               negated ? "not" : "or", (int)rule->key.len, rule->key.at);
}

/* ---- order and labels ---- */

static const cloche__order *failed_order(cloche__case *c, const cloche__rule *rule) {
  for (size_t i = 0; i < rule->order_count; i++) {
    if (cloche__order_holds(c, &rule->orders[i]) != CLOCHE__TRUE) return &rule->orders[i];
  }
  return NULL;
}

static void explain_order(cloche__case *c, const cloche__rule *rule, const cloche__order *order,
                          cloche_decision *decision) {
  const cloche__watch *watch = &c->gate->policy->layers[c->layer].layer->watches[order->watch];
  cloche_text call = watch->call.text;
  if (order->param != NULL) cloche__name_param(decision, order->param->text);
  cloche__deny(decision, CLOCHE_CODE_ORDER, "By the rule \"%.*s\" a call of %.*s%s%s%s %s.",
               (int)rule->key.len, rule->key.at, (int)call.len, call.at,
               order->param == NULL ? "" : " with the same \"", decision->param,
               order->param == NULL ? "" : "\"",
               order->forbids ? "must not have succeeded before" : "has to have succeeded before");
}

static void explain_labels(cloche__case *c, const cloche__rule *rule, cloche_decision *decision) {
  for (size_t i = 0; i < rule->unless_label.count; i++) {
    cloche_text label = rule->unless_label.at[i];
    if (!cloche__gate_has_label(c->gate, label)) continue;
    cloche__deny(decision, CLOCHE_CODE_LABEL,
                 "The rule \"%.*s\" does not hold once the run is labelled \"%.*s\".",
                 (int)rule->key.len, rule->key.at, (int)label.len, label.at);
    return;
  }
  cloche__deny(decision, CLOCHE_CODE_LABEL,
               "The rule \"%.*s\" holds only for runs with a certain label.", (int)rule->key.len,
               rule->key.at);
}

/* ---- rules ---- */

/* How far a rule is from allowing: the conditions of it that do not hold. */
static size_t distance(cloche__case *c, const cloche__rule *rule) {
  size_t unmet = (c->now >= rule->expires) + (cloche__rule_unmentioned(rule, c->args) != NULL);
  unmet += cloche__labels_hold(c, rule) != CLOCHE__TRUE;
  for (size_t i = 0; i < rule->order_count; i++) {
    unmet += cloche__order_holds(c, &rule->orders[i]) != CLOCHE__TRUE;
  }
  for (size_t i = 0; rule->where != NULL && i < rule->where->count; i++) {
    unmet += cloche__where_holds(&rule->where->children[i], &c->context, c->args) != CLOCHE__TRUE;
  }
  return unmet;
}

static void explain_unmet(cloche__case *c, const cloche__rule *rule, cloche_decision *decision) {
  const cloche__order *order = failed_order(c, rule);
  const cloche__json_member *extra = cloche__rule_unmentioned(rule, c->args);
  decision->rule = rule->key;
  decision->reason = rule->reason;
  if (c->now >= rule->expires) {
    cloche__deny(decision, CLOCHE_CODE_EXPIRED, "The rule \"%.*s\" has expired.",
                 (int)rule->key.len, rule->key.at);
  } else if (cloche__labels_hold(c, rule) != CLOCHE__TRUE) {
    explain_labels(c, rule, decision);
  } else if (order != NULL) {
    explain_order(c, rule, order, decision);
  } else if (rule->where != NULL &&
             cloche__where_holds(rule->where, &c->context, c->args) != CLOCHE__TRUE) {
    explain_where(c, rule, decision);
  } else if (extra != NULL) {
    cloche__name_param(decision, extra->key);
    cloche__deny(decision, CLOCHE_CODE_CLOSED, "The rule \"%.*s\" takes no parameter \"%s\".",
                 (int)rule->key.len, rule->key.at, decision->param);
  }
}

void cloche__explain_closest(cloche__case *c, cloche_decision *decision) {
  const cloche__rule *rule, *closest = NULL;
  size_t least = SIZE_MAX;
  cloche__candidates found =
      cloche__layer_candidates(c->gate->policy->layers[c->layer].layer, c->name);
  while ((rule = cloche__next_candidate(&found)) != NULL) {
    if (rule->effect == CLOCHE_DENY) continue;
    size_t unmet = distance(c, rule);
    if (unmet >= least) continue;
    least = unmet;
    closest = rule;
  }
  if (closest == NULL) {
    cloche__deny(decision, CLOCHE_CODE_NO_RULE, "No rule allows %.*s.", c->name->len,
                 c->name->text);
  } else {
    explain_unmet(c, closest, decision);
  }
}

void cloche__explain_rule(cloche__case *c, const cloche__rule *rule, cloche_decision *decision) {
  const cloche__clause *unclear =
      rule->where == NULL ? NULL : cloche__where_failure(rule->where, &c->context, c->args);
  if (unclear != NULL && unclear->kind == CLOCHE__CLAUSE_TEST) {
    explain_test(unclear, rule, c->args, decision);
    cloche__deny(
        decision, CLOCHE_CODE_RULE,
        "The rule \"%.*s\" denies it: whether its constraint on \"%s\" holds cannot be told.",
        (int)rule->key.len, rule->key.at, decision->param);
  } else {
    bool own = rule->reason.len > 0;
    cloche__deny(decision, CLOCHE_CODE_RULE, "The rule \"%.*s\" denies it%s%.*s",
                 (int)rule->key.len, rule->key.at, own ? ": " : ".", (int)rule->reason.len,
                 own ? rule->reason.at : "");
  }
  decision->rule = rule->key;
  decision->reason = rule->reason;
}
