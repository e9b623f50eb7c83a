// SPDX-License-Identifier: MIT
/* vars.c -- looking variables up, changing them, scopes. */
#include "vars.h"

#include <stdlib.h>

#include "../text/unicode.h"
#include "arith.h"
#include "state.h"

#define SYMBOL_BUCKETS 128u

/* ---- symbols ---- */

symbol *symbol_look(shell *sh, const char *name, uint32_t hash) {
  symbol *at = sh->symbols.buckets[hash & (sh->symbols.bucket_count - 1)];
  while (at != NULL && (at->hash != hash || strcmp(at->name, name) != 0)) at = at->next;
  return at;
}

symbol *symbol_find(shell *sh, const char *name, uint32_t hash) {
  symbol *at = symbol_look(sh, name, hash);
  if (at != NULL && at->preset != 0) preset_make(at);
  return at;
}

void symbol_add(symbol_table *table, symbol *added) {
  symbol **bucket = &table->buckets[added->hash & (table->bucket_count - 1)];
  added->next = *bucket;
  *bucket = added;
  table->count++;
}

static void symbols_grow(symbol_table *table) {
  size_t count = table->bucket_count == 0 ? SYMBOL_BUCKETS : table->bucket_count * 4;
  symbol **buckets = memory_take(count * sizeof *buckets);
  memset(buckets, 0, count * sizeof *buckets);
  for (size_t i = 0; i < table->bucket_count; i++)
    for (symbol *at = table->buckets[i], *next; at != NULL; at = next) {
      next = at->next;
      at->next = buckets[at->hash & (count - 1)];
      buckets[at->hash & (count - 1)] = at;
    }
  free(table->buckets);
  table->buckets = buckets;
  table->bucket_count = count;
}

symbol *symbol_make(shell *sh, const char *name, uint32_t hash) {
  symbol_table *table = &sh->symbols;
  symbol *made = table->bucket_count != 0 ? symbol_find(sh, name, hash) : NULL;
  if (made != NULL) return made;
  if (table->count >= table->bucket_count * 2) symbols_grow(table);
  size_t size = strlen(name) + 1;
  made = memory_take(sizeof *made + size);
  *made = (symbol){.hash = hash};
  memcpy(made->name, name, size);
  symbol_add(table, made);
  return made;
}

static uint32_t hash_of(const char *name) {
  return name_hash(name, strlen(name));
}

/* ---- instances ---- */

variable *instance_make(symbol *of, scope *in) {
  variable *made = memory_take(sizeof *made);
  *made = (variable){.symbol = of, .shadowed = of->current, .scope = in, .attributes = ATTR_UNSET};
  of->current = made;
  if (in != NULL) {
    made->next_local = in->locals;
    in->locals = made;
  }
  return made;
}

void var_clear(variable *of) {
  if (of->attributes & ATTR_ARRAY) {
    indexed_free(&of->array);
  } else if (of->attributes & ATTR_MAP) {
    keyed_free(&of->map);
  } else {
    free(of->text);
    of->text = NULL;
    of->len = of->cap = 0;
  }
  of->attributes |= ATTR_UNSET;
}

/* Takes it out of its symbol's chain, wherever it is in there. */
static void instance_free(variable *gone) {
  variable **at = &gone->symbol->current;
  while (*at != gone) at = &(*at)->shadowed;
  *at = gone->shadowed;
  var_clear(gone);
  free(gone);
}

variable *var_target(shell *sh, const char **name, uint32_t *hash, const char **subscript) {
  if (subscript != NULL) *subscript = NULL;
  for (int hops = 0;; hops++) {
    symbol *found = symbol_find(sh, *name, *hash);
    variable *at = found != NULL ? found->current : NULL;
    if (at == NULL || !(at->attributes & ATTR_REFERENCE) || at->text == NULL || at->len == 0)
      return at;
    if (hops == 8) {
      complain(sh, "warning: %s: circular name reference", *name);
      return NULL;
    }
    const char *bracket = strchr(at->text, '[');
    size_t size = bracket != NULL ? (size_t)(bracket - at->text) : at->len;
    if (subscript != NULL && bracket != NULL && at->text[at->len - 1] == ']')
      *subscript = arena_copy(&sh->scratch, bracket + 1, at->len - size - 2);
    *name = arena_copy(&sh->scratch, at->text, size);
    *hash = name_hash(*name, size);
  }
}

variable *var_find(shell *sh, const char *name, uint32_t hash) {
  symbol *found = symbol_find(sh, name, hash);
  if (found == NULL || found->current == NULL) return NULL;
  variable *at = found->current;
  if (at->attributes & ATTR_REFERENCE) {
    at = var_target(sh, &name, &hash, NULL);
    if (at == NULL) return NULL;
    found = at->symbol;
  }
  if (found->hook >= HOOK_DYNAMIC) computed_refresh(sh, at);
  return at;
}

variable *var_find_name(shell *sh, const char *name) {
  return var_find(sh, name, hash_of(name));
}

variable *var_find_raw(shell *sh, const char *name) {
  symbol *found = symbol_find(sh, name, hash_of(name));
  return found != NULL ? found->current : NULL;
}

bool var_is_set(const variable *asked) {
  return asked != NULL && !(asked->attributes & ATTR_UNSET);
}

const char *var_value(shell *sh, variable *of) {
  (void)sh;
  if (of == NULL || of->attributes & ATTR_UNSET) return NULL;
  if (of->attributes & ATTR_ARRAY) return indexed_get(&of->array, 0);
  if (of->attributes & ATTR_MAP) return keyed_get(&of->map, "0");
  return of->text;
}

const char *var_get(shell *sh, const char *name) {
  uint32_t hash = hash_of(name);
  const char *subscript;
  variable *found = var_target(sh, &name, &hash, &subscript);
  if (found == NULL) return NULL;
  if (found->symbol->hook >= HOOK_DYNAMIC) computed_refresh(sh, found);
  if (subscript == NULL) return var_value(sh, found);
  if (found->attributes & ATTR_MAP) return keyed_get(&found->map, subscript);
  int64_t index;
  if (!var_index(sh, found, subscript, &index)) return NULL;
  if (found->attributes & ATTR_ARRAY) return indexed_get(&found->array, index);
  return index == 0 ? var_value(sh, found) : NULL;
}

/* ---- storing ---- */

bool var_writable(shell *sh, const variable *asked) {
  if (!(asked->attributes & ATTR_READONLY)) return true;
  complain(sh, "%s: readonly variable", asked->symbol->name);
  return false;
}

/* What -l, -u and -c make of a value. */
static void fold_case(text *into, const char *value, size_t size, unsigned attributes) {
  size_t used;
  for (size_t i = 0; i < size; i += used) {
    uint32_t point = point_decode(value + i, size - i, &used);
    bool upper = attributes & ATTR_UPPER || (attributes & ATTR_CAPITAL && i == 0);
    if (!(point & POINT_BYTE)) point = upper ? unicode_upper(point) : unicode_lower(point);
    point_add(into, point);
  }
}

/* The value as the attributes want it; what is returned may lie in scratch memory. */
static bool shaped(shell *sh, const variable *into, const char *old, const char **value,
                   size_t *size, bool *append) {
  if (into->attributes & ATTR_INTEGER) {
    int64_t number, base = 0;
    char *buffer = arena_take(&sh->scratch, 24);
    bool fine = arith_evaluate_for(sh, sh->builtin, *value, *size, &number);
    if (fine && *append && old != NULL)
      fine = arith_evaluate_for(sh, sh->builtin, old, strlen(old), &base);
    if (!fine) {
      discard(sh, 1); /* whatever stored it */
      return false;
    }
    *size = number_format((int64_t)((uint64_t)base + (uint64_t)number), buffer);
    *value = buffer;
    *append = false;
  } else if (into->attributes & (ATTR_LOWER | ATTR_UPPER | ATTR_CAPITAL)) {
    text folded = {.in = &sh->scratch};
    if (*append && old != NULL) text_string(&folded, old);
    text whole = {.in = &sh->scratch};
    text_add(&folded, *value, *size);
    fold_case(&whole, folded.at, folded.len, into->attributes);
    *value = text_end(&whole);
    *size = whole.len;
    *append = false;
  }
  return true;
}

static void scalar_put(variable *into, const char *value, size_t size, bool append) {
  size_t from = append ? into->len : 0;
  if (from + size + 1 > into->cap || into->text == NULL) {
    /* Room to grow only for what grows: x+=y in a loop must not copy x each time. */
    size_t want = append ? (from + size) * 2 + 1 : size + 1;
    if (want < 16) want = 16;
    char *room = memory_take(want);
    if (from != 0) memcpy(room, into->text, from);
    if (size != 0) memcpy(room + from, value, size); /* may be part of the old value */
    free(into->text);
    into->text = room;
    into->cap = want;
  } else if (size != 0) {
    memmove(into->text + from, value, size);
  }
  into->len = from + size;
  into->text[into->len] = 0;
}

static void stored(shell *sh, variable *into) {
  into->attributes &= ~(unsigned)ATTR_UNSET;
  if (option_on(sh, OPTION_ALLEXPORT)) into->attributes |= ATTR_EXPORT;
  if (into->symbol->hook != HOOK_NONE) hook_changed(sh, into->symbol);
}

bool var_store(shell *sh, variable *into, const char *value, size_t size, bool append) {
  if (into->attributes & ATTR_ARRAY) return var_store_index(sh, into, 0, value, append);
  if (into->attributes & ATTR_MAP) return var_store_key(sh, into, "0", value, append);
  if (!var_writable(sh, into)) return false;
  if (!shaped(sh, into, into->text, &value, &size, &append)) return false;
  if (into->symbol->hook >= HOOK_DYNAMIC && computed_assigned(sh, into, value)) return true;
  scalar_put(into, value, size, append);
  stored(sh, into);
  return true;
}

/* The element's whole new text for an appending or shaped store. */
static bool element_text(shell *sh, const variable *into, const char *old, const char **value,
                         size_t *size, bool append) {
  *size = strlen(*value);
  if (!shaped(sh, into, old, value, size, &append)) return false;
  if (!append || old == NULL) return true;
  text joined = {.in = &sh->scratch};
  text_string(&joined, old);
  text_add(&joined, *value, *size);
  *value = text_end(&joined);
  *size = joined.len;
  return true;
}

bool var_store_index(shell *sh, variable *into, int64_t index, const char *value, bool append) {
  size_t size;
  if (!var_writable(sh, into)) return false;
  if (into->symbol->hook >= HOOK_DYNAMIC && computed_assigned(sh, into, value)) return true;
  if (!(into->attributes & ATTR_ARRAY)) var_make_array(into);
  if (!element_text(sh, into, append ? indexed_get(&into->array, index) : NULL, &value, &size,
                    append))
    return false;
  indexed_put(&into->array, index, value, size);
  stored(sh, into);
  return true;
}

bool var_store_key(shell *sh, variable *into, const char *key, const char *value, bool append) {
  size_t size;
  if (!var_writable(sh, into)) return false;
  if (!element_text(sh, into, append ? keyed_get(&into->map, key) : NULL, &value, &size, append))
    return false;
  keyed_put(&into->map, key, value, size);
  stored(sh, into);
  return true;
}

void var_make_array(variable *of) {
  if (of->attributes & (ATTR_ARRAY | ATTR_MAP)) return;
  char *text = of->text;
  size_t size = of->len;
  bool set = !(of->attributes & ATTR_UNSET);
  of->array = (array){0};
  of->attributes |= ATTR_ARRAY;
  if (set && text != NULL) indexed_put(&of->array, 0, text, size);
  free(text);
}

void var_make_map(variable *of) {
  if (of->attributes & (ATTR_ARRAY | ATTR_MAP)) return;
  char *text = of->text;
  size_t size = of->len;
  bool set = !(of->attributes & ATTR_UNSET);
  of->map = (map){0};
  of->attributes |= ATTR_MAP;
  if (set && text != NULL) keyed_put(&of->map, "0", text, size);
  free(text);
}

bool var_set_sized(shell *sh, const char *name, uint32_t hash, const char *value, size_t size,
                   bool append) {
  symbol *found = symbol_find(sh, name, hash);
  variable *into = found != NULL ? found->current : NULL;
  if (into != NULL && into->attributes & ATTR_REFERENCE) {
    const char *subscript;
    if (into->text == NULL || into->len == 0) return var_store(sh, into, value, size, append);
    into = var_target(sh, &name, &hash, &subscript);
    if (subscript != NULL) return var_set_element(sh, name, subscript, value, append);
    found = symbol_make(sh, name, hash);
  }
  if (into == NULL) {
    if (found == NULL) found = symbol_make(sh, name, hash);
    into = instance_make(found, NULL);
  }
  return var_store(sh, into, value, size, append);
}

bool var_set(shell *sh, const char *name, const char *value) {
  return var_set_sized(sh, name, hash_of(name), value, strlen(value), false);
}

bool var_set_number(shell *sh, const char *name, int64_t value) {
  char digits[24];
  size_t size = number_format(value, digits);
  return var_set_sized(sh, name, hash_of(name), digits, size, false);
}

bool var_index(shell *sh, const variable *of, const char *subscript, int64_t *index) {
  if (!arith_evaluate(sh, subscript, strlen(subscript), index)) return false;
  if (*index >= 0) return true;
  int64_t last = of == NULL || of->attributes & ATTR_UNSET ? -1
                 : of->attributes & ATTR_ARRAY             ? indexed_last(&of->array)
                                                           : 0;
  *index += last + 1;
  return *index >= 0;
}

bool var_set_element(shell *sh, const char *name, const char *subscript, const char *value,
                     bool append) {
  uint32_t hash = hash_of(name);
  variable *into = var_target(sh, &name, &hash, NULL);
  if (into == NULL) into = instance_make(symbol_make(sh, name, hash), NULL);
  if (into->attributes & ATTR_MAP) {
    if (*subscript != 0) return var_store_key(sh, into, subscript, value, append);
    complain(sh, "%s[%s]: bad array subscript", name, subscript);
    return false;
  }
  int64_t index;
  size_t spent = sh->errors.len;
  if (!var_writable(sh, into)) return false;
  if (!var_index(sh, into, subscript, &index)) {
    if (sh->errors.len == spent) complain(sh, "%s[%s]: bad array subscript", name, subscript);
    return false;
  }
  return var_store_index(sh, into, index, value, append);
}

bool var_assign_to(shell *sh, const char *target, const char *value) {
  const char *bracket = strchr(target, '[');
  size_t size = strlen(target);
  if (bracket == NULL) return var_set(sh, target, value);
  char *name = arena_copy(&sh->scratch, target, (size_t)(bracket - target));
  char *subscript = arena_copy(&sh->scratch, bracket + 1, size - (size_t)(bracket - target) - 2);
  return var_set_element(sh, name, subscript, value, false);
}

/* ---- unsetting and declaring ---- */

bool var_unset(shell *sh, const char *name) {
  uint32_t hash = hash_of(name);
  variable *gone = var_target(sh, &name, &hash, NULL);
  if (gone == NULL) return true;
  if (gone->attributes & ATTR_READONLY) {
    complain_as(sh, "unset", "%s: cannot unset: readonly variable", name);
    return false;
  }
  symbol *of = gone->symbol;
  bool own = gone->scope != NULL && gone->scope == scope_function(sh);
  if (own) {
    /* A local of this very function stays, unset; one of a caller's gives way to what it hid. */
    var_clear(gone);
    gone->attributes = ATTR_UNSET;
  } else {
    if (gone->scope != NULL) {
      variable **at = &gone->scope->locals;
      while (*at != gone) at = &(*at)->next_local;
      *at = gone->next_local;
    }
    instance_free(gone);
    if (of->hook >= HOOK_DYNAMIC) of->hook = HOOK_NONE; /* it loses its meaning for good */
  }
  if (of->hook != HOOK_NONE) hook_changed(sh, of);
  return true;
}

bool var_unset_element(shell *sh, const char *name, const char *subscript) {
  uint32_t hash = hash_of(name);
  variable *of = var_target(sh, &name, &hash, NULL);
  if (of == NULL) return true;
  if (of->attributes & ATTR_READONLY) {
    complain_as(sh, "unset", "%s: cannot unset: readonly variable", name);
    return false;
  }
  if (of->attributes & ATTR_MAP) {
    keyed_remove(&of->map, subscript);
    return true;
  }
  if (strcmp(subscript, "@") == 0 || strcmp(subscript, "*") == 0) {
    if (!(of->attributes & ATTR_ARRAY)) return var_unset(sh, name);
    indexed_free(&of->array);
    return true;
  }
  int64_t index;
  if (!var_index(sh, of, subscript, &index)) {
    complain_as(sh, "unset", "[%s]: bad array subscript", subscript);
    return false;
  }
  if (of->attributes & ATTR_ARRAY)
    indexed_remove(&of->array, index);
  else if (index == 0)
    return var_unset(sh, name);
  return true;
}

variable *var_declare(shell *sh, const char *name, bool local, bool global) {
  symbol *of = symbol_make(sh, name, hash_of(name));
  scope *function = scope_function(sh);
  variable *at = of->current;
  if (global || function == NULL || !local) {
    while (global && at != NULL && at->scope != NULL) at = at->shadowed;
    if (at != NULL) return at;
    if (of->current == NULL) return instance_make(of, NULL);
    /* Beneath the locals that hide it. */
    variable *lowest = of->current;
    while (lowest->shadowed != NULL) lowest = lowest->shadowed;
    variable *visible = of->current;
    of->current = NULL;
    lowest->shadowed = instance_make(of, NULL);
    at = lowest->shadowed;
    of->current = visible;
    return at;
  }
  if (at != NULL && at->scope == function) return at;
  variable *outer = at;
  variable *made = instance_make(of, function);
  /* A local takes over the value that was put in front of the call: x=1 f. */
  bool temporary = outer != NULL && outer->scope != NULL && !outer->scope->function &&
                   outer->scope == function->outer;
  bool inherit = shopt_on(sh, SHOPT_LOCALVAR_INHERIT) && outer != NULL;
  if ((temporary || inherit) && var_is_set(outer) &&
      !(outer->attributes & (ATTR_ARRAY | ATTR_MAP))) {
    scalar_put(made, outer->text, outer->len, false);
    made->attributes = outer->attributes & ~(unsigned)ATTR_READONLY;
  }
  return made;
}

variable *var_reach(shell *sh, const char *name) {
  uint32_t hash = hash_of(name);
  variable *reached = var_target(sh, &name, &hash, NULL);
  return reached != NULL ? reached : var_declare(sh, name, false, false);
}

/* ---- scopes ---- */

void scope_push(shell *sh, scope *pushed, bool function) {
  *pushed = (scope){.outer = sh->scope, .function = function};
  sh->scope = pushed;
}

void scope_pop(shell *sh) {
  scope *popped = sh->scope;
  sh->scope = popped->outer;
  for (variable *at = popped->locals, *next; at != NULL; at = next) {
    symbol *of = at->symbol;
    next = at->next_local;
    instance_free(at);
    if (of->hook != HOOK_NONE) hook_changed(sh, of);
  }
  popped->locals = NULL;
}

scope *scope_function(const shell *sh) {
  scope *at = sh->scope;
  while (at != NULL && !at->function) at = at->outer;
  return at;
}

/* An assignment in front of a command: visible, exported, gone with the scope. */
variable *scope_temporary(shell *sh, const char *name) {
  symbol *of = symbol_make(sh, name, hash_of(name));
  variable *old = of->current;
  if (old != NULL && old->scope == sh->scope) return old;
  variable *made = instance_make(of, sh->scope);
  if (old != NULL)
    made->attributes |= old->attributes & (ATTR_INTEGER | ATTR_LOWER | ATTR_UPPER | ATTR_CAPITAL);
  made->attributes |= ATTR_EXPORT;
  return made;
}

/* ---- all of them ---- */

static int by_name(const void *left, const void *right) {
  variable *const *a = left, *const *b = right;
  return strcmp((*a)->symbol->name, (*b)->symbol->name);
}

static void make_presets(const shell *sh) {
  for (size_t i = 0; i < sh->symbols.bucket_count; i++)
    for (symbol *at = sh->symbols.buckets[i]; at != NULL; at = at->next)
      if (at->preset != 0) preset_make(at);
}

variable **var_sorted(shell *sh, size_t *count) {
  make_presets(sh);
  variable **all = arena_take(&sh->scratch, (sh->symbols.count + 1) * sizeof(variable *));
  *count = 0;
  for (size_t i = 0; i < sh->symbols.bucket_count; i++)
    for (symbol *at = sh->symbols.buckets[i]; at != NULL; at = at->next)
      if (at->current != NULL) all[(*count)++] = at->current;
  qsort(all, *count, sizeof(variable *), by_name);
  return all;
}

char **var_environment(shell *sh) {
  char **all = arena_take(&sh->scratch, (sh->symbols.count + 1) * sizeof(char *));
  size_t count = 0;
  for (size_t i = 0; i < sh->symbols.bucket_count; i++)
    for (symbol *at = sh->symbols.buckets[i]; at != NULL; at = at->next) {
      variable *of = at->current;
      if (of == NULL || !(of->attributes & ATTR_EXPORT)) continue;
      if (of->attributes & (ATTR_UNSET | ATTR_ARRAY | ATTR_MAP)) continue;
      if (at->hook >= HOOK_DYNAMIC) computed_refresh(sh, of);
      size_t size = strlen(at->name);
      char *entry = arena_take(&sh->scratch, size + of->len + 2);
      memcpy(entry, at->name, size);
      entry[size] = '=';
      memcpy(entry + size + 1, of->text, of->len + 1);
      all[count++] = entry;
    }
  all = functions_exported(sh, all, &count);
  all[count] = NULL;
  return all;
}

void vars_begin(shell *sh, char *const *environment) {
  symbols_grow(&sh->symbols);
  preset_symbols(&sh->symbols);
  for (; environment != NULL && *environment != NULL; environment++) {
    const char *equals = strchr(*environment, '=');
    if (equals == NULL) continue;
    size_t size = (size_t)(equals - *environment);
    if (!name_valid(*environment, size)) continue;
    char *name = memory_copy(*environment, size);
    const symbol *preset = symbol_look(sh, name, name_hash(name, size));
    bool forced = preset != NULL && preset_forced(preset);
    variable *into = var_declare(sh, name, false, true);
    if (!forced) var_store(sh, into, equals + 1, strlen(equals + 1), false);
    if (into->symbol->hook < HOOK_DYNAMIC) into->attributes |= ATTR_EXPORT;
    free(name);
  }
}

static void value_copy(variable *to, const variable *from) {
  if (from->attributes & ATTR_ARRAY) {
    indexed_copy(&to->array, &from->array);
  } else if (from->attributes & ATTR_MAP) {
    keyed_copy(&to->map, &from->map);
  } else if (from->text != NULL) {
    to->text = memory_copy(from->text, from->len);
    to->len = from->len;
    to->cap = from->len + 1;
  }
}

/* Only what is visible is copied: a subshell never returns into the functions it was started in.
 * Locals of the innermost function stay local to a scope of the copy's own. */
void vars_copy(shell *to, const shell *from) {
  scope *function = scope_function(from), *copied = NULL;
  to->symbols = (symbol_table){0};
  symbols_grow(&to->symbols);
  preset_symbols(&to->symbols);
  to->scope = NULL;
  if (function != NULL) {
    copied = memory_take(sizeof *copied);
    scope_push(to, copied, true);
  }
  for (size_t i = 0; i < from->symbols.bucket_count; i++)
    for (const symbol *at = from->symbols.buckets[i]; at != NULL; at = at->next) {
      if (at->preset != 0) continue;                      /* as its template says */
      symbol *made = symbol_look(to, at->name, at->hash); /* a template, which may be unset here */
      if (made == NULL && at->current == NULL && at->hook == HOOK_NONE) continue;
      if (made == NULL) made = symbol_make(to, at->name, at->hash);
      made->hook = at->hook;
      made->preset = 0;
      if (at->current == NULL) continue;
      bool local = function != NULL && at->current->scope == function;
      variable *instance = instance_make(made, local ? copied : NULL);
      instance->attributes = at->current->attributes;
      value_copy(instance, at->current);
    }
}
