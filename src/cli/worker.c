// SPDX-License-Identifier: MIT
/* worker.c -- cloche worker: holds one guest for whoever started it, at the other end of descriptor
 * 0. Not for people, and in no list of commands. */
#include "sandbox/worker.h"

#include <sys/socket.h>

#include "cli/cli.h"

static bool is_socket(int file) {
  int type;
  socklen_t size = sizeof type;
  return getsockopt(file, SOL_SOCKET, SO_TYPE, &type, &size) == 0;
}

static int worker_main(const cloche__command *command, int argc, char **argv) {
  (void)command, (void)argc, (void)argv;
  if (!is_socket(0)) {
    cloche__complain("a worker is started by cloche itself");
    return CLOCHE__EXIT_USAGE;
  }
  return cloche__worker_main(0);
}

const cloche__command cloche__worker_command = {
    .name = "worker",
    .arguments = "",
    .summary = "Holds a guest for another process.",
    .main = worker_main,
};
