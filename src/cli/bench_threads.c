// SPDX-License-Identifier: MIT
/* bench_threads.c -- fresh sandboxes from many threads at once. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/bench.h"
#include "cli/clock.h"

enum { WARM_UP = 50, ROUNDS = 1000, MANY = 16, MOST = 64 };

typedef struct {
  cloche_engine *engine;
  pthread_barrier_t *together;
  int64_t *times; /* ROUNDS of them */
  int64_t begin, end;
  bool fine;
} worker;

static void *work(void *argument) {
  worker *w = argument;
  w->fine = true;
  for (int i = 0; i < WARM_UP; i++) w->fine &= cloche__bench_fresh(w->engine);
  pthread_barrier_wait(w->together);
  w->begin = cloche__clock_ns();
  for (int i = 0; i < ROUNDS && w->fine; i++) {
    int64_t start = cloche__clock_ns();
    w->fine = cloche__bench_fresh(w->engine);
    w->times[i] = cloche__clock_ns() - start;
  }
  w->end = cloche__clock_ns();
  return NULL;
}

/* Runs `count` threads; their times lie one after another in `times`, *span is from the first start
 * to the last end. */
static bool run(size_t count, int64_t *times, int64_t *span) {
  worker workers[MOST];
  pthread_t threads[MOST];
  pthread_barrier_t together;
  cloche_engine *engine;
  size_t started = 0;
  if (cloche_engine_new(NULL, &engine) != CLOCHE_OK) return false;
  if (pthread_barrier_init(&together, NULL, (unsigned)count) != 0) {
    cloche_engine_free(engine);
    return false;
  }
  for (; started < count; started++) {
    workers[started] =
        (worker){.engine = engine, .together = &together, .times = times + started * ROUNDS};
    if (pthread_create(&threads[started], NULL, work, &workers[started]) != 0) abort();
  }
  int64_t first = INT64_MAX, last = 0;
  bool fine = true;
  for (size_t i = 0; i < count; i++) {
    pthread_join(threads[i], NULL);
    fine &= workers[i].fine;
    if (workers[i].begin < first) first = workers[i].begin;
    if (workers[i].end > last) last = workers[i].end;
  }
  pthread_barrier_destroy(&together);
  cloche_engine_free(engine);
  *span = last - first;
  return fine;
}

bool cloche__bench_threads(cloche__bench_row *times, cloche__bench_row *throughput) {
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  size_t cores = processors < 1 ? 1 : processors > MOST ? MOST : (size_t)processors;
  size_t most = cores > MANY ? cores : MANY;
  int64_t span = 0, *all = calloc(most * ROUNDS, sizeof *all);
  bool fine = all != NULL && run(cores, all, &span);
  if (fine) cloche__bench_summarise(all, cores * ROUNDS, times);
  fine = fine && run(MANY, all, &span) && span > 0;
  if (fine) throughput->value = (double)MANY * ROUNDS * 1e9 / (double)span;
  free(all);
  return fine;
}
