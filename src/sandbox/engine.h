// SPDX-License-Identifier: MIT
/* engine.h -- what sandboxes share: the image and the slots that wait for a tenant. */
#ifndef CLOCHE_SANDBOX_ENGINE_H
#define CLOCHE_SANDBOX_ENGINE_H

#include <pthread.h>
#include <stdatomic.h>

#include "sandbox/slot.h"

struct cloche_engine {
  cloche__image image;
  cloche_cleaning cleaning;
  bool tracked; /* slots are protected page by page, to see which are written */
  char image_name[65];
  atomic_int looks;     /* at what slots wrote that are not tracked */
  pthread_mutex_t lock; /* guards what is below */
  cloche__slot *idle;
  size_t idle_count, idle_max;
  uint64_t *hot; /* pages that the last tenants wrote, a bitmap of hot_words; for new slots */
  uint32_t hot_words;
};

/* A clean slot. E_MEMORY, E_SYSTEM. */
cloche_status cloche__engine_take_slot(cloche_engine *engine, cloche__slot **slot);
/* Cleans it and keeps or frees it. */
void cloche__engine_give_slot(cloche_engine *engine, cloche__slot *slot);

#endif
