// SPDX-License-Identifier: MIT
/* version.c -- cloche version: which program, and which image it carries. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cloche.h"

static int version_main(const cloche__command *command, int argc, char **argv) {
  cloche__settings settings;
  int status;
  if (!cloche__options_read(command, CLOCHE__FOR_VERSION, argc, argv, &settings, &status))
    return status;
  cloche_engine *engine;
  cloche_status made = cloche_engine_new(NULL, &engine);
  if (made != CLOCHE_OK) {
    cloche__complain("%s", cloche_status_text(made));
    return CLOCHE__EXIT_INTERNAL;
  }
  printf("cloche %s\nimage %s\n", cloche_version(), cloche_engine_image(engine));
  cloche_engine_free(engine);
  return CLOCHE__EXIT_DONE;
}

const cloche__command cloche__version_command = {
    .name = "version",
    .arguments = "",
    .summary = "Prints the version and the hash of the guest's image.",
    .main = version_main,
};
