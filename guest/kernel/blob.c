// SPDX-License-Identifier: MIT
/* blob.c -- bytes that grow at the end. */
#include "blob.h"

#include <stdio.h>
#include <string.h>

#include "kernel.h"

enum { FULL_AT = 32768, FIRST_CAPACITY = 256 };

static bool reserve(blob *to, size_t more) {
  if (to->failed) return false;
  if (to->capacity - to->size >= more) return true;
  size_t capacity = to->capacity < FIRST_CAPACITY ? FIRST_CAPACITY : to->capacity;
  while (capacity - to->size < more && capacity <= SIZE_MAX / 4) capacity *= 2;
  char *grown = capacity - to->size < more ? NULL : kernel_realloc(to->at, capacity);
  if (grown == NULL) {
    to->failed = true;
    return false;
  }
  to->at = grown;
  to->capacity = capacity;
  return true;
}

void blob_add(blob *to, const void *bytes, size_t size) {
  if (size == 0 || !reserve(to, size)) return;
  memcpy(to->at + to->size, bytes, size);
  to->size += size;
  if (to->full != NULL && to->size >= FULL_AT) to->full(to);
}

void blob_text(blob *to, const char *text) {
  blob_add(to, text, strlen(text));
}

void blob_number(blob *to, uint64_t number) {
  char text[24];
  int size = snprintf(text, sizeof text, "%llu", (unsigned long long)number);
  blob_add(to, text, (size_t)size);
}

/* ---- UTF-8 ---- */

/* The length of the well-formed character at `at`, 0 if there is none. */
static size_t character(const uint8_t *at, size_t size) {
  uint8_t lead = at[0];
  if (lead < 0x80) return 1;
  size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || size < length) return 0;
  for (size_t i = 1; i < length; i++)
    if ((at[i] & 0xC0) != 0x80) return 0;
  bool overlong = (lead == 0xE0 && at[1] < 0xA0) || (lead == 0xF0 && at[1] < 0x90);
  bool outside = (lead == 0xED && at[1] > 0x9F) || (lead == 0xF4 && at[1] > 0x8F);
  return overlong || outside ? 0 : length;
}

bool blob_is_text(const char *bytes, size_t size) {
  for (size_t at = 0, length; at < size; at += length) {
    length = character((const uint8_t *)bytes + at, size - at);
    if (length == 0) return false;
  }
  return true;
}

void blob_json_string(blob *to, const char *bytes, size_t size) {
  blob_add(to, "\"", 1);
  for (size_t at = 0; at < size;) {
    uint8_t c = (uint8_t)bytes[at];
    size_t length = character((const uint8_t *)bytes + at, size - at);
    char escape[8];
    if (length == 0) {
      blob_text(to, "\xEF\xBF\xBD");
      length = 1;
    } else if (c == '"' || c == '\\') {
      escape[0] = '\\';
      escape[1] = (char)c;
      blob_add(to, escape, 2);
    } else if (c < 0x20 || c == 0x7F) {
      blob_add(to, escape, (size_t)snprintf(escape, sizeof escape, "\\u%04x", c));
    } else {
      blob_add(to, bytes + at, length);
    }
    at += length;
  }
  blob_add(to, "\"", 1);
}

void blob_hex(blob *to, const char *bytes, size_t size) {
  static const char digits[] = "0123456789abcdef";
  for (size_t i = 0; i < size; i++) {
    const uint8_t byte = (uint8_t)bytes[i];
    const char hex[2] = {digits[byte >> 4], digits[byte & 15]};
    blob_add(to, hex, 2);
  }
}

void blob_release(blob *released) {
  kernel_free(released->at);
  released->at = NULL;
  released->size = released->capacity = 0;
}
