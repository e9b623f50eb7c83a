// SPDX-License-Identifier: MIT
/* tail.h -- the last bytes of a stream, and the whole lines among them. */
#ifndef CLOCHE_CLI_TAIL_H
#define CLOCHE_CLI_TAIL_H

#include "cloche.h"

enum { CLOCHE__TAIL_BYTES = 2048, CLOCHE__TAIL_LINES = 5 };

typedef struct cloche__tail {
  char bytes[CLOCHE__TAIL_BYTES];
  size_t len;
  bool cut;     /* something came before */
} cloche__tail; /* all zero is empty */

void cloche__tail_add(cloche__tail *tail, const char *bytes, size_t len);
/* The last lines, without the final newline. Valid until the next add. */
cloche_text cloche__tail_lines(const cloche__tail *tail);

#endif
