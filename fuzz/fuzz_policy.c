// SPDX-License-Identifier: MIT
/* fuzz_policy.c -- any text is a policy or has an error with a sentence; a policy decides, reports
 * and lints without harm, checks and charges alike, and loads again from its own text. The input is
 * policy, tools, method and parameters, split by NUL. */
#include <stdlib.h>
#include <string.h>

#include "gate/gate.h"

static cloche_text next_part(cloche_text *rest) {
  const char *end = rest->len == 0 ? NULL : memchr(rest->at, '\0', rest->len);
  cloche_text part = {rest->at, end == NULL ? rest->len : (size_t)(end - rest->at)};
  size_t used = part.len + (end != NULL);
  *rest = (cloche_text){rest->at + used, rest->len - used};
  return part;
}

static void use(const cloche_policy *policy, cloche_text method, cloche_text params) {
  cloche_gate *gate = NULL;
  cloche_decision check, charge;
  cloche_question question = {method, params, 1769860800000000000};
  char *text = NULL;
  size_t len;
  if (cloche_gate_new(policy, NULL, &gate) != CLOCHE_OK) return;
  cloche_gate_check(gate, &question, &check);
  cloche_gate_charge(gate, &question, &charge);
  if (check.effect != charge.effect || check.code != charge.code) abort();
  if (charge.effect == CLOCHE_DENY && charge.message[0] == '\0') abort();
  if (charge.effect != CLOCHE_DENY)
    cloche_gate_settle(gate, charge.reservation, charge.method, (cloche_text){0}, true);
  if (cloche_gate_report(gate, &question, false, &check, &text, &len) == CLOCHE_OK) free(text);
  if (cloche_policy_lint(policy, 0, true, &text, &len, NULL) == CLOCHE_OK) free(text);
  if (cloche_gate_save(gate, &text, &len) == CLOCHE_OK) {
    cloche_gate *again = NULL;
    if (cloche_gate_restore(policy, NULL, (cloche_text){text, len}, &again) != CLOCHE_OK) abort();
    cloche_gate_free(again);
    free(text);
  }
  cloche_gate_free(gate);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  cloche_text rest = {(const char *)bytes, size};
  cloche_text text = next_part(&rest), tools = next_part(&rest), method = next_part(&rest);
  cloche_policy *policy = NULL, *again = NULL;
  cloche_problem problem = {0};
  if (tools.len == 0) tools.at = NULL;
  cloche_status status = cloche_policy_load(text, tools, &policy, &problem);
  if (status != CLOCHE_OK) {
    if (status != CLOCHE_E_MEMORY && problem.message[0] == '\0') abort();
    return 0;
  }
  char *saved = NULL;
  size_t len;
  if (cloche_policy_save(policy, &saved, &len) == CLOCHE_OK) {
    if (cloche_policy_load((cloche_text){saved, len}, tools, &again, NULL) != CLOCHE_OK) abort();
    cloche_policy_free(again);
    free(saved);
  }
  use(policy, method, rest.len == 0 ? (cloche_text){"{}", 2} : rest);
  cloche_policy_free(policy);
  return 0;
}
