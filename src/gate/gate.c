// SPDX-License-Identifier: MIT
/* gate.c -- the public calls that decide: JSON in, one decision out. All take the way of
 * cloche__gate_decide, so that a check and a call cannot disagree. */
#include "gate/gate.h"

#include <stdio.h>

/* Reads the parameters into the scratch arena. On an error *decision says so, too. */
static cloche_status read_call(cloche_gate *gate, const cloche_question *question,
                               cloche__json *params, cloche_decision *decision) {
  cloche__json_error error;
  cloche__arena_reset(&gate->scratch);
  cloche__buffer_clear(&gate->text);
  cloche_status status = cloche__json_read(question->params, NULL, &gate->scratch, params, &error);
  if (status == CLOCHE_OK) return status;
  *decision = (cloche_decision){.code = CLOCHE_CODE_PARAMS};
  if (status == CLOCHE_E_MEMORY) {
    cloche__deny(decision, CLOCHE_CODE_LIMIT, "There is no memory left to decide this call.");
    return status;
  }
  cloche__deny(decision, CLOCHE_CODE_PARAMS,
               "The parameters are not JSON: line %zu, column %zu: %s", error.line, error.column,
               error.message);
  return CLOCHE_E_JSON;
}

static cloche_status answer(cloche_gate *gate, const cloche__call *call,
                            cloche_decision *decision) {
  const cloche__json *final = NULL;
  cloche__gate_decide(gate, call, &gate->scratch, &final, decision);
  if (decision->effect == CLOCHE_DENY) return CLOCHE_OK;
  cloche__json_write(final, &gate->text);
  decision->params = cloche__buffer_view(&gate->text);
  if (!gate->text.failed) return CLOCHE_OK;
  if (decision->reservation != 0) cloche_gate_release(gate, decision->reservation);
  decision->reservation = 0;
  cloche__deny(decision, CLOCHE_CODE_LIMIT, "There is no memory left to decide this call.");
  return CLOCHE_E_MEMORY;
}

cloche_status cloche__gate_ask(cloche_gate *gate, const cloche_question *question,
                               cloche__call call, cloche_decision *decision) {
  cloche__json params;
  cloche_status status = read_call(gate, question, &params, decision);
  call.method = question->method;
  call.params = &params;
  call.now = question->now;
  if (status == CLOCHE_OK) status = answer(gate, &call, decision);
  if (status != CLOCHE_OK || decision->effect != CLOCHE_ALLOW || call.further == 0) return status;
  return cloche__gate_grant(gate, &call);
}

cloche_status cloche_gate_check(cloche_gate *gate, const cloche_question *question,
                                cloche_decision *decision) {
  if (gate == NULL || question == NULL || decision == NULL) return CLOCHE_E_ARGUMENT;
  return cloche__gate_ask(gate, question, (cloche__call){.asking = CLOCHE__ASK_CHECK}, decision);
}

cloche_status cloche_gate_charge(cloche_gate *gate, const cloche_question *question,
                                 cloche_decision *decision) {
  if (gate == NULL || question == NULL || decision == NULL) return CLOCHE_E_ARGUMENT;
  return cloche__gate_ask(gate, question, (cloche__call){.asking = CLOCHE__ASK_CHARGE}, decision);
}

cloche_status cloche_gate_approve(cloche_gate *gate, const cloche_question *question,
                                  uint64_t reservation, uint32_t further,
                                  cloche_decision *decision) {
  if (gate == NULL || question == NULL || decision == NULL) return CLOCHE_E_ARGUMENT;
  cloche__call call = {
      .asking = CLOCHE__ASK_APPROVED, .reservation = reservation, .further = further};
  cloche_status status = cloche__gate_ask(gate, question, call, decision);
  if (decision->effect != CLOCHE_DENY) return status;
  if (decision->code == CLOCHE_CODE_APPROVAL) return CLOCHE_E_ARGUMENT; /* it stays held */
  cloche__gate_release_held(gate, reservation);
  return status;
}

void cloche__gate_release_held(cloche_gate *gate, uint64_t reservation) {
  cloche_account_store *store = &gate->account->store;
  if (reservation != 0 && store->settle(store->self, reservation, CLOCHE_SETTLE_APPROVED))
    store->settle(store->self, reservation, CLOCHE_SETTLE_RELEASED);
}

void cloche__gate_spend(cloche_gate *gate, uint64_t reservation) {
  cloche_account_store *store = &gate->account->store;
  if (reservation != 0) store->settle(store->self, reservation, CLOCHE_SETTLE_SUCCEEDED);
}

void cloche_gate_release(cloche_gate *gate, uint64_t reservation) {
  if (gate == NULL) return;
  cloche_account_store *store = &gate->account->store;
  if (reservation != 0) store->settle(store->self, reservation, CLOCHE_SETTLE_RELEASED);
}

cloche_status cloche_gate_settle(cloche_gate *gate, uint64_t reservation, cloche_text method,
                                 cloche_text params, bool succeeded) {
  if (gate == NULL) return CLOCHE_E_ARGUMENT;
  cloche__json value = {.kind = CLOCHE__JSON_OBJECT};
  bool watched = succeeded && gate->policy != NULL && gate->policy->watch_count > 0;
  cloche__arena_reset(&gate->scratch);
  cloche_status status = params.len == 0 || !watched
                             ? CLOCHE_OK
                             : cloche__json_read(params, NULL, &gate->scratch, &value, NULL);
  cloche_status settled =
      cloche__gate_settle(gate, reservation, method, &value, succeeded && status == CLOCHE_OK);
  return status != CLOCHE_OK ? status : settled;
}
