// SPDX-License-Identifier: MIT
/* outbox_room.c -- where the outbox goes on. Apart, because what every run writes lies together
 * (cmake/Host.cmake), and this is not that. */
#include "outbox.h"

uint8_t outbox_room[ABI_OUTBOX_BYTES];
