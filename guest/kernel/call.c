// SPDX-License-Identifier: MIT
/* call.c -- tool calls on their way. A process has a few in flight; `in_flight` bounds all of them.
 */
#include "call.h"

#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "outbox.h"

#define NAME_MAX_BYTES 256

typedef struct call {
  struct call *next; /* in flight: of all calls; answered: of its process */
  uint32_t id;
  process *process;
  bool as_event; /* begun by call_begin */
  bool answered, failed;
  char *json; /* in the process's heap; NULL when that had no room */
  size_t size;
} call;

static call *in_flight;
static uint32_t count;
static uint32_t last_id;

uint32_t calls_in_flight(void) {
  return count;
}

/* ---- out ---- */

static int refusal(size_t size) {
  const abi_limits *limits = kernel_limits();
  if (kernel_interrupted()) return -ECANCELED;
  if (size > limits->argument) return -E2BIG;
  if (count >= limits->in_flight) return -EAGAIN;
  return 0;
}

static bool send(uint32_t id, const char *name, const char *json, size_t size) {
  struct {
    uint32_t length;
    char name[NAME_MAX_BYTES];
  } head;
  head.length = (uint32_t)tools_canonical_name(name, head.name, sizeof head.name);
  return outbox_add(ABI_CALL, id, &head, sizeof head.length + head.length, json, size);
}

/* The new call, or NULL with *error set. */
static call *begin(const char *name, const char *json, size_t size, bool as_event, int *error) {
  *error = strlen(name) > NAME_MAX_BYTES ? -ENAMETOOLONG : refusal(size);
  if (*error != 0) return NULL;
  *error = -ENOMEM;
  call *begun = kernel_malloc(sizeof *begun);
  if (begun == NULL) return NULL;
  uint32_t id = last_id + 1;
  if (!send(id, name, json, size)) {
    kernel_free(begun);
    return NULL;
  }
  last_id = id;
  *begun = (call){.next = in_flight, .id = id, .process = process_current(), .as_event = as_event};
  in_flight = begun;
  count++;
  if (as_event) begun->process->in_flight++;
  return begun;
}

/* ---- back ---- */

static void take_out(call *removed) {
  for (call **at = &in_flight; *at != NULL; at = &(*at)->next) {
    if (*at != removed) continue;
    *at = removed->next;
    break;
  }
  count--;
  if (removed->as_event) removed->process->in_flight--;
}

static void queue_event(process *of, call *answered) {
  answered->next = NULL;
  if (of->answers_last == NULL)
    of->answers_first = answered;
  else
    of->answers_last->next = answered;
  of->answers_last = answered;
}

void call_answered(uint32_t id, bool failed, const void *json, size_t size) {
  call *found = in_flight;
  while (found != NULL && found->id != id) found = found->next;
  if (found == NULL) return;
  take_out(found);
  found->answered = true;
  found->failed = failed;
  found->json = heap_malloc(found->process->heap, size + 1);
  if (found->json != NULL) {
    memcpy(found->json, json, size);
    found->json[size] = 0;
    found->size = size;
  }
  if (found->as_event) queue_event(found->process, found);
  queue_wake_all(&found->process->news);
}

void calls_drop(process *of) {
  for (call **at = &in_flight; *at != NULL;) {
    call *dropped = *at;
    if (dropped->process != of) {
      at = &dropped->next;
      continue;
    }
    *at = dropped->next;
    count--;
    kernel_free(dropped);
  }
  while (of->answers_first != NULL) {
    call *dropped = of->answers_first;
    of->answers_first = dropped->next;
    kernel_free(dropped);
  }
  of->answers_last = NULL;
}

/* ---- for programs ---- */

int tool_call(const char *name, const char *json, size_t size, char **answer, size_t *answer_size) {
  int error;
  call *begun = begin(name, json, size, false, &error);
  if (begun == NULL) return error;
  while (!begun->answered) process_block(&process_current()->news, INT64_MAX, 0);
  *answer = begun->json;
  *answer_size = begun->size;
  int result = begun->json == NULL ? -ENOMEM : begun->failed;
  kernel_free(begun);
  return result;
}

int64_t call_begin(const char *name, const char *json, size_t size) {
  int error;
  call *begun = begin(name, json, size, true, &error);
  return begun == NULL ? error : (int64_t)begun->id;
}

static bool take_answer(process *self, process_event *event) {
  call *answered = self->answers_first;
  if (answered == NULL) return false;
  self->answers_first = answered->next;
  if (self->answers_first == NULL) self->answers_last = NULL;
  *event = (process_event){.kind = answered->failed ? EVENT_FAILURE : EVENT_ANSWER,
                           .id = answered->id,
                           .json = answered->json,
                           .size = answered->size};
  kernel_free(answered);
  return true;
}

/* 1 with the event, 0 when there is none yet, -EDEADLK when there never will be. */
static int poll_event(process *self, process_event *event, int64_t until) {
  if (take_answer(self, event)) return 1;
  int status = 0;
  int child = process_poll(-1, &status);
  if (child > 0) {
    *event = (process_event){.kind = EVENT_CHILD, .id = child, .status = status};
    return 1;
  }
  if (until != INT64_MAX && kernel_now() >= until) {
    *event = (process_event){.kind = EVENT_TIME};
    return 1;
  }
  return child == -ECHILD && until == INT64_MAX && self->in_flight == 0 ? -EDEADLK : 0;
}

int process_next_event(process_event *event, int64_t until) {
  process *self = process_current();
  for (;;) {
    int found = poll_event(self, event, until);
    if (self->run->ending) found = 0; /* to be told so below */
    if (found != 0) return found < 0 ? found : 0;
    wake_reason why = process_block(&self->news, until, WAIT_SIGNALS | WAIT_END);
    if (why == WOKEN_BY_END) return -ECANCELED;
    if (why == WOKEN_BY_SIGNAL) return -EINTR;
  }
}
