// SPDX-License-Identifier: MIT
/* jail.h -- the walls around a worker, which it raises itself before a guest runs in it.
 *
 * Each is enough to keep a process from the files, the network and other processes of its machine,
 * or nearly; they are there together because each has had holes. What they keep out is written in
 * docs/security.md. */
#ifndef CLOCHE_SANDBOX_JAIL_H
#define CLOCHE_SANDBOX_JAIL_H

#include "cloche.h"

/* Raises those walls of `wanted` (bits 1 << CLOCHE_WALL_...) that can be raised, and says which
 * stand. `keep` is the one descriptor that stays open. */
unsigned cloche__jail_enter(unsigned wanted, int keep);

#endif
