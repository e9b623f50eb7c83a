// SPDX-License-Identifier: MIT
/* report.c -- a decision with its whole reasoning, for the people who write policies. Unlike what a
 * program is told, it shows every bound. */
#include <stdio.h>
#include <stdlib.h>

#include "gate/gate.h"

static const char *const effects[] = {"deny", "allow", "ask"};
static const char *const truths[] = {"no", "yes", "unclear"};

static void indent(cloche__buffer *out, int depth) {
  for (int i = 0; i < depth; i++) cloche__buffer_string(out, "  ");
}

/* ---- rules ---- */

static void write_clause(cloche__case *c, const cloche__clause *clause, int depth,
                         cloche__buffer *out) {
  cloche__truth holds = cloche__where_holds(clause, &c->context, c->args);
  if (clause->kind == CLOCHE__CLAUSE_AND) {
    for (size_t i = 0; i < clause->count; i++) write_clause(c, &clause->children[i], depth, out);
    return;
  }
  indent(out, depth);
  if (clause->kind == CLOCHE__CLAUSE_TEST) {
    cloche__buffer_text(out, clause->path->text);
    cloche__buffer_format(out, " %s ", cloche__operator_text(clause->op));
    cloche__json_write(clause->source, out);
    cloche__buffer_format(out, "%s: %s\n", clause->optional ? " (optional)" : "", truths[holds]);
    return;
  }
  cloche__buffer_format(out, "%s: %s\n", clause->kind == CLOCHE__CLAUSE_OR ? "one of" : "not",
                        truths[holds]);
  for (size_t i = 0; i < clause->count; i++) write_clause(c, &clause->children[i], depth + 1, out);
}

static void write_orders(cloche__case *c, const cloche__rule *rule, cloche__buffer *out) {
  for (size_t i = 0; i < rule->order_count; i++) {
    const cloche__order *order = &rule->orders[i];
    const cloche__watch *watch = &c->gate->policy->layers[c->layer].layer->watches[order->watch];
    indent(out, 2);
    cloche__buffer_string(out, order->forbids ? "not after " : "after ");
    cloche__buffer_text(out, watch->call.text);
    if (order->param != NULL) {
      cloche__buffer_string(out, " with the same ");
      cloche__buffer_text(out, order->param->text);
    }
    cloche__buffer_format(out, ": %s\n", truths[cloche__order_holds(c, order)]);
  }
}

static void write_labels(const cloche__texts *labels, const char *what, cloche__buffer *out) {
  if (labels->count == 0) return;
  cloche__buffer_format(out, " %s", what);
  for (size_t i = 0; i < labels->count; i++) {
    cloche__buffer_byte(out, ' ');
    cloche__buffer_text(out, labels->at[i]);
  }
}

static void write_budgets(const cloche__case *c, const cloche__rule *rule, cloche__buffer *out) {
  for (size_t i = 0; i < rule->budget_count; i++) {
    const cloche__budget *budget =
        &c->gate->policy->layers[c->layer].layer->budgets[rule->budgets[i]];
    cloche_text key = c->gate->policy->layers[c->layer].keys[rule->budgets[i]];
    indent(out, 2);
    cloche__buffer_format(out, "budget %.*s:", (int)key.len, key.at);
    if (budget->max_calls != CLOCHE__NONE)
      cloche__buffer_format(out, " at most %llu calls,", (unsigned long long)budget->max_calls);
    if (budget->rate_calls != CLOCHE__NONE) {
      cloche__buffer_format(out, " %llu in %lld s,", (unsigned long long)budget->rate_calls,
                            (long long)(budget->rate_window / 1000000000));
    }
    if (budget->max_concurrent != CLOCHE__NONE)
      cloche__buffer_format(out, " %llu at once,", (unsigned long long)budget->max_concurrent);
    if (budget->total != NULL) {
      cloche__buffer_format(out, " total %.*s <= %.*s,", (int)budget->total->text.len,
                            budget->total->text.at, (int)budget->total_text.len,
                            budget->total_text.at);
    }
    cloche__buffer_format(out, " %llu calls so far\n",
                          (unsigned long long)cloche_account_calls(c->gate->account, key));
  }
}

void cloche__trace_rule(cloche__case *c, const cloche__rule *rule, cloche__truth applies,
                        cloche__buffer *out) {
  const cloche__json_member *extra = cloche__rule_unmentioned(rule, c->args);
  const char *layer = c->gate->policy->count == 1              ? ""
                      : c->layer + 1 == c->gate->policy->count ? " of the root"
                                                               : " of a restriction";
  cloche__buffer_format(out, "  rule \"%.*s\"%s: %s %.*s -> %s\n", (int)rule->key.len, rule->key.at,
                        layer, effects[rule->effect], (int)rule->pattern.text.len,
                        rule->pattern.text.at,
                        applies == CLOCHE__TRUE        ? "applies"
                        : applies == CLOCHE__FALSE     ? "does not apply"
                        : rule->effect == CLOCHE_ALLOW ? "unclear, so it does not apply"
                                                       : "unclear, so it applies");
  if (c->now >= rule->expires) cloche__buffer_string(out, "    expired\n");
  if (rule->if_label.count + rule->unless_label.count > 0) {
    indent(out, 2);
    cloche__buffer_string(out, "labels:");
    write_labels(&rule->if_label, "if", out);
    write_labels(&rule->unless_label, "unless", out);
    cloche__buffer_format(out, ": %s\n", truths[cloche__labels_hold(c, rule)]);
  }
  write_orders(c, rule, out);
  if (rule->where != NULL) write_clause(c, rule->where, 2, out);
  if (extra != NULL)
    cloche__buffer_format(out, "    closed, and \"%.*s\" is not mentioned: no\n",
                          (int)extra->key.len, extra->key.at);
  write_budgets(c, rule, out);
}

/* ---- decisions ---- */

static void text_member(const char *key, cloche_text text, cloche__buffer *out) {
  if (text.len == 0) return;
  cloche__json_write_key(key, out);
  cloche__json_write_string(text, out);
}

static void write_json(const cloche_decision *decision, cloche__buffer *out) {
  cloche__buffer_byte(out, '{');
  text_member("effect", cloche__text(effects[decision->effect]), out);
  text_member("code", cloche__text(cloche_code_text(decision->code)), out);
  text_member("message", cloche__text(decision->message), out);
  text_member("method", decision->method, out);
  text_member("rule", decision->rule, out);
  text_member("reason", decision->reason, out);
  text_member("param", cloche__text(decision->param), out);
  text_member("expected", cloche__text(decision->expected), out);
  text_member("got", cloche__text(decision->got), out);
  if (decision->params.len > 0) {
    cloche__json_write_key("params", out);
    cloche__buffer_text(out, decision->params);
  }
  if (decision->effect == CLOCHE_ASK) {
    cloche__json_write_key("approve_up_to", out);
    cloche__buffer_format(out, "%u", (unsigned)decision->approve_up_to);
  }
  cloche__buffer_byte(out, '}');
}

static void write_text(const cloche_decision *decision, cloche_text trace, cloche__buffer *out) {
  cloche__buffer_format(out, "%s", effects[decision->effect]);
  if (decision->method.len > 0) cloche__buffer_byte(out, ' ');
  cloche__buffer_text(out, decision->method);
  cloche__buffer_format(out, " (%s)\n  %s\n", cloche_code_text(decision->code), decision->message);
  if (decision->reason.len > 0)
    cloche__buffer_format(out, "  reason: %.*s\n", (int)decision->reason.len, decision->reason.at);
  if (decision->effect == CLOCHE_ASK && decision->approve_up_to > 1) {
    cloche__buffer_format(out, "  one approval may cover %u calls of this tool\n",
                          (unsigned)decision->approve_up_to);
  }
  if (decision->params.len > 0)
    cloche__buffer_format(out, "  params: %.*s\n", (int)decision->params.len, decision->params.at);
  cloche__buffer_text(out, trace);
}

cloche_status cloche_gate_report(cloche_gate *gate, const cloche_question *question, bool json,
                                 cloche_decision *decision, char **text, size_t *len) {
  if (gate == NULL || question == NULL || decision == NULL || text == NULL || len == NULL)
    return CLOCHE_E_ARGUMENT;
  cloche__buffer out = {0}, trace = {0};
  cloche__call call = {.asking = CLOCHE__ASK_CHECK, .trace = json ? NULL : &trace};
  cloche_status status = cloche__gate_ask(gate, question, call, decision);
  if (status == CLOCHE_E_JSON) status = CLOCHE_OK; /* the decision says so */
  if (json)
    write_json(decision, &out);
  else
    write_text(decision, cloche__buffer_view(&trace), &out);
  if (out.failed || trace.failed) status = CLOCHE_E_MEMORY;
  cloche__buffer_free(&trace);
  if (status != CLOCHE_OK) {
    cloche__buffer_free(&out);
    return status;
  }
  *text = out.at;
  *len = out.len;
  return CLOCHE_OK;
}

cloche_status cloche_policy_save(const cloche_policy *policy, char **json, size_t *len) {
  if (policy == NULL || json == NULL || len == NULL) return CLOCHE_E_ARGUMENT;
  cloche__buffer out = {0};
  cloche__json_write(&policy->layers[0].layer->source.root, &out);
  if (out.failed) {
    cloche__buffer_free(&out);
    return CLOCHE_E_MEMORY;
  }
  *json = out.at;
  *len = out.len;
  return CLOCHE_OK;
}
