// SPDX-License-Identifier: MIT
/* guard.c -- the kernel closes a dead process's sockets, whatever killed it: so the guard reads
 * from one until its end. PR_SET_PDEATHSIG would reach a tool itself, and not what it started.
 *
 * The guard is a fork that runs nothing but the loop below, so what it uses has to be safe after a
 * fork of a process with threads. It holds no descriptor of its parent's: an output, a lock or the
 * worker's socket would look open while it lives. */
#define _GNU_SOURCE
#include "cli/guard.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/processes.h"

static int to_guard = -1;
static pid_t guard;

/* ---- in the guard ---- */

static void note(pid_t *groups, int32_t told) {
  pid_t wanted = told > 0 ? 0 : (pid_t)-told;
  for (size_t i = 0; i < CLOCHE__PROCESSES_MAX; i++) {
    if (groups[i] != wanted) continue;
    groups[i] = told > 0 ? (pid_t)told : 0;
    return;
  }
}

static _Noreturn void watch(int socket) {
  static pid_t groups[CLOCHE__PROCESSES_MAX];
  static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) signal(ignored[i], SIG_IGN);
  setsid(); /* a kill of the parent's whole group is not meant for it */
  prctl(PR_SET_NAME, "cloche-guard");
  if (dup2(socket, 0) < 0) _exit(1);
  close_range(1, ~0u, 0);
  int32_t told;
  ssize_t got;
  while ((got = recv(0, &told, sizeof told, 0)) == sizeof told || (got < 0 && errno == EINTR))
    if (got > 0) note(groups, told);
  for (size_t i = 0; i < CLOCHE__PROCESSES_MAX; i++)
    if (groups[i] != 0) kill(-groups[i], SIGKILL);
  _exit(0);
}

/* ---- in the parent ---- */

bool cloche__guard_start(void) {
  if (to_guard >= 0) return true;
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) return false;
  guard = fork();
  if (guard == 0) watch(pair[1]);
  close(pair[1]);
  if (guard < 0) {
    close(pair[0]);
    return false;
  }
  to_guard = pair[0];
  return true;
}

void cloche__guard_tell(pid_t group, bool runs) {
  int32_t told = runs ? (int32_t)group : -(int32_t)group;
  if (to_guard >= 0) send(to_guard, &told, sizeof told, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void cloche__guard_stop(void) {
  if (to_guard < 0) return;
  close(to_guard);
  to_guard = -1;
  while (waitpid(guard, NULL, 0) < 0 && errno == EINTR) continue;
}
