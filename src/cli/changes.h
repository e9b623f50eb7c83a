// SPDX-License-Identifier: MIT
/* changes.h -- what a run changed in the files, for people and for scripts. */
#ifndef CLOCHE_CLI_CHANGES_H
#define CLOCHE_CLI_CHANGES_H

#include "cloche.h"
#include "json/buffer.h"

/* On standard error, a line each. What a mount's folder got, or could not get, is always told;
 * `all`: the rest too. */
void cloche__changes_print(const cloche_change *changes, size_t count, bool all);
/* {"created": [...], "modified": [...], "deleted": [...]}, or null when there are none. */
void cloche__changes_json(const cloche_change *changes, size_t count, cloche__buffer *text);

#endif
