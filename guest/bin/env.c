// SPDX-License-Identifier: MIT
// env.c -- env and printenv.
#include "options.h"
#include "run.h"

typedef struct {
  char **at;
  size_t count, room;
} list;

static void push(list *l, char *item) {
  if (l->count + 2 > l->room) {
    l->room = l->room * 2 + 16;
    l->at = memory_resize(l->at, l->room * sizeof *l->at);
  }
  l->at[l->count++] = item;
  l->at[l->count] = NULL;
}

static void unset(list *l, const char *name) {
  size_t size = strlen(name), kept = 0;
  for (size_t i = 0; i < l->count; i++) {
    bool same = strncmp(l->at[i], name, size) == 0 && l->at[i][size] == '=';
    if (!same) l->at[kept++] = l->at[i];
  }
  l->count = kept;
  if (l->at != NULL) l->at[kept] = NULL;
}

static void set(list *l, char *assignment) {
  size_t size = (size_t)(strchr(assignment, '=') - assignment) + 1;
  for (size_t i = 0; i < l->count; i++) {
    if (strncmp(l->at[i], assignment, size) == 0) {
      l->at[i] = assignment;
      return;
    }
  }
  push(l, assignment);
}

/* -S: one string cut into words, with quotes and backslashes. */
static void split(bin *b, list *words, const char *at) {
  while (*at != 0) {
    at += strspn(at, " \t\n\r\v\f");
    if (*at == 0 || *at == '#') return;
    text word = {0};
    char quote = 0;
    for (; *at != 0 && (quote != 0 || strchr(" \t\n\r\v\f", *at) == NULL); at++) {
      if (quote == 0 && (*at == '\'' || *at == '"')) {
        quote = *at;
      } else if (*at == quote) {
        quote = 0;
      } else if (*at == '\\' && at[1] != 0 && quote != '\'') {
        at++;
        text_char(&word, *at == 'n' ? '\n' : *at == 't' ? '\t' : *at == '_' ? ' ' : *at);
      } else {
        text_char(&word, *at);
      }
    }
    if (quote != 0) bin_die(b, 125, "no terminating quote in -S string");
    push(words, text_end(&word));
  }
}

static int env_main(int argc, char **argv, char **environment) {
  bin b;
  options o;
  list variables = {0}, words = {0};
  bool zero = false, empty = false;
  const char *folder = NULL;
  for (int i = 0; environment != NULL && environment[i] != NULL; i++)
    push(&variables, environment[i]);
  options_start(&o, &b, command_find("env"), argc, argv, environment);
  b.usage_status = 125;
  o.in_order = true;
  for (int key; (key = options_next(&o)) != 0;) {
    switch (key) {
      case 'i':
        empty = true;
        break;
      case '0':
        zero = true;
        break;
      case 'u':
        unset(&variables, o.value);
        break;
      case 'C':
        folder = o.value;
        break;
      case 'S':
        split(&b, &words, o.value);
        break;
      default:
        break;
    }
  }
  int next = 0;
  if (o.operand_count > 0 && strcmp(o.operands[0], "-") == 0) empty = true, next++;
  for (int i = next; i < o.operand_count; i++) push(&words, o.operands[i]);
  if (empty) variables = (list){0};
  size_t first = 0;
  while (first < words.count && strchr(words.at[first], '=') != NULL)
    set(&variables, words.at[first++]);
  if (folder != NULL) {
    if (first == words.count) bin_usage(&b, "must specify command with --chdir (-C)");
    int error = sys_chdir(folder);
    if (error < 0)
      bin_die(&b, 125, "cannot change directory to %s: %s", quote_always(folder),
              error_text(error));
  }
  if (variables.at == NULL) push(&variables, NULL), variables.count = 0;
  if (first < words.count) {
    if (zero) bin_usage(&b, "cannot specify --null (-0) with command");
    return run_here("env", (int)(words.count - first), words.at + first, variables.at);
  }
  for (size_t i = 0; i < variables.count; i++) {
    output_string(&b.out, variables.at[i]);
    output_byte(&b.out, zero ? 0 : '\n');
  }
  return bin_end(&b);
}

static int printenv_main(int argc, char **argv, char **environment) {
  bin b;
  options o;
  bool zero = false;
  options_start(&o, &b, command_find("printenv"), argc, argv, environment);
  b.usage_status = 2;
  while (options_next(&o) != 0) zero = true;
  for (int i = 0; i < o.operand_count; i++) {
    const char *value =
        strchr(o.operands[i], '=') != NULL ? NULL : environment_get(environment, o.operands[i]);
    if (value == NULL) {
      b.status = 1;
      continue;
    }
    output_string(&b.out, value);
    output_byte(&b.out, zero ? 0 : '\n');
  }
  for (int i = 0; o.operand_count == 0 && environment != NULL && environment[i] != NULL; i++) {
    output_string(&b.out, environment[i]);
    output_byte(&b.out, zero ? 0 : '\n');
  }
  return bin_end(&b);
}

const command command_env = {.name = "env",
                             .main = env_main,
                             .usage = "env [OPTION]... [-] [NAME=VALUE]... [COMMAND [ARG]...]",
                             .options =
                                 "-i, --ignore-environment\tstart without variables\n"
                                 "-0, --null\tend each line with NUL\n"
                                 "-u, --unset=NAME\tremove a variable\n"
                                 "-C, --chdir=DIR\tchange to DIR first\n"
                                 "-S, --split-string=S\tcut S into arguments",
                             .stack = 524288};
const command command_printenv = {.name = "printenv",
                                  .main = printenv_main,
                                  .usage = "printenv [OPTION]... [VARIABLE]...",
                                  .options = "-0, --null\tend each line with NUL"};
