// SPDX-License-Identifier: MIT
/* plan.h -- what a program would do, as a list that a person approves once, and a run that keeps to
 * it.
 *
 *   --plan    the gate decides as ever; tools that are `read_only` run, the others are listed and
 *             their answers made up
 *   --apply   each call that the gate lets through has to be in the list, with the same arguments,
 *             and as often at most; else it is denied. What the gate asks about is approved
 *
 * Both look at the gate's decisions on the host's side, before a budget is charged (referee). Seed
 * and clock are the same in both, and the clock stands while the program waits, so that it comes to
 * the same arguments. */
#ifndef CLOCHE_CLI_PLAN_H
#define CLOCHE_CLI_PLAN_H

#include "cli/mock.h"
#include "cli/options.h"
#include "cli/plan_account.h"
#include "sandbox/sandbox.h"

/* One call of a plan that is kept to. */
typedef struct cloche__planned {
  cloche_text method;
  const cloche__json *params;
  uint32_t call; /* that it has become; 0: not made yet */
} cloche__planned;

typedef struct cloche__plan {
  const cloche__config *config;
  cloche__referee referee;
  cloche_sandbox *box;

  /* Making one. */
  bool making;
  cloche__mocks mocks;
  cloche__plan_account *account;  /* NULL: spending is not kept anyway */
  cloche__buffer effects, denied; /* as JSON, the items of arrays */
  uint32_t *listed;               /* ids of the calls in `effects` */
  size_t listed_count, denied_count, reads;
  char unanswered[256]; /* the tool whose answer could not be made up, and was needed */
  cloche__buffer text;  /* the whole plan, when it is there */

  /* Keeping to one. */
  bool keeping, comparing; /* comparing: in a replay, where secrets are hashes */
  const char *path;
  cloche_text id;
  const cloche__json *readers; /* comparing: the tools that were read-only */
  cloche__json_doc doc;
  cloche__planned *entries;
  size_t count;
} cloche__plan; /* all zero: neither */

/* ---- making ---- */

/* Before the sandbox is made: reads the answers; *account becomes what the gate is to charge; a
 * seed and a time are drawn if none are set, since the plan has to name them. False: it has
 * complained. */
bool cloche__plan_make(cloche__plan *plan, cloche__settings *settings, const cloche__config *config,
                       cloche_account **account);
/* Answers a CALL event, if the call is one that is only listed. */
bool cloche__plan_answer(cloche__plan *plan, const cloche_event *event);
/* The plan as JSON, once the run has ended well; writes it to `path` unless that is NULL. False: it
 * has complained. */
bool cloche__plan_write(cloche__plan *plan, const cloche__settings *settings, cloche_text program,
                        cloche_language language, const char *path);
/* For people, on standard output. */
void cloche__plan_print(const cloche__plan *plan, const cloche__settings *settings);

/* ---- keeping ---- */

/* Reads the plan at settings->apply. Seed and time are the plan's where the settings have none.
 * False: it has complained. */
bool cloche__plan_keep(cloche__plan *plan, cloche__settings *settings,
                       const cloche__config *config);
/* Is it a plan of this program? False: it has complained. */
bool cloche__plan_is_of(const cloche__plan *plan, cloche_text program, cloche_language language);
/* From a ledger's `plan` record, which outlives the plan, for a replay. False: it makes no sense.
 */
bool cloche__plan_recall(cloche__plan *plan, const cloche__json *record);
/* Says which effects were not made. */
void cloche__plan_tell_rest(const cloche__plan *plan);

/* ---- both ---- */

/* From now on the sandbox's decisions are looked at; a record in its ledger says so. False: that
 * could not be written. */
bool cloche__plan_watch(cloche__plan *plan, cloche_sandbox *box);
/* An APPROVAL event: what is planned is approved. */
void cloche__plan_approve(cloche__plan *plan, const cloche_event *event);
/* After the sandbox is gone. */
void cloche__plan_free(cloche__plan *plan);

#endif
