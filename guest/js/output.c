// SPDX-License-Identifier: MIT
/* output.c -- standard output and error.
 *
 * The host's streams take bytes at once, from inside the engine. A pipe may have to wait for its
 * reader, which the engine cannot: those bytes are kept until the process is at its own top. */
#include <string.h>

#include "../kernel/kernel.h"
#include "parts.h"

static js_output_state mine;

static bool may_wait(int fd) {
  file_stat stat;
  return sys_fstat(fd, &stat) == 0 && stat.kind == FILE_PIPE;
}

static void put_bytes(int fd, const char *text, size_t size) {
  if (!mine.streams[fd - 1].is_known) {
    mine.streams[fd - 1].is_known = true;
    mine.streams[fd - 1].may_wait = may_wait(fd);
  }
  if (mine.streams[fd - 1].may_wait)
    buffer_put(&mine.streams[fd - 1].kept, text, size);
  else
    sys_write(fd, text, size);
}

/* The engine encodes half a surrogate pair as three bytes, ED A0..BF xx, that no UTF-8 has. */
static const char *half_pair(const char *from, const char *end) {
  while (from < end && (from = memchr(from, 0xED, (size_t)(end - from))) != NULL) {
    if (end - from >= 3 && (unsigned char)from[1] >= 0xA0) return from;
    from++;
  }
  return NULL;
}

void output_put(int fd, const char *text, size_t size) {
  const char *end = text + size;
  for (const char *half; (half = half_pair(text, end)) != NULL; text = half + 3) {
    put_bytes(fd, text, (size_t)(half - text));
    put_bytes(fd, "\xEF\xBF\xBD", 3);
  }
  put_bytes(fd, text, (size_t)(end - text));
}

void js_output_flush(js_output_state *of) {
  for (int fd = 1; fd <= 2; fd++) {
    buffer *kept = &of->streams[fd - 1].kept;
    if (kept->size > 0) sys_write(fd, kept->at, kept->size);
    kept->size = 0;
  }
}

void js_output_free(js_output_state *of) {
  for (int i = 0; i < 2; i++) buffer_free(&of->streams[i].kept);
  *of = (js_output_state){0};
}

void js_output_exchange(js_output_state *other) {
  js_output_state was = mine;
  mine = *other;
  *other = was;
}
