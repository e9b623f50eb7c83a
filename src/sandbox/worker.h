// SPDX-License-Identifier: MIT
/* worker.h -- processes that hold one guest each.
 *
 * worker.c       starts and ends them, for the process that decides
 * worker_main.c  what runs inside
 *
 * Threads  One at a time per worker. */
#ifndef CLOCHE_SANDBOX_WORKER_H
#define CLOCHE_SANDBOX_WORKER_H

#include <sys/types.h>

#include "sandbox/frames.h"
#include "sandbox/image.h"

typedef struct cloche__worker {
  struct cloche__worker *next; /* in the engine's list of those that wait */
  int socket;
  pid_t process;
  pid_t parent;   /* who started it: a fork of that process must not use it */
  bool greeted;   /* its walls stand, and it is of our build */
  unsigned walls; /* bits 1 << CLOCHE_WALL_... */
  uint64_t data;  /* bytes that counted against RLIMIT_DATA when it greeted */
} cloche__worker;

/* Starts `path`, a `cloche` program, as `cloche worker`. Does not wait for it. Then it has to get
 * the image, through its socket (cloche__frame_send_file).
 * E_MEMORY, E_SYSTEM (errno) */
cloche_status cloche__worker_start(const char *path, cloche__worker **worker);
/* Waits until it has raised its walls. Then no guest has run in it, so it is believed this once.
 * E_SYSTEM: it died, or took too long; E_IMAGE: it is of another build */
cloche_status cloche__worker_greet(cloche__worker *worker, const uint8_t image[32]);
/* What it may use from now on: bytes beyond those it had at the start, CPU time from now in ns. */
bool cloche__worker_limit_data(const cloche__worker *worker, uint64_t bytes);
bool cloche__worker_limit_time(const cloche__worker *worker, int64_t ns);
/* Kills it and frees; gives what waitpid says of it, or -1. NULL is fine. Waits until the kernel
 * has taken its memory back. */
int cloche__worker_end(cloche__worker *worker);
/* Kills it. True: it is gone and freed. False: it is still on its way. */
bool cloche__worker_kill(cloche__worker *worker);

/* Takes turns for whoever is at the other end of the socket, until that one has gone. Does not
 * return to main's callers with anything left to do: the exit status. */
int cloche__worker_main(int socket);

#endif
