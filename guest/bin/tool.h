// SPDX-License-Identifier: MIT
/* tool.h -- granted tools as commands. */
#ifndef GUEST_BIN_TOOL_H
#define GUEST_BIN_TOOL_H

/* The full name of the one tool whose last part is `name`; NULL when there is none or several.
 * malloc'd. The shell uses it too, for names that are nothing else. */
char *tool_by_last_name(const char *name);
/* Runs a tool with the options behind argv[0]; the exit status. [waits] */
int tool_run(const char *tool, int argc, char **argv, char **environment);

#endif
