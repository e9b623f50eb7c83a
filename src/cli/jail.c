// SPDX-License-Identifier: MIT
/* jail.c -- the worker is this program itself; what is missing around it is said aloud. */
#include "cli/jail.h"

#include "cli/cli.h"

void cloche__jail_choose(cloche_engine_options *options) {
  options->isolation = CLOCHE_ISOLATE_PROCESS;
  options->worker = "/proc/self/exe";
}

void cloche__jail_report(unsigned walls) {
  for (int wall = 0; wall < CLOCHE_WALL_COUNT; wall++)
    if (!(walls & 1u << wall))
      cloche__complain("warning: the jail lacks a wall, which this system refused: %s",
                       cloche_wall_text((cloche_wall)wall));
}

void cloche__jail_absent(void) {
  cloche__complain(
      "warning: --no-jail: the program runs in this very process; only the engine's own walls are "
      "between it and this machine");
}
