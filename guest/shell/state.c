// SPDX-License-Identifier: MIT
/* state.c -- a shell's state: made, copied, and its messages. */
#include "state.h"

#include <stdio.h>
#include <stdlib.h>

#include "exec.h"

/* ---- messages ---- */

const char *message_name(const shell *sh) {
  if (sh->frame != NULL && sh->frame->source != NULL && *sh->frame->source != 0)
    return sh->frame->source;
  return sh->name;
}

static void complain_list(shell *sh, const char *builtin, const char *format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  int size = vsnprintf(NULL, 0, format, arguments);
  text *to = &sh->errors;
  text_format(to, "%s: line %u: ", message_name(sh), sh->line);
  if (builtin != NULL) text_format(to, "%s: ", builtin);
  text_reserve(to, (size_t)size + 1);
  vsnprintf(to->at + to->len, (size_t)size + 1, format, again);
  va_end(again);
  to->len += (size_t)size;
  text_char(to, '\n');
}

void complain(shell *sh, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  complain_list(sh, NULL, format, arguments);
  va_end(arguments);
}

void complain_as(shell *sh, const char *builtin, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  complain_list(sh, builtin, format, arguments);
  va_end(arguments);
}

bool shell_flush(shell *sh) {
  bool fine = true;
  if (sh->errors.len > 0) {
    size_t size = sh->errors.len;
    sh->errors.len = 0;
    sys_write(2, sh->errors.at, size);
  }
  if (sh->out.len > 0) {
    size_t size = sh->out.len;
    sh->out.len = 0;
    int64_t wrote = sys_write(1, sh->out.at, size);
    if (wrote < 0) {
      fine = false;
      complain_as(sh, sh->builtin != NULL ? sh->builtin : "echo", "write error: %s",
                  error_text((int)wrote));
      size = sh->errors.len;
      sh->errors.len = 0;
      sys_write(2, sh->errors.at, size);
    }
  }
  return fine;
}

void discard(shell *sh, int status) {
  if (sh->unwind == UNWIND_EXIT) return;
  sh->unwind = UNWIND_DISCARD;
  sh->status = status;
}

/* What one more level of the interpreter, and a builtin in it, may need. */
#define STACK_MARGIN (32u << 10)

bool stack_left(shell *sh) {
  if (process_stack_left() > STACK_MARGIN) return true;
  if (sh->unwind != UNWIND_NONE) return false;
  complain(sh, "the stack is used up: too many calls inside one another");
  sh->unwind = UNWIND_EXIT;
  sh->status = 1;
  return false;
}

/* ---- arguments ---- */

void arguments_drop(arguments *of) {
  if (of->owned == NULL) return;
  for (size_t i = 0; of->owned[i] != NULL; i++) free(of->owned[i]);
  free(of->owned);
  *of = (arguments){0};
}

void arguments_take(arguments *of, char **from, size_t count) {
  char **copy = memory_take((count + 1) * sizeof *copy);
  for (size_t i = 0; i < count; i++) copy[i] = memory_string(from[i]);
  copy[count] = NULL;
  arguments_drop(of);
  *of = (arguments){copy, count, copy};
}

/* ---- the whole state ---- */

static void set_forced(shell *sh, const char *name, const char *value, unsigned attributes) {
  variable *into = var_declare(sh, name, false, true);
  var_store(sh, into, value, strlen(value), false);
  into->attributes |= attributes;
}

/* What differs from shell to shell; the environment has been read already. */
static void set_defaults(shell *sh) {
  char number[24];
  number_format(process_parent(), number);
  set_forced(sh, "PPID", number, ATTR_INTEGER | ATTR_READONLY);
  const char *level = var_get(sh, "SHLVL");
  number_format(level != NULL ? strtol(level, NULL, 10) + 1 : 1, number);
  set_forced(sh, "SHLVL", number, ATTR_EXPORT);
}

static void set_folder(shell *sh) {
  char path[4096];
  int64_t size = sys_getcwd(path, sizeof path);
  if (size < 0) return;
  sh->folder = memory_string(path);
  set_forced(sh, "PWD", path, ATTR_EXPORT);
  var_declare(sh, "OLDPWD", false, true)->attributes |= ATTR_EXPORT;
}

shell *shell_make(char *const *environment) {
  shell *sh = memory_take(sizeof *sh);
  *sh = (shell){.options = option_defaults(),
                .shopts = shopt_defaults(),
                .ifs = " \t\n",
                .stdin_script = -1,
                .substitution_status = -1};
  sh->functions = memory_take(FUNCTION_BUCKETS * sizeof *sh->functions);
  memset(sh->functions, 0, FUNCTION_BUCKETS * sizeof *sh->functions);
  sh->shell_pid = process_pid();
  sh->started = kernel_now();
  kernel_random(&sh->random_state, sizeof sh->random_state);
  vars_begin(sh, environment);
  set_defaults(sh);
  set_folder(sh);
  functions_import(sh, environment);
  return sh;
}

static char *copy_or_null(const char *from) {
  return from != NULL ? memory_string(from) : NULL;
}

static void aliases_copy(shell *to, const shell *from) {
  alias **last = &to->aliases;
  for (const alias *at = from->aliases; at != NULL; at = at->next) {
    *last = memory_take(sizeof **last);
    **last = (alias){NULL, memory_string(at->name), memory_string(at->value)};
    last = &(*last)->next;
  }
}

/* Frames are only read in a subshell, which cannot return into them; the strings of a parent that
 * waits stay where they are, but a background job outlives them. */
static void frames_copy(shell *to, const shell *from) {
  frame **last = &to->frame;
  for (const frame *at = from->frame; at != NULL; at = at->below) {
    *last = memory_take(sizeof **last);
    **last = (frame){NULL, copy_or_null(at->name), copy_or_null(at->source), at->call_line,
                     at->function};
    last = &(*last)->below;
  }
  *last = NULL;
}

shell *shell_copy(const shell *from) {
  shell *sh = memory_take(sizeof *sh);
  *sh = *from;
  sh->scratch = (arena){0};
  sh->name = memory_string(from->name);
  sh->arguments = (arguments){0};
  arguments_take(&sh->arguments, from->arguments.at, from->arguments.count);
  vars_copy(sh, from);
  hook_changed(sh, symbol_look(sh, "IFS", name_hash("IFS", 3)));
  choose_characters(sh);
  functions_copy(sh, from);
  sh->aliases = NULL;
  aliases_copy(sh, from);
  frames_copy(sh, from);
  sh->pipe_status = NULL;
  sh->pipe_status_count = sh->pipe_status_cap = 0;
  set_pipe_status(sh, from->pipe_status, from->pipe_status_count);
  for (int i = 0; i < TRAP_COUNT; i++) sh->traps[i].action = copy_or_null(from->traps[i].action);
  traps_reset(sh);
  sh->jobs = NULL;
  jobs_copy(sh, from);
  sh->out = sh->errors = (text){0};
  sh->last_argument = (text){0};
  text_add(&sh->last_argument, from->last_argument.at, from->last_argument.len);
  text_end(&sh->last_argument);
  sh->folders = memory_take((from->folder_count + 1) * sizeof *sh->folders);
  for (size_t i = 0; i < from->folder_count; i++) sh->folders[i] = memory_string(from->folders[i]);
  sh->folder = copy_or_null(from->folder);
  sh->saved = NULL;
  sh->saved_count = sh->saved_cap = 0;
  sh->regex = NULL;
  sh->regex_text = NULL;
  sh->readers = NULL;
  sh->reader_count = 0;
  sh->to_close = NULL;
  sh->to_close_count = sh->to_close_cap = 0;
  sh->assignments = NULL;
  program_keep(sh->program);
  sh->is_subshell = true;
  sh->exiting = false;
  sh->unwind = UNWIND_NONE;
  sh->subshell_depth++;
  sh->loop_depth = 0;
  return sh;
}

/* exec > >(tee log): tee must see the end and be done before this process, and with the outermost
 * one the whole run, is over. */
static void await_readers(shell *sh) {
  if (sh->reader_count == 0) return;
  for (int fd = 1; fd < 256; fd++) sys_close(fd);
  for (size_t i = 0; i < sh->reader_count; i++) process_wait_whole(sh->readers[i], NULL);
}

int shell_finish(shell *sh, int status) {
  trap *last = &sh->traps[TRAP_EXIT];
  if (!sh->exiting && last->action != NULL && *last->action != 0 && !last->inherited) {
    sh->exiting = true;
    sh->unwind = UNWIND_NONE;
    sh->status = status;
    sh->condition_depth = 0;
    sh->options &= ~(1u << OPTION_ERREXIT);
    trap_run(sh, TRAP_EXIT, last->action);
    status = sh->status;
  }
  shell_flush(sh);
  await_readers(sh);
  return status & 0xff;
}
