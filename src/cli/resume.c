// SPDX-License-Identifier: MIT
/* resume.c -- cloche resume: goes on with a program that was saved. */
#include "cli/session.h"

static int resume_main(const cloche__command *command, int argc, char **argv) {
  cloche__settings settings;
  int status;
  if (!cloche__options_read(command, CLOCHE__FOR_RESUME, argc, argv, &settings, &status))
    return status;
  if (settings.config == NULL) {
    cloche__complain(
        "cloche resume needs --config FILE: tools and policy are not taken from a snapshot");
    return CLOCHE__EXIT_USAGE;
  }
  return cloche__session_resume(&settings);
}

const cloche__command cloche__resume_command = {
    .name = "resume",
    .arguments = "--config FILE [options] SNAPSHOT",
    .summary = "Goes on with a program that was saved, with an answer to what it waits for.",
    .main = resume_main,
};
