// SPDX-License-Identifier: MIT
/* gate.h -- the gate from inside: its state, and the one function that decides.
 *
 * cloche__gate_decide allocates nothing but from the caller's arena, and reads no clock. A check
 * and a call take the same way through it and differ only in what they ask of the account. */
#ifndef CLOCHE_GATE_GATE_H
#define CLOCHE_GATE_GATE_H

#include "gate/account.h"
#include "gate/policy.h"

typedef struct cloche__seen { /* what a watch of the policy has seen */
  bool happened;
  bool blind; /* not watched for all of the sandbox's life, or full: absence proves nothing */
  cloche__json *values;
  size_t count, room;
} cloche__seen;

typedef struct cloche__grant {   /* "the same tool for this run" */
  cloche_text method, rule, key; /* rule: layer and key of an asking rule; key: in the account */
  uint32_t up_to;
} cloche__grant;

struct cloche_gate {
  const cloche_policy *policy;
  cloche_account *account;
  cloche_text labels[CLOCHE__LABELS];
  size_t label_count;
  bool any_label;     /* what labels there are is not known: any may be, or none */
  cloche__seen *seen; /* policy->watch_count, layer by layer */
  cloche__grant *grants;
  size_t grant_count;
  cloche__arena kept;    /* texts and values of the above */
  cloche__arena scratch; /* of the last public call */
  cloche__buffer text;   /* likewise */
};

typedef enum cloche__asking {
  CLOCHE__ASK_CHECK, /* takes nothing */
  CLOCHE__ASK_CHARGE,
  CLOCHE__ASK_APPROVED /* asking rules allow; `reservation` is used if it is still held */
} cloche__asking;

typedef struct cloche__call {
  cloche_text method;
  const cloche__json *params;
  int64_t now;
  cloche__asking asking;
  uint64_t reservation;
  uint32_t further;      /* APPROVED: calls that are approved with it */
  cloche__buffer *trace; /* what was looked at is written here, unless NULL */
} cloche__call;

/* Fills *decision but for `params`; *final, if allowed or asked, are the final arguments, in part
 * from `call`, in part in the arena. Whatever goes wrong is a denial. */
void cloche__gate_decide(cloche_gate *gate, const cloche__call *call, cloche__arena *arena,
                         const cloche__json **final, cloche_decision *decision);
/* Approves call->further calls like this one, which was approved under its reservation. */
cloche_status cloche__gate_grant(cloche_gate *gate, const cloche__call *call);
/* As cloche_gate_settle, with parsed params. */
cloche_status cloche__gate_settle(cloche_gate *gate, uint64_t reservation, cloche_text method,
                                  const cloche__json *params, bool succeeded);

/* As the public calls ask: `call` without method, params and time, which are the question's. */
cloche_status cloche__gate_ask(cloche_gate *gate, const cloche_question *question,
                               cloche__call call, cloche_decision *decision);

/* Nothing is known of the sandbox's past any more: what depends on labels or order is denied. */
void cloche__gate_forget_past(cloche_gate *gate);

/* A held call was not approved here. Where a fork or a snapshot shares the reservation and has got
 * the approval, that stays as it is. */
void cloche__gate_release_held(cloche_gate *gate, uint64_t reservation);
/* A call that others may have made counts as made, whatever came of it here: nothing comes back. */
void cloche__gate_spend(cloche_gate *gate, uint64_t reservation);

/* ---- between decide.c, state.c and explain.c ---- */

bool cloche__gate_has_label(const cloche_gate *gate, cloche_text label);
bool cloche__gate_add_labels(cloche_gate *gate, const cloche__texts *labels);
const cloche__seen *cloche__gate_seen(const cloche_gate *gate, size_t layer, size_t watch);
/* "<layer from the root>:<key>", which names a rule whatever is stacked on it. */
bool cloche__gate_rule_name(const cloche_gate *gate, size_t layer, const cloche__rule *rule,
                            cloche__arena *arena, cloche_text *name);

typedef struct cloche__case { /* one call before one layer */
  const cloche_gate *gate;
  size_t layer;
  const cloche__name *name;
  const cloche__json *args;
  int64_t now;
  cloche__where_context context;
} cloche__case;

/* All conditions of a rule together, but not `closed`. */
cloche__truth cloche__rule_applies(cloche__case *c, const cloche__rule *rule);
cloche__truth cloche__order_holds(const cloche__case *c, const cloche__order *order);
cloche__truth cloche__labels_hold(const cloche__case *c, const cloche__rule *rule);
/* A parameter that a closed rule does not mention; NULL when there is none. */
const cloche__json_member *cloche__rule_unmentioned(const cloche__rule *rule,
                                                    const cloche__json *args);
/* Fills *decision for a call that no rule of the layer allows: which came closest, and why not. */
void cloche__explain_closest(cloche__case *c, cloche_decision *decision);
/* Fills it for a rule that denies, or whose constraint made an ask impossible. */
void cloche__explain_rule(cloche__case *c, const cloche__rule *rule, cloche_decision *decision);
/* One rule that was looked at, for a report. */
void cloche__trace_rule(cloche__case *c, const cloche__rule *rule, cloche__truth applies,
                        cloche__buffer *out);
/* Puts a parameter's path into *decision, cut to what fits. */
void cloche__name_param(cloche_decision *decision, cloche_text path);
__attribute__((format(printf, 3, 4))) void cloche__deny(cloche_decision *decision, cloche_code code,
                                                        const char *format, ...);

#endif
