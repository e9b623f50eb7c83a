// SPDX-License-Identifier: MIT
/* engine.h -- what sandboxes share: the image and the slots that wait for a tenant. */
#ifndef CLOCHE_SANDBOX_ENGINE_H
#define CLOCHE_SANDBOX_ENGINE_H

#include <pthread.h>
#include <stdatomic.h>

#include "sandbox/slot.h"
#include "sandbox/worker.h"

struct cloche_engine {
  cloche__image image;
  cloche_cleaning cleaning;
  bool tracked;      /* slots are protected page by page, to see which are written */
  char *worker_path; /* NULL: guests run in this process */
  char image_name[65];
  atomic_int looks;     /* at what slots wrote that are not tracked */
  pthread_mutex_t lock; /* guards what is below */
  cloche__slot *idle;
  size_t idle_count, idle_max;
  cloche__worker *workers; /* started, for the next sandboxes */
  size_t worker_count, worker_max;
  cloche__worker *dying; /* killed, and not yet gone */
  uint64_t *hot; /* pages that the last tenants wrote, a bitmap of hot_words; for new slots */
  uint32_t hot_words;
  size_t mapped_max; /* sandboxes that may wait with their memory mapped */
  atomic_size_t boxes;
  struct cloche_sandbox *line_first, *line_last; /* that wait so; the last has been used last */
  size_t line_count;
  pthread_cond_t parked; /* one has been */
};

/* cloche_engine_new with an image that another process has made: `image_file` is the engine's then,
 * also when none is made. -1: it makes its own. */
cloche_status cloche__engine_new(const cloche_engine_options *options, int image_file,
                                 cloche_engine **engine);
/* A clean slot. E_MEMORY, E_SYSTEM. */
cloche_status cloche__engine_take_slot(cloche_engine *engine, cloche__slot **slot);
/* Cleans it and keeps or frees it. */
void cloche__engine_give_slot(cloche_engine *engine, cloche__slot *slot);

/* How often this process is the child of a fork that the library knows of. A sandbox of before is
 * its parent's: both would spend the same budgets. */
unsigned cloche__engine_forks(void);

/* A worker in which no guest has run. E_MEMORY, E_SYSTEM, E_IMAGE. */
cloche_status cloche__engine_take_worker(cloche_engine *engine, cloche__worker **worker);
/* Ends one without waiting: taking back a large memory takes a while. NULL is fine. */
void cloche__engine_bury(cloche_engine *engine, cloche__worker *worker);
/* Starts workers until as many wait as should. */
void cloche__engine_refill(cloche_engine *engine);
/* There will be no further sandbox: no workers are started for it. Before the first is made. */
void cloche__engine_last(cloche_engine *engine);

#endif
