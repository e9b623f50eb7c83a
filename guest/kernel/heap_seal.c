// SPDX-License-Identifier: MIT
/* heap_seal.c -- the line between the image and what a sandbox allocates.
 *
 * A page of the image costs nothing until it is written. So after boot no block is taken from a
 * segment that holds something already, a free of something older is ignored, and what is dead is
 * zeroed, so that its pages are not in the image at all. */
#include "heap_memory.h"
#ifdef GUEST_HEAP
#include <string.h>

#include "heap_parts.h"

/* Free segments that a new sandbox finds without growing its memory: enough for a short pipeline.
 */

enum { RESERVE = 16 };

static void zero_free_blocks(heap *of) {
  for (int class = 0; class < CLASSES; class ++) {
    void *next;
    for (void *block = of->free[class]; block != NULL; block = next) {
      next = *(void **)block;
      memset(block, 0, heap_class_size[class]);
    }
  }
}

static void seal_segment(segment *sealed) {
  for (uint32_t slice = 0; slice < SLICES; slice++) {
    if (sealed->kind[slice] == SLICE_FREE) memset(segment_base(sealed) + slice * SLICE, 0, SLICE);
    sealed->kind[slice] |= SLICE_SEALED;
  }
}

void heap_seal(void) {
  (void)heap_sweep(&heap_kernel);
  zero_free_blocks(&heap_kernel);
  for (segment *at = heap_kernel.segments; at != NULL; at = at->next) seal_segment(at);
  for (uint32_t index = heap_kernel.huge; index != 0; index = heap_extents[index].next)
    heap_extents[index].owner = NULL;
  heap_kernel = (heap){.free = {NULL}};
  extents_reserve(RESERVE);
  (void)segment_create(&heap_kernel); /* here, so that no sandbox has to write it down */
}
#else
typedef int iso_c_wants_a_declaration;
#endif
