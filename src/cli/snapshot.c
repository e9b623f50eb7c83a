// SPDX-License-Identifier: MIT
/* snapshot.c -- cloche snapshot info: what is in a snapshot, and what it waits for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/snapshots.h"

static cloche_text text_of(const cloche__json *object, const char *key) {
  const cloche__json *value = cloche__json_get(object, key);
  bool has_text =
      value != NULL && (value->kind == CLOCHE__JSON_STRING || value->kind == CLOCHE__JSON_NUMBER);
  return has_text ? cloche__json_text(value) : cloche__text("");
}

static bool is_true(const cloche__json *object, const char *key) {
  const cloche__json *value = cloche__json_get(object, key);
  return value != NULL && value->kind == CLOCHE__JSON_BOOLEAN && value->boolean;
}

static void print_pending(const cloche__json *call) {
  cloche__buffer line = {0};
  bool asks = cloche__json_is(cloche__json_get(call, "kind"), "approval");
  cloche_text reason = text_of(call, "reason");
  cloche__buffer_string(&line, asks ? "  waits for approval: " : "  waits for its answer: ");
  cloche__buffer_text(&line, text_of(call, "id"));
  cloche__buffer_byte(&line, ' ');
  cloche__buffer_text(&line, text_of(call, "method"));
  cloche__buffer_byte(&line, ' ');
  cloche__json_write(cloche__json_get(call, "params"), &line);
  cloche__buffer_byte(&line, '\n');
  if (reason.len > 0) {
    cloche__buffer_string(&line, "    ");
    cloche__buffer_text(&line, reason);
    cloche__buffer_byte(&line, '\n');
  }
  if (!line.failed) fwrite(line.at, 1, line.len, stdout);
  cloche__buffer_free(&line);
}

static void print_text(const cloche__json *info) {
  cloche_text engine = text_of(info, "engine"), image = text_of(info, "image");
  cloche_text bytes = text_of(info, "bytes"), saved = text_of(info, "saved_at");
  bool sealed = is_true(info, "sealed");
  const cloche__json *pending = cloche__json_get(info, "pending");
  printf("snapshot by cloche %.*s, image %.16s..., %.*s bytes%s\n", (int)engine.len, engine.at,
         image.at, (int)bytes.len, bytes.at, sealed ? ", sealed" : "");
  if (pending == NULL) {
    puts("  what it holds can be seen with its key only");
    return;
  }
  printf("  saved at %.*s\n", (int)saved.len, saved.at);
  for (size_t i = 0; i < pending->count; i++) print_pending(&pending->items[i]);
  if (is_true(info, "unaccounted"))
    puts("  its budgets are counted in this file alone: resumed twice, they are spent twice");
}

static int info(const cloche__settings *settings, const char *path) {
  uint8_t key[32];
  cloche_snapshot_options opening;
  cloche__buffer bytes = {0};
  cloche__json_doc doc = {0};
  char *json = NULL;
  size_t len = 0;
  bool own;
  if (!cloche__snapshot_opening(settings, key, &opening) ||
      !cloche__snapshot_read(path, &bytes, &own))
    return CLOCHE__EXIT_USAGE;
  cloche_status status = cloche_snapshot_info(cloche__buffer_view(&bytes), &opening, &json, &len);
  cloche_text text = {json, len};
  if (status != CLOCHE_OK) {
    cloche__snapshot_complain(path, status);
  } else if (settings->json) {
    printf("%.*s\n", (int)len, json);
  } else if (cloche__json_parse(text, NULL, &doc, NULL) == CLOCHE_OK) {
    print_text(&doc.root);
  }
  free(json);
  cloche__json_free(&doc);
  cloche__buffer_free(&bytes);
  return status == CLOCHE_OK ? CLOCHE__EXIT_DONE : CLOCHE__EXIT_FAILED;
}

static int snapshot_main(const cloche__command *command, int argc, char **argv) {
  cloche__settings settings;
  int status;
  if (!cloche__options_read(command, CLOCHE__FOR_SNAPSHOT, argc, argv, &settings, &status))
    return status;
  if (settings.rest_count == 2 && strcmp(settings.rest[0], "info") == 0)
    return info(&settings, settings.rest[1]);
  cloche__complain("cloche snapshot info FILE is what there is; see cloche snapshot --help");
  return CLOCHE__EXIT_USAGE;
}

const cloche__command cloche__snapshot_command = {
    .name = "snapshot",
    .arguments = "info FILE [--json] [--key FILE]",
    .summary = "Says what a saved program is and what it waits for.",
    .main = snapshot_main,
};
