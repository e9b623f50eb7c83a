// SPDX-License-Identifier: MIT
/* processes.h -- the process groups that must not outlive cloche, kept where a signal handler can
 * reach them. */
#ifndef CLOCHE_CLI_PROCESSES_H
#define CLOCHE_CLI_PROCESSES_H

#include <stdbool.h>
#include <sys/types.h>

/* Tools that run at once. Each has three pipes, so this needs 3,072 descriptors of the 1,048,576
 * that a process may usually ask for; and a machine is busy long before. */
enum { CLOCHE__PROCESSES_MAX = 1024 };

/* False when as many as fit are there already. */
bool cloche__process_room(void);
void cloche__process_note(pid_t group);
/* Kills the group and forgets it. */
void cloche__process_end(pid_t group);
/* All of them. Async-signal-safe. */
void cloche__process_end_all(void);

#endif
