// SPDX-License-Identifier: MIT
/* frozen.h -- a large state in a memory file, from which any number of slots are mapped privately,
 * as all are from the image.
 *
 * Made when a sandbox with many changed pages is first forked or given a checkpoint; the sandbox
 * itself is then mapped from it as well. Another fork copies only what was written since.
 *
 * Threads  Any, at once; it never changes. */
#ifndef CLOCHE_SANDBOX_FROZEN_H
#define CLOCHE_SANDBOX_FROZEN_H

#include <stdatomic.h>

#include "sandbox/image.h"

typedef struct cloche__frozen {
  atomic_size_t users;
  int file;
  uint32_t size, words;
  uint64_t *touched; /* pages that may differ from the image */
} cloche__frozen;

/* Of memory of `size` bytes at `base`, in which the pages of `touched` may differ from the image.
 * NULL: the system has no memory, or no memory files. */
cloche__frozen *cloche__frozen_new(const cloche__image *image, const uint8_t *base, uint32_t size,
                                   const uint64_t *touched, uint32_t words);
cloche__frozen *cloche__frozen_keep(cloche__frozen *frozen); /* one more user; NULL is fine */
void cloche__frozen_free(cloche__frozen *frozen);            /* one less; NULL is fine */

#endif
