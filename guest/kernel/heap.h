// SPDX-License-Identifier: MIT
/* heap.h -- memory by owner.
 *
 * There is one heap for what no process owns and one for each process, which is thrown away whole
 * when the process ends. malloc takes from the heap that was entered last; kernel_malloc always
 * from the first. free finds the owner by the address. */
#ifndef GUEST_KERNEL_HEAP_H
#define GUEST_KERNEL_HEAP_H

#include <stddef.h>

typedef struct heap heap;

/* NULL when there is no memory (a native build that uses the system's malloc has no heaps: see
 * heap_native.c). */
heap *heap_create(void);
/* With everything in it. NULL is fine. */
void heap_destroy(heap *destroyed);
/* From now on malloc takes from this one; NULL: from that of no process. */
void heap_enter(heap *entered);
void *heap_malloc(heap *from, size_t size);
/* The end of boot: what is allocated later shares no page with what is there now. */
void heap_seal(void);

#endif
