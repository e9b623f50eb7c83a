// SPDX-License-Identifier: MIT
/* interrupt.c -- a plain handler, since libuv's loop does not turn while the program computes. */
#include "cli/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

#include "cli/processes.h"

static const int caught[] = {SIGINT, SIGTERM, SIGHUP};
static _Atomic(cloche_sandbox *) target;
static atomic_int times;
static uv_async_t waker;

static void on_signal(int number) {
  cloche_sandbox *box = atomic_load(&target);
  if (atomic_fetch_add(&times, 1) == 0 && box != NULL) {
    cloche_cancel(box);
    uv_async_send(&waker); /* documented as safe in a handler */
    return;
  }
  cloche__process_end_all();
  signal(number, SIG_DFL);
  raise(number);
}

static void on_wake(uv_async_t *async) {
  (void)async;
}

void cloche__interrupt_catch(cloche_sandbox *box, uv_loop_t *loop) {
  uv_async_init(loop, &waker, on_wake);
  uv_unref((uv_handle_t *)&waker);
  atomic_store(&target, box);
  struct sigaction action = {.sa_handler = on_signal};
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) sigaction(caught[i], &action, NULL);
}

bool cloche__interrupted(void) {
  return atomic_load(&times) > 0;
}

void cloche__interrupt_release(void) {
  for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) signal(caught[i], SIG_DFL);
  atomic_store(&target, NULL);
  uv_close((uv_handle_t *)&waker, NULL);
}
