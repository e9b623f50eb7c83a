// SPDX-License-Identifier: MIT
/* heap_huge.c -- blocks of more than 63 KiB: whole segments in a row, and the first slices of the
 * last one. */
#include "heap_memory.h"
#ifdef GUEST_HEAP
#include <string.h>

#include "heap_parts.h"

/* Fewer slices than this behind a huge block are left unused. */
enum { REST_MIN = 4 };
#define HUGE_MAX ((size_t)1 << 31)

static uint32_t slices_for(size_t size) {
  return (uint32_t)((size + SLICE - 1) / SLICE);
}
static uint32_t segments_for(uint32_t slices) {
  return (slices + SLICES - 1) / SLICES;
}

/* ---- the owner's list ---- */

static void add_to_list(heap *owner, uint32_t index) {
  extent *added = &heap_extents[index];
  added->owner = owner;
  added->previous = 0;
  added->next = owner->huge;
  if (added->next != 0) heap_extents[added->next].previous = (uint16_t)index;
  owner->huge = (uint16_t)index;
}

static void remove_from_list(uint32_t index) {
  extent *removed = &heap_extents[index];
  if (removed->next != 0) heap_extents[removed->next].previous = removed->previous;
  if (removed->previous != 0)
    heap_extents[removed->previous].next = removed->next;
  else
    removed->owner->huge = removed->next;
}

/* ---- taking ---- */

/* What is left of the last segment becomes a segment of the owner's. */
static void use_rest(heap *owner, uint32_t first, uint32_t slices) {
  uint32_t used = slices % SLICES;
  if (used != 0 && SLICES - used >= REST_MIN)
    segment_create_rest(owner, first + segments_for(slices) - 1, used);
}

void *huge_take(heap *from, size_t size, bool *clean) {
  if (size > HUGE_MAX) return NULL;
  uint32_t slices = slices_for(size);
  uint32_t first = extents_take(segments_for(slices), clean);
  if (first == 0 && heap_sweep_all(from)) first = extents_take(segments_for(slices), clean);
  if (first == 0) return NULL;
  heap_extents[first].slices = slices & 0xffffff;
  add_to_list(from, first);
  use_rest(from, first, slices);
  return extent_address(first);
}

/* ---- giving back ---- */

void huge_give(uint32_t index) {
  uint32_t slices = heap_extents[index].slices;
  uint32_t count = segments_for(slices);
  uint32_t last = index + count - 1;
  segment *rest = slices % SLICES == 0 ? NULL : heap_extents[last].header;
  remove_from_list(index);
  heap_extents[index].slices = 0;
  extents_give(index, rest == NULL ? count : count - 1);
  if (rest == NULL) return;
  slices_give(rest, 0, slices % SLICES);
}

/* ---- changing size ---- */

/* Takes the rest segment behind the block away; false if something is in it. */
static bool remove_rest(uint32_t index) {
  uint32_t slices = heap_extents[index].slices;
  uint32_t last = index + segments_for(slices) - 1;
  segment *rest = heap_extents[last].header;
  if (slices % SLICES == 0 || rest == NULL) return true;
  uint64_t unused = ~(uint64_t)0 << (rest->header + 1);
  if (rest->free != unused) return false;
  segment_forget(rest);
  heap_extents[last].header = NULL;
  return true;
}

bool huge_resize(uint32_t index, size_t size) {
  if (size > HUGE_MAX) return false;
  uint32_t old = heap_extents[index].slices, slices = slices_for(size);
  if (slices == old) return true;
  heap *owner = heap_extents[index].owner;
  if (!remove_rest(index)) return slices <= old && slices > old / 2;
  uint32_t had = segments_for(old), needs = segments_for(slices);
  if (needs > had && !extents_take_here(index + had, needs - had)) {
    use_rest(owner, index, old);
    return false;
  }
  if (needs < had) extents_give(index + needs, had - needs);
  heap_extents[index].slices = slices & 0xffffff;
  use_rest(owner, index, slices);
  return true;
}
#else
typedef int iso_c_wants_a_declaration;
#endif
