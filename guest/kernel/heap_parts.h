// SPDX-License-Identifier: MIT
/* heap_parts.h -- how memory is laid out, for the files heap*.c.
 *
 *   memory   | not ours | segment | segment | ...                      64 KiB each, aligned
 *   segment  | header | run | run of two | free | free | run ...      slices of 1 KiB
 *   run      | block | block | block ...                               of one size class
 *
 * A segment belongs to one heap. A block of up to 2 KiB comes from a run of its class, one of up to
 * 63 KiB is a run of its own, a larger one ("huge") starts at a segment and covers as many as it
 * needs; what it leaves of its last segment is used as any other segment, the header then standing
 * behind it. The table `extents` leads from an address to the header of its segment.
 *
 * Why slices as small as 1 KiB: a fresh sandbox pays for each page of 4 KiB that it writes, and a
 * small run takes a few blocks of a dozen classes. */
#ifndef GUEST_KERNEL_HEAP_PARTS_H
#define GUEST_KERNEL_HEAP_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "heap.h"
#include "heap_memory.h"

#define SLICE 1024u
#define SLICES 64u
#define SEGMENT (SLICE * SLICES)
#define EXTENTS 65536u

/* 8, 16, ... 128, then four for each doubling up to 2048. */
#define CLASSES 32
#define SMALL_MAX 2048u
#define MEDIUM_MAX (SLICE * (SLICES - 1))

/* What a slice is part of, beside the numbers of classes. */
enum { SLICE_MEDIUM = 0x40, SLICE_HUGE, SLICE_FREE, SLICE_HEADER, SLICE_SEALED = 0x80 };

typedef struct segment {
  heap *owner;
  struct segment *next, *previous;         /* of the owner's */
  struct segment *bin_next, *bin_previous; /* with about as much room */
  uint64_t free;                           /* one bit for each slice */
  int8_t bin;                              /* -1: no slice is free */
  uint8_t header;                          /* the slice this stands in */
  uint8_t kind[SLICES];                    /* class or SLICE_... */
  uint8_t start[SLICES];                   /* the run's first slice */
  uint8_t length[SLICES];                  /* of the run that starts here */
  uint16_t swept[SLICES];                  /* free blocks of the run, while a sweep counts */
} segment;

/* By the number of runs of 1, 2, 4 ... 32 free slices in a row that are there at most. */
#define BINS 6

struct heap {
  void *free[CLASSES];  /* blocks, each pointing to the next */
  uint8_t run[CLASSES]; /* slices of the class's next run, 0: as few as possible */
  segment *bins[BINS];
  segment *segments;
  uint32_t held;     /* segments */
  uint32_t sweep_at; /* sweep before holding more than so many */
  uint16_t huge;     /* extent of the first huge block, 0: none */
};

/* FREE: what was there before still is. CLEAN: zeros. */
typedef enum { EXTENT_NOT_OURS, EXTENT_CLEAN, EXTENT_FREE, EXTENT_USED } extent_state;

typedef struct {
  segment *header; /* NULL where a huge block covers all of it */
  heap *owner;     /* of the huge block that starts here; NULL when it is sealed */
  uint32_t state : 8;
  uint32_t slices : 24; /* of the huge block that starts here, else 0 */
  uint16_t next, previous;
} extent;

extern extent heap_extents[EXTENTS];
extern heap heap_kernel;
extern const uint16_t heap_class_size[CLASSES];

static inline uint32_t extent_of(const void *at) {
  return (uint32_t)(((uintptr_t)at - heap_memory_base()) / SEGMENT);
}
static inline uint8_t *extent_address(uint32_t index) {
  return (uint8_t *)(heap_memory_base() + (uintptr_t)index * SEGMENT);
}
static inline uint32_t slice_of(const void *at) {
  return (uint32_t)(((uintptr_t)at - heap_memory_base()) / SLICE % SLICES);
}
static inline uint8_t *segment_base(const segment *of) {
  return (uint8_t *)(uintptr_t)of - of->header * SLICE;
}

/* ---- heap_extents.c ---- */

/* `count` segments in a row, or 0. *clean: all of it is zeros. */
uint32_t extents_take(uint32_t count, bool *clean);
void extents_give(uint32_t first, uint32_t count);
/* These, if they are free or can be made by growing. */
bool extents_take_here(uint32_t first, uint32_t count);
/* For heap_seal: so many free ones, zeroed, without growing later. */
void extents_reserve(uint32_t count);

/* ---- heap_segments.c ---- */

/* A run of `count` slices with `kind` written into it; NULL when there is no memory. */
uint8_t *slices_take(heap *from, uint32_t count, uint8_t kind);
void slices_give(segment *in, uint32_t first, uint32_t count);
/* Slices [first, first + count) of the segment if they are free. */
bool slices_take_here(segment *in, uint32_t first, uint32_t count);
segment *segment_create(heap *owner);
/* The rest of a segment behind a huge block: its header comes at slice `header`. */
void segment_create_rest(heap *owner, uint32_t extent, uint32_t header);
/* Out of its owner's lists; the memory is not given back. */
void segment_forget(segment *forgotten);
void segment_release(segment *released);
/* No slice but the header is in use. */
bool segment_is_empty(const segment *asked);
/* Finds runs all of whose blocks are free and makes slices of them again. True if there were any.
 */
bool heap_sweep(heap *swept);
/* This one and the kernel's. */
bool heap_sweep_all(heap *first);

/* ---- heap_huge.c ---- */

void *huge_take(heap *from, size_t size, bool *clean);
void huge_give(uint32_t index);
/* In place; false when that cannot be. */
bool huge_resize(uint32_t index, size_t size);

#endif
