// SPDX-License-Identifier: MIT
/* shell.c -- runs a shell program through the C API: our half of bench/shell.py.
 *
 *   shell ROUNDS PROGRAM [FILE]   FILE becomes /workspace/input. Prints, for each round, the
 * nanoseconds from a fresh sandbox (in a slot that is reused from the second round on) to its end.
 * With a FILE, which the sandbox must be given first, from the start of the program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cloche.h"

/* BENCH_CPU=1: of the processor, for a machine that does other things too. */
static long long now(void) {
  static clockid_t clock = -1;
  const char *cpu = clock == -1 ? getenv("BENCH_CPU") : NULL;
  if (clock == -1) clock = cpu != NULL && *cpu == '1' ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static cloche_text read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) exit(2);
  fseek(file, 0, SEEK_END);
  size_t size = (size_t)ftell(file);
  rewind(file);
  char *at = malloc(size + 1);
  if (at == NULL || fread(at, 1, size, file) != size) exit(2);
  fclose(file);
  return (cloche_text){at, size};
}

static _Noreturn void fail(const char *what, const char *why) {
  fprintf(stderr, "bench/shell: %s: %s\n", what, why);
  exit(1);
}

int main(int argc, char **argv) {
  if (argc < 3) fail("usage", "shell ROUNDS PROGRAM [FILE]");
  cloche_text input = {0};
  if (argc > 3) input = read_file(argv[3]);
  cloche_engine *engine;
  if (cloche_engine_new(NULL, &engine) != CLOCHE_OK) fail("engine", "not made");
  for (int rounds = atoi(argv[1]); rounds > 0; rounds--) {
    cloche_sandbox *box;
    cloche_event event;
    cloche_text name = {"bash", 4};
    cloche_program program = {.language = CLOCHE_SHELL,
                              .text = {argv[2], strlen(argv[2])},
                              .arguments = &name,
                              .argument_count = 1};
    cloche_sandbox_options options = {.limits = cloche_limits_default()};
    options.limits.timeout = INT64_MAX;
    if (argc > 3) {
      options.limits.memory = (uint64_t)2 << 30;
      options.limits.file_bytes = (uint64_t)1 << 30;
      options.limits.output = 64 << 20;
    }
    long long begun = now();
    if (cloche_sandbox_new(engine, &options, &box) != CLOCHE_OK)
      fail("sandbox", cloche_sandbox_message(NULL));
    if (argc > 3) {
      cloche_text path = {"/workspace/input", 16};
      if (cloche_file_put(box, path, input) != CLOCHE_OK) fail("file", cloche_sandbox_message(box));
      begun = now();
    }
    if (cloche_exec(box, &program) != CLOCHE_OK) fail("exec", cloche_sandbox_message(box));
    do {
      if (cloche_step(box, &event) != CLOCHE_OK) fail("step", cloche_sandbox_message(box));
    } while (event.kind != CLOCHE_DONE);
    const cloche_result *result = cloche_sandbox_result(box);
    if (result->end != CLOCHE_END_DONE || result->status > 1)
      fail("end", cloche_end_text(result->end));
    long long took = now() - begun;
    cloche_sandbox_free(box);
    printf("%lld\n", argc > 3 ? took : now() - begun);
  }
  cloche_engine_free(engine);
  return 0;
}
