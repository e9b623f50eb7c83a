// SPDX-License-Identifier: MIT
// ask.c -- see ask.h. It reads byte by byte: what follows the answer is for others.
#include "ask.h"

bool ask(bin *b, const char *question) {
  text line = {0};
  text_format(&line, "%s: %s", b->name, question);
  output_flush(&b->out);
  sys_write(2, line.at, line.len);
  text_free(&line);
  char first = 0, c;
  bool begun = false;
  while (sys_read(0, &c, 1) == 1 && c != '\n') {
    if (!begun) first = c;
    begun = true;
  }
  return first == 'y' || first == 'Y';
}
