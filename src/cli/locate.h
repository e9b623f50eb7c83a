// SPDX-License-Identifier: MIT
/* locate.h -- where in a JSON text a value stands; the tree itself does not remember. */
#ifndef CLOCHE_CLI_LOCATE_H
#define CLOCHE_CLI_LOCATE_H

#include "cloche.h"

/* Line and column (from 1, in code points) of what an RFC 6901 pointer names: a member's key, an
 * element's first byte. `text` must be valid JSON. As far as the pointer leads, if it leads
 * nowhere. */
void cloche__json_locate(cloche_text text, const char *pointer, size_t *line, size_t *column);

#endif
