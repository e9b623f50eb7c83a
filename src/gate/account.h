// SPDX-License-Identifier: MIT
/* account.h -- accounts as the gate uses them. */
#ifndef CLOCHE_GATE_ACCOUNT_H
#define CLOCHE_GATE_ACCOUNT_H

#include <stdatomic.h>

#include "cloche.h"
#include "gate/amount.h"
#include "limits.h"

struct cloche_account {
  cloche_account_store store;
  atomic_size_t users;
  bool in_memory; /* store.self is a book of account.c's own */
  char id[CLOCHE__ACCOUNT_ID + 1];
};

/* What a budget has taken so far. */
typedef struct cloche__spent {
  uint64_t calls, open;
  uint64_t recent; /* calls within the window of the charge */
  cloche__amount total;
} cloche__spent;

/* May this charge be added? The one place where a budget is held against its bounds, wherever it is
 * kept. `amount`: the charge's, read. */
bool cloche__charge_fits(const cloche__spent *spent, const cloche_charge *charge,
                         const cloche__amount *amount);

cloche_account *cloche__account_keep(cloche_account *account); /* one more user */

#endif
