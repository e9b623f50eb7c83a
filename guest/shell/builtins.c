// SPDX-License-Identifier: MIT
/* builtins.c -- the table of builtins and what they share: options, usage, names. */
#include "builtins.h"

#include <stdlib.h>

const builtin builtin_table[] = {
#define BUILTIN_ROW(name, function, flags, usage, summary) \
  {name, builtin_##function, flags, usage, summary},
    BUILTINS(BUILTIN_ROW)
#undef BUILTIN_ROW
};
const size_t builtin_count = sizeof builtin_table / sizeof builtin_table[0];

const builtin *builtin_find(const char *name) {
  size_t low = 0, high = builtin_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const char *there = builtin_table[middle].name;
    int order = *there != *name ? *there - *name : strcmp(there, name);
    if (order == 0) return &builtin_table[middle];
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

int builtin_usage(shell *sh, const char *name) {
  const builtin *of = builtin_find(name);
  text_format(&sh->errors, "%s: usage: %s%s%s\n", name, name, *of->usage != 0 ? " " : "",
              of->usage);
  return 2;
}

static int bad_option(shell *sh, builtin_options *o, char letter) {
  complain_as(sh, o->argv[0], "%c%c: invalid option", o->plus ? '+' : '-', letter);
  builtin_usage(sh, o->argv[0]);
  return '?';
}

int builtin_option(shell *sh, builtin_options *o, const char *letters) {
  if (o->index == 0) o->index = 1;
  if (o->at == NULL || *o->at == 0) {
    char *word = o->argv[o->index];
    bool minus = word != NULL && word[0] == '-' && word[1] != 0;
    bool plus = word != NULL && *letters == '+' && word[0] == '+' && word[1] != 0;
    if (!minus && !plus) return -1;
    o->index++;
    if (minus && strcmp(word, "--") == 0) return -1;
    o->plus = plus;
    o->at = word + 1;
  }
  char letter = *o->at++;
  const char *known = letter != ':' && letter != '+' ? strchr(letters, letter) : NULL;
  if (known == NULL) return bad_option(sh, o, letter);
  if (known[1] != ':') return letter;
  o->argument = *o->at != 0 ? o->at : o->argv[o->index];
  if (o->argument == NULL) {
    complain_as(sh, o->argv[0], "-%c: option requires an argument", letter);
    builtin_usage(sh, o->argv[0]);
    return '?';
  }
  if (*o->at == 0) o->index++;
  o->at = NULL;
  return letter;
}

bool builtin_identifier(shell *sh, const char *builtin, const char *text, size_t size) {
  if (name_valid(text, size)) return true;
  complain_as(sh, builtin, "`%s': not a valid identifier", text);
  return false;
}

bool builtin_target(shell *sh, const char *builtin, const char *target) {
  const char *bracket = strchr(target, '[');
  size_t size = strlen(target);
  if (bracket != NULL && target[size - 1] == ']' && size > (size_t)(bracket - target) + 2 &&
      name_valid(target, (size_t)(bracket - target)))
    return true;
  return builtin_identifier(sh, builtin, target, size);
}

bool builtin_number(const char *text, int64_t *value) {
  while (*text == ' ' || *text == '\t' || *text == '\n') text++;
  bool negative = *text == '-';
  if (*text == '-' || *text == '+') text++;
  const char *digits = text;
  uint64_t number = 0;
  for (; *text >= '0' && *text <= '9'; text++) {
    uint64_t digit = (uint64_t)(*text - '0');
    if (number > (9223372036854775807u + (uint64_t)negative - digit) / 10) return false;
    number = number * 10 + digit;
  }
  if (text == digits) return false;
  while (*text == ' ' || *text == '\t' || *text == '\n') text++;
  *value = (int64_t)(negative ? 0 - number : number);
  return *text == 0;
}

/* ---- help, enable: the table shown ---- */

int builtin_help(shell *sh, int argc, char **argv) {
  builtin_options o = {.argv = argv};
  int letter;
  bool brief = false, commands = false; /* -c is ours: commands only */
  while ((letter = builtin_option(sh, &o, "cdms")) != -1) {
    if (letter == '?') return 2;
    brief |= letter == 'd' || letter == 's';
    commands |= letter == 'c';
  }
  bool any = o.index >= argc;
  for (size_t i = 0; i < builtin_count && !commands; i++) {
    const builtin *at = &builtin_table[i];
    bool wanted = o.index >= argc;
    for (int k = o.index; k < argc; k++) {
      pattern *p = pattern_compile(&sh->scratch, argv[k], NULL, strlen(argv[k]), 0);
      wanted |= pattern_matches(p, at->name, strlen(at->name));
    }
    if (!wanted) continue;
    any = true;
    text_format(&sh->out, "%s: %s %s\n", at->name, at->name, at->usage);
    if (!brief) text_format(&sh->out, "    %s\n", at->summary);
  }
  for (int k = o.index; k < argc; k++) { /* more than bash's help knows: the commands */
    const command *known = commands || builtin_find(argv[k]) == NULL ? command_find(argv[k]) : NULL;
    if (known == NULL) continue;
    any = true;
    command_help(known, &sh->out);
  }
  if (any) return 0;
  complain_as(sh, "help", "no help topics match `%s'.", argv[argc - 1]);
  return 1;
}

int builtin_enable(shell *sh, int argc, char **argv) {
  builtin_options o = {.argv = argv};
  int letter;
  bool off = false;
  while ((letter = builtin_option(sh, &o, "adnpsf:")) != -1) {
    if (letter == '?') return 2;
    off |= letter == 'n' || letter == 'f' || letter == 'd';
  }
  if (off) {
    complain_as(sh, "enable", "builtins cannot be changed here");
    return 1;
  }
  for (int i = o.index; i < argc; i++)
    if (builtin_find(argv[i]) == NULL) {
      complain_as(sh, "enable", "%s: not a shell builtin", argv[i]);
      return 1;
    }
  for (size_t i = 0; o.index >= argc && i < builtin_count; i++)
    text_format(&sh->out, "enable %s\n", builtin_table[i].name);
  return 0;
}
