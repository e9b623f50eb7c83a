// SPDX-License-Identifier: MIT
/* bench.h -- what cloche bench measures; each in a file of its own, bench.c prints. */
#ifndef CLOCHE_CLI_BENCH_H
#define CLOCHE_CLI_BENCH_H

#include "cloche.h"

/* A distribution of times in ns, or one figure in `value` with its unit. */
typedef struct cloche__bench_row {
  const char *name, *title;
  const char *unit; /* NULL: times */
  int64_t median, p99;
  double value;
  bool absent; /* this machine cannot do it */
} cloche__bench_row;

/* Sorts `times`. */
void cloche__bench_summarise(int64_t *times, size_t count, cloche__bench_row *row);
/* A new sandbox, `return 'hi'` in it, and its end. */
bool cloche__bench_fresh(cloche_engine *engine);
/* Starts a program and steps it to its first call or its end. */
bool cloche__bench_start(cloche_sandbox *box, const char *text, cloche_event *event);
bool cloche__bench_next(cloche_sandbox *box, cloche_event *event);

/* Fresh sandboxes from many threads on one engine: their times with as many threads as processors,
 * and how many a second 16 threads make. */
bool cloche__bench_threads(cloche__bench_row *times, cloche__bench_row *throughput);
/* What each of many programs that wait for a call keeps to itself. */
bool cloche__bench_suspended(cloche__bench_row *row);
/* From starting the cloche program to the first byte of its program's output. */
bool cloche__bench_process(cloche__bench_row *row);

#endif
