// SPDX-License-Identifier: MIT
/* file.h -- what kind of content bytes are: file.c has the command, file_binary.c knows formats by
 * their first bytes, file_text.c tells texts apart. */
#ifndef GUEST_BIN_FILE_H
#define GUEST_BIN_FILE_H

#include "bin.h"

typedef struct {
  const unsigned char *at;
  size_t size;    /* of what was read, FILE_HEAD at most; a NUL stands behind it */
  uint64_t whole; /* of the file; 0 when that is not known */
  int fd;
} content;

#define FILE_HEAD (1u << 20)

typedef struct {
  text words;       /* "PNG image data, 16 x 32" */
  const char *mime; /* "image/png" */
  const char *charset;
} verdict;

const char *file_charset(const content *c);
bool file_is_binary(const content *c, verdict *v); /* a format that is known by its first bytes */
void file_is_text(const content *c, verdict *v); /* whatever is left: text of some kind, or data */

#endif
