// SPDX-License-Identifier: MIT
/* nursery.h -- part of engine.c: where the first small blocks after boot come from.
 *
 * A sandbox pays for each page it writes, and a program like `return 'hi'` needs some forty blocks
 * of a dozen sizes: one page for each size, where blocks of a size lie together. So the first
 * blocks of all sizes come one after the other from one region, and from kernel_malloc when that is
 * used up. Blocks that were freed wait in a list for their size.
 *
 *   block   | size u32 | unused | what the engine gets, 8-byte aligned... | */

/* Enough for a program of a page and a few hundred objects; the rest of the image is not larger for
 * it, since it is zero. */
#define NURSERY_BYTES 32768u
#define NURSERY_STEP 16u
#define NURSERY_LARGEST 1024u

typedef struct {
  uint32_t size; /* of what follows */
  uint32_t unused;
} nursery_block;

static struct {
  bool is_open; /* not before boot has ended */
  uint32_t used;
  void *freed[NURSERY_LARGEST / NURSERY_STEP + 1];
  _Alignas(16) uint8_t bytes[NURSERY_BYTES];
} nursery;

static inline bool nursery_has(const void *at) {
  return (uintptr_t)at - (uintptr_t)nursery.bytes < NURSERY_BYTES;
}

static inline nursery_block *nursery_header(void *at) {
  return (nursery_block *)at - 1;
}

static void *nursery_take(size_t size) {
  if (size > NURSERY_LARGEST || !nursery.is_open) return kernel_malloc(size);
  uint32_t step = ((uint32_t)size + NURSERY_STEP - 1) / NURSERY_STEP;
  void **block = nursery.freed[step];
  if (block != NULL) {
    nursery.freed[step] = *block;
    return block;
  }
  uint32_t whole = step * NURSERY_STEP + sizeof(nursery_block);
  if (whole > NURSERY_BYTES - nursery.used) return kernel_malloc(size);
  nursery_block *made = (nursery_block *)(nursery.bytes + nursery.used);
  nursery.used += whole;
  made->size = step * NURSERY_STEP;
  return made + 1;
}

static void nursery_give(void *at) {
  if (!nursery_has(at)) {
    kernel_free(at);
    return;
  }
  void **block = at;
  uint32_t step = nursery_header(at)->size / NURSERY_STEP;
  *block = nursery.freed[step];
  nursery.freed[step] = block;
}

static size_t nursery_size(const void *at) {
  return nursery_has(at) ? nursery_header((void *)(uintptr_t)at)->size : kernel_malloc_size(at);
}

/* The last block grows where it is: the engine builds code and tables by growing them. */
static bool nursery_extend(nursery_block *block, size_t size) {
  uint32_t end = (uint32_t)((uint8_t *)(block + 1) + block->size - nursery.bytes);
  if (end != nursery.used || size > NURSERY_LARGEST) return false;
  uint32_t wanted = ((uint32_t)size + NURSERY_STEP - 1) / NURSERY_STEP * NURSERY_STEP;
  if (wanted - block->size > NURSERY_BYTES - nursery.used) return false;
  nursery.used += wanted - block->size;
  block->size = wanted;
  return true;
}

static void *nursery_resize(void *at, size_t size) {
  if (at == NULL) return nursery_take(size);
  if (!nursery_has(at)) return kernel_realloc(at, size);
  nursery_block *block = nursery_header(at);
  if (size <= block->size || nursery_extend(block, size)) return at;
  void *moved = nursery_take(size);
  if (moved == NULL) return NULL;
  memcpy(moved, at, block->size);
  nursery_give(at);
  return moved;
}
