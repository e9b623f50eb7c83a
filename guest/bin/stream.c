// SPDX-License-Identifier: MIT
// stream.c -- see stream.h.
#include "stream.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../kernel/kernel.h"
#include "../text/bytes.h"
#include "../text/text.h"

/* Small enough that a stage of a pipeline touches few pages, large enough that waiting costs
 * little. A pipe hands over some 16 KiB at a time; a file fills whatever it is given. */
#define INPUT_BYTES 32768u
#define OUTPUT_BYTES 16384u
#define SMALL_REST 4096u

void input_open_fd(input *in, int fd) {
  *in = (input){.fd = fd};
}

int input_open(input *in, const char *path) {
  *in = (input){.fd = 0};
  if (strcmp(path, "-") == 0) return 0;
  in->fd = sys_open(path, OPEN_READ, 0);
  return in->fd < 0 ? in->fd : 0;
}

void input_close(input *in) {
  free(in->buffer);
  if (in->fd > 0) sys_close(in->fd);
  *in = (input){.fd = -1, .ended = true};
}

int input_fill(input *in) {
  if (in->ended) return 0;
  size_t rest = in->end - in->start;
  if (rest <= SMALL_REST && in->start > 0) { /* the same pages again */
    memmove(in->buffer, in->buffer + in->start, rest);
    in->start = 0;
    in->end = rest;
  }
  if (in->room - in->end < INPUT_BYTES / 2) {
    if (in->start >= in->room / 2 && in->start > 0) {
      memmove(in->buffer, in->buffer + in->start, in->end - in->start);
      in->end -= in->start;
      in->start = 0;
    } else {
      in->room = in->room == 0 ? INPUT_BYTES : in->room * 2;
      in->buffer = memory_resize(in->buffer, in->room);
    }
  }
  int64_t got = sys_read(in->fd, in->buffer + in->end, in->room - in->end);
  if (got <= 0) {
    in->ended = true;
    if (got < 0) in->error = (int)-got;
    return 0;
  }
  in->end += (size_t)got;
  return 1;
}

bool input_until(input *in, int mark, char **line, size_t *size, bool *ended_by_mark) {
  size_t searched = 0;
  for (;;) {
    size_t left = in->end - in->start;
    const char *found = NULL;
    if (left > searched) {
      found = bytes_chr(in->buffer + in->start + searched, mark, left - searched);
    }
    if (found != NULL || (left > 0 && in->ended)) {
      *line = in->buffer + in->start;
      *size = found != NULL ? (size_t)(found - *line) : left;
      in->start += *size + (found != NULL);
      if (ended_by_mark != NULL) *ended_by_mark = found != NULL;
      return true;
    }
    if (in->ended) return false;
    searched = left;
    input_fill(in);
  }
}

bool input_until_here(input *in, int mark, const char **line, size_t *size) {
  size_t left = in->end - in->start;
  const char *begin = in->buffer + in->start;
  const char *found = left > 0 ? bytes_chr(begin, mark, left) : NULL;
  if (found == NULL) return false;
  *line = begin;
  *size = (size_t)(found - begin);
  in->start += *size + 1;
  return true;
}

bool input_line(input *in, char **line, size_t *size, bool *ended_by_newline) {
  return input_until(in, '\n', line, size, ended_by_newline);
}

size_t input_some(input *in, char **at) {
  if (in->start == in->end && input_fill(in) <= 0) return 0;
  *at = in->buffer + in->start;
  size_t size = in->end - in->start;
  in->start = in->end;
  return size;
}

size_t input_peek(input *in, size_t wanted, char **at) {
  while (in->end - in->start < wanted && input_fill(in) > 0) {
  }
  *at = in->buffer + in->start;
  return in->end - in->start;
}

void input_take(input *in, size_t size) {
  in->start += size;
}

void input_mark_end(input *in, int mark) {
  if (in->end == in->room) in->buffer = memory_resize(in->buffer, ++in->room);
  in->buffer[in->end++] = (char)mark;
}

char *input_all(input *in, size_t *size) {
  while (input_fill(in) > 0) {
  }
  *size = in->end - in->start;
  char *all = memory_take(*size + 1);
  if (*size > 0) memcpy(all, in->buffer + in->start, *size);
  all[*size] = 0;
  in->start = in->end;
  return all;
}

void output_open_fd(output *out, int fd) {
  *out = (output){.fd = fd};
}

static void write_all(output *out, const char *at, size_t size) {
  if (out->error != 0 || size == 0) return;
  int64_t written = sys_write(out->fd, at, size);
  if (written < 0) out->error = (int)-written;
}

void output_flush(output *out) {
  write_all(out, out->buffer, out->used);
  out->used = 0;
}

void output_write_slow(output *out, const char *at, size_t size) {
  if (size == 0) return;
  if (out->buffer == NULL) {
    out->buffer = memory_take(OUTPUT_BYTES);
    out->room = OUTPUT_BYTES;
  }
  if (out->room - out->used <= size) output_flush(out);
  if (size >= out->room) {
    write_all(out, at, size);
    return;
  }
  memcpy(out->buffer + out->used, at, size);
  out->used += size;
}

void output_format(output *out, const char *format, ...) {
  char small[256];
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  int size = vsnprintf(small, sizeof small, format, arguments);
  va_end(arguments);
  if (size > 0 && (size_t)size < sizeof small) {
    output_write(out, small, (size_t)size);
  } else if (size > 0) {
    char *large = memory_take((size_t)size + 1);
    vsnprintf(large, (size_t)size + 1, format, again);
    output_write(out, large, (size_t)size);
    free(large);
  }
  va_end(again);
}
