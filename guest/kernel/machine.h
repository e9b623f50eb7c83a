// SPDX-License-Identifier: MIT
/* machine.h -- what the kernel gets from below: from the host and the meter in wasm, from
 * tests/native/host.c in a native build. */
#ifndef GUEST_KERNEL_MACHINE_H
#define GUEST_KERNEL_MACHINE_H

#include <stdint.h>

#ifdef __wasm__
#define KERNEL_EXPORT(name) __attribute__((export_name(#name), used, noinline))
#define KERNEL_IMPORT(module, name) __attribute__((import_module(#module), import_name(#name)))
#else
#define KERNEL_EXPORT(name)
#define KERNEL_IMPORT(module, name)
#endif

/* The guest's only import. The host takes the outbox, and may stop the guest for good. */
KERNEL_IMPORT(cloche, refuel) void refuel(void);

/* The fuel that is left; below zero for a moment before a refuel. */
int64_t meter_fuel(void);

#ifdef __wasm__
/* The C stack pointer, and the address below which it must not go: whatever lowers it further ends
 * the run as limit.stack. */
uintptr_t meter_stack(void);
void meter_set_stack(uintptr_t address);
void meter_stack_limit(uintptr_t address);
#endif

#endif
