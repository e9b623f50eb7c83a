// SPDX-License-Identifier: MIT
/* snapshot.c -- what a program that waits costs: to save, restore, fork, park and wake, and to
 * return to a checkpoint; and what that costs when it holds much.
 *
 *   snapshot [PARKED]         a table; PARKED programs wait parked, 100,000 if not said */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cloche.h"

enum { ROUNDS = 1000 };
static const char program[] =
    "const name = (await ask({ q: 'name' })).name; return 'hello ' + name";

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int by_size(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

static void print(const char *what, int64_t *times, size_t count) {
  qsort(times, count, sizeof *times, by_size);
  printf("%-28s median %8.1f us   p99 %8.1f us\n", what, (double)times[count / 2] / 1000,
         (double)times[count * 99 / 100] / 1000);
}

static void must(cloche_status status) {
  if (status == CLOCHE_OK) return;
  fprintf(stderr, "%s\n", cloche_status_text(status));
  exit(1);
}

/* Steps to an event; the bytes of output are not looked at. */
static cloche_event step_to(cloche_sandbox *box, cloche_event_kind kind) {
  cloche_event event;
  do must(cloche_step(box, &event));
  while (event.kind != kind);
  return event;
}

static cloche_sandbox *waiting(cloche_engine *engine, const cloche_policy *policy,
                               const char *text) {
  cloche_sandbox *box;
  static const char tools[] = "[{\"name\":\"ask\"}]";
  cloche_sandbox_options options = {.policy = policy, .tools = {tools, sizeof tools - 1}};
  cloche_program run = {.text = {text, strlen(text)}};
  must(cloche_sandbox_new(engine, &options, &box));
  must(cloche_exec(box, &run));
  step_to(box, CLOCHE_CALL);
  step_to(box, CLOCHE_WAIT);
  return box;
}

static void answer(cloche_sandbox *box, uint64_t call) {
  static const char name[] = "{\"name\":\"you\"}";
  must(cloche_resolve(box, call, (cloche_text){name, sizeof name - 1}));
  step_to(box, CLOCHE_DONE);
}

static long resident_kib(void) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%*s %ld", &pages) != 1) pages = 0;
  if (file != NULL) fclose(file);
  return pages * 4;
}

static void one_program(cloche_engine *engine, const cloche_policy *policy) {
  static int64_t saves[ROUNDS], restores[ROUNDS], forks[ROUNDS];
  cloche_restore_options options = {.trusted = true, .policy = policy};
  cloche_sandbox *box = waiting(engine, policy, program), *other;
  char *bytes;
  size_t len = 0;
  for (int i = 0; i < ROUNDS; i++) {
    int64_t start = now();
    must(cloche_snapshot(box, NULL, &bytes, &len));
    saves[i] = now() - start;
    start = now();
    must(cloche_restore(engine, (cloche_text){bytes, len}, &options, &other));
    restores[i] = now() - start;
    cloche_sandbox_free(other);
    start = now();
    must(cloche_fork(box, (cloche_text){NULL, 0}, &other));
    forks[i] = now() - start;
    cloche_sandbox_free(other);
    free(bytes);
  }
  answer(box, 1);
  cloche_sandbox_free(box);
  printf("a snapshot has %zu bytes\n", len);
  print("snapshot", saves, ROUNDS);
  print("restore", restores, ROUNDS);
  print("fork", forks, ROUNDS);
}

/* A program that holds `kib` of its own. The first fork, or checkpoint, of a large one freezes it;
 * then each of the two runs on a little. */
static void large(cloche_engine *engine, const cloche_policy *policy, int kib) {
  enum { FORKS = 200 };
  static int64_t forks[FORKS], marks[FORKS], returns[FORKS];
  char text[160], what[64];
  snprintf(text, sizeof text,
           "const a = new Uint8Array(%d * 1024).fill(7);"
           "for (;;) { a[(await ask({})).at] = 1 }",
           kib);
  cloche_sandbox *box = waiting(engine, policy, text), *other;
  int64_t first = now();
  must(cloche_fork(box, (cloche_text){NULL, 0}, &other));
  first = now() - first;
  cloche_sandbox_free(other);
  for (int i = 0; i < FORKS; i++) {
    int64_t start = now();
    must(cloche_fork(box, (cloche_text){NULL, 0}, &other));
    forks[i] = now() - start;
    cloche_sandbox_free(other);
    start = now();
    must(cloche_checkpoint(box, (cloche_text){"here", 4}));
    marks[i] = now() - start;
    must(cloche_resolve(box, 1, (cloche_text){"{\"at\":9}", 8}));
    step_to(box, CLOCHE_CALL);
    step_to(box, CLOCHE_WAIT);
    start = now();
    must(cloche_rollback(box, (cloche_text){"here", 4}));
    returns[i] = now() - start;
    step_to(box, CLOCHE_CALL);
    step_to(box, CLOCHE_WAIT);
  }
  cloche_sandbox_free(box);
  snprintf(what, sizeof what, "%d KiB: fork", kib);
  print(what, forks, FORKS);
  printf("  the first one                     %8.1f us\n", (double)first / 1000);
  print("  checkpoint", marks, FORKS);
  print("  return to it", returns, FORKS);
}

static void many_parked(const cloche_policy *policy, size_t count) {
  cloche_engine *engine;
  cloche_engine_options options = {.mapped = 512};
  must(cloche_engine_new(&options, &engine));
  cloche_sandbox **boxes = calloc(count, sizeof(cloche_sandbox *));
  static int64_t wakes[ROUNDS];
  long before = resident_kib();
  int64_t start = now();
  for (size_t i = 0; i < count; i++) boxes[i] = waiting(engine, policy, program);
  printf("%zu programs wait, made in %.1f s; %.1f KiB each, %.2f GiB in all\n", count,
         (double)(now() - start) / 1e9, (double)(resident_kib() - before) / (double)count,
         (double)resident_kib() / (1 << 20));
  uint64_t state = 88172645463325252u;
  int rounds = count < ROUNDS ? (int)count : ROUNDS;
  for (int i = 0; i < rounds; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    size_t at = (size_t)(state >> 33) % count;
    while (boxes[at] == NULL) at = (at + 1) % count;
    start = now();
    answer(boxes[at], 1);
    wakes[i] = now() - start;
    cloche_sandbox_free(boxes[at]);
    boxes[at] = NULL;
  }
  print("a random one woken and ended", wakes, rounds);
  for (size_t i = 0; i < count; i++) cloche_sandbox_free(boxes[i]);
  cloche_engine_free(engine);
  free(boxes);
}

int main(int argc, char **argv) {
  static const char rules[] = "{\"rules\":[{\"pattern\":\"ask\",\"effect\":\"allow\"}]}";
  cloche_engine *engine;
  cloche_policy *policy;
  must(cloche_engine_new(NULL, &engine));
  must(cloche_policy_load((cloche_text){rules, sizeof rules - 1}, (cloche_text){NULL, 0}, &policy,
                          NULL));
  one_program(engine, policy);
  static const int sizes[] = {64, 256, 1024, 2048, 4096, 16384, 49152};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) large(engine, policy, sizes[i]);
  cloche_engine_free(engine);
  many_parked(policy, argc > 1 ? strtoul(argv[1], NULL, 10) : 100000);
  cloche_policy_free(policy);
  return 0;
}
