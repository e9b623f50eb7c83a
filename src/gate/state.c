// SPDX-License-Identifier: MIT
/* state.c -- what a sandbox's gate remembers: labels, calls that succeeded, approvals for its run;
 * its copies, and its form at rest. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/gate.h"

/* ---- labels ---- */

bool cloche__gate_has_label(const cloche_gate *gate, cloche_text label) {
  for (size_t i = 0; i < gate->label_count; i++) {
    if (cloche__text_equal(gate->labels[i], label)) return true;
  }
  return false;
}

/* All or none. The texts are the policy's, which the gate keeps alive: nothing is allocated. */
bool cloche__gate_add_labels(cloche_gate *gate, const cloche__texts *labels) {
  size_t before = gate->label_count;
  for (size_t i = 0; i < labels->count; i++) {
    if (cloche__gate_has_label(gate, labels->at[i])) continue;
    if (gate->label_count == CLOCHE__LABELS) {
      gate->label_count = before;
      return false;
    }
    gate->labels[gate->label_count++] = labels->at[i];
  }
  return true;
}

cloche_status cloche_gate_add_label(cloche_gate *gate, cloche_text label) {
  if (gate == NULL) return CLOCHE_E_ARGUMENT;
  cloche_text copy;
  if (cloche__gate_has_label(gate, label)) return CLOCHE_OK;
  if (label.len == 0 || label.len > 64 || gate->label_count == CLOCHE__LABELS)
    return CLOCHE_E_LIMIT;
  if (!cloche__arena_copy(&gate->kept, label, &copy)) return CLOCHE_E_MEMORY;
  gate->labels[gate->label_count++] = copy;
  return CLOCHE_OK;
}

cloche_status cloche_gate_declassify(cloche_gate *gate, cloche_text label) {
  if (gate == NULL) return CLOCHE_E_ARGUMENT;
  for (size_t i = 0; i < gate->label_count; i++) {
    if (!cloche__text_equal(gate->labels[i], label)) continue;
    gate->labels[i] = gate->labels[--gate->label_count];
    return CLOCHE_OK;
  }
  return CLOCHE_E_UNKNOWN;
}

cloche_text cloche_gate_label(const cloche_gate *gate, size_t index) {
  if (gate == NULL) return (cloche_text){"", 0};
  return index < gate->label_count ? gate->labels[index] : (cloche_text){"", 0};
}

/* ---- calls that succeeded ---- */

static size_t first_watch(const cloche_gate *gate, size_t layer) {
  size_t first = 0;
  for (size_t i = 0; i < layer; i++) first += gate->policy->layers[i].layer->watch_count;
  return first;
}

const cloche__seen *cloche__gate_seen(const cloche_gate *gate, size_t layer, size_t watch) {
  return &gate->seen[first_watch(gate, layer) + watch];
}

static bool is_scalar(const cloche__json *value) {
  return value->kind >= CLOCHE__JSON_BOOLEAN && value->kind <= CLOCHE__JSON_STRING;
}

/* Remembers a value. When it cannot, absence proves nothing any more. */
static void remember(cloche_gate *gate, cloche__seen *seen, const cloche__json *value) {
  for (size_t i = 0; i < seen->count; i++) {
    if (cloche__json_equal(&seen->values[i], value)) return;
  }
  seen->blind |= seen->count == CLOCHE__HISTORY || !is_scalar(value);
  if (seen->blind) return;
  if (seen->count == seen->room) {
    size_t room = seen->room == 0 ? 4 : seen->room * 2;
    cloche__json *values = realloc(seen->values, room * sizeof *values);
    if (values == NULL) {
      seen->blind = true;
      return;
    }
    seen->values = values;
    seen->room = room;
  }
  if (cloche__json_copy(&gate->kept, value, &seen->values[seen->count]) == CLOCHE_OK)
    seen->count++;
  else
    seen->blind = true;
}

static void note_success(cloche_gate *gate, const cloche__name *name, const cloche__json *params) {
  cloche__seen *seen = gate->seen;
  for (size_t i = 0; i < gate->policy->count; i++) {
    const cloche__layer *layer = gate->policy->layers[i].layer;
    for (size_t w = 0; w < layer->watch_count; w++, seen++) {
      const cloche__watch *watch = &layer->watches[w];
      if (!cloche__pattern_matches(&watch->call, name)) continue;
      seen->happened = true;
      if (watch->param == NULL) continue;
      const cloche__json *value = cloche__path_get(watch->param, params);
      if (value != NULL && value->kind != CLOCHE__JSON_NULL) remember(gate, seen, value);
    }
  }
}

cloche_status cloche__gate_settle(cloche_gate *gate, uint64_t reservation, cloche_text method,
                                  const cloche__json *params, bool succeeded) {
  cloche__name name;
  cloche_account_store *store = &gate->account->store;
  if (reservation != 0) {
    store->settle(store->self, reservation,
                  succeeded ? CLOCHE_SETTLE_SUCCEEDED : CLOCHE_SETTLE_FAILED);
  }
  if (!succeeded || gate->policy == NULL) return CLOCHE_OK;
  if (cloche__name_read(method, false, &name) != NULL) return CLOCHE_E_ARGUMENT;
  note_success(gate, &name, params);
  return CLOCHE_OK;
}

/* ---- grants ---- */

bool cloche__gate_rule_name(const cloche_gate *gate, size_t layer, const cloche__rule *rule,
                            cloche__arena *arena, cloche_text *name) {
  size_t size = rule->key.len + 8;
  char *at = cloche__arena_take(arena, size, 1);
  if (at == NULL) return false;
  int len = snprintf(at, size, "%zu:", gate->policy->count - 1 - layer);
  memcpy(at + len, rule->key.at, rule->key.len);
  *name = (cloche_text){at, (size_t)len + rule->key.len};
  return true;
}

static bool add_grant(cloche_gate *gate, cloche_text method, cloche_text rule, cloche_text key,
                      uint32_t up_to) {
  cloche__grant made = {.up_to = up_to};
  cloche__grant *grants = realloc(gate->grants, (gate->grant_count + 1) * sizeof *grants);
  if (grants == NULL) return false;
  gate->grants = grants;
  if (!cloche__arena_copy(&gate->kept, method, &made.method) ||
      !cloche__arena_copy(&gate->kept, rule, &made.rule) ||
      !cloche__arena_copy(&gate->kept, key, &made.key)) {
    return false;
  }
  gate->grants[gate->grant_count++] = made;
  return true;
}

/* Later grants of one rule and method stand before earlier ones, which may be used up. */
static void newest_first(cloche_gate *gate, size_t old) {
  for (size_t i = old; i < gate->grant_count; i++) {
    cloche__grant moved = gate->grants[i];
    memmove(gate->grants + i - old + 1, gate->grants + i - old, old * sizeof moved);
    gate->grants[i - old] = moved;
  }
}

cloche_status cloche__gate_grant(cloche_gate *gate, const cloche__call *call) {
  cloche__name name;
  char key[40];
  size_t old = gate->grant_count;
  const cloche__rule *rule;
  if (cloche__name_read(call->method, false, &name) != NULL) return CLOCHE_E_ARGUMENT;
  int len = snprintf(key, sizeof key, "grants/%llu", (unsigned long long)call->reservation);
  for (size_t i = 0; i < gate->policy->count; i++) {
    const cloche__layer *layer = gate->policy->layers[i].layer;
    cloche__candidates found = cloche__layer_candidates(layer, &name);
    cloche__case c = {gate, i, &name, call->params, call->now, {call->params, CLOCHE__GATE_STEPS}};
    while ((rule = cloche__next_candidate(&found)) != NULL) {
      cloche_text rule_name;
      if (rule->effect != CLOCHE_ASK || cloche__rule_applies(&c, rule) == CLOCHE__FALSE) continue;
      if (!cloche__gate_rule_name(gate, i, rule, &gate->kept, &rule_name) ||
          !add_grant(gate, cloche__name_text(&name), rule_name, (cloche_text){key, (size_t)len},
                     call->further)) {
        gate->grant_count = old;
        return CLOCHE_E_MEMORY;
      }
    }
  }
  newest_first(gate, old);
  return CLOCHE_OK;
}

void cloche_gate_end_run(cloche_gate *gate) {
  if (gate == NULL) return;
  gate->grant_count = 0;
}

void cloche__gate_forget_past(cloche_gate *gate) {
  size_t watches = gate->policy == NULL ? 0 : gate->policy->watch_count;
  gate->any_label = true;
  gate->grant_count = 0;
  for (size_t i = 0; i < watches; i++) {
    gate->seen[i].happened = false;
    gate->seen[i].blind = true;
    gate->seen[i].count = 0;
  }
}

/* ---- life ---- */

static void free_gate(cloche_gate *gate) {
  size_t watches = gate->policy == NULL ? 0 : gate->policy->watch_count;
  for (size_t i = 0; gate->seen != NULL && i < watches; i++) free(gate->seen[i].values);
  free(gate->seen);
  free(gate->grants);
  cloche__arena_free(&gate->kept);
  cloche__arena_free(&gate->scratch);
  cloche__buffer_free(&gate->text);
  cloche_account_free(gate->account);
  cloche_policy_free(gate->policy);
  free(gate);
}

void cloche_gate_free(cloche_gate *gate) {
  if (gate != NULL) free_gate(gate);
}

cloche_status cloche_gate_new(const cloche_policy *policy, cloche_account *account,
                              cloche_gate **gate) {
  if (gate == NULL) return CLOCHE_E_ARGUMENT;
  cloche_gate *made = calloc(1, sizeof *made);
  cloche_status status = made == NULL ? CLOCHE_E_MEMORY : CLOCHE_OK;
  if (status == CLOCHE_OK && account == NULL) status = cloche_account_new(NULL, &made->account);
  if (status != CLOCHE_OK) {
    free(made);
    return status;
  }
  if (account != NULL) made->account = cloche__account_keep(account);
  if (policy != NULL) {
    made->policy = cloche__policy_keep(policy);
    made->seen = calloc(policy->watch_count + 1, sizeof *made->seen);
    if (made->seen == NULL) {
      free_gate(made);
      return CLOCHE_E_MEMORY;
    }
  }
  *gate = made;
  return CLOCHE_OK;
}

static bool copy_state(const cloche_gate *from, cloche_gate *to) {
  size_t watches = from->policy == NULL ? 0 : from->policy->watch_count;
  to->any_label = from->any_label;
  for (size_t i = 0; i < from->label_count; i++) {
    if (cloche_gate_add_label(to, from->labels[i]) != CLOCHE_OK) return false;
  }
  for (size_t i = 0; i < watches; i++) {
    const cloche__seen *seen = &from->seen[i];
    for (size_t v = 0; v < seen->count; v++) remember(to, &to->seen[i], &seen->values[v]);
    if (to->seen[i].count != seen->count) return false;
    to->seen[i].happened = seen->happened;
    to->seen[i].blind = seen->blind;
  }
  for (size_t i = 0; i < from->grant_count; i++) {
    const cloche__grant *g = &from->grants[i];
    if (!add_grant(to, g->method, g->rule, g->key, g->up_to)) return false;
  }
  return true;
}

cloche_status cloche_gate_copy(const cloche_gate *gate, cloche_gate **copy) {
  if (gate == NULL || copy == NULL) return CLOCHE_E_ARGUMENT;
  cloche_gate *made = NULL;
  cloche_status status = cloche_gate_new(gate->policy, gate->account, &made);
  if (status == CLOCHE_OK && !copy_state(gate, made)) {
    free_gate(made);
    status = CLOCHE_E_MEMORY;
  }
  if (status == CLOCHE_OK) *copy = made;
  return status;
}

/* ---- at rest ---- */

static void write_seen(const cloche__watch *watch, const cloche__seen *seen, cloche__buffer *out) {
  cloche__buffer_string(out, "{\"call\":");
  cloche__json_write_string(watch->call.text, out);
  cloche__buffer_string(out, ",\"param\":");
  if (watch->param == NULL)
    cloche__buffer_string(out, "null");
  else
    cloche__json_write_string(watch->param->text, out);
  cloche__buffer_format(out, ",\"happened\":%s,\"blind\":%s,\"values\":",
                        seen->happened ? "true" : "false", seen->blind ? "true" : "false");
  cloche__json values = cloche__json_of_items(seen->values, seen->count);
  cloche__json_write(&values, out);
  cloche__buffer_byte(out, '}');
}

static void write_watches(const cloche_gate *gate, cloche__buffer *out) {
  const cloche__seen *seen = gate->seen;
  for (size_t i = 0; gate->policy != NULL && i < gate->policy->count; i++) {
    const cloche__layer *layer = gate->policy->layers[i].layer;
    for (size_t w = 0; w < layer->watch_count; w++, seen++) {
      if (seen != gate->seen) cloche__buffer_byte(out, ',');
      write_seen(&layer->watches[w], seen, out);
    }
  }
}

static void write_grant(const cloche__grant *grant, cloche__buffer *out) {
  cloche__buffer_string(out, "{\"method\":");
  cloche__json_write_string(grant->method, out);
  cloche__buffer_string(out, ",\"rule\":");
  cloche__json_write_string(grant->rule, out);
  cloche__buffer_string(out, ",\"key\":");
  cloche__json_write_string(grant->key, out);
  cloche__buffer_format(out, ",\"up_to\":%u}", (unsigned)grant->up_to);
}

cloche_status cloche_gate_save(const cloche_gate *gate, char **json, size_t *len) {
  if (gate == NULL || json == NULL || len == NULL) return CLOCHE_E_ARGUMENT;
  cloche__buffer out = {0};
  cloche__buffer_string(&out, "{\"cloche_gate\":1,\"labels\":[");
  for (size_t i = 0; i < gate->label_count; i++) {
    if (i > 0) cloche__buffer_byte(&out, ',');
    cloche__json_write_string(gate->labels[i], &out);
  }
  cloche__buffer_string(&out, "],\"watches\":[");
  write_watches(gate, &out);
  cloche__buffer_string(&out, "],\"grants\":[");
  for (size_t i = 0; i < gate->grant_count; i++) {
    if (i > 0) cloche__buffer_byte(&out, ',');
    write_grant(&gate->grants[i], &out);
  }
  cloche__buffer_format(&out, "],\"any_label\":%s}", gate->any_label ? "true" : "false");
  if (out.failed) {
    cloche__buffer_free(&out);
    return CLOCHE_E_MEMORY;
  }
  *json = out.at;
  *len = out.len;
  return CLOCHE_OK;
}

static const cloche__json *get_kind(const cloche__json *object, const char *key,
                                    cloche__json_kind kind) {
  const cloche__json *value = cloche__json_get(object, key);
  return value != NULL && value->kind == kind ? value : NULL;
}

static bool is_watch(const cloche__json *saved, const cloche__watch *watch) {
  const cloche__json *call = get_kind(saved, "call", CLOCHE__JSON_STRING);
  const cloche__json *param = cloche__json_get(saved, "param");
  if (call == NULL || param == NULL ||
      !cloche__text_equal(cloche__json_text(call), watch->call.text))
    return false;
  if (watch->param == NULL) return param->kind == CLOCHE__JSON_NULL;
  return param->kind == CLOCHE__JSON_STRING &&
         cloche__text_equal(cloche__json_text(param), watch->param->text);
}

static bool read_seen(cloche_gate *gate, const cloche__json *saved, cloche__seen *seen) {
  const cloche__json *happened = get_kind(saved, "happened", CLOCHE__JSON_BOOLEAN);
  const cloche__json *blind = get_kind(saved, "blind", CLOCHE__JSON_BOOLEAN);
  const cloche__json *values = get_kind(saved, "values", CLOCHE__JSON_ARRAY);
  if (happened == NULL || blind == NULL || values == NULL) return false;
  seen->blind = false;
  for (size_t i = 0; i < values->count; i++) remember(gate, seen, &values->items[i]);
  if (seen->count != values->count) return false; /* twice the same, or no memory */
  seen->happened = happened->boolean;
  seen->blind |= blind->boolean;
  return true;
}

static bool read_watches(cloche_gate *gate, const cloche__json *saved) {
  cloche__seen *seen = gate->seen;
  for (size_t i = 0; gate->policy != NULL && i < gate->policy->count; i++) {
    const cloche__layer *layer = gate->policy->layers[i].layer;
    for (size_t w = 0; w < layer->watch_count; w++, seen++) {
      seen->blind = true; /* unless it was watched before, too */
      for (size_t k = 0; k < saved->count; k++) {
        if (!is_watch(&saved->items[k], &layer->watches[w])) continue;
        if (!read_seen(gate, &saved->items[k], seen)) return false;
        break;
      }
    }
  }
  return true;
}

static bool read_grant(cloche_gate *gate, const cloche__json *saved) {
  const cloche__json *method = get_kind(saved, "method", CLOCHE__JSON_STRING);
  const cloche__json *rule = get_kind(saved, "rule", CLOCHE__JSON_STRING);
  const cloche__json *key = get_kind(saved, "key", CLOCHE__JSON_STRING);
  uint64_t up_to;
  return method != NULL && rule != NULL && key != NULL &&
         cloche__json_uint64(cloche__json_get(saved, "up_to"), &up_to) && up_to <= UINT32_MAX &&
         add_grant(gate, cloche__json_text(method), cloche__json_text(rule), cloche__json_text(key),
                   (uint32_t)up_to);
}

static bool read_gate(cloche_gate *gate, const cloche__json *saved) {
  uint64_t version = 0;
  const cloche__json *labels = get_kind(saved, "labels", CLOCHE__JSON_ARRAY);
  const cloche__json *watches = get_kind(saved, "watches", CLOCHE__JSON_ARRAY);
  const cloche__json *grants = get_kind(saved, "grants", CLOCHE__JSON_ARRAY);
  if (!cloche__json_uint64(cloche__json_get(saved, "cloche_gate"), &version) || version != 1 ||
      labels == NULL || watches == NULL || grants == NULL) {
    return false;
  }
  const cloche__json *any = get_kind(saved, "any_label", CLOCHE__JSON_BOOLEAN);
  gate->any_label = any == NULL || any->boolean;
  for (size_t i = 0; i < labels->count; i++) {
    if (labels->items[i].kind != CLOCHE__JSON_STRING ||
        cloche_gate_add_label(gate, cloche__json_text(&labels->items[i])) != CLOCHE_OK) {
      return false;
    }
  }
  for (size_t i = 0; i < grants->count; i++) {
    if (!read_grant(gate, &grants->items[i])) return false;
  }
  return read_watches(gate, watches);
}

cloche_status cloche_gate_restore(const cloche_policy *policy, cloche_account *account,
                                  cloche_text saved, cloche_gate **gate) {
  if (gate == NULL) return CLOCHE_E_ARGUMENT;
  cloche__json_doc doc = {0};
  cloche_gate *made = NULL;
  cloche_status status = cloche__json_parse(saved, NULL, &doc, NULL);
  if (status != CLOCHE_OK) return status == CLOCHE_E_MEMORY ? status : CLOCHE_E_FORMAT;
  status = cloche_gate_new(policy, account, &made);
  if (status == CLOCHE_OK && !read_gate(made, &doc.root)) {
    free_gate(made);
    status = CLOCHE_E_FORMAT;
  }
  cloche__json_free(&doc);
  if (status == CLOCHE_OK) *gate = made;
  return status;
}
