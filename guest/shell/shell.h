// SPDX-License-Identifier: MIT
/* shell.h -- the ways into the shell. Each runs in a process of its own, whose stack should be
 * SHELL_PROCESS_STACK. */
#ifndef GUEST_SHELL_SHELL_H
#define GUEST_SHELL_SHELL_H

#include "../kernel/kernel.h"

#define SHELL_PROCESS_STACK (256u << 10)

/* The root process of a run of ABI_RUN_SH: `context` is its run_program. */
int shell_process_entry(void *context);

/* `sh -c`, `bash FILE`, JavaScript's shell(): `context` is a shell_command, copied before the
 * process first waits. */
typedef struct {
  int argc;
  char **argv;        /* as on a command line: "bash", "-c", "echo hi" */
  char **environment; /* NULL: the host's */
} shell_command;
int shell_command_entry(void *context);

#endif
