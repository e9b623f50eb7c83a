// SPDX-License-Identifier: MIT
/* stream.h -- buffered reading and writing of descriptors. All of it [waits] where it has to.
 *
 * Lines may hold any byte. What input_line gives points into the buffer and is good until the next
 * read. An output is flushed when it is full and by output_flush; a write that fails is remembered
 * in `error` and later ones are dropped. */
#ifndef GUEST_BIN_STREAM_H
#define GUEST_BIN_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  int fd;
  char *buffer; /* malloc'd when first needed */
  size_t start, end, room;
  bool ended;
  int error; /* errno of a failed read, else 0 */
} input;

void input_open_fd(input *in, int fd);
/* Opens a file for reading, "-" being descriptor 0. 0, or a negative errno. */
int input_open(input *in, const char *path);
void input_close(input *in); /* frees the buffer; closes unless it is descriptor 0 */

/* The next line without its end mark. False at the end or after an error. *ended_by_mark (may be
 * NULL) tells whether the mark was there: false for a last line without one. */
bool input_until(input *in, int mark, char **line, size_t *size, bool *ended_by_mark);
/* The next line if its mark was read already; never waits. */
bool input_until_here(input *in, int mark, const char **line, size_t *size);
bool input_line(input *in, char **line, size_t *size, bool *ended_by_newline);
/* Some bytes, at least one: the buffer's, good until the next read. 0 at the end. */
size_t input_some(input *in, char **at);
/* At least `wanted` bytes if there are so many before the end; does not take them. */
size_t input_peek(input *in, size_t wanted, char **at);
void input_take(input *in, size_t size);
/* Puts a byte behind the last one; only once the end was reached. */
void input_mark_end(input *in, int mark);
/* -1 at the end. */
int input_fill(input *in); /* reads once more into the buffer: 1 more is there, 0 end or error */
static inline int input_byte(input *in) {
  if (in->start == in->end && input_fill(in) <= 0) return -1;
  return (unsigned char)in->buffer[in->start++];
}
/* All that is left, malloc'd and ending with a NUL; NULL never. */
char *input_all(input *in, size_t *size);

typedef struct {
  int fd;
  char *buffer;
  size_t used, room;
  int error; /* errno of the first failed write, else 0 */
} output;

void output_open_fd(output *out, int fd);
void output_flush(output *out);
void output_write_slow(output *out, const char *at, size_t size);
void output_format(output *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

static inline void output_write(output *out, const char *at, size_t size) {
  if (size != 0 && out->room - out->used > size) { /* memcpy wants no NULL, even for nothing */
    __builtin_memcpy(out->buffer + out->used, at, size);
    out->used += size;
  } else {
    output_write_slow(out, at, size);
  }
}
static inline void output_byte(output *out, int byte) {
  char c = (char)byte;
  output_write(out, &c, 1);
}
static inline void output_string(output *out, const char *string) {
  output_write(out, string, __builtin_strlen(string));
}

#endif
