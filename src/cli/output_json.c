// SPDX-License-Identifier: MIT
/* output_json.c -- every field is always there, null where there is nothing to say, so that a
 * script can rely on the shape. docs/cli.md is its reference. */
#include "cli/output_json.h"

#include <inttypes.h>
#include <string.h>

#include "cli/changes.h"
#include "json/json.h"

static void add_text(cloche__buffer *text, const char *key, cloche_text value) {
  cloche__json_write_key(key, text);
  cloche__json_write_string(value, text);
}

static void add_number(cloche__buffer *text, const char *key, uint64_t value) {
  cloche__json_write_key(key, text);
  cloche__buffer_format(text, "%" PRIu64, value);
}

static void add_raw(cloche__buffer *text, const char *key, cloche_text json) {
  cloche__json_write_key(key, text);
  if (json.len > 0)
    cloche__buffer_text(text, json);
  else
    cloche__buffer_string(text, "null");
}

/* Milliseconds with three digits, whatever the locale says about commas. */
static void add_ms(cloche__buffer *text, const char *key, int64_t ns) {
  cloche__json_write_key(key, text);
  cloche__buffer_format(text, "%" PRId64 ".%03d", ns / 1000000, (int)(ns / 1000 % 1000));
}

static void add_place(cloche__buffer *text, const char *key, uint64_t place) {
  if (place != 0)
    add_number(text, key, place);
  else
    add_raw(text, key, (cloche_text){NULL, 0});
}

static void add_error(cloche__buffer *text, const cloche_result *result) {
  if (result->end == CLOCHE_END_DONE || result->end == CLOCHE_END_SUSPENDED) {
    add_raw(text, "error", (cloche_text){NULL, 0});
    return;
  }
  cloche__json_write_key("error", text);
  cloche__buffer_byte(text, '{');
  add_text(text, "kind", cloche__text(cloche_end_text(result->end)));
  add_text(text, "name", result->error_name);
  add_text(text, "message", result->error_message);
  add_place(text, "line", result->line);
  add_place(text, "column", result->column);
  add_text(text, "stack", result->error_stack);
  add_raw(text, "inner", result->error_inner.len > 0 ? result->error_inner : cloche__text("[]"));
  cloche__buffer_byte(text, '}');
}

static void add_usage(cloche__buffer *text, const cloche_usage *usage) {
  cloche__json_write_key("usage", text);
  cloche__buffer_byte(text, '{');
  add_number(text, "fuel", usage->fuel);
  add_ms(text, "wall_ms", usage->wall);
  add_ms(text, "waiting_ms", usage->waiting);
  add_number(text, "memory_bytes", usage->memory);
  add_number(text, "image_bytes", usage->image);
  add_number(text, "calls", usage->calls);
  add_number(text, "denied", usage->denied);
  add_number(text, "output_bytes", usage->output);
  add_number(text, "output_dropped_bytes", usage->output_dropped);
  cloche__buffer_byte(text, '}');
}

void cloche__output_json(const cloche__output *output, const cloche_result *result,
                         const cloche_change *changes, size_t count, cloche__buffer *text) {
  bool ok = result->end == CLOCHE_END_DONE && result->status == 0;
  cloche__buffer_byte(text, '{');
  add_text(text, "end", cloche__text(cloche_end_text(result->end)));
  add_raw(text, "ok", cloche__text(ok ? "true" : "false"));
  add_raw(text, "value", result->value);
  if (output->language == CLOCHE_SHELL) add_number(text, "status", (uint64_t)result->status);
  add_text(text, "stdout", cloche__buffer_view(&output->out));
  add_text(text, "stderr", cloche__buffer_view(&output->err));
  add_error(text, result);
  cloche__json_write_key("pending", text);
  if (output->pending != NULL)
    cloche__json_write(output->pending, text);
  else
    cloche__buffer_string(text, "[]");
  if (output->snapshot != NULL)
    add_text(text, "snapshot", cloche__text(output->snapshot));
  else
    add_raw(text, "snapshot", (cloche_text){NULL, 0});
  add_raw(text, "plan", output->plan);
  cloche__json_write_key("files", text);
  cloche__changes_json(changes, count, text);
  add_number(text, "cancelled", result->cancelled);
  add_usage(text, &result->usage);
  cloche__buffer_string(text, "}\n");
  if (output->out.failed || output->err.failed) text->failed = true;
}
