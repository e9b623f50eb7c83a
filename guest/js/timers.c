// SPDX-License-Identifier: MIT
/* timers.c -- setTimeout, setInterval, setImmediate and their clear functions, on virtual time.
 *
 * A binary heap by (due, sequence): two timers of the same moment run in the order they were set. A
 * program holds a Timeout object, as in Node; its id works too. An immediate is a timer that is due
 * at once, while the shortest timeout is one millisecond. */
#include <math.h>

#include "../kernel/kernel.h"
#include "engine.h"
#include "parts.h"

#define MILLISECOND 1000000

typedef struct timer {
  int64_t due, delay; /* virtual ns */
  bool repeats, holds;
  uint64_t sequence;
  int32_t id;
  JSValue callback, handle;
  int count;
  JSValue *arguments;
} timer;

static timer *heap;
static size_t heap_count, heap_room, held;
static uint64_t last_sequence;
static int32_t last_id;
static JSClassID timeout_class;

static bool comes_first(const timer *a, const timer *b) {
  return a->due != b->due ? a->due < b->due : a->sequence < b->sequence;
}

static void sift_up(size_t at) {
  timer moved = heap[at];
  while (at > 0 && comes_first(&moved, &heap[(at - 1) / 2])) {
    heap[at] = heap[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  heap[at] = moved;
}

static void sift_down(size_t at) {
  timer moved = heap[at];
  for (size_t child; (child = at * 2 + 1) < heap_count; at = child) {
    if (child + 1 < heap_count && comes_first(&heap[child + 1], &heap[child])) child++;
    if (!comes_first(&heap[child], &moved)) break;
    heap[at] = heap[child];
  }
  heap[at] = moved;
}

static timer take_at(size_t at) {
  timer taken = heap[at];
  held -= taken.holds;
  heap[at] = heap[--heap_count];
  if (at < heap_count) {
    sift_down(at);
    sift_up(at);
  }
  return taken;
}

static void free_timer(timer *old) {
  JSRuntime *runtime = machine.runtime;
  JS_FreeValueRT(runtime, old->callback);
  JS_FreeValueRT(runtime, old->handle);
  for (int i = 0; i < old->count; i++) JS_FreeValueRT(runtime, old->arguments[i]);
  js_free_rt(runtime, old->arguments);
}

static bool add(JSContext *realm, timer *new) {
  if (heap_count == heap_room) {
    size_t room = heap_room == 0 ? 8 : heap_room * 2;
    timer *grown = js_realloc(realm, heap, room * sizeof *heap);
    if (grown == NULL) return false;
    heap = grown;
    heap_room = room;
  }
  new->sequence = ++last_sequence;
  held += new->holds;
  heap[heap_count++] = *new;
  sift_up(heap_count - 1);
  return true;
}

/* Node's rule: anything that is not from 1 to 2^31-1 ms becomes 1. */
static int64_t delay_of(double ms) {
  if (!(ms >= 1 && ms <= 2147483647)) ms = 1;
  return (int64_t)ms * MILLISECOND;
}

static JSValue new_handle(JSContext *realm, int32_t id) {
  JSValue handle = JS_NewObjectClass(realm, (int)timeout_class);
  if (!JS_IsException(handle)) JS_SetOpaque(handle, (void *)(intptr_t)id);
  return handle;
}

static bool copy_arguments(JSContext *realm, timer *to, int count, JSValueConst *from) {
  if (count <= 0) return true;
  to->arguments = js_malloc(realm, (size_t)count * sizeof *to->arguments);
  if (to->arguments == NULL) return false;
  for (int i = 0; i < count; i++) to->arguments[i] = JS_DupValue(realm, from[i]);
  to->count = count;
  return true;
}

enum { TIMEOUT, INTERVAL, IMMEDIATE, LATER };

static JSValue set(JSContext *realm, JSValueConst self, int count, JSValueConst *values, int kind) {
  (void)self;
  if (!JS_IsFunction(realm, values[0]))
    return errors_throw_coded(realm, "TypeError", "ERR_INVALID_ARG_TYPE",
                              "The \"callback\" argument must be of type function.");
  double ms = 0;
  bool at_once = kind == IMMEDIATE || kind == LATER;
  if (!at_once && count > 1 && JS_ToFloat64(realm, &ms, values[1]) < 0) return JS_EXCEPTION;
  int64_t delay = at_once ? 0 : delay_of(ms);
  timer new = {.due = kernel_now() + delay,
               .delay = delay,
               .repeats = kind == INTERVAL,
               .holds = kind == LATER};
  new.id = ++last_id;
  new.callback = new.handle = JS_UNDEFINED;
  int skip = at_once ? 1 : 2;
  if (!copy_arguments(realm, &new, count - skip, values + skip)) return JS_EXCEPTION;
  JSValue handle = new_handle(realm, new.id);
  if (!JS_IsException(handle)) {
    new.callback = JS_DupValue(realm, values[0]);
    new.handle = JS_DupValue(realm, handle);
    if (add(realm, &new)) return handle;
  }
  free_timer(&new);
  JS_FreeValue(realm, handle);
  return JS_EXCEPTION;
}

JSValue timers_later(JSContext *realm, JSValueConst self, int count, JSValueConst *values) {
  return set(realm, self, count, values, LATER);
}

/* The id in a Timeout, a number or a numeric string; 0 is no timer's. */
static int32_t id_of(JSContext *realm, JSValueConst value) {
  if (JS_GetClassID(value) == timeout_class)
    return (int32_t)(intptr_t)JS_GetOpaque(value, timeout_class);
  int32_t id = 0;
  if (JS_IsNumber(value) || JS_IsString(value)) JS_ToInt32(realm, &id, value);
  return id;
}

static size_t find(int32_t id) {
  size_t at = 0;
  while (at < heap_count && heap[at].id != id) at++;
  return at;
}

static JSValue clear(JSContext *realm, JSValueConst self, int count, JSValueConst *values) {
  (void)self;
  (void)count;
  size_t at = find(id_of(realm, values[0]));
  if (at < heap_count) {
    timer old = take_at(at);
    free_timer(&old);
  }
  return JS_UNDEFINED;
}

static JSValue handle_self(JSContext *realm, JSValueConst self, int count, JSValueConst *values) {
  (void)count;
  (void)values;
  return JS_DupValue(realm, self);
}

static JSValue handle_close(JSContext *realm, JSValueConst self, int count, JSValueConst *values) {
  (void)count;
  (void)values;
  JS_FreeValue(realm, clear(realm, JS_UNDEFINED, 1, &self));
  return JS_DupValue(realm, self);
}

static JSValue handle_has_ref(JSContext *realm, JSValueConst self, int count,
                              JSValueConst *values) {
  (void)count;
  (void)values;
  return JS_NewBool(realm, find(id_of(realm, self)) < heap_count);
}

static JSValue handle_id(JSContext *realm, JSValueConst self, int count, JSValueConst *values) {
  (void)count;
  (void)values;
  return JS_NewInt32(realm, id_of(realm, self));
}

/* Starts the wait again from now. */
static JSValue handle_refresh(JSContext *realm, JSValueConst self, int count,
                              JSValueConst *values) {
  (void)count;
  (void)values;
  size_t at = find(id_of(realm, self));
  if (at < heap_count) {
    timer old = take_at(at);
    old.due = kernel_now() + old.delay;
    if (!add(realm, &old)) {
      free_timer(&old);
      return JS_EXCEPTION;
    }
  }
  return JS_DupValue(realm, self);
}

int timers_run_due(void) {
  if (heap_count == 0 || heap[0].due > kernel_now()) return 0;
  JSContext *realm = machine.realm;
  timer due = take_at(0);
  JSValue result;
  if (due.repeats) {
    timer again = due; /* in the heap before the call, so that the callback can clear it */
    again.due = kernel_now() + due.delay;
    again.callback = JS_DupValue(realm, due.callback);
    again.handle = JS_DupValue(realm, due.handle);
    again.arguments = NULL;
    again.count = 0;
    if (!copy_arguments(realm, &again, due.count, due.arguments) || !add(realm, &again)) {
      free_timer(&again);
      free_timer(&due);
      return -1;
    }
  }
  result = JS_Call(realm, due.callback, due.handle, due.count, due.arguments);
  free_timer(&due);
  int status = JS_IsException(result) ? -1 : 1;
  JS_FreeValue(realm, result);
  return status;
}

int64_t timers_next(void) {
  return heap_count == 0 ? INT64_MAX : heap[0].due;
}

bool timers_hold(void) {
  return held > 0;
}

void timers_drop(void) {
  if (heap == NULL) return;
  while (heap_count > 0) free_timer(&heap[--heap_count]);
  js_free_rt(machine.runtime, heap);
  heap = NULL;
  heap_room = held = 0;
}

void timers_exchange(timers_state *other) {
  timers_state was = {heap, heap_count, heap_room, held};
  heap = other->heap;
  heap_count = other->count;
  heap_room = other->room;
  held = other->held;
  *other = was;
}

void timers_boot(void) {
  static const JSClassDef definition = {.class_name = "Timeout"};
  JSContext *realm = machine.realm;
  JS_NewClassID(machine.runtime, &timeout_class);
  JS_NewClass(machine.runtime, timeout_class, &definition);
  JSValue prototype = JS_NewObject(realm);
  boot_function(prototype, "ref", handle_self, 0);
  boot_function(prototype, "unref", handle_self, 0);
  boot_function(prototype, "hasRef", handle_has_ref, 0);
  boot_function(prototype, "refresh", handle_refresh, 0);
  boot_function(prototype, "close", handle_close, 0);
  JSValue symbols = JS_GetGlobalObject(realm);
  JSValue symbol = JS_GetPropertyStr(realm, symbols, "Symbol");
  JSValue primitive = JS_GetPropertyStr(realm, symbol, "toPrimitive");
  JSAtom key = JS_ValueToAtom(realm, primitive);
  JS_DefinePropertyValue(realm, prototype, key, JS_NewCFunction(realm, handle_id, "", 0),
                         JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE);
  JS_FreeAtom(realm, key);
  JS_FreeValue(realm, primitive);
  JS_FreeValue(realm, symbol);
  JS_SetClassProto(realm, timeout_class, prototype);
  boot_method(symbols, "setTimeout", set, 2, TIMEOUT);
  boot_method(symbols, "setInterval", set, 2, INTERVAL);
  boot_method(symbols, "setImmediate", set, 1, IMMEDIATE);
  boot_function(symbols, "clearTimeout", clear, 1);
  boot_function(symbols, "clearInterval", clear, 1);
  boot_function(symbols, "clearImmediate", clear, 1);
  JS_FreeValue(realm, symbols);
}
