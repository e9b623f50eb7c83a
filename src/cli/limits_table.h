// SPDX-License-Identifier: MIT
/* limits_table.h -- the limits by name: each is an option (with "-") and a key of the configuration
 * (with "_"). */
#ifndef CLOCHE_CLI_LIMITS_TABLE_H
#define CLOCHE_CLI_LIMITS_TABLE_H

#include "cli/units.h"

typedef struct cloche__limit {
  const char *name; /* as the configuration spells it */
  cloche__unit unit;
  size_t offset;            /* in cloche_limits; 64 bits, signed or not */
  const char *usual, *what; /* for help: the default, and what it bounds */
} cloche__limit;

extern const cloche__limit cloche__limits[];
extern const size_t cloche__limit_count;

/* NULL, or what is wrong with `text`. */
const char *cloche__limit_set(cloche_limits *limits, const cloche__limit *limit, cloche_text text);
/* Takes over each limit that `from` sets. */
void cloche__limits_merge(cloche_limits *to, const cloche_limits *from);

#endif
