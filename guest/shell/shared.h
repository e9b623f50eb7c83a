// SPDX-License-Identifier: MIT
/* shared.h -- what the shell's builtins and the commands of guest/bin do alike.
 *
 * None of it writes anywhere or waits: output is collected in a text (text.h, malloc's memory when
 * `in` is NULL), the caller writes it. Messages come one per line, without the program's name. */
#ifndef GUEST_SHELL_SHARED_H
#define GUEST_SHELL_SHARED_H

#include "../text/text.h"

/* printf: arguments[0] is the format, which is used again until all arguments are used up. Returns
 * the exit status. `shell_start` is virtual ns, for %(...)T with -2; `zone` is not looked up: times
 * are UTC. */
int shared_printf(text *out, text *messages, int count, char **arguments);

/* echo: arguments without the name; -n -e -E in front are options. `expand` is what no -e means. */
void shared_echo(text *out, int count, char **arguments, bool expand);

/* Expands backslash escapes as `echo -e` does (octal is \0nnn) or, with `ansi`, as $'...' does.
 * Returns false when \c ended it. */
bool shared_unescape(text *out, const char *from, size_t size, bool ansi);

/* Quotes a word so that the shell reads it back: printf %q. */
void shared_quote(text *out, const char *word, size_t size);

/* What only a shell knows; NULL means: there is no shell. */
typedef struct {
  void *context;
  bool (*is_set)(void *context, const char *name);       /* -v */
  bool (*is_reference)(void *context, const char *name); /* -R */
  bool (*option)(void *context, const char *name);       /* -o */
} shared_test_shell;

/* test: arguments without the name and without a closing ]. 0 true, 1 false, 2 with a message. */
int shared_test(text *messages, int count, char **arguments, const shared_test_shell *shell);

/* One unary (-f x) or binary (a -nt b) file test, numbers aside. -1 when `operator` is none. */
int shared_test_unary(char operator, const char * operand);
int shared_test_files(const char *operator, const char * left, const char *right);

/* "Usage: ...", and a line for each option: what `NAME --help` and `help NAME` print. */
struct command;
void command_help(const struct command *which, text *to);

/* The shell as a command: `sh` and `bash` with their options, in the current process. [waits] */
int shell_main(int argc, char **argv, char **environment);

#endif
