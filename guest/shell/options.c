// SPDX-License-Identifier: MIT
/* options.c -- the tables of `set -o` and `shopt`. */
#include "options.h"

#include <string.h>

const option_row option_rows[OPTION_COUNT] = {
#define OPTION_ROW(constant, name, letter, on) {name, letter, on},
    SHELL_OPTIONS(OPTION_ROW)
#undef OPTION_ROW
};

const option_row shopt_rows[SHOPT_COUNT] = {
#define SHOPT_ROW(constant, name, on) {name, 0, on},
    SHELL_SHOPTS(SHOPT_ROW)
#undef SHOPT_ROW
};

unsigned option_defaults(void) {
  unsigned bits = 0;
  for (int i = 0; i < OPTION_COUNT; i++) bits |= (unsigned)option_rows[i].on << i;
  return bits;
}

uint64_t shopt_defaults(void) {
  uint64_t bits = 0;
  for (int i = 0; i < SHOPT_COUNT; i++) bits |= (uint64_t)shopt_rows[i].on << i;
  return bits;
}

static int named(const option_row *rows, int count, const char *name) {
  for (int i = 0; i < count; i++)
    if (strcmp(rows[i].name, name) == 0) return i;
  return -1;
}

int option_named(const char *name) {
  return named(option_rows, OPTION_COUNT, name);
}
int shopt_named(const char *name) {
  return named(shopt_rows, SHOPT_COUNT, name);
}

int option_lettered(char letter) {
  for (int i = 0; letter != 0 && i < OPTION_COUNT; i++)
    if (option_rows[i].letter == letter) return i;
  return -1;
}

/* bash prints the letters in the order of this string, c and s (how it was started) last. */
void option_letters(unsigned options, bool command_string, bool from_stdin, char *to) {
  for (const char *letter = "abefhkmnptuvxBCEHPT"; *letter != 0; letter++)
    if (options >> option_lettered(*letter) & 1) *to++ = *letter;
  if (command_string) *to++ = 'c';
  if (from_stdin) *to++ = 's';
  *to = 0;
}
