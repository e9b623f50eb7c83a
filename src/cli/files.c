// SPDX-License-Identifier: MIT
/* files.c -- reading and writing that finishes. */
#define _GNU_SOURCE
#include "cli/files.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* Nobody else may write the file; whoever owns it could, and root always can. */
static bool is_own(const struct stat *about) {
  return S_ISREG(about->st_mode) && (about->st_uid == geteuid() || about->st_uid == 0) &&
         (about->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* `own`, if not NULL, is about the very file that is read: its name may be another's meanwhile. */
static bool read_file(const char *path, const char *what, size_t most, cloche__buffer *out,
                      bool *own) {
  bool given = strcmp(path, "-") == 0;
  *out = (cloche__buffer){0};
  struct stat about;
  int fd = given ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
  if (own != NULL) *own = fd >= 0 && !given && fstat(fd, &about) == 0 && is_own(&about);
  bool read = fd >= 0 && read_all(fd, most, out);
  int why = errno;
  if (fd >= 0 && !given) close(fd);
  if (read) return true;
  cloche__buffer_free(out);
  if (why == EFBIG)
    cloche__complain("%s %s is larger than %zu MiB", what, given ? "on standard input" : path,
                     most >> 20);
  else
    cloche__complain("%s %s cannot be read: %s", what, given ? "on standard input" : path,
                     strerror(why));
  return false;
}

bool cloche__file_read(const char *path, const char *what, size_t most, cloche__buffer *out) {
  return read_file(path, what, most, out, NULL);
}

bool cloche__file_read_own(const char *path, const char *what, size_t most, cloche__buffer *out,
                           bool *own) {
  return read_file(path, what, most, out, own);
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

/* ---- files that are replaced ---- */

/* A device or a pipe would be gone, and nobody would have read the bytes. */
static bool is_replaceable(const char *path) {
  struct stat about;
  return lstat(path, &about) != 0 || S_ISREG(about.st_mode) || S_ISLNK(about.st_mode) ||
         S_ISDIR(about.st_mode); /* a folder is refused by rename */
}

static bool put(const char *temporary, int file, const char *path, cloche_text bytes) {
  if (!cloche__write_all(file, bytes) || fsync(file) != 0 || rename(temporary, path) != 0)
    return false;
  char *copy = strdup(path);
  int folder = copy == NULL ? -1 : open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  free(copy);
  if (folder < 0) return true; /* it is there; only a lost machine could lose it */
  fsync(folder);
  close(folder);
  return true;
}

bool cloche__file_replace(const char *path, const char *what, cloche_text bytes) {
  if (!is_replaceable(path)) {
    cloche__complain("%s %s cannot be written: it is no file, and would be replaced", what, path);
    return false;
  }
  size_t size = strlen(path) + 8;
  char *temporary = malloc(size);
  if (temporary == NULL) return false;
  snprintf(temporary, size, "%s.XXXXXX", path);
  int file = mkostemp(temporary, O_CLOEXEC); /* mode 0600 */
  bool done = file >= 0 && put(temporary, file, path, bytes);
  int why = errno;
  if (!done && file >= 0) unlink(temporary);
  if (file >= 0) close(file);
  free(temporary);
  if (!done) cloche__complain("%s %s cannot be written: %s", what, path, strerror(why));
  return done;
}
