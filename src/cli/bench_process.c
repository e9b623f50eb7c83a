// SPDX-License-Identifier: MIT
/* bench_process.c -- how long a user waits for the first byte. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/bench.h"
#include "cli/clock.h"

enum { WARM_UP = 3, ROUNDS = 51 };

/* The time until the first byte comes; -1 when none does. */
static int64_t one(void) {
  static char *const words[] = {"cloche", "run", "-e", "console.log('hi')", NULL};
  posix_spawn_file_actions_t actions;
  int ends[2], status;
  pid_t child;
  char byte;
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  int64_t start = cloche__clock_ns();
  int failed = posix_spawn(&child, "/proc/self/exe", &actions, NULL, words, NULL);
  close(ends[1]);
  bool came = failed == 0 && read(ends[0], &byte, 1) == 1;
  int64_t time = cloche__clock_ns() - start;
  close(ends[0]);
  posix_spawn_file_actions_destroy(&actions);
  if (failed == 0) waitpid(child, &status, 0);
  return came ? time : -1;
}

bool cloche__bench_process(cloche__bench_row *row) {
  int64_t times[ROUNDS];
  for (int i = -WARM_UP; i < ROUNDS; i++) {
    int64_t time = one();
    if (time < 0) return false;
    if (i >= 0) times[i] = time;
  }
  cloche__bench_summarise(times, ROUNDS, row);
  return true;
}
