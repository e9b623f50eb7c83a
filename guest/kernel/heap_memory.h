// SPDX-License-Identifier: MIT
/* heap_memory.h -- the memory below the heap: the whole linear memory in wasm, a region that the
 * test of the heap maps elsewhere. A native guest uses the system's malloc instead (heap_native.c).
 */
#ifndef GUEST_KERNEL_HEAP_MEMORY_H
#define GUEST_KERNEL_HEAP_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__wasm__) && !defined(GUEST_HEAP)
#define GUEST_HEAP
#endif

#ifdef __wasm__
extern unsigned char __heap_base;

static inline uintptr_t heap_memory_base(void) {
  return 0;
}
/* Where the heap may begin, and where memory ends now; from the base, in units of 64 KiB. */
static inline uint32_t heap_memory_first(void) {
  return ((uintptr_t)&__heap_base + 65535) >> 16;
}
static inline uint32_t heap_memory_size(void) {
  return (uint32_t)__builtin_wasm_memory_size(0);
}
static inline bool heap_memory_grow(uint32_t more) {
  return __builtin_wasm_memory_grow(0, more) != (size_t)-1;
}
#else
extern uintptr_t heap_region;      /* aligned to 64 KiB */
extern uint32_t heap_region_size;  /* now */
extern uint32_t heap_region_limit; /* growing beyond fails */

static inline uintptr_t heap_memory_base(void) {
  return heap_region;
}
static inline uint32_t heap_memory_first(void) {
  return 1;
}
static inline uint32_t heap_memory_size(void) {
  return heap_region_size;
}
static inline bool heap_memory_grow(uint32_t more) {
  if (more > heap_region_limit - heap_region_size) return false;
  heap_region_size += more;
  return true;
}
#endif

#endif
