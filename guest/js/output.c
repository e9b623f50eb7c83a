// SPDX-License-Identifier: MIT
/* output.c -- standard output and error.
 *
 * The host's streams take bytes at once, from inside the engine. A pipe may have to wait for its
 * reader, which the engine cannot: those bytes are kept until the process is at its own top. */
#include <string.h>

#include "../kernel/kernel.h"
#include "parts.h"

typedef struct {
  bool is_known, may_wait;
  buffer kept;
} stream;

static stream streams[2]; /* descriptors 1 and 2 */

static void find_out(stream *to, int fd) {
  file_stat stat;
  to->is_known = true;
  to->may_wait = sys_fstat(fd, &stat) == 0 && stat.kind == FILE_PIPE;
}

static void put_bytes(int fd, const char *text, size_t size) {
  stream *to = &streams[fd - 1];
  if (!to->is_known) find_out(to, fd);
  if (to->may_wait)
    buffer_put(&to->kept, text, size);
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

void js_output_flush(void) {
  for (int fd = 1; fd <= 2; fd++) {
    stream *to = &streams[fd - 1];
    if (to->kept.size > 0) sys_write(fd, to->kept.at, to->kept.size);
    to->kept.size = 0;
  }
}

void output_reset(void) {
  for (int i = 0; i < 2; i++)
    if (streams[i].is_known) {
      buffer_free(&streams[i].kept);
      streams[i] = (stream){0};
    }
}
