// SPDX-License-Identifier: MIT
/* clock.c -- virtual time: what the host said last, plus what the guest has used since. */
#include "control.h"
#include "kernel.h"
#include "machine.h"

int64_t kernel_now(void) {
  uint64_t used = kernel_control.granted - (uint64_t)meter_fuel();
  return kernel_control.clock + (int64_t)((used - kernel_control.clock_fuel) * ABI_NS_PER_FUEL);
}

bool kernel_interrupted(void) {
  return *(volatile uint32_t *)&kernel_control.interrupt != 0;
}
