// SPDX-License-Identifier: MIT
/* natives.c -- what the preludes ask of C: one object of functions, made in either realm.
 *
 * None of them runs code of the program, but for `inspect` and `format` where inspection does. */
#include <math.h>
#include <stdio.h>

#include "../kernel/kernel.h"
#include "collate.h"
#include "engine.h"
#include "parts.h"

/* Every function here has the engine's signature; most need only the arguments. */
#define NATIVE(name)                                                               \
  static JSValue name(JSContext *realm, JSValueConst self __attribute__((unused)), \
                      int count __attribute__((unused)),                           \
                      JSValueConst *values __attribute__((unused)))

/* ---- looking ---- */

NATIVE(kind) {
  return JS_NewString(realm, engine_kind(realm, values[0]));
}
NATIVE(primitive) {
  return engine_primitive(realm, values[0]);
}
NATIVE(entries) {
  return engine_entries(realm, values[0]);
}
NATIVE(entries_are_pairs) {
  return JS_NewBool(realm, engine_entries_are_pairs(values[0]));
}
NATIVE(target) {
  return JS_DupValue(realm, engine_behind_proxies(values[0]));
}
NATIVE(function_type) {
  return JS_NewString(realm, engine_function_type(values[0]));
}

static JSValue pair(JSContext *realm, JSValue first, JSValue second) {
  JSValue values[] = {first, second};
  return JS_NewArrayFrom(realm, 2, values);
}

NATIVE(promise_state) {
  static const char *const names[] = {"pending", "fulfilled", "rejected"};
  return pair(realm, JS_NewString(realm, names[JS_PromiseState(realm, values[0])]),
              JS_PromiseResult(realm, values[0]));
}

NATIVE(proxy_parts) {
  return pair(realm, JS_GetProxyTarget(realm, values[0]), JS_GetProxyHandler(realm, values[0]));
}

/* The source of a function, or "Symbol(name)". */
NATIVE(text_of) {
  if (!JS_IsSymbol(values[0])) return JS_ToString(realm, values[0]);
  return console_inspect(values[0]);
}

/* ---- output, time, chance ---- */

NATIVE(write_text) {
  int32_t fd;
  size_t size;
  if (JS_ToInt32(realm, &fd, values[0]) < 0) return JS_EXCEPTION;
  const char *text = JS_ToCStringLen(realm, &size, values[1]);
  if (text == NULL) return JS_EXCEPTION;
  output_put(fd == 2 ? 2 : 1, text, size);
  JS_FreeCString(realm, text);
  return JS_UNDEFINED;
}

NATIVE(now) {
  return JS_NewFloat64(realm, (double)kernel_now() / 1e6);
}
NATIVE(nanoseconds) {
  return JS_NewBigInt64(realm, kernel_now() - kernel_run_start());
}

/* Milliseconds since the run began; the difference is taken before it becomes a double. */
NATIVE(elapsed) {
  return JS_NewFloat64(realm, (double)(kernel_now() - kernel_run_start()) / 1e6);
}
NATIVE(origin) {
  return JS_NewFloat64(realm, (double)kernel_run_start() / 1e6);
}

NATIVE(random_bytes) {
  uint32_t size;
  if (JS_ToUint32(realm, &size, values[0]) < 0) return JS_EXCEPTION;
  buffer bytes = {0};
  JSValue result = JS_EXCEPTION;
  if (buffer_reserve(&bytes, (size_t)size + 1)) {
    kernel_random(bytes.at, size);
    result = JS_NewUint8ArrayCopy(realm, (const uint8_t *)bytes.at, size);
  } else {
    JS_ThrowOutOfMemory(realm);
  }
  buffer_free(&bytes);
  return result;
}

/* ---- errors ---- */

NATIVE(frames) {
  JSValue recorded = engine_current_frames(realm);
  size_t size;
  const char *text = JS_ToCStringLen(realm, &size, recorded);
  JS_FreeValue(realm, recorded);
  if (text == NULL) return JS_EXCEPTION;
  buffer own = {0};
  errors_own_frames(text, size, &own);
  JS_FreeCString(realm, text);
  JSValue result = JS_NewStringLen(realm, own.at, own.size);
  buffer_free(&own);
  return result;
}

/* An error of the program's realm, for a prelude in the inner one. */
NATIVE(coded_error) {
  const char *parts[3];
  for (int i = 0; i < 3; i++) parts[i] = JS_ToCString(realm, values[i]);
  JSValue error = JS_EXCEPTION;
  if (parts[0] != NULL && parts[1] != NULL && parts[2] != NULL) {
    errors_throw_coded(machine.realm, parts[0], parts[1], parts[2]);
    error = JS_GetException(machine.realm);
  }
  for (int i = 0; i < 3; i++) JS_FreeCString(realm, parts[i]);
  return error;
}

NATIVE(leave) {
  int32_t status = 0;
  if (count > 0 && JS_IsNumber(values[0])) JS_ToInt32(realm, &status, values[0]);
  return run_exit(realm, status);
}

/* ---- text and bytes ---- */

NATIVE(encode) {
  size_t size;
  JSValue whole = JS_ToString(realm, values[0]);
  if (JS_IsException(whole)) return whole;
  const char *text = JS_ToCStringLen(realm, &size, whole);
  JSValue bytes = JS_EXCEPTION;
  if (text != NULL) {
    buffer fixed = {0};
    utf8_put_whole(&fixed, text, size, true);
    bytes = fixed.failed ? JS_ThrowOutOfMemory(realm)
                         : JS_NewUint8ArrayCopy(realm, (const uint8_t *)fixed.at, fixed.size);
    buffer_free(&fixed);
    JS_FreeCString(realm, text);
  }
  JS_FreeValue(realm, whole);
  return bytes;
}

/* encodeInto(text, bytes): {read, written} */
NATIVE(encode_into) {
  size_t size, room;
  const char *text = JS_ToCStringLen(realm, &size, values[0]);
  if (text == NULL) return JS_EXCEPTION;
  uint8_t *to = JS_GetUint8Array(realm, &room, values[1]);
  if (to == NULL && room != 0) {
    JS_FreeCString(realm, text);
    return JS_EXCEPTION;
  }
  buffer fixed = {0};
  utf8_put_whole(&fixed, text, size, true);
  JS_FreeCString(realm, text);
  size_t written = 0, read = 0;
  while (written < fixed.size) {
    uint8_t lead = (uint8_t)fixed.at[written];
    size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (length > room - written) break;
    memcpy(to + written, fixed.at + written, length);
    written += length;
    read += length == 4 ? 2 : 1;
  }
  buffer_free(&fixed);
  JSValue result = JS_NewObject(realm);
  JS_DefinePropertyValueStr(realm, result, "read", JS_NewInt64(realm, (int64_t)read),
                            JS_PROP_C_W_E);
  JS_DefinePropertyValueStr(realm, result, "written", JS_NewInt64(realm, (int64_t)written),
                            JS_PROP_C_W_E);
  return result;
}

/* decode(bytes, fatal): text, or undefined when it is not UTF-8 and that is fatal */
NATIVE(decode) {
  size_t size;
  uint8_t *bytes = JS_GetUint8Array(realm, &size, values[0]);
  if (bytes == NULL && size != 0) return JS_EXCEPTION;
  bool is_fatal = count > 1 && JS_ToBool(realm, values[1]) > 0;
  buffer fixed = {0};
  bool is_whole = utf8_put_whole(&fixed, (const char *)bytes, size, false);
  JSValue text = fixed.failed            ? JS_ThrowOutOfMemory(realm)
                 : is_whole || !is_fatal ? JS_NewStringLen(realm, fixed.at, fixed.size)
                                         : JS_UNDEFINED;
  buffer_free(&fixed);
  return text;
}

/* collate(a, b, strength, numeric): -1, 0 or 1 */
NATIVE(compare_text) {
  size_t sizes[2];
  int32_t strength;
  const uint16_t *texts[2] = {JS_ToCStringLenUTF16(realm, &sizes[0], values[0]),
                              JS_ToCStringLenUTF16(realm, &sizes[1], values[1])};
  JSValue result = JS_EXCEPTION;
  if (texts[0] != NULL && texts[1] != NULL && JS_ToInt32(realm, &strength, values[2]) >= 0) {
    int order =
        collate(texts[0], sizes[0], texts[1], sizes[1], strength, JS_ToBool(realm, values[3]) > 0);
    result = order == COLLATE_NO_MEMORY ? JS_ThrowOutOfMemory(realm) : JS_NewInt32(realm, order);
  }
  for (int i = 0; i < 2; i++) JS_FreeCStringUTF16(realm, texts[i]);
  return result;
}

/* The image is the same for all, so its random state cannot be used; asking the kernel costs a
 * page, so it is asked only by a run that wants chance. */
static bool is_seeded;

NATIVE(math_random) {
  if (!is_seeded) {
    uint64_t seed;
    kernel_random(&seed, sizeof seed);
    engine_seed(realm, seed);
    is_seeded = true;
  }
  return engine_random(realm);
}

void natives_reset(void) {
  is_seeded = false;
}

void natives_boot(void) {
  JSContext *realm = machine.realm;
  JSValue global = JS_GetGlobalObject(realm);
  JSValue math = JS_GetPropertyStr(realm, global, "Math");
  boot_function(math, "random", math_random, 0);
  JS_FreeValue(realm, math);
  JS_FreeValue(realm, global);
}

JSValue natives_new(JSContext *realm) {
  static const JSCFunctionListEntry functions[] = {
      JS_CFUNC_DEF("kind", 1, kind),
      JS_CFUNC_DEF("primitive", 1, primitive),
      JS_CFUNC_DEF("entries", 1, entries),
      JS_CFUNC_DEF("entriesArePairs", 1, entries_are_pairs),
      JS_CFUNC_DEF("promiseState", 1, promise_state),
      JS_CFUNC_DEF("target", 1, target),
      JS_CFUNC_DEF("proxyParts", 1, proxy_parts),
      JS_CFUNC_DEF("functionType", 1, function_type),
      JS_CFUNC_DEF("textOf", 1, text_of),
      JS_CFUNC_DEF("writeText", 2, write_text),
      JS_CFUNC_DEF("now", 0, now),
      JS_CFUNC_DEF("nanoseconds", 0, nanoseconds),
      JS_CFUNC_DEF("elapsed", 0, elapsed),
      JS_CFUNC_DEF("origin", 0, origin),
      JS_CFUNC_DEF("random", 1, random_bytes),
      JS_CFUNC_DEF("frames", 0, frames),
      JS_CFUNC_DEF("codedError", 3, coded_error),
      JS_CFUNC_DEF("exit", 1, leave),
      JS_CFUNC_DEF("encode", 1, encode),
      JS_CFUNC_DEF("encodeInto", 2, encode_into),
      JS_CFUNC_DEF("decode", 2, decode),
      JS_CFUNC_DEF("collate", 4, compare_text),
  };
  JSValue native = JS_NewObject(realm);
  JS_SetPropertyFunctionList(realm, native, functions, sizeof functions / sizeof functions[0]);
  return native;
}
