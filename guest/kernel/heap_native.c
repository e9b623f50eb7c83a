// SPDX-License-Identifier: MIT
/* heap_native.c -- the interface of heap.h over the system's malloc, so that AddressSanitizer sees
 * every allocation. What a process leaves behind when its frames are dropped is leaked. */
#include "heap_memory.h"
#ifndef GUEST_HEAP
#include <malloc.h>
#include <stdlib.h>

#include "heap.h"
#include "kernel.h"

struct heap {
  char nothing;
};

heap *heap_create(void) {
  return malloc(sizeof(heap));
}
void heap_destroy(heap *destroyed) {
  free(destroyed);
}
void heap_enter(heap *entered) {
  (void)entered;
}
void *heap_malloc(heap *from, size_t size) {
  return from == NULL ? NULL : malloc(size);
}
void heap_seal(void) {}

void *kernel_malloc(size_t size) {
  return malloc(size);
}
void *kernel_realloc(void *at, size_t size) {
  return realloc(at, size);
}
void kernel_free(void *at) {
  free(at);
}
size_t kernel_malloc_size(const void *at) {
  return malloc_usable_size((void *)(size_t)at);
}
#else
typedef int iso_c_wants_a_declaration;
#endif
