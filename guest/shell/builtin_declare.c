// SPDX-License-Identifier: MIT
/* builtin_declare.c -- declare, local, export, readonly, unset. */
#include <stdlib.h>

#include "builtins.h"
#include "quote.h"

typedef struct {
  shell *sh;
  const char *name;    /* of the builtin */
  unsigned set, clear; /* attributes */
  bool functions, names_only, print, global, local, inherit;
} declaring;

/* ---- showing ---- */

static void show_variable(declaring *d, const variable *of) {
  text *out = &d->sh->out;
  text_string(out, "declare -");
  quote_attributes(out, of);
  text_char(out, ' ');
  quote_declaration(out, of);
  text_char(out, '\n');
}

/* As `set` and plain `declare` show it. */
void show_assignment(shell *sh, const variable *of) {
  text *out = &sh->out;
  text_format(out, "%s=", of->symbol->name);
  if (of->attributes & (ATTR_ARRAY | ATTR_MAP))
    quote_array(out, of);
  else
    quote_listing(out, of->text, of->len);
  text_char(out, '\n');
}

static void show_function(declaring *d, const function *of, bool with_flags) {
  text *out = &d->sh->out;
  char flags[8] = "f", *at = flags + 1;
  if (of->readonly) *at++ = 'r';
  if (of->exported) *at++ = 'x';
  *at = 0;
  if (!d->names_only) {
    print_function(out, of);
    if (of->readonly || of->exported) text_format(out, "declare -%s %s\n", flags, of->name);
  } else if (!with_flags) {
    text_format(out, "%s\n", of->name);
  } else {
    text_format(out, "declare -%s %s\n", flags, of->name);
  }
}

void show_functions(shell *sh) {
  size_t count;
  function **all = functions_sorted(sh, &count);
  for (size_t i = 0; i < count; i++) print_function(&sh->out, all[i]);
}

static int show_all(declaring *d, bool as_declarations) {
  size_t count;
  if (d->functions) {
    function **all = functions_sorted(d->sh, &count);
    for (size_t i = 0; i < count; i++)
      if (!(d->set & ATTR_EXPORT) || all[i]->exported) show_function(d, all[i], true);
    return 0;
  }
  variable **all = var_sorted(d->sh, &count);
  scope *function = d->local ? scope_function(d->sh) : NULL;
  for (size_t i = 0; i < count; i++) {
    if (function != NULL && all[i]->scope != function) continue;
    if (d->set != 0 && !(all[i]->attributes & d->set)) continue;
    if (all[i]->symbol->hook >= HOOK_DYNAMIC) computed_refresh(d->sh, all[i]);
    if (as_declarations)
      show_variable(d, all[i]);
    else if (!(all[i]->attributes & ATTR_UNSET))
      show_assignment(d->sh, all[i]);
  }
  if (!as_declarations && d->set == 0 && !d->local) show_functions(d->sh);
  return 0;
}

static int show_named(declaring *d, const char *name) {
  if (d->functions) {
    function *found = function_find(d->sh, name, name_hash(name, strlen(name)));
    if (found == NULL) return 1;
    show_function(d, found, false);
    return 0;
  }
  variable *found = var_find_raw(d->sh, name);
  if (found == NULL || (found->scope == NULL && found->attributes == ATTR_UNSET &&
                        found->symbol->hook != HOOK_NONE)) {
    complain_as(d->sh, d->name, "%s: not found", name);
    return 1;
  }
  if (found->symbol->hook >= HOOK_DYNAMIC) computed_refresh(d->sh, found);
  show_variable(d, found);
  return 0;
}

/* ---- declaring ---- */

/* "name", "name[sub]", "name=value", "name+=value" taken apart. */
typedef struct {
  char *name;
  const char *subscript; /* NULL: none */
  const char *value;     /* NULL: none */
  bool append;
} declared;

static bool take_apart(declaring *d, const char *argument, declared *to) {
  arena *memory = &d->sh->scratch;
  *to = (declared){0};
  size_t size = 0;
  while (name_rest((unsigned char)argument[size])) size++;
  const char *at = argument + size;
  if (*at == '[') {
    const char *equals = strstr(at, "]=");
    const char *plus = strstr(at, "]+=");
    if (plus != NULL && (equals == NULL || plus < equals)) equals = plus;
    const char *close = equals != NULL ? equals : strrchr(at, ']');
    if (close != NULL) {
      to->subscript = arena_copy(memory, at + 1, (size_t)(close - at - 1));
      at = close + 1;
    }
  }
  if (*at == '+' && at[1] == '=') {
    to->append = true;
    at++;
  }
  if (*at == '=') to->value = at + 1;
  if (size == 0 || !name_start((unsigned char)*argument) || (*at != '=' && *at != 0)) {
    complain_as(d->sh, d->name, "`%s': not a valid identifier", argument);
    return false;
  }
  to->name = arena_copy(memory, argument, size);
  return true;
}

static int declare_function(declaring *d, const char *name) {
  function *found = function_find(d->sh, name, name_hash(name, strlen(name)));
  if (found == NULL) {
    if (d->set & (ATTR_EXPORT | ATTR_READONLY))
      complain_as(d->sh, d->name, "%s: not a function", name);
    return 1;
  }
  if (d->set & ATTR_EXPORT) found->exported = true;
  if (d->clear & ATTR_EXPORT) found->exported = false;
  if (d->set & ATTR_READONLY) found->readonly = true;
  if (d->set == 0 && d->clear == 0) show_function(d, found, false);
  return 0;
}

/* Array or map, before the attributes: an existing scalar becomes element 0. */
static bool make_kind(declaring *d, variable *into) {
  unsigned kind = d->set & (ATTR_ARRAY | ATTR_MAP);
  if (kind & ATTR_MAP && into->attributes & ATTR_ARRAY) {
    complain_as(d->sh, d->name, "%s: cannot convert indexed to associative array",
                into->symbol->name);
    return false;
  }
  if (kind & ATTR_ARRAY && into->attributes & ATTR_MAP) {
    complain_as(d->sh, d->name, "%s: cannot convert associative to indexed array",
                into->symbol->name);
    return false;
  }
  unsigned unset = into->attributes & ATTR_UNSET;
  if (kind & ATTR_MAP) var_make_map(into);
  if (kind & ATTR_ARRAY) var_make_array(into);
  into->attributes |= unset;
  return true;
}

static void set_attributes(declaring *d, variable *into) {
  unsigned set = d->set & ~(unsigned)(ATTR_ARRAY | ATTR_MAP | ATTR_READONLY);
  unsigned cases = ATTR_LOWER | ATTR_UPPER | ATTR_CAPITAL;
  if (set & cases) into->attributes &= ~cases;
  into->attributes &= ~(d->clear & ~(unsigned)ATTR_READONLY);
  into->attributes |= set;
}

static bool clear_refused(declaring *d, variable *into) {
  const char *name = into->symbol->name;
  if (d->clear & ATTR_READONLY && into->attributes & ATTR_READONLY) {
    complain_as(d->sh, d->name, "%s: readonly variable", name);
    return true;
  }
  if (d->clear & (ATTR_ARRAY | ATTR_MAP) && into->attributes & (ATTR_ARRAY | ATTR_MAP)) {
    complain_as(d->sh, d->name, "%s: cannot destroy array variables in this way", name);
    return true;
  }
  return false;
}

static int declare_reference(declaring *d, const declared *of) {
  shell *sh = d->sh;
  variable *into = var_declare(sh, of->name, !d->global, d->global);
  const char *value = of->value;
  if (value != NULL && *value != 0) {
    size_t size = strcspn(value, "[");
    if (!name_valid(value, size)) {
      complain_as(sh, d->name, "`%s': invalid variable name for name reference", value);
      return 1;
    }
    if (strcmp(value, of->name) == 0 && into->scope == NULL) {
      complain_as(sh, d->name, "%s: nameref variable self references not allowed", of->name);
      return 1;
    }
    if (strcmp(value, of->name) == 0)
      complain(sh, "warning: %s: circular name reference", of->name);
  }
  if (!var_writable(sh, into)) return 1;
  into->attributes &= ~(unsigned)ATTR_REFERENCE;
  bool fine = value == NULL || var_store(sh, into, value, strlen(value), false);
  set_attributes(d, into);
  into->attributes |= ATTR_REFERENCE;
  return fine ? 0 : 1;
}

/* declare -a x='(1 2)': the text is read as a compound assignment. */
static bool store_parsed(declaring *d, variable *into, const declared *of) {
  text script = {.in = &d->sh->scratch};
  text_format(&script, "%s%s=%s", into->symbol->name, of->append ? "+" : "", of->value);
  int status = run_text(d->sh, script.at, script.len, d->name, d->sh->line);
  return status == 0;
}

static bool store_value(declaring *d, variable *into, const declared *of,
                        const assignment *compound) {
  shell *sh = d->sh;
  if (compound != NULL) return assign_compound(sh, compound, into);
  if (of->subscript != NULL) {
    if (of->value == NULL) return true;
    if (into->attributes & ATTR_MAP)
      return var_store_key(sh, into, of->subscript, of->value, of->append);
    int64_t index;
    if (!var_index(sh, into, of->subscript, &index)) return false;
    return var_store_index(sh, into, index, of->value, of->append);
  }
  if (of->value == NULL) return true;
  size_t size = strlen(of->value);
  bool parsed = into->attributes & (ATTR_ARRAY | ATTR_MAP) && size > 1 && *of->value == '(' &&
                of->value[size - 1] == ')';
  if (parsed) return store_parsed(d, into, of);
  return var_store(sh, into, of->value, size, of->append);
}

/* Which instance an argument means. export and readonly change what is visible; declare in a
 * function makes a local. Attributes other than -n go through a nameref. */
static variable *instance_for(declaring *d, declared *of) {
  shell *sh = d->sh;
  uint32_t hash = name_hash(of->name, strlen(of->name));
  const char *name = of->name;
  variable *raw = var_find_raw(sh, name);
  bool reference = raw != NULL && raw->attributes & ATTR_REFERENCE && !(d->clear & ATTR_REFERENCE);
  if (reference && (!d->local || raw->scope == scope_function(sh))) {
    const char *subscript;
    var_target(sh, &name, &hash, &subscript);
    if (subscript != NULL) of->subscript = subscript;
    of->name = (char *)name;
  }
  return var_declare(sh, of->name, d->local, d->global);
}

static int declare_variable(declaring *d, const char *argument, const word *parsed) {
  declared of;
  if (!take_apart(d, argument, &of)) return 1;
  if (d->set & ATTR_REFERENCE) return declare_reference(d, &of);
  const assignment *compound = parsed != NULL && parsed->assign->compound ? parsed->assign : NULL;
  variable *hidden = d->local ? var_find_raw(d->sh, of.name) : NULL;
  if (hidden != NULL && hidden->attributes & ATTR_READONLY && hidden->scope == NULL &&
      scope_function(d->sh) != NULL && d->local && !d->global) {
    complain_as(d->sh, d->name, "%s: readonly variable", of.name);
    return 1;
  }
  variable *into = instance_for(d, &of);
  if (clear_refused(d, into)) return 1;
  if ((of.value != NULL || compound != NULL) && into->attributes & ATTR_READONLY) {
    complain_as(d->sh, d->name, "%s: readonly variable", of.name);
    return 1;
  }
  if (!make_kind(d, into)) return 1;
  if ((compound != NULL || of.subscript != NULL) && !(into->attributes & (ATTR_ARRAY | ATTR_MAP))) {
    unsigned unset = into->attributes & ATTR_UNSET;
    var_make_array(into);
    into->attributes |= unset;
  }
  set_attributes(d, into);
  bool fine = store_value(d, into, &of, compound);
  if (d->set & ATTR_READONLY) into->attributes |= ATTR_READONLY;
  if (into->symbol->hook != HOOK_NONE) hook_changed(d->sh, into->symbol);
  return fine ? 0 : 1;
}

static int declare_all(declaring *d, int argc, char **argv, int first, const word **parsed) {
  int status = 0;
  for (int i = first; i < argc; i++) {
    if (d->print)
      status |= show_named(d, argv[i]);
    else if (d->functions)
      status |= declare_function(d, argv[i]);
    else
      status |= declare_variable(d, argv[i], parsed != NULL ? parsed[i] : NULL);
    if (d->sh->unwind != UNWIND_NONE) break;
  }
  return status;
}

static unsigned attribute_of(int letter) {
  switch (letter) {
    case 'a':
      return ATTR_ARRAY;
    case 'A':
      return ATTR_MAP;
    case 'i':
      return ATTR_INTEGER;
    case 'l':
      return ATTR_LOWER;
    case 'u':
      return ATTR_UPPER;
    case 'c':
      return ATTR_CAPITAL;
    case 'n':
      return ATTR_REFERENCE;
    case 'r':
      return ATTR_READONLY;
    case 't':
      return ATTR_TRACE;
    case 'x':
      return ATTR_EXPORT;
    default:
      return 0;
  }
}

/* Letters of declare and local. False after a complaint. */
static bool read_letters(declaring *d, builtin_options *o) {
  int letter;
  while ((letter = builtin_option(d->sh, o, "+aAcfFgiIlnprtux")) != -1) {
    unsigned attribute = attribute_of(letter);
    if (letter == '?') return false;
    if (o->plus)
      d->clear |= attribute;
    else
      d->set |= attribute;
    if (letter == 'f' || letter == 'F') d->functions = true;
    if (letter == 'F') d->names_only = true;
    if (letter == 'g') d->global = true;
    if (letter == 'p') d->print = true;
    if (letter == 'I') d->inherit = true;
  }
  return true;
}

int builtin_declare(shell *sh, int argc, char **argv) {
  const word **parsed = sh->assignments;
  builtin_options o = {.argv = argv};
  declaring d = {.sh = sh, .name = argv[0], .local = scope_function(sh) != NULL};
  sh->assignments = NULL;
  if (!read_letters(&d, &o)) return 2;
  if (o.index >= argc) {
    d.local = false;
    return show_all(&d, d.print || d.set != 0);
  }
  return declare_all(&d, argc, argv, o.index, parsed);
}

int builtin_local(shell *sh, int argc, char **argv) {
  const word **parsed = sh->assignments;
  builtin_options o = {.argv = argv};
  declaring d = {.sh = sh, .name = "local", .local = true};
  scope *function = scope_function(sh);
  sh->assignments = NULL;
  if (function == NULL) {
    complain_as(sh, "local", "can only be used in a function");
    return 1;
  }
  if (!read_letters(&d, &o)) return 2;
  if (o.index >= argc) return show_all(&d, d.print);
  if (strcmp(argv[o.index], "-") == 0) {
    char digits[24];
    number_format(sh->options, digits);
    if (function->saved_options == NULL) function->saved_options = memory_string(digits);
    o.index++;
  }
  return declare_all(&d, argc, argv, o.index, parsed);
}

/* export and readonly: one attribute, set or taken away. */
static int export_like(shell *sh, int argc, char **argv, unsigned attribute, const char *letters) {
  const word **parsed = sh->assignments;
  builtin_options o = {.argv = argv};
  declaring d = {.sh = sh, .name = argv[0], .set = attribute};
  int letter;
  sh->assignments = NULL;
  while ((letter = builtin_option(sh, &o, letters)) != -1) {
    if (letter == '?') return 2;
    if (letter == 'f') d.functions = true;
    if (letter == 'p') d.print = true;
    if (letter == 'n') d.clear = attribute;
    if (letter == 'a') d.set |= ATTR_ARRAY;
    if (letter == 'A') d.set |= ATTR_MAP;
  }
  if (o.index >= argc) {
    if (d.functions) return show_all(&d, true);
    return show_all(&d, true);
  }
  d.print = false;
  if (d.clear != 0) d.set &= ~attribute;
  return declare_all(&d, argc, argv, o.index, parsed);
}

int builtin_export(shell *sh, int argc, char **argv) {
  return export_like(sh, argc, argv, ATTR_EXPORT, "fnp");
}

int builtin_readonly(shell *sh, int argc, char **argv) {
  return export_like(sh, argc, argv, ATTR_READONLY, "aAfp");
}

/* ---- unset ---- */

static bool unset_variable(shell *sh, const char *name, bool reference) {
  size_t size = strlen(name);
  const char *bracket = strchr(name, '[');
  if (bracket != NULL && name[size - 1] == ']' && name_valid(name, (size_t)(bracket - name))) {
    const char *plain = arena_copy(&sh->scratch, name, (size_t)(bracket - name));
    const char *subscript =
        arena_copy(&sh->scratch, bracket + 1, size - (size_t)(bracket - name) - 2);
    return var_unset_element(sh, plain, subscript);
  }
  if (!builtin_identifier(sh, "unset", name, size)) return false;
  variable *raw = var_find_raw(sh, name);
  if (reference && raw != NULL && raw->attributes & ATTR_REFERENCE) {
    raw->attributes &= ~(unsigned)ATTR_REFERENCE;
    return var_unset(sh, name);
  }
  uint32_t hash = name_hash(name, size);
  const char *reached = name, *subscript;
  var_target(sh, &reached, &hash, &subscript);
  if (subscript != NULL) return var_unset_element(sh, reached, subscript);
  return var_unset(sh, name);
}

int builtin_unset(shell *sh, int argc, char **argv) {
  builtin_options o = {.argv = argv};
  bool functions = false, variables = false, reference = false;
  int letter, status = 0;
  while ((letter = builtin_option(sh, &o, "fvn")) != -1) {
    if (letter == '?') return 2;
    functions |= letter == 'f';
    variables |= letter == 'v';
    reference |= letter == 'n';
  }
  for (int i = o.index; i < argc; i++) {
    bool is_name = name_valid(argv[i], strcspn(argv[i], "["));
    bool exists = is_name && (var_find_raw(sh, argv[i]) != NULL || strchr(argv[i], '[') != NULL);
    if (functions || (!variables && !exists)) {
      function *found = function_find(sh, argv[i], name_hash(argv[i], strlen(argv[i])));
      if (found != NULL && found->readonly) {
        complain_as(sh, "unset", "%s: cannot unset: readonly function", argv[i]);
        status = 1;
        continue;
      }
      function_remove(sh, argv[i]);
      continue;
    }
    if (!unset_variable(sh, argv[i], reference)) status = 1;
  }
  return status;
}
