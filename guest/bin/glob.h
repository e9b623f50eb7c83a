// SPDX-License-Identifier: MIT
/* glob.h -- shell patterns as find -name, grep --include and tar --exclude use them: * ? [...] \ */
#ifndef GUEST_BIN_GLOB_H
#define GUEST_BIN_GLOB_H

#include <stdbool.h>
#include <stddef.h>

enum {
  GLOB_ICASE = 1,
  GLOB_PATH = 2,    /* only / matches / */
  GLOB_LEADING = 4, /* a match of everything up to a / is enough */
};

/* Takes time proportional to pattern times text at worst. */
bool glob_match(const char *pattern, const char *text, int flags);

#endif
