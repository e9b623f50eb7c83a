// SPDX-License-Identifier: MIT
/* plan_account.h -- an account as a plan sees it: what has been spent counts, and what is only
 * planned counts until the plan is there, and is then given back.
 *
 * Calls that the plan does run are charged as ever. Those it does not run take their budgets from
 * the same account, so that the plan's twenty-first call is refused where twenty are left; but not
 * their concurrency, which ends when their answer is made up and is kept apart. */
#ifndef CLOCHE_CLI_PLAN_ACCOUNT_H
#define CLOCHE_CLI_PLAN_ACCOUNT_H

#include "cloche.h"

typedef struct cloche__plan_account cloche__plan_account;

/* Over `real`, which has to outlive it. NULL: no memory. */
cloche__plan_account *cloche__plan_account_new(cloche_account *real);
/* What the gate charges. The plan's. */
cloche_account *cloche__plan_account_use(cloche__plan_account *plan);
/* Whether the next reservation is for a call that will not be made. */
void cloche__plan_account_next(cloche__plan_account *plan, bool planned_only);
/* When no gate uses it any more; gives back what is still taken. NULL is fine. */
void cloche__plan_account_free(cloche__plan_account *plan);

#endif
