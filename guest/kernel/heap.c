// SPDX-License-Identifier: MIT
/* heap.c -- malloc and its like by owner, over the slices of heap_segments.c.
 *
 * The usual allocation takes the first block of its class's list; the usual free puts it back
 * there. A list mixes blocks of many runs; when a heap is about to grow, it looks for runs that
 * have become free as a whole (heap_sweep) and makes slices of them again, so memory is not tied to
 * a class. */
#include "heap_memory.h"
#ifdef GUEST_HEAP
#include "heap_parts.h"

#include <errno.h>
#include <string.h>

#include "kernel.h"

heap heap_kernel;
static heap *entered = &heap_kernel;

const uint16_t heap_class_size[CLASSES] = {
    8,   16,  24,  32,  40,  48,  56,  64,  72,  80,  88,  96,   104,  112,  120,  128,
    160, 192, 224, 256, 320, 384, 448, 512, 640, 768, 896, 1024, 1280, 1536, 1792, 2048};

/* The fewest slices of which blocks of the class leave at most an eighth unused. */
static const uint8_t first_run[CLASSES] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                           1, 1, 1, 1, 1, 2, 1, 1, 2, 3, 1, 1, 4, 3, 2, 2};
/* A class that is asked for often gets longer runs, up to this. */
enum { RUN_MAX = 16 };

static inline uint32_t class_for(size_t size) {
  if (size <= 128) return size == 0 ? 0 : (uint32_t)(size - 1) / 8;
  uint32_t bits = 31 - (uint32_t)__builtin_clz((uint32_t)size - 1); /* 7 to 10 */
  uint32_t quarter = ((uint32_t)size - 1) >> (bits - 2) & 3;
  return 16 + (bits - 7) * 4 + quarter;
}

/* ---- taking ---- */

static uint8_t *take_run(heap *from, uint32_t class, uint32_t *slices) {
  uint32_t least = first_run[class];
  *slices = from->run[class] == 0 ? least : from->run[class];
  uint8_t *run = slices_take(from, *slices, (uint8_t) class);
  if (run == NULL && *slices > least) {
    *slices = least;
    run = slices_take(from, least, (uint8_t) class);
  }
  if (*slices * 2 <= RUN_MAX) from->run[class] = (uint8_t)(*slices * 2);
  return run;
}

static __attribute__((noinline)) void *refill(heap *from, uint32_t class) {
  uint32_t slices;
  uint8_t *run = take_run(from, class, &slices);
  if (run == NULL) return NULL;
  uint32_t size = heap_class_size[class], count = slices * SLICE / size;
  void *next = from->free[class];
  for (uint32_t i = count - 1; i > 0; i--) {
    *(void **)(void *)(run + i * size) = next;
    next = run + i * size;
  }
  from->free[class] = next;
  return run;
}

static __attribute__((noinline)) void *take_large(heap *from, size_t size) {
  bool clean;
  if (size > MEDIUM_MAX) return huge_take(from, size, &clean);
  return slices_take(from, (uint32_t)((size + SLICE - 1) / SLICE), SLICE_MEDIUM);
}

static inline void *take(heap *from, size_t size) {
  if (size > SMALL_MAX) return take_large(from, size);
  uint32_t class = class_for(size);
  void *block = from->free[class];
  if (block == NULL) return refill(from, class);
  from->free[class] = *(void **)block;
  return block;
}

static void *take_zeroed(heap *from, size_t size) {
  bool clean = false;
  void *block = size > MEDIUM_MAX ? huge_take(from, size, &clean) : take(from, size);
  if (block != NULL && !clean) memset(block, 0, size);
  return block;
}

/* Classes that are a power of two, and slices, are aligned by themselves. */
static void *take_aligned(heap *from, size_t alignment, size_t size) {
  bool clean;
  if (alignment > SEGMENT || (alignment & (alignment - 1)) != 0) return NULL;
  if (alignment <= 8) return take(from, size);
  if (alignment > SLICE) return huge_take(from, size > MEDIUM_MAX ? size : MEDIUM_MAX + 1, &clean);
  size_t rounded = alignment;
  while (rounded < size && rounded < SMALL_MAX) rounded *= 2;
  return take(from, rounded < size ? size : rounded);
}

/* ---- giving back ---- */

static void give_large(segment *header, void *block) {
  uint32_t index = extent_of(block);
  if (header == NULL || header->kind[slice_of(block)] == SLICE_HUGE) {
    if (heap_extents[index].owner != NULL) huge_give(index);
    return;
  }
  uint32_t slice = slice_of(block);
  if (header->kind[slice] == SLICE_MEDIUM) slices_give(header, slice, header->length[slice]);
}

static inline void give(void *block) {
  if (block == NULL) return;
  segment *header = heap_extents[extent_of(block)].header;
  uint32_t kind = header == NULL ? SLICE_HUGE : header->kind[slice_of(block)];
  if (kind >= CLASSES) { /* or sealed: then it stays as it is */
    give_large(header, block);
    return;
  }
  heap *owner = header->owner;
  *(void **)block = owner->free[kind];
  owner->free[kind] = block;
}

static size_t usable_size(const void *block) {
  if (block == NULL) return 0;
  const segment *header = heap_extents[extent_of(block)].header;
  uint32_t slice = slice_of(block);
  if (header == NULL) return (size_t)heap_extents[extent_of(block)].slices * SLICE;
  uint32_t kind = header->kind[slice] & ~(uint32_t)SLICE_SEALED;
  return kind < CLASSES ? heap_class_size[kind] : header->length[slice] * (size_t)SLICE;
}

/* ---- changing size ---- */

/* A medium block where it is. */
static bool resize_medium(segment *header, uint32_t slice, size_t size) {
  uint32_t had = header->length[slice], needs = (uint32_t)((size + SLICE - 1) / SLICE);
  if (needs > had && !slices_take_here(header, slice + had, needs - had)) return false;
  header->length[slice] = (uint8_t)needs;
  if (needs < had) slices_give(header, slice + needs, had - needs);
  if (needs > had) memset(header->kind + slice + had, SLICE_MEDIUM, needs - had);
  return true;
}

static bool resize_in_place(void *block, size_t size) {
  segment *header = heap_extents[extent_of(block)].header;
  uint32_t index = extent_of(block);
  if (header == NULL)
    return size > MEDIUM_MAX && heap_extents[index].owner != NULL && huge_resize(index, size);
  uint32_t kind = header->kind[slice_of(block)];
  if (kind < CLASSES) return size <= heap_class_size[kind] && size > heap_class_size[kind] / 2u;
  if (kind != SLICE_MEDIUM || size > MEDIUM_MAX || size <= SMALL_MAX) return false;
  return resize_medium(header, slice_of(block), size);
}

static void *retake(heap *from, void *old, size_t size) {
  if (old == NULL) return take(from, size);
  if (resize_in_place(old, size)) return old;
  void *moved = take(from, size);
  if (moved == NULL) return NULL;
  size_t had = usable_size(old);
  memcpy(moved, old, had < size ? had : size);
  give(old);
  return moved;
}

/* ---- heaps ---- */

heap *heap_create(void) {
  heap *made = take(&heap_kernel, sizeof *made);
  if (made != NULL) memset(made, 0, sizeof *made);
  return made;
}

void heap_destroy(heap *destroyed) {
  if (destroyed == NULL) return;
  while (destroyed->huge != 0) huge_give(destroyed->huge);
  while (destroyed->segments != NULL) segment_release(destroyed->segments);
  give(destroyed);
}

void heap_enter(heap *next) {
  entered = next == NULL ? &heap_kernel : next;
}

void *heap_malloc(heap *from, size_t size) {
  return take(from, size);
}

/* ---- names ---- */

void *kernel_malloc(size_t size) {
  return take(&heap_kernel, size);
}
void *kernel_realloc(void *at, size_t size) {
  return retake(&heap_kernel, at, size);
}
void kernel_free(void *at) {
  give(at);
}
size_t kernel_malloc_size(const void *at) {
  return usable_size(at);
}

#ifdef __wasm__
#define LIBC(name) name
#else
#define LIBC(name) heap_libc_##name /* natively the machine's own malloc keeps its name */
void *LIBC(malloc)(size_t size);
void *LIBC(calloc)(size_t count, size_t size);
void *LIBC(realloc)(void *at, size_t size);
void LIBC(free)(void *at);
void *LIBC(aligned_alloc)(size_t alignment, size_t size);
int LIBC(posix_memalign)(void **to, size_t alignment, size_t size);
size_t LIBC(malloc_usable_size)(void *at);
#endif

void *LIBC(malloc)(size_t size) {
  void *block = take(entered, size);
  if (block == NULL) errno = ENOMEM;
  return block;
}

void *LIBC(calloc)(size_t count, size_t size) {
  void *block = size != 0 && count > SIZE_MAX / size ? NULL : take_zeroed(entered, count * size);
  if (block == NULL) errno = ENOMEM;
  return block;
}

void *LIBC(realloc)(void *at, size_t size) {
  void *block = retake(entered, at, size);
  if (block == NULL) errno = ENOMEM;
  return block;
}

void LIBC(free)(void *at) {
  give(at);
}

void *LIBC(aligned_alloc)(size_t alignment, size_t size) {
  void *block = take_aligned(entered, alignment, size);
  if (block == NULL) errno = ENOMEM;
  return block;
}

int LIBC(posix_memalign)(void **to, size_t alignment, size_t size) {
  void *block = take_aligned(entered, alignment, size);
  if (block == NULL) return ENOMEM;
  *to = block;
  return 0;
}

size_t LIBC(malloc_usable_size)(void *at) {
  return usable_size(at);
}
#else
typedef int iso_c_wants_a_declaration;
#endif
