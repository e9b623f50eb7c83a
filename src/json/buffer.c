// SPDX-License-Identifier: MIT
/* buffer.c -- a growing run of bytes whose failures stick. */
#include "json/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cloche__buffer cloche__buffer_fixed(char *at, size_t cap) {
  return (cloche__buffer){.at = at, .cap = cap, .fixed = true};
}

bool cloche__buffer_reserve(cloche__buffer *buffer, size_t extra) {
  if (buffer->failed) return false;
  if (extra <= buffer->cap - buffer->len) return true;
  buffer->failed = true; /* until proved otherwise below */
  if (buffer->fixed || extra > SIZE_MAX / 2 - buffer->len) return false;
  size_t cap = buffer->cap < 64 ? 64 : buffer->cap;
  while (cap < buffer->len + extra) cap *= 2; /* at most SIZE_MAX / 2 was asked: cannot wrap */
  char *at = realloc(buffer->at, cap);
  if (at == NULL) return false;
  buffer->at = at;
  buffer->cap = cap;
  buffer->failed = false;
  return true;
}

void cloche__buffer_add(cloche__buffer *buffer, const void *bytes, size_t len) {
  if (len == 0 || !cloche__buffer_reserve(buffer, len)) return;
  memcpy(buffer->at + buffer->len, bytes, len);
  buffer->len += len;
}

void cloche__buffer_byte(cloche__buffer *buffer, char byte) {
  cloche__buffer_add(buffer, &byte, 1);
}

void cloche__buffer_text(cloche__buffer *buffer, cloche_text text) {
  cloche__buffer_add(buffer, text.at, text.len);
}

void cloche__buffer_string(cloche__buffer *buffer, const char *string) {
  cloche__buffer_text(buffer, cloche__text(string));
}

void cloche__buffer_format(cloche__buffer *buffer, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int len = vsnprintf(NULL, 0, format, args);
  va_end(args);
  /* One more than needed, for the NUL that vsnprintf insists on. */
  if (len < 0) {
    buffer->failed = true;
  } else if (cloche__buffer_reserve(buffer, (size_t)len + 1)) {
    vsnprintf(buffer->at + buffer->len, (size_t)len + 1, format, again);
    buffer->len += (size_t)len;
  }
  va_end(again);
}

cloche_text cloche__buffer_view(const cloche__buffer *buffer) {
  return (cloche_text){buffer->at, buffer->len};
}

void cloche__buffer_clear(cloche__buffer *buffer) {
  buffer->len = 0;
  buffer->failed = false;
}

void cloche__buffer_free(cloche__buffer *buffer) {
  if (!buffer->fixed) free(buffer->at);
  *buffer = (cloche__buffer){0};
}

int cloche__text_compare(cloche_text a, cloche_text b) {
  size_t shared = a.len < b.len ? a.len : b.len;
  int order = shared == 0 ? 0 : memcmp(a.at, b.at, shared);
  return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}
