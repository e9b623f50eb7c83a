// SPDX-License-Identifier: MIT
/* file.c -- a ledger's sink that is a file or a pipe. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ledger/ledger.h"
#include "limits.h"

typedef struct {
  int file;
  bool regular;
  off_t end; /* of the last whole line */
} file_sink;

static bool wait_writable(int file) {
  struct pollfd polled = {.fd = file, .events = POLLOUT};
  int ready;
  do ready = poll(&polled, 1, CLOCHE__LEDGER_PATIENCE);
  while (ready < 0 && errno == EINTR);
  if (ready == 0) errno = ETIMEDOUT;
  return ready > 0;
}

static bool write_all(int file, const char *at, size_t len) {
  while (len > 0) {
    ssize_t wrote = write(file, at, len);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0 && errno == EAGAIN && wait_writable(file)) continue;
    if (wrote <= 0) return false;
    at += wrote;
    len -= (size_t)wrote;
  }
  return true;
}

/* A pipe that nobody reads raises SIGPIPE, which would end our host: it is held back, and taken
 * away if it came. */
static bool write_to_pipe(int file, const char *at, size_t len) {
  sigset_t pipe_signal, before;
  struct timespec now = {0, 0};
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
  bool wrote = write_all(file, at, len);
  int reason = errno;
  if (!wrote && reason == EPIPE && !sigismember(&before, SIGPIPE)) {
    while (sigtimedwait(&pipe_signal, NULL, &now) < 0 && errno == EINTR) continue;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = reason;
  return wrote;
}

static bool write_line(void *self, const char *line, size_t len) {
  file_sink *sink = self;
  if (!sink->regular) return write_to_pipe(sink->file, line, len);
  if (write_all(sink->file, line, len)) {
    sink->end += (off_t)len;
    return true;
  }
  int reason = errno;
  /* Half a line would spoil what is whole; a disk that is full can still be cut back. */
  if (ftruncate(sink->file, sink->end) != 0) reason = errno;
  errno = reason;
  return false;
}

static bool sync_file(void *self) {
  const file_sink *sink = self;
  return !sink->regular || fdatasync(sink->file) == 0;
}

static void close_file(void *self) {
  file_sink *sink = self;
  close(sink->file);
  free(sink);
}

static cloche_status prepare(int file, file_sink *sink, cloche_ledger_options *options) {
  struct stat state;
  int flags = fcntl(file, F_GETFL);
  if (fstat(file, &state) != 0) return CLOCHE_E_SYSTEM;
  sink->file = file;
  sink->regular = S_ISREG(state.st_mode);
  if (!sink->regular)
    return fcntl(file, F_SETFL, flags | O_NONBLOCK) == 0 ? CLOCHE_OK : CLOCHE_E_SYSTEM;
  if (flock(file, LOCK_EX | LOCK_NB) != 0 || fstat(file, &state) != 0) return CLOCHE_E_SYSTEM;
  sink->end = state.st_size;
  return state.st_size == 0 ? CLOCHE_OK : cloche__ledger_last(file, &options->next, options->chain);
}

/* A pipe cannot be opened for reading and writing in one meaning; a file has to, to be gone on
 * with. */
static int open_path(const char *path) {
  struct stat state;
  int mode = stat(path, &state) == 0 && !S_ISREG(state.st_mode) ? O_WRONLY : O_RDWR;
  return open(path, mode | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0600);
}

cloche_status cloche_ledger_file(const char *path, const cloche_ledger_options *options,
                                 cloche_ledger **ledger) {
  if (path == NULL || ledger == NULL) return CLOCHE_E_ARGUMENT;
  cloche_ledger_options own = {0};
  file_sink *sink = calloc(1, sizeof *sink);
  if (options != NULL) own = *options;
  if (sink == NULL) return CLOCHE_E_MEMORY;
  int file = open_path(path);
  cloche_status status = file < 0 ? CLOCHE_E_SYSTEM : prepare(file, sink, &own);
  if (status != CLOCHE_OK) {
    int reason = errno;
    if (file >= 0) close(file);
    free(sink);
    errno = reason;
    return status;
  }
  cloche_ledger_sink made = {sink, write_line, sync_file, close_file};
  return cloche_ledger_new(&made, &own, ledger);
}
