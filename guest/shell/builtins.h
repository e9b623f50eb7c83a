// SPDX-License-Identifier: MIT
/* builtins.h -- commands that run inside the shell because they change or read its state.
 *
 * One table lists them; docs/shell.md is made from it. A builtin prints into sh->out and complains
 * with complain_as; the caller flushes. */
#ifndef GUEST_SHELL_BUILTINS_H
#define GUEST_SHELL_BUILTINS_H

#include "exec.h"
#include "shared.h"

typedef int builtin_run(shell *sh, int argc, char **argv);

enum {
  BUILTIN_SPECIAL = 1,  /* POSIX's special ones */
  BUILTIN_DECLARES = 2, /* its arguments may be assignments */
  BUILTIN_KEEPS = 4,    /* exec: its redirections stay */
};

typedef struct {
  const char *name;
  builtin_run *run;
  unsigned flags;
  const char *usage;   /* the arguments, as help and usage messages show them */
  const char *summary; /* one sentence for docs/shell.md */
} builtin;

extern const char *const shell_keywords[]; /* ends with NULL */
extern const builtin builtin_table[];      /* sorted by name */
extern const size_t builtin_count;
const builtin *builtin_find(const char *name);
/* The only place that calls a builtin by its pointer. */
int builtin_dispatch(const builtin *called, shell *sh, int argc, char **argv);

/* Options of builtins: getopt's rules, letters with ':' take an argument; '+' in front of the
 * letters accepts +x as well. Starts with {.argv = argv}. Returns the letter, -1 at the end, '?'
 * after a complaint with the usage. */
typedef struct {
  char **argv;
  int index;      /* of the first operand, in the end */
  const char *at; /* inside a group */
  const char *argument;
  bool plus; /* the option came with + */
} builtin_options;
int builtin_option(shell *sh, builtin_options *o, const char *letters);
int builtin_usage(shell *sh, const char *name); /* prints it; 2 */

/* The name in "x", "x[1]", "x=..": false with a complaint when it is no identifier. */
bool builtin_identifier(shell *sh, const char *builtin, const char *text, size_t size);
bool builtin_target(shell *sh, const char *builtin, const char *target); /* x or x[..] */
bool builtin_number(const char *text, int64_t *value); /* decimal, blanks around it */

shared_test_shell test_shell(shell *sh); /* what test asks the shell */

#define BUILTINS(X)                                                                                \
  X(".", source, BUILTIN_SPECIAL, "filename [arguments]", "Runs a file in this shell.")            \
  X(":", true, BUILTIN_SPECIAL, "", "Does nothing, successfully.")                                 \
  X("[", bracket, 0, "expression ]", "Evaluates a condition, as test does.")                       \
  X("alias", alias, 0, "[-p] [name[=value] ... ]", "Defines or shows aliases.")                    \
  X("bg", fg, 0, "[job_spec ...]", "Refuses: there is no job control.")                            \
  X("bind", complete, 0, "[...]", "Does nothing: there is no terminal.")                           \
  X("break", break, BUILTIN_SPECIAL, "[n]", "Leaves n loops.")                                     \
  X("builtin", builtin, 0, "[shell-builtin [arg ...]]", "Runs a builtin past functions.")          \
  X("caller", caller, 0, "[expr]", "Shows where a function was called.")                           \
  X("cd", cd, 0, "[-L|[-P [-e]] [-@]] [dir]", "Changes the folder.")                               \
  X("command", command, 0, "[-pVv] command [arg ...]", "Runs or shows a command past functions.")  \
  X("compgen", compgen, 0,                                                                         \
    "[-abcdefgjksuv] [-A action] [-G globpat] [-W wordlist] [-P prefix] [-S suffix] [word]",       \
    "Lists names that begin with a word.")                                                         \
  X("complete", complete, 0, "[...]", "Does nothing: there is no terminal.")                       \
  X("compopt", complete, 0, "[...]", "Does nothing: there is no terminal.")                        \
  X("continue", continue, BUILTIN_SPECIAL, "[n]", "Goes on with the next round of a loop.")        \
  X("declare", declare, BUILTIN_DECLARES,                                                          \
    "[-aAfFgiIlnrtux] [name[=value] ...] or declare -p [-aAfFilnrtux] [name ...]",                 \
    "Declares variables, with attributes.")                                                        \
  X("dirs", dirs, 0, "[-clpv] [+N] [-N]", "Shows the stack of folders.")                           \
  X("disown", disown, 0, "[-h] [-ar] [jobspec ... | pid ...]", "Forgets jobs.")                    \
  X("echo", echo, 0, "[-neE] [arg ...]", "Prints its arguments.")                                  \
  X("enable", enable, 0, "[-a] [-dnps] [-f filename] [name ...]", "Lists the builtins.")           \
  X("eval", eval, BUILTIN_SPECIAL | BUILTIN_DECLARES, "[arg ...]",                                 \
    "Runs its arguments as a command.")                                                            \
  X("exec", exec, BUILTIN_SPECIAL | BUILTIN_KEEPS,                                                 \
    "[-cl] [-a name] [command [argument ...]] [redirection ...]",                                  \
    "Replaces the shell, or keeps redirections.")                                                  \
  X("exit", exit, BUILTIN_SPECIAL, "[n]", "Ends the shell.")                                       \
  X("export", export, BUILTIN_SPECIAL | BUILTIN_DECLARES, "[-fn] [name[=value] ...] or export -p", \
    "Gives variables to commands.")                                                                \
  X("false", false, 0, "", "Fails.")                                                               \
  X("fc", history, 0, "[-e ename] [-lnr] [first] [last]", "Shows nothing: there is no history.")   \
  X("fg", fg, 0, "[job_spec]", "Refuses: there is no job control.")                                \
  X("getopts", getopts, 0, "optstring name [arg ...]", "Reads options one by one.")                \
  X("hash", hash, 0, "[-lr] [-p pathname] [-dt] [name ...]", "Remembers nothing; checks names.")   \
  X("help", help, 0, "[-dms] [pattern ...]", "Shows how builtins are used.")                       \
  X("history", history, 0, "[-c] [n]", "Shows nothing: there is no history.")                      \
  X("jobs", jobs, 0, "[-lnprs] [jobspec ...] or jobs -x command [args]", "Shows background jobs.") \
  X("kill", kill, 0, "[-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]", \
    "Sends a signal.")                                                                             \
  X("let", let, BUILTIN_DECLARES, "arg [arg ...]", "Evaluates arithmetic.")                        \
  X("local", local, BUILTIN_DECLARES, "[option] name[=value] ...",                                 \
    "Declares a function's variables.")                                                            \
  X("logout", logout, 0, "[n]", "Refuses: this is no login shell.")                                \
  X("mapfile", mapfile, 0,                                                                         \
    "[-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] "        \
    "[array]",                                                                                     \
    "Reads lines into an array.")                                                                  \
  X("popd", popd, 0, "[-n] [+N | -N]", "Takes a folder off the stack.")                            \
  X("printf", printf, 0, "[-v var] format [arguments]", "Prints by a format.")                     \
  X("pushd", pushd, 0, "[-n] [+N | -N | dir]", "Puts a folder on the stack.")                      \
  X("pwd", pwd, 0, "[-LP]", "Prints the folder.")                                                  \
  X("read", read, 0,                                                                               \
    "[-ers] [-a array] [-d delim] [-i text] [-n nchars] [-N nchars] [-p prompt] [-t timeout] "     \
    "[-u fd] [name ...]",                                                                          \
    "Reads a line into variables.")                                                                \
  X("readarray", mapfile, 0,                                                                       \
    "[-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] "        \
    "[array]",                                                                                     \
    "Reads lines into an array.")                                                                  \
  X("readonly", readonly, BUILTIN_SPECIAL | BUILTIN_DECLARES,                                      \
    "[-aAf] [name[=value] ...] or readonly -p", "Makes variables unchangeable.")                   \
  X("return", return, BUILTIN_SPECIAL, "[n]", "Leaves a function or a sourced file.")              \
  X("set", set, BUILTIN_SPECIAL, "[-abefhkmnptuvxBCEHPT] [-o option-name] [--] [-] [arg ...]",     \
    "Sets options and arguments.")                                                                 \
  X("shift", shift, BUILTIN_SPECIAL, "[n]", "Drops arguments from the front.")                     \
  X("shopt", shopt, 0, "[-pqsu] [-o] [optname ...]", "Sets bash's further options.")               \
  X("source", source, BUILTIN_SPECIAL, "filename [arguments]", "Runs a file in this shell.")       \
  X("suspend", fg, 0, "[-f]", "Refuses: there is no job control.")                                 \
  X("test", test, 0, "[expr]", "Evaluates a condition.")                                           \
  X("times", times, BUILTIN_SPECIAL, "", "Prints the time used.")                                  \
  X("trap", trap, BUILTIN_SPECIAL, "[-lp] [[arg] signal_spec ...]", "Runs commands on signals.")   \
  X("true", true, 0, "", "Succeeds.")                                                              \
  X("type", type, 0, "[-afptP] name [name ...]", "Shows what a name means.")                       \
  X("typeset", declare, BUILTIN_DECLARES,                                                          \
    "[-aAfFgiIlnrtux] name[=value] ... or typeset -p [-aAfFilnrtux] [name ...]",                   \
    "Declares variables, with attributes.")                                                        \
  X("ulimit", ulimit, 0, "[-SHabcdefiklmnpqrstuvxPRT] [limit]",                                    \
    "Shows no limits: the host sets them.")                                                        \
  X("umask", umask, 0, "[-p] [-S] [mode]", "Shows or sets the file mode mask.")                    \
  X("unalias", unalias, 0, "[-a] name [name ...]", "Removes aliases.")                             \
  X("unset", unset, BUILTIN_SPECIAL, "[-f] [-v] [-n] [name ...]",                                  \
    "Removes variables or functions.")                                                             \
  X("wait", wait, 0, "[-fn] [-p var] [id ...]", "Waits for background jobs.")

#define BUILTIN_PROTOTYPE(name, function, flags, usage, summary) builtin_run builtin_##function;
BUILTINS(BUILTIN_PROTOTYPE)
#undef BUILTIN_PROTOTYPE

#endif
