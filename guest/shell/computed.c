// SPDX-License-Identifier: MIT
/* computed.c -- variables whose value the shell works out when it is asked for, and those that mean
 * something to it when they change. */
#include <stdlib.h>

#include "exec.h"

static const struct {
  const char *name;
  hook hook;
  unsigned attributes;
} names[] = {
    {"IFS", HOOK_IFS, 0},
    {"PATH", HOOK_PATH, 0},
    {"OPTIND", HOOK_OPTIND, 0},
    {"RANDOM", HOOK_RANDOM, ATTR_INTEGER},
    {"SRANDOM", HOOK_SRANDOM, ATTR_INTEGER},
    {"SECONDS", HOOK_SECONDS, ATTR_INTEGER},
    {"EPOCHSECONDS", HOOK_EPOCHSECONDS, 0},
    {"EPOCHREALTIME", HOOK_EPOCHREALTIME, 0},
    {"LINENO", HOOK_LINENO, ATTR_INTEGER},
    {"BASHPID", HOOK_BASHPID, ATTR_INTEGER},
    {"BASH_COMMAND", HOOK_BASH_COMMAND, 0},
    {"BASH_SUBSHELL", HOOK_BASH_SUBSHELL, 0},
    {"SHELLOPTS", HOOK_SHELLOPTS, ATTR_READONLY},
    {"BASHOPTS", HOOK_BASHOPTS, ATTR_READONLY},
    {"_", HOOK_LAST_ARGUMENT, 0},
    {"FUNCNAME", HOOK_FUNCNAME, ATTR_ARRAY},
    {"BASH_SOURCE", HOOK_BASH_SOURCE, ATTR_ARRAY},
    {"BASH_LINENO", HOOK_BASH_LINENO, ATTR_ARRAY},
    {"PIPESTATUS", HOOK_PIPESTATUS, ATTR_ARRAY},
    {"DIRSTACK", HOOK_DIRSTACK, ATTR_ARRAY},
    {"BASH_ARGV0", HOOK_BASH_ARGV0, 0},
};

void computed_names(shell *sh) {
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    symbol *made = symbol_make(sh, names[i].name, name_hash(names[i].name, strlen(names[i].name)));
    made->hook = names[i].hook;
    if (made->hook < HOOK_DYNAMIC) continue;
    variable *of = var_declare(sh, names[i].name, false, true);
    of->attributes = names[i].attributes;
  }
}

static void put(variable *of, const char *value, size_t size) {
  if (of->cap < size + 1) {
    free(of->text);
    of->cap = size + 32;
    of->text = memory_take(of->cap);
  }
  memcpy(of->text, value, size);
  of->text[size] = 0;
  of->len = size;
  of->attributes &= ~(unsigned)ATTR_UNSET;
}

static void put_number(variable *of, int64_t value) {
  char digits[24];
  put(of, digits, number_format(value, digits));
}

/* xorshift: 64 bits of state, of which $RANDOM shows fifteen. */
static uint32_t next_random(shell *sh) {
  uint64_t x = sh->random_state != 0 ? sh->random_state : 88172645463325252u;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  sh->random_state = x;
  return (uint32_t)(x >> 33);
}

static void put_options(variable *of, const option_row *rows, int count, uint64_t bits) {
  text list = {.in = NULL};
  for (int i = 0; i < count; i++) {
    if (!(bits >> i & 1)) continue;
    if (list.len > 0) text_char(&list, ':');
    text_string(&list, rows[i].name);
  }
  text_end(&list);
  put(of, list.at, list.len);
  text_free(&list);
}

static void list_begin(variable *of) {
  indexed_free(&of->array);
  of->attributes &= ~(unsigned)ATTR_UNSET;
}

static void list_add(variable *of, const char *value) {
  indexed_put(&of->array, (int64_t)of->array.count, value, strlen(value));
}

/* FUNCNAME, BASH_SOURCE and BASH_LINENO: innermost first. FUNCNAME exists only inside a function.
 */
static void list_frames(shell *sh, variable *of, hook what) {
  char number[24];
  list_begin(of);
  if (what == HOOK_FUNCNAME && (sh->frame == NULL || !sh->frame->function) &&
      sh->function_depth == 0)
    return;
  for (const frame *at = sh->frame; at != NULL; at = at->below) {
    number_format(at->call_line, number);
    list_add(of, what == HOOK_FUNCNAME      ? at->name
                 : what == HOOK_BASH_SOURCE ? (at->source != NULL ? at->source : "")
                                            : number);
  }
}

static void list_statuses(shell *sh, variable *of) {
  char number[24];
  list_begin(of);
  for (size_t i = 0; i < sh->pipe_status_count; i++) {
    number_format(sh->pipe_status[i], number);
    list_add(of, number);
  }
}

static void list_folders(shell *sh, variable *of) {
  list_begin(of);
  list_add(of, sh->folder != NULL ? sh->folder : "");
  for (size_t i = sh->folder_count; i > 0; i--) list_add(of, sh->folders[i - 1]);
}

static void put_command(shell *sh, variable *of) {
  text shown = {.in = NULL};
  if (sh->command != NULL) print_header(&shown, sh->command);
  text_end(&shown);
  put(of, shown.at, shown.len);
  text_free(&shown);
}

static void put_real_time(variable *of) {
  text shown = {.in = NULL};
  int64_t us = kernel_now() / 1000;
  text_format(&shown, "%lld.%06lld", (long long)(us / 1000000), (long long)(us % 1000000));
  put(of, shown.at, shown.len);
  text_free(&shown);
}

void computed_refresh(shell *sh, variable *of) {
  switch (of->symbol->hook) {
    case HOOK_RANDOM:
      put_number(of, next_random(sh) & 0x7FFF);
      break;
    case HOOK_SRANDOM:
      put_number(of, (int64_t)next_random(sh) << 1 | (next_random(sh) & 1));
      break;
    case HOOK_SECONDS:
      put_number(of, (kernel_now() - sh->started) / 1000000000);
      break;
    case HOOK_EPOCHSECONDS:
      put_number(of, kernel_now() / 1000000000);
      break;
    case HOOK_EPOCHREALTIME:
      put_real_time(of);
      break;
    case HOOK_LINENO:
      put_number(of, sh->line);
      break;
    case HOOK_BASHPID:
      put_number(of, process_pid());
      break;
    case HOOK_BASH_COMMAND:
      put_command(sh, of);
      break;
    case HOOK_BASH_SUBSHELL:
      put_number(of, sh->subshell_depth);
      break;
    case HOOK_SHELLOPTS:
      put_options(of, option_rows, OPTION_COUNT, sh->options);
      break;
    case HOOK_BASHOPTS:
      put_options(of, shopt_rows, SHOPT_COUNT, sh->shopts);
      break;
    case HOOK_LAST_ARGUMENT:
      put(of, sh->last_argument.len > 0 ? sh->last_argument.at : "", sh->last_argument.len);
      break;
    case HOOK_FUNCNAME:
    case HOOK_BASH_SOURCE:
    case HOOK_BASH_LINENO:
      list_frames(sh, of, (hook)of->symbol->hook);
      break;
    case HOOK_PIPESTATUS:
      list_statuses(sh, of);
      break;
    case HOOK_DIRSTACK:
      list_folders(sh, of);
      break;
    case HOOK_BASH_ARGV0:
      put(of, sh->name, strlen(sh->name));
      break;
    default:
      break;
  }
}

bool computed_assigned(shell *sh, variable *of, const char *value) {
  switch (of->symbol->hook) {
    case HOOK_RANDOM:
      sh->random_state = (uint64_t)strtoll(value, NULL, 10) * 0x9E3779B97F4A7C15u + 1;
      return true;
    case HOOK_SECONDS:
      sh->started = kernel_now() - strtoll(value, NULL, 10) * 1000000000;
      return true;
    case HOOK_BASH_ARGV0:
      free(sh->name);
      sh->name = memory_string(value);
      return true;
    case HOOK_LINENO:
      sh->line = (uint32_t)strtoul(value, NULL, 10);
      return true;
    default:
      return true;
  }
}

void hook_changed(shell *sh, symbol *changed) {
  variable *of = changed->current;
  if (changed->hook == HOOK_IFS) {
    const char *value = of != NULL ? var_value(sh, of) : NULL;
    sh->ifs = value != NULL ? value : " \t\n";
  } else if (changed->hook == HOOK_OPTIND) {
    sh->getopts_at = 0;
  }
}
