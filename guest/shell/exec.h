// SPDX-License-Identifier: MIT
/* exec.h -- running the tree.
 *
 * Nearly everything here [waits]: a command may read a pipe, call a tool, or wait for a child. The
 * result of running anything is its exit status, kept in sh->status too. Whoever calls looks at
 * sh->unwind afterwards and gets out when it is set; nothing jumps. */
#ifndef GUEST_SHELL_EXEC_H
#define GUEST_SHELL_EXEC_H

#include "expand.h"
#include "shell.h"
#include "state.h"

/* Commands inside one another, functions included, whatever the stack would still hold: the unwind
 * buffer of a waiting process grows with them. */
#define EXEC_DEPTH 2000u
#define FUNCTION_DEPTH 1000u
#define SOURCE_DEPTH 100u /* each holds its text and tree */

/* ---- exec.c ---- */
int exec_node(shell *sh, const node *of);
int exec_list(shell *sh, const node *first);
/* After a command that may end the shell by `set -e`: the ERR trap, then errexit. */
int exec_failed(shell *sh, const node *of, int status);
/* True when the loop around must stop; takes the break or continue that is meant for it. */
bool loop_stops(shell *sh);

/* ---- simple.c ---- */
int exec_simple(shell *sh, const node *of);
/* Arguments that are expanded already. `plain`: functions are passed over, as `command` does. */
int exec_arguments(shell *sh, int argc, char **argv, bool plain);
int call_function(shell *sh, function *called, int argc, char **argv);
bool assign(shell *sh, const assignment *one);
/* Elements of name=( ... ) into a variable that is an array already, or becomes one. */
bool assign_compound(shell *sh, const assignment *one, variable *into);

/* ---- pipeline.c ---- */
int exec_pipeline(shell *sh, const node *of);
int exec_subshell(shell *sh, const node *of);
int exec_background(shell *sh, const node *of);
int exec_coproc(shell *sh, const node *of);

/* What a child process runs. */
typedef struct {
  shell *parent;
  const node *node; /* or, when NULL: */
  const part *substitution;
  int in, out;   /* become 0 and 1; -1: as they are */
  int close_too; /* an end of a pipe that is not this stage's; -1: none */
  bool background, substituted;
  bool taken; /* the child has copied the parent's state */
} child_order;

/* Starts a copy of the shell, and where `until_taken` waits until it has its copy of our state.
 * Returns its pid, or -1 with a message. */
int child_start(shell *sh, const child_order *asked, bool until_taken);
/* Waits for that child; the trap handlers run afterwards. */
int child_wait(shell *sh, int pid);
void set_pipe_status(shell *sh, const int *statuses, size_t count);

/* ---- external.c: programs that are no builtins ---- */

typedef struct {
  const command *command; /* one of guest/bin; NULL: */
  char *script;           /* a file of ours to run, found in PATH or by its path; NULL: */
  char *tool;             /* a granted tool by its last name */
  int error;              /* 126 or 127 when there is none of them */
} program_found;

program_found find_program(shell *sh, const char *name);
/* Path as `command -v` shows it; NULL when nothing is found. */
char *program_path(shell *sh, const char *name);
/* No trap of this very process would have to run after its last command. */
bool no_trap_left(const shell *sh);
int exec_external(shell *sh, int argc, char **argv);
/* In this process, which ends with it: exec, and the last command of a subshell. */
int exec_in_place(shell *sh, const program_found *found, int argc, char **argv);

/* ---- redirect.c ---- */
bool redirect_all(shell *sh, const redirect *list);
size_t redirect_mark(const shell *sh);
void redirect_undo(shell *sh, size_t mark);
void redirect_forget(shell *sh, size_t mark); /* exec: they stay */

/* ---- conditional.c ---- */
int exec_condition(shell *sh, const condition *of);

/* ---- reader.c ---- */

/* Lines that a parser left, each behind "NAME: WHO: line N: ", as bash has it. */
void report_syntax(shell *sh, slice message, uint32_t line, const char *who);
/* Parses and runs a text. `who` stands in messages about syntax ("-c", "eval", NULL). */
int run_text(shell *sh, const char *source, size_t size, const char *who, uint32_t first_line);
int run_file(shell *sh, const char *path, int argc, char **argv); /* source */
char *read_file(int fd, size_t *size); /* all of it, malloc'd; NULL when it cannot be read */
/* Runs the EXIT trap and flushes; the status to end with. */
int shell_finish(shell *sh, int status);

/* ---- trap.c ---- */
void trap_poll(shell *sh);
/* What a function does not see of DEBUG, ERR and RETURN, and back. */
void traps_hide(shell *sh, trap hidden[TRAP_COUNT - TRAP_DEBUG]);
void traps_show(
    shell *sh, trap hidden[TRAP_COUNT - TRAP_DEBUG]); /* between commands: what signals asked for */
int trap_run(shell *sh, int number, const char *action);
void trap_debug(shell *sh);
void trap_error(shell *sh);
void trap_return(shell *sh);
void traps_reset(shell *sh);         /* in a subshell */
int signal_named(const char *name);  /* "INT", "SIGINT", "2", "EXIT"; -1 */
const char *signal_name(int number); /* "SIGINT"; NULL when there is none */

/* ---- jobs.c ---- */
job *job_add(shell *sh, int *pids, size_t count, const node *of);
void jobs_poll(shell *sh);
job *job_find(shell *sh, const char *name); /* %1, %+, %name; NULL */
int job_wait(shell *sh, job *waited);
void jobs_forget(shell *sh);
void jobs_copy(shell *to, const shell *from);
void job_forget(shell *sh, job *gone);
void job_retire(shell *sh, job *ended);
bool job_ended(const shell *sh, int pid, int *status); /* the status of one that was retired */

/* ---- trace.c ---- */
void trace_words(shell *sh, char **argv);
void trace_text(shell *sh, const char *what, size_t size);
void trace_assignment(shell *sh, const char *name, const char *operator, const char * value);

/* ---- print.c ---- */
void print_function(text *to, const function *of);
void print_header(text *to,
                  const node *of); /* of a loop or case only its first line: BASH_COMMAND */
void print_command(text *to, const node *of); /* on one line where bash has it so */

#endif
