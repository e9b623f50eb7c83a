// SPDX-License-Identifier: MIT
/* builtin_words.c -- alias, unalias, getopts. */
#include <stdlib.h>

#include "builtins.h"
#include "quote.h"

/* ---- aliases, kept sorted by name ---- */

static alias **alias_place(shell *sh, const char *name) {
  alias **at = &sh->aliases;
  while (*at != NULL && strcmp((*at)->name, name) < 0) at = &(*at)->next;
  return at;
}

static void show_alias(shell *sh, const alias *of) {
  text_format(&sh->out, "alias %s=", of->name);
  quote_single(&sh->out, of->value, strlen(of->value));
  text_char(&sh->out, '\n');
}

static void set_alias(shell *sh, const char *name, const char *value) {
  alias **at = alias_place(sh, name);
  if (*at == NULL || strcmp((*at)->name, name) != 0) {
    alias *made = memory_take(sizeof *made);
    *made = (alias){*at, memory_string(name), NULL};
    *at = made;
  }
  free((*at)->value);
  (*at)->value = memory_string(value);
}

int builtin_alias(shell *sh, int argc, char **argv) {
  builtin_options o = {.argv = argv};
  int letter, status = 0;
  while ((letter = builtin_option(sh, &o, "p")) != -1)
    if (letter == '?') return 2;
  if (o.index >= argc)
    for (const alias *at = sh->aliases; at != NULL; at = at->next) show_alias(sh, at);
  for (int i = o.index; i < argc; i++) {
    char *equals = strchr(argv[i], '=');
    if (equals != NULL && equals > argv[i]) {
      const char *name = arena_copy(&sh->scratch, argv[i], (size_t)(equals - argv[i]));
      if (strpbrk(name, " \t\n/$`'\"\\|&;()<>") != NULL) {
        complain_as(sh, "alias", "`%s': invalid alias name", name);
        status = 1;
        continue;
      }
      set_alias(sh, name, equals + 1);
      continue;
    }
    alias **at = alias_place(sh, argv[i]);
    if (*at != NULL && strcmp((*at)->name, argv[i]) == 0) {
      show_alias(sh, *at);
    } else {
      complain_as(sh, "alias", "%s: not found", argv[i]);
      status = 1;
    }
  }
  return status;
}

static void remove_alias(alias **at) {
  alias *gone = *at;
  *at = gone->next;
  free(gone->name);
  free(gone->value);
  free(gone);
}

int builtin_unalias(shell *sh, int argc, char **argv) {
  builtin_options o = {.argv = argv};
  int letter, status = 0;
  while ((letter = builtin_option(sh, &o, "a")) != -1) {
    if (letter == '?') return 2;
    while (sh->aliases != NULL) remove_alias(&sh->aliases);
    return 0;
  }
  if (o.index >= argc) return builtin_usage(sh, "unalias");
  for (int i = o.index; i < argc; i++) {
    alias **at = alias_place(sh, argv[i]);
    if (*at != NULL && strcmp((*at)->name, argv[i]) == 0) {
      remove_alias(at);
    } else {
      complain_as(sh, "unalias", "%s: not found", argv[i]);
      status = 1;
    }
  }
  return status;
}

/* ---- getopts ---- */

typedef struct {
  shell *sh;
  const char *letters, *name;
  char **words;
  size_t count;
  bool silent; /* the letters begin with a colon */
} getting;

static int getopts_end(getting *g, int64_t index) {
  g->sh->getopts_at = 0;
  var_set_number(g->sh, "OPTIND", index);
  var_unset(g->sh, "OPTARG");
  return var_set(g->sh, g->name, "?") ? 1 : 2;
}

static bool errors_shown(shell *sh) {
  const char *shown = var_get(sh, "OPTERR");
  return shown == NULL || strcmp(shown, "0") != 0;
}

static void getopts_problem(getting *g, char letter, bool missing) {
  char text[2] = {letter, 0};
  shell *sh = g->sh;
  if (g->silent) {
    var_set(sh, "OPTARG", text);
    var_set(sh, g->name, missing ? ":" : "?");
    return;
  }
  var_unset(sh, "OPTARG");
  var_set(sh, g->name, "?");
  if (!errors_shown(sh)) return;
  text_format(&sh->errors,
              missing ? "%s: option requires an argument -- %c\n" : "%s: illegal option -- %c\n",
              sh->name, letter);
}

static int getopts_next(getting *g) {
  shell *sh = g->sh;
  const char *shown = var_get(sh, "OPTIND");
  int64_t index = 1;
  if (shown == NULL || !builtin_number(shown, &index) || index < 1) index = 1;
  if (sh->getopts_at > 0 && index != sh->getopts_index) sh->getopts_at = 0;
  if ((uint64_t)index > g->count) return getopts_end(g, (int64_t)g->count + 1);
  const char *word = g->words[index - 1];
  if (sh->getopts_at == 0) {
    if (*word != '-' || word[1] == 0) return getopts_end(g, index);
    if (strcmp(word, "--") == 0) return getopts_end(g, index + 1);
    sh->getopts_at = 1;
  }
  if ((size_t)sh->getopts_at >= strlen(word)) sh->getopts_at = 1;
  char letter = word[sh->getopts_at++];
  const char *known = letter != ':' ? strchr(g->letters, letter) : NULL;
  bool last = word[sh->getopts_at] == 0;
  int64_t position = sh->getopts_at;
  const char *argument = NULL;
  bool missing = false;
  if (known != NULL && known[1] == ':') {
    if (!last)
      argument = word + position;
    else if ((uint64_t)index < g->count)
      argument = g->words[index++];
    else
      missing = true;
    last = true;
  }
  if (last) index++;
  char shown_letter[2] = {letter, 0};
  if (known == NULL || missing) {
    getopts_problem(g, letter, missing);
  } else {
    if (argument != NULL)
      var_set(sh, "OPTARG", argument);
    else
      var_unset(sh, "OPTARG");
    if (!var_set(sh, g->name, shown_letter)) return 1;
  }
  var_set_number(sh, "OPTIND", index);
  sh->getopts_at = last ? 0 : position; /* after OPTIND: setting that starts a group anew */
  sh->getopts_index = index;
  return 0;
}

int builtin_getopts(shell *sh, int argc, char **argv) {
  builtin_options o = {.argv = argv};
  int letter;
  while ((letter = builtin_option(sh, &o, "")) != -1)
    if (letter == '?') return 2;
  if (argc - o.index < 2) return builtin_usage(sh, "getopts");
  getting g = {.sh = sh, .letters = argv[o.index], .name = argv[o.index + 1]};
  g.silent = *g.letters == ':';
  if (argc - o.index > 2) {
    g.words = argv + o.index + 2;
    g.count = (size_t)(argc - o.index - 2);
  } else {
    g.words = sh->arguments.at;
    g.count = sh->arguments.count;
  }
  if (!builtin_identifier(sh, "getopts", g.name, strlen(g.name))) return 1;
  return getopts_next(&g);
}
