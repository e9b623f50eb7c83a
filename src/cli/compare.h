// SPDX-License-Identifier: MIT
/* compare.h -- values of two ledgers, or of a ledger and a run. */
#ifndef CLOCHE_CLI_COMPARE_H
#define CLOCHE_CLI_COMPARE_H

#include "json/json.h"

/* Equal, but for the hashes of secrets, which are not compared: each ledger has a key of its own.
 * NULL is only like NULL. */
bool cloche__is_same(const cloche__json *was, const cloche__json *is);
/* Could `value`, which is in plain, be what a record has, in which secrets are hashes? */
bool cloche__fits_record(const cloche__json *record, const cloche__json *value);

#endif
