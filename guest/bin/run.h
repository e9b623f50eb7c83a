// SPDX-License-Identifier: MIT
/* run.h -- starting a program by name from env, xargs, find, timeout and the like.
 *
 * A name without a slash is a command of guest/bin, else a script on PATH, else a granted tool's
 * last name. A path is a script, whose first line names its interpreter (sh without one); /bin/NAME
 * and /usr/bin/NAME mean the command NAME when there is no such file. */
#ifndef GUEST_BIN_RUN_H
#define GUEST_BIN_RUN_H

#include "bin.h"

/* Runs it in the current process and returns its status; 127 not found or 126 not to be run, with a
 * message in NAME's name. [waits] */
int run_here(const char *name, int argc, char **argv, char **environment);

/* Whether run_here would find it: 0, -ENOENT, -EACCES. *path (may be NULL) is what `which` says. */
int run_find(const char *program, char *const *environment, char **path);

/* Starts it as a child whose descriptor `n` is `descriptors[n]` (-1: as ours) for n < 3. pid or a
 * negative errno. `argv` must stay as it is until the child has begun (it is copied). */
int run_start(const char *name, int argc, char **argv, char **environment,
              const int descriptors[3]);
/* The same; the child first closes these of ours. A pipe's end left open there would never end. */
int run_start_closing(const char *name, int argc, char **argv, char **environment,
                      const int descriptors[3], const int *closed, size_t closed_count);

#endif
