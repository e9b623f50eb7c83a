// SPDX-License-Identifier: MIT
/* param.c -- $x and ${x...}: fetch a value (one string or a list of them), then apply the operator.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../text/unicode.h"
#include "arith.h"
#include "expand.h"
#include "quote.h"
#include "transform.h"

/* ---- values ---- */

static void set_scalar(param_value *v, const char *text) {
  v->text = text;
  v->set = text != NULL;
}

static const char *number_text(shell *sh, int64_t number) {
  char *digits = arena_take(&sh->scratch, 24);
  number_format(number, digits);
  return digits;
}

static void list_add(shell *sh, param_value *v, const char *text) {
  fields_add(sh, &v->items, (char *)text);
}

static void fetch_arguments(shell *sh, param_value *v, char all) {
  v->list = true;
  v->all = all;
  for (size_t i = 0; i < sh->arguments.count; i++) list_add(sh, v, sh->arguments.at[i]);
  v->set = v->items.count > 0;
}

static void fetch_special(expansion *x, const char *name, uint32_t number, param_value *v) {
  shell *sh = x->sh;
  if (number > 0) {
    set_scalar(v, number <= sh->arguments.count ? sh->arguments.at[number - 1] : NULL);
    return;
  }
  switch (*name) {
    case '@':
    case '*':
      fetch_arguments(sh, v, *name);
      break;
    case '#':
      set_scalar(v, number_text(sh, (int64_t)sh->arguments.count));
      break;
    case '?':
      set_scalar(v, number_text(sh, sh->status));
      break;
    case '$':
      set_scalar(v, number_text(sh, sh->shell_pid));
      break;
    case '!':
      set_scalar(v, sh->background_pid != 0 ? number_text(sh, sh->background_pid) : NULL);
      break;
    case '-': {
      char *letters = arena_take(&sh->scratch, OPTION_COUNT + 4);
      option_letters(sh->options, sh->command_string, sh->stdin_script >= 0, letters);
      set_scalar(v, letters);
      break;
    }
    default:
      set_scalar(v, sh->name);
  }
}

static void fetch_all(shell *sh, variable *from, char all, param_value *v) {
  v->list = true;
  v->all = all;
  if (from == NULL || from->attributes & ATTR_UNSET) return;
  if (from->attributes & ATTR_ARRAY) {
    for (size_t i = 0; i < from->array.count; i++) list_add(sh, v, from->array.items[i].text);
  } else if (from->attributes & ATTR_MAP) {
    for (pair *at = keyed_next(&from->map, NULL); at != NULL; at = keyed_next(&from->map, at))
      list_add(sh, v, at->text);
  } else {
    list_add(sh, v, from->text);
  }
  v->set = v->items.count > 0;
}

static void fetch_keys(shell *sh, variable *from, param_value *v) {
  v->list = true;
  if (from == NULL || from->attributes & ATTR_UNSET) return;
  if (from->attributes & ATTR_ARRAY) {
    for (size_t i = 0; i < from->array.count; i++)
      list_add(sh, v, number_text(sh, from->array.items[i].index));
  } else if (from->attributes & ATTR_MAP) {
    for (pair *at = keyed_next(&from->map, NULL); at != NULL; at = keyed_next(&from->map, at))
      list_add(sh, v, at->key);
  } else {
    list_add(sh, v, "0");
  }
  v->set = v->items.count > 0;
}

/* One element, its subscript expanded already. */
static bool fetch_element(expansion *x, variable *from, const char *name, const char *subscript,
                          param_value *v) {
  shell *sh = x->sh;
  v->subscript = subscript;
  if (from != NULL && from->attributes & ATTR_MAP) {
    set_scalar(v, from->attributes & ATTR_UNSET ? NULL : keyed_get(&from->map, subscript));
    return true;
  }
  int64_t index;
  size_t messages = sh->errors.len;
  if (!var_index(sh, from, subscript, &index)) {
    if (sh->errors.len != messages) {
      discard(sh, 1);
      x->failed = true;
      return false;
    }
    complain(sh, "%s: bad array subscript", name);
    return true;
  }
  if (from == NULL || from->attributes & ATTR_UNSET) return true;
  if (from->attributes & ATTR_ARRAY)
    set_scalar(v, indexed_get(&from->array, index));
  else if (index == 0)
    set_scalar(v, var_value(sh, from));
  return true;
}

static bool fetch(expansion *x, const parameter *p, param_value *v) {
  shell *sh = x->sh;
  if (p->special) {
    fetch_special(x, p->name, p->number, v);
    return true;
  }
  const char *name = p->name, *reached;
  uint32_t hash = p->hash;
  v->variable = var_target(sh, &name, &hash, &reached);
  v->name = name;
  if (v->variable != NULL && v->variable->symbol->hook >= HOOK_DYNAMIC)
    computed_refresh(sh, v->variable);
  if (p->all != 0) {
    fetch_all(sh, v->variable, p->all, v);
    return true;
  }
  if (p->subscript != NULL) {
    const char *subscript = expand_string(sh, p->subscript, false);
    if (subscript == NULL) {
      x->failed = true;
      return false;
    }
    return fetch_element(x, v->variable, name, subscript, v);
  }
  if (reached != NULL) {
    if (strcmp(reached, "@") == 0 || strcmp(reached, "*") == 0) {
      fetch_all(sh, v->variable, *reached, v);
      return true;
    }
    return fetch_element(x, v->variable, name, reached, v);
  }
  set_scalar(v, var_value(sh, v->variable));
  return true;
}

/* ${!x}: the value of x names what is meant: a name, a name with a subscript, a special parameter.
 */
static bool fetch_named(expansion *x, const char *named, param_value *v) {
  shell *sh = x->sh;
  size_t size = strlen(named);
  const char *bracket = strchr(named, '[');
  if (size > 0 && strspn(named, "0123456789") == size) {
    fetch_special(x, named, (uint32_t)strtoul(named, NULL, 10), v);
    return true;
  }
  if (size == 1 && strchr("@*#?-$!", *named) != NULL) {
    fetch_special(x, named, 0, v);
    return true;
  }
  size_t length = bracket != NULL && named[size - 1] == ']' ? (size_t)(bracket - named) : size;
  if (!name_valid(named, length)) {
    complain(sh, "%s: invalid variable name", named);
    discard(sh, 1);
    x->failed = true;
    return false;
  }
  const char *name = arena_copy(&sh->scratch, named, length);
  uint32_t hash = name_hash(name, length);
  v->variable = var_find(sh, name, hash);
  v->name = name;
  if (length == size) {
    set_scalar(v, var_value(sh, v->variable));
    return true;
  }
  const char *subscript = arena_copy(&sh->scratch, bracket + 1, size - length - 2);
  if (strcmp(subscript, "@") == 0 || strcmp(subscript, "*") == 0) {
    fetch_all(sh, v->variable, *subscript, v);
    return true;
  }
  return fetch_element(x, v->variable, name, subscript, v);
}

static bool fetch_indirect(expansion *x, const parameter *p, param_value *v) {
  shell *sh = x->sh;
  param_value named = {0};
  variable *raw = p->special ? NULL : var_find_raw(sh, p->name);
  if (raw != NULL && raw->attributes & ATTR_REFERENCE && p->subscript == NULL) {
    set_scalar(v, raw->text); /* of a nameref it is the name itself */
    v->variable = raw;
    return true;
  }
  if (!fetch(x, p, &named)) return false;
  const char *text = named.text;
  if (named.list) text = named.items.count > 0 ? named.items.at[0] : NULL;
  if (text == NULL || *text == 0) {
    if (named.list || p->special) return true;
    complain(sh, text == NULL ? "%s: invalid indirect expansion" : "%s: invalid variable name",
             text == NULL ? p->name : "");
    discard(sh, 1);
    x->failed = true;
    return false;
  }
  return fetch_named(x, text, v);
}

/* ---- into the text ---- */

static void emit_joined(expansion *x, const fields *items, const char *with, uint8_t mark) {
  for (size_t i = 0; i < items->count; i++) {
    if (i > 0 && *with != 0) expansion_add(x, with, 1, mark);
    expansion_add(x, items->at[i], strlen(items->at[i]), mark);
  }
}

static void emit_list(expansion *x, const fields *items, char all, bool quoted) {
  char first[2] = {x->sh->ifs[0], 0};
  if (!x->fields) {
    emit_joined(x, items, all == '*' ? first : " ", quoted ? MARK_QUOTED : MARK_SPLIT);
    return;
  }
  if (quoted && all == '*') {
    emit_joined(x, items, first, MARK_QUOTED);
    return;
  }
  if (quoted && items->count == 0) x->at_empty = true;
  bool solid = !quoted && *first != 0 && strchr(" \t\n", *first) == NULL;
  for (size_t i = 0; i < items->count; i++) {
    if (i > 0 && solid)
      expansion_add(x, first, 1, MARK_SPLIT); /* as if joined: empty ones between stay */
    else if (i > 0)
      expansion_mark(x, MARK_BREAK);
    if (quoted) expansion_mark(x, MARK_EMPTY);
    expansion_add(x, items->at[i], strlen(items->at[i]), quoted ? MARK_QUOTED : MARK_SPLIT);
  }
}

static void emit(expansion *x, const param_value *v, bool quoted) {
  if (v->list)
    emit_list(x, &v->items, v->all, quoted);
  else if (v->text != NULL)
    expansion_add(x, v->text, strlen(v->text), quoted ? MARK_QUOTED : MARK_SPLIT);
}

/* ---- operators that look at whether there is a value ---- */

static bool is_null(const param_value *v) {
  if (!v->list) return v->text == NULL || *v->text == 0;
  for (size_t i = 0; i < v->items.count; i++)
    if (*v->items.at[i] != 0) return false;
  return v->items.count < 2;
}

/* The operator's word, in place of the value. */
static void emit_word(expansion *x, const word *of, bool quoted) {
  bool inside = x->inside, at_empty = x->at_empty;
  x->inside = !quoted;
  if (of != NULL) expand_parts(x, of->parts, quoted);
  x->inside = inside;
  x->at_empty = at_empty;
}

static void fail_error(expansion *x, const parameter *p) {
  shell *sh = x->sh;
  const char *message = expand_string(sh, p->first, false);
  x->failed = true;
  if (message == NULL) return;
  if (p->first->parts == NULL)
    message = p->colon ? "parameter null or not set" : "parameter not set";
  bool element = p->subscript != NULL;
  int size = element ? (int)strcspn(p->source.at + 2, ":?") : (int)strlen(p->name);
  const char *name = element ? p->source.at + 2 : p->name;
  complain(sh, "%.*s: %s", size, name, message);
  sh->unwind = UNWIND_EXIT;
  sh->status = refused_status(sh);
}

static void assign_default(expansion *x, const parameter *p, param_value *v, bool quoted) {
  shell *sh = x->sh;
  const char *value = expand_string(sh, p->first, false);
  if (value == NULL) {
    x->failed = true;
    return;
  }
  if (p->special && !p->indirect) {
    complain(sh, "$%s: cannot assign in this way", p->name);
    discard(sh, 1);
    x->failed = true;
    return;
  }
  const char *name = v->name != NULL ? v->name : p->name;
  bool done = v->subscript != NULL ? var_set_element(sh, name, v->subscript, value, false)
                                   : var_set(sh, name, value);
  if (!done) {
    discard(sh, 1);
    x->failed = true;
    return;
  }
  expansion_add(x, value, strlen(value), quoted ? MARK_QUOTED : MARK_SPLIT);
}

/* True when the operator was one of - = ? + and has been dealt with. */
static bool apply_default(expansion *x, const parameter *p, param_value *v, bool quoted) {
  if (p->op < OP_DEFAULT || p->op > OP_ALTERNATE) return false;
  bool missing = !v->set || (p->colon && is_null(v));
  if (p->op == OP_ALTERNATE) {
    if (!missing)
      emit_word(x, p->first, quoted);
    else if (v->list && quoted)
      x->at_empty = true;
  } else if (!missing) {
    emit(x, v, quoted);
  } else if (p->op == OP_DEFAULT) {
    emit_word(x, p->first, quoted);
  } else if (p->op == OP_ASSIGN) {
    assign_default(x, p, v, quoted);
  } else {
    fail_error(x, p);
  }
  return true;
}

static void check_unset(expansion *x, const parameter *p, const param_value *v) {
  shell *sh = x->sh;
  if (v->set || !option_on(sh, OPTION_NOUNSET)) return;
  if (p->special && (*p->name == '@' || *p->name == '*')) return;
  if (p->all != 0) return;
  const char *sigil = p->number > 0 || (p->special && *p->name == '!') ? "$" : "";
  if (p->subscript != NULL)
    complain(sh, "%.*s: unbound variable", (int)p->source.len - 3, p->source.at + 2);
  else
    complain(sh, "%s%s: unbound variable", sigil, p->indirect && v->name ? v->name : p->name);
  sh->unwind = UNWIND_EXIT;
  sh->status = refused_status(sh);
  x->failed = true;
}

static void expand_length(expansion *x, const parameter *p, const param_value *v, bool quoted) {
  int64_t length = (int64_t)v->items.count;
  if (!v->list) length = v->text != NULL ? (int64_t)point_count(v->text, strlen(v->text)) : 0;
  if (!v->list && *p->name == '*' && p->special) length = (int64_t)x->sh->arguments.count;
  const char *digits = number_text(x->sh, length);
  expansion_add(x, digits, strlen(digits), quoted ? MARK_QUOTED : MARK_SPLIT);
}

/* ---- ${!prefix*} ---- */

static void fetch_names(shell *sh, const char *prefix, param_value *v) {
  size_t count, size = strlen(prefix);
  variable **all = var_sorted(sh, &count);
  v->list = true;
  for (size_t i = 0; i < count; i++)
    if (strncmp(all[i]->symbol->name, prefix, size) == 0 && var_is_set(all[i]))
      list_add(sh, v, all[i]->symbol->name);
}

static void bad_substitution(expansion *x, const parameter *p) {
  complain(x->sh, "%.*s: bad substitution", (int)p->source.len, p->source.at);
  if (option_on(x->sh, OPTION_ERREXIT)) { /* even where a failure would be forgiven */
    x->sh->unwind = UNWIND_EXIT;
    x->sh->leaves = true;
    x->sh->status = 1;
  }
  discard(x->sh, 1);
  x->failed = true;
}

void expand_parameter(expansion *x, const part *of, bool quoted) {
  const parameter *p = of->parameter;
  shell *sh = x->sh;
  param_value v = {.all = p->all};
  if (p->op == OP_BAD) {
    bad_substitution(x, p);
    return;
  }
  if (p->op == OP_NAMES) {
    fetch_names(sh, p->name, &v);
    emit(x, &v, quoted);
    return;
  }
  if (p->op == OP_KEYS) {
    fetch_keys(sh, var_find(sh, p->name, p->hash), &v);
    emit(x, &v, quoted);
    return;
  }
  if (!(p->indirect ? fetch_indirect(x, p, &v) : fetch(x, p, &v))) return;
  if (apply_default(x, p, &v, quoted)) return;
  check_unset(x, p, &v);
  if (x->failed) return;
  if (p->op == OP_LENGTH) {
    expand_length(x, p, &v, quoted);
    return;
  }
  if (p->op != OP_NONE && !param_transform(x, p, &v)) {
    x->failed = true;
    return;
  }
  emit(x, &v, quoted);
}
