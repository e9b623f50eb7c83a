// SPDX-License-Identifier: MIT
/* heap_extents.c -- segments as a whole: which are free. The lowest that fit are taken, so that
 * what one run gave back, and has written already, is what the next one gets. */
#include "heap_memory.h"
#ifdef GUEST_HEAP
#include <string.h>

#include "heap_parts.h"

extent heap_extents[EXTENTS];

static struct {
  uint32_t end;    /* memory is known up to here */
  uint32_t lowest; /* nothing below is free */
} known;

/* Memory that is there but that nobody told us of: all of it at first. */
static void notice_growth(void) {
  uint32_t size = heap_memory_size();
  if (size > EXTENTS) size = EXTENTS;
  if (known.end == 0) known.end = known.lowest = heap_memory_first();
  for (; known.end < size; known.end++) heap_extents[known.end].state = EXTENT_CLEAN;
}

static bool is_free(uint32_t index) {
  return heap_extents[index].state == EXTENT_CLEAN || heap_extents[index].state == EXTENT_FREE;
}

static bool are_free(uint32_t first, uint32_t count) {
  if (count > known.end - first) return false;
  for (uint32_t i = first; i < first + count; i++)
    if (!is_free(i)) return false;
  return true;
}

static bool grow(uint32_t count) {
  if (count > EXTENTS - known.end || !heap_memory_grow(count)) return false;
  notice_growth();
  return true;
}

static bool mark_used(uint32_t first, uint32_t count) {
  bool clean = true;
  for (uint32_t i = first; i < first + count; i++) {
    clean = clean && heap_extents[i].state == EXTENT_CLEAN;
    heap_extents[i] = (extent){.state = EXTENT_USED};
  }
  while (known.lowest < known.end && !is_free(known.lowest)) known.lowest++;
  return clean;
}

/* The first of `count` free ones in a row, `known.end` if there are none. */
static uint32_t find(uint32_t count) {
  uint32_t run = 0;
  for (uint32_t i = known.lowest; i < known.end; i++) {
    run = is_free(i) ? run + 1 : 0;
    if (run == count) return i + 1 - count;
  }
  return known.end;
}

static uint32_t free_at_end(void) {
  uint32_t count = 0;
  while (known.end - count > known.lowest && is_free(known.end - count - 1)) count++;
  return count;
}

uint32_t extents_take(uint32_t count, bool *clean) {
  if (known.end == 0) notice_growth();
  uint32_t first = find(count);
  if (first == known.end) {
    uint32_t there = free_at_end();
    first = known.end - there;
    if (!grow(count - there)) return 0;
  }
  *clean = mark_used(first, count);
  return first;
}

bool extents_take_here(uint32_t first, uint32_t count) {
  uint32_t there = known.end > first ? known.end - first : 0;
  if (there > count) there = count;
  if (!are_free(first, there)) return false;
  if (there < count && !grow(count - there)) return false;
  mark_used(first, count);
  return true;
}

void extents_give(uint32_t first, uint32_t count) {
  for (uint32_t i = first; i < first + count; i++) heap_extents[i] = (extent){.state = EXTENT_FREE};
  if (first < known.lowest) known.lowest = first;
}

void extents_reserve(uint32_t count) {
  uint32_t there = 0;
  for (uint32_t i = known.lowest; i < known.end; i++) {
    if (!is_free(i)) continue;
    if (heap_extents[i].state == EXTENT_FREE) memset(extent_address(i), 0, SEGMENT);
    heap_extents[i].state = EXTENT_CLEAN;
    there++;
  }
  if (there < count) (void)grow(count - there);
}
#else
typedef int iso_c_wants_a_declaration;
#endif
