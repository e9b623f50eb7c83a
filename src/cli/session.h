// SPDX-License-Identifier: MIT
/* session.h -- one program from start to end: what `run`, `sh` and `resume` share. */
#ifndef CLOCHE_CLI_SESSION_H
#define CLOCHE_CLI_SESSION_H

#include "cli/options.h"

/* Runs the program that the settings name. The exit status; everything else has been printed. */
int cloche__session(const cloche__settings *settings, cloche_language language);
/* Goes on with the one that was saved in the file that they name. */
int cloche__session_resume(const cloche__settings *settings);

#endif
