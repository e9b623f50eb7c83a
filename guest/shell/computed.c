// SPDX-License-Identifier: MIT
/* computed.c -- variables whose value the shell works out when it is asked for, and those that mean
 * something to it when they change. */
#include <stdlib.h>

#include "exec.h"

/* What a shell has from the start. Most programs ask for few of them, so a variable is made when
 * its name is first looked up; until then there is only its symbol, with its place in this table.
 */
static const struct {
  const char *name;
  uint8_t hook;
  bool forced; /* whatever the environment says */
  unsigned attributes;
  const char *value; /* of those that are not computed; NULL: none */
} presets[] = {
    {"IFS", HOOK_IFS, true, 0, " \t\n"},
    {"PATH", HOOK_PATH, false, 0, "/usr/local/bin:/usr/bin:/bin"},
    {"OPTIND", HOOK_OPTIND, true, 0, "1"},
    {"LC_ALL", HOOK_LOCALE, false, 0, NULL},
    {"LC_CTYPE", HOOK_LOCALE, false, 0, NULL},
    {"LANG", HOOK_LOCALE, false, 0, NULL},
    {"RANDOM", HOOK_RANDOM, true, ATTR_INTEGER, NULL},
    {"SRANDOM", HOOK_SRANDOM, true, ATTR_INTEGER, NULL},
    {"SECONDS", HOOK_SECONDS, true, ATTR_INTEGER, NULL},
    {"EPOCHSECONDS", HOOK_EPOCHSECONDS, true, 0, NULL},
    {"EPOCHREALTIME", HOOK_EPOCHREALTIME, true, 0, NULL},
    {"LINENO", HOOK_LINENO, true, ATTR_INTEGER, NULL},
    {"BASHPID", HOOK_BASHPID, true, ATTR_INTEGER, NULL},
    {"BASH_COMMAND", HOOK_BASH_COMMAND, true, 0, NULL},
    {"BASH_SUBSHELL", HOOK_BASH_SUBSHELL, true, 0, NULL},
    {"SHELLOPTS", HOOK_SHELLOPTS, true, ATTR_READONLY, NULL},
    {"BASHOPTS", HOOK_BASHOPTS, true, ATTR_READONLY, NULL},
    {"_", HOOK_LAST_ARGUMENT, true, 0, NULL},
    {"FUNCNAME", HOOK_FUNCNAME, true, ATTR_ARRAY, NULL},
    {"BASH_SOURCE", HOOK_BASH_SOURCE, true, ATTR_ARRAY, NULL},
    {"BASH_LINENO", HOOK_BASH_LINENO, true, ATTR_ARRAY, NULL},
    {"PIPESTATUS", HOOK_PIPESTATUS, true, ATTR_ARRAY, NULL},
    {"DIRSTACK", HOOK_DIRSTACK, true, ATTR_ARRAY, NULL},
    {"BASH_ARGV0", HOOK_BASH_ARGV0, true, 0, NULL},
    {"BASH_VERSINFO", HOOK_NONE, true, ATTR_READONLY, "5 2 15 1 release x86_64-pc-linux-gnu"},
    {"BASH_VERSION", HOOK_NONE, true, 0, "5.2.15(1)-release"},
    {"OPTERR", HOOK_NONE, true, 0, "1"},
    {"PS4", HOOK_NONE, true, 0, "+ "},
    {"HOSTTYPE", HOOK_NONE, true, 0, "x86_64"},
    {"OSTYPE", HOOK_NONE, true, 0, "linux-gnu"},
    {"MACHTYPE", HOOK_NONE, true, 0, "x86_64-pc-linux-gnu"},
    {"HOSTNAME", HOOK_NONE, false, 0, "sandbox"},
    {"TERM", HOOK_NONE, false, 0, "dumb"},
    {"SHELL", HOOK_NONE, false, 0, "/bin/bash"},
    {"BASH", HOOK_NONE, false, 0, "/bin/bash"},
    {"UID", HOOK_NONE, true, ATTR_INTEGER | ATTR_READONLY, "0"},
    {"EUID", HOOK_NONE, true, ATTR_INTEGER | ATTR_READONLY, "0"},
};

#define PRESETS (sizeof presets / sizeof presets[0])

/* Their symbols as each shell takes them over, made at boot. */
#define PRESET_BYTES ((sizeof(symbol) + 16 + 7) / 8 * 8)
static _Alignas(8) char templates[PRESETS * PRESET_BYTES];

static symbol *nth(char *symbols, size_t n) {
  return (symbol *)(void *)(symbols + n * PRESET_BYTES);
}

void shell_boot(void) {
  for (size_t i = 0; i < PRESETS; i++) {
    symbol *made = nth(templates, i);
    size_t size = strlen(presets[i].name);
    made->hash = name_hash(presets[i].name, size);
    made->hook = presets[i].hook;
    bool is_variable = presets[i].hook >= HOOK_DYNAMIC || presets[i].value != NULL;
    made->preset = is_variable ? (uint8_t)(i + 1) : 0;
    memcpy(made->name, presets[i].name, size + 1);
  }
}

void preset_symbols(symbol_table *into) {
  if (nth(templates, 0)->hash == 0) shell_boot(); /* a native build that boots no shell */
  char *symbols = memory_take(sizeof templates);
  memcpy(symbols, templates, sizeof templates);
  for (size_t i = 0; i < PRESETS; i++) symbol_add(into, nth(symbols, i));
}

bool preset_forced(const symbol *of) {
  return of->preset != 0 && presets[of->preset - 1].forced;
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

/* BASH_VERSINFO: one word an element. */
static void put_words(variable *into, const char *words) {
  var_make_array(into);
  for (int64_t i = 0; *words != 0; i++) {
    size_t size = strcspn(words, " ");
    indexed_put(&into->array, i, words, size);
    words += size + (words[size] == ' ');
  }
}

void preset_make(symbol *of) {
  unsigned number = of->preset - 1u;
  of->preset = 0;
  variable *made = instance_make(of, NULL);
  const char *value = presets[number].value;
  if (value != NULL && strcmp(of->name, "BASH_VERSINFO") == 0)
    put_words(made, value);
  else if (value != NULL)
    put(made, value, strlen(value));
  made->attributes = (made->attributes & ATTR_ARRAY) | presets[number].attributes;
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

/* As bin's environment_bytes: the first of them that is not empty decides. */
void choose_characters(shell *sh) {
  static const char *const deciding[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  bool bytes = false;
  for (size_t i = 0; i < 3; i++) {
    const char *value = var_get(sh, deciding[i]);
    if (value == NULL || *value == 0) continue;
    bytes = strcmp(value, "C") == 0 || strcmp(value, "POSIX") == 0;
    break;
  }
  characters_set_bytes(bytes);
}

void hook_changed(shell *sh, symbol *changed) {
  variable *of = changed->current;
  if (changed->hook == HOOK_IFS) {
    const char *value = of != NULL ? var_value(sh, of) : NULL;
    sh->ifs = value != NULL ? value : " \t\n";
  } else if (changed->hook == HOOK_OPTIND) {
    sh->getopts_at = 0;
  } else if (changed->hook == HOOK_LOCALE) {
    choose_characters(sh);
  }
}
