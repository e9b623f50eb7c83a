// SPDX-License-Identifier: MIT
/* cli.h -- what the subcommands of the `cloche` program share: how they are found, how they end,
 * and how they complain.
 *
 *   main.c        finds the subcommand          options.c   the table of options -> one settings
 *   run.c sh.c    one program, start to end     config.c    the configuration file
 *   check.c tools.c ledger.c bench.c version.c  broker.c    tools that are commands
 *   resume.c      goes on with a saved one      snapshot.c  says what one is
 *
 * Only run, sh and resume start processes. Nothing here decides about a call; that is the gate's.
 */
#ifndef CLOCHE_CLI_CLI_H
#define CLOCHE_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>

/* Exit statuses, a contract with scripts. */
enum {
  CLOCHE__EXIT_DONE = 0,
  CLOCHE__EXIT_FAILED = 1,
  CLOCHE__EXIT_USAGE = 2, /* also a configuration that is wrong */
  CLOCHE__EXIT_ASK = 3,
  CLOCHE__EXIT_TIME = 124, /* fuel too */
  CLOCHE__EXIT_INTERNAL = 125,
  CLOCHE__EXIT_MEMORY = 137,
};

typedef struct cloche__command {
  const char *name;
  const char *arguments; /* for the usage line */
  const char *summary;   /* one line */
  int (*main)(const struct cloche__command *command, int argc, char **argv); /* exit status */
} cloche__command;

extern const cloche__command cloche__run_command, cloche__sh_command, cloche__check_command,
    cloche__tools_command, cloche__ledger_command, cloche__bench_command, cloche__version_command,
    cloche__resume_command, cloche__replay_command, cloche__snapshot_command,
    cloche__worker_command;

/* "cloche: ..." and a newline on stderr, in one write. */
__attribute__((format(printf, 1, 2))) void cloche__complain(const char *format, ...);

#endif
