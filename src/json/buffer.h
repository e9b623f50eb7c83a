// SPDX-License-Identifier: MIT
/* buffer.h -- a growing run of bytes whose failures stick.
 *
 * Append as much as you like and look at `failed` once, at the end: after a failure nothing more is
 * appended, so a text is either whole or marked. A fixed buffer never allocates and fails when
 * full. */
#ifndef CLOCHE_JSON_BUFFER_H
#define CLOCHE_JSON_BUFFER_H

#include <string.h>

#include "cloche.h"

typedef struct cloche__buffer {
  char *at; /* not NUL-terminated */
  size_t len, cap;
  bool failed; /* out of memory, or a fixed buffer is full */
  bool fixed;
} cloche__buffer; /* all zero is an empty buffer */

/* A buffer over `cap` bytes at `at`, which stay the caller's. */
cloche__buffer cloche__buffer_fixed(char *at, size_t cap);
/* Makes room for `extra` more bytes. False on failure, which also sticks. */
bool cloche__buffer_reserve(cloche__buffer *buffer, size_t extra);
void cloche__buffer_add(cloche__buffer *buffer, const void *bytes, size_t len);
void cloche__buffer_byte(cloche__buffer *buffer, char byte);
void cloche__buffer_text(cloche__buffer *buffer, cloche_text text);
void cloche__buffer_string(cloche__buffer *buffer, const char *string); /* NUL-terminated */
__attribute__((format(printf, 2, 3))) void cloche__buffer_format(cloche__buffer *buffer,
                                                                 const char *format, ...);
cloche_text cloche__buffer_view(const cloche__buffer *buffer); /* valid until the next append */
void cloche__buffer_clear(
    cloche__buffer *buffer);                      /* empties it, forgives failure, keeps the room */
void cloche__buffer_free(cloche__buffer *buffer); /* leaves it empty and usable */

/* The text of a NUL-terminated string; NULL gives the empty text. */
static inline cloche_text cloche__text(const char *string) {
  size_t len = 0;
  while (string != NULL && string[len] != '\0') len++;
  return (cloche_text){string, len};
}

static inline bool cloche__text_equal(cloche_text a, cloche_text b) {
  return a.len == b.len && (a.len == 0 || memcmp(a.at, b.at, a.len) == 0);
}
/* Byte order, which for UTF-8 is the order of code points. Less than, equal to or above zero. */
int cloche__text_compare(cloche_text a, cloche_text b);

#endif
