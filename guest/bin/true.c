// SPDX-License-Identifier: MIT
// true.c -- true and false.
#include "bin.h"

static int true_main(int argc, char **argv, char **environment) {
  (void)argc, (void)argv, (void)environment;
  return 0;
}

static int false_main(int argc, char **argv, char **environment) {
  (void)argc, (void)argv, (void)environment;
  return 1;
}

const command command_true = {
    .name = "true", .main = true_main, .usage = "true [ignored]...", .options = ""};
const command command_false = {
    .name = "false", .main = false_main, .usage = "false [ignored]...", .options = ""};
