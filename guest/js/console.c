// SPDX-License-Identifier: MIT
/* console.c -- the console, and what else needs inspection: util.inspect, uncaught values.
 *
 * The methods live in prelude/console.js, in the inner realm. What a program calls is a C function
 * of its own realm, so that no object of the inner realm is within its reach. Plain arguments to
 * log and its kin, by far most, are written here without leaving C. */
#include "engine.h"
#include "parts.h"

static JSValue inspect_function, format_function, methods; /* of the inner realm */
static JSValue public_inspect;                             /* util.inspect of the program's realm */
static bool was_used;                                      /* by this run, beyond plain lines */

static const char *const method_names[] = {
    "log",    "info",    "debug",   "warn",       "error", "table",          "dir",
    "dirxml", "assert",  "count",   "countReset", "group", "groupCollapsed", "groupEnd",
    "time",   "timeEnd", "timeLog", "trace"};
enum { FIRST_ERROR = 3, LINE_METHODS = 5 };

/* Calls into the inner realm; what it throws becomes the program's. */
static JSValue call_inner(JSValueConst function, int count, JSValueConst *values) {
  JSValue result = JS_Call(machine.inner, function, JS_UNDEFINED, count, values);
  if (JS_IsException(result)) engine_adopt_error(machine.realm, machine.inner);
  return result;
}

/* A value whose text needs no inspection. */
static bool put_plain(JSContext *realm, JSValueConst value, buffer *line) {
  if (JS_IsObject(value) || JS_IsSymbol(value) || JS_IsBigInt(value)) return false;
  if (JS_VALUE_GET_NORM_TAG(value) == JS_TAG_FLOAT64 && JS_VALUE_GET_FLOAT64(value) == 0)
    return false; /* -0 */
  size_t size;
  const char *text = JS_ToCStringLen(realm, &size, value);
  if (text == NULL) {
    JS_FreeValue(realm, JS_GetException(realm));
    return false;
  }
  buffer_put(line, text, size);
  JS_FreeCString(realm, text);
  return true;
}

static bool has_directive(JSContext *realm, JSValueConst format) {
  size_t size;
  if (!JS_IsString(format)) return false;
  const char *text = JS_ToCStringLen(realm, &size, format);
  if (text == NULL) return true;
  bool found = memchr(text, '%', size) != NULL;
  JS_FreeCString(realm, text);
  return found;
}

static bool put_plain_line(JSContext *realm, int count, JSValueConst *values, int fd) {
  if (was_used || (count > 1 && has_directive(realm, values[0]))) return false;
  buffer line = {0};
  bool is_plain = true;
  for (int i = 0; i < count && is_plain; i++) {
    if (i > 0) buffer_char(&line, ' ');
    is_plain = put_plain(realm, values[i], &line);
  }
  buffer_char(&line, '\n');
  is_plain = is_plain && !line.failed;
  if (is_plain) output_put(fd, line.at, line.size);
  buffer_free(&line);
  return is_plain;
}

static JSValue call_method(JSContext *realm, JSValueConst self, int count, JSValueConst *values,
                           int which) {
  (void)self;
  if (which < LINE_METHODS && put_plain_line(realm, count, values, which < FIRST_ERROR ? 1 : 2))
    return JS_UNDEFINED;
  was_used |= which >= LINE_METHODS;
  JSValue method = JS_GetPropertyStr(machine.inner, methods, method_names[which]);
  JSValue result = call_inner(method, count, values);
  JS_FreeValue(realm, method);
  return result;
}

JSValue console_inspect(JSValueConst value) {
  return call_inner(inspect_function, 1, &value);
}

JSValue console_format(int count, JSValueConst *values) {
  return call_inner(format_function, count, values);
}

static JSValue inspect(JSContext *realm, JSValueConst self, int count, JSValueConst *values) {
  (void)realm;
  (void)self;
  return call_inner(inspect_function, count, values);
}

static JSValue format(JSContext *realm, JSValueConst self, int count, JSValueConst *values) {
  (void)realm;
  (void)self;
  return call_inner(format_function, count, values);
}

void console_reset(void) {
  if (!was_used) return;
  was_used = false;
  JSValue reset = JS_GetPropertyStr(machine.inner, methods, "reset");
  JS_FreeValue(machine.inner, call_inner(reset, 0, NULL));
  JS_FreeValue(machine.inner, reset);
}

static void boot_methods(void) {
  JSContext *realm = machine.realm;
  JSValue console = JS_NewObject(realm);
  for (int i = 0; i < (int)(sizeof method_names / sizeof method_names[0]); i++)
    JS_DefinePropertyValueStr(
        realm, console, method_names[i],
        JS_NewCFunctionMagic(realm, call_method, method_names[i], 0, JS_CFUNC_generic_magic, i),
        JS_PROP_C_W_E);
  boot_global("console", console);
}

void console_natives(JSValueConst native) {
  boot_set(machine.realm, native, "inspect", JS_DupValue(machine.realm, public_inspect));
  boot_set(machine.realm, native, "format", JS_NewCFunction(machine.realm, format, "format", 1));
}

void console_boot(void) {
  JSContext *inner = machine.inner;
  public_inspect = JS_NewCFunction(machine.realm, inspect, "inspect", 2);
  JSValue native = natives_new(inner);
  boot_set(inner, native, "inspect", JS_DupValue(inner, public_inspect));
  JSValue make_inspect = boot_prelude(inner, "inspect");
  JSValue parts = JS_Call(inner, make_inspect, JS_UNDEFINED, 1, (JSValueConst *)&native);
  inspect_function = JS_GetPropertyStr(inner, parts, "inspect");
  format_function = JS_GetPropertyStr(inner, parts, "format");
  JSValue make_console = boot_prelude(inner, "console");
  JSValueConst arguments[] = {native, parts};
  methods = JS_Call(inner, make_console, JS_UNDEFINED, 2, arguments);
  JS_FreeValue(inner, make_console);
  JS_FreeValue(inner, make_inspect);
  JS_FreeValue(inner, parts);
  JS_FreeValue(inner, native);
  boot_methods();
}
