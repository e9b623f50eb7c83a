// SPDX-License-Identifier: MIT
/* control.h -- the words that host and kernel share, and what the host calls.
 *
 * The exports are plain functions so that a native host can call them too. */
#ifndef GUEST_KERNEL_CONTROL_H
#define GUEST_KERNEL_CONTROL_H

#include <stdint.h>

#include "../../abi/messages.h"

extern abi_control kernel_control;

/* ---- exports ---- */

/* Once, at build time. What memory holds afterwards is the image. */
void kernel_boot(void);
/* Where the control block is. */
abi_control *kernel_control_block(void);
/* Room for a batch of records, which the next kernel_step reads; NULL when there is none. */
void *kernel_inbox(uint32_t size);
/* Reads the batch and runs every process until it waits. */
abi_state kernel_step(void);

#endif
