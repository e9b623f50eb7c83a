// SPDX-License-Identifier: MIT
/* engine.c -- opens the image once and lends slots. */
#include "sandbox/engine.h"

#include <stdlib.h>
#include <string.h>

#include "limits.h"
#include "sandbox/pagemap.h"

enum { IDLE_DEFAULT = 64, LOOKS = 4, HOT_BYTES = CLOCHE__HOT_PAGES * CLOCHE__PAGE };

static void name_image(cloche_engine *engine) {
  static const char digits[] = "0123456789abcdef";
  for (int i = 0; i < 32; i++) {
    uint8_t byte = engine->image.header->hash[i];
    engine->image_name[2 * i] = digits[byte >> 4];
    engine->image_name[2 * i + 1] = digits[byte & 15];
  }
}

cloche_status cloche_engine_new(const cloche_engine_options *options, cloche_engine **made) {
  static const cloche_engine_options plain = {0};
  if (options == NULL) options = &plain;
  if (options->cleaning > CLOCHE_CLEAN_BY_MAPPING) return CLOCHE_E_ARGUMENT;
  if (options->cleaning == CLOCHE_CLEAN_BY_PAGEMAP && !cloche__pagemap_works())
    return CLOCHE_E_STATE;
  cloche_engine *engine = calloc(1, sizeof *engine);
  if (engine == NULL) return CLOCHE_E_MEMORY;
  cloche_status status = cloche__image_open(&engine->image);
  if (status != CLOCHE_OK) {
    free(engine);
    return status;
  }
  pthread_mutex_init(&engine->lock, NULL);
  engine->hot_words = engine->image.size / CLOCHE__PAGE / 64;
  engine->hot = calloc(engine->hot_words + 1, sizeof *engine->hot); /* NULL: slots start cold */
  engine->cleaning = options->cleaning;
  /* A slot that is used once need not be cleaned, and a checkpoint of it can ask the kernel. */
  engine->tracked = options->cleaning == CLOCHE_CLEAN_BY_FAULTS ||
                    (options->cleaning == CLOCHE_CLEAN_BY_MAPPING && !cloche__pagemap_works());
  engine->idle_max = options->idle_slots > 0 ? options->idle_slots : IDLE_DEFAULT;
  if (engine->cleaning == CLOCHE_CLEAN_BY_MAPPING) engine->idle_max = 0;
  name_image(engine);
  *made = engine;
  return CLOCHE_OK;
}

void cloche_engine_free(cloche_engine *engine) {
  if (engine == NULL) return;
  while (engine->idle != NULL) {
    cloche__slot *slot = engine->idle;
    engine->idle = slot->next;
    cloche__slot_free(slot);
  }
  pthread_mutex_destroy(&engine->lock);
  free(engine->hot);
  cloche__image_close(&engine->image);
  free(engine);
}

const char *cloche_engine_image(const cloche_engine *engine) {
  return engine->image_name;
}

static cloche_status new_slot(cloche_engine *engine, cloche__slot **slot) {
  cloche_status status = cloche__slot_new(&engine->image, engine->tracked, slot);
  if (status != CLOCHE_OK || engine->hot == NULL) return status;
  pthread_mutex_lock(&engine->lock);
  cloche__slot_warm(*slot, engine->hot, engine->hot_words);
  pthread_mutex_unlock(&engine->lock);
  return CLOCHE_OK;
}

cloche_status cloche__engine_take_slot(cloche_engine *engine, cloche__slot **slot) {
  pthread_mutex_lock(&engine->lock);
  cloche__slot *idle = engine->idle;
  if (idle != NULL) {
    engine->idle = idle->next;
    engine->idle_count--;
  }
  pthread_mutex_unlock(&engine->lock);
  if (idle == NULL) return new_slot(engine, slot);
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
  if (slot->tracked || engine->idle_max == 0) learn(engine, slot);
  bool keep = engine->idle_max > 0 && cloche__slot_reset(slot);
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
