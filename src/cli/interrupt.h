// SPDX-License-Identifier: MIT
/* interrupt.h -- Ctrl-C, SIGTERM and SIGHUP: the first cancels the run, the second ends cloche and
 * all tools at once. */
#ifndef CLOCHE_CLI_INTERRUPT_H
#define CLOCHE_CLI_INTERRUPT_H

#include <uv.h>

#include "cloche.h"

/* From now on; one sandbox at a time. The loop wakes when a signal comes. */
void cloche__interrupt_catch(cloche_sandbox *box, uv_loop_t *loop);
bool cloche__interrupted(void);
/* Before the sandbox and the loop go. */
void cloche__interrupt_release(void);

#endif
