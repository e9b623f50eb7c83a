// SPDX-License-Identifier: MIT
/* engine.c -- opens the image once and lends slots. */
#include "sandbox/engine.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "limits.h"
#include "sandbox/pagemap.h"

enum { IDLE_DEFAULT = 64, LOOKS = 4, HOT_BYTES = CLOCHE__HOT_PAGES * CLOCHE__PAGE };

static atomic_uint forks;
static void count_fork(void) {
  atomic_fetch_add_explicit(&forks, 1, memory_order_relaxed);
}
static void watch_forks(void) {
  pthread_atfork(NULL, NULL, count_fork);
}
static pthread_once_t forks_once = PTHREAD_ONCE_INIT;

unsigned cloche__engine_forks(void) {
  return atomic_load_explicit(&forks, memory_order_relaxed);
}

static void name_image(cloche_engine *engine) {
  static const char digits[] = "0123456789abcdef";
  for (int i = 0; i < 32; i++) {
    uint8_t byte = engine->image.header->hash[i];
    engine->image_name[2 * i] = digits[byte >> 4];
    engine->image_name[2 * i + 1] = digits[byte & 15];
  }
}

/* What it takes to run guests here; or, for workers, the image's name and size alone. */
static cloche_status open_image(cloche_engine *engine, const cloche_engine_options *options,
                                int file) {
  cloche_status status = cloche__image_look(&engine->image);
  if (status != CLOCHE_OK) return status;
  if (options->isolation == CLOCHE_ISOLATE_PROCESS) {
    engine->worker_path = strdup(options->worker);
    engine->worker_max = options->idle_workers > 0 ? options->idle_workers : CLOCHE__IDLE_WORKERS;
    return engine->worker_path == NULL ? CLOCHE_E_MEMORY : CLOCHE_OK;
  }
  status =
      file >= 0 ? cloche__image_adopt(&engine->image, file) : cloche__image_fill(&engine->image);
  return status == CLOCHE_OK ? cloche__image_map(&engine->image) : status;
}

/* Writes the image while the first workers start, and sends it to them. */
static cloche_status fill_for_workers(cloche_engine *engine) {
  cloche__engine_refill(engine);
  cloche_status status = cloche__image_fill(&engine->image);
  for (cloche__worker *worker = engine->workers; worker != NULL; worker = worker->next)
    cloche__frame_send_file(worker->socket, engine->image.file); /* if not, it does not greet */
  return status;
}

cloche_status cloche_engine_new(const cloche_engine_options *options, cloche_engine **made) {
  return cloche__engine_new(options, -1, made);
}

cloche_status cloche__engine_new(const cloche_engine_options *options, int image_file,
                                 cloche_engine **made) {
  if (made == NULL) return CLOCHE_E_ARGUMENT;
  static const cloche_engine_options plain = {0};
  if (options == NULL) options = &plain;
  if (options->cleaning > CLOCHE_CLEAN_BY_MAPPING || options->isolation > CLOCHE_ISOLATE_PROCESS ||
      (options->isolation == CLOCHE_ISOLATE_PROCESS && options->worker == NULL))
    return CLOCHE_E_ARGUMENT;
  if (options->cleaning == CLOCHE_CLEAN_BY_PAGEMAP && !cloche__pagemap_works())
    return CLOCHE_E_STATE;
  pthread_once(&forks_once, watch_forks);
  cloche_engine *engine = calloc(1, sizeof *engine);
  if (engine == NULL) return CLOCHE_E_MEMORY;
  cloche_status status = open_image(engine, options, image_file);
  if (status != CLOCHE_OK) {
    cloche__image_close(&engine->image);
    free(engine->worker_path);
    free(engine);
    return status;
  }
  pthread_mutex_init(&engine->lock, NULL);
  engine->hot_words = engine->image.size / CLOCHE__PAGE / 64;
  engine->hot = calloc(engine->hot_words + 1, sizeof *engine->hot); /* NULL: slots start cold */
  engine->cleaning = options->cleaning;
  /* Who drops all private pages need not know them, and a checkpoint can ask the kernel. */
  engine->tracked = options->cleaning == CLOCHE_CLEAN_BY_FAULTS ||
                    (options->cleaning == CLOCHE_CLEAN_BY_MAPPING && !cloche__pagemap_works());
  pthread_cond_init(&engine->parked, NULL);
  engine->mapped_max = options->mapped > 0 ? options->mapped : CLOCHE__MAPPED_SANDBOXES;
  engine->idle_max = options->idle_slots > 0 ? options->idle_slots : IDLE_DEFAULT;
  name_image(engine);
  if (engine->worker_path != NULL) status = fill_for_workers(engine);
  if (status != CLOCHE_OK) {
    cloche_engine_free(engine);
    return status;
  }
  *made = engine;
  return CLOCHE_OK;
}

static void end_workers(cloche__worker *worker) {
  while (worker != NULL) {
    cloche__worker *next = worker->next;
    cloche__worker_end(worker);
    worker = next;
  }
}

void cloche_engine_free(cloche_engine *engine) {
  if (engine == NULL) return;
  while (engine->idle != NULL) {
    cloche__slot *slot = engine->idle;
    engine->idle = slot->next;
    cloche__slot_free(slot);
  }
  end_workers(engine->workers);
  end_workers(engine->dying);
  free(engine->worker_path);
  pthread_mutex_destroy(&engine->lock);
  pthread_cond_destroy(&engine->parked);
  free(engine->hot);
  cloche__image_close(&engine->image);
  free(engine);
}

const char *cloche_engine_image(const cloche_engine *engine) {
  if (engine == NULL) return "";
  return engine->image_name;
}

/* The hot pages are copied under the lock and made ready outside it: that takes a while. */
static void warm(cloche_engine *engine, cloche__slot *slot) {
  if (engine->hot == NULL) return;
  pthread_mutex_lock(&engine->lock);
  cloche__slot_expect(slot, engine->hot, engine->hot_words);
  pthread_mutex_unlock(&engine->lock);
  cloche__slot_warm(slot);
}

cloche_status cloche__engine_take_slot(cloche_engine *engine, cloche__slot **slot) {
  pthread_mutex_lock(&engine->lock);
  cloche__slot *idle = engine->idle;
  if (idle != NULL) {
    engine->idle = idle->next;
    engine->idle_count--;
  }
  pthread_mutex_unlock(&engine->lock);
  cloche_status status = CLOCHE_OK;
  bool is_new = idle == NULL;
  if (is_new) status = cloche__slot_new(&engine->image, engine->tracked, &idle);
  if (status != CLOCHE_OK) return status;
  if (is_new || engine->cleaning == CLOCHE_CLEAN_BY_MAPPING) warm(engine, idle);
  *slot = idle;
  return CLOCHE_OK;
}

/* What this tenant wrote the next ones will probably write: a new slot need not fault for it. Of
 * slots that are not tracked the first few are looked at. */
static void learn(cloche_engine *engine, cloche__slot *slot) {
  if (engine->hot == NULL) return;
  if (!slot->tracked) {
    if (atomic_fetch_add(&engine->looks, 1) >= LOOKS) return;
    cloche__slot_look(slot);
  }
  if (cloche__slot_private(slot) > HOT_BYTES) return;
  pthread_mutex_lock(&engine->lock);
  memcpy(engine->hot, slot->touched, engine->hot_words * sizeof *engine->hot);
  pthread_mutex_unlock(&engine->lock);
}

void cloche__engine_give_slot(cloche_engine *engine, cloche__slot *slot) {
  bool by_mapping = engine->cleaning == CLOCHE_CLEAN_BY_MAPPING;
  if (slot->tracked || by_mapping) learn(engine, slot);
  bool keep = cloche__slot_reset(slot, by_mapping);
  if (keep) {
    pthread_mutex_lock(&engine->lock);
    keep = engine->idle_count < engine->idle_max;
    if (keep) {
      slot->next = engine->idle;
      engine->idle = slot;
      engine->idle_count++;
    }
    pthread_mutex_unlock(&engine->lock);
  }
  if (!keep) cloche__slot_free(slot);
}

/* ---- workers ---- */

/* E_MEMORY, E_SYSTEM */
static cloche_status start_worker(const cloche_engine *engine, cloche__worker **worker) {
  cloche_status status = cloche__worker_start(engine->worker_path, worker);
  if (status == CLOCHE_OK && engine->image.file >= 0)
    cloche__frame_send_file((*worker)->socket, engine->image.file); /* if not, it does not greet */
  return status;
}

static cloche__worker *idle_worker(cloche_engine *engine) {
  pthread_mutex_lock(&engine->lock);
  cloche__worker *worker = engine->workers;
  if (worker != NULL) {
    engine->workers = worker->next;
    engine->worker_count--;
  }
  pthread_mutex_unlock(&engine->lock);
  return worker;
}

void cloche__engine_bury(cloche_engine *engine, cloche__worker *worker) {
  pthread_mutex_lock(&engine->lock);
  if (worker != NULL) {
    worker->next = engine->dying;
    engine->dying = worker;
  }
  for (cloche__worker **at = &engine->dying; *at != NULL;) {
    cloche__worker *next = (*at)->next;
    if (cloche__worker_kill(*at))
      *at = next;
    else
      at = &(*at)->next;
  }
  pthread_mutex_unlock(&engine->lock);
}

cloche_status cloche__engine_take_worker(cloche_engine *engine, cloche__worker **taken) {
  const uint8_t *image = engine->image.header->hash;
  cloche__worker *worker;
  while ((worker = idle_worker(engine)) != NULL) {
    if (worker->parent == getpid() && cloche__worker_greet(worker, image) == CLOCHE_OK) {
      *taken = worker;
      return CLOCHE_OK;
    }
    cloche__worker_end(worker); /* someone killed it while it waited, or we are a fork */
  }
  cloche_status status = start_worker(engine, &worker);
  if (status != CLOCHE_OK) return status;
  status = cloche__worker_greet(worker, image);
  if (status == CLOCHE_OK)
    *taken = worker;
  else
    cloche__worker_end(worker);
  return status;
}

void cloche__engine_refill(cloche_engine *engine) {
  if (engine->worker_path == NULL) return;
  for (;;) {
    pthread_mutex_lock(&engine->lock);
    bool full = engine->worker_count >= engine->worker_max;
    if (!full) engine->worker_count++;
    pthread_mutex_unlock(&engine->lock);
    if (full) return;
    cloche__worker *worker;
    bool started = start_worker(engine, &worker) == CLOCHE_OK;
    pthread_mutex_lock(&engine->lock);
    if (started) {
      worker->next = engine->workers;
      engine->workers = worker;
    } else {
      engine->worker_count--;
    }
    pthread_mutex_unlock(&engine->lock);
    if (!started) return; /* who needs one will try, and say why it cannot be */
  }
}

void cloche__engine_last(cloche_engine *engine) {
  pthread_mutex_lock(&engine->lock);
  engine->worker_max = 0;
  pthread_mutex_unlock(&engine->lock);
}
