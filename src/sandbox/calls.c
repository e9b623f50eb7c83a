// SPDX-License-Identifier: MIT
/* calls.c -- what becomes of a call: refused, asked about, or handed to the embedder; and answers.
 *
 * The gate decides; here its decision is written to the ledger and carried out, in this order, so
 * that nothing happens which is not on record (invariant 10). The embedder gets the arguments that
 * the gate wrote, not those the guest sent (invariant 4); budgets were charged by then (5). */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limits.h"
#include "sandbox/sandbox.h"

/* ---- what the program is told ---- */

typedef struct {
  const char *name; /* CapabilityError, ToolError */
  cloche_text message, code, tool, rule, param, expected;
} failure;

static void add_member(cloche__buffer *json, const char *key, cloche_text value) {
  if (value.len == 0) return;
  cloche__json_write_key(key, json);
  cloche__json_write_string(value, json);
}

static void send_failure(cloche_sandbox *box, uint32_t id, const failure *failed) {
  cloche__buffer json = {0};
  cloche__buffer_byte(&json, '{');
  add_member(&json, "name", cloche__text(failed->name));
  add_member(&json, "message", failed->message);
  add_member(&json, "code", failed->code);
  add_member(&json, "tool", failed->tool);
  add_member(&json, "rule", failed->rule);
  add_member(&json, "param", failed->param);
  add_member(&json, "expected", failed->expected);
  cloche__buffer_byte(&json, '}');
  cloche__inbox_add(&box->inbox, ABI_FAILURE, id, json.at, json.len);
  if (json.failed) box->inbox.failed = true;
  cloche__buffer_free(&json);
}

static void refuse(cloche_sandbox *box, uint32_t id, cloche_text tool, const char *code,
                   const char *message) {
  box->usage.denied++;
  send_failure(box, id,
               &(failure){.name = "CapabilityError",
                          .message = cloche__text(message),
                          .code = cloche__text(code),
                          .tool = tool});
}

static void refuse_as_decided(cloche_sandbox *box, uint32_t id, const cloche_decision *decision) {
  box->usage.denied++;
  send_failure(box, id,
               &(failure){.name = "CapabilityError",
                          .message = cloche__text(decision->message),
                          .code = cloche__text(cloche_code_text(decision->code)),
                          .tool = decision->method,
                          .rule = decision->rule,
                          .param = cloche__text(decision->param),
                          .expected = cloche__text(decision->expected)});
}

/* ---- the table of calls ---- */

static cloche__pending *find(cloche_sandbox *box, uint64_t id) {
  size_t low = 0, high = box->call_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (box->calls[middle].id < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low < box->call_count && box->calls[low].id == id ? &box->calls[low] : NULL;
}

static void forget(cloche_sandbox *box, cloche__pending *call) {
  free((void *)call->method.at);
  size_t after = (size_t)(&box->calls[box->call_count] - (call + 1));
  memmove(call, call + 1, after * sizeof *call);
  box->call_count--;
}

static cloche_text place(char **at, cloche_text text) {
  if (text.len > 0) memcpy(*at, text.at, text.len);
  cloche_text placed = {*at, text.len};
  *at += text.len;
  return placed;
}

/* The same call has the same key in every sandbox that comes from one snapshot. */
static void name_call(const cloche_sandbox *box, cloche__pending *call) {
  struct {
    uint8_t box[16];
    uint32_t run, call;
  } named = {.run = box->run, .call = call->id};
  uint8_t key[(sizeof call->key - 1) / 2];
  memcpy(named.box, box->id, sizeof named.box);
  crypto_generichash(key, sizeof key, (const uint8_t *)&named, sizeof named, NULL, 0);
  sodium_bin2hex(call->key, sizeof call->key, key, sizeof key);
}

static bool make_room(cloche_sandbox *box) {
  if (box->call_count < box->call_capacity) return true;
  size_t capacity = box->call_capacity * 2 + 8;
  cloche__pending *grown = realloc(box->calls, capacity * sizeof *grown);
  if (grown == NULL) return false;
  box->calls = grown;
  box->call_capacity = capacity;
  return true;
}

static bool keep(cloche_sandbox *box, uint32_t id, cloche_text sent,
                 const cloche_decision *decision) {
  if (!make_room(box)) return false;
  bool asks = decision->effect == CLOCHE_ASK;
  char *at = malloc(decision->method.len + sent.len + decision->params.len + decision->rule.len +
                    decision->reason.len + 1);
  if (at == NULL) return false;
  cloche__pending *call = &box->calls[box->call_count++];
  *call = (cloche__pending){.id = id,
                            .asked = asks,
                            .approve_up_to = decision->approve_up_to,
                            .reservation = decision->reservation};
  name_call(box, call);
  call->method = place(&at, decision->method); /* first: it is what gets freed */
  call->sent = place(&at, sent);
  call->params = place(&at, decision->params);
  call->rule = place(&at, decision->rule);
  call->reason = place(&at, decision->reason);
  return true;
}

/* ---- the gate and the ledger ---- */

/* Labels that a step of the gate added go on record. */
static cloche_status record_labels(cloche_sandbox *box, size_t from) {
  cloche__moment moment = cloche__sandbox_moment(box);
  for (size_t i = from;; i++) {
    cloche_text label = cloche_gate_label(box->gate, i);
    if (label.len == 0) return CLOCHE_OK;
    cloche_status status =
        cloche__ledger_label(box->ledger, &moment, label, true, (cloche_text){NULL, 0});
    if (status != CLOCHE_OK) return status;
  }
}

static size_t label_count(cloche_sandbox *box) {
  size_t count = 0;
  while (box->ledger != NULL && cloche_gate_label(box->gate, count).len > 0) count++;
  return count;
}

static cloche_status record_decision(cloche_sandbox *box, uint32_t id, cloche_text sent,
                                     const cloche_decision *decision, size_t labels) {
  if (box->referee != NULL) box->referee->decided(box->referee->self, id, sent, decision);
  if (box->ledger == NULL) return CLOCHE_OK;
  cloche__json_doc doc = {0};
  bool parsed = cloche__json_parse(sent, NULL, &doc, NULL) == CLOCHE_OK;
  cloche__moment moment = cloche__sandbox_moment(box);
  cloche_status status = cloche__ledger_decision(box->ledger, &moment, id, box->policy,
                                                 parsed ? &doc.root : NULL, decision);
  cloche__json_free(&doc);
  return status == CLOCHE_OK ? record_labels(box, labels) : status;
}

static void settle(cloche_sandbox *box, const cloche__pending *call, bool succeeded) {
  if (box->gate != NULL && call->shared && !succeeded)
    cloche__gate_spend(box->gate, call->reservation);
  if (box->gate != NULL) /* without a reservation too: rules ask what succeeded before */
    cloche_gate_settle(box->gate, call->reservation, call->method, call->params, succeeded);
}

/* A call that nobody here has made, nor will. */
static void give_back(cloche_sandbox *box, const cloche__pending *call) {
  if (box->gate == NULL) return;
  if (call->asked)
    cloche__gate_release_held(box->gate, call->reservation);
  else if (call->shared)
    cloche__gate_spend(box->gate, call->reservation);
  else
    cloche_gate_release(box->gate, call->reservation);
}

static void out_of_memory(cloche_sandbox *box) {
  cloche__sandbox_abandon(box, CLOCHE_END_INTERNAL, "the host has no memory left");
}

/* Hands an allowed or held call on. */
static void announce(cloche_sandbox *box, uint32_t id, cloche_event_kind kind) {
  if (!cloche__queue_add(box, (cloche__item){.kind = kind, .call = id})) out_of_memory(box);
}

/* The gate's answer, or the referee's to what the gate would let through: before a budget is
 * charged or a label comes. What the gate denied at first stays denied, as the referee has not seen
 * it. */
static cloche_status judge(cloche_sandbox *box, uint32_t id, const cloche_question *question,
                           cloche_decision *decision) {
  const cloche__referee *referee = box->referee;
  char why[256] = "";
  if (referee == NULL) return cloche_gate_charge(box->gate, question, decision);
  cloche_status status = cloche_gate_check(box->gate, question, decision);
  if (status != CLOCHE_OK || decision->effect == CLOCHE_DENY) return status;
  if (referee->admits(referee->self, id, decision, why))
    return cloche_gate_charge(box->gate, question, decision);
  decision->effect = CLOCHE_DENY;
  decision->code = CLOCHE_CODE_PLAN;
  decision->reason = decision->rule = (cloche_text){NULL, 0};
  snprintf(decision->message, sizeof decision->message, "%s", why);
  return CLOCHE_OK;
}

static void decide(cloche_sandbox *box, uint32_t id, cloche_text method, cloche_text params) {
  if (box->gate == NULL) {
    refuse(box, id, method, "no_policy", "no policy is set, so no call is allowed");
    return;
  }
  cloche_question question = {.method = method, .params = params, .now = cloche__sandbox_wall(box)};
  cloche_decision decision;
  size_t labels = label_count(box);
  cloche_status status = judge(box, id, &question, &decision);
  if (status == CLOCHE_E_MEMORY) {
    out_of_memory(box);
    return;
  }
  if (record_decision(box, id, params, &decision, labels) != CLOCHE_OK) {
    cloche_gate_release(box->gate, decision.reservation);
    refuse(box, id, method, "ledger", "the call could not be recorded, so it was not made");
  } else if (decision.effect == CLOCHE_DENY) {
    refuse_as_decided(box, id, &decision);
  } else if (!keep(box, id, params, &decision)) {
    cloche_gate_release(box->gate, decision.reservation);
    out_of_memory(box);
  } else {
    announce(box, id, decision.effect == CLOCHE_ASK ? CLOCHE_APPROVAL : CLOCHE_CALL);
  }
}

/* ---- a call comes ---- */

void cloche__call_made(cloche_sandbox *box, uint32_t id, const uint8_t *bytes, uint32_t size) {
  uint32_t length = 0;
  bool sound = id > box->last_call && size >= sizeof length;
  if (sound) memcpy(&length, bytes, sizeof length);
  if (!sound || length > size - sizeof length || length > CLOCHE__METHOD_BYTES) {
    cloche__sandbox_abandon(box, CLOCHE_END_TRAP, "the guest made a call without sense");
    return;
  }
  box->last_call = id;
  if (box->stopping != CLOCHE_END_DONE) return; /* nothing is done for a run that is ending */
  cloche_text method = {(const char *)bytes + sizeof length, length};
  cloche_text params = {method.at + length, size - sizeof length - length};
  box->usage.calls++;
  if (box->usage.calls > box->limits.calls)
    refuse(box, id, method, "limit.calls", "the run has made as many calls as it may");
  else if (box->call_count >= box->limits.in_flight)
    refuse(box, id, method, "limit.in_flight",
           "as many calls as may be in flight at once already are");
  else if (params.len > box->limits.argument)
    refuse(box, id, method, "limit.argument", "the argument is larger than it may be");
  else
    decide(box, id, method, params);
}

void cloche__calls_forget(cloche_sandbox *box) {
  box->cancelled_calls += box->call_count;
  while (box->call_count > 0) {
    cloche__pending *last = &box->calls[box->call_count - 1];
    cloche__moment moment = cloche__sandbox_moment(box);
    cloche__ledger_cancel(box->ledger, &moment, last->id);
    if (last->announced) {
      settle(box, last, false);
      cloche__queue_add(box, (cloche__item){.kind = CLOCHE_CALL_CANCELLED, .call = last->id});
    } else {
      give_back(box, last);
    }
    forget(box, last);
  }
}

static bool has_call(const cloche_sandbox *box, const cloche__pending *call) {
  for (size_t i = 0; i < box->call_count; i++)
    if (box->calls[i].id == call->id && strcmp(box->calls[i].key, call->key) == 0) return true;
  return false;
}

void cloche__calls_abandon(cloche_sandbox *box, const cloche_sandbox *kept) {
  for (size_t i = 0; i < box->call_count; i++) {
    const cloche__pending *call = &box->calls[i];
    if (has_call(kept, call)) continue;
    cloche__moment moment = cloche__sandbox_moment(box);
    cloche__ledger_cancel(box->ledger, &moment, call->id);
    if (call->announced)
      settle(box, call, false);
    else
      give_back(box, call);
  }
}

/* ---- an answer comes ---- */

static cloche_status unknown(cloche_sandbox *box) {
  return cloche__sandbox_refuse(box, CLOCHE_E_UNKNOWN, "no call with that id waits for this");
}

static cloche__pending *waiting(cloche_sandbox *box, uint64_t id, bool asked) {
  cloche__pending *call = box->active && !box->ended ? find(box, id) : NULL;
  return call != NULL && call->asked == asked && (asked || call->announced) ? call : NULL;
}

/* On record before the guest can know. When that fails, it never will. */
static bool record_settle(cloche_sandbox *box, const cloche__pending *call, bool succeeded,
                          cloche_text text, cloche_text code) {
  cloche__moment moment = cloche__sandbox_moment(box);
  return cloche__ledger_settle(box->ledger, &moment, call->id, succeeded, text, code) == CLOCHE_OK;
}

/* The program gets a ToolError. */
static void fail(cloche_sandbox *box, cloche__pending *call, cloche_text message,
                 cloche_text code) {
  if (!record_settle(box, call, false, message, code)) {
    message = cloche__text("what the tool answered could not be recorded");
    code = cloche__text("ledger");
  }
  settle(box, call, false);
  send_failure(
      box, call->id,
      &(failure){.name = "ToolError", .message = message, .code = code, .tool = call->method});
  forget(box, call);
}

/* False: `misfit` says how a result does not fit the tool's output schema. */
static bool answer_fits(const cloche_sandbox *box, const cloche__pending *call,
                        const cloche__json *value, cloche__buffer *misfit) {
  cloche__schema_failure failure;
  if (cloche__policy_result_fits(box->policy, call->method, value, &failure)) return true;
  bool whole = failure.param[0] == '\0', unknown = failure.got[0] == '"';
  cloche__buffer_string(misfit, "the tool's result is not what it should be: ");
  cloche__buffer_string(misfit, whole ? "all of it" : failure.param);
  if (unknown)
    cloche__buffer_string(misfit, " is not known");
  else
    cloche__buffer_format(misfit, " has to be %s, and is of type %s", failure.expected,
                          failure.got);
  return false;
}

/* `json` read strictly and written again without blanks: tools print over several lines, and what
 * the ledger holds on its one line has to be what the guest got. */
static cloche_status read_answer(cloche_sandbox *box, const cloche__pending *call, cloche_text json,
                                 cloche__buffer *answer, bool *fits, cloche__buffer *misfit) {
  cloche__arena arena = {0};
  cloche__json value;
  cloche__json_limits limits = {.depth = CLOCHE__JSON_DEPTH_MAX};
  cloche__json_error error = {.message = "nested too deep"};
  cloche_status status = cloche__json_read(json, &limits, &arena, &value, &error);
  if (status == CLOCHE_OK) cloche__json_write(&value, answer);
  *fits = status != CLOCHE_OK || answer_fits(box, call, &value, misfit);
  cloche__arena_free(&arena);
  if (status == CLOCHE_E_MEMORY) return status;
  if (status != CLOCHE_OK) {
    snprintf(box->message, sizeof box->message, "the result is not JSON: line %zu, column %zu: %s",
             error.line, error.column, error.message);
    return CLOCHE_E_JSON;
  }
  return answer->failed ? CLOCHE_E_MEMORY : CLOCHE_OK;
}

cloche_status cloche_resolve(cloche_sandbox *box, uint64_t id, cloche_text json) {
  if (!cloche__sandbox_enter(box)) return CLOCHE_E_ARGUMENT;
  cloche__pending *call = waiting(box, id, false);
  if (call == NULL) return unknown(box);
  if (json.len > box->limits.result) {
    fail(box, call, cloche__text("the tool's result is larger than it may be"),
         cloche__text("limit.result"));
    return cloche__sandbox_refuse(box, CLOCHE_E_LIMIT, "the result is longer than limits.result");
  }
  cloche__buffer answer = {0}, misfit = {0};
  bool fits;
  cloche_status status = read_answer(box, call, json, &answer, &fits, &misfit);
  if (status == CLOCHE_OK && !fits) {
    fail(box, call, cloche__buffer_view(&misfit), cloche__text("result.schema"));
  } else if (status == CLOCHE_OK) {
    cloche_text compact = cloche__buffer_view(&answer);
    if (record_settle(box, call, true, compact, (cloche_text){NULL, 0})) {
      settle(box, call, true);
      cloche__inbox_add(&box->inbox, ABI_RESULT, call->id, compact.at, compact.len);
      forget(box, call);
    } else {
      fail(box, call, cloche__text("what the tool answered could not be recorded"),
           cloche__text("ledger"));
    }
  }
  cloche__buffer_free(&answer);
  cloche__buffer_free(&misfit);
  return status;
}

cloche_status cloche_reject(cloche_sandbox *box, uint64_t id, const cloche_failure *failed) {
  if (!cloche__sandbox_enter(box) || failed == NULL) return CLOCHE_E_ARGUMENT;
  cloche__pending *call = waiting(box, id, false);
  if (call == NULL) return unknown(box);
  fail(box, call, failed->message, failed->code);
  return CLOCHE_OK;
}

/* ---- a person answers ---- */

cloche_status cloche_approve(cloche_sandbox *box, uint64_t id, const cloche_approval *approval) {
  if (!cloche__sandbox_enter(box)) return CLOCHE_E_ARGUMENT;
  static const cloche_approval plain = {0};
  if (approval == NULL) approval = &plain;
  cloche__pending *call = waiting(box, id, true);
  if (call == NULL) return unknown(box);
  if (approval->further >= call->approve_up_to && approval->further > 0)
    return cloche__sandbox_refuse(box, CLOCHE_E_ARGUMENT,
                                  "the rule does not let one approval cover so many calls");
  cloche__moment moment = cloche__sandbox_moment(box);
  cloche_status status = cloche__ledger_approval(box->ledger, &moment, id, true, approval->further,
                                                 approval->by, approval->reason);
  if (status != CLOCHE_OK) return status;
  cloche_question question = {
      .method = call->method, .params = call->sent, .now = cloche__sandbox_wall(box)};
  cloche_decision decision;
  size_t labels = label_count(box);
  status =
      cloche_gate_approve(box->gate, &question, call->reservation, approval->further, &decision);
  if (status == CLOCHE_E_ARGUMENT || status == CLOCHE_E_MEMORY) return status;
  status = record_decision(box, call->id, call->sent, &decision, labels);
  if (status != CLOCHE_OK) return status;
  cloche__pending old = *call;
  size_t place_of = (size_t)(call - box->calls);
  if (decision.effect != CLOCHE_ALLOW) { /* it has expired, or something came between */
    refuse_as_decided(box, old.id, &decision);
    forget(box, call);
    return CLOCHE_OK;
  }
  if (!keep(box, old.id, old.sent, &decision)) return CLOCHE_E_MEMORY;
  box->calls[place_of] = box->calls[--box->call_count];
  memcpy(box->calls[place_of].key, old.key, sizeof old.key);
  free((void *)old.method.at);
  announce(box, old.id, CLOCHE_CALL);
  return CLOCHE_OK;
}

cloche_status cloche_deny(cloche_sandbox *box, uint64_t id, cloche_text reason) {
  if (!cloche__sandbox_enter(box)) return CLOCHE_E_ARGUMENT;
  cloche__pending *call = waiting(box, id, true);
  if (call == NULL) return unknown(box);
  cloche__moment moment = cloche__sandbox_moment(box);
  cloche_status status =
      cloche__ledger_approval(box->ledger, &moment, id, false, 0, (cloche_text){NULL, 0}, reason);
  if (status != CLOCHE_OK) return status;
  box->usage.denied++;
  give_back(box, call);
  send_failure(box, call->id,
               &(failure){.name = "CapabilityError",
                          .message = reason,
                          .code = cloche__text("approval.denied"),
                          .tool = call->method});
  forget(box, call);
  return CLOCHE_OK;
}

/* ---- calls of a snapshot ---- */

cloche_status cloche_once(cloche_sandbox *box, uint64_t id) {
  if (!cloche__sandbox_enter(box)) return CLOCHE_E_ARGUMENT;
  cloche__pending *call = waiting(box, id, false);
  if (call == NULL) return unknown(box);
  call->once = true;
  return CLOCHE_OK;
}

void cloche__calls_share(cloche_sandbox *box) {
  for (size_t i = 0; i < box->call_count; i++) box->calls[i].shared = true;
}

bool cloche__call_restored(cloche_sandbox *box, const cloche__pending *call) {
  const cloche__pending *last = box->call_count == 0 ? NULL : &box->calls[box->call_count - 1];
  if (call->id == 0 || call->id > box->last_call || (last != NULL && call->id <= last->id) ||
      call->method.len > CLOCHE__METHOD_BYTES || !make_room(box) || box->calls == NULL)
    return false;
  char *at = malloc(call->method.len + call->sent.len + call->params.len + call->rule.len +
                    call->reason.len + 1);
  if (at == NULL) return false;
  cloche__pending *made = &box->calls[box->call_count++];
  *made = *call;
  made->again = call->again || call->announced;
  made->announced = false;
  made->shared = true;
  made->method = place(&at, call->method);
  made->sent = place(&at, call->sent);
  made->params = place(&at, call->params);
  made->rule = place(&at, call->rule);
  made->reason = place(&at, call->reason);
  return true;
}

static void fail_interrupted(cloche_sandbox *box) {
  for (size_t i = box->call_count; i > 0; i--) {
    cloche__pending *call = &box->calls[i - 1];
    if (call->once && call->again)
      fail(box, call,
           cloche__text("the program was saved while this call was under way; whether it was made "
                        "is not known, and it may not be made twice"),
           cloche__text("interrupted"));
  }
}

void cloche__calls_restored(cloche_sandbox *box, bool anew, bool released) {
  fail_interrupted(box);
  if (!anew) return;
  size_t count = box->call_count;
  cloche__pending *old = box->calls;
  box->calls = NULL;
  box->call_count = box->call_capacity = 0;
  for (size_t i = 0; i < count; i++) {
    if (released) give_back(box, &old[i]);
    size_t before = box->call_count;
    decide(box, old[i].id, old[i].method, old[i].sent);
    if (box->call_count > before) {
      memcpy(box->calls[before].key, old[i].key, sizeof old[i].key);
      box->calls[before].again = old[i].again;
    }
    free((void *)old[i].method.at);
  }
  free(old);
}
