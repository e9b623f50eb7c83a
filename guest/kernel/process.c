// SPDX-License-Identifier: MIT
/* process.c -- processes: made, waited for, ended. */
#include "process.h"

#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "descriptor.h"
#include "heap.h"

static process *all, *newest;
static int process_count;
static int last_pid;

process *process_first(void) {
  return all;
}

process *process_find(int pid) {
  for (process *at = all; at != NULL; at = at->next)
    if (at->pid == pid) return at;
  return NULL;
}

int process_pid(void) {
  return process_current()->pid;
}

uint32_t *process_word(void) {
  static uint32_t nobody; /* at boot, and where a native test calls a part of the guest alone */
  process *current = process_current();
  return current != NULL ? &current->word : &nobody;
}

int process_parent(void) {
  process *parent = process_current()->parent;
  return parent == NULL ? 0 : parent->pid;
}

/* ---- birth ---- */

static void add_to_list(process *added) {
  if (newest == NULL)
    all = added;
  else
    newest->next = added;
  newest = added;
  process_count++;
}

static void remove_from_list(process *removed) {
  process *before = NULL;
  for (process **at = &all; *at != NULL; at = &(*at)->next) {
    if (*at == removed) {
      *at = removed->next;
      if (newest == removed) newest = before;
      break;
    }
    before = *at;
  }
  process_count--;
}

size_t process_stack_left(void) {
  return coroutine_stack_left();
}

/* ---- memory that children read ---- */

/* A heap lives as long as its process and every child that borrowed it; so does, in turn, the heap
 * that process had borrowed itself. */
typedef struct shared_heap {
  heap *heap;
  uint32_t users;
  struct shared_heap *lender;
} shared_heap;

static shared_heap *share(heap *of, shared_heap *lender) {
  shared_heap *made = kernel_malloc(sizeof *made);
  if (made == NULL) return NULL;
  *made = (shared_heap){.heap = of, .users = 1, .lender = lender};
  if (lender != NULL) lender->users++;
  return made;
}

static void unshare(shared_heap *left) {
  while (left != NULL && --left->users == 0) {
    shared_heap *lender = left->lender;
    heap_destroy(left->heap);
    kernel_free(left);
    left = lender;
  }
}

static void release(process *released) {
  kernel_free(released->name);
  kernel_free(released);
}

/* The one function that calls entries; the build lists it as a dispatcher. */
static __attribute__((noinline)) void process_main(void *argument) {
  process *self = argument;
  self->status = self->entry(self->context) & 0xff;
}

static bool give_resources(process *made, const process_options *options, const process *parent) {
  size_t name_size = strlen(options->name) + 1;
  made->name = kernel_malloc(name_size);
  if (made->name != NULL) memcpy(made->name, options->name, name_size);
  made->heap = heap_create();
  if (made->heap != NULL)
    made->memory = share(made->heap, options->borrows && parent != NULL ? parent->memory : NULL);
  made->coroutine =
      coroutine_create(process_main, made, options->stack == 0 ? PROCESS_STACK : options->stack);
  return made->name != NULL && made->memory != NULL && made->coroutine != NULL &&
         descriptors_inherit(made, parent) == 0;
}

process *process_create(run *owner, process *parent, const process_options *options) {
  process *made = kernel_malloc(sizeof *made);
  if (made == NULL) return NULL;
  *made = (process){.parent = parent,
                    .run = owner,
                    .entry = options->entry,
                    .context = options->context,
                    .deadline = INT64_MAX};
  if (!give_resources(made, options, parent)) {
    descriptors_close_all(made);
    coroutine_destroy(made->coroutine);
    if (made->memory != NULL)
      unshare(made->memory);
    else
      heap_destroy(made->heap);
    release(made);
    return NULL;
  }
  if (parent != NULL) made->ignored = parent->ignored;
  made->pid = ++last_pid;
  owner->live++;
  add_to_list(made);
  scheduler_add(made);
  return made;
}

int process_spawn(const process_options *options) {
  process *self = process_current();
  if (process_count >= PROCESS_MAX) return -EAGAIN;
  process *made = process_create(self->run, self, options);
  return made == NULL ? -ENOMEM : made->pid;
}

/* ---- death ---- */

static void reap(process *ended) {
  remove_from_list(ended);
  release(ended);
}

void process_leave_children(process *of) {
  process *next;
  for (process *at = all; at != NULL; at = next) {
    next = at->next;
    if (at->parent != of) continue;
    at->parent = NULL;
    if (at->state == PROCESS_ENDED) reap(at);
  }
}

void process_end(process *ended, int status) {
  scheduler_remove(ended);
  ended->state = PROCESS_ENDED;
  ended->status = status;
  calls_drop(ended);
  descriptors_close_all(ended);
  coroutine_destroy(ended->coroutine);
  unshare(ended->memory);
  ended->coroutine = NULL;
  ended->heap = NULL;
  ended->memory = NULL;
  process_leave_children(ended);
  runs_process_ended(ended);
  process *parent = ended->parent;
  if (parent == NULL) {
    reap(ended);
    return;
  }
  queue_wake_all(&parent->news);
  signal_send(parent, SIGNAL_CHLD);
}

_Noreturn void process_exit(int status) {
  process_current()->status = status & 0xff;
  coroutine_leave();
}

/* ---- waiting for children ---- */

int process_poll(int pid, int *status) {
  process *self = process_current();
  bool any = false;
  for (process *at = all; at != NULL; at = at->next) {
    if (at->parent != self || (pid > 0 && at->pid != pid)) continue;
    any = true;
    if (at->state != PROCESS_ENDED) continue;
    int found = at->pid;
    if (status != NULL) *status = at->status;
    reap(at);
    return found;
  }
  return any ? 0 : -ECHILD;
}

int process_wait(int pid, int *status) {
  for (;;) {
    int found = process_poll(pid, status);
    if (found != 0) return found;
    wake_reason why = process_block(&process_current()->news, INT64_MAX, WAIT_SIGNALS);
    if (why == WOKEN_BY_SIGNAL) {
      found = process_poll(pid, status); /* SIGNAL_CHLD comes with what it announces */
      return found != 0 ? found : -EINTR;
    }
  }
}

int process_wait_whole(int pid, int *status) {
  for (;;) {
    int found = process_poll(pid, status);
    if (found != 0) return found;
    process_block(&process_current()->news, INT64_MAX, 0);
  }
}

int process_sleep(int64_t ns) {
  int64_t now = kernel_now();
  int64_t until = ns >= INT64_MAX - now ? INT64_MAX - 1 : now + (ns < 0 ? 0 : ns);
  return process_block(NULL, until, WAIT_SIGNALS) == WOKEN_BY_SIGNAL ? -EINTR : 0;
}
