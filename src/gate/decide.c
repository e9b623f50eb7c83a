// SPDX-License-Identifier: MIT
/* decide.c -- decides one call.
 *
 *   name -> set parameters refused -> schema -> each layer, innermost first -> final schema ->
 * charge
 *
 * A layer answers with the rules that could be charged, in order: its applicable asks if there are
 * any, else its allows. The first of each layer are tried together; whichever budget the account
 * refuses moves its layer on to the next rule. What a rule sets is seen by the layers outside it.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gate/gate.h"

typedef struct {
  const cloche__rule **choices; /* rules that may be charged, in order */
  size_t count, chosen;
  bool asks;
  const cloche__rule *asking[CLOCHE__ASKS]; /* every ask rule that applies */
  size_t asking_count;
  const cloche__json *args; /* before this layer's rule sets anything */
} layer_state;

typedef struct {
  cloche_gate *gate;
  const cloche__call *call;
  cloche__arena *arena;
  cloche_decision *decision;
  cloche__name name;
  size_t steps;
  const cloche__path **hidden;
  size_t hidden_count;
  layer_state layers[CLOCHE__LAYERS];
  cloche_charge charges[CLOCHE__CHARGES];
  size_t charge_layer[CLOCHE__CHARGES]; /* SIZE_MAX: a grant's */
  size_t charge_count;
  bool no_grants; /* one is used up: ask again */
} decider;

void cloche__deny(cloche_decision *decision, cloche_code code, const char *format, ...) {
  va_list args;
  decision->effect = CLOCHE_DENY;
  decision->code = code;
  va_start(args, format);
  vsnprintf(decision->message, sizeof decision->message, format, args);
  va_end(args);
}

static bool deny_limit(decider *d) {
  cloche__deny(d->decision, CLOCHE_CODE_LIMIT,
               "Deciding this call takes more work or memory than is allowed; send less.");
  return false;
}

void cloche__name_param(cloche_decision *decision, cloche_text path) {
  size_t most = sizeof decision->param - 1, len = path.len < most ? path.len : most;
  /* Not in the middle of a character. */
  while (len < path.len && len > 0 && (path.at[len] & 0xC0) == 0x80) len--;
  snprintf(decision->param, sizeof decision->param, "%.*s", (int)len, path.at);
}

static cloche__case case_of(decider *d, size_t layer) {
  return (cloche__case){d->gate,      layer,
                        &d->name,     d->layers[layer].args,
                        d->call->now, {d->layers[layer].args, d->steps}};
}

/* ---- conditions of a rule ---- */

cloche__truth cloche__order_holds(const cloche__case *c, const cloche__order *order) {
  const cloche__seen *seen = cloche__gate_seen(c->gate, c->layer, order->watch);
  bool found = seen->happened;
  if (order->param != NULL) {
    const cloche__json *value = cloche__path_get(order->param, c->args);
    if (value == NULL || value->kind == CLOCHE__JSON_NULL) return CLOCHE__UNDEFINED;
    found = false;
    for (size_t i = 0; i < seen->count && !found; i++) {
      found = cloche__json_equal(&seen->values[i], value);
    }
  }
  if (!found && seen->blind) return CLOCHE__UNDEFINED;
  return found != order->forbids ? CLOCHE__TRUE : CLOCHE__FALSE;
}

static bool has_any(const cloche_gate *gate, const cloche__texts *labels) {
  for (size_t i = 0; i < labels->count; i++) {
    if (cloche__gate_has_label(gate, labels->at[i])) return true;
  }
  return false;
}

cloche__truth cloche__labels_hold(const cloche__case *c, const cloche__rule *rule) {
  if (has_any(c->gate, &rule->unless_label)) return CLOCHE__FALSE;
  bool missing = rule->if_label.count > 0 && !has_any(c->gate, &rule->if_label);
  if (c->gate->any_label && (missing || rule->unless_label.count > 0)) return CLOCHE__UNDEFINED;
  return missing ? CLOCHE__FALSE : CLOCHE__TRUE;
}

cloche__truth cloche__rule_applies(cloche__case *c, const cloche__rule *rule) {
  if (c->now >= rule->expires) return CLOCHE__FALSE;
  cloche__truth found = cloche__labels_hold(c, rule);
  for (size_t i = 0; i < rule->order_count && found != CLOCHE__FALSE; i++) {
    found = cloche__and(found, cloche__order_holds(c, &rule->orders[i]));
  }
  if (found == CLOCHE__FALSE || rule->where == NULL) return found;
  return cloche__and(found, cloche__where_holds(rule->where, &c->context, c->args));
}

const cloche__json_member *cloche__rule_unmentioned(const cloche__rule *rule,
                                                    const cloche__json *args) {
  for (size_t i = 0; rule->closed && i < args->count; i++) {
    size_t known = 0;
    while (known < rule->mentioned.count &&
           !cloche__text_equal(rule->mentioned.at[known], args->members[i].key)) {
      known++;
    }
    if (known == rule->mentioned.count) return &args->members[i];
  }
  return NULL;
}

/* ---- parameters that rules set ---- */

static bool path_leads_anywhere(const cloche__path *path, const cloche__json *args) {
  for (size_t i = 0; i < path->count; i++) {
    args = cloche__json_get_text(args, path->steps[i].key);
    if (args == NULL) return false;
    if (args->kind != CLOCHE__JSON_OBJECT)
      return true; /* it, or something in its place, was sent */
  }
  return true;
}

static bool hide(decider *d, const cloche__path *path) {
  for (size_t i = 0; i < d->hidden_count; i++) {
    if (cloche__text_equal(d->hidden[i]->text, path->text)) return true;
  }
  if (d->hidden_count == CLOCHE__SETTINGS) return deny_limit(d);
  d->hidden[d->hidden_count++] = path;
  return true;
}

static bool refuse_setting(decider *d, const cloche__rule *rule, const cloche__path *path) {
  d->decision->rule = rule->key;
  cloche__name_param(d->decision, path->text);
  cloche__deny(d->decision, CLOCHE_CODE_FIXED,
               "The parameter \"%s\" is set by the policy; leave it out.", d->decision->param);
  return false;
}

/* Refuses in `args` what matching rules of a layer set; with `list` notes it as hidden. */
static bool hide_settings(decider *d, size_t layer, const cloche__json *args, bool list) {
  const cloche__layer *in = d->gate->policy->layers[layer].layer;
  const cloche__rule *rule;
  if (!in->sets) return true;
  cloche__candidates found = cloche__layer_candidates(in, &d->name);
  while ((rule = cloche__next_candidate(&found)) != NULL) {
    for (size_t i = 0; i < rule->setting_count; i++) {
      const cloche__path *path = rule->settings[i].path;
      if (list && !hide(d, path)) return false;
      if (path_leads_anywhere(path, args)) return refuse_setting(d, rule, path);
    }
  }
  return true;
}

/* A copy of `args` with the value at steps `at`... of the path; objects on the way are made. */
static bool set_at(decider *d, const cloche__json *args, const cloche__setting *setting, size_t at,
                   cloche__json *copy) {
  cloche_text key = setting->path->steps[at].key;
  const cloche__json empty = {.kind = CLOCHE__JSON_OBJECT};
  cloche__json inner = *setting->value;
  if (at + 1 < setting->path->count) {
    const cloche__json *old = cloche__json_get_text(args, key);
    if (!set_at(d, old == NULL ? &empty : old, setting, at + 1, &inner)) return false;
  }
  return cloche__json_with(d->arena, args, key, &inner, copy) == CLOCHE_OK;
}

static bool apply_settings(decider *d, const cloche__rule *rule, const cloche__json **args) {
  for (size_t i = 0; i < rule->setting_count; i++) {
    cloche__json *copy = cloche__arena_take(d->arena, 1, sizeof *copy);
    if (copy == NULL || !set_at(d, *args, &rule->settings[i], 0, copy)) return deny_limit(d);
    *args = copy;
  }
  return true;
}

/* ---- schemas ---- */

static bool deny_schema(decider *d, const cloche__schema_failure *failure) {
  cloche_decision *decision = d->decision;
  bool named = failure->param[0] != '\0', unknown = failure->got[0] == '"';
  snprintf(decision->param, sizeof decision->param, "%s", failure->param);
  snprintf(decision->expected, sizeof decision->expected, "%s", failure->expected);
  snprintf(decision->got, sizeof decision->got, "%s", failure->got);
  if (unknown && failure->hint[0] != '\0') {
    cloche__deny(decision, CLOCHE_CODE_SCHEMA, "%.*s has no parameter \"%s\"; did you mean \"%s\"?",
                 d->name.len, d->name.text, failure->param, failure->hint);
  } else if (unknown) {
    cloche__deny(decision, CLOCHE_CODE_SCHEMA, "%.*s has no parameter \"%s\".", d->name.len,
                 d->name.text, failure->param);
  } else if (strcmp(failure->got, "nothing") == 0) {
    cloche__deny(decision, CLOCHE_CODE_SCHEMA, "%.*s needs the parameter \"%s\".", d->name.len,
                 d->name.text, failure->param);
  } else {
    cloche__deny(decision, CLOCHE_CODE_SCHEMA, "%.*s: %s%s%s has to be %s, and is of type %s.",
                 d->name.len, d->name.text, named ? "\"" : "",
                 named ? failure->param : "the argument", named ? "\"" : "", failure->expected,
                 failure->got);
  }
  return false;
}

/* With `sent` what the program sent, which lacks what rules set. */
static bool check_schema(decider *d, const cloche__json *args, bool sent) {
  const cloche_policy *policy = d->gate->policy;
  for (size_t i = 0; i < policy->count; i++) {
    const cloche__tool *tool =
        cloche__layer_tool(policy->layers[i].layer, cloche__name_text(&d->name));
    cloche__schema_failure failure = {.expected = "less work to check"};
    if (tool == NULL || tool->input == NULL) continue;
    if (!cloche__schema_valid(tool->input, args, d->hidden, sent ? d->hidden_count : 0, &d->steps,
                              &failure)) {
      return deny_schema(d, &failure);
    }
  }
  return true;
}

static bool check_tool(decider *d) {
  const cloche_policy *policy = d->gate->policy;
  char hint[160];
  for (size_t i = 0; i < policy->count; i++) {
    const cloche__layer *layer = policy->layers[i].layer;
    if (!layer->has_tools || cloche__layer_tool(layer, cloche__name_text(&d->name)) != NULL)
      continue;
    cloche__deny(d->decision, CLOCHE_CODE_TOOL, "There is no tool \"%.*s\"%s", d->name.len,
                 d->name.text,
                 cloche__did_you_mean(cloche__name_text(&d->name), layer->tool_names,
                                      layer->tool_count, hint));
    return false;
  }
  return true;
}

/* ---- layers ---- */

/* Was every ask rule that applies approved for this run? */
static bool is_granted(decider *d, size_t layer) {
  const layer_state *state = &d->layers[layer];
  if (d->no_grants || d->gate->grant_count == 0) return false;
  for (size_t i = 0; i < state->asking_count; i++) {
    const cloche__grant *grant = NULL;
    cloche_text name;
    if (!cloche__gate_rule_name(d->gate, layer, state->asking[i], d->arena, &name)) return false;
    for (size_t g = 0; g < d->gate->grant_count && grant == NULL; g++) {
      const cloche__grant *one = &d->gate->grants[g];
      if (cloche__text_equal(one->rule, name) &&
          cloche__text_equal(one->method, cloche__name_text(&d->name)))
        grant = one;
    }
    if (grant == NULL || d->charge_count == CLOCHE__CHARGES) return false;
    d->charge_layer[d->charge_count] = SIZE_MAX;
    d->charges[d->charge_count++] = (cloche_charge){.key = grant->key,
                                                    .max_calls = grant->up_to,
                                                    .max_concurrent = UINT64_MAX,
                                                    .rate_calls = UINT64_MAX};
  }
  return true;
}

static bool deny_by(decider *d, cloche__case *c, const cloche__rule *rule) {
  cloche__explain_rule(c, rule, d->decision);
  return false;
}

static bool deny_unmentioned(decider *d, const cloche__rule *rule, cloche_text key) {
  d->decision->rule = rule->key;
  cloche__name_param(d->decision, key);
  cloche__deny(d->decision, CLOCHE_CODE_CLOSED, "The rule \"%.*s\" takes no parameter \"%s\".",
               (int)rule->key.len, rule->key.at, d->decision->param);
  return false;
}

/* Sorts one applicable rule in. False: the call is denied. */
static bool consider(decider *d, cloche__case *c, const cloche__rule *rule, cloche__truth applies) {
  layer_state *state = &d->layers[c->layer];
  if (rule->effect == CLOCHE_DENY) return applies == CLOCHE__FALSE || deny_by(d, c, rule);
  if (applies == CLOCHE__FALSE) return true;
  const cloche__json_member *extra = cloche__rule_unmentioned(rule, c->args);
  if (rule->effect == CLOCHE_ASK) {
    /* To pass over a closed ask would let an extra parameter slip past the person. */
    if (extra != NULL) return deny_unmentioned(d, rule, extra->key);
    if (state->asking_count == CLOCHE__ASKS) return deny_limit(d);
    if (!state->asks) state->count = 0; /* asks win over the allows so far */
    state->asks = true;
    state->asking[state->asking_count++] = rule;
    state->choices[state->count++] = rule;
  } else if (applies == CLOCHE__TRUE && extra == NULL && !state->asks) {
    state->choices[state->count++] = rule;
  }
  return true;
}

/* Finds what a layer says of the arguments in its state. */
static bool ask_layer(decider *d, size_t layer) {
  layer_state *state = &d->layers[layer];
  cloche__candidates found =
      cloche__layer_candidates(d->gate->policy->layers[layer].layer, &d->name);
  cloche__case c = case_of(d, layer);
  const cloche__rule *rule;
  state->count = state->chosen = state->asking_count = 0;
  state->asks = false;
  state->choices = cloche__arena_take(d->arena, found.total, sizeof *state->choices);
  if (state->choices == NULL) return deny_limit(d);
  while ((rule = cloche__next_candidate(&found)) != NULL) {
    cloche__truth applies = cloche__rule_applies(&c, rule);
    if (d->call->trace != NULL) cloche__trace_rule(&c, rule, applies, d->call->trace);
    if (!consider(d, &c, rule, applies)) return false;
  }
  if (c.context.steps == 0) return deny_limit(d);
  d->steps = c.context.steps;
  if (state->count > 0) return true;
  cloche__explain_closest(&c, d->decision);
  return false;
}

/* ---- charging ---- */

/* The charge of one budget. False: the amount to be counted is none. */
static bool make_charge(decider *d, size_t layer, const cloche__rule *rule, size_t which,
                        const cloche__json *args, cloche_charge *charge) {
  const cloche__budget *budget = &d->gate->policy->layers[layer].layer->budgets[which];
  *charge = (cloche_charge){.key = d->gate->policy->layers[layer].keys[which],
                            .max_calls = budget->max_calls,
                            .max_concurrent = budget->max_concurrent,
                            .rate_calls = budget->rate_calls,
                            .rate_window = budget->rate_window,
                            .refund = budget->refund};
  if (budget->total == NULL) return true;
  const cloche__json *amount = cloche__path_get(budget->total, args);
  cloche__amount read;
  if (amount != NULL && amount->kind == CLOCHE__JSON_NUMBER &&
      cloche__amount_read(cloche__json_text(amount), &read)) {
    charge->total = budget->total_text;
    charge->amount = cloche__json_text(amount);
    return true;
  }
  d->decision->rule = rule->key;
  cloche__name_param(d->decision, budget->total->text);
  cloche__deny(d->decision, CLOCHE_CODE_CONSTRAINT,
               "\"%s\" is counted against a total and has to be a number, 0 or more.",
               d->decision->param);
  return false;
}

static bool add_charges(decider *d, size_t layer, const cloche__rule *rule,
                        const cloche__json *args) {
  if (d->charge_count + rule->budget_count > CLOCHE__CHARGES) return deny_limit(d);
  for (size_t i = 0; i < rule->budget_count; i++) {
    cloche_charge *charge = &d->charges[d->charge_count + i];
    d->charge_layer[d->charge_count + i] = layer;
    if (!make_charge(d, layer, rule, rule->budgets[i], args, charge)) return false;
  }
  d->charge_count += rule->budget_count;
  return true;
}

static bool deny_budget(decider *d, size_t layer) {
  const layer_state *state = &d->layers[layer];
  cloche_text key = state->choices[state->count - 1]->key;
  d->decision->rule = key;
  d->decision->reason = state->choices[state->count - 1]->reason;
  cloche__deny(d->decision, CLOCHE_CODE_BUDGET, "The budget of the rule \"%.*s\" is used up.",
               (int)key.len, key.at);
  return false;
}

/* The account did not answer, so nothing is known to be free. */
static bool deny_account(decider *d, cloche_status status) {
  if (status == CLOCHE_E_MEMORY) return deny_limit(d);
  cloche__deny(d->decision, CLOCHE_CODE_ACCOUNT,
               "What has been spent cannot be read or written, so nothing can be charged.");
  return false;
}

/* Could the last charges, those of one rule, be taken? Asked of inner layers, so that a rule whose
 * budget is used up is passed over before the layers outside are asked about what it sets. */
static bool is_affordable(decider *d, size_t layer, size_t first) {
  cloche_account_store *store = &d->gate->account->store;
  size_t refused;
  uint64_t none;
  if (layer + 1 == d->gate->policy->count || first == d->charge_count) return true;
  if (d->call->asking == CLOCHE__ASK_APPROVED) return true; /* it may hold what is left */
  return store->reserve(store->self, d->charges + first, d->charge_count - first, d->call->now,
                        CLOCHE_RESERVE_TEST, &none, &refused) != CLOCHE_E_LIMIT;
}

/* The first rule of a layer, from the chosen one on, whose amounts can be counted and whose budgets
 * are free. */
static bool choose_in(decider *d, size_t layer, const cloche__json **args) {
  layer_state *state = &d->layers[layer];
  size_t first = d->charge_count;
  for (; state->chosen < state->count; state->chosen++, d->charge_count = first) {
    const cloche__rule *rule = state->choices[state->chosen];
    *args = state->args;
    if (!apply_settings(d, rule, args)) return false;
    if (!add_charges(d, layer, rule, *args)) {
      if (d->decision->code == CLOCHE_CODE_LIMIT) return false;
    } else if (is_affordable(d, layer, first)) {
      return true;
    } else {
      deny_budget(d, layer);
    }
  }
  return false;
}

/* Every layer's chosen rule, and the charges of all; layers outside `layer` are asked anew, as
 * their arguments may have changed. False: denied. */
static bool choose(decider *d, size_t layer, const cloche__json **final) {
  d->charge_count = 0;
  for (size_t i = 0; i < d->gate->policy->count; i++) {
    if (i > layer) {
      d->layers[i].args = *final;
      if (!hide_settings(d, i, *final, false) || !ask_layer(d, i)) return false;
    }
    if (!choose_in(d, i, final)) return false;
  }
  return true;
}

/* Does some layer still ask? If none does, adds the charges of what was granted. */
static bool still_asks(decider *d) {
  size_t charges = d->charge_count;
  bool asks = false;
  if (d->call->asking == CLOCHE__ASK_APPROVED) return false;
  for (size_t i = 0; i < d->gate->policy->count && !asks; i++) {
    asks = d->layers[i].asks && !is_granted(d, i);
  }
  if (asks) d->charge_count = charges;
  return asks;
}

static cloche_status reserve(decider *d, bool asks, size_t *refused) {
  cloche_account_store *store = &d->gate->account->store;
  cloche_reserving how = d->call->asking == CLOCHE__ASK_CHECK ? CLOCHE_RESERVE_TEST
                         : asks                               ? CLOCHE_RESERVE_HOLD
                                                              : CLOCHE_RESERVE_RUN;
  uint64_t held = d->call->reservation;
  if (d->call->asking == CLOCHE__ASK_APPROVED && held != 0 &&
      store->settle(store->self, held, CLOCHE_SETTLE_APPROVED)) {
    d->decision->reservation = held;
    return CLOCHE_OK;
  }
  if (d->charge_count == 0 && how != CLOCHE_RESERVE_HOLD) return CLOCHE_OK;
  return store->reserve(store->self, d->charges, d->charge_count, d->call->now, how,
                        &d->decision->reservation, refused);
}

static bool has_settings(const decider *d) {
  for (size_t i = 0; i < d->gate->policy->count; i++) {
    if (d->layers[i].choices[d->layers[i].chosen]->setting_count > 0) return true;
  }
  return false;
}

/* What an approval may cover: as little as the strictest rule that asks says. */
static uint32_t approve_up_to(const decider *d) {
  uint32_t least = UINT32_MAX;
  for (size_t i = 0; i < d->gate->policy->count; i++) {
    for (size_t k = 0; k < d->layers[i].asking_count; k++) {
      uint32_t own = d->layers[i].asking[k]->approve_up_to;
      if (own < least) least = own;
    }
  }
  return least;
}

/* Tries combinations of rules until the account takes one. */
static bool settle_on(decider *d, const cloche__json **final, bool *asks) {
  size_t from = 0, refused = 0;
  d->layers[0].args = d->call->params;
  if (!ask_layer(d, 0)) return false;
  for (;;) {
    if (!choose(d, from, final)) return false;
    if (has_settings(d) && !check_schema(d, *final, false)) return false;
    if (d->call->further > 0 && d->call->further >= approve_up_to(d)) {
      cloche__deny(d->decision, CLOCHE_CODE_APPROVAL, "One approval may cover at most %u calls.",
                   (unsigned)approve_up_to(d));
      return false;
    }
    *asks = still_asks(d);
    cloche_status status = reserve(d, *asks, &refused);
    if (status == CLOCHE_OK) return true;
    if (status != CLOCHE_E_LIMIT) return deny_account(d, status);
    if (refused >= d->charge_count) return deny_account(d, CLOCHE_E_ARGUMENT);
    from = d->charge_layer[refused];
    if (from == SIZE_MAX) { /* what was approved for the run is used up */
      d->no_grants = true;
      from = d->gate->policy->count;
    } else if (++d->layers[from].chosen == d->layers[from].count) {
      return deny_budget(d, from);
    }
  }
}

/* ---- the answer ---- */

/* The innermost layer speaks for an allowance, the innermost that asks for an ask. */
static void say_allowed(decider *d, bool asks) {
  cloche_decision *decision = d->decision;
  size_t speaks = 0;
  while (asks && !d->layers[speaks].asks) speaks++;
  const cloche__rule *rule = d->layers[speaks].choices[d->layers[speaks].chosen];
  decision->effect = asks ? CLOCHE_ASK : CLOCHE_ALLOW;
  decision->code = asks ? CLOCHE_CODE_APPROVAL : CLOCHE_CODE_ALLOWED;
  decision->rule = rule->key;
  decision->reason = rule->reason;
  decision->approve_up_to = asks ? approve_up_to(d) : 0;
  decision->param[0] = '\0'; /* of a rule that was passed over */
  /* By hand: this is on the way of every call, and printf takes a tenth of a decision. */
  cloche__buffer out = cloche__buffer_fixed(decision->message, sizeof decision->message - 1);
  cloche__buffer_string(&out, "The rule \"");
  cloche__buffer_text(&out, rule->key);
  cloche__buffer_string(&out, asks ? "\" asks for approval." : "\" allows it.");
  decision->message[out.len] = '\0';
}

/* Labels come with the call's going out: before anything that comes from it can come back. */
static bool add_labels(decider *d) {
  for (size_t i = 0; i < d->gate->policy->count; i++) {
    const layer_state *state = &d->layers[i];
    if (!cloche__gate_add_labels(d->gate, &state->choices[state->chosen]->adds)) return false;
  }
  return true;
}

static void start(cloche_decision *decision) {
  decision->effect = CLOCHE_DENY;
  decision->method = decision->params = decision->rule = decision->reason = (cloche_text){"", 0};
  decision->approve_up_to = 0;
  decision->reservation = 0;
  decision->param[0] = decision->expected[0] = decision->got[0] = decision->message[0] = '\0';
}

static bool check_call(decider *d) {
  const char *problem = cloche__name_read(d->call->method, false, &d->name);
  cloche_text name;
  if (problem != NULL) {
    cloche__deny(d->decision, CLOCHE_CODE_METHOD, "This is no method: %s.", problem);
    return false;
  }
  if (!cloche__arena_copy(d->arena, cloche__name_text(&d->name), &name)) return deny_limit(d);
  d->decision->method = name;
  if (d->call->params->kind != CLOCHE__JSON_OBJECT) {
    cloche__deny(d->decision, CLOCHE_CODE_PARAMS,
                 "The parameters have to be one object, and are of type %s.",
                 cloche__json_kind_name(d->call->params->kind));
    return false;
  }
  if (d->gate->policy == NULL) {
    cloche__deny(d->decision, CLOCHE_CODE_NO_RULE, "There is no policy, so nothing is allowed.");
    return false;
  }
  d->hidden = cloche__arena_take(d->arena, CLOCHE__SETTINGS, sizeof *d->hidden);
  if (d->hidden == NULL) return deny_limit(d);
  if (!check_tool(d)) return false;
  for (size_t i = 0; i < d->gate->policy->count; i++) {
    if (!hide_settings(d, i, d->call->params, true)) return false;
  }
  return check_schema(d, d->call->params, true);
}

void cloche__gate_decide(cloche_gate *gate, const cloche__call *call, cloche__arena *arena,
                         const cloche__json **final, cloche_decision *decision) {
  decider d;
  bool asks = false;
  d.gate = gate;
  d.call = call;
  d.arena = arena;
  d.decision = decision;
  d.steps = CLOCHE__GATE_STEPS;
  d.hidden = NULL;
  d.hidden_count = d.charge_count = 0;
  d.no_grants = false;
  start(decision);
  if (!check_call(&d) || !settle_on(&d, final, &asks)) return;
  if (call->asking != CLOCHE__ASK_CHECK && !asks && !add_labels(&d)) {
    gate->account->store.settle(gate->account->store.self, decision->reservation,
                                CLOCHE_SETTLE_RELEASED);
    decision->reservation = 0;
    deny_limit(&d);
    return;
  }
  say_allowed(&d, asks);
}
