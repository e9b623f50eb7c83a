// SPDX-License-Identifier: MIT
/* account.h -- accounts as the gate uses them. */
#ifndef CLOCHE_GATE_ACCOUNT_H
#define CLOCHE_GATE_ACCOUNT_H

#include <stdatomic.h>

#include "cloche.h"

struct cloche_account {
  cloche_account_store store;
  atomic_size_t users;
  bool in_memory; /* store.self is a ledger of account.c's own */
};

cloche_account *cloche__account_keep(cloche_account *account); /* one more user */

#endif
