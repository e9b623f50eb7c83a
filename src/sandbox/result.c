// SPDX-License-Identifier: MIT
/* result.c -- how a run ended: what the guest says of it, and what the host knows better. */
#include <string.h>

#include "limits.h"
#include "sandbox/sandbox.h"

static const char *const end_texts[] = {
#define X(name, text) [CLOCHE_END_##name] = text,
    CLOCHE_ENDS(X)
#undef X
};

const char *cloche_end_text(cloche_end end) {
  return (size_t)end < sizeof end_texts / sizeof *end_texts ? end_texts[end] : "unknown";
}

/* Ends that a guest may claim. All others are the host's to say. */
static bool end_of(const cloche__json *word, cloche_end *end) {
  static const cloche_end claimed[] = {CLOCHE_END_DONE, CLOCHE_END_EXCEPTION, CLOCHE_END_SYNTAX,
                                       CLOCHE_END_LIMIT_MEMORY, CLOCHE_END_LIMIT_STACK};
  for (size_t i = 0; word != NULL && i < sizeof claimed / sizeof *claimed; i++)
    if (cloche__json_is(word, end_texts[claimed[i]])) {
      *end = claimed[i];
      return true;
    }
  return false;
}

static cloche_text keep(cloche_sandbox *box, cloche_text text) {
  cloche__buffer_text(&box->result_bytes, text);
  return (cloche_text){NULL, text.len}; /* placed by `settle`, once the buffer has stopped moving */
}

static cloche_text keep_string(cloche_sandbox *box, const cloche__json *value) {
  if (value == NULL || value->kind != CLOCHE__JSON_STRING) return (cloche_text){NULL, 0};
  return keep(box, cloche__json_text(value));
}

static void mark_ended(cloche_sandbox *box) {
  box->ended = true;
  cloche__sandbox_grace(box);
}

/* The texts lie in result_bytes one after another, in this order. */
static void settle(cloche_sandbox *box) {
  cloche_result *result = &box->result;
  cloche_text *texts[] = {&result->value,         &result->text,        &result->error_name,
                          &result->error_message, &result->error_stack, &result->error_inner};
  const char *at = box->result_bytes.at; /* NULL: there has been no text at all */
  for (size_t i = 0; at != NULL && i < sizeof texts / sizeof *texts; i++) {
    texts[i]->at = at;
    at += texts[i]->len;
  }
  mark_ended(box);
}

static void begin(cloche_sandbox *box, cloche_end end) {
  cloche__buffer_clear(&box->result_bytes);
  box->result = (cloche_result){.end = end};
}

void cloche__result_set(cloche_sandbox *box, cloche_end end, const char *name,
                        const char *message) {
  begin(box, end);
  box->result.status = 1;
  box->result.error_name = keep(box, cloche__text(name));
  box->result.error_message = keep(box, cloche__text(message));
  if (box->result_bytes.failed) begin(box, CLOCHE_END_INTERNAL);
  settle(box);
}

/* `value`, written anew as JSON. */
static cloche_text keep_json(cloche_sandbox *box, const cloche__json *value) {
  size_t start = box->result_bytes.len;
  if (value != NULL) cloche__json_write(value, &box->result_bytes);
  return (cloche_text){NULL, box->result_bytes.len - start};
}

static void read_error(cloche_sandbox *box, const cloche__json *error) {
  cloche_result *result = &box->result;
  result->error_name = keep_string(box, cloche__json_get(error, "name"));
  result->error_message = keep_string(box, cloche__json_get(error, "message"));
  result->error_stack = keep_string(box, cloche__json_get(error, "stack"));
  const cloche__json *inner = cloche__json_get(error, "inner");
  bool has_inner = inner != NULL && inner->kind == CLOCHE__JSON_ARRAY && inner->count > 0;
  result->error_inner = keep_json(box, has_inner ? inner : NULL);
  cloche__json_uint64(cloche__json_get(error, "line"), &result->line);
  cloche__json_uint64(cloche__json_get(error, "column"), &result->column);
}

void cloche__result_read(cloche_sandbox *box, const uint8_t *bytes, uint32_t size) {
  if (box->stopping != CLOCHE_END_DONE) { /* the host ended it; what the guest says is no news */
    mark_ended(box);
    return;
  }
  cloche__json_limits limits = {.depth = CLOCHE__JSON_DEPTH_MAX, .bytes = box->limits.result};
  cloche__json_doc doc = {0};
  cloche__json_error error;
  cloche_status status =
      cloche__json_parse((cloche_text){(const char *)bytes, size}, &limits, &doc, &error);
  if (status == CLOCHE_E_LIMIT) {
    cloche__result_set(box, CLOCHE_END_EXCEPTION, "RangeError",
                       "the program's value is larger or deeper than limits allow");
    return;
  }
  cloche_end end;
  if (status != CLOCHE_OK || !end_of(cloche__json_get(&doc.root, "end"), &end)) {
    cloche__json_free(&doc);
    cloche__sandbox_abandon(box, CLOCHE_END_TRAP, "the guest's last message makes no sense");
    return;
  }
  if (end == CLOCHE_END_SYNTAX && box->memory_refused) {
    /* The parser has no words for it: it complains of whatever it did not get read. */
    cloche__json_free(&doc);
    cloche__result_set(box, CLOCHE_END_LIMIT_MEMORY, "InternalError", "out of memory");
    return;
  }
  begin(box, end);
  int64_t exit_status = end == CLOCHE_END_DONE ? 0 : 1;
  cloche__json_int64(cloche__json_get(&doc.root, "status"), &exit_status);
  box->result.status = (int)(exit_status & 255);
  box->result.value = keep_json(box, cloche__json_get(&doc.root, "value"));
  box->result.text = keep_string(box, cloche__json_get(&doc.root, "text"));
  read_error(box, cloche__json_get(&doc.root, "error"));
  cloche__json_free(&doc);
  if (box->result_bytes.failed) begin(box, CLOCHE_END_INTERNAL);
  settle(box);
}
