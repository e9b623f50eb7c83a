// SPDX-License-Identifier: MIT
/* js_json_write.c -- a JavaScript value as JSON.
 *
 * The way from the root to the value being written is a chain of `place`s on the C stack: it gives
 * error messages their path and finds cycles. */
#include <math.h>
#include <stdio.h>

#include "engine.h"
#include "json.h"

/* The host refuses an argument nested deeper than this, so say it here, with the path. */
#define ARGUMENT_DEPTH 64
/* What the host reads back from a run. */
#define RESULT_DEPTH 500

typedef struct place {
  const struct place *up;
  JSValueConst holder; /* the object this place is in */
  JSAtom key;          /* or JS_ATOM_NULL for an index */
  uint32_t index;
} place;

typedef struct {
  JSContext *realm;
  json_purpose purpose;
  buffer *to;
  int depth;
} writer;

static json_status write_value(writer *w, JSValueConst value, const place *at);

static bool is_identifier(const char *text) {
  if (*text >= '0' && *text <= '9') return false;
  for (; *text; text++)
    if (!((*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') ||
          (*text >= '0' && *text <= '9') || *text == '_' || *text == '$' || (*text & 0x80)))
      return false;
  return true;
}

static void put_path(writer *w, buffer *to, const place *at) {
  if (at == NULL) return;
  put_path(w, to, at->up);
  if (at->key == JS_ATOM_NULL) {
    buffer_format(to, "[%u]", at->index);
    return;
  }
  const char *key = JS_AtomToCString(w->realm, at->key);
  if (key == NULL) {
    JS_FreeValue(w->realm, JS_GetException(w->realm));
    return;
  }
  if (*key && is_identifier(key))
    buffer_format(to, "%s%s", to->size ? "." : "", key);
  else
    buffer_format(to, "[\"%s\"]", key);
  JS_FreeCString(w->realm, key);
}

/* The value cannot be written: for an argument a TypeError "PATH WHY". */
static json_status refuse(writer *w, const place *at, const char *why) {
  if (w->purpose == JSON_RESULT) return JSON_NOT_DATA;
  buffer path = {0};
  put_path(w, &path, at);
  if (path.size == 0) buffer_text(&path, "the argument");
  JS_ThrowTypeError(w->realm, "%.160s %s", buffer_string(&path), why);
  buffer_free(&path);
  return JSON_EXCEPTION;
}

static json_status write_string(writer *w, JSValueConst value, const place *at) {
  size_t size;
  const char *text = JS_ToCStringLen(w->realm, &size, value);
  if (text == NULL) return JSON_EXCEPTION;
  bool is_whole = true;
  if (w->purpose == JSON_ARGUMENT)
    for (const char *c = text; (c = memchr(c, '\xED', size - (size_t)(c - text))) != NULL; c++)
      if ((uint8_t)c[1] >= 0xA0) is_whole = false; /* half of a surrogate pair */
  if (is_whole) buffer_json_string(w->to, text, size);
  JS_FreeCString(w->realm, text);
  return is_whole ? JSON_WRITTEN
                  : refuse(w, at,
                           "is a string with half a surrogate pair, which is not text "
                           "(see String.prototype.toWellFormed)");
}

static json_status write_digits(writer *w, JSValueConst value) {
  size_t size;
  const char *text = JS_ToCStringLen(w->realm, &size, value);
  if (text == NULL) return JSON_EXCEPTION;
  buffer_put(w->to, text, size);
  JS_FreeCString(w->realm, text);
  return JSON_WRITTEN;
}

static json_status write_number(writer *w, JSValueConst value, const place *at) {
  int tag = JS_VALUE_GET_NORM_TAG(value);
  if (tag == JS_TAG_INT) {
    buffer_integer(w->to, JS_VALUE_GET_INT(value));
    return JSON_WRITTEN;
  }
  double number = JS_VALUE_GET_FLOAT64(value);
  if (isfinite(number)) return write_digits(w, value);
  if (w->purpose == JSON_ARGUMENT)
    return refuse(w, at,
                  isnan(number) ? "is NaN, which JSON does not have"
                                : "is not finite, which JSON does not have");
  buffer_text(w->to, "null");
  return JSON_WRITTEN;
}

/* Functions, symbols and undefined: left out of objects and null in arrays, as JSON.stringify does
 * for a result; for an argument only an undefined property is left out. */
static bool is_left_out(writer *w, JSValueConst value) {
  if (JS_IsUndefined(value)) return true;
  if (w->purpose == JSON_ARGUMENT) return false;
  return JS_IsSymbol(value) || JS_IsFunction(w->realm, value);
}

static json_status enter(writer *w, JSValueConst object, const place *at) {
  int limit = w->purpose == JSON_ARGUMENT ? ARGUMENT_DEPTH : RESULT_DEPTH;
  if (++w->depth > limit) {
    char why[64];
    snprintf(why, sizeof why, "is nested deeper than %d levels", limit);
    return refuse(w, at, why);
  }
  void *self = JS_VALUE_GET_PTR(object);
  for (const place *above = at; above != NULL; above = above->up)
    if (JS_VALUE_GET_PTR(above->holder) == self)
      return refuse(w, at, "refers back to an object that contains it (a cycle)");
  return engine_stack_is_full(w->realm) ? JSON_EXCEPTION : JSON_WRITTEN;
}

static json_status write_array(writer *w, JSValueConst array, const place *at) {
  json_status status = enter(w, array, at);
  int64_t length;
  if (status != JSON_WRITTEN) return status;
  if (JS_GetLength(w->realm, array, &length) < 0) return JSON_EXCEPTION;
  if (length > UINT32_MAX) return refuse(w, at, "is too long");
  buffer_char(w->to, '[');
  for (uint32_t i = 0; i < (uint32_t)length && status == JSON_WRITTEN; i++) {
    place here = {at, array, JS_ATOM_NULL, i};
    JSValue item = JS_GetPropertyUint32(w->realm, array, i);
    if (JS_IsException(item)) return JSON_EXCEPTION;
    if (i > 0) buffer_char(w->to, ',');
    if (is_left_out(w, item)) {
      if (w->purpose == JSON_ARGUMENT)
        status = refuse(w, &here, "is undefined, which JSON does not have; use null");
      else
        buffer_text(w->to, "null");
    } else {
      status = write_value(w, item, &here);
    }
    JS_FreeValue(w->realm, item);
    if (w->to->failed) break;
  }
  buffer_char(w->to, ']');
  w->depth--;
  return status;
}

static json_status write_member(writer *w, JSValueConst object, JSAtom key, const place *at,
                                bool *is_first) {
  JSValue value = JS_GetProperty(w->realm, object, key);
  if (JS_IsException(value)) return JSON_EXCEPTION;
  json_status status = JSON_WRITTEN;
  if (!is_left_out(w, value)) {
    place here = {at, object, key, 0};
    JSValue name = JS_AtomToString(w->realm, key);
    if (!*is_first) buffer_char(w->to, ',');
    *is_first = false;
    status = write_string(w, name, &here);
    buffer_char(w->to, ':');
    if (status == JSON_WRITTEN) status = write_value(w, value, &here);
    JS_FreeValue(w->realm, name);
  }
  JS_FreeValue(w->realm, value);
  return status;
}

/* The own enumerable properties, but for name and message when those were written already. */
static json_status write_members(writer *w, JSValueConst object, const place *at, bool is_error,
                                 bool *is_first) {
  JSPropertyEnum *keys;
  uint32_t count;
  if (JS_GetOwnPropertyNames(w->realm, &keys, &count, object,
                             JS_GPN_STRING_MASK | JS_GPN_ENUM_ONLY) < 0)
    return JSON_EXCEPTION;
  JSAtom name = JS_NewAtom(w->realm, "name"), message = JS_NewAtom(w->realm, "message");
  json_status status = JSON_WRITTEN;
  for (uint32_t i = 0; i < count && status == JSON_WRITTEN && !w->to->failed; i++)
    if (!is_error || (keys[i].atom != name && keys[i].atom != message))
      status = write_member(w, object, keys[i].atom, at, is_first);
  JS_FreeAtom(w->realm, name);
  JS_FreeAtom(w->realm, message);
  JS_FreePropertyEnum(w->realm, keys, count);
  return status;
}

static json_status write_object(writer *w, JSValueConst object, const place *at) {
  json_status status = enter(w, object, at);
  if (status != JSON_WRITTEN) return status;
  bool is_first = true;
  buffer_char(w->to, '{');
  status = write_members(w, object, at, false, &is_first);
  buffer_char(w->to, '}');
  w->depth--;
  return status;
}

static json_status write_bytes(writer *w, const uint8_t *bytes, size_t size) {
  buffer_text(w->to, "{\"$bytes\":\"");
  base64_write(w->to, bytes, size);
  buffer_text(w->to, "\"}");
  return JSON_WRITTEN;
}

/* A Map with string keys as an object, any other as [key, value] pairs, a Set as an array. Only for
 * results: an argument must say which it wants. */
static json_status write_collection(writer *w, JSValueConst object, bool is_map, const place *at) {
  json_status status = enter(w, object, at);
  if (status != JSON_WRITTEN) return status;
  JSValue list = engine_entries(w->realm, object);
  int64_t count;
  if (JS_IsException(list) || JS_GetLength(w->realm, list, &count) < 0) return JSON_EXCEPTION;
  bool as_object = is_map;
  for (int64_t i = 0; as_object && i < count; i += 2) {
    JSValue key = JS_GetPropertyInt64(w->realm, list, i);
    as_object = JS_IsString(key);
    JS_FreeValue(w->realm, key);
  }
  buffer_char(w->to, as_object ? '{' : '[');
  for (int64_t i = 0; i < count && status == JSON_WRITTEN && !w->to->failed; i++) {
    place here = {at, object, JS_ATOM_NULL, (uint32_t)i};
    JSValue item = JS_GetPropertyInt64(w->realm, list, i);
    bool is_value = is_map && i % 2 == 1;
    if (i > 0) buffer_char(w->to, is_value && as_object ? ':' : ',');
    if (is_map && !as_object && !is_value) buffer_char(w->to, '[');
    if (is_left_out(w, item))
      buffer_text(w->to, "null");
    else
      status = write_value(w, item, &here);
    if (is_value && !as_object) buffer_char(w->to, ']');
    JS_FreeValue(w->realm, item);
  }
  buffer_char(w->to, as_object ? '}' : ']');
  JS_FreeValue(w->realm, list);
  w->depth--;
  return status;
}

static json_status write_error(writer *w, JSValueConst error, const place *at) {
  static const char *const names[] = {"name", "message"};
  json_status status = enter(w, error, at);
  bool is_first = true;
  if (status != JSON_WRITTEN) return status;
  buffer_char(w->to, '{');
  for (int i = 0; i < 2 && status == JSON_WRITTEN; i++) {
    JSAtom key = JS_NewAtom(w->realm, names[i]);
    status = write_member(w, error, key, at, &is_first);
    JS_FreeAtom(w->realm, key);
  }
  if (status == JSON_WRITTEN) status = write_members(w, error, at, true, &is_first);
  buffer_char(w->to, '}');
  w->depth--;
  return status;
}

/* Objects that hold something other than properties. *handled is false when `object` is none. */
static json_status write_special(writer *w, JSValueConst object, const place *at, bool *handled) {
  const char *kind = engine_kind(w->realm, object);
  bool is_argument = w->purpose == JSON_ARGUMENT;
  size_t size = 0;
  *handled = true;
  if (strcmp(kind, "Promise") == 0) return refuse(w, at, "is a Promise; await it first");
  if (strcmp(kind, "Map") == 0)
    return is_argument ? refuse(w, at, "is a Map, which JSON does not have; use Object.fromEntries")
                       : write_collection(w, object, true, at);
  if (strcmp(kind, "Set") == 0)
    return is_argument ? refuse(w, at, "is a Set, which JSON does not have; use [...set]")
                       : write_collection(w, object, false, at);
  if (strcmp(kind, "Error") == 0)
    return is_argument ? refuse(w, at, "is an Error, which JSON does not have; send its message")
                       : write_error(w, object, at);
  if (strcmp(kind, "RegExp") == 0) {
    if (is_argument) return refuse(w, at, "is a RegExp, which JSON does not have; send its source");
    JSValue text = JS_ToString(w->realm, object);
    json_status status = JS_IsException(text) ? JSON_EXCEPTION : write_string(w, text, at);
    JS_FreeValue(w->realm, text);
    return status;
  }
  if (strcmp(kind, "ArrayBuffer") == 0) {
    uint8_t *bytes = JS_GetArrayBuffer(w->realm, &size, object);
    return bytes == NULL && size != 0 ? JSON_EXCEPTION : write_bytes(w, bytes, size);
  }
  if (JS_GetTypedArrayType(object) == JS_TYPED_ARRAY_UINT8) {
    uint8_t *bytes = JS_GetUint8Array(w->realm, &size, object);
    return bytes == NULL && size != 0 ? JSON_EXCEPTION : write_bytes(w, bytes, size);
  }
  if (JS_GetTypedArrayType(object) >= 0) return write_array(w, object, at);
  JSValue primitive = engine_primitive(w->realm, object);
  if (!JS_IsUndefined(primitive) && strcmp(kind, "Date") != 0) {
    json_status status = write_value(w, primitive, at);
    JS_FreeValue(w->realm, primitive);
    return status;
  }
  JS_FreeValue(w->realm, primitive);
  *handled = false;
  return JSON_WRITTEN;
}

/* Calls value.toJSON(key) if there is such a method; *replaced says so. */
static JSValue call_to_json(writer *w, JSValueConst value, const place *at, bool *replaced) {
  *replaced = false;
  JSValue method = JS_GetPropertyStr(w->realm, value, "toJSON");
  if (JS_IsException(method)) return method;
  JSValue result = JS_UNDEFINED;
  if (JS_IsFunction(w->realm, method)) {
    *replaced = true;
    char index[16] = "";
    if (at != NULL) snprintf(index, sizeof index, "%u", at->index);
    JSValue key = at != NULL && at->key != JS_ATOM_NULL ? JS_AtomToString(w->realm, at->key)
                                                        : JS_NewString(w->realm, index);
    JSValueConst arguments[] = {key};
    result = JS_Call(w->realm, method, value, 1, arguments);
    JS_FreeValue(w->realm, key);
  }
  JS_FreeValue(w->realm, method);
  return result;
}

static json_status write_plain(writer *w, JSValueConst object, const place *at) {
  bool handled;
  json_status status = write_special(w, object, at, &handled);
  if (handled) return status;
  if (JS_IsArray(object)) return write_array(w, object, at);
  return write_object(w, object, at);
}

static json_status write_nothing(writer *w, JSValueConst value, const place *at) {
  if (JS_IsUndefined(value))
    return refuse(w, at, "is undefined, which JSON does not have; use null");
  return refuse(w, at,
                JS_IsSymbol(value) ? "is a symbol, which JSON does not have"
                                   : "is a function, which JSON does not have");
}

static json_status write_value(writer *w, JSValueConst value, const place *at) {
  if (JS_IsString(value)) return write_string(w, value, at);
  if (JS_IsNumber(value)) return write_number(w, value, at);
  if (JS_IsBigInt(value)) return write_digits(w, value);
  if (JS_IsBool(value) || JS_IsNull(value)) {
    buffer_text(w->to, JS_IsNull(value) ? "null" : JS_VALUE_GET_BOOL(value) ? "true" : "false");
    return JSON_WRITTEN;
  }
  if (!JS_IsObject(value)) return write_nothing(w, value, at);
  if (JS_GetTypedArrayType(value) == JS_TYPED_ARRAY_UINT8)
    return write_plain(w, value, at); /* a Buffer's toJSON would give numbers */
  bool replaced;
  JSValue result = call_to_json(w, value, at, &replaced);
  if (JS_IsException(result)) return JSON_EXCEPTION;
  if (!replaced)
    return JS_IsFunction(w->realm, value) ? write_nothing(w, value, at) : write_plain(w, value, at);
  json_status status;
  if (JS_IsObject(result) && !JS_IsFunction(w->realm, result))
    status = write_plain(w, result, at); /* its own toJSON is not asked again */
  else if (JS_IsUndefined(result) && w->purpose == JSON_RESULT && at != NULL) {
    buffer_text(w->to, "null");
    status = JSON_WRITTEN;
  } else
    status = JS_IsObject(result) ? write_nothing(w, result, at) : write_value(w, result, at);
  JS_FreeValue(w->realm, result);
  return status;
}

json_status js_json_write(JSContext *realm, JSValueConst value, json_purpose purpose, buffer *to) {
  writer w = {realm, purpose, to, 0};
  json_status status = write_value(&w, value, NULL);
  if (status == JSON_WRITTEN && to->failed) {
    JS_ThrowOutOfMemory(realm);
    return JSON_EXCEPTION;
  }
  return status;
}
