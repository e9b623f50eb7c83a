// SPDX-License-Identifier: MIT
/* output.c -- text mode. The object of --json is in output_json.c. */
#include "cli/output.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#include "cli/changes.h"
#include "cli/cli.h"
#include "cli/files.h"
#include "cli/output_json.h"
#include "cli/progress.h"
#include "json/json.h"

static void put(cloche__output *output, int stream, cloche_text bytes) {
  if (output->broken && stream == STDOUT_FILENO) return;
  cloche__progress_clear();
  if (cloche__write_all(stream, bytes) || stream != STDOUT_FILENO) return;
  output->broken = true;
  output->why = errno;
}

void cloche__output_bytes(cloche__output *output, int stream, cloche_text bytes) {
  if (output->json)
    cloche__buffer_text(stream == STDOUT_FILENO ? &output->out : &output->err, bytes);
  else
    put(output, stream, bytes);
}

/* A string is printed as it is, other data as JSON; a line either way. */
static void put_value(cloche__output *output, const cloche_result *result) {
  cloche__json_doc doc = {0};
  cloche_text text = result->text.len > 0 ? result->text : result->value;
  bool string = result->text.len == 0 && text.len > 0 && text.at[0] == '"' &&
                cloche__json_parse(text, NULL, &doc, NULL) == CLOCHE_OK;
  if (string) text = cloche__json_text(&doc.root);
  if (result->value.len > 0 || result->text.len > 0) {
    put(output, STDOUT_FILENO, text);
    if (text.len == 0 || text.at[text.len - 1] != '\n')
      put(output, STDOUT_FILENO, cloche__text("\n"));
  }
  cloche__json_free(&doc);
}

/* What to do about an end that a limit brought. */
static const char *advice(cloche_end end) {
  switch (end) {
    case CLOCHE_END_LIMIT_FUEL:
      return " (--fuel)";
    case CLOCHE_END_LIMIT_TIME:
      return " (--timeout, --total-timeout)";
    case CLOCHE_END_LIMIT_MEMORY:
      return " (--memory)";
    case CLOCHE_END_LIMIT_STACK:
      return " (--stack)";
    case CLOCHE_END_LIMIT_OUTPUT:
      return " (--output)";
    default:
      return "";
  }
}

static void add_place(cloche__buffer *text, const cloche__output *output,
                      const cloche_result *result) {
  if (result->line == 0) return;
  cloche__buffer_format(text, "    at %s:%" PRIu64 ":%" PRIu64 "\n", output->file, result->line,
                        result->column);
}

/* "Name: message" and where, as people know it from other engines. */
static void put_error(cloche__output *output, const cloche_result *result) {
  cloche__buffer text = {0};
  cloche__buffer_text(&text, result->error_name);
  if (result->error_name.len > 0 && result->error_message.len > 0)
    cloche__buffer_string(&text, ": ");
  cloche__buffer_text(&text, result->error_message);
  cloche__buffer_byte(&text, '\n');
  if (result->error_stack.len > 0) {
    cloche__buffer_text(&text, result->error_stack);
    if (text.at[text.len - 1] != '\n') cloche__buffer_byte(&text, '\n');
  } else {
    add_place(&text, output, result);
  }
  put(output, STDERR_FILENO, cloche__buffer_view(&text));
  cloche__buffer_free(&text);
}

static void put_ending(cloche__output *output, const cloche_result *result) {
  if (result->end == CLOCHE_END_DONE) {
    put_value(output, result);
  } else if (result->end == CLOCHE_END_EXCEPTION || result->end == CLOCHE_END_SYNTAX) {
    put_error(output, result);
  } else {
    cloche__complain("%s: %.*s%s%s", cloche_end_text(result->end), (int)result->error_message.len,
                     result->error_message.at, advice(result->end),
                     result->rolled_back ? "; what this run wrote is undone" : "");
  }
}

void cloche__output_result(cloche__output *output, const cloche_result *result,
                           const cloche_change *changes, size_t count) {
  if (output->json) {
    cloche__buffer text = {0};
    cloche__output_json(output, result, changes, count, &text);
    if (text.failed)
      cloche__complain("there is no memory for the result");
    else
      put(output, STDOUT_FILENO, cloche__buffer_view(&text));
    cloche__buffer_free(&text);
    return;
  }
  put_ending(output, result);
  cloche__changes_print(changes, count, output->diff || isatty(STDERR_FILENO));
  if (result->usage.output_dropped > 0)
    cloche__complain("the output is cut: %" PRIu64 " of %" PRIu64 " bytes were dropped (--output)",
                     result->usage.output_dropped, result->usage.output);
  if (result->cancelled > 0)
    cloche__complain("%zu call%s still under way when the run ended, and cancelled",
                     result->cancelled, result->cancelled == 1 ? " was" : "s were");
}

void cloche__output_free(cloche__output *output) {
  cloche__buffer_free(&output->out);
  cloche__buffer_free(&output->err);
}
