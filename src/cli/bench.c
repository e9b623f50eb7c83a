// SPDX-License-Identifier: MIT
/* bench.c -- cloche bench: what a fresh sandbox and a tool call cost on this machine. bench/ holds
 * the comparisons with others; this is for a look at home. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/bench.h"
#include "cli/clock.h"
#include "cli/jail.h"
#include "cli/options.h"
#include "json/buffer.h"

enum { ROUNDS = 2000, WARM_UP = 100 };

static int by_value(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

void cloche__bench_summarise(int64_t *times, size_t count, cloche__bench_row *row) {
  qsort(times, count, sizeof *times, by_value);
  row->median = times[count / 2];
  row->p99 = times[count * 99 / 100];
}

static bool start(cloche_sandbox *box, const char *text) {
  cloche_program program = {.text = cloche__text(text)};
  return cloche_exec(box, &program) == CLOCHE_OK;
}

/* Steps until the program calls or ends. */
bool cloche__bench_next(cloche_sandbox *box, cloche_event *event) {
  do {
    if (cloche_step(box, event) != CLOCHE_OK) return false;
  } while (event->kind != CLOCHE_CALL && event->kind != CLOCHE_DONE);
  return event->kind == CLOCHE_CALL || cloche_sandbox_result(box)->end == CLOCHE_END_DONE;
}

bool cloche__bench_start(cloche_sandbox *box, const char *text, cloche_event *event) {
  return start(box, text) && cloche__bench_next(box, event);
}

/* ---- a fresh sandbox ---- */

bool cloche__bench_fresh(cloche_engine *engine) {
  cloche_sandbox *box;
  if (cloche_sandbox_new(engine, NULL, &box) != CLOCHE_OK) return false;
  cloche_event event;
  bool done = cloche__bench_start(box, "return 'hi'", &event);
  cloche_sandbox_free(box);
  return done;
}

/* A new sandbox, a small program in it, and its end. */
static bool measure_fresh(cloche_cleaning cleaning, cloche__bench_row *row) {
  static int64_t times[ROUNDS];
  cloche_engine_options options = {.cleaning = cleaning};
  cloche_engine *engine;
  cloche_status made = cloche_engine_new(&options, &engine);
  row->absent = made == CLOCHE_E_STATE; /* this kernel cannot clean that way */
  if (made != CLOCHE_OK) return row->absent;
  bool fine = true;
  for (int i = -WARM_UP; fine && i < ROUNDS; i++) {
    int64_t start = cloche__clock_ns();
    fine = cloche__bench_fresh(engine);
    if (i >= 0) times[i] = cloche__clock_ns() - start;
  }
  cloche_engine_free(engine);
  if (fine) cloche__bench_summarise(times, ROUNDS, row);
  return fine;
}

/* Now and then, up to the result: in this process, or in a worker that was started ahead. What the
 * worker's end and the next one's start cost happens beside. After a pause, since no program runs a
 * thousand times in a row but here: caches are cold then, for both. */
static bool measure_paused(bool jailed, cloche__bench_row *m) {
  enum { TIMES = 100, PAUSE_NS = 20000000 };
  static int64_t times[TIMES];
  cloche_engine_options options = {.idle_workers = 4};
  if (jailed) cloche__jail_choose(&options);
  cloche_engine *engine;
  if (cloche_engine_new(&options, &engine) != CLOCHE_OK) return false;
  bool fine = true;
  for (int i = -5; fine && i < TIMES; i++) {
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL); /* the next one gets ready */
    cloche_sandbox *box;
    cloche_event event;
    int64_t begin = cloche__clock_ns();
    fine = cloche_sandbox_new(engine, NULL, &box) == CLOCHE_OK;
    if (!fine) break;
    fine = cloche__bench_start(box, "return 'hi'", &event);
    if (i >= 0) times[i] = cloche__clock_ns() - begin;
    cloche_sandbox_free(box);
  }
  cloche_engine_free(engine);
  if (fine) cloche__bench_summarise(times, TIMES, m);
  return fine;
}

/* ---- a call ---- */

/* From the answer to one call to the announcement of the next, the gate's decision included. */
static bool time_calls(cloche_sandbox *box, cloche__bench_row *row) {
  static int64_t times[ROUNDS];
  cloche_event event;
  bool fine = cloche__bench_start(box, "for (;;) await bench({ amount: 1 })", &event);
  for (int i = -WARM_UP; fine && i < ROUNDS; i++) {
    int64_t begin = cloche__clock_ns();
    fine = cloche_resolve(box, event.call, cloche__text("1")) == CLOCHE_OK &&
           cloche__bench_next(box, &event);
    if (i >= 0) times[i] = cloche__clock_ns() - begin;
  }
  if (fine) cloche__bench_summarise(times, ROUNDS, row);
  return fine;
}

static bool measure_call(cloche__bench_row *row) {
  static const char tools[] = "[{\"name\":\"bench\"}]";
  static const char rules[] =
      "{\"rules\":[{\"pattern\":\"bench\",\"effect\":\"allow\",\"where\":{\"amount\":{\"<=\":5}}}]"
      "}";
  cloche_engine *engine = NULL;
  cloche_policy *policy = NULL;
  cloche_sandbox *box = NULL;
  bool fine =
      cloche_engine_new(NULL, &engine) == CLOCHE_OK &&
      cloche_policy_load(cloche__text(rules), cloche__text(tools), &policy, NULL) == CLOCHE_OK;
  cloche_sandbox_options options = {
      .tools = cloche__text(tools), .policy = policy, .limits.calls = UINT64_MAX};
  fine = fine && cloche_sandbox_new(engine, &options, &box) == CLOCHE_OK && time_calls(box, row);
  cloche_sandbox_free(box);
  cloche_policy_free(policy);
  cloche_engine_free(engine);
  return fine;
}

/* ---- the table ---- */

static void print_table(const cloche__bench_row *rows, size_t count) {
  printf("%-46s %12s %12s\n", "", "median", "p99");
  for (size_t i = 0; i < count; i++) {
    const cloche__bench_row *row = &rows[i];
    if (row->absent)
      printf("%-46s %12s\n", row->title, "not here");
    else if (row->unit != NULL)
      printf("%-46s %9.0f %s\n", row->title, row->value, row->unit);
    else
      printf("%-46s %9.1f us %9.1f us\n", row->title, (double)row->median / 1000,
             (double)row->p99 / 1000);
  }
}

static void print_json(const cloche__bench_row *rows, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const cloche__bench_row *row = &rows[i];
    printf("%s\"%s\":", i == 0 ? "{" : ",", row->name);
    if (row->absent)
      fputs("null", stdout);
    else if (row->unit != NULL)
      printf("{\"value\":%.1f,\"unit\":\"%s\"}", row->value, row->unit);
    else
      printf("{\"median_ns\":%" PRId64 ",\"p99_ns\":%" PRId64 "}", row->median, row->p99);
  }
  puts("}");
}

static bool measure_all(cloche__bench_row *rows) {
  return measure_fresh(CLOCHE_CLEAN_BY_MAPPING, &rows[0]) &&
         measure_fresh(CLOCHE_CLEAN_BY_FAULTS, &rows[1]) &&
         measure_fresh(CLOCHE_CLEAN_BY_PAGEMAP, &rows[2]) &&
         cloche__bench_threads(&rows[3], &rows[4]) && measure_call(&rows[5]) &&
         cloche__bench_suspended(&rows[6]) && cloche__bench_process(&rows[7]) &&
         measure_paused(false, &rows[8]) && measure_paused(true, &rows[9]);
}

static int bench_main(const cloche__command *command, int argc, char **argv) {
  cloche__settings settings;
  int status;
  if (!cloche__options_read(command, CLOCHE__FOR_BENCH, argc, argv, &settings, &status))
    return status;
  cloche__bench_row rows[] = {
      {.name = "fresh_mapped", .title = "fresh sandbox, return 'hi', gone; mapped"},
      {.name = "fresh_reused", .title = "the same in a slot that is reused"},
      {.name = "fresh_reused_pagemap", .title = "the same without signals"},
      {.name = "fresh_threads", .title = "reused, as many threads as processors"},
      {.name = "throughput_16", .title = "reused, 16 threads together", .unit = "runs/s"},
      {.name = "call", .title = "an awaited call, policy included"},
      {.name = "suspended", .title = "private memory of a program that waits", .unit = "KiB"},
      {.name = "process", .title = "the cloche program, to its first output"},
      {.name = "fresh_paused", .title = "fresh, after a pause"},
      {.name = "fresh_jailed", .title = "the same in a jailed worker from the pool"},
  };
  if (!measure_all(rows)) {
    cloche__complain("a sandbox did not do as it should");
    return CLOCHE__EXIT_INTERNAL;
  }
  if (settings.json)
    print_json(rows, sizeof rows / sizeof *rows);
  else
    print_table(rows, sizeof rows / sizeof *rows);
  return CLOCHE__EXIT_DONE;
}

const cloche__command cloche__bench_command = {
    .name = "bench",
    .arguments = "[--json]",
    .summary = "Measures sandboxes, calls, memory and the start of a program on this machine.",
    .main = bench_main,
};
