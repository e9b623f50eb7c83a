// SPDX-License-Identifier: MIT
/* session.h -- one program from start to end: what `run` and `sh` share. */
#ifndef CLOCHE_CLI_SESSION_H
#define CLOCHE_CLI_SESSION_H

#include "cli/options.h"

/* Runs the program that the settings name. The exit status; everything else has been printed. */
int cloche__session(const cloche__settings *settings, cloche_language language);

#endif
