// SPDX-License-Identifier: MIT
/* buffer.h -- bytes that grow: how JSON and messages are put together here.
 *
 * A failed allocation is remembered; later puts do nothing, and `failed` is asked once at the end.
 * The memory comes from malloc and so ends with the process at the latest. */
#ifndef GUEST_JS_BUFFER_H
#define GUEST_JS_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  char *at;
  size_t size, room;
  bool failed;
} buffer;

static inline void buffer_free(buffer *to) {
  free(to->at);
  *to = (buffer){0};
}

static inline bool buffer_reserve(buffer *to, size_t more) {
  if (to->failed) return false;
  if (more <= to->room - to->size) return true;
  size_t room = to->room == 0 ? 128 : to->room * 2;
  while (room - to->size < more && room < SIZE_MAX / 4) room *= 2;
  char *at = room - to->size < more ? NULL : realloc(to->at, room);
  if (at == NULL) {
    to->failed = true;
    return false;
  }
  to->at = at;
  to->room = room;
  return true;
}

static inline void buffer_put(buffer *to, const void *from, size_t size) {
  if (size == 0 || !buffer_reserve(to, size)) return;
  memcpy(to->at + to->size, from, size);
  to->size += size;
}

static inline void buffer_text(buffer *to, const char *text) {
  buffer_put(to, text, strlen(text));
}

static inline void buffer_char(buffer *to, char c) {
  buffer_put(to, &c, 1);
}

/* Appends a NUL that `size` does not count, so that `at` can be used as a C string. */
static inline const char *buffer_string(buffer *to) {
  if (!buffer_reserve(to, 1)) return "";
  to->at[to->size] = 0;
  return to->at;
}

void buffer_format(buffer *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buffer_integer(buffer *to, int64_t value);

/* The length of the character at `at` in UTF-8, 0 when there is none; `rest` bytes are there. */
size_t utf8_length(const uint8_t *at, size_t rest);
/* Appends UTF-8 with U+FFFD in place of what is none; false when there was such. The engine writes
 * half a surrogate pair as three bytes: in its text they are one U+FFFD, elsewhere three. */
bool utf8_put_whole(buffer *to, const char *text, size_t size, bool is_engine_text);

/* A JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD. */
void buffer_json_string(buffer *to, const char *text, size_t size);

#endif
