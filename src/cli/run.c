// SPDX-License-Identifier: MIT
/* run.c -- cloche run: a JavaScript program. */
#include "cli/session.h"

static int run_main(const cloche__command *command, int argc, char **argv) {
  cloche__settings settings;
  int status;
  if (!cloche__options_read(command, CLOCHE__FOR_RUN, argc, argv, &settings, &status))
    return status;
  return cloche__session(&settings, CLOCHE_JAVASCRIPT);
}

const cloche__command cloche__run_command = {
    .name = "run",
    .arguments = "[options] FILE | - | -e CODE",
    .summary = "Runs a JavaScript program; it can call the tools that the policy allows.",
    .main = run_main,
};
