// SPDX-License-Identifier: MIT
/* stack.h -- the native stacks that guests run on.
 *
 * A guest never runs on the embedder's stack: how deep it may recurse does not depend on the thread
 * that steps it, and all host code runs on the host's own stack. A stack belongs to one guest while
 * that guest has frames on it; then it goes back to the thread's cache. Below each lies a guard
 * area that faults; trap.c turns that into an end of the run. */
#ifndef CLOCHE_SANDBOX_STACK_H
#define CLOCHE_SANDBOX_STACK_H

#include "cloche.h"

typedef struct cloche__stack {
  struct cloche__stack *next; /* in the thread's cache */
  char *guard;                /* lowest address: CLOCHE__STACK_GUARD bytes without access */
  char *top;                  /* one past the highest */
} cloche__stack;

/* From the calling thread's cache, or a new one. NULL when the system has no memory. */
cloche__stack *cloche__stack_take(void);
/* To the calling thread's cache, whichever thread took it. */
void cloche__stack_give(cloche__stack *stack);
/* What cloche__switch loads to run entry(argument) on an empty stack; entry must not return. */
void *cloche__stack_prepare(cloche__stack *stack, void (*entry)(void *), void *argument);

/* AddressSanitizer wants to be told of each switch; in other builds these are nothing. `host` is
 * where the guest's side notes the stack it was entered from. */
typedef struct cloche__stack_bounds {
  const void *bottom;
  size_t size;
  void *fake;
} cloche__stack_bounds;
#if defined(__SANITIZE_ADDRESS__)
#define CLOCHE__STACK_TOLD 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CLOCHE__STACK_TOLD 1
#endif
#endif
#ifdef CLOCHE__STACK_TOLD
#include <sanitizer/common_interface_defs.h>
static inline void cloche__stack_leaving(void **fake, const void *bottom, size_t size) {
  __sanitizer_start_switch_fiber(fake, bottom, size);
}
static inline void cloche__stack_arrived(void *fake, const void **bottom, size_t *size) {
  __sanitizer_finish_switch_fiber(fake, bottom, size);
}
#include <sanitizer/asan_interface.h>
/* Frames that were dropped have left their marks. */
static inline void cloche__stack_wiped(const void *bottom, size_t size) {
  __asan_unpoison_memory_region(bottom, size);
}
#else
static inline void cloche__stack_wiped(const void *bottom, size_t size) {
  (void)bottom, (void)size;
}
static inline void cloche__stack_leaving(void **fake, const void *bottom, size_t size) {
  (void)fake, (void)bottom, (void)size;
}
static inline void cloche__stack_arrived(void *fake, const void **bottom, size_t *size) {
  (void)fake, (void)bottom, (void)size;
}
#endif

/* See switch.S. */
__attribute__((visibility("hidden"))) void cloche__switch(void **save, void *load);
/* Does not return; not declared so, since the sanitizer would then clean the stack it leaves. */
__attribute__((visibility("hidden"))) void cloche__switch_load(void *load);
__attribute__((visibility("hidden"))) void cloche__switch_start(void);

#endif
