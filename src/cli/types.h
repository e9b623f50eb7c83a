// SPDX-License-Identifier: MIT
/* types.h -- the tools of a configuration as TypeScript declarations, for a model's prompt or an
 * editor. */
#ifndef CLOCHE_CLI_TYPES_H
#define CLOCHE_CLI_TYPES_H

#include "cli/config.h"

void cloche__types_write(const cloche__config *config, cloche__buffer *out);

#endif
