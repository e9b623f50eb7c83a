// SPDX-License-Identifier: MIT
/* coroutine.h -- a function that can be left in the middle and entered again there.
 *
 * Two backends: coroutine_asyncify.c for wasm, where frames are unwound into linear memory, and
 * coroutine_native.c for tests, where each coroutine has a stack that is switched to. Coroutines do
 * not nest: only the scheduler resumes one. */
#ifndef GUEST_KERNEL_COROUTINE_H
#define GUEST_KERNEL_COROUTINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct coroutine coroutine;

void coroutine_boot(void);
/* NULL when there is no memory. `stack` is in bytes. */
coroutine *coroutine_create(void (*entry)(void *argument), void *argument, size_t stack);
/* Goes on until it suspends (true), or has returned or left (false: only destroy may follow). */
bool coroutine_resume(coroutine *resumed);
/* Back to the scheduler, and on from here at the next resume. */
void coroutine_suspend(void);
/* Back to the scheduler for good: no frame of it runs again. */
_Noreturn void coroutine_leave(void);
/* Of the running one's stack, in terms of the size it was created with. */
size_t coroutine_stack_left(void);
/* In whatever state it is, but not the running one. NULL is fine. */
void coroutine_destroy(coroutine *destroyed);

#endif
