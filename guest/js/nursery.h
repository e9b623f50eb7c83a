// SPDX-License-Identifier: MIT
/* nursery.h -- part of engine.c: where the first small blocks after boot come from.
 *
 * A sandbox pays for each page it writes, and a program like `return 'hi'` needs some forty blocks
 * of a dozen sizes. The engine's arenas take a page for each size, and write all of it. So the
 * first blocks of all sizes come one after the other from one region, and from the arenas when that
 * is used up. Blocks that were freed wait in a list for their size.
 *
 *   block   | the engine's header of 8 bytes | what the engine gets, 8-byte aligned... |
 *
 * The header says how large a nursery block is, in a field that arenas use for their own sizes; it
 * cannot be taken for one of theirs, nor for a block of the kernel's. */

/* Enough for a program of a page and a few hundred objects; the rest of the image is not larger for
 * it, since it is zero. */
#define NURSERY_BYTES 32768u
#define NURSERY_STEP 16u
#define NURSERY_MOST_STEPS 64u

static struct {
  uint32_t left; /* at the end of `bytes`; none before boot has ended */
  JSMallocBlockHeader *freed[NURSERY_MOST_STEPS + 1];
  _Alignas(16) uint8_t bytes[NURSERY_BYTES];
} nursery;

static void nursery_open(void) {
  nursery.left = NURSERY_BYTES;
}

static inline uint32_t nursery_steps(size_t size) {
  return (uint32_t)((size + sizeof(JSMallocBlockHeader) + NURSERY_STEP - 1) / NURSERY_STEP);
}

static inline bool nursery_has(const JSMallocBlockHeader *block) {
  return block->u.block_idx == JS_ARENA_FREE_NIL && block->block_size_idx - 1u < NURSERY_MOST_STEPS;
}

static inline JSMallocBlockHeader **nursery_next(JSMallocBlockHeader *freed) {
  return (JSMallocBlockHeader **)freed->user_data;
}

/* NULL: not for the nursery, or no room in it. */
static inline void *nursery_take(size_t size) {
  if (size > NURSERY_MOST_STEPS * NURSERY_STEP - sizeof(JSMallocBlockHeader) || size == 0)
    return NULL;
  uint32_t steps = nursery_steps(size);
  JSMallocBlockHeader *block = nursery.freed[steps];
  if (block != NULL) {
    nursery.freed[steps] = *nursery_next(block);
    return block->user_data;
  }
  if (steps * NURSERY_STEP > nursery.left) return NULL;
  block = (JSMallocBlockHeader *)(nursery.bytes + NURSERY_BYTES - nursery.left);
  nursery.left -= steps * NURSERY_STEP;
  block->u.block_idx = JS_ARENA_FREE_NIL;
  block->block_size_idx = (uint8_t)steps;
  return block->user_data;
}

static inline void nursery_give(JSMallocBlockHeader *block) {
  *nursery_next(block) = nursery.freed[block->block_size_idx];
  nursery.freed[block->block_size_idx] = block;
}

static inline size_t nursery_room(const JSMallocBlockHeader *block) {
  return block->block_size_idx * NURSERY_STEP - sizeof(JSMallocBlockHeader);
}

/* The last block grows where it is: the engine builds code and tables by growing them. */
static bool nursery_extend(JSMallocBlockHeader *block, size_t size) {
  uint8_t *end = (uint8_t *)block + block->block_size_idx * NURSERY_STEP;
  if (end != nursery.bytes + NURSERY_BYTES - nursery.left || size > NURSERY_BYTES) return false;
  uint32_t steps = nursery_steps(size), further = (steps - block->block_size_idx) * NURSERY_STEP;
  if (steps > NURSERY_MOST_STEPS || further > nursery.left) return false;
  nursery.left -= further;
  block->block_size_idx = (uint8_t)steps;
  return true;
}

/* The engine gives an arena back with its last block, and makes the next one, which writes a page,
 * for the next block of that size. So that a program which goes to and fro there does not pay for
 * it each time, the first arena of a size keeps one block that nobody gets. */
static JSArena *first_arena_new(JSRuntime *runtime, int size) {
  JSArena *arena = another_arena_new(runtime, size);
  if (arena != NULL && arena->link.next == arena->link.prev) { /* alone in its list */
    JSMallocBlockHeader *kept =
        arena_get_block(arena, arena->first_free_block, arena_block_sizes[size]);
    arena->first_free_block = kept->u.free_next;
    arena->n_used_blocks++;
  }
  return arena;
}

/* In place of the engine's functions of these names: see engine.c. */

static void *block_malloc(JSRuntime *runtime, size_t size) {
  void *at = nursery_take(size);
  return at != NULL ? at : arena_malloc(runtime, size);
}

static void block_free(JSRuntime *runtime, void *at) {
  if (at != NULL && nursery_has(js_rc(at)))
    nursery_give(js_rc(at));
  else
    arena_free(runtime, at);
}

static size_t block_size(JSRuntime *runtime, const void *at) {
  return at != NULL && nursery_has(js_rc(at)) ? nursery_room(js_rc(at))
                                              : arena_usable_size(runtime, at);
}

static void *block_realloc(JSRuntime *runtime, void *at, size_t size) {
  JSMallocBlockHeader *old = js_rc(at);
  if (!nursery_has(old)) return arena_realloc(runtime, at, size);
  if (size <= nursery_room(old) || nursery_extend(old, size)) return at;
  void *moved = block_malloc(runtime, size);
  if (moved == NULL) return NULL;
  JSMallocBlockHeader *header = js_rc(moved);
  header->gc_obj_type = old->gc_obj_type;
  header->mark = old->mark;
  header->ref_count = old->ref_count;
  memcpy(moved, at, nursery_room(old));
  nursery_give(old);
  return moved;
}

static void *block_calloc(JSRuntime *runtime, size_t count, size_t size) {
  void *at = nursery_take(count * size); /* the engine has looked for an overflow */
  return at != NULL ? memset(at, 0, count * size) : arena_calloc(runtime, count, size);
}
