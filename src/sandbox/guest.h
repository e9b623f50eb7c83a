// SPDX-License-Identifier: MIT
/* guest.h -- one running instance of the translated guest.
 *
 * cloche__guest_call enters an export on a stack of the guest's own and comes back when the export
 * returned, when it ran out of fuel, or when it trapped. Out of fuel it still has frames on that
 * stack: cloche__guest_continue goes on, cloche__guest_drop forgets them. So no host code ever runs
 * on the guest's stack but memory.grow and the fault handler, and none of the embedder's ever does
 * while a guest is halfway, unless the embedder was handed output on purpose.
 *
 * Threads  One at a time per guest; it may be another each time. */
#ifndef CLOCHE_SANDBOX_GUEST_H
#define CLOCHE_SANDBOX_GUEST_H

#include "guest.translated.h"
#include "sandbox/slot.h"
#include "sandbox/stack.h"

typedef Z_guest_instance_t cloche__wasm;

/* CLOCK_MONOTONIC, in ns. */
int64_t cloche__monotonic(void);

typedef enum cloche__export {
  CLOCHE__STEP,
  CLOCHE__INBOX,
  CLOCHE__BOOT,
  CLOCHE__CONTROL
} cloche__export;

typedef enum cloche__stop {
  CLOCHE__RETURNED, /* guest->result holds what the export returned */
  CLOCHE__REFUEL,   /* fuel is below zero; frames are kept */
  CLOCHE__TRAPPED,  /* guest->trap says why; frames are gone */
  CLOCHE__NO_STACK  /* nothing ran: the host has no memory for a stack */
} cloche__stop;

typedef struct cloche__guest {
  cloche__wasm wasm;
  cloche__slot *slot;
  cloche__stack *stack; /* while frames are on it */
  void *host_sp, *guest_sp;
  cloche__stack_bounds host; /* the stack it was entered from */
  cloche__export export;
  uint32_t argument, result;
  cloche__stop stop;
  wasm_rt_trap_t trap;
  bool memory_refused; /* memory.grow said no since this was last cleared */
  int64_t deadline;    /* monotonic ns: a long copy that takes longer is interrupted there */
} cloche__guest;

/* What cloche__switch_refuel calls: the running guest has used up its fuel. */
void cloche__guest_refuel(void);
/* As the image is: its globals, the slot's memory. */
void cloche__guest_init(cloche__guest *guest, cloche__slot *slot);
/* After the slot changed size from outside (rollback, reset). */
void cloche__guest_sync_memory(cloche__guest *guest);
/* All mutable globals, as bytes: state is these, the pages and the size. At most 192 bytes. */
uint32_t cloche__guest_globals_size(void);
void cloche__guest_save_globals(const cloche__guest *guest, void *to);
void cloche__guest_load_globals(cloche__guest *guest, const void *from);

cloche__stop cloche__guest_call(cloche__guest *guest, cloche__export export, uint32_t argument);
cloche__stop cloche__guest_continue(cloche__guest *guest);
void cloche__guest_drop(cloche__guest *guest);

static inline int64_t cloche__guest_fuel(const cloche__guest *guest) {
  return (int64_t)guest->wasm.w2c_fuel;
}
static inline void cloche__guest_add_fuel(cloche__guest *guest, int64_t units) {
  guest->wasm.w2c_fuel += (uint64_t)units;
}
/* True if a stack met its limit: the trap is then an overflow, whatever its kind. The first stack
 * of the module lies lowest, so beyond its end the pointer wraps to where no memory is. */
static inline bool cloche__guest_overflowed(const cloche__guest *guest) {
  return guest->wasm.w2c_overflow != 0 || guest->trap == WASM_RT_TRAP_EXHAUSTION ||
         guest->wasm.w2c___stack_pointer > guest->wasm.w2c_memory.size;
}

/* The guest that this thread runs right now, for the fault handler. */
cloche__guest *cloche__guest_running(void);
/* Ends the running guest's call with a trap. For wasm_rt_trap and the fault handler. */
void *cloche__guest_trapped(cloche__guest *guest, wasm_rt_trap_t trap);

#endif
