// SPDX-License-Identifier: MIT
/* complain.c -- messages for the person at the terminal. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/progress.h"

/* Names and texts come from files and programs: a control character would reach the terminal. */
static void defuse(char *text) {
  for (unsigned char *at = (unsigned char *)text; *at != '\0'; at++)
    if ((*at < ' ' && *at != '\n' && *at != '\t') || *at == 127) *at = '?';
}

void cloche__complain(const char *format, ...) {
  char text[8192] = "cloche: ";
  size_t start = strlen(text);
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(text + start, sizeof text - start, format, arguments);
  va_end(arguments);
  if (length < 0) return;
  defuse(text);
  cloche__progress_clear();
  fprintf(stderr, "%s\n", text);
}
