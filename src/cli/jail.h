// SPDX-License-Identifier: MIT
/* jail.h -- programs run in a worker, in a jail; this says so when it is not so. */
#ifndef CLOCHE_CLI_JAIL_H
#define CLOCHE_CLI_JAIL_H

#include "cloche.h"

/* The engine's guests will run in workers: this same program, started again. */
void cloche__jail_choose(cloche_engine_options *options);
/* Names each wall that the kernel has refused, on standard error. */
void cloche__jail_report(unsigned walls);
/* There is none at all, and somebody wanted it so. */
void cloche__jail_absent(void);

#endif
