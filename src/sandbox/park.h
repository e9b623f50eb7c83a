// SPDX-License-Identifier: MIT
/* park.h -- sandboxes that wait need no mapping: beyond the engine's bound those that were stepped
 * longest ago are reduced to bytes, and mapped again when they are used.
 *
 *   here --> used --> here, in the engine's line --> parking --> parked --> used
 *
 * A sandbox that is used belongs to its thread; one in the line, to whoever holds the engine's
 * lock; one that is being parked, to the thread that does it, for which its owner waits. */
#ifndef CLOCHE_SANDBOX_PARK_H
#define CLOCHE_SANDBOX_PARK_H

#include "sandbox/sandbox.h"

/* Before anything that touches the machine. E_MEMORY, E_SYSTEM: it stays parked */
cloche_status cloche__park_use(cloche_sandbox *box);
/* After it. May park others. */
void cloche__park_leave(cloche_sandbox *box);
/* It is about to be freed. */
void cloche__park_forget(cloche_sandbox *box);

#endif
