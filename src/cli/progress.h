// SPDX-License-Identifier: MIT
/* progress.h -- one line on stderr for a run that lasts, when stderr is a terminal. */
#ifndef CLOCHE_CLI_PROGRESS_H
#define CLOCHE_CLI_PROGRESS_H

#include <stdint.h>

void cloche__progress_start(void);
/* Shows or renews the line, if it is time. Cheap otherwise. */
void cloche__progress_show(uint64_t calls, uint64_t running);
/* Before anything else is written to the terminal, and at the end. */
void cloche__progress_clear(void);

#endif
