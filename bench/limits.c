// SPDX-License-Identifier: MIT
/* limits.c -- what it costs that a run can be taken back: the checkpoint at its start, and going
 * back.
 *
 * Each is measured around `return 'hi'`: in a fresh sandbox, whose checkpoint is the image, and in
 * one that holds the state of an earlier run. Prints medians. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cloche.h"
#include "sandbox/sandbox.h"

enum { ROUNDS = 2000 };

static int by_value(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}
static double median(int64_t *times) {
  qsort(times, ROUNDS, sizeof *times, by_value);
  return (double)times[ROUNDS / 2] / 1000;
}

static void run(cloche_sandbox *box) {
  cloche_program program = {.text = {"return 'hi'", 11}};
  cloche_event event = {0};
  if (cloche_exec(box, &program) != CLOCHE_OK) exit(1);
  while (event.kind != CLOCHE_DONE)
    if (cloche_step(box, &event) != CLOCHE_OK) exit(1);
}

static void measure(cloche_engine *engine, bool fresh) {
  static int64_t runs[ROUNDS], checkpoints[ROUNDS], rollbacks[ROUNDS];
  cloche_sandbox *box;
  for (int i = 0; i < ROUNDS; i++) {
    if (cloche_sandbox_new(engine, NULL, &box) != CLOCHE_OK) exit(1);
    if (!fresh) run(box);
    int64_t a = cloche__monotonic();
    cloche__machine_checkpoint(&box->machine, fresh);
    int64_t b = cloche__monotonic();
    run(box); /* with a checkpoint of its own */
    int64_t c = cloche__monotonic();
    cloche__machine_rollback(&box->machine);
    cloche__machine_settle(&box->machine);
    int64_t d = cloche__monotonic();
    checkpoints[i] = b - a;
    runs[i] = c - b;
    rollbacks[i] = d - c;
    cloche_sandbox_free(box);
  }
  printf("%-28s run %6.2f us, of it the checkpoint %5.2f us; going back %5.2f us more\n",
         fresh ? "in a fresh sandbox" : "over an earlier run's state", median(runs),
         median(checkpoints), median(rollbacks));
}

int main(void) {
  cloche_engine *engine;
  if (cloche_engine_new(NULL, &engine) != CLOCHE_OK) return 1;
  measure(engine, true);
  measure(engine, false);
  cloche_engine_free(engine);
  return 0;
}
