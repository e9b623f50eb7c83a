// SPDX-License-Identifier: MIT
/* meter.c -- four functions whose bodies tools/meter.c replaces by one or two instructions on
 * globals that C cannot name. The bodies here only have to survive the optimiser: each reads or
 * writes something volatile, so that no caller assumes what it returns. */
#include "machine.h"

#ifdef __wasm__
static volatile int64_t unread;

KERNEL_EXPORT(meter_fuel) int64_t meter_fuel(void) {
  return unread;
}
KERNEL_EXPORT(meter_stack) uintptr_t meter_stack(void) {
  return (uintptr_t)unread + 1;
}
KERNEL_EXPORT(meter_set_stack) void meter_set_stack(uintptr_t address) {
  unread = (int64_t)address;
}
KERNEL_EXPORT(meter_stack_limit) void meter_stack_limit(uintptr_t address) {
  unread = (int64_t)address + 1;
}
#else
typedef int iso_c_wants_a_declaration;
#endif
