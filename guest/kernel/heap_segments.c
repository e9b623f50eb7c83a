// SPDX-License-Identifier: MIT
/* heap_segments.c -- slices within segments. */
#include "heap_memory.h"
#ifdef GUEST_HEAP
#include <string.h>

#include "heap_parts.h"

#define ALL_SLICES UINT64_MAX

static uint64_t mask_of(uint32_t first, uint32_t count) {
  uint64_t ones = count == SLICES ? ALL_SLICES : ((uint64_t)1 << count) - 1;
  return ones << first;
}

/* ---- bins ---- */

static int bin_for(uint64_t free) {
  int bin = -1;
  for (uint32_t run = 1; free != 0 && bin < BINS - 1; run *= 2) {
    bin++;
    free &= free >> run; /* now a bit where 2 * run are free in a row */
  }
  return bin;
}

static void leave_bin(segment *leaving) {
  if (leaving->bin < 0) return;
  if (leaving->bin_next != NULL) leaving->bin_next->bin_previous = leaving->bin_previous;
  if (leaving->bin_previous != NULL)
    leaving->bin_previous->bin_next = leaving->bin_next;
  else
    leaving->owner->bins[leaving->bin] = leaving->bin_next;
  leaving->bin = -1;
}

static void enter_bin(segment *entering) {
  int bin = bin_for(entering->free);
  entering->bin = (int8_t)bin;
  if (bin < 0) return;
  segment **first = &entering->owner->bins[bin];
  entering->bin_previous = NULL;
  entering->bin_next = *first;
  if (*first != NULL) (*first)->bin_previous = entering;
  *first = entering;
}

static void set_free(segment *in, uint64_t free) {
  in->free = free;
  if (bin_for(free) == in->bin) return;
  leave_bin(in);
  enter_bin(in);
}

/* ---- segments ---- */

static segment *add_segment(heap *owner, uint32_t index, uint32_t header, uint64_t free) {
  segment *made = (segment *)(void *)(extent_address(index) + header * SLICE);
  memset(made, 0, sizeof *made);
  memset(made->kind, SLICE_FREE, sizeof made->kind);
  made->owner = owner;
  made->header = (uint8_t)header;
  made->kind[header] = SLICE_HEADER;
  made->next = owner->segments;
  if (made->next != NULL) made->next->previous = made;
  owner->segments = made;
  owner->held++;
  made->free = free;
  made->bin = -1;
  enter_bin(made);
  heap_extents[index].header = made;
  return made;
}

segment *segment_create(heap *owner) {
  bool clean;
  uint32_t index = extents_take(1, &clean);
  return index == 0 ? NULL : add_segment(owner, index, 0, ALL_SLICES << 1);
}

void segment_create_rest(heap *owner, uint32_t index, uint32_t header) {
  uint64_t free = header + 1 == SLICES ? 0 : ALL_SLICES << (header + 1);
  segment *made = add_segment(owner, index, header, free);
  memset(made->kind, SLICE_HUGE, header);
}

void segment_forget(segment *forgotten) {
  heap *owner = forgotten->owner;
  leave_bin(forgotten);
  if (forgotten->next != NULL) forgotten->next->previous = forgotten->previous;
  if (forgotten->previous != NULL)
    forgotten->previous->next = forgotten->next;
  else
    owner->segments = forgotten->next;
  owner->held--;
}

void segment_release(segment *released) {
  uint32_t index = extent_of(released);
  segment_forget(released);
  extents_give(index, 1);
}

bool segment_is_empty(const segment *asked) {
  return asked->free == (ALL_SLICES & ~mask_of(asked->header, 1));
}

/* ---- slices ---- */

/* The lowest of `count` free slices in a row, SLICES if there are none. */
static uint32_t find_run(uint64_t free, uint32_t count) {
  for (uint32_t have = 1; have < count;) {
    uint32_t more = have < count - have ? have : count - have;
    free &= free >> more;
    have += more;
  }
  return free == 0 ? SLICES : (uint32_t)__builtin_ctzll(free);
}

static void mark_run(segment *in, uint32_t first, uint32_t count, uint8_t kind) {
  memset(in->kind + first, kind, count);
  memset(in->start + first, (int)first, count);
  in->length[first] = (uint8_t)count;
}

/* A segment of the lowest bin that may do; only in that one it may turn out not to. */
static segment *find_segment(heap *in, uint32_t count, uint32_t *first) {
  enum { TRIES = 4 };
  for (int bin = 31 - __builtin_clz(count); bin < BINS; bin++) {
    segment *at = in->bins[bin];
    for (int i = 0; i < TRIES && at != NULL; i++, at = at->bin_next) {
      *first = find_run(at->free, count);
      if (*first < SLICES) return at;
    }
  }
  return NULL;
}

/* Now and then, and so that it takes no more time than the allocations in between. */
static bool sweep_is_due(heap *asked) {
  enum { SWEEP_FROM = 16 };
  bool due = asked->sweep_at > 0 && asked->held >= asked->sweep_at;
  if (due) (void)heap_sweep(asked);
  if (due || asked->sweep_at == 0) asked->sweep_at = asked->held + asked->held / 2 + SWEEP_FROM;
  return due;
}

static segment *more_room(heap *in, uint32_t count, uint32_t *first) {
  segment *found = sweep_is_due(in) ? find_segment(in, count, first) : NULL;
  if (found != NULL) return found;
  segment *made = segment_create(in);
  if (made == NULL && heap_sweep(in)) found = find_segment(in, count, first);
  if (found != NULL) return found;
  if (made == NULL && heap_sweep(&heap_kernel)) made = segment_create(in);
  if (made != NULL) *first = made->header + 1u;
  return made;
}

uint8_t *slices_take(heap *from, uint32_t count, uint8_t kind) {
  uint32_t first = 0;
  segment *in = find_segment(from, count, &first);
  if (in == NULL) in = more_room(from, count, &first);
  if (in == NULL) return NULL;
  set_free(in, in->free & ~mask_of(first, count));
  mark_run(in, first, count, kind);
  return segment_base(in) + first * SLICE;
}

bool slices_take_here(segment *in, uint32_t first, uint32_t count) {
  if (first + count > SLICES) return false;
  uint64_t wanted = mask_of(first, count);
  if ((in->free & wanted) != wanted) return false;
  set_free(in, in->free & ~wanted);
  return true;
}

static void give_mask(segment *in, uint64_t given) {
  for (uint64_t left = given; left != 0; left &= left - 1)
    in->kind[__builtin_ctzll(left)] = SLICE_FREE;
  set_free(in, in->free | given);
  /* One is kept, so that a block that comes and goes does not make and release it each time. */
  if (segment_is_empty(in) && in->owner->held > 1) segment_release(in);
}

void slices_give(segment *in, uint32_t first, uint32_t count) {
  give_mask(in, mask_of(first, count));
}

/* ---- sweeping ---- */

static segment *segment_at(const void *at) {
  return heap_extents[extent_of(at)].header;
}

static uint32_t blocks_in(const segment *in, uint32_t start) {
  return in->length[start] * SLICE / heap_class_size[in->kind[start]];
}

static uint16_t *count_of(const void *block) {
  segment *in = segment_at(block);
  return &in->swept[in->start[slice_of(block)]];
}

static bool is_unused_run(const segment *in, uint32_t slice) {
  return in->kind[slice] < CLASSES && in->start[slice] == slice &&
         in->swept[slice] == blocks_in(in, slice);
}

static bool is_in_unused_run(const void *block) {
  const segment *in = segment_at(block);
  return is_unused_run(in, in->start[slice_of(block)]);
}

static void count_free_blocks(heap *of) {
  for (segment *at = of->segments; at != NULL; at = at->next)
    memset(at->swept, 0, sizeof at->swept);
  for (int class = 0; class < CLASSES; class ++)
    for (void *block = of->free[class]; block != NULL; block = *(void **)block) ++*count_of(block);
}

static void unlink_unused(heap *of) {
  for (int class = 0; class < CLASSES; class ++) {
    void **link = &of->free[class];
    while (*link != NULL) {
      void *block = *link;
      if (is_in_unused_run(block))
        *link = *(void **)block;
      else
        link = (void **)block;
    }
  }
}

bool heap_sweep(heap *swept) {
  bool found = false;
  count_free_blocks(swept);
  unlink_unused(swept);
  segment *next;
  for (segment *at = swept->segments; at != NULL; at = next) {
    next = at->next;
    uint64_t unused = 0;
    for (uint32_t slice = 0; slice < SLICES; slice++)
      if (is_unused_run(at, slice)) unused |= mask_of(slice, at->length[slice]);
    if (unused != 0) give_mask(at, unused);
    found = found || unused != 0;
  }
  return found;
}

bool heap_sweep_all(heap *first) {
  bool found = heap_sweep(first);
  return (first != &heap_kernel && heap_sweep(&heap_kernel)) || found;
}
#else
typedef int iso_c_wants_a_declaration;
#endif
