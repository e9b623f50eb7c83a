// SPDX-License-Identifier: MIT
/* guard.h -- a second process that outlives this one by a moment, and kills the tools that a
 * SIGKILL of this one would have left running. */
#ifndef CLOCHE_CLI_GUARD_H
#define CLOCHE_CLI_GUARD_H

#include <stdbool.h>
#include <sys/types.h>

/* Starts it, if it does not run. False when it cannot be: tools are then not guarded. */
bool cloche__guard_start(void);
/* A process group begins or has ended. */
void cloche__guard_tell(pid_t group, bool runs);
/* Ends it, and what it still guards. */
void cloche__guard_stop(void);

#endif
