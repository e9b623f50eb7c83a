// SPDX-License-Identifier: MIT
/* buffer.c -- the parts of buffer.h that are not worth inlining. */
#include "buffer.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

void buffer_format(buffer *to, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int size = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  if (size < 0 || !buffer_reserve(to, (size_t)size + 1)) return;
  va_start(arguments, format);
  vsnprintf(to->at + to->size, (size_t)size + 1, format, arguments);
  va_end(arguments);
  to->size += (size_t)size;
}

void buffer_integer(buffer *to, int64_t value) {
  char digits[24];
  int at = sizeof digits;
  uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  do digits[--at] = (char)('0' + rest % 10);
  while ((rest /= 10) != 0);
  if (value < 0) digits[--at] = '-';
  buffer_put(to, digits + at, sizeof digits - (size_t)at);
}

/* How many bytes one U+FFFD stands for: the longest beginning of a sequence, as the web does it. */
static size_t broken_length(const uint8_t *at, size_t rest, bool is_engine_text) {
  if (is_engine_text && at[0] == 0xED && rest >= 3 && at[1] >= 0xA0 && at[1] <= 0xBF &&
      (at[2] & 0xC0) == 0x80)
    return 3;
  if (at[0] < 0xC2 || at[0] > 0xF4) return 1;
  uint8_t low = at[0] == 0xE0 ? 0xA0 : at[0] == 0xF0 ? 0x90 : 0x80;
  uint8_t high = at[0] == 0xED ? 0x9F : at[0] == 0xF4 ? 0x8F : 0xBF;
  size_t whole = at[0] >= 0xF0 ? 4 : at[0] >= 0xE0 ? 3 : 2, length = 1;
  if (rest > 1 && at[1] >= low && at[1] <= high)
    for (length = 2; length < whole && length < rest && (at[length] & 0xC0) == 0x80;) length++;
  return length < whole ? length : 1;
}

size_t utf8_length(const uint8_t *at, size_t rest) {
  static const uint8_t lowest[5] = {0, 0, 0x80, 0xA0, 0x90};
  if (at[0] < 0x80) return 1;
  size_t length = at[0] >= 0xF0 ? 4 : at[0] >= 0xE0 ? 3 : 2;
  if (at[0] < 0xC2 || at[0] > 0xF4 || length > rest) return 0;
  for (size_t i = 1; i < length; i++)
    if ((at[i] & 0xC0) != 0x80) return 0;
  if (length > 2 && (at[0] == 0xE0 || at[0] == 0xF0) && at[1] < lowest[length]) return 0;
  if ((at[0] == 0xED && at[1] > 0x9F) || (at[0] == 0xF4 && at[1] > 0x8F)) return 0;
  return length;
}

bool utf8_put_whole(buffer *to, const char *text, size_t size, bool is_engine_text) {
  const uint8_t *at = (const uint8_t *)text, *end = at + size, *from = at;
  bool is_whole = true;
  while (at < end) {
    size_t length = utf8_length(at, (size_t)(end - at));
    if (length != 0) {
      at += length;
      continue;
    }
    is_whole = false;
    buffer_put(to, from, (size_t)(at - from));
    buffer_text(to, "\xEF\xBF\xBD");
    at += broken_length(at, (size_t)(end - at), is_engine_text);
    from = at;
  }
  buffer_put(to, from, (size_t)(at - from));
  return is_whole;
}

static void put_escaped(buffer *to, uint8_t c) {
  static const char names[] = "btn\0fr"; /* for 8 to 13 */
  if (c == '"' || c == '\\') {
    buffer_char(to, '\\');
    buffer_char(to, (char)c);
  } else if (c >= 8 && c <= 13 && names[c - 8] != 0) {
    buffer_char(to, '\\');
    buffer_char(to, names[c - 8]);
  } else {
    buffer_format(to, "\\u%04x", c);
  }
}

void buffer_json_string(buffer *to, const char *text, size_t size) {
  const uint8_t *at = (const uint8_t *)text, *end = at + size, *from = at;
  buffer_char(to, '"');
  while (at < end) {
    if (*at >= 0x20 && *at < 0x80 && *at != '"' && *at != '\\') {
      at++;
      continue;
    }
    size_t length = *at < 0x80 ? 0 : utf8_length(at, (size_t)(end - at));
    if (length != 0) {
      at += length;
      continue;
    }
    buffer_put(to, from, (size_t)(at - from));
    if (*at < 0x80)
      put_escaped(to, *at);
    else
      buffer_text(to, "\xEF\xBF\xBD");
    at += *at < 0x80 ? 1 : broken_length(at, (size_t)(end - at), true);
    from = at;
  }
  buffer_put(to, from, (size_t)(at - from));
  buffer_char(to, '"');
}
