// SPDX-License-Identifier: MIT
/* scheduler.c -- who runs next.
 *
 * Ready processes go round robin. Those with a deadline are in a list sorted by it; it is seldom
 * longer than ten. */
#include "process.h"

#include "heap.h"

static process *current;
static process *ready_first, *ready_last;
static process *sleepers; /* linked by sleep_next, earliest first */

process *process_current(void) {
  return current;
}

/* ---- queues ---- */

static void make_ready(process *woken) {
  woken->state = PROCESS_READY;
  woken->ready_next = NULL;
  if (ready_last == NULL)
    ready_first = woken;
  else
    ready_last->ready_next = woken;
  ready_last = woken;
}

static void enqueue(wait_queue *queue, process *waiting) {
  waiting->queue = queue;
  waiting->queue_next = NULL;
  if (queue->last == NULL)
    queue->first = waiting;
  else
    queue->last->queue_next = waiting;
  queue->last = waiting;
}

static void dequeue(process *waiting) {
  wait_queue *queue = waiting->queue;
  if (queue == NULL) return;
  process *before = NULL;
  for (process **at = &queue->first; *at != NULL; at = &(*at)->queue_next) {
    if (*at == waiting) {
      *at = waiting->queue_next;
      if (queue->last == waiting) queue->last = before;
      break;
    }
    before = *at;
  }
  waiting->queue = NULL;
}

static void sleep_until(process *waiting, int64_t deadline) {
  waiting->deadline = deadline;
  if (deadline == INT64_MAX) return;
  process **at = &sleepers;
  while (*at != NULL && (*at)->deadline <= deadline) at = &(*at)->sleep_next;
  waiting->sleep_next = *at;
  *at = waiting;
}

static void stop_sleeping(process *waiting) {
  if (waiting->deadline == INT64_MAX) return;
  for (process **at = &sleepers; *at != NULL; at = &(*at)->sleep_next) {
    if (*at != waiting) continue;
    *at = waiting->sleep_next;
    break;
  }
  waiting->deadline = INT64_MAX;
}

int64_t scheduler_next_deadline(void) {
  return sleepers == NULL ? INT64_MAX : sleepers->deadline;
}

/* ---- waiting and waking ---- */

void process_wake(process *woken, wake_reason why) {
  if (woken->state != PROCESS_WAITING) return;
  dequeue(woken);
  stop_sleeping(woken);
  woken->woken = why;
  make_ready(woken);
}

void queue_wake_all(wait_queue *queue) {
  while (queue->first != NULL) process_wake(queue->first, WOKEN);
}

void scheduler_add(process *added) {
  make_ready(added);
}

void scheduler_remove(process *removed) {
  dequeue(removed);
  stop_sleeping(removed);
  process *before = NULL;
  for (process **at = &ready_first; *at != NULL; at = &(*at)->ready_next) {
    if (*at == removed) {
      *at = removed->ready_next;
      if (ready_last == removed) ready_last = before;
      break;
    }
    before = *at;
  }
}

void process_continue(process *stopped) {
  stopped->stopped = false;
  if (stopped->state == PROCESS_STOPPED) make_ready(stopped);
}

/* A run that is ending leaves a process one wait with WAIT_END, which returns at once. */
static bool must_not_wait(process *self, unsigned flags) {
  if (!self->run->ending) return false;
  if (flags & WAIT_END && !self->told_end) return self->told_end = true;
  if (self->killed_by == 0) self->killed_by = SIGNAL_KILL;
  return false;
}

wake_reason process_block(wait_queue *queue, int64_t deadline, unsigned flags) {
  process *self = current;
  self->wait_flags = flags;
  if (must_not_wait(self, flags)) return WOKEN_BY_END;
  if (flags & WAIT_SIGNALS && self->pending != 0) return WOKEN_BY_SIGNAL;
  self->state = PROCESS_WAITING;
  if (queue != NULL) enqueue(queue, self);
  sleep_until(self, deadline);
  coroutine_suspend();
  return self->woken;
}

void process_yield(void) {
  if (current->run->ending && current->killed_by == 0) current->killed_by = SIGNAL_KILL;
  make_ready(current);
  coroutine_suspend();
}

/* ---- the loop ---- */

static void wake_sleepers(void) {
  if (sleepers == NULL) return;
  int64_t now = kernel_now();
  while (sleepers != NULL && sleepers->deadline <= now) process_wake(sleepers, WOKEN_BY_TIME);
}

static void run_one(process *next) {
  if (next->killed_by != 0) {
    process_end(next, 128 + next->killed_by);
    return;
  }
  current = next;
  heap_enter(next->heap);
  bool alive = coroutine_resume(next->coroutine);
  heap_enter(NULL);
  current = NULL;
  if (!alive)
    process_end(next, next->status);
  else if (next->killed_by != 0)
    process_end(next, 128 + next->killed_by);
}

void scheduler_run(void) {
  for (;;) {
    wake_sleepers();
    runs_check();
    process *next = ready_first;
    if (next == NULL && runs_unlock()) continue;
    if (next == NULL) return;
    ready_first = next->ready_next;
    if (ready_first == NULL) ready_last = NULL;
    if (next->stopped && next->killed_by == 0)
      next->state = PROCESS_STOPPED;
    else
      run_one(next);
  }
}
