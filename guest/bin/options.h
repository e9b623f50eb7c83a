// SPDX-License-Identifier: MIT
/* options.h -- reads a command line as GNU's getopt_long does: options and operands mixed, bundled
 * letters, long names that may be shortened, `--`.
 *
 * What a command takes is read from its `options` text, which is also what the documentation
 * prints, so the two cannot differ. One line each:
 *
 *   -n, --lines=NUM\tprint the first NUM lines      a value follows
 *   -i[SUFFIX], --in-place[=SUFFIX]\t...            a value may be attached
 *   -D, --all-repeated[=METHOD]\t...                ...but only to the long name
 *   -r, -R, --recursive\t...                        the first letter is what options_next returns
 *   --exclude=GLOB\t...                             only a long name: OPTION_LONG */
#ifndef GUEST_BIN_OPTIONS_H
#define GUEST_BIN_OPTIONS_H

#include "bin.h"

#define OPTION_LONG 256

typedef struct {
  bin *bin;
  const command *command;
  int argc;
  char **argv;
  bool in_order;       /* stop at the first operand (env, xargs, timeout...) */
  int next;            /* argument to look at */
  const char *letters; /* rest of a bundle */
  /* Set by options_next: */
  const char *name; /* long name without dashes; NULL for a letter */
  char *value;      /* NULL when there is none */
  /* Complete once options_next has returned 0: */
  char **operands;
  int operand_count;
} options;

/* Starts the command's `bin` as well. `described` is the command itself. */
void options_start(options *o, bin *b, const command *described, int argc, char **argv,
                   char **environment);
/* The next option's letter or OPTION_LONG, 0 when all are read. --help and --version are answered
 * here; anything wrong is reported and ends the process. [waits] */
int options_next(options *o);
/* For OPTION_LONG: whether it is this one. */
bool options_is(const options *o, const char *name);
/* Reads o->value as a number or dies with "NAME: MESSAGE: ‘value’". */
uint64_t options_number(options *o, const char *suffixes, const char *message);
/* Whether a command needs at least (at most) so many operands; else GNU's usage error. */
void options_need(options *o, int least);
void options_allow(options *o, int most);

#endif
