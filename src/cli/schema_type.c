// SPDX-License-Identifier: MIT
/* schema_type.c -- follows references within the document, to a depth: a schema may contain itself.
 */
#include "cli/schema_type.h"

enum { DEPTH_MAX = 12 };

typedef struct {
  const cloche__json *root;
  cloche__buffer *out;
} writer;

static void write_type(writer *w, const cloche__json *schema, int depth);

bool cloche__is_identifier(cloche_text name) {
  for (size_t i = 0; i < name.len; i++) {
    char c = name.at[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
    if (!letter && !(i > 0 && c >= '0' && c <= '9')) return false;
  }
  return name.len > 0;
}

void cloche__property_name(cloche_text name, cloche__buffer *out) {
  if (cloche__is_identifier(name))
    cloche__buffer_text(out, name);
  else
    cloche__json_write_string(name, out);
}

static void write_list(writer *w, const cloche__json *schemas, const char *between, int depth) {
  cloche__buffer_byte(w->out, '(');
  for (size_t i = 0; i < schemas->count; i++) {
    if (i > 0) cloche__buffer_string(w->out, between);
    write_type(w, &schemas->items[i], depth);
  }
  cloche__buffer_byte(w->out, ')');
}

static void write_literals(writer *w, const cloche__json *values) {
  for (size_t i = 0; i < values->count; i++) {
    if (i > 0) cloche__buffer_string(w->out, " | ");
    cloche__json_write(&values->items[i], w->out);
  }
}

static bool is_required(const cloche__json *schema, cloche_text name) {
  const cloche__json *required = cloche__json_get(schema, "required");
  if (required == NULL || required->kind != CLOCHE__JSON_ARRAY) return false;
  for (size_t i = 0; i < required->count; i++) {
    const cloche__json *item = &required->items[i];
    if (item->kind == CLOCHE__JSON_STRING && cloche__text_equal(cloche__json_text(item), name))
      return true;
  }
  return false;
}

static void write_object(writer *w, const cloche__json *schema, int depth) {
  const cloche__json *properties = cloche__json_get(schema, "properties");
  const cloche__json *others = cloche__json_get(schema, "additionalProperties");
  if (properties == NULL || properties->kind != CLOCHE__JSON_OBJECT || properties->count == 0) {
    bool typed = others != NULL && others->kind == CLOCHE__JSON_OBJECT;
    bool closed = others != NULL && others->kind == CLOCHE__JSON_BOOLEAN && !others->boolean;
    if (closed) {
      cloche__buffer_string(w->out, "{}");
      return;
    }
    cloche__buffer_string(w->out, "{ [name: string]: ");
    if (typed)
      write_type(w, others, depth);
    else
      cloche__buffer_string(w->out, "any");
    cloche__buffer_string(w->out, " }");
    return;
  }
  for (size_t i = 0; i < properties->count; i++) {
    const cloche__json_member *member = &properties->members[i];
    cloche__buffer_string(w->out, i == 0 ? "{ " : "; ");
    cloche__property_name(member->key, w->out);
    cloche__buffer_string(w->out, is_required(schema, member->key) ? ": " : "?: ");
    write_type(w, &member->value, depth);
  }
  cloche__buffer_string(w->out, " }");
}

static void write_array(writer *w, const cloche__json *schema, int depth) {
  const cloche__json *items = cloche__json_get(schema, "items");
  cloche__buffer_string(w->out, "Array<");
  write_type(w, items, depth);
  cloche__buffer_byte(w->out, '>');
}

static void write_named(writer *w, const cloche__json *type, const cloche__json *schema,
                        int depth) {
  if (cloche__json_is(type, "object"))
    write_object(w, schema, depth);
  else if (cloche__json_is(type, "array"))
    write_array(w, schema, depth);
  else if (cloche__json_is(type, "integer"))
    cloche__buffer_string(w->out, "number");
  else if (cloche__json_is(type, "string") || cloche__json_is(type, "number") ||
           cloche__json_is(type, "boolean") || cloche__json_is(type, "null"))
    cloche__buffer_text(w->out, cloche__json_text(type));
  else
    cloche__buffer_string(w->out, "any");
}

static void write_types(writer *w, const cloche__json *types, const cloche__json *schema,
                        int depth) {
  for (size_t i = 0; i < types->count; i++) {
    if (i > 0) cloche__buffer_string(w->out, " | ");
    write_named(w, &types->items[i], schema, depth);
  }
}

static const cloche__json *list_of(const cloche__json *schema, const char *key) {
  const cloche__json *list = cloche__json_get(schema, key);
  return list != NULL && list->kind == CLOCHE__JSON_ARRAY && list->count > 0 ? list : NULL;
}

/* What "#/$defs/x" means; NULL for anything outside the document. */
static const cloche__json *referred(const writer *w, const cloche__json *schema) {
  const cloche__json *reference = cloche__json_get(schema, "$ref");
  if (reference == NULL || reference->kind != CLOCHE__JSON_STRING) return NULL;
  cloche_text text = cloche__json_text(reference);
  if (text.len == 0 || text.at[0] != '#') return NULL;
  return cloche__json_pointer(w->root, (cloche_text){text.at + 1, text.len - 1});
}

static void write_type(writer *w, const cloche__json *schema, int depth) {
  if (schema == NULL || schema->kind != CLOCHE__JSON_OBJECT || depth > DEPTH_MAX) {
    cloche__buffer_string(w->out, "any");
    return;
  }
  const cloche__json *found;
  if ((found = referred(w, schema)) != NULL) {
    write_type(w, found, depth + 1);
  } else if ((found = list_of(schema, "enum")) != NULL) {
    write_literals(w, found);
  } else if ((found = cloche__json_get(schema, "const")) != NULL) {
    cloche__json_write(found, w->out);
  } else if ((found = list_of(schema, "anyOf")) != NULL ||
             (found = list_of(schema, "oneOf")) != NULL) {
    write_list(w, found, " | ", depth + 1);
  } else if ((found = list_of(schema, "allOf")) != NULL) {
    write_list(w, found, " & ", depth + 1);
  } else if ((found = list_of(schema, "type")) != NULL) {
    write_types(w, found, schema, depth + 1);
  } else if ((found = cloche__json_get(schema, "type")) != NULL) {
    write_named(w, found, schema, depth + 1);
  } else if (cloche__json_get(schema, "properties") != NULL) {
    write_object(w, schema, depth + 1);
  } else {
    cloche__buffer_string(w->out, "any");
  }
}

void cloche__schema_type(const cloche__json *schema, const cloche__json *root,
                         cloche__buffer *out) {
  writer w = {.root = root, .out = out};
  write_type(&w, schema, 0);
}
