// SPDX-License-Identifier: MIT
/* schema.c -- validates values against loaded schemas. Work is counted, depth is bounded: both
 * ends make a value not valid. */
#include "gate/schema.h"

#include <stdio.h>
#include <string.h>

#include "gate/schema_parts.h"
#include "json/utf8.h"
#include "limits.h"

typedef struct {
  const cloche__path *const *hidden;
  size_t hidden_count, depth;
  size_t *steps;
  cloche__schema_failure *failure; /* NULL while alternatives are tried */
} validator;

static bool valid(validator *v, const cloche__schema *schema, const cloche__json *value,
                  const cloche__at *at);

/* ---- failures ---- */

static void write_param(const cloche__at *at, cloche__buffer *out) {
  if (at == NULL) return;
  write_param(at->up, out);
  if (out->len > 0) cloche__buffer_byte(out, '/');
  if (at->key.at == NULL)
    cloche__buffer_format(out, "%zu", at->index);
  else
    cloche__buffer_text(out, at->key);
}

/* Answers false. What does not fit is cut at a character. */
__attribute__((format(printf, 4, 5))) static bool fail(validator *v, const cloche__at *at,
                                                       const cloche__json *value,
                                                       const char *format, ...) {
  cloche__schema_failure *failure = v->failure;
  if (failure == NULL) return false;
  cloche__buffer param = cloche__buffer_fixed(failure->param, sizeof failure->param - 1);
  write_param(at, &param);
  failure->param[param.len] = '\0';
  va_list args;
  va_start(args, format);
  vsnprintf(failure->expected, sizeof failure->expected, format, args);
  va_end(args);
  snprintf(failure->got, sizeof failure->got, "%s",
           value == NULL ? "nothing" : cloche__json_kind_name(value->kind));
  failure->hint[0] = '\0';
  return false;
}

static void write_types(unsigned types, cloche__buffer *out) {
  for (unsigned bit = 0; bit <= 8; bit++) {
    if (!(types >> bit & 1)) continue;
    if (out->len > 0) cloche__buffer_string(out, " or ");
    cloche__buffer_string(out, bit == 8 ? "integer" : cloche__json_kind_name(bit));
  }
  cloche__buffer_byte(out, '\0');
}

static bool spend(validator *v, size_t work) {
  bool enough = *v->steps >= work;
  *v->steps = enough ? *v->steps - work : 0;
  return enough;
}

/* ---- single values ---- */

static bool has_type(unsigned types, const cloche__json *value) {
  if (types == 0 || types >> value->kind & 1) return true;
  return (types & CLOCHE__INTEGER_BIT) && value->kind == CLOCHE__JSON_NUMBER &&
         cloche__json_number_integral(cloche__json_text(value));
}

static bool valid_type(validator *v, const cloche__schema *s, const cloche__json *value,
                       const cloche__at *at) {
  char room[96];
  cloche__buffer names = cloche__buffer_fixed(room, sizeof room);
  if (has_type(s->types, value)) return true;
  write_types(s->types, &names);
  return fail(v, at, value, "%s", room);
}

/* "USD", "EUR" or GBP would be too long for large lists: then only their number. */
static bool valid_enum(validator *v, const cloche__schema *s, const cloche__json *value,
                       const cloche__at *at) {
  char room[100];
  cloche__buffer list = cloche__buffer_fixed(room, sizeof room - 1);
  if (s->constant != NULL && !cloche__json_equal(s->constant, value)) {
    cloche__json_write(s->constant, &list);
    return fail(v, at, value, list.failed ? "one certain value" : "%.*s", (int)list.len, room);
  }
  if (s->enumeration == NULL) return true;
  for (size_t i = 0; i < s->enumeration->count; i++) {
    if (!spend(v, 1)) return fail(v, at, value, "less work to check");
    if (cloche__json_equal(&s->enumeration->items[i], value)) return true;
  }
  cloche__json_write(s->enumeration, &list);
  if (list.failed) return fail(v, at, value, "one of %zu values", s->enumeration->count);
  return fail(v, at, value, "one of %.*s", (int)list.len, room);
}

static bool valid_number(validator *v, const cloche__schema *s, const cloche__json *value,
                         const cloche__at *at) {
  static const char *const words[] = {"at least", "at most", "more than", "less than"};
  cloche_text number = cloche__json_text(value);
  for (int i = 0; i < 4; i++) {
    const cloche__json *bound = s->bounds[i];
    if (bound == NULL) continue;
    int order = cloche__json_number_compare(number, cloche__json_text(bound));
    if (i == LEAST ? order >= 0 : i == MOST ? order <= 0 : i == ABOVE ? order > 0 : order < 0)
      continue;
    return fail(v, at, value, "%s %.*s", words[i], (int)(bound->count > 40 ? 40 : bound->count),
                bound->text);
  }
  if (s->multiple == NULL) return true;
  return cloche__json_number_multiple(number, cloche__json_text(s->multiple)) ||
         fail(v, at, value, "a multiple of %.*s",
              (int)(s->multiple->count > 40 ? 40 : s->multiple->count), s->multiple->text);
}

static bool valid_size(validator *v, const cloche__schema *s, const cloche__json *value,
                       const cloche__at *at, size_t size, int which, const char *of) {
  if (size < s->sizes[which])
    return fail(v, at, value, "at least %zu %s", (size_t)s->sizes[which], of);
  if (size > s->sizes[which + 1])
    return fail(v, at, value, "at most %zu %s", (size_t)s->sizes[which + 1], of);
  return true;
}

static bool matches(validator *v, const cloche__regex *regex, cloche_text text) {
  return cloche__regex_match(regex, text, false, v->steps) == CLOCHE__MATCH_YES;
}

static bool valid_string(validator *v, const cloche__schema *s, const cloche__json *value,
                         const cloche__at *at) {
  cloche_text text = cloche__json_text(value);
  if (!spend(v, text.len)) return fail(v, at, value, "less work to check");
  if (!valid_size(v, s, value, at, cloche__utf8_count(text), LENGTHS, "characters")) return false;
  if (s->pattern == NULL || matches(v, s->pattern, text)) return true;
  return fail(v, at, value, "text that matches %.*s",
              (int)(s->pattern_text.len > 100 ? 100 : s->pattern_text.len), s->pattern_text.at);
}

/* ---- arrays ---- */

static bool valid_unique(validator *v, const cloche__json *value, const cloche__at *at) {
  for (size_t i = 1; i < value->count; i++) {
    for (size_t j = 0; j < i; j++) {
      if (!spend(v, 1 + value->items[i].count)) return fail(v, at, value, "less work to check");
      if (cloche__json_equal(&value->items[i], &value->items[j])) {
        return fail(v, at, value, "items that all differ");
      }
    }
  }
  return true;
}

static bool valid_array(validator *v, const cloche__schema *s, const cloche__json *value,
                        const cloche__at *at) {
  if (!valid_size(v, s, value, at, value->count, ITEMS, "items")) return false;
  for (size_t i = 0; i < value->count; i++) {
    cloche__at here = cloche__at_index(at, i);
    const cloche__schema *item = i < s->prefix.count ? s->prefix.at[i] : s->items;
    if (item != NULL && !valid(v, item, &value->items[i], &here)) return false;
  }
  return !s->unique || valid_unique(v, value, at);
}

/* ---- objects ---- */

static bool is_at(const cloche__path *path, const cloche__at *at) {
  size_t i = path->count;
  for (; at != NULL && i > 0; at = at->up) {
    if (at->key.at == NULL || !cloche__text_equal(path->steps[--i].key, at->key)) return false;
  }
  return at == NULL && i == 0;
}

static bool is_hidden(const validator *v, const cloche__at *at) {
  for (size_t i = 0; i < v->hidden_count; i++) {
    if (is_at(v->hidden[i], at)) return true;
  }
  return false;
}

static bool valid_required(validator *v, const cloche__texts *names, const cloche__json *value,
                           const cloche__at *at) {
  for (size_t i = 0; i < names->count; i++) {
    cloche__at here = cloche__at_key(at, names->at[i]);
    if (cloche__json_get_text(value, names->at[i]) != NULL || is_hidden(v, &here)) continue;
    return fail(v, &here, NULL, "this parameter");
  }
  return true;
}

/* A member that no keyword allows: says which allowed name it may be a slip of. */
static bool fail_unknown(validator *v, const cloche__schema *s, const cloche__at *at) {
  enum { MOST = 200 };
  cloche_text names[MOST];
  size_t count = 0;
  if (v->failure == NULL) return false;
  for (size_t i = 0; i < s->properties.count && count < MOST; i++) {
    cloche__at here = cloche__at_key(at->up, s->names[i]);
    if (!is_hidden(v, &here)) names[count++] = s->names[i];
  }
  fail(v, at, NULL, "a parameter that exists");
  size_t nearest = cloche__nearest(at->key, names, count);
  int len = at->key.len > 40 ? 40 : (int)at->key.len;
  snprintf(v->failure->got, sizeof v->failure->got, "\"%.*s\"", len, at->key.at);
  if (nearest != SIZE_MAX && names[nearest].len < sizeof v->failure->hint) {
    snprintf(v->failure->hint, sizeof v->failure->hint, "%.*s", (int)names[nearest].len,
             names[nearest].at);
  }
  return false;
}

static bool valid_member(validator *v, const cloche__schema *s, const cloche__json_member *member,
                         const cloche__at *at) {
  cloche__at here = cloche__at_key(at, member->key);
  size_t found = cloche__table_find(&s->table, member->key);
  bool known = found != SIZE_MAX;
  cloche__json name = cloche__json_of_string(member->key);
  if (s->property_names != NULL && !valid(v, s->property_names, &name, &here)) return false;
  if (known && !valid(v, s->properties.at[found], &member->value, &here)) return false;
  for (size_t i = 0; i < s->by_pattern.count; i++) {
    if (!matches(v, s->patterns[i], member->key)) {
      if (*v->steps == 0) return fail(v, &here, NULL, "less work to check");
      continue;
    }
    known = true;
    if (!valid(v, s->by_pattern.at[i], &member->value, &here)) return false;
  }
  if (known || s->additional == NULL) return true;
  if (s->additional->never) return fail_unknown(v, s, &here);
  return valid(v, s->additional, &member->value, &here);
}

static bool valid_object(validator *v, const cloche__schema *s, const cloche__json *value,
                         const cloche__at *at) {
  /* Unknown names first: a misspelt one is better news than that the right one is missing. */
  for (size_t i = 0; i < value->count; i++) {
    if (!valid_member(v, s, &value->members[i], at)) return false;
  }
  if (!valid_required(v, &s->required, value, at)) return false;
  for (size_t i = 0; i < s->dependent_count; i++) {
    if (cloche__json_get_text(value, s->dependents[i].name) == NULL) continue;
    if (!valid_required(v, &s->dependents[i].needs, value, at)) return false;
  }
  return valid_size(v, s, value, at, value->count, MEMBERS, "members");
}

/* ---- combinations ---- */

static bool is_quietly(validator *v, const cloche__schema *schema, const cloche__json *value,
                       const cloche__at *at) {
  cloche__schema_failure *failure = v->failure;
  v->failure = NULL;
  bool holds = valid(v, schema, value, at);
  v->failure = failure;
  return holds;
}

static const cloche__schema *followed(const cloche__schema *schema) {
  for (int i = 0; i < 8 && schema->ref != NULL; i++) schema = schema->ref;
  return schema;
}

/* Of several alternatives that all failed, the one whose type fits says most. */
static bool fail_alternatives(validator *v, const cloche__schemas *list, const cloche__json *value,
                              const cloche__at *at) {
  const cloche__schema *likely = NULL;
  unsigned types = 0;
  size_t fits = 0;
  char room[96];
  cloche__buffer names = cloche__buffer_fixed(room, sizeof room);
  bool plain = true;
  for (size_t i = 0; i < list->count; i++) {
    const cloche__schema *one = followed(list->at[i]);
    if (has_type(one->types, value)) likely = one, fits++;
    plain &= one->types != 0;
    types |= one->types;
  }
  if (v->failure == NULL || *v->steps == 0) return false;
  if (fits == 1 && !valid(v, likely, value, at)) return false;
  write_types(types, &names);
  if (plain && fits == 0 && !names.failed) return fail(v, at, value, "%s", room);
  return fail(v, at, value, "one of the %zu forms that its schema lists", list->count);
}

static bool valid_alternatives(validator *v, const cloche__schemas *list, bool exactly_one,
                               const cloche__json *value, const cloche__at *at) {
  size_t hold = 0;
  for (size_t i = 0; i < list->count && (hold == 0 || exactly_one); i++) {
    hold += is_quietly(v, list->at[i], value, at);
    if (*v->steps == 0) return fail(v, at, value, "less work to check");
  }
  if (hold == 0) return fail_alternatives(v, list, value, at);
  return hold == 1 || fail(v, at, value, "only one of the forms that its schema lists");
}

static bool valid_combined(validator *v, const cloche__schema *s, const cloche__json *value,
                           const cloche__at *at) {
  if (s->ref != NULL && !valid(v, s->ref, value, at)) return false;
  for (size_t i = 0; i < s->all.count; i++) {
    if (!valid(v, s->all.at[i], value, at)) return false;
  }
  if (s->any.count > 0 && !valid_alternatives(v, &s->any, false, value, at)) return false;
  if (s->one.count > 0 && !valid_alternatives(v, &s->one, true, value, at)) return false;
  if (s->negated != NULL && (is_quietly(v, s->negated, value, at) || *v->steps == 0)) {
    return fail(v, at, value, "something that its schema does not exclude");
  }
  if (s->condition == NULL) return true;
  bool holds = is_quietly(v, s->condition, value, at);
  const cloche__schema *then = holds ? s->then : s->otherwise;
  if (*v->steps == 0) return fail(v, at, value, "less work to check");
  return then == NULL || valid(v, then, value, at);
}

static bool valid_here(validator *v, const cloche__schema *s, const cloche__json *value,
                       const cloche__at *at) {
  if (s->never) return fail(v, at, value, "nothing here");
  if (!valid_type(v, s, value, at) || !valid_enum(v, s, value, at)) return false;
  if (value->kind == CLOCHE__JSON_NUMBER && !valid_number(v, s, value, at)) return false;
  if (value->kind == CLOCHE__JSON_STRING && !valid_string(v, s, value, at)) return false;
  if (value->kind == CLOCHE__JSON_ARRAY && !valid_array(v, s, value, at)) return false;
  if (value->kind == CLOCHE__JSON_OBJECT && !valid_object(v, s, value, at)) return false;
  return valid_combined(v, s, value, at);
}

static bool valid(validator *v, const cloche__schema *schema, const cloche__json *value,
                  const cloche__at *at) {
  if (!spend(v, 1)) return fail(v, at, value, "less work to check");
  if (v->depth == CLOCHE__GATE_DEPTH) {
    *v->steps = 0; /* not known: under a `not`, too, this must not count as valid */
    return fail(v, at, value, "less nesting");
  }
  v->depth++;
  bool holds = valid_here(v, schema, value, at);
  v->depth--;
  return holds;
}

bool cloche__schema_valid(const cloche__schema *schema, const cloche__json *value,
                          const cloche__path *const *hidden, size_t hidden_count, size_t *steps,
                          cloche__schema_failure *failure) {
  validator v = {hidden, hidden_count, 0, steps, failure};
  return valid(&v, schema, value, NULL) && *steps > 0;
}

/* ---- looking into schemas ---- */

static bool knows(const cloche__schema *s, const cloche__path *path, size_t at, size_t depth) {
  if (depth == CLOCHE__GATE_DEPTH || at == path->count) return true;
  const cloche__step *step = &path->steps[at];
  s = followed(s);
  if (s->any.count + s->one.count + s->all.count + s->by_pattern.count > 0 ||
      s->condition != NULL || s->ref != NULL) {
    return true;
  }
  if (step->every || step->index != SIZE_MAX) {
    const cloche__schema *item =
        step->index < s->prefix.count ? s->prefix.at[step->index] : s->items;
    return item == NULL || knows(item, path, at + 1, depth + 1);
  }
  size_t found = cloche__table_find(&s->table, step->key);
  if (found != SIZE_MAX) return knows(s->properties.at[found], path, at + 1, depth + 1);
  return s->properties.count == 0 && (s->additional == NULL || !s->additional->never);
}

bool cloche__schema_knows(const cloche__schema *schema, const cloche__path *path) {
  return knows(schema, path, 0, 0);
}
