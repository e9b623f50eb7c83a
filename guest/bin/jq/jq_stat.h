// SPDX-License-Identifier: MIT
/* jq_stat.h -- the one look at a file that libjq's linker takes; included before linker.c, which
 * then says `struct jq_stat` and `jq_stat()`. */
#ifndef GUEST_BIN_JQ_STAT_H
#define GUEST_BIN_JQ_STAT_H

#include <sys/stat.h>

struct jq_stat {
  unsigned st_mode;
};
int jq_stat(const char *path, struct jq_stat *to);

#ifdef JQ_STAT_REPLACES
#define stat jq_stat /* both the struct and the function */
#endif

#endif
