// SPDX-License-Identifier: MIT
/* wasm-rt.h -- what C code that wasm2c 1.0.32 wrote needs from its surroundings.
 *
 * The name and the names in it are wasm2c's; the runtime behind them is ours (trap.c, slot.c).
 * Loads and stores carry no check: a slot's memory lies in a reservation of every address a 32-bit
 * base plus a 32-bit offset can reach, and a fault in it is a trap. */
#ifndef CLOCHE_SANDBOX_WASM_RT_H
#define CLOCHE_SANDBOX_WASM_RT_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define wasm_rt_memcpy __builtin_memcpy
#define wasm_rt_unreachable __builtin_unreachable

#define WASM_RT_MEMCHECK_SIGNAL_HANDLER 1

/* A place in the guest's memory, aligned or not, for one of wasm2c's types, and its address. On
 * x86-64 the segment register GS holds where memory begins while a guest runs (segment.h), so that
 * no other register has to, and the processor adds it at no cost. The method is "Segue" of Narayan
 * et al., "Segue & ColorGuard", ASPLOS 2025. */
#if defined(__x86_64__)
#define WASM_RT_PLACE(type) __seg_gs type##_loose
#define WASM_RT_ADDRESS(memory, at) (uintptr_t)(at)
#else
#define WASM_RT_PLACE(type) type##_loose
#define WASM_RT_ADDRESS(memory, at) ((memory) + (at))
#endif
/* The guest's one import, called when its fuel is used up. See switch.S. */
#if defined(__x86_64__)
#define WASM_RT_REFUEL(instance) __asm__ volatile("call cloche__switch_refuel" : : : "memory", "cc")
#else
#define WASM_RT_REFUEL(instance) Z_clocheZ_refuel(instance)
#endif

#define WASM_RT_LOOSE __attribute__((aligned(1), may_alias))
typedef uint8_t u8_loose WASM_RT_LOOSE;
typedef int8_t s8_loose WASM_RT_LOOSE;
typedef uint16_t u16_loose WASM_RT_LOOSE;
typedef int16_t s16_loose WASM_RT_LOOSE;
typedef uint32_t u32_loose WASM_RT_LOOSE;
typedef int32_t s32_loose WASM_RT_LOOSE;
typedef uint64_t u64_loose WASM_RT_LOOSE;
typedef int64_t s64_loose WASM_RT_LOOSE;
typedef float f32_loose WASM_RT_LOOSE;
typedef double f64_loose WASM_RT_LOOSE;
#define WASM_RT_USE_STACK_DEPTH_COUNT 0

typedef enum {
  WASM_RT_TRAP_NONE,
  WASM_RT_TRAP_OOB,
  WASM_RT_TRAP_INT_OVERFLOW,
  WASM_RT_TRAP_DIV_BY_ZERO,
  WASM_RT_TRAP_INVALID_CONVERSION,
  WASM_RT_TRAP_UNREACHABLE,
  WASM_RT_TRAP_CALL_INDIRECT,
  WASM_RT_TRAP_UNCAUGHT_EXCEPTION,
  WASM_RT_TRAP_EXHAUSTION,
} wasm_rt_trap_t;

typedef enum { WASM_RT_I32, WASM_RT_I64, WASM_RT_F32, WASM_RT_F64 } wasm_rt_type_t;

typedef void (*wasm_rt_function_ptr_t)(void);

typedef struct {
  uint32_t func_type;
  wasm_rt_function_ptr_t func;
  void *module_instance; /* never read: calls pass the running instance (see tools/split.py) */
} wasm_rt_funcref_t;

typedef struct {
  uint8_t *data;
  uint32_t pages, max_pages; /* of 64 KiB */
  uint32_t size;             /* bytes; a memory is kept below 4 GiB so that this cannot wrap */
} wasm_rt_memory_t;

typedef struct {
  wasm_rt_funcref_t *data;
  uint32_t max_size, size;
} wasm_rt_funcref_table_t;

/* wasm2c writes helpers for tables of this kind, which the guest never has. */
typedef void *wasm_rt_externref_t;
static const wasm_rt_externref_t wasm_rt_externref_null_value = NULL;
typedef struct {
  wasm_rt_externref_t *data;
  uint32_t max_size, size;
} wasm_rt_externref_table_t;

static inline bool wasm_rt_is_initialized(void) {
  return true;
}

/* memory.copy and memory.fill, whose ranges have been checked. The long ones are done in pieces,
 * and a guest whose time is over does not get to the next: 1 GiB would take a third of a second. */
#define WASM_RT_PIECE (256u << 10)
__attribute__((visibility("hidden"))) void wasm_rt_copy_long(uint8_t *to, const uint8_t *from,
                                                             size_t size);
__attribute__((visibility("hidden"))) void wasm_rt_fill_long(uint8_t *to, int byte, size_t size);
static inline void wasm_rt_copy(uint8_t *to, const uint8_t *from, size_t size) {
  if (LIKELY(size <= WASM_RT_PIECE))
    memmove(to, from, size);
  else
    wasm_rt_copy_long(to, from, size);
}
static inline void wasm_rt_fill(uint8_t *to, uint32_t byte, size_t size) {
  if (LIKELY(size <= WASM_RT_PIECE))
    memset(to, (int)byte, size);
  else
    wasm_rt_fill_long(to, (int)byte, size);
}

__attribute__((noreturn, visibility("hidden"))) void wasm_rt_trap(wasm_rt_trap_t reason);
__attribute__((visibility("hidden"))) uint32_t wasm_rt_register_func_type(uint32_t parameters,
                                                                          uint32_t results, ...);
__attribute__((visibility("hidden"))) void wasm_rt_allocate_memory(wasm_rt_memory_t *memory,
                                                                   uint32_t pages,
                                                                   uint32_t max_pages);
__attribute__((visibility("hidden"))) uint32_t wasm_rt_grow_memory(wasm_rt_memory_t *memory,
                                                                   uint32_t pages);
__attribute__((visibility("hidden"))) void wasm_rt_free_memory(wasm_rt_memory_t *memory);
__attribute__((visibility("hidden"))) void wasm_rt_allocate_funcref_table(
    wasm_rt_funcref_table_t *table, uint32_t size, uint32_t max_size);
__attribute__((visibility("hidden"))) void wasm_rt_free_funcref_table(
    wasm_rt_funcref_table_t *table);

#endif
