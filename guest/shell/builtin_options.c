// SPDX-License-Identifier: MIT
/* builtin_options.c -- set and shopt. */
#include <stdlib.h>

#include "builtins.h"

void show_assignment(shell *sh, const variable *of);
void show_functions(shell *sh);

static void set_option(shell *sh, int number, bool on) {
  if (number < 0) return;
  if (on)
    sh->options |= 1u << number;
  else
    sh->options &= ~(1u << number);
  if (number == OPTION_COMMENTS) {
    uint64_t bit = (uint64_t)1 << SHOPT_COMMENTS;
    sh->shopts = on ? sh->shopts | bit : sh->shopts & ~bit;
  }
}

static void list_options(shell *sh, bool as_commands) {
  for (int i = 0; i < OPTION_COUNT; i++) {
    bool on = option_on(sh, (option)i);
    if (as_commands)
      text_format(&sh->out, "set %co %s\n", on ? '-' : '+', option_rows[i].name);
    else
      text_format(&sh->out, "%-15s\t%s\n", option_rows[i].name, on ? "on" : "off");
  }
}

static int list_variables(shell *sh) {
  size_t count;
  variable **all = var_sorted(sh, &count);
  for (size_t i = 0; i < count; i++) {
    if (all[i]->symbol->hook >= HOOK_DYNAMIC) computed_refresh(sh, all[i]);
    if (!(all[i]->attributes & ATTR_UNSET)) show_assignment(sh, all[i]);
  }
  show_functions(sh);
  return 0;
}

/* One group of letters. 0, or a status after a complaint. *taken: o used the next argument. */
static int set_letters(shell *sh, char **argv, int at, int *taken) {
  bool on = argv[at][0] == '-';
  *taken = 0;
  for (const char *letter = argv[at] + 1; *letter != 0; letter++) {
    if (*letter == 'o') {
      const char *name = argv[at + 1];
      if (name == NULL) {
        list_options(sh, !on);
        continue;
      }
      int number = option_named(name);
      if (number < 0) {
        complain_as(sh, "set", "%s: invalid option name", name);
        return 2;
      }
      set_option(sh, number, on);
      *taken = 1;
      continue;
    }
    int number = option_lettered(*letter);
    if (number < 0) {
      complain_as(sh, "set", "%c%c: invalid option", on ? '-' : '+', *letter);
      return builtin_usage(sh, "set");
    }
    set_option(sh, number, on);
  }
  return 0;
}

int builtin_set(shell *sh, int argc, char **argv) {
  if (argc == 1) return list_variables(sh);
  int i = 1;
  bool replace = false;
  for (; i < argc; i++) {
    const char *word = argv[i];
    if (strcmp(word, "--") == 0) {
      replace = true;
      i++;
      break;
    }
    if (strcmp(word, "-") == 0) {
      set_option(sh, OPTION_XTRACE, false);
      set_option(sh, OPTION_VERBOSE, false);
      i++;
      break;
    }
    if ((*word != '-' && *word != '+') || word[1] == 0) break;
    int taken, status = set_letters(sh, argv, i, &taken);
    if (status != 0) return status;
    i += taken;
  }
  if (replace || i < argc) arguments_take(&sh->arguments, argv + i, (size_t)(argc - i));
  return 0;
}

/* ---- shopt ---- */

typedef struct {
  bool set, unset, quiet, print, options;
} shopt_request;

static bool switch_on(shell *sh, const shopt_request *r, int number) {
  return r->options ? option_on(sh, (option)number) : shopt_on(sh, (shopt)number);
}

static void show_switch(shell *sh, const shopt_request *r, const char *name, bool on) {
  if (r->quiet) return;
  if (!r->print)
    text_format(&sh->out, "%-15s\t%s\n", name, on ? "on" : "off");
  else if (r->options)
    text_format(&sh->out, "set %co %s\n", on ? '-' : '+', name);
  else
    text_format(&sh->out, "shopt -%c %s\n", on ? 's' : 'u', name);
}

static void list_switches(shell *sh, const shopt_request *r) {
  const option_row *rows = r->options ? option_rows : shopt_rows;
  int count = r->options ? (int)OPTION_COUNT : (int)SHOPT_COUNT;
  for (int i = 0; i < count; i++) {
    bool on = switch_on(sh, r, i);
    if ((r->set && !on) || (r->unset && on)) continue;
    show_switch(sh, r, rows[i].name, on);
  }
}

static void set_switch(shell *sh, const shopt_request *r, int number) {
  uint64_t bit = (uint64_t)1 << number;
  if (r->options)
    set_option(sh, number, r->set);
  else
    sh->shopts = r->set ? sh->shopts | bit : sh->shopts & ~bit;
}

int builtin_shopt(shell *sh, int argc, char **argv) {
  builtin_options o = {.argv = argv};
  shopt_request r = {0};
  int letter, status = 0;
  while ((letter = builtin_option(sh, &o, "sunpqo")) != -1) {
    if (letter == '?') return 2;
    r.set |= letter == 's';
    r.unset |= letter == 'u';
    r.quiet |= letter == 'q';
    r.print |= letter == 'p';
    r.options |= letter == 'o';
  }
  if (r.set && r.unset) {
    complain_as(sh, "shopt", "cannot set and unset shell options simultaneously");
    return 1;
  }
  if (o.index >= argc) list_switches(sh, &r);
  for (int i = o.index; i < argc; i++) {
    int number = r.options ? option_named(argv[i]) : shopt_named(argv[i]);
    if (number < 0) {
      complain_as(sh, "shopt",
                  r.options ? "%s: invalid option name" : "%s: invalid shell option name", argv[i]);
      status = 1;
    } else if (r.set || r.unset) {
      set_switch(sh, &r, number);
    } else {
      bool on = switch_on(sh, &r, number);
      show_switch(sh, &r, argv[i], on);
      if (!on) status = 1;
    }
  }
  return status;
}
