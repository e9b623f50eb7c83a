// SPDX-License-Identifier: MIT
/* options.h -- the command line becomes one struct of settings. */
#ifndef CLOCHE_CLI_OPTIONS_H
#define CLOCHE_CLI_OPTIONS_H

#include "cli/cli.h"
#include "cloche.h"

/* Which subcommands take an option. */
enum {
  CLOCHE__FOR_RUN = 1,
  CLOCHE__FOR_SH = 2,
  CLOCHE__FOR_CHECK = 4,
  CLOCHE__FOR_TOOLS = 8,
  CLOCHE__FOR_BENCH = 16,
  CLOCHE__FOR_VERSION = 32,
  CLOCHE__FOR_LEDGER = 64,
  CLOCHE__FOR_RESUME = 128,
  CLOCHE__FOR_SNAPSHOT = 256,
  CLOCHE__FOR_REPLAY = 512,
};

/* What becomes of a call that a person has to approve. */
typedef enum cloche__ask {
  CLOCHE__ASK_ANYHOW = 0, /* on the terminal if there is one, else the program is saved */
  CLOCHE__ASK_TERMINAL,   /* without one it is denied */
  CLOCHE__ASK_SUSPEND,
  CLOCHE__ASK_DENY,
} cloche__ask;

/* HOST:GUEST[:ro|rw] */
typedef struct cloche__cli_mount {
  cloche_text host, guest;
  bool writable;
} cloche__cli_mount;
enum { CLOCHE__CLI_MOUNTS = 16 };

/* Texts point into argv. */
typedef struct cloche__settings {
  const char *code, *file; /* the program; "-" is standard input. resume: the snapshot */
  char **rest; /* sh: further words become $1, $2...; options of its own come after -- */
  int rest_count;
  const char *config, *stdin_from, *call, *ledger, *accounts;
  const char *snapshot, *key, *audience, *approve, *deny;
  const char *plan_to, *mock, *apply; /* files of a plan */
  cloche__ask ask;
  uint64_t until; /* a call's id; 0: to the end */
  cloche_ledger_sync ledger_sync;
  bool json, real_time, types, lint, diff, trust, no_jail, session;
  bool plan; /* make one */
  bool portable;
  cloche__cli_mount mounts[CLOCHE__CLI_MOUNTS];
  size_t mount_count;
  bool seeded;
  uint8_t seed[32];
  int64_t start_time;   /* ns since 1970, 0: the real one */
  cloche_limits limits; /* those that were given; zero elsewhere */
} cloche__settings;

/* True: go on with the settings. False: *status is how to exit; help or what was wrong is printed.
 */
bool cloche__options_read(const cloche__command *command, unsigned mask, int argc, char **argv,
                          cloche__settings *settings, int *status);

#endif
