// SPDX-License-Identifier: MIT
/* arrays.c -- indexed and associative arrays. */
#include <stdlib.h>

#include "vars.h"

/* Where `index` is, or would be put. Arrays are mostly filled in order without gaps, so the place
 * is tried where it would be then, and behind the end, before searching. */
static size_t item_place(const array *of, int64_t index) {
  if (of->count == 0 || of->items[of->count - 1].index < index) return of->count;
  if (index >= 0 && (size_t)index < of->count && of->items[index].index == index)
    return (size_t)index;
  size_t low = 0, high = of->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (of->items[middle].index < index)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool item_at(const array *of, size_t place, int64_t index) {
  return place < of->count && of->items[place].index == index;
}

const char *indexed_get(const array *of, int64_t index) {
  size_t place = item_place(of, index);
  return item_at(of, place, index) ? of->items[place].text : NULL;
}

void indexed_put(array *into, int64_t index, const char *text, size_t size) {
  char *copy = memory_copy(text, size);
  size_t place = item_place(into, index);
  if (item_at(into, place, index)) {
    free(into->items[place].text);
    into->items[place].text = copy;
    return;
  }
  if (into->count == into->cap) {
    into->cap = into->cap != 0 ? into->cap * 2 : 8;
    into->items = memory_resize(into->items, into->cap * sizeof *into->items);
  }
  memmove(into->items + place + 1, into->items + place,
          (into->count - place) * sizeof *into->items);
  into->items[place] = (item){index, copy};
  into->count++;
}

void indexed_remove(array *from, int64_t index) {
  size_t place = item_place(from, index);
  if (!item_at(from, place, index)) return;
  free(from->items[place].text);
  from->count--;
  memmove(from->items + place, from->items + place + 1,
          (from->count - place) * sizeof *from->items);
}

int64_t indexed_last(const array *of) {
  return of->count == 0 ? -1 : of->items[of->count - 1].index;
}

/* ---- associative ---- */

#define MAP_BUCKETS 1024u /* bash's; it grows fourfold at two entries per bucket */

/* FNV-1 over signed characters, as bash has it. */
static uint32_t map_hash(const char *key) {
  uint32_t hash = 2166136261u;
  for (; *key != 0; key++) {
    hash *= 16777619u;
    hash ^= (uint32_t)(int32_t)(signed char)*key;
  }
  return hash;
}

static void map_grow(map *of) {
  size_t count = of->bucket_count == 0 ? MAP_BUCKETS : of->bucket_count * 4;
  pair **buckets = memory_take(count * sizeof *buckets);
  memset(buckets, 0, count * sizeof *buckets);
  for (size_t i = 0; i < of->bucket_count; i++)
    for (pair *at = of->buckets[i], *next; at != NULL; at = next) {
      next = at->next;
      pair **bucket = &buckets[at->hash & (count - 1)];
      at->next = *bucket;
      *bucket = at;
    }
  free(of->buckets);
  of->buckets = buckets;
  of->bucket_count = count;
}

static pair *map_find(const map *of, const char *key, uint32_t hash) {
  if (of->bucket_count == 0) return NULL;
  pair *at = of->buckets[hash & (of->bucket_count - 1)];
  while (at != NULL && (at->hash != hash || strcmp(at->key, key) != 0)) at = at->next;
  return at;
}

const char *keyed_get(const map *of, const char *key) {
  pair *found = map_find(of, key, map_hash(key));
  return found != NULL ? found->text : NULL;
}

void keyed_put(map *into, const char *key, const char *text, size_t size) {
  uint32_t hash = map_hash(key);
  char *copy = memory_copy(text, size);
  pair *found = map_find(into, key, hash);
  if (found != NULL) {
    free(found->text);
    found->text = copy;
    return;
  }
  if (into->bucket_count == 0 || into->count >= into->bucket_count * 2) map_grow(into);
  found = memory_take(sizeof *found);
  pair **bucket = &into->buckets[hash & (into->bucket_count - 1)];
  *found = (pair){*bucket, hash, memory_string(key), copy};
  *bucket = found;
  into->count++;
}

void keyed_remove(map *from, const char *key) {
  if (from->bucket_count == 0) return;
  uint32_t hash = map_hash(key);
  pair **at = &from->buckets[hash & (from->bucket_count - 1)];
  while (*at != NULL && ((*at)->hash != hash || strcmp((*at)->key, key) != 0)) at = &(*at)->next;
  if (*at == NULL) return;
  pair *gone = *at;
  *at = gone->next;
  free(gone->key);
  free(gone->text);
  free(gone);
  from->count--;
}

pair *keyed_next(const map *of, const pair *before) {
  if (before != NULL && before->next != NULL) return before->next;
  size_t bucket = before != NULL ? (before->hash & (of->bucket_count - 1)) + 1 : 0;
  for (; bucket < of->bucket_count; bucket++)
    if (of->buckets[bucket] != NULL) return of->buckets[bucket];
  return NULL;
}

void indexed_free(array *gone) {
  for (size_t i = 0; i < gone->count; i++) free(gone->items[i].text);
  free(gone->items);
  *gone = (array){0};
}

void keyed_free(map *gone) {
  for (size_t i = 0; i < gone->bucket_count; i++)
    for (pair *at = gone->buckets[i], *next; at != NULL; at = next) {
      next = at->next;
      free(at->key);
      free(at->text);
      free(at);
    }
  free(gone->buckets);
  *gone = (map){0};
}

void indexed_copy(array *to, const array *from) {
  to->items = memory_take(from->count * sizeof *to->items);
  to->count = to->cap = from->count;
  for (size_t i = 0; i < from->count; i++)
    to->items[i] = (item){from->items[i].index, memory_string(from->items[i].text)};
}

/* Chain by chain, so that the copy lists its entries in the same order. */
void keyed_copy(map *to, const map *from) {
  *to = (map){0};
  if (from->bucket_count == 0) return;
  to->buckets = memory_take(from->bucket_count * sizeof *to->buckets);
  to->bucket_count = from->bucket_count;
  to->count = from->count;
  for (size_t i = 0; i < from->bucket_count; i++) {
    pair **last = &to->buckets[i];
    for (const pair *at = from->buckets[i]; at != NULL; at = at->next) {
      *last = memory_take(sizeof **last);
      **last = (pair){NULL, at->hash, memory_string(at->key), memory_string(at->text)};
      last = &(*last)->next;
    }
    *last = NULL;
  }
}
