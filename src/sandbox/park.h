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

/* A machine, and its checkpoint, to compressed bytes; the machine stays. `freeze` as in
 * cloche__machine_keep. False as there. */
bool cloche__park_pack(cloche__machine *machine, bool freeze, cloche__parked *parked);
/* Into a machine that holds the image. Errors as cloche__machine_take_up. */
cloche_status cloche__park_unpack(const cloche__parked *parked, cloche__machine *machine);
/* Opens a machine for a sandbox that has none, with the state; the bytes stay. */
cloche_status cloche__park_open(const cloche__parked *parked, cloche_sandbox *box);
void cloche__parked_free(cloche__parked *parked);

/* Before anything that touches the machine. E_MEMORY, E_SYSTEM: it stays parked */
cloche_status cloche__park_use(cloche_sandbox *box);
/* After it. May park others. */
void cloche__park_leave(cloche_sandbox *box);
/* Its machine is about to be closed, or to be another one. */
void cloche__park_forget(cloche_sandbox *box);

#endif
