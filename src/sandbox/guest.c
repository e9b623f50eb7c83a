// SPDX-License-Identifier: MIT
/* guest.c -- enters and leaves the translated guest; what wasm2c's code calls is here too. */
#include "sandbox/guest.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "limits.h"
#include "sandbox/segment.h"

int64_t cloche__monotonic(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Initial-exec, because the fault handler reads it and must not allocate. */
static _Thread_local cloche__guest *running __attribute__((tls_model("initial-exec")));

cloche__guest *cloche__guest_running(void) {
  return running;
}

/* ---- instances ---- */

/* The globals are the fields between the import and the memory. */
#define GLOBALS_AT sizeof(struct Z_cloche_instance_t *)
static uint8_t *globals(const cloche__guest *guest) {
  return (uint8_t *)&guest->wasm + GLOBALS_AT;
}

uint32_t cloche__guest_globals_size(void) {
  return (uint32_t)(offsetof(cloche__wasm, w2c_memory) - GLOBALS_AT);
}
void cloche__guest_save_globals(const cloche__guest *guest, void *to) {
  memcpy(to, globals(guest), cloche__guest_globals_size());
}
void cloche__guest_load_globals(cloche__guest *guest, const void *from) {
  memcpy(globals(guest), from, cloche__guest_globals_size());
}

void cloche__guest_sync_memory(cloche__guest *guest) {
  guest->wasm.w2c_memory = (wasm_rt_memory_t){.data = guest->slot->base,
                                              .pages = guest->slot->size / CLOCHE__WASM_PAGE,
                                              .max_pages = CLOCHE__WASM_PAGE - 1,
                                              .size = guest->slot->size};
}

void cloche__guest_init(cloche__guest *guest, cloche__slot *slot) {
  *guest = (cloche__guest){.slot = slot};
  cloche__guest_load_globals(guest, slot->image->header->global_bytes);
  cloche__guest_sync_memory(guest);
}

/* ---- entering and leaving ---- */

static void run_export(void *argument) {
  cloche__guest *guest = argument;
  cloche__stack_arrived(NULL, &guest->host.bottom, &guest->host.size);
  switch (guest->export) {
    case CLOCHE__STEP:
      guest->result = Z_guestZ_step(&guest->wasm);
      break;
    case CLOCHE__INBOX:
      guest->result = Z_guestZ_inbox(&guest->wasm, guest->argument);
      break;
    case CLOCHE__BOOT:
      Z_guestZ_boot(&guest->wasm);
      break;
    case CLOCHE__CONTROL:
      guest->result = Z_guestZ_control(&guest->wasm);
      break;
  }
  guest->stop = CLOCHE__RETURNED;
  cloche__stack_leaving(NULL, guest->host.bottom, guest->host.size);
  cloche__switch_load(guest->host_sp);
  __builtin_unreachable();
}

cloche__stop cloche__guest_continue(cloche__guest *guest) {
  cloche__guest *outer = running;
  running = guest;
  void *fake = NULL;
  cloche__stack_leaving(&fake, guest->stack->guard + CLOCHE__STACK_GUARD, CLOCHE__STACK_BYTES);
  uintptr_t segment = cloche__segment_enter(guest->slot->base);
  cloche__switch(&guest->host_sp, guest->guest_sp);
  cloche__segment_leave(segment);
  cloche__stack_arrived(fake, NULL, NULL);
  running = outer;
  if (guest->stop != CLOCHE__REFUEL) cloche__guest_drop(guest);
  return guest->stop;
}

cloche__stop cloche__guest_call(cloche__guest *guest, cloche__export export, uint32_t argument) {
  guest->stack = cloche__stack_take();
  if (guest->stack == NULL) return guest->stop = CLOCHE__NO_STACK;
  guest->export = export;
  guest->argument = argument;
  guest->trap = WASM_RT_TRAP_NONE;
  guest->guest_sp = cloche__stack_prepare(guest->stack, run_export, guest);
  return cloche__guest_continue(guest);
}

void cloche__guest_drop(cloche__guest *guest) {
  if (guest->stop != CLOCHE__RETURNED)
    cloche__stack_wiped(guest->stack->top - CLOCHE__STACK_GUARD, CLOCHE__STACK_GUARD);
  cloche__stack_give(guest->stack);
  guest->stack = NULL;
}

void *cloche__guest_trapped(cloche__guest *guest, wasm_rt_trap_t trap) {
  guest->trap = trap;
  guest->stop = CLOCHE__TRAPPED;
  cloche__stack_leaving(NULL, guest->host.bottom, guest->host.size);
  return guest->host_sp;
}

/* ---- what the translated code calls ---- */

static void pause_guest(cloche__guest *guest) {
  guest->stop = CLOCHE__REFUEL;
  cloche__stack_leaving(&guest->host.fake, guest->host.bottom, guest->host.size);
  cloche__switch(&guest->guest_sp, guest->host_sp);
  cloche__stack_arrived(guest->host.fake, &guest->host.bottom, &guest->host.size);
}

void cloche__guest_refuel(void) {
  pause_guest(running);
}

/* An instance has no way to say whose it is: a return to a checkpoint moves guests. */
void Z_clocheZ_refuel(struct Z_cloche_instance_t *instance) {
  (void)instance;
  cloche__guest_refuel();
}

/* Between two pieces of a long copy. Where it stops depends on the clock, so only beyond the end of
 * the run's time. */
static void pause_if_late(void) {
  cloche__guest *guest = running;
  if (guest != NULL && cloche__monotonic() >= guest->deadline) pause_guest(guest);
}

void wasm_rt_copy_long(uint8_t *to, const uint8_t *from, size_t size) {
  bool up = to <= from; /* each piece is read before another writes over it */
  for (size_t done = 0; done < size; pause_if_late()) {
    size_t piece = size - done < WASM_RT_PIECE ? size - done : WASM_RT_PIECE;
    size_t at = up ? done : size - done - piece;
    memmove(to + at, from + at, piece);
    done += piece;
  }
}

void wasm_rt_fill_long(uint8_t *to, int byte, size_t size) {
  for (size_t done = 0; done < size; pause_if_late()) {
    size_t piece = size - done < WASM_RT_PIECE ? size - done : WASM_RT_PIECE;
    memset(to + done, byte, piece);
    done += piece;
  }
}

void wasm_rt_trap(wasm_rt_trap_t reason) {
  cloche__switch_load(cloche__guest_trapped(running, reason));
  __builtin_unreachable();
}

uint32_t wasm_rt_grow_memory(wasm_rt_memory_t *memory, uint32_t pages) {
  cloche__guest *guest = running;
  uint32_t old = cloche__slot_grow(guest->slot, pages);
  if (old == UINT32_MAX) guest->memory_refused = true;
  memory->size = guest->slot->size;
  memory->pages = guest->slot->size / CLOCHE__WASM_PAGE;
  return old;
}
