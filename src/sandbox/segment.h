// SPDX-License-Identifier: MIT
/* segment.h -- the segment register through which translated code reaches the guest's memory.
 *
 * Programs on Linux for x86-64 leave GS alone (thread-local storage is FS), but whatever it held is
 * put back when the guest is left. Nothing of ours looks at it in between: a fault handler or
 * another signal handler may run with the guest's. Elsewhere these do nothing. See WASM_RT_PLACE.
 */
#ifndef CLOCHE_SANDBOX_SEGMENT_H
#define CLOCHE_SANDBOX_SEGMENT_H

#include <stdint.h>

#if defined(__x86_64__)
#include <asm/prctl.h>
#include <stdbool.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel lets programs use the instructions since Linux 5.9, on processors that have them. */
static inline bool cloche__segment_has_instructions(void) {
  enum { HWCAP2_FSGSBASE_BIT = 1 << 1 };
  return getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE_BIT;
}

static inline void cloche__segment_set(uintptr_t base) {
  if (cloche__segment_has_instructions())
    __asm__ volatile("wrgsbase %0" : : "r"(base) : "memory");
  else
    syscall(SYS_arch_prctl, ARCH_SET_GS, base);
}

/* Returns what was there. */
static inline uintptr_t cloche__segment_enter(const uint8_t *memory) {
  uintptr_t old = 0;
  if (cloche__segment_has_instructions())
    __asm__ volatile("rdgsbase %0" : "=r"(old));
  else
    syscall(SYS_arch_prctl, ARCH_GET_GS, &old);
  cloche__segment_set((uintptr_t)memory);
  return old;
}

static inline void cloche__segment_leave(uintptr_t old) {
  cloche__segment_set(old);
}
#else
static inline uintptr_t cloche__segment_enter(const uint8_t *memory) {
  (void)memory;
  return 0;
}
static inline void cloche__segment_leave(uintptr_t old) {
  (void)old;
}
#endif

#endif
