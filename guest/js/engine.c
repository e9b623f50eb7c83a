// SPDX-License-Identifier: MIT
/* engine.c -- QuickJS-ng, compiled as one unit with what needs its internals.
 *
 * The engine's sources are not patched. These things are decided before they are read:
 *  - time: gettimeofday, clock_gettime and localtime_r give the kernel's virtual time, in UTC.
 *  - limits: the two functions that throw "out of memory" and "stack overflow" are called through a
 *    wrapper that marks the error object. The macros below tell the definition, whose argument is
 *    `JSContext *ctx`, from the calls, by pasting onto the argument's first word; a call with an
 *    argument of another spelling fails to compile.
 *  - bounds: JSON.stringify and the matcher of regular expressions are called through wrappers, see
 *    engine_bounds.h; the definition is told from the calls in the same way.
 *  - messages: every error message is formatted by vsnprintf, see engine_messages.h; so is the one
 *    that Promise.any's error has none of.
 *  - the parts at the end of this file see the engine's static functions. */
#include "engine.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include "../kernel/kernel.h"

static int virtual_timeofday(struct timeval *now, void *zone) {
  int64_t ns = kernel_now();
  (void)zone;
  now->tv_sec = (time_t)(ns / 1000000000);
  now->tv_usec = (suseconds_t)(ns % 1000000000 / 1000);
  return 0;
}

static int virtual_clock(struct timespec *now) {
  int64_t ns = kernel_now();
  now->tv_sec = (time_t)(ns / 1000000000);
  now->tv_nsec = (long)(ns % 1000000000);
  return 0;
}

static struct tm *utc_of(const time_t *when, struct tm *fields) {
  return gmtime_r(when, fields);
}

static int message_vsnprintf(char *to, size_t room, const char *format, va_list arguments);
static JSValue throw_marked_memory(JSContext *ctx);
static JSValue throw_marked_stack(JSContext *ctx);

struct JSONStringifyContext;
static int bounded_json_to_str(JSContext *ctx, struct JSONStringifyContext *jsc,
                               JSValueConst holder, JSValue value, JSValueConst indent);
static int bounded_lre_exec(uint8_t **capture, const uint8_t *code, const uint8_t *text, int from,
                            int length, int kind, void *opaque);
static JSValue told_aggregate_error(JSContext *ctx, JSValueConst errors);
/* Its prototypes are read here, under their own names. */
#include <libregexp.h>

#define lre_exec bounded_lre_exec
#define lre_check_timeout plain_check_timeout
#define js_json_to_str(argument, ...) TO_JSON_##argument, __VA_ARGS__)
#define TO_JSON_JSContext plain_json_to_str(JSContext
#define TO_JSON_ctx bounded_json_to_str(ctx
#define js_aggregate_error_constructor(argument, ...) AGGREGATE_##argument, __VA_ARGS__)
#define AGGREGATE_JSContext plain_aggregate_error(JSContext
#define AGGREGATE_ctx told_aggregate_error(ctx
#define gettimeofday(now, zone) virtual_timeofday(now, zone)
#define clock_gettime(clock, now) virtual_clock(now)
#define localtime_r(when, fields) utc_of(when, fields)
#define vsnprintf(to, room, format, arguments) message_vsnprintf(to, room, format, arguments)
#define JS_ThrowOutOfMemory(argument) THROW_MEMORY_##argument)
#define THROW_MEMORY_JSContext throw_plain_memory(JSContext
#define THROW_MEMORY_ctx throw_marked_memory(ctx
#define JS_ThrowStackOverflow(argument) THROW_STACK_##argument)
#define THROW_STACK_JSContext throw_plain_stack(JSContext
#define THROW_STACK_ctx throw_marked_stack(ctx
#define THROW_STACK_caller_ctx throw_marked_stack(caller_ctx
#define THROW_STACK_s throw_marked_stack(s

/* The engine's allocator of small blocks is asked only when the nursery has none. Definition and
 * calls are told apart as above. */
static void *block_malloc(JSRuntime *runtime, size_t size);
static void block_free(JSRuntime *runtime, void *at);
static size_t block_size(JSRuntime *runtime, const void *at);
static void *block_realloc(JSRuntime *runtime, void *at, size_t size);
static void *block_calloc(JSRuntime *runtime, size_t count, size_t size);
#define js_arena_malloc(runtime, ...) MALLOC_##runtime, __VA_ARGS__)
#define MALLOC_JSRuntime arena_malloc(JSRuntime
#define MALLOC_rt block_malloc(rt
#define js_arena_free(runtime, ...) FREE_##runtime, __VA_ARGS__)
#define FREE_JSRuntime arena_free(JSRuntime
#define FREE_rt block_free(rt
#define js_arena_usable_size(runtime, ...) SIZE_##runtime, __VA_ARGS__)
#define SIZE_JSRuntime arena_usable_size(JSRuntime
#define SIZE_rt block_size(rt
#define js_arena_realloc(runtime, ...) REALLOC_##runtime, __VA_ARGS__)
#define REALLOC_JSRuntime arena_realloc(JSRuntime
#define REALLOC_rt block_realloc(rt
#define js_arena_calloc(runtime, ...) CALLOC_##runtime, __VA_ARGS__)
#define CALLOC_JSRuntime arena_calloc(JSRuntime
#define CALLOC_rt block_calloc(rt
static struct JSArena *first_arena_new(JSRuntime *runtime, int size);
#define arena_new(runtime, ...) ARENA_##runtime, __VA_ARGS__)
#define ARENA_JSRuntime another_arena_new(JSRuntime
#define ARENA_rt first_arena_new(rt

/* Without its assertions the engine also leaves out its dumps, whose flags it would otherwise look
 * at before every bytecode. What the other macro decides is only how it goes on to the next
 * bytecode: by a switch, which wasm has. It has no jump to a computed place: clang makes two tables
 * of one. */
#define NDEBUG
#define EMSCRIPTEN

/* Found through a system include path, so that our warnings do not apply to it. */
#include <quickjs.c>

#undef NDEBUG
#undef EMSCRIPTEN
#include <assert.h>

#undef gettimeofday
#undef clock_gettime
#undef localtime_r
#undef vsnprintf
#undef JS_ThrowOutOfMemory
#undef JS_ThrowStackOverflow
#undef js_arena_malloc
#undef js_arena_free
#undef js_arena_usable_size
#undef js_arena_realloc
#undef js_arena_calloc
#undef arena_new
#undef lre_exec
#undef lre_check_timeout
#undef js_json_to_str
#undef js_aggregate_error_constructor

/* The name is public, so others may call it; they get the marked one too. */
JSValue JS_ThrowOutOfMemory(JSContext *ctx) {
  return throw_marked_memory(ctx);
}

/* Parts of this file, in this order. */
/* clang-format off */
#include "engine_limits.h"
#include "engine_bounds.h"
#include "engine_messages.h"
#include "engine_compile.h"
#include "nursery.h"
#include "engine_memory.h"
#include "engine_look.h"
/* clang-format on */
