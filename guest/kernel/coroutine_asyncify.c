// SPDX-License-Identifier: MIT
/* coroutine_asyncify.c -- coroutines in wasm, by Binaryen's Asyncify pass.
 *
 * The pass turns the four imports below into functions of the module and rewrites every function
 * that can reach coroutine_suspend: such a function can return early, having stored its locals, and
 * go on from there when it is called again. One block of the heap serves each coroutine:
 *
 *   | struct | stored locals grow up ->            <- C stack grows down |
 *
 * The C stack is stopped by the meter at the first quarter; stored locals by the check after
 * each unwinding. That one comes after the fact: the bytes are already spoilt, perhaps beyond the
 * block. It may, because the run ends there as limit.stack and the host takes its memory back. */
#ifdef __wasm__
#include "coroutine.h"
#include "kernel.h"
#include "machine.h"

struct coroutine {
  /* What the pass knows by its address: where to store next, and where the room ends. */
  uintptr_t unwind_at, unwind_end;
  void (*entry)(void *argument);
  void *argument;
  uintptr_t stack; /* the C stack pointer while it is suspended */
  void *block;
  uintptr_t low, limit;
  bool suspended, arriving, finished;
};

KERNEL_IMPORT(asyncify, start_unwind) void asyncify_start_unwind(coroutine *buffer);
KERNEL_IMPORT(asyncify, stop_unwind) void asyncify_stop_unwind(void);
KERNEL_IMPORT(asyncify, start_rewind) void asyncify_start_rewind(coroutine *buffer);
KERNEL_IMPORT(asyncify, stop_rewind) void asyncify_stop_rewind(void);

static coroutine *current;

/* Made at boot, so that the first process of a run, which often is the only one, allocates none. It
 * is part of the image, but none of its pages holds anything. */
static struct {
  void *block;
  bool taken;
} spare;
enum { SPARE_SIZE = 1536 * 1024 };

void coroutine_boot(void) {
  spare.block = kernel_malloc(SPARE_SIZE);
}

static void *take_block(size_t size) {
  if (size > SPARE_SIZE || spare.taken || spare.block == NULL) return kernel_malloc(size);
  spare.taken = true;
  return spare.block;
}

static void give_block(void *block) {
  if (block == spare.block)
    spare.taken = false;
  else
    kernel_free(block);
}

/* Stored locals take about as much as the C frames of the same functions, seldom more. */
coroutine *coroutine_create(void (*entry)(void *argument), void *argument, size_t stack) {
  size_t size = (stack + stack / 3 + 15) & ~(size_t)15;
  coroutine *made = kernel_malloc(sizeof *made);
  void *block = made == NULL ? NULL : take_block(size);
  if (block == NULL) {
    kernel_free(made);
    return NULL;
  }
  uintptr_t low = ((uintptr_t)block + 15) & ~(uintptr_t)15;
  *made = (coroutine){.entry = entry,
                      .argument = argument,
                      .block = block,
                      .low = low,
                      .limit = low + size / 4,
                      .stack = ((uintptr_t)block + size) & ~(uintptr_t)15};
  return made;
}

/* The meter now refuses its frame on the C stack, so the run ends as limit.stack. The frame has to
 * be handed on, or else no stack pointer is set for it. */
static __attribute__((noinline)) void overflow(void) {
  char frame[16];
  kernel_random(frame, sizeof frame);
  __builtin_trap();
}

/* Not instrumented, since it calls stop_unwind; so what it calls may unwind up to here. Its own
 * variables are wasm locals: none may live on the C stack that it switches. */
__attribute__((noinline)) bool coroutine_resume(coroutine *resumed) {
  uintptr_t stack = meter_stack();
  current = resumed;
  meter_stack_limit(resumed->limit);
  meter_set_stack(resumed->stack);
  resumed->arriving = resumed->suspended;
  if (resumed->suspended) asyncify_start_rewind(resumed);
  resumed->suspended = false;
  resumed->entry(resumed->argument);
  meter_set_stack(stack);
  meter_stack_limit(0);
  current = NULL;
  if (resumed->suspended || resumed->finished) {
    if (resumed->unwind_at > resumed->unwind_end) {
      meter_stack_limit(UINTPTR_MAX);
      overflow();
    }
    asyncify_stop_unwind();
  }
  return resumed->suspended;
}

static void unwind(coroutine *self) {
  self->stack = meter_stack();
  self->unwind_at = self->low;
  self->unwind_end = self->stack;
  asyncify_start_unwind(self);
}

/* Calls start_unwind, so it is not instrumented: it runs in full when the coroutine suspends, and
 * again when it is resumed. */
static __attribute__((noinline)) void unwind_or_arrive(coroutine *self) {
  if (!self->arriving) {
    unwind(self);
    return;
  }
  self->arriving = false;
  asyncify_stop_rewind();
}

__attribute__((noinline)) void coroutine_suspend(void) {
  current->suspended = true;
  unwind_or_arrive(current);
}

_Noreturn __attribute__((noinline)) void coroutine_leave(void) {
  current->finished = true;
  unwind_or_arrive(current);
  __builtin_unreachable();
}

size_t coroutine_stack_left(void) {
  uintptr_t here = meter_stack();
  return here > current->limit ? here - current->limit : 0;
}

void coroutine_destroy(coroutine *destroyed) {
  if (destroyed == NULL) return;
  give_block(destroyed->block);
  kernel_free(destroyed);
}
#else
typedef int iso_c_wants_a_declaration;
#endif
