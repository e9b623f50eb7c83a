// SPDX-License-Identifier: MIT
/* main.c -- finds the subcommand. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "gate/load.h"

static const cloche__command *const commands[] = {
    &cloche__run_command,     &cloche__sh_command,       &cloche__resume_command,
    &cloche__replay_command,  &cloche__snapshot_command, &cloche__check_command,
    &cloche__tools_command,   &cloche__ledger_command,   &cloche__bench_command,
    &cloche__version_command,
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void print_help(FILE *to) {
  fputs(
      "usage: cloche COMMAND ...\n"
      "Runs programs that a language model wrote, with only the tools that were granted.\n",
      to);
  for (size_t i = 0; i < COMMANDS; i++)
    fprintf(to, "  %-9s %s\n", commands[i]->name, commands[i]->summary);
  fputs("cloche COMMAND --help says more.\n", to);
}

static int unknown(const char *name) {
  cloche_text names[COMMANDS];
  for (size_t i = 0; i < COMMANDS; i++) names[i] = cloche__text(commands[i]->name);
  size_t near = cloche__nearest(cloche__text(name), names, COMMANDS);
  if (near == SIZE_MAX)
    cloche__complain("there is no command \"%s\"; see cloche --help", name);
  else
    cloche__complain("there is no command \"%s\"; did you mean \"%s\"?", name,
                     commands[near]->name);
  return CLOCHE__EXIT_USAGE;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    print_help(stderr);
    return CLOCHE__EXIT_USAGE;
  }
  const char *name = argv[1];
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
    print_help(stdout);
    return CLOCHE__EXIT_DONE;
  }
  if (strcmp(name, "--version") == 0) name = "version";
  if (strcmp(name, cloche__worker_command.name) == 0) /* not among those that people are told of */
    return cloche__worker_command.main(&cloche__worker_command, argc - 2, argv + 2);
  for (size_t i = 0; i < COMMANDS; i++)
    if (strcmp(commands[i]->name, name) == 0)
      return commands[i]->main(commands[i], argc - 2, argv + 2);
  return unknown(name);
}
