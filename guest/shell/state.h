// SPDX-License-Identifier: MIT
/* state.h -- everything one shell process knows.
 *
 * A subshell is a process with a copy of this and a pointer to the same tree. Nothing of it is
 * global: many shells run in one address space. */
#ifndef GUEST_SHELL_STATE_H
#define GUEST_SHELL_STATE_H

#include "../kernel/kernel.h"
#include "ast.h"
#include "options.h"
#include "vars.h"

/* Why the interpreter is on its way out of the constructs around it. */
typedef enum {
  UNWIND_NONE,
  UNWIND_BREAK,    /* `unwind_count` loops */
  UNWIND_CONTINUE, /* likewise, and the last goes on */
  UNWIND_RETURN,   /* to the caller of the function or script */
  UNWIND_DISCARD,  /* an expansion failed: the rest of this complete command is dropped */
  UNWIND_EXIT,
} unwind;

typedef struct function {
  struct function *next;
  program *program; /* kept */
  node *body;
  char *name;
  char *source; /* file it was read from */
  uint32_t hash;
  uint32_t line;
  bool exported, traced, readonly;
} function;

typedef struct alias {
  struct alias *next;
  char *name, *value;
} alias;

/* A call of a function, `source`, or the script itself: what FUNCNAME and caller show. */
typedef struct frame {
  struct frame *below;
  const char *name;   /* function; "source"; "main" */
  const char *source; /* file */
  uint32_t call_line; /* where it was called */
  bool function;
} frame;

/* Positional parameters. `at` may lie inside `owned`, after shift. */
typedef struct {
  char **at;
  size_t count;
  char **owned; /* malloc's, strings too; NULL when they are borrowed */
} arguments;

void arguments_drop(arguments *of);                            /* frees what it owns */
void arguments_take(arguments *of, char **from, size_t count); /* copies */

typedef enum { JOB_RUNNING, JOB_STOPPED, JOB_DONE } job_state;

typedef struct job {
  struct job *next;
  int number;
  int pid;       /* of the last stage */
  int *pids;     /* all stages */
  int *statuses; /* -1: still running */
  size_t count;
  job_state state;
  int status;
  bool foreign; /* the parent's: a subshell only shows it */
  char *command;
} job;

#define ENDED_JOBS 64
typedef struct {
  int pid, status;
} ended_job;

enum { TRAP_EXIT = 0, TRAP_DEBUG = 65, TRAP_ERR, TRAP_RETURN, TRAP_COUNT };

typedef struct {
  char *action;   /* NULL: default; "": ignored */
  bool inherited; /* a subshell shows its parent's traps but does not run them */
} trap;

/* A descriptor that a redirection put aside. */
typedef struct {
  int fd;    /* the number to restore */
  int saved; /* where it is now; -1: it was closed */
} saved_fd;

struct shell {
  arena scratch;
  char *name; /* $0 */
  arguments arguments;
  unsigned options; /* bits of option */
  uint64_t shopts;  /* bits of shopt */
  int status;       /* $? */
  unwind unwind;
  unsigned unwind_count;
  uint32_t line; /* LINENO */
  unsigned line_base;

  symbol_table symbols;
  scope *scope;
  const char *ifs; /* value of IFS; " \t\n" when unset */

  function **functions; /* FUNCTION_BUCKETS */
  alias *aliases;
  frame *frame;
  unsigned function_depth, loop_depth, source_depth, subshell_depth, exec_depth;
  unsigned condition_depth; /* > 0: errexit and ERR sleep */
  bool command_string;      /* bash -c */
  bool is_subshell;
  bool exiting;      /* the EXIT trap runs */
  bool leaves;       /* exit, exec or set -e ends the shell, not an error: a session is over */
  bool last_command; /* this process ends with the command at hand: no child is needed for it */

  int *pipe_status;
  size_t pipe_status_count, pipe_status_cap;
  int substitution_status; /* of the last $(..) in this command, -1: none ran */
  int background_pid;      /* $!, 0: none */
  int shell_pid;           /* $$ */
  job *jobs;
  ended_job ended[ENDED_JOBS]; /* whose status `wait PID` may still ask for */
  unsigned ended_next;

  trap traps[TRAP_COUNT];
  bool any_signal_trap;
  unsigned trap_depth;
  bool in_debug_trap, in_err_trap;

  text out;            /* what builtins print, until they are done */
  text errors;         /* messages, likewise */
  const char *builtin; /* the one that prints, for write errors */
  text last_argument;  /* $_ */
  const node *command; /* for BASH_COMMAND */
  int64_t started;     /* for SECONDS, virtual ns */
  uint64_t random_state;
  int64_t getopts_at; /* position inside a group of option letters */
  int64_t getopts_index;
  char **folders; /* pushd's stack, below the current folder */
  size_t folder_count;
  char *folder; /* $PWD as cd keeps it */

  program *script;  /* the outermost text; only compared */
  program *program; /* what the command at hand was parsed from */
  const word *
      *assignments; /* of a declaration builtin's arguments: NULL where it is a plain word */
  saved_fd *saved;  /* redirections to undo, innermost last */
  size_t saved_count, saved_cap;
  int *readers; /* pids of >( ): waited for in the end, so that nothing they print is lost */
  size_t reader_count;
  int *to_close; /* process substitutions of the command at hand */
  size_t to_close_count, to_close_cap;
  struct regex *regex; /* the last one of [[ =~ ]], compiled: loops ask with the same */
  char *regex_text;
  unsigned regex_flags;
  unsigned xtrace_depth;
  int stdin_script;    /* descriptor the script itself is read from, -1: none */
  int64_t script_from; /* where in it the script began; negative: it cannot be sought */
};

/* BASH_COMMAND; inside a trap it stays the command that set it off. */
static inline void set_command(shell *sh, const node *of) {
  if (sh->trap_depth == 0) sh->command = of;
}
static inline bool option_on(const shell *sh, option asked) {
  return sh->options >> asked & 1;
}

/* How a shell ends that set -u or ${x?} ends: bash -c says 127, but not under set -e. */
static inline int refused_status(const shell *sh) {
  return sh->command_string && !sh->is_subshell && !option_on(sh, OPTION_ERREXIT) ? 127 : 1;
}
static inline bool shopt_on(const shell *sh, shopt asked) {
  return sh->shopts >> asked & 1;
}

/* ---- messages ---- */

/* Messages are gathered in `errors` and written at the next safe point, so that the code which
 * finds a mistake need not be able to wait. "NAME: line N: message" */
void complain(shell *sh, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same for a builtin: "NAME: line N: cd: message". */
void complain_as(shell *sh, const char *builtin, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* [waits] Writes what has gathered: messages, then output, the order in which bash's buffers empty.
 * False when the output could not be written. */
bool shell_flush(shell *sh);
const char *error_text(int error); /* "No such file or directory" for ENOENT or -ENOENT: bin.c's */
const char *message_name(const shell *sh); /* the file at hand, or $0 */
/* Out of the complete command, with that status; the message has been given. */
void discard(shell *sh, int status);

/* ---- the life of a state ---- */

shell *shell_make(char *const *environment);
shell *shell_copy(const shell *from); /* for a subshell, in the current process's memory */

#define FUNCTION_BUCKETS 64
function *function_find(const shell *sh, const char *name, uint32_t hash);
void function_define(shell *sh, program *of, const node *definition);
void functions_copy(shell *to, const shell *from);
function **functions_sorted(shell *sh, size_t *count); /* by name, scratch memory */
bool function_remove(shell *sh, const char *name);

/* True when there is stack for another level; complains otherwise. */
bool stack_left(shell *sh);

#endif
