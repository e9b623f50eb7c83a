// SPDX-License-Identifier: MIT
/* schema_load.c -- reads JSON Schemas. Without recursion: a subschema, or what a $ref points at, is
 * given its place at once and read later, once however often it is pointed at. */
#include <string.h>

#include "gate/schema_parts.h"
#include "limits.h"

typedef struct waiting {
  struct waiting *next;
  cloche__schema *schema;
  cloche__at at;
} waiting;

typedef struct {
  cloche__loader *loader;
  const cloche__json *root;
  waiting *first, **last;
} schema_reader;

/* The schema for `source`, read by now or later. */
static bool schema_at(schema_reader *r, const cloche__at *at, const cloche__json *source,
                      const cloche__schema **schema) {
  for (waiting *known = r->first; known != NULL; known = known->next) {
    if (known->schema->source != source) continue;
    *schema = known->schema;
    return true;
  }
  if (source->kind != CLOCHE__JSON_BOOLEAN && source->kind != CLOCHE__JSON_OBJECT) {
    return cloche__fail(r->loader, at, "A schema is an object, true or false.");
  }
  waiting *added = cloche__take(r->loader, 1, sizeof *added);
  cloche__schema *made = cloche__take(r->loader, 1, sizeof *made);
  if (added == NULL || made == NULL) return false;
  made->source = source;
  for (int i = 1; i < 6; i += 2) made->sizes[i] = UINT64_MAX;
  *added = (waiting){NULL, made, *at};
  *r->last = added;
  r->last = &added->next;
  *schema = made;
  return true;
}

/* `at` outlives the reader that is under way, as its schema may be read after it. */
static const cloche__at *keep_at(schema_reader *r, cloche__at at) {
  cloche__at *kept = cloche__take(r->loader, 1, sizeof *kept);
  if (kept != NULL) *kept = at;
  return kept;
}

static bool load_several(schema_reader *r, const cloche__at *at, const cloche__json *list,
                         cloche__schemas *schemas) {
  bool object = list->kind == CLOCHE__JSON_OBJECT;
  const cloche__at *kept = keep_at(r, *at);
  if (!object && !cloche__expect(r->loader, at, list, CLOCHE__JSON_ARRAY)) return false;
  if (!object && list->count == 0)
    return cloche__fail(r->loader, at, "This list may not be empty.");
  schemas->at = cloche__take(r->loader, list->count, sizeof *schemas->at);
  if (schemas->at == NULL || kept == NULL) return false;
  schemas->count = list->count;
  for (size_t i = 0; i < list->count; i++) {
    cloche__at here =
        object ? cloche__at_key(kept, list->members[i].key) : cloche__at_index(kept, i);
    const cloche__json *one = object ? &list->members[i].value : &list->items[i];
    if (!schema_at(r, &here, one, &schemas->at[i])) return false;
  }
  return true;
}

static bool load_list(schema_reader *r, const cloche__at *at, const cloche__json *list,
                      cloche__schemas *schemas) {
  return cloche__expect(r->loader, at, list, CLOCHE__JSON_ARRAY) &&
         load_several(r, at, list, schemas);
}

static bool load_properties(schema_reader *r, const cloche__at *at, const cloche__json *object,
                            cloche__schema *schema) {
  size_t twice;
  if (!cloche__expect(r->loader, at, object, CLOCHE__JSON_OBJECT)) return false;
  if (!load_several(r, at, object, &schema->properties)) return false;
  cloche_text *names = cloche__take(r->loader, object->count, sizeof *names);
  if (names == NULL) return false;
  for (size_t i = 0; i < object->count; i++) names[i] = object->members[i].key;
  schema->names = names;
  return cloche__table_make(r->loader->arena, names, object->count, &schema->table, &twice) ==
             CLOCHE_OK ||
         cloche__no_memory(r->loader);
}

static bool load_regex(schema_reader *r, const cloche__at *at, cloche_text source,
                       const cloche__regex **regex) {
  const char *problem;
  cloche_status status = cloche__regex_make(source, r->loader->arena, regex, &problem);
  if (status == CLOCHE_E_MEMORY) return cloche__no_memory(r->loader);
  return status == CLOCHE_OK ||
         cloche__fail(r->loader, at, "This pattern cannot be used: %s.", problem);
}

static bool load_by_pattern(schema_reader *r, const cloche__at *at, const cloche__json *object,
                            cloche__schema *schema) {
  if (!cloche__expect(r->loader, at, object, CLOCHE__JSON_OBJECT)) return false;
  if (!load_several(r, at, object, &schema->by_pattern)) return false;
  schema->patterns = cloche__take(r->loader, object->count, sizeof *schema->patterns);
  if (schema->patterns == NULL) return false;
  for (size_t i = 0; i < object->count; i++) {
    cloche__at here = cloche__at_key(at, object->members[i].key);
    if (!load_regex(r, &here, object->members[i].key, &schema->patterns[i])) return false;
  }
  return true;
}

static bool load_names(schema_reader *r, const cloche__at *at, const cloche__json *list,
                       cloche__texts *names) {
  if (list->kind == CLOCHE__JSON_ARRAY && list->count == 0) return true;
  return cloche__expect(r->loader, at, list, CLOCHE__JSON_ARRAY) &&
         cloche__load_strings(r->loader, at, list, &names->at, &names->count);
}

static bool load_dependents(schema_reader *r, const cloche__at *at, const cloche__json *object,
                            cloche__schema *schema) {
  if (!cloche__expect(r->loader, at, object, CLOCHE__JSON_OBJECT)) return false;
  cloche__dependent *list = cloche__take(r->loader, object->count, sizeof *list);
  if (list == NULL) return false;
  schema->dependents = list;
  schema->dependent_count = object->count;
  for (size_t i = 0; i < object->count; i++) {
    cloche__at here = cloche__at_key(at, object->members[i].key);
    list[i].name = object->members[i].key;
    if (!load_names(r, &here, &object->members[i].value, &list[i].needs)) return false;
  }
  return true;
}

static bool load_types(schema_reader *r, const cloche__at *at, const cloche__json *source,
                       unsigned *types) {
  const cloche_text *names;
  size_t count;
  if (!cloche__load_strings(r->loader, at, source, &names, &count)) return false;
  for (size_t i = 0; i < count; i++) {
    unsigned type = cloche__kind_bit(names[i]);
    if (type == 0) return cloche__fail(r->loader, at, "There is no such type.");
    *types |= type;
  }
  return true;
}

static bool load_ref(schema_reader *r, const cloche__at *at, const cloche__json *source,
                     const cloche__schema **schema) {
  if (!cloche__expect(r->loader, at, source, CLOCHE__JSON_STRING)) return false;
  cloche_text ref = cloche__json_text(source);
  const cloche__json *target = NULL;
  if (ref.len > 0 && ref.at[0] == '#') {
    target = cloche__json_pointer(r->root, (cloche_text){ref.at + 1, ref.len - 1});
  }
  if (target == NULL) {
    return cloche__fail(r->loader, at,
                        "A $ref points into its own document, as in \"#/$defs/name\"; "
                        "this one leads nowhere.");
  }
  const cloche__at *kept = keep_at(r, *at);
  return kept != NULL && schema_at(r, kept, target, schema);
}

static bool load_number(schema_reader *r, const cloche__at *at, const cloche__json *source,
                        const cloche__json **number) {
  *number = source;
  return cloche__expect(r->loader, at, source, CLOCHE__JSON_NUMBER);
}

static bool load_multiple(schema_reader *r, const cloche__at *at, const cloche__json *source,
                          cloche__schema *schema) {
  if (!load_number(r, at, source, &schema->multiple)) return false;
  cloche_text unit = cloche__json_text(source);
  if (unit.at[0] != '-' && cloche__json_number_multiple(unit, unit)) return true;
  return cloche__fail(r->loader, at, "This has to be above zero and of at most 18 digits.");
}

static bool load_size(schema_reader *r, const cloche__at *at, const cloche__json *source,
                      uint64_t *size) {
  return cloche__json_uint64(source, size) ||
         cloche__fail(r->loader, at, "This has to be a whole number, 0 or more.");
}

static bool load_one(schema_reader *r, const cloche__at *at, const cloche__json *source,
                     const cloche__schema **schema) {
  const cloche__at *kept = keep_at(r, *at);
  return kept != NULL && schema_at(r, kept, source, schema);
}

/* ---- keywords ---- */

typedef enum {
  KEY_TYPE,
  KEY_ENUM,
  KEY_CONST,
  KEY_MINIMUM,
  KEY_MAXIMUM,
  KEY_EXCLUSIVE_MINIMUM,
  KEY_EXCLUSIVE_MAXIMUM,
  KEY_MULTIPLE_OF,
  KEY_MIN_LENGTH,
  KEY_MAX_LENGTH,
  KEY_MIN_ITEMS,
  KEY_MAX_ITEMS,
  KEY_MIN_PROPERTIES,
  KEY_MAX_PROPERTIES,
  KEY_PATTERN,
  KEY_ITEMS,
  KEY_PREFIX_ITEMS,
  KEY_UNIQUE_ITEMS,
  KEY_PROPERTIES,
  KEY_PATTERN_PROPERTIES,
  KEY_ADDITIONAL_PROPERTIES,
  KEY_PROPERTY_NAMES,
  KEY_REQUIRED,
  KEY_DEPENDENT_REQUIRED,
  KEY_REF,
  KEY_ALL_OF,
  KEY_ANY_OF,
  KEY_ONE_OF,
  KEY_NOT,
  KEY_IF,
  KEY_THEN,
  KEY_ELSE,
  KEY_NOTES /* and all after it: annotations */
} keyword;

static const char *const keywords[] = {"type",
                                       "enum",
                                       "const",
                                       "minimum",
                                       "maximum",
                                       "exclusiveMinimum",
                                       "exclusiveMaximum",
                                       "multipleOf",
                                       "minLength",
                                       "maxLength",
                                       "minItems",
                                       "maxItems",
                                       "minProperties",
                                       "maxProperties",
                                       "pattern",
                                       "items",
                                       "prefixItems",
                                       "uniqueItems",
                                       "properties",
                                       "patternProperties",
                                       "additionalProperties",
                                       "propertyNames",
                                       "required",
                                       "dependentRequired",
                                       "$ref",
                                       "allOf",
                                       "anyOf",
                                       "oneOf",
                                       "not",
                                       "if",
                                       "then",
                                       "else",
                                       "title",
                                       "description",
                                       "default",
                                       "examples",
                                       "example",
                                       "$schema",
                                       "$id",
                                       "$comment",
                                       "$defs",
                                       "definitions",
                                       "deprecated",
                                       "readOnly",
                                       "writeOnly",
                                       "format",
                                       "contentMediaType",
                                       "contentEncoding",
                                       "discriminator",
                                       NULL};

static bool load_keyword(schema_reader *r, const cloche__at *at, keyword key,
                         const cloche__json *value, cloche__schema *s) {
  switch (key) {
    case KEY_TYPE:
      return load_types(r, at, value, &s->types);
    case KEY_ENUM:
      s->enumeration = value;
      return cloche__expect(r->loader, at, value, CLOCHE__JSON_ARRAY);
    case KEY_CONST:
      s->constant = value;
      return true;
    case KEY_MINIMUM:
      return load_number(r, at, value, &s->bounds[LEAST]);
    case KEY_MAXIMUM:
      return load_number(r, at, value, &s->bounds[MOST]);
    case KEY_EXCLUSIVE_MINIMUM:
      return load_number(r, at, value, &s->bounds[ABOVE]);
    case KEY_EXCLUSIVE_MAXIMUM:
      return load_number(r, at, value, &s->bounds[BELOW]);
    case KEY_MULTIPLE_OF:
      return load_multiple(r, at, value, s);
    case KEY_MIN_LENGTH:
    case KEY_MAX_LENGTH:
    case KEY_MIN_ITEMS:
    case KEY_MAX_ITEMS:
    case KEY_MIN_PROPERTIES:
    case KEY_MAX_PROPERTIES:
      return load_size(r, at, value, &s->sizes[key - KEY_MIN_LENGTH]);
    case KEY_PATTERN:
      if (!cloche__expect(r->loader, at, value, CLOCHE__JSON_STRING)) return false;
      s->pattern_text = cloche__json_text(value);
      return load_regex(r, at, s->pattern_text, &s->pattern);
    case KEY_ITEMS:
      return load_one(r, at, value, &s->items);
    case KEY_PREFIX_ITEMS:
      return load_list(r, at, value, &s->prefix);
    case KEY_UNIQUE_ITEMS:
      s->unique = value->boolean;
      return cloche__expect(r->loader, at, value, CLOCHE__JSON_BOOLEAN);
    case KEY_PROPERTIES:
      return load_properties(r, at, value, s);
    case KEY_PATTERN_PROPERTIES:
      return load_by_pattern(r, at, value, s);
    case KEY_ADDITIONAL_PROPERTIES:
      return load_one(r, at, value, &s->additional);
    case KEY_PROPERTY_NAMES:
      return load_one(r, at, value, &s->property_names);
    case KEY_REQUIRED:
      return load_names(r, at, value, &s->required);
    case KEY_DEPENDENT_REQUIRED:
      return load_dependents(r, at, value, s);
    case KEY_REF:
      return load_ref(r, at, value, &s->ref);
    case KEY_ALL_OF:
      return load_list(r, at, value, &s->all);
    case KEY_ANY_OF:
      return load_list(r, at, value, &s->any);
    case KEY_ONE_OF:
      return load_list(r, at, value, &s->one);
    case KEY_NOT:
      return load_one(r, at, value, &s->negated);
    case KEY_IF:
      return load_one(r, at, value, &s->condition);
    case KEY_THEN:
      return load_one(r, at, value, &s->then);
    case KEY_ELSE:
      return load_one(r, at, value, &s->otherwise);
    case KEY_NOTES:
      return true;
  }
  return true;
}

static bool find_keyword(schema_reader *r, const cloche__at *at, cloche_text name, keyword *key) {
  cloche_text names[64];
  char hint[160];
  size_t count = 0;
  *key = KEY_NOTES;
  if (name.len > 2 && memcmp(name.at, "x-", 2) == 0) return true;
  for (; keywords[count] != NULL; count++) {
    names[count] = cloche__text(keywords[count]);
    if (!cloche__text_equal(names[count], name)) continue;
    if (count < KEY_NOTES) *key = (keyword)count;
    return true;
  }
  return cloche__fail(r->loader, at, "This keyword is not supported%s",
                      cloche__did_you_mean(name, names, count, hint));
}

static bool load_schema(schema_reader *r, waiting *one) {
  const cloche__json *source = one->schema->source;
  if (source->kind == CLOCHE__JSON_BOOLEAN) {
    one->schema->never = !source->boolean;
    return true;
  }
  for (size_t i = 0; i < source->count; i++) {
    cloche__at here = cloche__at_key(&one->at, source->members[i].key);
    keyword key;
    if (!find_keyword(r, &here, source->members[i].key, &key) ||
        !load_keyword(r, &here, key, &source->members[i].value, one->schema)) {
      return false;
    }
    if (source != r->root && cloche__text_equal(source->members[i].key, cloche__text("$id"))) {
      return cloche__fail(r->loader, &here, "Only the whole schema may have an $id.");
    }
  }
  return true;
}

bool cloche__schema_load(cloche__loader *loader, const cloche__at *at, const cloche__json *source,
                         const cloche__schema **schema) {
  schema_reader r = {.loader = loader, .root = source};
  r.last = &r.first;
  if (!schema_at(&r, at, source, schema)) return false;
  for (waiting *one = r.first; one != NULL; one = one->next) {
    if (!load_schema(&r, one)) return false;
  }
  return true;
}
