// SPDX-License-Identifier: MIT
/* accounts.h -- the file that --accounts names. */
#ifndef CLOCHE_CLI_ACCOUNTS_H
#define CLOCHE_CLI_ACCOUNTS_H

#include "cloche.h"

/* NULL leaves *account NULL: spending is forgotten with the run. False: it has complained. */
bool cloche__accounts_open(const char *path, cloche_account **account);

#endif
