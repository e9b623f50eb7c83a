// SPDX-License-Identifier: MIT
/* names.c -- names of files as JavaScript's text, and back.
 *
 * A name is bytes. Where they are no UTF-8, each byte that is not part of a character becomes half
 * a surrogate pair, U+DC00 plus the byte, as Python does it: so two names are never one text, and
 * what a program lists it can open. Printed it is U+FFFD, as in Node. Other halves of pairs, which
 * no name gives, become U+FFFD on the way back. */
#include "../kernel/kernel.h"
#include "parts.h"

/* The engine's own form of one UTF-16 unit that stands alone. */
static void put_half(buffer *to, unsigned unit) {
  const char bytes[3] = {(char)(0xE0 | unit >> 12), (char)(0x80 | (unit >> 6 & 0x3F)),
                         (char)(0x80 | (unit & 0x3F))};
  buffer_put(to, bytes, sizeof bytes);
}

JSValue name_value(JSContext *realm, const char *name, size_t size) {
  const uint8_t *at = (const uint8_t *)name, *end = at + size;
  while (at < end && utf8_length(at, (size_t)(end - at)) > 0)
    at += utf8_length(at, (size_t)(end - at));
  if (at == end) return JS_NewStringLen(realm, name, size);
  buffer text = {0};
  for (at = (const uint8_t *)name; at < end;) {
    size_t length = utf8_length(at, (size_t)(end - at));
    if (length > 0)
      buffer_put(&text, at, length);
    else
      put_half(&text, 0xDC00u + *at);
    at += length > 0 ? length : 1;
  }
  JSValue value =
      text.failed ? JS_ThrowOutOfMemory(realm) : JS_NewStringLen(realm, text.at, text.size);
  buffer_free(&text);
  return value;
}

static bool is_half(const char *at) {
  return (at[0] & 0xFF) == 0xED && (at[1] & 0xE0) == 0xA0;
}

/* Text with halves in it is a copy that the engine made for us, so it can be changed where it is;
 * it gets no longer. */
static void put_bytes_back(char *text) {
  char *to = text;
  for (const char *at = text; *at != 0;) {
    if (!is_half(at)) {
      *to++ = *at++;
      continue;
    }
    unsigned unit = 0xD000u | (unsigned)(at[1] & 0x3F) << 6 | (at[2] & 0x3F);
    if (unit >= 0xDC80 && unit <= 0xDCFF) {
      *to++ = (char)(unit & 0xFF);
    } else {
      memcpy(to, "\xEF\xBF\xBD", 3);
      to += 3;
    }
    at += 3;
  }
  *to = 0;
}

const char *name_bytes(JSContext *realm, JSValueConst value) {
  const char *text = JS_ToCString(realm, value);
  for (const char *at = text; at != NULL && *at != 0; at++)
    if (is_half(at)) {
      put_bytes_back((char *)(uintptr_t)text);
      break;
    }
  return text;
}
