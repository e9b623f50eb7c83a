// SPDX-License-Identifier: MIT
/* vars.h -- variables: names, scopes, attributes, arrays.
 *
 * Every name has one symbol, and the symbol points at the instance that is visible now. A
 * function's local takes its place and remembers what it shadowed; leaving the function puts that
 * back. So looking a name up costs the same however deep the calls are.
 *
 *   table -> symbol "x" -> local of g -> local of f -> global
 *
 * Strings are malloc's: an instance owns its value. */
#ifndef GUEST_SHELL_VARS_H
#define GUEST_SHELL_VARS_H

#include "../text/text.h"

typedef struct shell shell;

enum {
  ATTR_EXPORT = 1,
  ATTR_READONLY = 2,
  ATTR_INTEGER = 4,
  ATTR_LOWER = 8,
  ATTR_UPPER = 16,
  ATTR_CAPITAL = 32,
  ATTR_REFERENCE = 64, /* a nameref */
  ATTR_ARRAY = 128,
  ATTR_MAP = 256, /* an associative array */
  ATTR_TRACE = 512,
  ATTR_UNSET = 1024, /* declared, but without a value */
};

/* Indexed arrays are sparse: items in order of their index. */
typedef struct {
  int64_t index;
  char *text;
} item;

typedef struct {
  item *items;
  size_t count, cap;
} array;

/* Associative arrays keep bash's order: its hash, its number of buckets, newest first in each,
 * because scripts print them and their authors have seen that order. */
typedef struct pair {
  struct pair *next;
  uint32_t hash;
  char *key;
  char *text;
} pair;

typedef struct {
  pair **buckets;
  size_t bucket_count, count;
} map;

typedef struct scope scope;
typedef struct symbol symbol;

typedef struct variable {
  symbol *symbol;
  struct variable *shadowed; /* the instance below this one */
  scope *scope;              /* NULL: global */
  struct variable *next_local;
  unsigned attributes;
  union {
    struct {
      char *text; /* NULL when unset; always text[len] == 0 */
      size_t len, cap;
    };
    array array;
    map map;
  };
} variable;

/* Names that the shell itself acts on. */
typedef enum {
  HOOK_NONE,
  HOOK_IFS,
  HOOK_PATH,
  HOOK_OPTIND,
  HOOK_LOCALE,
  HOOK_DYNAMIC, /* first of the computed ones */
  HOOK_RANDOM = HOOK_DYNAMIC,
  HOOK_SRANDOM,
  HOOK_SECONDS,
  HOOK_EPOCHSECONDS,
  HOOK_EPOCHREALTIME,
  HOOK_LINENO,
  HOOK_BASHPID,
  HOOK_BASH_COMMAND,
  HOOK_BASH_SUBSHELL,
  HOOK_SHELLOPTS,
  HOOK_BASHOPTS,
  HOOK_LAST_ARGUMENT, /* $_ */
  HOOK_FUNCNAME,
  HOOK_BASH_SOURCE,
  HOOK_BASH_LINENO,
  HOOK_PIPESTATUS,
  HOOK_DIRSTACK,
  HOOK_BASH_ARGV0,
} hook;

struct symbol {
  symbol *next; /* in its bucket */
  variable *current;
  uint32_t hash;
  uint8_t hook;
  uint8_t preset; /* not 0: its variable is still to be made, see computed.c */
  char name[];
};

typedef struct {
  symbol **buckets;
  size_t bucket_count, count;
} symbol_table;

/* A function call, or the assignments in front of a command. */
struct scope {
  scope *outer;
  variable *locals;
  bool function;
  char *saved_options; /* local -: `set` letters to put back, NULL when not asked for */
};

/* ---- names ---- */

symbol *symbol_find(shell *sh, const char *name, uint32_t hash); /* NULL when never used */
symbol *symbol_make(shell *sh, const char *name, uint32_t hash);
/* As symbol_find, but the variable of a preset symbol is not made. */
symbol *symbol_look(shell *sh, const char *name, uint32_t hash);
void symbol_add(symbol_table *table, symbol *added);
variable *instance_make(symbol *of, scope *in);
/* The visible instance, namerefs followed; computed ones are brought up to date. NULL when there is
 * none. May be ATTR_UNSET. */
variable *var_find(shell *sh, const char *name, uint32_t hash);
variable *var_find_name(shell *sh, const char *name);
variable *var_find_raw(shell *sh, const char *name); /* namerefs not followed */
/* The value of a scalar, or of element 0; NULL when unset. Borrowed until the next change. */
const char *var_value(shell *sh, variable *of);
const char *var_get(shell *sh, const char *name);
bool var_is_set(const variable *asked);
/* The visible instance after namerefs, and the subscript when a nameref names an element (scratch
 * memory; NULL otherwise). *name becomes the name that was reached. */
variable *var_target(shell *sh, const char **name, uint32_t *hash, const char **subscript);

/* ---- changes; false with a message when it is refused ---- */

bool var_set(shell *sh, const char *name, const char *value);
bool var_set_sized(shell *sh, const char *name, uint32_t hash, const char *value, size_t size,
                   bool append);
bool var_set_number(shell *sh, const char *name, int64_t value);
/* One element. `subscript` has been expanded; for an indexed array it is arithmetic. */
bool var_set_element(shell *sh, const char *name, const char *subscript, const char *value,
                     bool append);
/* name may be "x", "x[1]"; what read, printf -v, mapfile and the like take. */
bool var_assign_to(shell *sh, const char *target, const char *value);
bool var_unset(shell *sh, const char *name);
bool var_unset_element(shell *sh, const char *name, const char *subscript);
/* The instance to declare or change: made when there is none; local to the innermost function when
 * `local`, global when `global`. */
variable *var_declare(shell *sh, const char *name, bool local, bool global);
/* The same for one that is to be filled, namerefs followed. */
variable *var_reach(shell *sh, const char *name);
/* Writes into an instance at hand, attributes applied. */
bool var_store(shell *sh, variable *into, const char *value, size_t size, bool append);
bool var_store_index(shell *sh, variable *into, int64_t index, const char *value, bool append);
bool var_store_key(shell *sh, variable *into, const char *key, const char *value, bool append);
bool var_writable(shell *sh, const variable *asked); /* complains when it is readonly */
void var_make_array(variable *of);
void var_make_map(variable *of);
void var_clear(variable *of); /* drops the value, keeps kind and attributes */
/* Text of one element or NULL. */
const char *indexed_get(const array *of, int64_t index);
const char *keyed_get(const map *of, const char *key);
void indexed_put(array *into, int64_t index, const char *text, size_t size);
void indexed_remove(array *from, int64_t index);
void keyed_remove(map *from, const char *key);
void keyed_put(map *into, const char *key, const char *text, size_t size);
void indexed_free(array *gone);
void keyed_free(map *gone);
void indexed_copy(array *to, const array *from);
void keyed_copy(map *to, const map *from);
/* In bash's order; entry 0 first. NULL ends it: pass the previous. */
pair *keyed_next(const map *of, const pair *before);
int64_t indexed_last(const array *of); /* -1 when empty */

/* Where a subscript points. `negative` counts from the end; false with a message. */
bool var_index(shell *sh, const variable *of, const char *subscript, int64_t *index);

/* ---- scopes ---- */

void scope_push(shell *sh, scope *pushed, bool function);
void scope_pop(shell *sh);
variable *scope_temporary(shell *sh, const char *name); /* in the innermost scope, exported */
scope *scope_function(const shell *sh); /* the innermost function's, NULL outside of any */

/* ---- all of them ---- */

/* Visible instances sorted by name, in the scratch arena. */
variable **var_sorted(shell *sh, size_t *count);
char **var_environment(shell *sh); /* "NAME=value"..., scratch memory */
void vars_begin(shell *sh, char *const *environment);
/* functions.c: adds exported functions to an environment, and takes those of one over. */
char **functions_exported(shell *sh, char **environment, size_t *count);
void functions_import(shell *sh, char *const *environment);
void vars_copy(shell *to, const shell *from);

/* ---- computed.c ---- */

/* The symbols of what every shell has; their variables are made when they are looked up. */
void preset_symbols(symbol_table *into);
void preset_make(symbol *of);
bool preset_forced(const symbol *of); /* whether the environment has no say in its value */
void computed_refresh(shell *sh, variable *of);
/* After an assignment; true when the value must not be stored. */
bool computed_assigned(shell *sh, variable *of, const char *value);
void hook_changed(shell *sh, symbol *changed);
/* By LC_ALL, LC_CTYPE and LANG, for the process that runs. */
void choose_characters(shell *sh);

#endif
