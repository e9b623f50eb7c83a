// SPDX-License-Identifier: MIT
/* outbox.h -- records for the host. */
#ifndef GUEST_KERNEL_OUTBOX_H
#define GUEST_KERNEL_OUTBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../abi/messages.h"

void outbox_boot(void);
/* One record whose payload is the two pieces in a row. Asks the host to take what is there when it
 * has become much. False when there is no memory: nothing was added. */
bool outbox_add(abi_kind kind, uint32_t id, const void *first, size_t first_size,
                const void *second, size_t second_size);
/* Where the records are; abi_control.outbox holds it in wasm, but is too small natively. */
const uint8_t *outbox_bytes(void);
extern uint8_t outbox_room[ABI_OUTBOX_BYTES]; /* for outbox.c alone */

#endif
