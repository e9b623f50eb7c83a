// SPDX-License-Identifier: MIT
/* hostile.c -- runs programs that want to go on, and uses the sandbox of each afterwards.
 *
 *   hostile [-v] [--timeout MS] [--late MS] [--worker CLOCHE] [--memory KIB]... FILE...
 *
 * A file that ends in .sh is a shell program, any other JavaScript. Each runs under every memory
 * limit (64 MiB), in this process or with --worker in a jail. It has to end within 10 ms (--late)
 * of its time limit as done, as an error or as a limit: never as a trap or an error of ours. Then
 * `return 1+1` in the same sandbox has to give 2. Machines are busy now and then, so the best of
 * five counts for time. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cloche.h"

enum { ATTEMPTS = 5, MEMORIES = 16 };

static int64_t timeout = 300000000, allowed_late = 10000000;
static cloche_engine *engine;
static cloche_policy *policy;
static bool verbose;

typedef struct {
  cloche_end end;
  int64_t late;
  uint64_t memory;
  char message[160];
} outcome;

static bool ends_well(cloche_end end) {
  return end == CLOCHE_END_DONE || end == CLOCHE_END_EXCEPTION || end == CLOCHE_END_SYNTAX ||
         end == CLOCHE_END_LIMIT_TIME || end == CLOCHE_END_LIMIT_MEMORY ||
         end == CLOCHE_END_LIMIT_STACK;
}

static const cloche_result *run(cloche_sandbox *box, cloche_text text, cloche_language language) {
  cloche_program program = {.text = text, .language = language};
  cloche_event event = {0};
  if (cloche_exec(box, &program) != CLOCHE_OK) return NULL;
  while (event.kind != CLOCHE_DONE) {
    if (cloche_step(box, &event) != CLOCHE_OK) return NULL;
    if (event.kind == CLOCHE_CALL) cloche_resolve(box, event.call, (cloche_text){"1", 1});
  }
  return cloche_sandbox_result(box);
}

static bool gives_two(cloche_sandbox *box) {
  const cloche_result *result = run(box, (cloche_text){"return 1+1", 10}, CLOCHE_JAVASCRIPT);
  if (result != NULL && result->value.len == 1 && result->value.at[0] == '2') return true;
  if (result == NULL)
    puts("  it cannot be started again");
  else
    printf("  then: %s, %.*s\n", cloche_end_text(result->end), (int)result->error_message.len,
           result->error_message.at);
  return false;
}

/* NULL, or what is wrong. */
static const char *try_once(cloche_text text, cloche_language language, uint64_t memory,
                            outcome *out) {
  static const char tools[] = "[{\"name\":\"ping\"},{\"name\":\"secret\"}]";
  cloche_sandbox_options options = {
      .tools = {tools, sizeof tools - 1},
      .policy = policy,
      .limits = {.timeout = timeout, .total_timeout = timeout, .memory = memory}};
  cloche_sandbox *box;
  *out = (outcome){.end = CLOCHE_END_INTERNAL};
  if (cloche_sandbox_new(engine, &options, &box) != CLOCHE_OK) return "no sandbox could be made";
  const char *wrong = NULL;
  const cloche_result *result = run(box, text, language);
  if (result == NULL) {
    wrong = "the run could not be stepped to its end";
  } else {
    out->end = result->end;
    out->late = result->usage.wall + result->usage.waiting - timeout;
    out->memory = result->usage.memory;
    snprintf(out->message, sizeof out->message, "%.*s", (int)result->error_message.len,
             result->error_message.at);
    if (!ends_well(result->end))
      wrong = "ends as it must not";
    else if (result->usage.memory > memory)
      wrong = "has had more memory than it may";
    else if (!gives_two(box))
      wrong = "leaves a sandbox that cannot be used";
  }
  cloche_sandbox_free(box);
  return wrong;
}

static const char *check(cloche_text text, cloche_language language, uint64_t memory,
                         outcome *best) {
  for (int i = 0; i < ATTEMPTS; i++) {
    outcome now;
    const char *wrong = try_once(text, language, memory, &now);
    if (i == 0 || now.late < best->late || wrong != NULL) *best = now;
    if (wrong != NULL) return wrong;
    if (best->late <= allowed_late) return NULL;
  }
  return "is over too late";
}

/* ---- the command ---- */

static bool ends_with(const char *text, const char *end) {
  size_t a = strlen(text), b = strlen(end);
  return a >= b && strcmp(text + a - b, end) == 0;
}

static int check_file(const char *path, const uint64_t *memories, int count) {
  static char bytes[1 << 20];
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    perror(path);
    return 1;
  }
  cloche_text text = {bytes, fread(bytes, 1, sizeof bytes, file)};
  fclose(file);
  cloche_language language = ends_with(path, ".sh") ? CLOCHE_SHELL : CLOCHE_JAVASCRIPT;
  int failures = 0;
  for (int i = 0; i < count; i++) {
    outcome out;
    const char *wrong = check(text, language, memories[i], &out);
    failures += wrong != NULL;
    if (wrong == NULL && !verbose) continue;
    printf("%s, %llu KiB: %s; %s, %.1f ms after its deadline, %llu KiB: %s\n", path,
           (unsigned long long)memories[i] >> 10, wrong != NULL ? wrong : "fine",
           cloche_end_text(out.end), (double)out.late / 1e6, (unsigned long long)out.memory >> 10,
           out.message);
    fflush(stdout);
  }
  return failures;
}

int main(int argc, char **argv) {
  static const char rules[] = "{\"rules\":[{\"pattern\":\"ping\",\"effect\":\"allow\"}]}";
  cloche_engine_options options = {0};
  uint64_t memories[MEMORIES] = {64u << 20};
  int count = 0, first = 1;
  for (; first < argc && argv[first][0] == '-'; first++) {
    if (strcmp(argv[first], "-v") == 0) {
      verbose = true;
      continue;
    }
    const char *option = argv[first], *value = ++first < argc ? argv[first] : "";
    if (strcmp(option, "--worker") == 0)
      options = (cloche_engine_options){.isolation = CLOCHE_ISOLATE_PROCESS, .worker = value};
    else if (strcmp(option, "--timeout") == 0)
      timeout = atoll(value) * 1000000;
    else if (strcmp(option, "--late") == 0)
      allowed_late = atoll(value) * 1000000;
    else if (strcmp(option, "--memory") == 0 && count < MEMORIES)
      memories[count++] = strtoull(value, NULL, 10) << 10;
    else
      return 2;
  }
  if (cloche_engine_new(&options, &engine) != CLOCHE_OK ||
      cloche_policy_load((cloche_text){rules, sizeof rules - 1}, (cloche_text){NULL, 0}, &policy,
                         NULL) != CLOCHE_OK)
    return 2;
  int failures = 0;
  for (int i = first; i < argc; i++) failures += check_file(argv[i], memories, count ? count : 1);
  printf("%d programs under %d limits of memory, %d went wrong\n", argc - first, count ? count : 1,
         failures);
  cloche_policy_free(policy);
  cloche_engine_free(engine);
  return failures != 0;
}
