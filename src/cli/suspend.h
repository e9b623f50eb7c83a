// SPDX-License-Identifier: MIT
/* suspend.h -- what a session does with a program that waits for a person who is not here. */
#ifndef CLOCHE_CLI_SUSPEND_H
#define CLOCHE_CLI_SUSPEND_H

#include "cli/snapshots.h"

typedef struct cloche__suspended {
  char *path;           /* of the snapshot; NULL: it was not suspended */
  char *info;           /* as cloche_snapshot_info says it */
  cloche__json_doc doc; /* the same, read */
} cloche__suspended;    /* all zero: not suspended */

/* Saves the program. False: it goes on, or it has complained and *failed. */
bool cloche__suspend(cloche_sandbox *box, const cloche__settings *settings,
                     const cloche_snapshot_options *sealing, cloche__suspended *suspended,
                     bool *failed);
/* Says so on standard error. */
void cloche__suspended_tell(const cloche__suspended *suspended, const cloche__settings *settings);
/* The calls that wait. */
const cloche__json *cloche__suspended_pending(const cloche__suspended *suspended);
void cloche__suspended_free(cloche__suspended *suspended);

/* Answers the approvals of --approve and --deny. `info` is the snapshot's. False: it has
 * complained; nothing was answered if an id was wrong. */
bool cloche__answer(cloche_sandbox *box, const cloche__json *info,
                    const cloche__settings *settings);

#endif
