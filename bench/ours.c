// SPDX-License-Identifier: MIT
/* ours.c -- runs one program through the C API: the other half of bench/run.py.
 *
 *   ours FILE [ROUNDS]        prints the nanoseconds the guest ran, its fuel, and the program's
 * value */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cloche.h"

int main(int argc, char **argv) {
  static char text[1 << 16];
  FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
  if (file == NULL) return 2;
  size_t size = fread(text, 1, sizeof text, file);
  fclose(file);
  cloche_engine *engine;
  cloche_engine_options how = {0};
  const char *cleaning = getenv("CLOCHE_BENCH_CLEANING");
  if (cleaning != NULL && strcmp(cleaning, "pagemap") == 0) how.cleaning = CLOCHE_CLEAN_BY_PAGEMAP;
  if (cloche_engine_new(&how, &engine) != CLOCHE_OK) return 1;
  for (int rounds = argc > 2 ? atoi(argv[2]) : 1; rounds > 0; rounds--) {
    cloche_sandbox *box;
    cloche_event event;
    cloche_program program = {.text = {text, size}};
    cloche_sandbox_options options = {.limits.timeout = INT64_MAX};
    if (cloche_sandbox_new(engine, &options, &box) != CLOCHE_OK ||
        cloche_exec(box, &program) != CLOCHE_OK)
      return 1;
    do {
      if (cloche_step(box, &event) != CLOCHE_OK) return 1;
    } while (event.kind != CLOCHE_DONE);
    const cloche_result *result = cloche_sandbox_result(box);
    printf("%lld %.*s %llu\n", (long long)result->usage.wall, (int)result->value.len,
           result->value.at, (unsigned long long)result->usage.fuel);
    if (result->end != CLOCHE_END_DONE) return 1;
    cloche_sandbox_free(box);
  }
  cloche_engine_free(engine);
  return 0;
}
