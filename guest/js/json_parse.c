// SPDX-License-Identifier: MIT
/* js_json_parse.c -- JSON to JavaScript values.
 *
 * For what the host sends: a tool's answer, an error, definitions. Integers that a double cannot
 * hold become BigInts, and an object that is exactly {"$bytes": "<base64>"} becomes a Uint8Array.
 * Values of an unfinished array wait on one stack, so that each array is made with its final size.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
/* dtoa.h does not include what it needs. */
/* clang-format off */
#include "dtoa.h"
/* clang-format on */
#include "engine.h"
#include "json.h"

/* Above what the host lets through; the engine's stack holds it many times. */
#define PARSE_DEPTH 1000

typedef struct {
  JSContext *realm;
  const char *start, *at, *end;
  JSValue *waiting;
  size_t waiting_count, waiting_room;
  int depth;
} parser;

static JSValue parse_value(parser *p);

static JSValue syntax(parser *p, const char *what) {
  return JS_ThrowSyntaxError(p->realm, "JSON: %s at offset %zu", what, (size_t)(p->at - p->start));
}

static void skip_space(parser *p) {
  while (p->at < p->end && (*p->at == ' ' || *p->at == '\n' || *p->at == '\r' || *p->at == '\t'))
    p->at++;
}

static bool take(parser *p, char c) {
  skip_space(p);
  if (p->at == p->end || *p->at != c) return false;
  p->at++;
  return true;
}

static int hex4(const char *at) {
  int value = 0;
  for (int i = 0; i < 4; i++) {
    int c = at[i] | 0x20;
    int digit = at[i] >= '0' && at[i] <= '9' ? at[i] - '0'
                : c >= 'a' && c <= 'f'       ? c - 'a' + 10
                                             : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

static void put_utf8(buffer *to, uint32_t c) {
  char bytes[4];
  size_t size = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  for (size_t i = size; i-- > 1; c >>= 6) bytes[i] = (char)(0x80 | (c & 0x3F));
  static const uint8_t lead[5] = {0, 0, 0xC0, 0xE0, 0xF0};
  bytes[0] = (char)(lead[size] | c);
  buffer_put(to, bytes, size);
}

/* After the backslash. A lone half of a surrogate pair is kept, as JSON.parse does. */
static bool unescape(parser *p, buffer *to) {
  static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
  if (p->at == p->end) return false;
  char c = *p->at++;
  const char *found = c != 0 ? strchr(from, c) : NULL;
  if (found != NULL) {
    buffer_char(to, into[found - from]);
    return true;
  }
  if (c != 'u' || p->end - p->at < 4) return false;
  int unit = hex4(p->at);
  if (unit < 0) return false;
  p->at += 4;
  uint32_t code = (uint32_t)unit;
  if (unit >= 0xD800 && unit < 0xDC00 && p->end - p->at >= 6 && p->at[0] == '\\' &&
      p->at[1] == 'u') {
    int low = hex4(p->at + 2);
    if (low >= 0xDC00 && low < 0xE000) {
      code = 0x10000 + (((uint32_t)unit - 0xD800) << 10) + ((uint32_t)low - 0xDC00);
      p->at += 6;
    }
  }
  put_utf8(to, code);
  return true;
}

/* The text of a string whose opening quote was taken: a slice of the input when nothing in it is
 * escaped, else `unescaped`, which the caller frees. */
static bool parse_text(parser *p, buffer *unescaped, const char **text, size_t *size) {
  const char *from = p->at;
  while (p->at < p->end && *p->at != '"' && *p->at != '\\' && (uint8_t)*p->at >= 0x20) p->at++;
  if (p->at < p->end && *p->at == '"') {
    *text = from;
    *size = (size_t)(p->at++ - from);
    return true;
  }
  buffer_put(unescaped, from, (size_t)(p->at - from));
  while (p->at < p->end && *p->at != '"') {
    if ((uint8_t)*p->at < 0x20) return false;
    if (*p->at == '\\') {
      p->at++;
      if (!unescape(p, unescaped)) return false;
      continue;
    }
    from = p->at;
    while (p->at < p->end && *p->at != '"' && *p->at != '\\' && (uint8_t)*p->at >= 0x20) p->at++;
    buffer_put(unescaped, from, (size_t)(p->at - from));
  }
  if (p->at == p->end) return false;
  p->at++;
  *text = buffer_string(unescaped);
  *size = unescaped->size;
  return true;
}

static JSValue parse_string(parser *p) {
  buffer unescaped = {0};
  const char *text;
  size_t size;
  JSValue value = parse_text(p, &unescaped, &text, &size) ? JS_NewStringLen(p->realm, text, size)
                                                          : syntax(p, "malformed string");
  if (unescaped.failed) {
    JS_FreeValue(p->realm, value);
    value = JS_ThrowOutOfMemory(p->realm);
  }
  buffer_free(&unescaped);
  return value;
}

/* Digits beyond 2^53. The engine has no call for this; BigInt(text) may have been replaced, so the
 * value is built from 9 digits at a time with the engine's own arithmetic. */
static JSValue parse_big(parser *p, const char *from, size_t size) {
  bool is_negative = *from == '-';
  const char *digits = from + is_negative, *end = from + size;
  if (end - digits <= 19) {
    uint64_t value = 0;
    for (const char *at = digits; at < end; at++) value = value * 10 + (uint64_t)(*at - '0');
    if (!is_negative) return JS_NewBigUint64(p->realm, value);
    if (value <= (uint64_t)INT64_MAX + 1) return JS_NewBigInt64(p->realm, (int64_t)(0 - value));
  }
  return engine_big_integer(p->realm, from, size);
}

static JSValue parse_number(parser *p) {
  const char *from = p->at;
  if (p->at < p->end && *p->at == '-') p->at++;
  const char *digits = p->at;
  while (p->at < p->end && *p->at >= '0' && *p->at <= '9') p->at++;
  size_t count = (size_t)(p->at - digits);
  if (count == 0 || (*digits == '0' && count > 1)) return syntax(p, "malformed number");
  bool is_integer = true;
  if (p->at < p->end && *p->at == '.') {
    const char *fraction = ++p->at;
    is_integer = false;
    while (p->at < p->end && *p->at >= '0' && *p->at <= '9') p->at++;
    if (p->at == fraction) return syntax(p, "malformed number");
  }
  if (p->at < p->end && (*p->at == 'e' || *p->at == 'E')) {
    is_integer = false;
    if (++p->at < p->end && (*p->at == '+' || *p->at == '-')) p->at++;
    const char *exponent = p->at;
    while (p->at < p->end && *p->at >= '0' && *p->at <= '9') p->at++;
    if (p->at == exponent) return syntax(p, "malformed number");
  }
  if (is_integer && count <= 15) {
    int64_t value = 0;
    for (const char *at = digits; at < p->at; at++) value = value * 10 + (*at - '0');
    if (value == 0 && *from == '-') return JS_NewFloat64(p->realm, -0.0);
    return JS_NewInt64(p->realm, *from == '-' ? -value : value);
  }
  size_t size = (size_t)(p->at - from);
  if (is_integer && count > 16) return parse_big(p, from, size);
  char copy[64], *text = size < sizeof copy ? copy : malloc(size + 1);
  if (text == NULL) return JS_ThrowOutOfMemory(p->realm);
  memcpy(text, from, size);
  text[size] = 0;
  JSATODTempMem scratch;
  double value = js_atod(text, NULL, 10, 0, &scratch);
  if (text != copy) free(text);
  if (is_integer && fabs(value) > 9007199254740991.0) return parse_big(p, from, size);
  if (!isfinite(value))
    return JS_ThrowRangeError(p->realm, "%.*s%s is beyond what a number can hold",
                              size > 30 ? 30 : (int)size, from, size > 30 ? "..." : "");
  return JS_NewNumber(p->realm, value);
}

static bool wait_for_array(parser *p, JSValue value) {
  if (p->waiting_count == p->waiting_room) {
    size_t room = p->waiting_room == 0 ? 32 : p->waiting_room * 2;
    JSValue *grown = realloc(p->waiting, room * sizeof *grown);
    if (grown == NULL) {
      JS_FreeValue(p->realm, value);
      JS_ThrowOutOfMemory(p->realm);
      return false;
    }
    p->waiting = grown;
    p->waiting_room = room;
  }
  p->waiting[p->waiting_count++] = value;
  return true;
}

static void drop_waiting(parser *p, size_t first) {
  while (p->waiting_count > first) JS_FreeValue(p->realm, p->waiting[--p->waiting_count]);
}

static JSValue parse_array(parser *p) {
  size_t first = p->waiting_count;
  if (!take(p, ']')) {
    do {
      JSValue item = parse_value(p);
      if (JS_IsException(item) || !wait_for_array(p, item)) goto fail;
    } while (take(p, ','));
    if (!take(p, ']')) {
      syntax(p, "expected , or ]");
      goto fail;
    }
  }
  size_t count = p->waiting_count - first;
  p->waiting_count = first;
  return JS_NewArrayFrom(p->realm, (int)count, p->waiting + first); /* takes the values */
fail:
  drop_waiting(p, first);
  return JS_EXCEPTION;
}

/* {"$bytes": "..."} and nothing else, from after the brace. The position is unchanged if not. */
static bool parse_bytes(parser *p, JSValue *value) {
  const char *from = p->at;
  static const char key[] = "\"$bytes\"";
  skip_space(p);
  if ((size_t)(p->end - p->at) < sizeof key || memcmp(p->at, key, sizeof key - 1) != 0)
    return false;
  p->at += sizeof key - 1;
  buffer unescaped = {0}, bytes = {0};
  const char *text;
  size_t size;
  bool is_bytes = take(p, ':') && take(p, '"') && parse_text(p, &unescaped, &text, &size) &&
                  take(p, '}') && base64_read(text, size, &bytes);
  if (is_bytes)
    *value = JS_NewUint8ArrayCopy(p->realm, (const uint8_t *)bytes.at, bytes.size);
  else
    p->at = from;
  buffer_free(&unescaped);
  buffer_free(&bytes);
  return is_bytes;
}

static int parse_member(parser *p, JSValueConst object) {
  if (!take(p, '"')) {
    syntax(p, "expected a key");
    return -1;
  }
  buffer unescaped = {0};
  const char *text;
  size_t size;
  if (!parse_text(p, &unescaped, &text, &size)) {
    buffer_free(&unescaped);
    syntax(p, "malformed string");
    return -1;
  }
  JSAtom key = JS_NewAtomLen(p->realm, text, size);
  buffer_free(&unescaped);
  int status = -1;
  if (key != JS_ATOM_NULL && take(p, ':')) {
    JSValue value = parse_value(p);
    if (!JS_IsException(value))
      status = JS_DefinePropertyValue(p->realm, object, key, value, JS_PROP_C_W_E);
  } else if (key != JS_ATOM_NULL) {
    syntax(p, "expected :");
  }
  JS_FreeAtom(p->realm, key);
  return status;
}

static JSValue parse_object(parser *p) {
  JSValue bytes;
  if (parse_bytes(p, &bytes)) return bytes;
  JSValue object = JS_NewObject(p->realm);
  if (JS_IsException(object) || take(p, '}')) return object;
  do {
    if (parse_member(p, object) < 0) goto fail;
  } while (take(p, ','));
  if (take(p, '}')) return object;
  syntax(p, "expected , or }");
fail:
  JS_FreeValue(p->realm, object);
  return JS_EXCEPTION;
}

static JSValue parse_word(parser *p, const char *word, JSValue value) {
  size_t size = strlen(word);
  if ((size_t)(p->end - p->at) < size || memcmp(p->at, word, size) != 0)
    return syntax(p, "unexpected character");
  p->at += size;
  return value;
}

static JSValue parse_nested(parser *p, bool is_object) {
  if (p->depth >= PARSE_DEPTH) return syntax(p, "nested too deeply");
  if (engine_stack_is_full(p->realm)) return JS_EXCEPTION;
  p->depth++;
  p->at++;
  JSValue value = is_object ? parse_object(p) : parse_array(p);
  p->depth--;
  return value;
}

static JSValue parse_value(parser *p) {
  skip_space(p);
  if (p->at == p->end) return syntax(p, "unexpected end");
  switch (*p->at) {
    case '{':
      return parse_nested(p, true);
    case '[':
      return parse_nested(p, false);
    case '"':
      p->at++;
      return parse_string(p);
    case 't':
      return parse_word(p, "true", JS_TRUE);
    case 'f':
      return parse_word(p, "false", JS_FALSE);
    case 'n':
      return parse_word(p, "null", JS_NULL);
    default:
      return parse_number(p);
  }
}

JSValue js_json_parse(JSContext *realm, const char *text, size_t size) {
  parser p = {.realm = realm, .start = text, .at = text, .end = text + size};
  JSValue value = parse_value(&p);
  if (!JS_IsException(value)) {
    skip_space(&p);
    if (p.at != p.end) {
      JS_FreeValue(realm, value);
      value = syntax(&p, "something follows the value");
    }
  }
  free(p.waiting);
  return value;
}
