// SPDX-License-Identifier: MIT
/* builtin_compgen.c -- compgen, which scripts use to list names and to ask whether a pattern
 * matches a file. The completion of command lines itself does not exist: there is no terminal. */
#include "builtins.h"

typedef struct {
  shell *sh;
  fields found;
  const char *word, *before, *after;
} generating;

static void add(generating *g, const char *name) {
  if (strncmp(name, g->word, strlen(g->word)) == 0) fields_add(g->sh, &g->found, (char *)name);
}

static void add_variables(generating *g, unsigned attribute) {
  size_t count;
  variable **all = var_sorted(g->sh, &count);
  for (size_t i = 0; i < count; i++)
    if (var_is_set(all[i]) && (attribute == 0 || all[i]->attributes & attribute))
      add(g, all[i]->symbol->name);
}

static void add_functions(generating *g) {
  size_t count;
  function **all = functions_sorted(g->sh, &count);
  for (size_t i = 0; i < count; i++) add(g, all[i]->name);
}

static void add_aliases(generating *g) {
  for (const alias *at = g->sh->aliases; at != NULL; at = at->next) add(g, at->name);
}

static void add_builtins(generating *g) {
  for (size_t i = 0; i < builtin_count; i++) add(g, builtin_table[i].name);
}

static void add_keywords(generating *g) {
  for (const char *const *at = shell_keywords; *at != NULL; at++) add(g, *at);
}

static void add_rows(generating *g, const option_row *rows, int count) {
  for (int i = 0; i < count; i++) add(g, rows[i].name);
}

static void add_signals(generating *g) {
  for (int number = 0; number < TRAP_COUNT; number++)
    if (signal_name(number) != NULL) add(g, signal_name(number));
}

static void add_commands(generating *g) {
  add_aliases(g);
  add_keywords(g);
  add_functions(g);
  add_builtins(g);
  for (size_t i = 0; i < command_count; i++) add(g, command_list[i]->name);
}

static bool is_folder(const char *path) {
  file_stat stat;
  return sys_stat(path, &stat) == 0 && stat.kind == FILE_DIRECTORY;
}

static void add_paths(generating *g, const char *pattern, bool folders) {
  fields paths = {0};
  size_t size = strlen(pattern);
  glob_expand(g->sh, pattern, arena_zero(&g->sh->scratch, size + 1), size, &paths);
  for (size_t i = 0; i < paths.count; i++)
    if (!folders || is_folder(paths.at[i])) fields_add(g->sh, &g->found, paths.at[i]);
}

static void add_files(generating *g, bool folders) {
  text pattern = {.in = &g->sh->scratch};
  for (const char *at = g->word; *at != 0; at++) {
    if (strchr("*?[\\", *at) != NULL) text_char(&pattern, '\\');
    text_char(&pattern, *at);
  }
  text_char(&pattern, '*');
  add_paths(g, text_end(&pattern), folders);
}

/* -W: words as an assignment to IFS's splitting would give them. */
static void add_words(generating *g, const char *list) {
  const char *ifs = g->sh->ifs;
  while (*list != 0) {
    size_t size = strcspn(list, ifs);
    if (size > 0) add(g, arena_copy(&g->sh->scratch, list, size));
    list += size + (list[size] != 0);
  }
}

static bool add_action(generating *g, const char *action) {
  static const struct {
    const char *name;
    char letter;
  } letters[] = {{"alias", 'a'},    {"builtin", 'b'}, {"command", 'c'}, {"directory", 'd'},
                 {"export", 'e'},   {"file", 'f'},    {"keyword", 'k'}, {"variable", 'v'},
                 {"function", 'F'}, {"setopt", 'o'},  {"shopt", 'O'},   {"signal", 's'},
                 {"arrayvar", 'A'}, {"enabled", 'b'}};
  char letter = action[1] == 0 ? *action : 0;
  for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++)
    if (strcmp(letters[i].name, action) == 0) letter = letters[i].letter;
  switch (letter) {
    case 'a':
      add_aliases(g);
      return true;
    case 'b':
      add_builtins(g);
      return true;
    case 'c':
      add_commands(g);
      return true;
    case 'd':
      add_files(g, true);
      return true;
    case 'e':
      add_variables(g, ATTR_EXPORT);
      return true;
    case 'f':
      add_files(g, false);
      return true;
    case 'k':
      add_keywords(g);
      return true;
    case 'v':
      add_variables(g, 0);
      return true;
    case 'A':
      add_variables(g, ATTR_ARRAY | ATTR_MAP);
      return true;
    case 'F':
      add_functions(g);
      return true;
    case 'o':
      add_rows(g, option_rows, OPTION_COUNT);
      return true;
    case 'O':
      add_rows(g, shopt_rows, SHOPT_COUNT);
      return true;
    case 's':
      add_signals(g);
      return true;
    default:
      return letter != 0 && strchr("gju", letter) != NULL; /* groups, jobs, users: none */
  }
}

int builtin_compgen(shell *sh, int argc, char **argv) {
  builtin_options o = {.argv = argv};
  generating g = {.sh = sh, .before = "", .after = ""};
  const char *words = NULL, *glob = NULL;
  fields actions = {0};
  int letter;
  while ((letter = builtin_option(sh, &o, "abcdefgjksuvo:A:G:W:F:C:X:P:S:")) != -1) {
    char name[2] = {(char)letter, 0};
    switch (letter) {
      case '?':
        return 2;
      case 'A':
        fields_add(sh, &actions, (char *)o.argument);
        break;
      case 'G':
        glob = o.argument;
        break;
      case 'W':
        words = o.argument;
        break;
      case 'P':
        g.before = o.argument;
        break;
      case 'S':
        g.after = o.argument;
        break;
      case 'o':
      case 'F':
      case 'C':
      case 'X':
        break;
      default:
        fields_add(sh, &actions, arena_copy(&sh->scratch, name, 1));
    }
  }
  g.word = o.index < argc ? argv[o.index] : "";
  for (size_t i = 0; i < actions.count; i++)
    if (!add_action(&g, actions.at[i])) {
      complain_as(sh, "compgen", "%s: invalid action name", actions.at[i]);
      return 2;
    }
  if (glob != NULL) add_paths(&g, glob, false);
  if (words != NULL) add_words(&g, words);
  for (size_t i = 0; i < g.found.count; i++)
    text_format(&sh->out, "%s%s%s\n", g.before, g.found.at[i], g.after);
  return g.found.count > 0 ? 0 : 1;
}

/* Definitions of completions in files that are sourced do no harm. */
int builtin_complete(shell *sh, int argc, char **argv) {
  (void)sh, (void)argc, (void)argv;
  return 0;
}
