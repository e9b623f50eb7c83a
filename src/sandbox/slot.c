// SPDX-License-Identifier: MIT
/* slot.c -- maps, tracks, cleans, checkpoints and rolls back one sandbox's memory. */
#define _GNU_SOURCE
#include "sandbox/slot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "limits.h"
#include "sandbox/pagemap.h"

enum { WORD = 64, WINDOW_MAX = 64 };

static uint32_t page_count(uint32_t bytes) {
  return bytes >> CLOCHE__PAGE_SHIFT;
}
static uint32_t word_count(uint32_t bytes) {
  return (page_count(bytes) + WORD - 1) / WORD;
}
static bool has(const uint64_t *map, uint32_t page) {
  return map[page / WORD] >> (page % WORD) & 1;
}
static void add(uint64_t *map, uint32_t page) {
  map[page / WORD] |= (uint64_t)1 << (page % WORD);
}

/* ---- runs of pages in a bitmap ---- */

/* The next run of pages set in `map` at or after *from; false at the end. */
static bool next_run(const uint64_t *map, uint32_t words, uint32_t *from, uint32_t *first,
                     uint32_t *end) {
  uint32_t page = *from;
  while (page / WORD < words) {
    uint64_t rest = map[page / WORD] >> (page % WORD);
    if (rest != 0) {
      page += (uint32_t)__builtin_ctzll(rest);
      break;
    }
    page = (page / WORD + 1) * WORD;
  }
  if (page / WORD >= words) return false;
  *first = page;
  while (page / WORD < words && has(map, page)) page++;
  *end = *from = page;
  return true;
}

static uint32_t count_pages(const uint64_t *map, uint32_t words) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < words; i++) count += (uint32_t)__builtin_popcountll(map[i]);
  return count;
}

/* ---- making one ---- */

static bool map_image(cloche__slot *slot, int protection) {
  return mmap(slot->base, slot->image->size, protection, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE,
              slot->image->file, 0) != MAP_FAILED;
}

static bool map_frozen(cloche__slot *slot, const cloche__frozen *frozen, int protection) {
  return mmap(slot->base, frozen->size, protection, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE,
              frozen->file, 0) != MAP_FAILED;
}

static int image_protection(const cloche__slot *slot) {
  return slot->tracked ? PROT_READ : PROT_READ | PROT_WRITE;
}

/* Room in the bitmaps for memory of `bytes`. They keep their content. They follow the memory that
 * is there, not its limit: a program that waits pays for each page of them. */
static bool ensure_bitmaps(cloche__slot *slot, uint32_t bytes) {
  uint32_t words = word_count(bytes);
  if (words <= slot->capacity) return true;
  enum { MAPS = 5 };
  if (words < slot->capacity * 2) words = slot->capacity * 2;
  uint64_t *maps = calloc((size_t)words * MAPS, sizeof *maps);
  if (maps == NULL) return false;
  uint64_t **all[MAPS] = {&slot->touched, &slot->writable, &slot->before, &slot->saved,
                          &slot->since};
  uint64_t *old = slot->touched;
  for (int i = 0; i < MAPS; i++) {
    uint64_t *map = maps + (size_t)i * words;
    if (slot->capacity > 0) memcpy(map, *all[i], slot->capacity * sizeof *map);
    *all[i] = map;
  }
  free(old);
  slot->capacity = words;
  return true;
}

cloche_status cloche__slot_new(const cloche__image *image, bool tracked, cloche__slot **made) {
  cloche__slot *slot = calloc(1, sizeof *slot);
  if (slot == NULL) return CLOCHE_E_MEMORY;
  *slot = (cloche__slot){.image = image, .size = image->size, .tracked = tracked};
  slot->words = word_count(slot->size);
  void *base = mmap(NULL, CLOCHE__RESERVE_BYTES, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) {
    free(slot);
    return CLOCHE_E_SYSTEM;
  }
  slot->base = base;
  if (!ensure_bitmaps(slot, slot->size)) {
    cloche__slot_free(slot);
    return CLOCHE_E_MEMORY;
  }
  if (!map_image(slot, image_protection(slot))) {
    cloche__slot_free(slot);
    return CLOCHE_E_SYSTEM;
  }
  *made = slot;
  return CLOCHE_OK;
}

void cloche__slot_free(cloche__slot *slot) {
  if (slot == NULL) return;
  cloche__slot_forget_checkpoint(slot);
  if (slot->shadow != NULL) munmap(slot->shadow, slot->shadow_bytes);
  if (slot->base != NULL) munmap(slot->base, CLOCHE__RESERVE_BYTES);
  cloche__frozen_free(slot->frozen);
  free(slot->touched);
  free(slot);
}

/* ---- growing ---- */

void cloche__slot_limit(cloche__slot *slot, uint64_t bytes) {
  uint64_t limit = slot->image->size + bytes;
  if (limit > CLOCHE__MEMORY_MAX) limit = CLOCHE__MEMORY_MAX;
  slot->limit = (uint32_t)(limit - limit % CLOCHE__WASM_PAGE);
}

uint32_t cloche__slot_grow(cloche__slot *slot, uint32_t wasm_pages) {
  uint32_t old = slot->size;
  uint64_t size = old + (uint64_t)wasm_pages * CLOCHE__WASM_PAGE;
  if (size > slot->limit || !ensure_bitmaps(slot, (uint32_t)size)) return UINT32_MAX;
  if (wasm_pages > 0 && mprotect(slot->base + old, size - old, image_protection(slot)) != 0)
    return UINT32_MAX;
  slot->size = (uint32_t)size;
  slot->words = word_count(slot->size);
  return old / CLOCHE__WASM_PAGE;
}

/* Takes back the pages from `size` up, with what was in them. */
static bool shrink(cloche__slot *slot, uint32_t size) {
  if (slot->size == size) return true;
  uint8_t *at = slot->base + size;
  size_t length = slot->size - size;
  /* What lies in a frozen state would be there again when memory grows. */
  if (slot->frozen != NULL) {
    slot->frozen_whole &= size >= slot->frozen->size;
    if (mmap(at, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1,
             0) == MAP_FAILED)
      return false;
  } else if (madvise(at, length, MADV_DONTNEED) != 0 || mprotect(at, length, PROT_NONE) != 0) {
    return false;
  }
  for (uint32_t page = page_count(size); page < page_count(slot->size); page++) {
    uint64_t keep = ~((uint64_t)1 << (page % WORD));
    slot->touched[page / WORD] &= keep;
    slot->writable[page / WORD] &= keep;
    slot->saved[page / WORD] &= keep;
    slot->since[page / WORD] &= keep;
  }
  slot->size = size;
  slot->words = word_count(size);
  return true;
}

/* ---- writing ---- */

static void save(cloche__slot *slot, uint32_t page) {
  size_t at = (size_t)page << CLOCHE__PAGE_SHIFT;
  memcpy(slot->shadow + at, slot->base + at, CLOCHE__PAGE);
  add(slot->saved, page);
}

static bool make_writable(cloche__slot *slot, uint32_t first, uint32_t end) {
  if (mprotect(slot->base + ((size_t)first << CLOCHE__PAGE_SHIFT),
               (size_t)(end - first) << CLOCHE__PAGE_SHIFT, PROT_READ | PROT_WRITE) != 0)
    return false;
  for (uint32_t page = first; page < end; page++) {
    if (slot->checkpoint && has(slot->before, page) && !has(slot->saved, page)) save(slot, page);
    add(slot->touched, page);
    add(slot->writable, page);
    add(slot->since, page);
  }
  return true;
}

void cloche__slot_expect(cloche__slot *slot, const uint64_t *hot, uint32_t words) {
  memcpy(slot->touched, hot, words * sizeof *hot);
}

void cloche__slot_warm(cloche__slot *slot) {
  uint32_t from = 0, first, end;
  while (next_run(slot->touched, slot->words, &from, &first, &end))
    if (slot->tracked)
      make_writable(slot, first, end);
    else /* a matter of speed; an older kernel may refuse */
      (void)madvise(slot->base + ((size_t)first << CLOCHE__PAGE_SHIFT),
                    (size_t)(end - first) << CLOCHE__PAGE_SHIFT, MADV_POPULATE_WRITE);
}

bool cloche__slot_fault(cloche__slot *slot, uint64_t offset) {
  if (offset >= slot->size || !slot->tracked) return false;
  uint32_t page = (uint32_t)(offset >> CLOCHE__PAGE_SHIFT);
  if (has(slot->writable, page)) return false; /* it is not the protection that stopped it */
  /* A program that fills memory faults page after page: open a window that doubles. */
  bool in_row = page == slot->fault_next && page >= page_count(slot->image->size);
  slot->fault_run = !in_row ? 1 : slot->fault_run < WINDOW_MAX ? slot->fault_run * 2 : WINDOW_MAX;
  uint32_t end = page + slot->fault_run, last = page_count(slot->size);
  if (end > last) end = last;
  for (uint32_t next = page + 1; next < end; next++)
    if (has(slot->writable, next)) end = next;
  slot->fault_next = end;
  return make_writable(slot, page, end);
}

uint8_t *cloche__slot_open(cloche__slot *slot, uint32_t at, uint32_t size) {
  uint32_t page = at >> CLOCHE__PAGE_SHIFT, last = (at + (size - 1)) >> CLOCHE__PAGE_SHIFT;
  while (slot->tracked && size > 0 && page <= last) {
    uint32_t end = page;
    while (end <= last && !has(slot->writable, end)) end++;
    if (end > page) make_writable(slot, page, end);
    page = end + 1;
  }
  return slot->base + at;
}

void cloche__slot_write(cloche__slot *slot, uint32_t at, const void *bytes, uint32_t size) {
  if (size > 0) memcpy(cloche__slot_open(slot, at, size), bytes, size);
}

/* ---- what differs from the image ---- */

void cloche__slot_look(cloche__slot *slot) {
  if (slot->tracked) return;
  cloche__pagemap_mark(slot->base, slot->size, slot->since);
  for (uint32_t i = 0; i < slot->words; i++) slot->touched[i] |= slot->since[i];
}

const uint8_t *cloche__slot_original(const cloche__slot *slot, uint32_t page) {
  static const uint8_t zeros[CLOCHE__PAGE];
  return page < page_count(slot->image->size)
             ? slot->image->bytes + ((size_t)page << CLOCHE__PAGE_SHIFT)
             : zeros;
}

bool cloche__slot_next_change(const cloche__slot *slot, uint32_t *page) {
  uint32_t from = *page, first, end;
  while (next_run(slot->touched, slot->words, &from, &first, &end))
    for (*page = first; *page < end; ++*page) {
      const uint8_t *now = slot->base + ((size_t)*page << CLOCHE__PAGE_SHIFT);
      if (memcmp(now, cloche__slot_original(slot, *page), CLOCHE__PAGE) != 0) return true;
    }
  return false;
}

/* ---- large states ---- */

/* The mapping is of `frozen` from now on; every page of it faults again. */
static void be_frozen(cloche__slot *slot, cloche__frozen *frozen) {
  cloche__frozen_free(slot->frozen);
  slot->frozen = frozen;
  slot->frozen_whole = true;
  memset(slot->writable, 0, slot->words * sizeof *slot->writable);
  memset(slot->since, 0, slot->words * sizeof *slot->since);
}

bool cloche__slot_freeze(cloche__slot *slot) {
  cloche__slot_look(slot);
  cloche__frozen *frozen =
      cloche__frozen_new(slot->image, slot->base, slot->size, slot->touched, slot->words);
  if (frozen == NULL || !map_frozen(slot, frozen, image_protection(slot))) {
    cloche__frozen_free(frozen);
    return false;
  }
  be_frozen(slot, frozen);
  return true;
}

bool cloche__slot_adopt(cloche__slot *slot, cloche__frozen *frozen) {
  if (frozen->size > slot->limit || !ensure_bitmaps(slot, frozen->size) ||
      !map_frozen(slot, frozen, image_protection(slot)))
    return false;
  slot->size = frozen->size;
  slot->words = word_count(slot->size);
  be_frozen(slot, cloche__frozen_keep(frozen));
  for (uint32_t i = 0; i < frozen->words; i++) slot->touched[i] |= frozen->touched[i];
  return true;
}

bool cloche__slot_next_since(const cloche__slot *slot, uint32_t *page) {
  uint32_t from = *page, end;
  if (!cloche__slot_shares(slot)) return cloche__slot_next_change(slot, page);
  return next_run(slot->since, slot->words, &from, page, &end);
}

uint32_t cloche__slot_count_since(const cloche__slot *slot) {
  return count_pages(cloche__slot_shares(slot) ? slot->since : slot->touched, slot->words);
}

/* ---- cleaning ---- */

static bool map_afresh(cloche__slot *slot) {
  if (!map_image(slot, image_protection(slot))) return false;
  cloche__frozen_free(slot->frozen);
  slot->frozen = NULL;
  memset(slot->touched, 0, slot->words * sizeof *slot->touched);
  memset(slot->writable, 0, slot->words * sizeof *slot->writable);
  memset(slot->since, 0, slot->words * sizeof *slot->since);
  return true;
}

/* Without its private pages a mapping shows its file again. */
static bool drop_pages(cloche__slot *slot) {
  if (slot->tracked || madvise(slot->base, slot->image->size, MADV_DONTNEED) != 0)
    return map_afresh(slot);
  memset(slot->touched, 0, slot->words * sizeof *slot->touched);
  return true;
}

static void copy_back(cloche__slot *slot, uint32_t first, uint32_t end) {
  size_t at = (size_t)first << CLOCHE__PAGE_SHIFT;
  memcpy(slot->base + at, slot->image->bytes + at, (size_t)(end - first) << CLOCHE__PAGE_SHIFT);
}

bool cloche__slot_reset(cloche__slot *slot, bool by_mapping) {
  cloche__slot_forget_checkpoint(slot);
  slot->fault_next = 0; /* no run of faults reaches into the next tenant */
  if (!shrink(slot, slot->image->size)) return false;
  if (slot->frozen != NULL) return map_afresh(slot);
  memset(slot->since, 0, slot->words * sizeof *slot->since);
  if (by_mapping) return drop_pages(slot);
  if (!slot->tracked) return cloche__pagemap_restore(slot->base, slot->image) || map_afresh(slot);
  if (count_pages(slot->touched, slot->words) > CLOCHE__HOT_PAGES) return map_afresh(slot);
  uint32_t from = 0, first, end;
  while (next_run(slot->touched, slot->words, &from, &first, &end)) {
    /* A page can be touched but no longer writable, after a checkpoint of a large state. */
    for (uint32_t page = first; page < end; page++)
      if (!has(slot->writable, page)) return map_afresh(slot);
    copy_back(slot, first, end);
  }
  return true;
}

/* ---- checkpoints ---- */

static bool protect_touched(cloche__slot *slot) {
  uint32_t from = 0, first, end;
  while (next_run(slot->writable, slot->words, &from, &first, &end))
    if (mprotect(slot->base + ((size_t)first << CLOCHE__PAGE_SHIFT),
                 (size_t)(end - first) << CLOCHE__PAGE_SHIFT, PROT_READ) != 0)
      return false;
  memset(slot->writable, 0, slot->words * sizeof *slot->writable);
  return true;
}

/* Address space for every page that the slot may ever save: no more, since it counts against the
 * limit on a worker's memory. */
static bool ensure_shadow(cloche__slot *slot) {
  if (slot->shadow != NULL && slot->shadow_bytes >= slot->limit) return true;
  if (slot->shadow != NULL) munmap(slot->shadow, slot->shadow_bytes);
  slot->shadow_bytes = slot->limit > slot->size ? slot->limit : slot->size;
  void *shadow = mmap(NULL, slot->shadow_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  slot->shadow = shadow == MAP_FAILED ? NULL : shadow;
  return slot->shadow != NULL;
}

bool cloche__slot_checkpoint(cloche__slot *slot, bool pristine) {
  cloche__slot_forget_checkpoint(slot);
  slot->checkpoint_size = slot->size;
  size_t bytes = slot->capacity * sizeof *slot->before;
  memset(slot->before, 0, bytes);
  memset(slot->saved, 0, bytes);
  slot->checkpoint = true;
  slot->checkpoint_pristine = pristine;
  if (pristine) return true; /* nothing to save: the image is the checkpoint */
  if (!ensure_shadow(slot)) return slot->checkpoint = false;
  cloche__slot_look(slot);
  memcpy(slot->before, slot->touched, slot->words * sizeof *slot->before);
  if (slot->tracked && count_pages(slot->touched, slot->words) > CLOCHE__CHECKPOINT_PAGES)
    return slot->checkpoint = protect_touched(slot);
  uint32_t from = 0, first, end;
  while (next_run(slot->before, slot->words, &from, &first, &end))
    for (uint32_t page = first; page < end; page++) save(slot, page);
  return true;
}

/* Pages written before the slot was frozen are not writable any more. */
static uint8_t *open_page(cloche__slot *slot, uint32_t page) {
  return cloche__slot_open(slot, page << CLOCHE__PAGE_SHIFT, CLOCHE__PAGE);
}

void cloche__slot_rollback(cloche__slot *slot) {
  cloche__slot_look(slot);
  shrink(slot, slot->checkpoint_size);
  if (slot->frozen != NULL && slot->checkpoint_pristine && map_afresh(slot)) return;
  uint32_t from = 0, first, end, image_pages = page_count(slot->image->size);
  while (next_run(slot->touched, slot->words, &from, &first, &end))
    for (uint32_t page = first; page < end; page++) {
      size_t at = (size_t)page << CLOCHE__PAGE_SHIFT;
      if (has(slot->saved, page))
        memcpy(open_page(slot, page), slot->shadow + at, CLOCHE__PAGE);
      else if (has(slot->before, page))
        continue; /* not written since */
      else if (page < image_pages)
        memcpy(open_page(slot, page), slot->image->bytes + at, CLOCHE__PAGE);
      else
        memset(open_page(slot, page), 0, CLOCHE__PAGE);
    }
}

const uint8_t *cloche__slot_next_before(const cloche__slot *slot, uint32_t *page) {
  uint32_t from = *page, end;
  if (!slot->checkpoint || slot->checkpoint_pristine ||
      !next_run(slot->before, word_count(slot->checkpoint_size), &from, page, &end))
    return NULL;
  size_t at = (size_t)*page << CLOCHE__PAGE_SHIFT;
  return has(slot->saved, *page) ? slot->shadow + at : slot->base + at;
}

void cloche__slot_forget_checkpoint(cloche__slot *slot) {
  if (!slot->checkpoint) return;
  slot->checkpoint = false;
  uint32_t from = 0, first, end;
  if (slot->shadow != NULL && count_pages(slot->saved, slot->words) > CLOCHE__CHECKPOINT_PAGES)
    while (next_run(slot->saved, slot->words, &from, &first, &end))
      madvise(slot->shadow + ((size_t)first << CLOCHE__PAGE_SHIFT),
              (size_t)(end - first) << CLOCHE__PAGE_SHIFT, MADV_DONTNEED);
}

uint64_t cloche__slot_private(const cloche__slot *slot) {
  return (uint64_t)count_pages(slot->touched, slot->words) << CLOCHE__PAGE_SHIFT;
}
