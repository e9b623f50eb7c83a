// SPDX-License-Identifier: MIT
/* guest.translated.h -- stands where wasm2c's header stands, for a guest that is an attacker.
 *
 * evil.c implements the exports: instead of running a program they write what a fuzzer says
 * wherever it says, and answer what it says. */
#ifndef CLOCHE_EVIL_GUEST_H
#define CLOCHE_EVIL_GUEST_H

#include "wasm-rt.h"

struct Z_cloche_instance_t;

typedef struct Z_guest_instance_t {
  struct Z_cloche_instance_t *Z_cloche_instance;
  uint32_t w2c___stack_pointer;
  uint64_t w2c_fuel;
  uint32_t w2c_overflow;
  wasm_rt_memory_t w2c_memory;
} Z_guest_instance_t;

void Z_clocheZ_refuel(struct Z_cloche_instance_t *instance);
uint32_t Z_guestZ_step(Z_guest_instance_t *instance);
uint32_t Z_guestZ_inbox(Z_guest_instance_t *instance, uint32_t size);
void Z_guestZ_boot(Z_guest_instance_t *instance);
uint32_t Z_guestZ_control(Z_guest_instance_t *instance);

#endif
