// SPDX-License-Identifier: MIT
/* folder.c -- the entries of a directory. */
#include "folder.h"

#include <string.h>

#include "../kernel/kernel.h"

enum { SMALL = 8 };

static uint32_t hash_of(const char *name, size_t size) {
  uint32_t hash = 2166136261u; /* FNV-1a */
  for (size_t i = 0; i < size; i++) hash = (hash ^ (uint8_t)name[i]) * 16777619u;
  return hash ^ hash >> 15;
}

static bool is_called(const folder_entry *entry, uint32_t hash, const char *name, size_t size) {
  return entry != NULL && entry->hash == hash && entry->size == size &&
         memcmp(entry->name, name, size) == 0;
}

static uint32_t index_mask(const folder *in) {
  return in->capacity * 2 - 1;
}

folder_entry *folder_find(const folder *in, const char *name, size_t size) {
  uint32_t hash = hash_of(name, size);
  if (in->index == NULL) {
    for (uint32_t i = 0; i < in->used; i++)
      if (is_called(in->slots[i], hash, name, size)) return in->slots[i];
    return NULL;
  }
  for (uint32_t at = hash;; at++) {
    uint32_t slot = in->index[at & index_mask(in)];
    if (slot == 0) return NULL;
    if (is_called(in->slots[slot - 1], hash, name, size)) return in->slots[slot - 1];
  }
}

static void index_slot(folder *in, uint32_t slot) {
  uint32_t at = in->slots[slot]->hash;
  while (in->index[at & index_mask(in)] != 0) at++;
  in->index[at & index_mask(in)] = slot + 1;
}

/* Moves what is live into new slots, with an index if there are many. */
static bool rebuild(folder *in, uint32_t capacity) {
  folder made = {.capacity = capacity, .slots = kernel_malloc(capacity * sizeof *made.slots)};
  if (made.slots == NULL) return false;
  if (capacity > SMALL) {
    made.index = kernel_malloc(capacity * 2 * sizeof *made.index);
    if (made.index == NULL) {
      kernel_free(made.slots);
      return false;
    }
    memset(made.index, 0, capacity * 2 * sizeof *made.index);
  }
  uint32_t slot = 0;
  folder_entry *entry;
  while ((entry = folder_next(in, &slot)) != NULL) {
    made.slots[made.used++] = entry;
    if (made.index != NULL) index_slot(&made, made.used - 1);
  }
  made.live = made.used;
  kernel_free(in->slots);
  kernel_free(in->index);
  *in = made;
  return true;
}

static bool make_room(folder *in) {
  if (in->used < in->capacity) return true;
  uint32_t capacity = in->capacity == 0 ? 4 : in->capacity;
  if (in->live > capacity / 2) capacity *= 2;
  return rebuild(in, capacity);
}

folder_entry *folder_add(folder *to, const char *name, size_t size, struct inode *added) {
  if (!make_room(to)) return NULL;
  folder_entry *entry = kernel_malloc(sizeof *entry + size + 1);
  if (entry == NULL) return NULL;
  *entry = (folder_entry){.inode = added, .hash = hash_of(name, size), .size = (uint16_t)size};
  memcpy(entry->name, name, size);
  entry->name[size] = 0;
  to->slots[to->used++] = entry;
  to->live++;
  if (to->index != NULL) index_slot(to, to->used - 1);
  return entry;
}

static uint32_t slot_of(const folder *in, const folder_entry *wanted) {
  uint32_t slot = 0;
  if (in->index == NULL) {
    while (in->slots[slot] != wanted) slot++;
    return slot;
  }
  for (uint32_t at = wanted->hash;; at++) {
    slot = in->index[at & index_mask(in)] - 1;
    if (in->slots[slot] == wanted) return slot;
  }
}

/* Its index cell stays and leads to an empty slot, so that searches go on behind it. */
void folder_remove(folder *from, const folder_entry *removed) {
  from->slots[slot_of(from, removed)] = NULL;
  from->live--;
  kernel_free((void *)(uintptr_t)removed);
}

void folder_release(folder *released) {
  for (uint32_t i = 0; i < released->used; i++) kernel_free(released->slots[i]);
  kernel_free(released->slots);
  kernel_free(released->index);
  *released = (folder){0};
}

folder_entry *folder_next(const folder *in, uint32_t *slot) {
  while (*slot < in->used) {
    folder_entry *entry = in->slots[(*slot)++];
    if (entry != NULL) return entry;
  }
  return NULL;
}
