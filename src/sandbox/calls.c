// SPDX-License-Identifier: MIT
/* calls.c -- what becomes of a call: refused, asked about, or handed to the embedder; and answers. */
#include <stdlib.h>
#include <string.h>

#include "limits.h"
#include "sandbox/sandbox.h"

/* ---- what the program is told ---- */

typedef struct {
  const char *name; /* CapabilityError, ToolError */
  cloche_text message, code, tool, reason;
} failure;

static void send_failure(cloche_sandbox *box, uint32_t id, const failure *failed) {
  cloche__buffer json = {0};
  cloche__buffer_byte(&json, '{');
  cloche__json_write_key("name", &json);
  cloche__json_write_string(cloche__text(failed->name), &json);
  cloche__json_write_key("message", &json);
  cloche__json_write_string(failed->message, &json);
  if (failed->code.len > 0) {
    cloche__json_write_key("code", &json);
    cloche__json_write_string(failed->code, &json);
  }
  if (failed->tool.len > 0) {
    cloche__json_write_key("tool", &json);
    cloche__json_write_string(failed->tool, &json);
  }
  cloche__buffer_byte(&json, '}');
  cloche__inbox_add(&box->inbox, ABI_FAILURE, id, json.at, json.len);
  if (json.failed) box->inbox.failed = true;
  cloche__buffer_free(&json);
}

static void refuse(cloche_sandbox *box, uint32_t id, cloche_text tool, const char *code,
                   const char *message) {
  box->usage.denied++;
  send_failure(box, id, &(failure){.name = "CapabilityError",
                                   .message = cloche__text(message),
                                   .code = cloche__text(code),
                                   .tool = tool});
}

/* ---- the table of calls ---- */

static cloche__call *find(cloche_sandbox *box, uint64_t id) {
  size_t low = 0, high = box->call_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (box->calls[middle].id < id) low = middle + 1;
    else high = middle;
  }
  return low < box->call_count && box->calls[low].id == id ? &box->calls[low] : NULL;
}

static void forget(cloche_sandbox *box, cloche__call *call) {
  free((void *)call->method.at);
  size_t after = (size_t)(&box->calls[box->call_count] - (call + 1));
  memmove(call, call + 1, after * sizeof *call);
  box->call_count--;
}

void cloche__calls_forget(cloche_sandbox *box) {
  box->cancelled_calls += box->call_count;
  while (box->call_count > 0) {
    cloche__call *last = &box->calls[box->call_count - 1];
    if (last->announced)
      cloche__queue_add(box, (cloche__item){.kind = CLOCHE_CALL_CANCELLED, .call = last->id});
    forget(box, last);
  }
}

/* Copies what lasts until the answer. */
static bool add(cloche_sandbox *box, uint32_t id, cloche_text method, cloche_text params) {
  if (box->call_count == box->call_capacity) {
    size_t capacity = box->call_capacity * 2 + 8;
    cloche__call *grown = realloc(box->calls, capacity * sizeof *grown);
    if (grown == NULL) return false;
    box->calls = grown;
    box->call_capacity = capacity;
  }
  char *copy = malloc(method.len + params.len + 1);
  if (copy == NULL) return false;
  memcpy(copy, method.at, method.len);
  memcpy(copy + method.len, params.at, params.len);
  box->calls[box->call_count++] =
      (cloche__call){.id = id,
                     .method = {copy, method.len},
                     .params = {copy + method.len, params.len}};
  return true;
}

/* ---- a call comes ---- */

static void decide(cloche_sandbox *box, uint32_t id, cloche_text method, cloche_text params) {
  if (box->policy == NULL) {
    refuse(box, id, method, "denied", "no policy allows this call");
    return;
  }
  if (!add(box, id, method, params) ||
      !cloche__queue_add(box, (cloche__item){.kind = CLOCHE_CALL, .call = id}))
    cloche__sandbox_abandon(box, CLOCHE_END_INTERNAL, "the host has no memory left");
}

void cloche__call_made(cloche_sandbox *box, uint32_t id, const uint8_t *bytes, uint32_t size) {
  uint32_t length;
  bool sound = id > box->last_call && size >= sizeof length;
  if (sound) memcpy(&length, bytes, sizeof length);
  if (!sound || length > size - sizeof length || length > CLOCHE__METHOD_BYTES) {
    cloche__sandbox_abandon(box, CLOCHE_END_TRAP, "the guest made a call without sense");
    return;
  }
  box->last_call = id;
  if (box->stopping != CLOCHE_END_DONE) return; /* nothing is done for a run that is ending */
  cloche_text method = {(const char *)bytes + sizeof length, length};
  cloche_text params = {method.at + length, size - sizeof length - length};
  box->usage.calls++;
  if (box->usage.calls > box->limits.calls)
    refuse(box, id, method, "limit.calls", "the run has made as many calls as it may");
  else if (box->call_count >= box->limits.in_flight)
    refuse(box, id, method, "limit.in_flight", "as many calls as may be in flight at once already are");
  else if (params.len > box->limits.argument)
    refuse(box, id, method, "limit.argument", "the argument is larger than it may be");
  else
    decide(box, id, method, params);
}

/* ---- an answer comes ---- */

static cloche__call *waiting(cloche_sandbox *box, uint64_t id, bool asked) {
  cloche__call *call = box->active && !box->ended ? find(box, id) : NULL;
  return call != NULL && call->asked == asked ? call : NULL;
}

cloche_status cloche_resolve(cloche_sandbox *box, uint64_t id, cloche_text json) {
  cloche__call *call = waiting(box, id, false);
  if (call == NULL) return CLOCHE_E_UNKNOWN;
  if (json.len > box->limits.result) {
    send_failure(box, call->id, &(failure){.name = "ToolError",
                                           .message = cloche__text("the tool's result is larger than it may be"),
                                           .code = cloche__text("limit.result"),
                                           .tool = call->method});
    forget(box, call);
    return CLOCHE_E_LIMIT;
  }
  cloche__json_doc doc;
  cloche__json_limits limits = {.depth = CLOCHE__JSON_DEPTH_MAX};
  cloche_status status = cloche__json_parse(json, &limits, &doc, NULL);
  if (status != CLOCHE_OK) return status == CLOCHE_E_MEMORY ? status : CLOCHE_E_JSON;
  cloche__json_free(&doc);
  cloche__inbox_add(&box->inbox, ABI_RESULT, call->id, json.at, json.len);
  forget(box, call);
  return CLOCHE_OK;
}

cloche_status cloche_reject(cloche_sandbox *box, uint64_t id, const cloche_failure *failed) {
  cloche__call *call = waiting(box, id, false);
  if (call == NULL) return CLOCHE_E_UNKNOWN;
  send_failure(box, call->id, &(failure){.name = "ToolError",
                                         .message = failed->message,
                                         .code = failed->code,
                                         .tool = call->method});
  forget(box, call);
  return CLOCHE_OK;
}

cloche_status cloche_approve(cloche_sandbox *box, uint64_t id) {
  cloche__call *call = waiting(box, id, true);
  if (call == NULL) return CLOCHE_E_UNKNOWN;
  if (!cloche__queue_add(box, (cloche__item){.kind = CLOCHE_CALL, .call = call->id}))
    return CLOCHE_E_MEMORY;
  call->asked = false;
  return CLOCHE_OK;
}

cloche_status cloche_deny(cloche_sandbox *box, uint64_t id, cloche_text reason) {
  cloche__call *call = waiting(box, id, true);
  if (call == NULL) return CLOCHE_E_UNKNOWN;
  box->usage.denied++;
  send_failure(box, call->id, &(failure){.name = "CapabilityError",
                                         .message = reason,
                                         .code = cloche__text("approval.denied"),
                                         .tool = call->method});
  forget(box, call);
  return CLOCHE_OK;
}
