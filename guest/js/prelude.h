// SPDX-License-Identifier: MIT
/* prelude.h -- the files of prelude/, which tools/embed.c turns into C at build time. */
#ifndef GUEST_JS_PRELUDE_H
#define GUEST_JS_PRELUDE_H

#include <stddef.h>

typedef struct {
  const char *name; /* of the file, without its folder and .js; NULL ends the list */
  const char *text; /* text[size] is NUL */
  size_t size;
} prelude_source;

extern const prelude_source prelude_sources[];

#endif
