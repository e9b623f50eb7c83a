// SPDX-License-Identifier: MIT
/* worker.c -- starts a worker with nothing of ours in it, and ends it. */
#define _GNU_SOURCE
#include "sandbox/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "limits.h"
#include "sandbox/guest.h"

/* A session of its own, so that a terminal's signals are for us alone; every signal as at birth. */
static bool set_attributes(posix_spawnattr_t *attributes) {
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID;
  return posix_spawnattr_setsigmask(attributes, &none) == 0 &&
         posix_spawnattr_setsigdefault(attributes, &all) == 0 &&
         posix_spawnattr_setflags(attributes, flags) == 0;
}

/* The socket becomes descriptor 0; whatever else is inherited the worker closes. */
static bool spawn(const char *path, int socket, pid_t *process) {
  static char name[] = "cloche", command[] = "worker";
  char *words[] = {name, command, NULL}, *environment[] = {NULL};
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  if (posix_spawn_file_actions_init(&files) != 0) return false;
  if (posix_spawnattr_init(&attributes) != 0) {
    posix_spawn_file_actions_destroy(&files);
    return false;
  }
  int error = ENOMEM;
  if (posix_spawn_file_actions_adddup2(&files, socket, 0) == 0 && set_attributes(&attributes))
    error = posix_spawn(process, path, &files, &attributes, words, environment);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  errno = error;
  return error == 0;
}

cloche_status cloche__worker_start(const char *path, cloche__worker **started) {
  cloche__worker *worker = calloc(1, sizeof *worker);
  if (worker == NULL) return CLOCHE_E_MEMORY;
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
    free(worker);
    return CLOCHE_E_SYSTEM;
  }
  bool running = fcntl(pair[0], F_SETFL, O_NONBLOCK) == 0 && spawn(path, pair[1], &worker->process);
  int error = errno;
  close(pair[1]);
  if (!running) {
    close(pair[0]);
    free(worker);
    errno = error;
    return CLOCHE_E_SYSTEM;
  }
  worker->socket = pair[0];
  worker->parent = getpid();
  *started = worker;
  return CLOCHE_OK;
}

cloche_status cloche__worker_greet(cloche__worker *worker, const uint8_t image[32]) {
  if (worker->greeted) return CLOCHE_OK;
  cloche__frame frame;
  cloche__frame_hello hello;
  int64_t deadline = cloche__monotonic() + CLOCHE__WORKER_START_NS;
  if (!cloche__frame_receive(worker->socket, &frame, sizeof frame, deadline))
    return CLOCHE_E_SYSTEM;
  if (frame.kind != CLOCHE__FRAME_HELLO || frame.size != sizeof hello) return CLOCHE_E_IMAGE;
  if (!cloche__frame_receive(worker->socket, &hello, sizeof hello, deadline))
    return CLOCHE_E_SYSTEM;
  if (hello.version != CLOCHE__FRAMES_VERSION || memcmp(hello.image, image, 32) != 0)
    return CLOCHE_E_IMAGE;
  worker->walls = hello.walls | 1u << CLOCHE_WALL_PROCESS;
  worker->data = hello.data;
  worker->greeted = true;
  return CLOCHE_OK;
}

/* ---- limits ---- */

bool cloche__worker_limit_data(const cloche__worker *worker, uint64_t bytes) {
#ifdef CLOCHE__STACK_TOLD /* AddressSanitizer's own memory is a thousand times what any limit is \
                           */
  (void)worker, (void)bytes;
  return true;
#else
  struct rlimit limit = {worker->data + bytes, worker->data + bytes};
  return prlimit(worker->process, RLIMIT_DATA, &limit, NULL) == 0;
#endif
}

bool cloche__worker_limit_time(const cloche__worker *worker, int64_t ns) {
  clockid_t clock;
  struct timespec used;
  if (clock_getcpuclockid(worker->process, &clock) != 0 || clock_gettime(clock, &used) != 0)
    return false;
  /* Only the soft limit, which can be raised again; the worker itself can raise none. */
  struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
  if (ns < INT64_MAX) limit.rlim_cur = (rlim_t)used.tv_sec + (rlim_t)(ns / 1000000000) + 2;
  return prlimit(worker->process, RLIMIT_CPU, &limit, NULL) == 0;
}

/* ---- ending ---- */

bool cloche__worker_kill(cloche__worker *worker) {
  if (worker->parent == getpid()) {
    kill(worker->process, SIGKILL);
    if (waitpid(worker->process, NULL, WNOHANG) == 0) return false;
  }
  close(worker->socket);
  free(worker);
  return true;
}

int cloche__worker_end(cloche__worker *worker) {
  if (worker == NULL) return -1;
  int status = -1;
  if (worker->parent == getpid()) {
    kill(worker->process, SIGKILL);
    while (waitpid(worker->process, &status, 0) < 0 && errno == EINTR) continue;
  }
  close(worker->socket);
  free(worker);
  return status;
}
