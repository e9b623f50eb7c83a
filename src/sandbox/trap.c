// SPDX-License-Identifier: MIT
/* trap.c -- the fault handlers.
 *
 * Three faults are ours, and only while this thread runs a guest: a first write to a page of its
 * memory (noted, the write goes on), an access beyond its memory (a trap), and its stack's guard (a
 * trap). Any other goes to the handler that was there before us. The handler touches the guest's
 * slot and its own thread's variables only, and calls nothing but mprotect and memcpy. */
#define _GNU_SOURCE
#include "sandbox/trap.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "limits.h"
#include "sandbox/guest.h"

enum { ALTERNATE_BYTES = 64 << 10 };

static const int signals[2] = {SIGSEGV, SIGBUS};
static struct sigaction previous[2];
static pthread_mutex_t install_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- the handler ---- */

/* Continues the interrupted thread in cloche__switch_load(host_sp). */
static void go_to_host(ucontext_t *context, void *host_sp) {
#if defined(__x86_64__)
  context->uc_mcontext.gregs[REG_RDI] = (greg_t)(uintptr_t)host_sp;
  context->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)cloche__switch_load;
#elif defined(__aarch64__)
  context->uc_mcontext.regs[0] = (uintptr_t)host_sp;
  context->uc_mcontext.pc = (uintptr_t)cloche__switch_load;
#endif
}

/* True if the fault was the running guest's, and has been dealt with. */
static bool handle(int number, const siginfo_t *info, ucontext_t *context) {
  cloche__guest *guest = cloche__guest_running();
  if (guest == NULL || info->si_code <= 0) return false; /* si_code <= 0: sent by someone */
  uintptr_t address = (uintptr_t)info->si_addr, base = (uintptr_t)guest->slot->base;
  if (address >= base && address - base < CLOCHE__RESERVE_BYTES) {
    if (number == SIGSEGV && cloche__slot_fault(guest->slot, address - base)) return true;
    go_to_host(context, cloche__guest_trapped(guest, WASM_RT_TRAP_OOB));
    return true;
  }
  uintptr_t guard = (uintptr_t)guest->stack->guard;
  if (address >= guard && address - guard < CLOCHE__STACK_GUARD) {
    go_to_host(context, cloche__guest_trapped(guest, WASM_RT_TRAP_EXHAUSTION));
    return true;
  }
  return false;
}

static void pass_on(int number, siginfo_t *info, void *context) {
  const struct sigaction *old = &previous[number == SIGBUS];
  if (old->sa_flags & SA_SIGINFO) {
    old->sa_sigaction(number, info, context);
  } else if (old->sa_handler == SIG_DFL || (old->sa_handler == SIG_IGN && info->si_code > 0)) {
    /* As if we were not here: the same fault again, with nobody to catch it. */
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigaction(number, &plain, NULL);
    if (info->si_code <= 0) raise(number);
  } else if (old->sa_handler != SIG_IGN) {
    old->sa_handler(number);
  }
}

/* Where this thread's frame below stood when it called another's handler, 0 outside. If that one
 * calls us, our frame lies below, and nobody is left to ask. If it jumped out instead, the next
 * fault finds the stack for signals empty again, and our frame in the old place. */
static _Thread_local volatile uintptr_t passing_from;

static void on_fault(int number, siginfo_t *info, void *context) {
  uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
  if (frame < passing_from && passing_from - frame < ALTERNATE_BYTES) {
    signal(number, SIG_DFL);
    raise(number);
    return;
  }
  if (handle(number, info, context)) return;
  passing_from = frame;
  pass_on(number, info, context);
  passing_from = 0;
}

/* ---- installing ---- */

static bool is_ours(const struct sigaction *action) {
  return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == on_fault;
}

static bool install(int which) {
  struct sigaction current;
  pthread_mutex_lock(&install_lock);
  bool ok = sigaction(signals[which], NULL, &current) == 0;
  if (ok && !is_ours(&current)) {
    struct sigaction ours = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&ours.sa_mask);
    previous[which] = current;
    ok = sigaction(signals[which], &ours, NULL) == 0;
  }
  pthread_mutex_unlock(&install_lock);
  return ok;
}

/* ---- the alternate stack ---- */

static _Thread_local bool thread_ready;
static pthread_key_t stack_key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

static void free_alternate(void *memory) {
  stack_t off = {.ss_flags = SS_DISABLE};
  sigaltstack(&off, NULL);
  munmap(memory, ALTERNATE_BYTES);
}
static void make_key(void) {
  pthread_key_create(&stack_key, free_alternate);
}

/* Keeps one that the embedder has set, if it is large enough for us. */
static bool ensure_alternate(void) {
  stack_t current;
  if (sigaltstack(NULL, &current) != 0) return false;
  if (!(current.ss_flags & SS_DISABLE) && current.ss_size >= 8192) return true;
  pthread_once(&key_once, make_key);
  void *memory =
      mmap(NULL, ALTERNATE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  stack_t ours = {.ss_sp = memory, .ss_size = ALTERNATE_BYTES};
  if (sigaltstack(&ours, NULL) != 0) {
    munmap(memory, ALTERNATE_BYTES);
    return false;
  }
  pthread_setspecific(stack_key, memory);
  return true;
}

cloche_status cloche__trap_prepare(void) {
  if (!thread_ready) {
    if (!ensure_alternate() || !install(1)) return CLOCHE_E_SYSTEM;
    thread_ready = true;
  }
  struct sigaction current;
  if (sigaction(SIGSEGV, NULL, &current) != 0) return CLOCHE_E_SYSTEM;
  return is_ours(&current) || install(0) ? CLOCHE_OK : CLOCHE_E_SYSTEM;
}
