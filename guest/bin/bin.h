// SPDX-License-Identifier: MIT
/* bin.h -- what every command has: a name for its messages, its output, its exit status.
 *
 * A command keeps all its state in a struct on its stack: many processes share the address space,
 * so nothing may be static and change. Memory need not be freed, it goes when the process ends. */
#ifndef GUEST_BIN_BIN_H
#define GUEST_BIN_BIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../kernel/kernel.h"
#include "../text/text.h"
#include "stream.h"

typedef struct {
  const char *name;
  output out;
  int status;       /* what bin_end gives, unless the output failed */
  int usage_status; /* of a wrong command line: 1, or what the command says */
  bool usage_named; /* "NAME: Try ...", as diffutils has it */
  char **environment;
} bin;

void bin_start(bin *b, const char *name, char **environment);
/* Flushes; the exit status. A failed write is reported as GNU's tools do. [waits] */
int bin_end(bin *b);
_Noreturn void bin_exit(bin *b, int status); /* flushes and ends the process. [waits] */

/* "NAME: text" on standard error. [waits] */
void bin_warn(bin *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same, and the exit status becomes 1. [waits] */
void bin_error(bin *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "NAME: FILE: what errno says", status 1; `error` may be negative. [waits] */
void bin_file_error(bin *b, const char *file, int error);
/* bin_warn, then bin_exit(status). [waits] */
_Noreturn void bin_die(bin *b, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* bin_warn when there is a format, "Try 'NAME --help' for more information.", usage_status. [waits]
 */
_Noreturn void bin_usage(bin *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* glibc's sentence for an errno, either sign. Static. */
const char *error_text(int error);

/* A name as GNU's messages quote it: always in quotes (for a shell), or only when it needs them.
 * malloc'd. */
char *quote_always(const char *name);
char *quote_needed(const char *name);
/* ‘name’, as other messages have it. malloc'd. */
char *quote_curly(const char *name);

/* The value of a variable, NULL when it is not set. */
const char *environment_get(char *const *environment, const char *name);
/* Whether LC_ALL, LC_CTYPE or LANG asks for bytes: C or POSIX. */
bool environment_bytes(char *const *environment);

/* Reads a whole number with GNU's suffixes (b k K M G T P E kB MB KiB...) as far as `suffixes`
 * allows them. 0 read, -ERANGE too big (*value is UINT64_MAX), -EINVAL anything else. */
int number_parse(const char *text, const char *suffixes, uint64_t *value);

/* Opens the operand or, with a message and status 1, fails. */
bool bin_open(bin *b, input *in, const char *path);
/* Reports a read that failed. */
void bin_check_read(bin *b, const input *in, const char *path);

#endif
