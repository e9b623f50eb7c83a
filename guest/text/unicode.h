// SPDX-License-Identifier: MIT
/* unicode.h -- UTF-8 and what is known of each character, as the C.UTF-8 locale has it.
 * The C library's own tables are not used: natively and in the guest they would differ. */
#ifndef GUEST_TEXT_UNICODE_H
#define GUEST_TEXT_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
  UNICODE_UPPER,
  UNICODE_LOWER,
  UNICODE_ALPHA,
  UNICODE_DIGIT,
  UNICODE_ALNUM,
  UNICODE_PUNCT,
  UNICODE_SPACE,
  UNICODE_BLANK,
  UNICODE_PRINT,
  UNICODE_GRAPH,
  UNICODE_CNTRL,
  UNICODE_XDIGIT,
} unicode_class;

#define UNICODE_LAST 0x10FFFFu

/* Decodes the character at `at`. Returns its length (1..4) and stores it, or returns 0 when the
 * bytes there are not a valid character (or size is 0). */
size_t utf8_decode(const char *at, size_t size, uint32_t *character);
/* Writes 1..4 bytes. */
size_t utf8_encode(uint32_t character, char *to);
/* Bytes of the character at `at`; an invalid byte counts as one. 0 only when size is 0. */
size_t utf8_step(const char *at, size_t size);
/* Characters in the text; invalid bytes count as one each. */
size_t utf8_count(const char *text, size_t size);

bool unicode_is(uint32_t character, unicode_class kind);
uint32_t unicode_lower(uint32_t character);
uint32_t unicode_upper(uint32_t character);
/* Columns on a terminal: 0, 1 or 2; -1 for a control character. */
int unicode_width(uint32_t character);
/* "alpha" and so on. False when there is no such class. */
bool unicode_class_named(const char *name, size_t size, unicode_class *kind);
/* The class above ASCII as ranges; step is 1 or 2. ALNUM is ALPHA there, GRAPH is PRINT less SPACE
 * (ask for those); NULL where there is none. */
typedef struct {
  uint32_t first, last, step;
} unicode_range;
const unicode_range *unicode_ranges(unicode_class kind, size_t *count);

#endif
