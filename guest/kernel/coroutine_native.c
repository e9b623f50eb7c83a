// SPDX-License-Identifier: MIT
/* coroutine_native.c -- coroutines for tests on the machine itself, by ucontext.
 *
 * A page without access lies below each stack, so that an overflow is a fault and never a
 * neighbour's trouble. Frames are larger here than in wasm, and much larger under AddressSanitizer,
 * so sizes are multiplied. */
#ifndef __wasm__
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "coroutine.h"

#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#endif
#endif

#ifdef WITH_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define STACK_FACTOR 8
#else
#define STACK_FACTOR 3
#endif

enum { GUARD = 4096 };

struct coroutine {
  ucontext_t context;
  void (*entry)(void *argument);
  void *argument;
  uint8_t *map;
  size_t map_size;
  void *fake_stack;
  bool finished;
};

static coroutine *current;
static ucontext_t scheduler;

#ifdef WITH_ASAN
static const void *scheduler_bottom;
static size_t scheduler_size;

static void leave_for(void **save, const void *bottom, size_t size) {
  __sanitizer_start_switch_fiber(save, bottom, size);
}
static void arrive(void *saved, const void **from, size_t *from_size) {
  __sanitizer_finish_switch_fiber(saved, from, from_size);
}
#endif

static void enter(void) {
#ifdef WITH_ASAN
  arrive(NULL, &scheduler_bottom, &scheduler_size);
#endif
  current->entry(current->argument);
  coroutine_leave();
}

static bool map_stack(coroutine *of, size_t stack) {
  of->map_size = ((stack * STACK_FACTOR + GUARD - 1) & ~(size_t)(GUARD - 1)) + GUARD;
  of->map = mmap(NULL, of->map_size, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return of->map != MAP_FAILED && mprotect(of->map, GUARD, PROT_NONE) == 0;
}

static void prepare_context(coroutine *of) {
  getcontext(&of->context);
  of->context.uc_stack.ss_sp = of->map + GUARD;
  of->context.uc_stack.ss_size = of->map_size - GUARD;
  of->context.uc_link = NULL;
  makecontext(&of->context, enter, 0);
}

void coroutine_boot(void) {}

coroutine *coroutine_create(void (*entry)(void *argument), void *argument, size_t stack) {
  coroutine *made = calloc(1, sizeof *made);
  if (made == NULL) return NULL;
  made->entry = entry;
  made->argument = argument;
  if (!map_stack(made, stack)) {
    free(made);
    return NULL;
  }
  prepare_context(made);
  return made;
}

bool coroutine_resume(coroutine *resumed) {
  current = resumed;
#ifdef WITH_ASAN
  void *fake_stack;
  leave_for(&fake_stack, resumed->map + GUARD, resumed->map_size - GUARD);
#endif
  swapcontext(&scheduler, &resumed->context);
#ifdef WITH_ASAN
  arrive(fake_stack, NULL, NULL);
#endif
  current = NULL;
  return !resumed->finished;
}

void coroutine_suspend(void) {
  coroutine *self = current;
#ifdef WITH_ASAN
  leave_for(&self->fake_stack, scheduler_bottom, scheduler_size);
#endif
  swapcontext(&self->context, &scheduler);
#ifdef WITH_ASAN
  arrive(self->fake_stack, &scheduler_bottom, &scheduler_size);
#endif
}

_Noreturn void coroutine_leave(void) {
  current->finished = true;
#ifdef WITH_ASAN
  leave_for(NULL, scheduler_bottom, scheduler_size);
#endif
  setcontext(&scheduler);
  abort();
}

size_t coroutine_stack_left(void) {
  const uint8_t *here = __builtin_frame_address(0);
  return (size_t)(here - (current->map + GUARD)) / STACK_FACTOR;
}

void coroutine_destroy(coroutine *destroyed) {
  if (destroyed == NULL) return;
#ifdef WITH_ASAN
  /* Frames that were dropped have left their red zones behind. */
  __asan_unpoison_memory_region(destroyed->map + GUARD, destroyed->map_size - GUARD);
#endif
  munmap(destroyed->map, destroyed->map_size);
  free(destroyed);
}
#endif
