// SPDX-License-Identifier: MIT
/* transform.c -- # % / ^ , ~ : @ behind a parameter's name. */
#include "transform.h"

#include "../text/unicode.h"
#include "arith.h"
#include "quote.h"
#include "shared.h"

/* ---- # ## % %% ---- */

static const char *strip(shell *sh, parameter_op op, const pattern *p, const char *text) {
  size_t size = strlen(text);
  bool longest = op == OP_PREFIX_LONG || op == OP_SUFFIX_LONG;
  if (op == OP_PREFIX || op == OP_PREFIX_LONG) {
    ptrdiff_t length = pattern_prefix(p, text, size, longest);
    return length > 0 ? text + length : text;
  }
  ptrdiff_t start = pattern_suffix(p, text, size, longest);
  return start >= 0 ? arena_copy(&sh->scratch, text, (size_t)start) : text;
}

/* ---- / // ---- */

/* What a match is replaced by: text, with an unquoted & standing for the match. */
typedef struct {
  const char *text;
  const char *marks;
  size_t size;
  bool ampersands;
} replacement;

static void add_replacement(text *to, const replacement *by, const char *match, size_t size) {
  if (!by->ampersands) {
    text_add(to, by->text, by->size);
    return;
  }
  for (size_t i = 0; i < by->size; i++) {
    bool quoted = (by->marks[i] & MARK_QUOTED) != 0;
    if (by->text[i] == '\\' && !quoted && i + 1 < by->size &&
        (by->text[i + 1] == '&' || by->text[i + 1] == '\\'))
      text_char(to, by->text[++i]);
    else if (by->text[i] == '&' && !quoted)
      text_add(to, match, size);
    else
      text_char(to, by->text[i]);
  }
}

static const char *replace(shell *sh, const pattern *p, const char *value, const replacement *by,
                           bool all, char anchor) {
  size_t size = strlen(value), from = 0, start, end;
  text made = {.in = &sh->scratch};
  if (anchor != 0) {
    ptrdiff_t at =
        anchor == '#' ? pattern_prefix(p, value, size, true) : pattern_suffix(p, value, size, true);
    if (at < 0) return value;
    size_t split = (size_t)at;
    if (anchor == '%') text_add(&made, value, split);
    add_replacement(&made, by, anchor == '#' ? value : value + split,
                    anchor == '#' ? split : size - split);
    if (anchor == '#') text_add(&made, value + split, size - split);
    return text_end(&made);
  }
  pattern_search search;
  pattern_search_begin(&search, p, value, size);
  while (pattern_search_next(&search, from, &start, &end)) {
    if (end == start && size > 0) {
      /* bash does not replace nothing inside a value */
      if (start >= size) break;
      size_t used;
      point_decode(value + start, size - start, &used);
      text_add(&made, value + from, start + used - from);
      from = start + used;
      if (from >= size) break;
      continue;
    }
    text_add(&made, value + from, start - from);
    add_replacement(&made, by, value + start, end - start);
    from = end;
    if (!all || from >= size) break;
  }
  text_add(&made, value + from, size - from);
  return text_end(&made);
}

/* ---- ^ , ~ ---- */

static uint32_t recase(parameter_op op, uint32_t point) {
  if (op == OP_UPPER || op == OP_UPPER_ALL) return unicode_upper(point);
  if (op == OP_LOWER || op == OP_LOWER_ALL) return unicode_lower(point);
  uint32_t upper = unicode_upper(point);
  return upper != point ? upper : unicode_lower(point);
}

static const char *change_case(shell *sh, parameter_op op, const pattern *p, const char *value) {
  bool all = op == OP_UPPER_ALL || op == OP_LOWER_ALL || op == OP_TOGGLE_ALL;
  text made = {.in = &sh->scratch};
  size_t size = strlen(value), used;
  for (size_t i = 0; i < size; i += used) {
    uint32_t point = point_decode(value + i, size - i, &used);
    bool wanted = (i == 0 || all) && !(point & POINT_BYTE) &&
                  (p == NULL || pattern_matches(p, value + i, used));
    point_add(&made, wanted ? recase(op, point) : point);
  }
  return text_end(&made);
}

/* ---- : ---- */

static bool slice_numbers(expansion *x, const parameter *p, int64_t *offset, int64_t *length,
                          bool *with_length) {
  *with_length = p->second != NULL;
  *length = 0;
  if (!expand_arithmetic(x->sh, p->name, p->first, offset) ||
      (p->second != NULL && !expand_arithmetic(x->sh, p->name, p->second, length))) {
    discard(x->sh, 1);
    return false;
  }
  return true;
}

static bool bad_length(expansion *x, const parameter *p) {
  const word *length = p->second;
  complain(x->sh, "%.*s: substring expression < 0", (int)length->source.len, length->source.at);
  discard(x->sh, 1);
  return false;
}

static bool slice_text(expansion *x, const parameter *p, param_value *v) {
  int64_t offset, length;
  bool with_length;
  if (v->text == NULL) return true;
  if (!slice_numbers(x, p, &offset, &length, &with_length)) return false;
  size_t size = strlen(v->text);
  int64_t count = (int64_t)point_count(v->text, size);
  if (offset < 0) offset += count;
  if (offset < 0 || offset > count) {
    v->text = "";
    return true;
  }
  int64_t end = count;
  if (with_length) {
    if (length < 0)
      end = count + length;
    else if (length < count - offset)
      end = offset + length;
    if (end < offset) return bad_length(x, p);
  }
  size_t from = point_offset(v->text, size, (size_t)offset);
  size_t to = from + point_offset(v->text + from, size - from, (size_t)(end - offset));
  v->text = arena_copy(&x->sh->scratch, v->text + from, to - from);
  return true;
}

/* Of the positional parameters: $0 counts as element 0. Of an indexed array: from that index on. */
static bool slice_list(expansion *x, const parameter *p, param_value *v) {
  shell *sh = x->sh;
  int64_t offset, length;
  bool with_length;
  if (!slice_numbers(x, p, &offset, &length, &with_length)) return false;
  bool arguments = v->variable == NULL && p->special;
  const array *sparse =
      v->variable != NULL && v->variable->attributes & ATTR_ARRAY ? &v->variable->array : NULL;
  fields all = v->items, kept = {0};
  if (arguments) {
    all = (fields){0};
    fields_add(sh, &all, sh->name);
    for (size_t i = 0; i < v->items.count; i++) fields_add(sh, &all, v->items.at[i]);
  }
  bool map = v->variable != NULL && v->variable->attributes & ATTR_MAP;
  int64_t count = sparse != NULL ? indexed_last(sparse) + 1 : (int64_t)all.count + map;
  if (arguments && offset < 0) count = (int64_t)all.count;
  if (offset < 0) offset += count;
  v->items = kept;
  if (with_length && length < 0) return bad_length(x, p);
  if (offset < 0) return true;
  size_t first = (size_t)offset;
  if (map && with_length && length == 0) length = 1; /* so does bash */
  if (map && first > 0) first--;                     /* bash counts a map's elements from 1 */
  if (sparse != NULL)
    for (first = 0; first < sparse->count && sparse->items[first].index < offset;) first++;
  for (size_t i = first; i < all.count; i++) {
    if (with_length && length-- == 0) break;
    fields_add(sh, &v->items, all.at[i]);
  }
  return true;
}

/* ---- @ ---- */

static const char *upper_first(shell *sh, const char *value) {
  return change_case(sh, OP_UPPER, NULL, value);
}

/* ${x@A}: the command that makes the variable again. */
static const char *as_assignment(shell *sh, const param_value *v, const char *value) {
  text made = {.in = &sh->scratch};
  const variable *of = v->variable;
  if (of == NULL) {
    if (value != NULL) {
      text_string(&made, "set -- ");
      quote_word(&made, value, strlen(value));
    }
    return text_end(&made);
  }
  unsigned kind = of->attributes & ~(unsigned)ATTR_UNSET;
  if (kind != 0) {
    text_string(&made, "declare -");
    quote_attributes(&made, of);
    text_char(&made, ' ');
  }
  text_string(&made, of->symbol->name);
  if (value == NULL) return text_end(&made);
  text_char(&made, '=');
  if (v->list)
    quote_array(&made, of);
  else
    quote_word(&made, value, strlen(value));
  return text_end(&made);
}

/* ${a[@]@K}: keys and quoted values as one string; @k as separate words. */
static void key_values(shell *sh, param_value *v, bool separate) {
  const variable *of = v->variable;
  fields made = {0};
  text joined = {.in = &sh->scratch};
  size_t at = 0;
  pair *entry = NULL;
  for (size_t i = 0; i < v->items.count; i++) {
    text key = {.in = &sh->scratch};
    if (of != NULL && of->attributes & ATTR_MAP) {
      entry = keyed_next(&of->map, entry);
      if (separate || (strpbrk(entry->key, " \t\n'\"\\$`*?[]") == NULL && *entry->key != 0))
        text_string(&key, entry->key);
      else
        quote_double(&key, entry->key, strlen(entry->key));
    } else {
      int64_t index =
          of != NULL && of->attributes & ATTR_ARRAY ? of->array.items[at++].index : (int64_t)i;
      text_format(&key, "%lld", (long long)index);
    }
    const char *value = v->items.at[i];
    if (separate) {
      fields_add(sh, &made, text_end(&key));
      fields_add(sh, &made, (char *)value);
      continue;
    }
    if (joined.len > 0) text_char(&joined, ' ');
    text_add(&joined, key.at, key.len);
    text_char(&joined, ' ');
    quote_double(&joined, value, strlen(value));
  }
  if (of != NULL && of->attributes & ATTR_MAP && joined.len > 0)
    text_char(&joined, ' '); /* bash's */
  if (!separate && v->items.count > 0) fields_add(sh, &made, text_end(&joined));
  v->items = made;
}

static const char *attributes_text(shell *sh, const variable *of) {
  text made = {.in = &sh->scratch};
  if (of != NULL && of->attributes & ~(unsigned)ATTR_UNSET) quote_attributes(&made, of);
  return text_end(&made);
}

static const char *transform_text(shell *sh, char letter, const char *value, const param_value *v) {
  text made = {.in = &sh->scratch};
  switch (letter) {
    case 'Q':
      quote_word(&made, value, strlen(value));
      return text_end(&made);
    case 'E':
      shared_unescape(&made, value, strlen(value), true);
      return text_end(&made);
    case 'P':
      return prompt_expand(sh, value);
    case 'U':
      return change_case(sh, OP_UPPER_ALL, NULL, value);
    case 'L':
      return change_case(sh, OP_LOWER_ALL, NULL, value);
    case 'u':
      return upper_first(sh, value);
    case 'a':
      return attributes_text(sh, v->variable);
    case 'K':
    case 'k':
      quote_word(&made, value, strlen(value));
      return text_end(&made);
    default:
      return value;
  }
}

static bool transform(expansion *x, const parameter *p, param_value *v) {
  shell *sh = x->sh;
  if (p->letter == 'A') {
    const char *value = v->list ? (v->items.count > 0 ? "" : NULL) : v->text;
    if (v->list && v->variable == NULL && p->special) {
      text made = {.in = &sh->scratch};
      text_string(&made, "set --");
      for (size_t i = 0; i < v->items.count; i++) {
        text_char(&made, ' ');
        quote_word(&made, v->items.at[i], strlen(v->items.at[i]));
      }
      v->text = v->items.count > 0 ? text_end(&made) : "";
    } else if (value == NULL && v->variable == NULL) {
      v->text = NULL;
    } else {
      v->text = as_assignment(sh, v, value);
    }
    v->list = false;
    return true;
  }
  if (p->letter == 'a' && !v->list) {
    v->text = attributes_text(sh, v->variable);
    return true;
  }
  if (v->list && (p->letter == 'K' || p->letter == 'k')) {
    key_values(sh, v, p->letter == 'k');
    return true;
  }
  if (!v->list) {
    if (v->text != NULL) v->text = transform_text(sh, p->letter, v->text, v);
    return true;
  }
  fields made = {0};
  for (size_t i = 0; i < v->items.count; i++)
    fields_add(sh, &made, (char *)transform_text(sh, p->letter, v->items.at[i], v));
  v->items = made;
  return true;
}

/* ---- all of them ---- */

/* The operator's pattern and replacement, expanded once for all elements. */
typedef struct {
  shell *sh;
  parameter_op op;
  pattern *pattern;
  replacement by;
  char anchor;
} change;

static const char *change_text(const change *c, const char *value) {
  switch (c->op) {
    case OP_PREFIX:
    case OP_PREFIX_LONG:
    case OP_SUFFIX:
    case OP_SUFFIX_LONG:
      return strip(c->sh, c->op, c->pattern, value);
    case OP_REPLACE:
    case OP_REPLACE_ALL:
      return replace(c->sh, c->pattern, value, &c->by, c->op == OP_REPLACE_ALL, c->anchor);
    default:
      return change_case(c->sh, c->op, c->pattern, value);
  }
}

/* ${x/#..} and ${x/%..}: the sign may also come out of an expansion. */
static bool prepare_pattern(const parameter *p, change *c) {
  shell *sh = c->sh;
  expansion x = {
      .sh = sh, .text = {.in = &sh->scratch}, .marks = {.in = &sh->scratch}, .marked = true};
  expand_parts(&x, p->first->parts, false);
  if (x.failed) return false;
  const char *text = text_end(&x.text);
  const uint8_t *marks = (const uint8_t *)text_end(&x.marks);
  size_t size = x.text.len;
  if (c->op == OP_REPLACE && size > 0 && !(marks[0] & MARK_QUOTED) &&
      (*text == '#' || *text == '%')) {
    c->anchor = *text++;
    marks++;
    size--;
  }
  c->pattern = pattern_compile(&sh->scratch, text, marks, size, pattern_flags(sh));
  return true;
}

static bool prepare(const parameter *p, change *c) {
  shell *sh = c->sh;
  bool cases = c->op >= OP_UPPER && c->op <= OP_TOGGLE_ALL;
  if (cases && (p->first == NULL || p->first->parts == NULL)) return true;
  if (!prepare_pattern(p, c)) return false;
  if (p->second == NULL) return true;
  expansion x = {
      .sh = sh, .text = {.in = &sh->scratch}, .marks = {.in = &sh->scratch}, .marked = true};
  expand_parts(&x, p->second->parts, false);
  if (x.failed) return false;
  c->by = (replacement){text_end(&x.text), text_end(&x.marks), x.text.len, false};
  c->by.ampersands =
      shopt_on(sh, SHOPT_PATSUB_REPLACEMENT) && memchr(x.text.at, '&', x.text.len) != NULL;
  return true;
}

bool param_transform(expansion *x, const parameter *p, param_value *v) {
  if (p->op == OP_SLICE) return v->list ? slice_list(x, p, v) : slice_text(x, p, v);
  if (p->op == OP_TRANSFORM) return transform(x, p, v);
  if (!v->list && v->text == NULL) return true;
  change c = {.sh = x->sh, .op = (parameter_op)p->op, .by = {.text = "", .marks = ""}};
  if (!prepare(p, &c)) return false;
  bool nothing =
      (c.op == OP_REPLACE || c.op == OP_REPLACE_ALL) && c.anchor == 0 && p->first->parts == NULL;
  if (nothing) return true;
  if (!v->list) {
    v->text = change_text(&c, v->text);
    return true;
  }
  fields made = {0};
  for (size_t i = 0; i < v->items.count; i++)
    fields_add(x->sh, &made, (char *)change_text(&c, v->items.at[i]));
  v->items = made;
  return true;
}
