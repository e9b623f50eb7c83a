// SPDX-License-Identifier: MIT
/* tools.h -- checks the list of tools that an embedder hands over. */
#ifndef CLOCHE_SANDBOX_TOOLS_H
#define CLOCHE_SANDBOX_TOOLS_H

#include "cloche.h"

/* OK for the empty text and for a JSON array of tools with names that are all different.
 * E_JSON, E_ARGUMENT: `message` (of `size` bytes) says what is wrong and where. E_MEMORY. */
cloche_status cloche__tools_check(cloche_text tools, char *message, size_t size);

#endif
