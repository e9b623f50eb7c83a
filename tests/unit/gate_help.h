// SPDX-License-Identifier: MIT
/* gate_help.h -- policies and calls in one line, for the tests of the gate. */
#ifndef CLOCHE_GATE_HELP_H
#define CLOCHE_GATE_HELP_H

#include "gate/gate.h"
#include "test.h"

static inline const cloche_policy *load_with(const char *policy, const char *tools) {
  cloche_policy *made = NULL;
  cloche_problem problem = {0};
  cloche_status status =
      cloche_policy_load(cloche__text(policy), cloche__text(tools), &made, &problem);
  if (status != CLOCHE_OK) {
    fprintf(stderr, "  policy: %s at %s (%zu:%zu)\n  %s\n", problem.message, problem.path,
            problem.line, problem.column, policy);
  }
  CHECK_EQ(status, CLOCHE_OK);
  return made;
}
static inline const cloche_policy *load(const char *policy) {
  return load_with(policy, NULL);
}

static inline cloche_gate *gate_over(const cloche_policy *policy, cloche_account *account) {
  cloche_gate *gate = NULL;
  CHECK_EQ(cloche_gate_new(policy, account, &gate), CLOCHE_OK);
  return gate;
}
/* A gate that alone keeps its policy alive. */
static inline cloche_gate *gate_for(const char *text) {
  const cloche_policy *policy = load(text);
  cloche_gate *gate = gate_over(policy, NULL);
  cloche_policy_free(policy);
  return gate;
}

static cloche_decision decided; /* of the last check_at or charge_at */

enum { SECOND = 1000000000 };

static inline cloche_effect check_at(cloche_gate *gate, const char *method, const char *params,
                                     int64_t now) {
  cloche_question question = {cloche__text(method), cloche__text(params), now};
  cloche_status status = cloche_gate_check(gate, &question, &decided);
  CHECK(status == CLOCHE_OK || status == CLOCHE_E_JSON);
  return decided.effect;
}
static inline cloche_effect check(cloche_gate *gate, const char *method, const char *params) {
  return check_at(gate, method, params, 0);
}
/* Charges; a check just before must give the same answer. */
static inline cloche_effect charge_at(cloche_gate *gate, const char *method, const char *params,
                                      int64_t now) {
  cloche_question question = {cloche__text(method), cloche__text(params), now};
  check_at(gate, method, params, now);
  cloche_decision before = decided;
  CHECK_EQ(cloche_gate_charge(gate, &question, &decided), CLOCHE_OK);
  CHECK_EQ(before.effect, decided.effect);
  CHECK_EQ(before.code, decided.code);
  CHECK_STR(before.message, decided.message);
  return decided.effect;
}
static inline cloche_effect charge(cloche_gate *gate, const char *method, const char *params) {
  return charge_at(gate, method, params, 0);
}
static inline void settle(cloche_gate *gate, const char *method, const char *params,
                          uint64_t reservation, bool ok) {
  CHECK_EQ(cloche_gate_settle(gate, reservation, cloche__text(method), cloche__text(params), ok),
           CLOCHE_OK);
}
/* A call from start to its end. */
static inline cloche_effect call(cloche_gate *gate, const char *method, const char *params) {
  cloche_effect effect = charge(gate, method, params);
  if (effect == CLOCHE_ALLOW) settle(gate, method, params, decided.reservation, true);
  return effect;
}

#define DENIED(gate, method, params, why)               \
  do {                                                  \
    CHECK_EQ(check(gate, method, params), CLOCHE_DENY); \
    CHECK_STR(cloche_code_text(decided.code), why);     \
  } while (0)

#endif
