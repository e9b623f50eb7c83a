// SPDX-License-Identifier: MIT
/* names.h -- tools whose names a JavaScript program already uses for something else. */
#ifndef CLOCHE_CLI_NAMES_H
#define CLOCHE_CLI_NAMES_H

#include "cli/config.h"

/* Up to the first "/". */
cloche_text cloche__first_segment(cloche_text name);

/* A doubt for each first segment that a program cannot reach tools by; one a line, or with `json`
 * members of an array, which had `before`. How many there are. */
size_t cloche__names_doubt(const cloche__config *config, bool json, size_t before,
                           cloche__buffer *out);

#endif
