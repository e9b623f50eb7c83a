// SPDX-License-Identifier: MIT
/* call.h -- tool calls on their way: from a process to the host, and their answers back.
 *
 *   call_begin --> ABI_CALL --> (host) --> ABI_RESULT or ABI_FAILURE --> an event of the process
 *
 * The id is the only thing that leaves the guest; an answer to an id that nobody waits for any more
 * is dropped. */
#ifndef GUEST_KERNEL_CALL_H
#define GUEST_KERNEL_CALL_H

#include <stddef.h>
#include <stdint.h>

#include "process.h"

/* An answer came; `failed` for ABI_FAILURE. */
void call_answered(uint32_t id, bool failed, const void *json, size_t size);
/* The process asks for none of its answers any more. */
void calls_drop(process *of);
/* Calls that wait for an answer, of all processes. */
uint32_t calls_in_flight(void);

/* ---- tools.c ---- */

/* The host's definitions, a JSON array. False when there is no memory: the old ones stay. */
bool tools_define(const char *json, size_t size);
bool tools_hide(const char *json, size_t size);
/* The name as the definitions have it, for any spelling of it: stripe.charges.create is
 * stripe/charges/create. Writes at most `size` bytes and returns the length. */
size_t tools_canonical_name(const char *name, char *to, size_t size);

#endif
