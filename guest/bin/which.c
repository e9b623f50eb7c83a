// SPDX-License-Identifier: MIT
// which.c -- which and yes.
#include "../shell/shared.h"
#include "options.h"
#include "run.h"

static int which_main(int argc, char **argv, char **environment) {
  bin b;
  options o;
  bool silent = false;
  options_start(&o, &b, command_find("which"), argc, argv, environment);
  for (int key; (key = options_next(&o)) != 0;) silent |= key == 's';
  if (o.operand_count == 0) return 1;
  for (int i = 0; i < o.operand_count; i++) {
    char *path;
    if (run_find(o.operands[i], environment, &path) < 0) {
      b.status = 1;
    } else if (!silent) {
      output_format(&b.out, "%s\n", path);
    }
  }
  return bin_end(&b);
}

static int yes_main(int argc, char **argv, char **environment) {
  bin b;
  bin_start(&b, "yes", environment);
  text line = {0};
  if (argc == 2 && strcmp(argv[1], "--help") == 0) {
    command_help(command_find("yes"), &line);
    output_write(&b.out, line.at, line.len);
    return bin_end(&b);
  }
  for (int i = 1; i < argc; i++) {
    if (i == 1 && strcmp(argv[i], "--") == 0) continue;
    if (line.len > 0) text_char(&line, ' ');
    text_string(&line, argv[i]);
  }
  if (argc <= 1) text_char(&line, 'y');
  text_char(&line, '\n');
  while (b.out.error == 0) output_write(&b.out, line.at, line.len);
  return 1;
}

const command command_which = {.name = "which",
                               .main = which_main,
                               .usage = "which [OPTION] NAME...",
                               .options =
                                   "-a\tignored: a name has one meaning here\n"
                                   "-s\tprint nothing"};
const command command_yes = {
    .name = "yes", .main = yes_main, .usage = "yes [STRING]...", .options = ""};
