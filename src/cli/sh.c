// SPDX-License-Identifier: MIT
/* sh.c -- cloche sh: a shell program. Its exit status is the script's own. */
#include "cli/session.h"

static int sh_main(const cloche__command *command, int argc, char **argv) {
  cloche__settings settings;
  int status;
  if (!cloche__options_read(command, CLOCHE__FOR_SH, argc, argv, &settings, &status)) return status;
  return cloche__session(&settings, CLOCHE_SHELL);
}

const cloche__command cloche__sh_command = {
    .name = "sh",
    .arguments = "[options] FILE | - | -c CODE [-- ARGUMENT...]",
    .summary = "Runs a shell program; `tool NAME` calls the tools that the policy allows.",
    .main = sh_main,
};
