// SPDX-License-Identifier: MIT
/* absent.c -- stand-ins for the commands that come from other people's sources, in a native guest
 * for fuzzing the shell. */
#include "../guest/kernel/kernel.h"

static int none(int argc, char **argv, char **environment) {
  (void)argc, (void)argv, (void)environment;
  return 2;
}

const command command_jq = {.name = "jq", .main = none, .usage = "jq", .options = ""};
const command command_yq = {.name = "yq", .main = none, .usage = "yq", .options = ""};
const command command_sqlite3 = {
    .name = "sqlite3", .main = none, .usage = "sqlite3", .options = ""};
