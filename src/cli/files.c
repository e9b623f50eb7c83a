// SPDX-License-Identifier: MIT
/* files.c -- reading and writing that finishes. */
#include "cli/files.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

/* Pipes grow by what they have; a file is read in a few steps whatever its size. */
enum { STEP = 1 << 16 };

static bool read_all(int fd, size_t most, cloche__buffer *out) {
  for (;;) {
    if (!cloche__buffer_reserve(out, STEP)) {
      errno = ENOMEM;
      return false;
    }
    ssize_t got = read(fd, out->at + out->len, out->cap - out->len);
    if (got == 0) return true;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    out->len += (size_t)got;
    if (out->len > most) {
      errno = EFBIG;
      return false;
    }
  }
}

bool cloche__file_read(const char *path, const char *what, size_t most, cloche__buffer *out) {
  bool own = strcmp(path, "-") == 0;
  *out = (cloche__buffer){0};
  int fd = own ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
  bool read = fd >= 0 && read_all(fd, most, out);
  int why = errno;
  if (fd >= 0 && !own) close(fd);
  if (read) return true;
  cloche__buffer_free(out);
  if (why == EFBIG)
    cloche__complain("%s %s is larger than %zu MiB", what, own ? "on standard input" : path,
                     most >> 20);
  else
    cloche__complain("%s %s cannot be read: %s", what, own ? "on standard input" : path,
                     strerror(why));
  return false;
}

bool cloche__write_all(int fd, cloche_text bytes) {
  while (bytes.len > 0) {
    ssize_t put = write(fd, bytes.at, bytes.len);
    if (put < 0 && errno == EAGAIN) { /* someone made the terminal non-blocking */
      struct pollfd ready = {.fd = fd, .events = POLLOUT};
      poll(&ready, 1, -1);
      continue;
    }
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    bytes = (cloche_text){bytes.at + put, bytes.len - (size_t)put};
  }
  return true;
}
