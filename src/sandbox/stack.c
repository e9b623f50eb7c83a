// SPDX-License-Identifier: MIT
/* stack.c -- allocates guest stacks and keeps a few per thread.
 *
 * A stack is address space first: only pages that a guest touched cost memory, usually two or
 * three. */
#define _GNU_SOURCE
#include "sandbox/stack.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "limits.h"

enum { CACHE_MAX = 2 };

static _Thread_local cloche__stack *cache;
static _Thread_local int cached;
static pthread_key_t cache_key; /* only so that a thread's end frees its cache */
static pthread_once_t cache_once = PTHREAD_ONCE_INIT;

static void release(cloche__stack *stack) {
  munmap(stack->guard, (size_t)(stack->top - stack->guard));
  free(stack);
}

static void release_cache(void *unused) {
  (void)unused;
  while (cache != NULL) {
    cloche__stack *stack = cache;
    cache = stack->next;
    release(stack);
  }
  cached = CACHE_MAX; /* what other destructors give back is released at once */
}

static void make_key(void) {
  pthread_key_create(&cache_key, release_cache);
}

cloche__stack *cloche__stack_take(void) {
  if (cache != NULL) {
    cloche__stack *stack = cache;
    cache = stack->next;
    cached--;
    return stack;
  }
  cloche__stack *stack = malloc(sizeof *stack);
  if (stack == NULL) return NULL;
  size_t size = CLOCHE__STACK_GUARD + CLOCHE__STACK_BYTES;
  char *base = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) {
    free(stack);
    return NULL;
  }
  if (mprotect(base + CLOCHE__STACK_GUARD, CLOCHE__STACK_BYTES, PROT_READ | PROT_WRITE) != 0) {
    munmap(base, size);
    free(stack);
    return NULL;
  }
  *stack = (cloche__stack){.guard = base, .top = base + size};
  return stack;
}

void cloche__stack_give(cloche__stack *stack) {
  if (stack == NULL) return;
  pthread_once(&cache_once, make_key);
  if (cached >= CACHE_MAX) {
    release(stack);
    return;
  }
  if (cache == NULL) pthread_setspecific(cache_key, stack);
  stack->next = cache;
  cache = stack;
  cached++;
}

void *cloche__stack_prepare(cloche__stack *stack, void (*entry)(void *), void *argument) {
  void **frame = (void **)(void *)stack->top;
#if defined(__x86_64__)
  /* Popped in this order: r15 r14 r13 r12 rbx rbp, then the return address. Before it a word, so
   * that rsp is a multiple of 16 where cloche__switch_start calls. */
  *--frame = NULL;
  *--frame = NULL;
  *--frame = (void *)cloche__switch_start;
  *--frame = NULL;
  *--frame = argument;
  *--frame = (void *)entry;
  for (int i = 0; i < 3; i++) *--frame = NULL;
#elif defined(__aarch64__)
  frame -= 20;
  for (int i = 0; i < 20; i++) frame[i] = NULL;
  frame[0] = argument;                      /* x19 */
  frame[1] = (void *)entry;                 /* x20 */
  frame[11] = (void *)cloche__switch_start; /* x30 */
#endif
  return frame;
}
