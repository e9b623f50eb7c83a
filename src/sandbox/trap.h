// SPDX-License-Identifier: MIT
/* trap.h -- turns faults of a running guest into page notes or traps; leaves all others alone. */
#ifndef CLOCHE_SANDBOX_TRAP_H
#define CLOCHE_SANDBOX_TRAP_H

#include "cloche.h"

/* Before a guest runs on this thread: our handlers for SIGSEGV and SIGBUS are in place (again, if
 * someone installed others since; those are then called for faults that are not ours), and the
 * thread has an alternate signal stack. One system call when all is well.
 * E_SYSTEM  the system refused */
cloche_status cloche__trap_prepare(void);

#endif
