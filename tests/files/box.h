// SPDX-License-Identifier: MIT
/* box.h -- what the tests of this folder share: a sandbox with the real guest. */
#ifndef TESTS_FILES_BOX_H
#define TESTS_FILES_BOX_H

#include "cloche.h"
#include "test.h"

static cloche_engine *engine;

static inline cloche_text text(const char *string) {
  return (cloche_text){string, strlen(string)};
}

static inline cloche_sandbox *make_box(cloche_limits limits) {
  cloche_engine_options one = {.idle_slots = 1};
  if (engine == NULL) CHECK_EQ(cloche_engine_new(&one, &engine), CLOCHE_OK);
  cloche_sandbox_options options = {.limits = limits};
  cloche_sandbox *box = NULL;
  CHECK_EQ(cloche_sandbox_new(engine, &options, &box), CLOCHE_OK);
  return box;
}

static inline const cloche_result *run_as(cloche_sandbox *box, cloche_language language,
                                          const char *program) {
  cloche_program p = {.language = language, .text = text(program)};
  CHECK_EQ(cloche_exec(box, &p), CLOCHE_OK);
  cloche_event event = {0};
  while (event.kind != CLOCHE_DONE) {
    CHECK_EQ(cloche_step(box, &event), CLOCHE_OK);
    if (event.kind == CLOCHE_OUTPUT && event.stream == 2)
      fprintf(stderr, "%.*s", (int)event.bytes.len, event.bytes.at);
  }
  return cloche_sandbox_result(box);
}

/* A JavaScript program that has to end well; its value, as JSON. */
static inline const char *js(cloche_sandbox *box, const char *program) {
  static char value[1 << 16];
  const cloche_result *result = run_as(box, CLOCHE_JAVASCRIPT, program);
  if (result->end != CLOCHE_END_DONE)
    fprintf(stderr, "  %.*s\n", (int)result->error_message.len, result->error_message.at);
  CHECK_EQ(result->end, CLOCHE_END_DONE);
  snprintf(value, sizeof value, "%.*s", (int)result->value.len, result->value.at);
  return value;
}

static inline void put(cloche_sandbox *box, const char *path, const char *content) {
  CHECK_EQ(cloche_file_put(box, text(path), text(content)), CLOCHE_OK);
}

/* NUL-terminated; "(errno N)" when it cannot be had. */
static inline const char *get(cloche_sandbox *box, const char *path) {
  static char content[1 << 16];
  char *bytes;
  size_t len;
  cloche_status status = cloche_file_get(box, text(path), &bytes, &len);
  if (status != CLOCHE_OK) {
    snprintf(content, sizeof content, "(%s %d)", status == CLOCHE_E_FILE ? "errno" : "status",
             status == CLOCHE_E_FILE ? cloche_file_errno(box) : (int)status);
    return content;
  }
  CHECK(len < sizeof content);
  memcpy(content, bytes, len);
  content[len] = '\0';
  free(bytes);
  return content;
}

/* "+ /a 5, ~ /b 5 (3), - /c 5": what the last run changed, without what is in folders that are new.
 */
static inline const char *changes(cloche_sandbox *box) {
  static char list[1 << 16];
  const cloche_change *change;
  size_t count, at = 0;
  CHECK_EQ(cloche_sandbox_changes(box, &change, &count), CLOCHE_OK);
  list[0] = '\0';
  for (size_t i = 0; i < count && at < sizeof list - 5000; i++, change++) {
    at += (size_t)sprintf(list + at, "%s%c %.*s%s %llu", i == 0 ? "" : ", ", " +~-"[change->change],
                          (int)change -> path.len, change->path.at,
                          change->kind == CLOCHE_FOLDER ? "/"
                          : change->kind == CLOCHE_LINK ? "@"
                                                        : "",
                          (unsigned long long)change->size);
    if (change->change == CLOCHE_MODIFIED)
      at += (size_t)sprintf(list + at, " (%llu)", (unsigned long long)change->was);
  }
  return list;
}

static inline void end_box(cloche_sandbox *box) {
  cloche_sandbox_free(box);
  cloche_engine_free(engine);
  engine = NULL;
}

#endif
