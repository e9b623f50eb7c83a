// SPDX-License-Identifier: MIT
/* tool_types.c -- TypeScript declarations from tool definitions.
 *
 * They are read by models and people, and nothing here compiles them; still they are valid
 * TypeScript. What a JSON Schema says beyond a type (patterns, ranges) is left out, what it cannot
 * say in a type becomes `unknown`. */
#include <string.h>

#include "../../abi/javascript.h"
#include "../kernel/document.h"
#include "lazy.h"

/* Schemas that refer to themselves end here. */
enum { DEPTH_MAX = 12 };

typedef struct {
  blob *to;
  const document_node *root; /* where "#/..." starts */
  int depth;
} writer;

static void write_type(writer *out, const document_node *schema, int indent);

/* ---- text ---- */

static void new_line(writer *out, int indent) {
  blob_text(out->to, "\n");
  for (int i = 0; i < indent; i++) blob_text(out->to, "  ");
}

static bool is_identifier(const char *name, size_t size) {
  if (size == 0 || (*name >= '0' && *name <= '9')) return false;
  for (size_t i = 0; i < size; i++) {
    char c = name[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
    if (!letter && !(c >= '0' && c <= '9')) return false;
  }
  return true;
}

static bool is_reserved(const char *name, size_t size) {
  static const char words[] =
      " break case catch class const continue debugger default delete do else enum export extends "
      "false finally for function if import in instanceof new null return super switch this throw "
      "true "
      "try typeof var void while with yield let static implements interface package private "
      "protected "
      "public await ";
  for (const char *at = words; (at = strchr(at, ' ')) != NULL && at[1] != 0; at++)
    if (strncmp(at + 1, name, size) == 0 && at[1 + size] == ' ') return true;
  return false;
}

/* In a comment, where only its end could be mistaken. */
static void write_comment(writer *out, const char *text, int indent) {
  blob_text(out->to, "/**");
  bool lines = strchr(text, '\n') != NULL;
  while (*text != 0) {
    size_t size = strcspn(text, "\n");
    if (lines) new_line(out, indent);
    blob_text(out->to, lines ? " * " : " ");
    for (size_t i = 0; i < size; i++) {
      if (text[i] == '*' && text[i + 1] == '/')
        blob_text(out->to, "* ");
      else
        blob_add(out->to, text + i, 1);
    }
    text += size + (text[size] == '\n');
  }
  if (lines) new_line(out, indent);
  blob_text(out->to, " */");
  new_line(out, indent);
}

static void write_literal(writer *out, const document_node *value) {
  switch (value->kind) {
    case JSON_STRING:
      blob_json_string(out->to, value->text, value->size);
      break;
    case JSON_ARRAY:
    case JSON_OBJECT:
      blob_text(out->to, "unknown");
      break;
    default:
      blob_add(out->to, value->text, value->size);
  }
}

/* ---- schemas ---- */

/* What "#/$defs/name" leads to; NULL when it leads nowhere in this document. */
static const document_node *follow_reference(const writer *out, const char *reference) {
  const document_node *at = out->root;
  if (strncmp(reference, "#/", 2) != 0) return NULL;
  for (reference += 2; at != NULL;) {
    char key[128];
    size_t size = strcspn(reference, "/");
    if (size >= sizeof key) return NULL;
    memcpy(key, reference, size);
    key[size] = 0;
    at = document_member(at, key);
    if (reference[size] == 0) break;
    reference += size + 1;
  }
  return at;
}

/* The types in an array, with `between` them. */
static void write_list(writer *out, const document_node *list, const char *between, int indent) {
  for (const document_node *at = list->first; at != NULL; at = at->next) {
    if (at != list->first) blob_text(out->to, between);
    write_type(out, at, indent);
  }
  if (list->first == NULL) blob_text(out->to, "never");
}

static void write_array(writer *out, const document_node *schema, int indent) {
  const document_node *tuple = document_member(schema, "prefixItems");
  const document_node *items = document_member(schema, "items");
  if (tuple != NULL && tuple->kind == JSON_ARRAY) {
    blob_text(out->to, "[");
    write_list(out, tuple, ", ", indent);
    blob_text(out->to, "]");
    return;
  }
  blob_text(out->to, "Array<");
  if (items == NULL)
    blob_text(out->to, "unknown");
  else
    write_type(out, items, indent);
  blob_text(out->to, ">");
}

static bool is_required(const document_node *schema, const char *key) {
  const document_node *list = document_member(schema, "required");
  if (list == NULL || list->kind != JSON_ARRAY) return false;
  for (const document_node *at = list->first; at != NULL; at = at->next)
    if (at->kind == JSON_STRING && strcmp(at->text, key) == 0) return true;
  return false;
}

static void write_property(writer *out, const document_node *schema, const document_node *property,
                           int indent) {
  const char *description = document_text(property, "description");
  new_line(out, indent);
  if (description != NULL && *description != 0) write_comment(out, description, indent);
  if (is_identifier(property->key, strlen(property->key)))
    blob_text(out->to, property->key);
  else
    blob_json_string(out->to, property->key, strlen(property->key));
  blob_text(out->to, is_required(schema, property->key) ? ": " : "?: ");
  write_type(out, property, indent);
  blob_text(out->to, ";");
}

static void write_object(writer *out, const document_node *schema, int indent) {
  const document_node *properties = document_member(schema, "properties");
  const document_node *others = document_member(schema, "additionalProperties");
  bool any = properties != NULL && properties->kind == JSON_OBJECT && properties->first != NULL;
  bool typed = others != NULL && others->kind == JSON_OBJECT;
  if (!any) {
    blob_text(out->to, "Record<string, ");
    if (typed)
      write_type(out, others, indent);
    else
      blob_text(out->to, others != NULL && others->kind == JSON_FALSE ? "never" : "unknown");
    blob_text(out->to, ">");
    return;
  }
  blob_text(out->to, "{");
  for (const document_node *at = properties->first; at != NULL; at = at->next)
    write_property(out, schema, at, indent + 1);
  if (typed) {
    new_line(out, indent + 1);
    blob_text(out->to, "[key: string]: unknown;");
  }
  new_line(out, indent);
  blob_text(out->to, "}");
}

static void write_named_type(writer *out, const document_node *schema, const char *name,
                             int indent) {
  if (strcmp(name, "array") == 0) return write_array(out, schema, indent);
  if (strcmp(name, "object") == 0) return write_object(out, schema, indent);
  bool as_is = strcmp(name, "string") == 0 || strcmp(name, "number") == 0 ||
               strcmp(name, "boolean") == 0 || strcmp(name, "null") == 0;
  blob_text(out->to, as_is ? name : strcmp(name, "integer") == 0 ? "number" : "unknown");
}

static void write_types(writer *out, const document_node *schema, const document_node *names,
                        int indent) {
  for (const document_node *at = names->first; at != NULL; at = at->next) {
    if (at != names->first) blob_text(out->to, " | ");
    write_named_type(out, schema, at->kind == JSON_STRING ? at->text : "", indent);
  }
}

static void write_union_of_values(writer *out, const document_node *values) {
  for (const document_node *at = values->first; at != NULL; at = at->next) {
    if (at != values->first) blob_text(out->to, " | ");
    write_literal(out, at);
  }
}

/* A schema that is an object; in the order in which a keyword makes others superfluous. */
static void write_schema(writer *out, const document_node *schema, int indent) {
  const document_node *found;
  const char *text;
  if ((text = document_text(schema, "$ref")) != NULL) {
    const document_node *target = follow_reference(out, text);
    if (target == NULL)
      blob_text(out->to, "unknown");
    else
      write_type(out, target, indent);
  } else if ((found = document_member(schema, "const")) != NULL) {
    write_literal(out, found);
  } else if ((found = document_member(schema, "enum")) != NULL && found->first != NULL) {
    write_union_of_values(out, found);
  } else if ((found = document_member(schema, "anyOf")) != NULL ||
             (found = document_member(schema, "oneOf")) != NULL) {
    write_list(out, found, " | ", indent);
  } else if ((found = document_member(schema, "allOf")) != NULL) {
    write_list(out, found, " & ", indent);
  } else if ((text = document_text(schema, "type")) != NULL) {
    write_named_type(out, schema, text, indent);
  } else if ((found = document_member(schema, "type")) != NULL && found->first != NULL) {
    write_types(out, schema, found, indent);
  } else if (document_member(schema, "properties") != NULL) {
    write_object(out, schema, indent);
  } else {
    blob_text(out->to, "unknown");
  }
}

static void write_type(writer *out, const document_node *schema, int indent) {
  if (++out->depth > DEPTH_MAX || (schema->kind != JSON_OBJECT && schema->kind != JSON_FALSE))
    blob_text(out->to, "unknown");
  else if (schema->kind == JSON_FALSE)
    blob_text(out->to, "never");
  else
    write_schema(out, schema, indent);
  out->depth--;
}

/* ---- tools ---- */

static void write_signature(writer *out, const document_node *tool, int indent) {
  const document_node *input = document_member(tool, "input_schema");
  const document_node *output = document_member(tool, "output_schema");
  blob_text(out->to, "(args: ");
  out->root = input;
  if (input == NULL)
    blob_text(out->to, "Record<string, unknown>");
  else
    write_type(out, input, indent);
  blob_text(out->to, "): Promise<");
  out->root = output;
  if (output == NULL)
    blob_text(out->to, "any");
  else
    write_type(out, output, indent);
  blob_text(out->to, ">;");
}

/* Can it be declared as such a path, and does a program reach it so? */
static bool is_path_of_identifiers(const char *name) {
  if (abi_javascript_has(name, strcspn(name, "/"))) return false;
  for (;;) {
    size_t size = strcspn(name, "/");
    bool last = name[size] == 0;
    if (!is_identifier(name, size) || (!last && is_reserved(name, size))) return false;
    if (last) return true;
    name += size + 1;
  }
}

/* As stripe.charges.create, in `declare namespace stripe.charges`. */
static void write_function(writer *out, const document_node *tool, const char *name) {
  const char *last = strrchr(name, '/');
  int indent = last != NULL;
  const char *leaf = last == NULL ? name : last + 1;
  bool reserved = is_reserved(leaf, strlen(leaf));
  const char *description = document_text(tool, "description");
  if (last != NULL) {
    blob_text(out->to, "declare namespace ");
    for (const char *at = name; at < last; at++) blob_add(out->to, *at == '/' ? "." : at, 1);
    blob_text(out->to, " {");
    new_line(out, 1);
  }
  if (description != NULL && *description != 0) write_comment(out, description, indent);
  blob_text(out->to, last == NULL ? "declare function " : "function ");
  blob_text(out->to, leaf);
  if (reserved) blob_text(out->to, "_");
  write_signature(out, tool, indent);
  if (reserved) { /* a namespace may export under any name, but not declare it */
    new_line(out, indent);
    blob_text(out->to, "export { ");
    blob_text(out->to, leaf);
    blob_text(out->to, "_ as ");
    blob_text(out->to, leaf);
    blob_text(out->to, " };");
  }
  blob_text(out->to, last == NULL ? "\n" : "\n}\n");
}

/* As tools["odd-name"]. */
static void write_method(writer *out, const document_node *tool, const char *name) {
  const char *description = document_text(tool, "description");
  blob_text(out->to, "interface Tools {");
  new_line(out, 1);
  if (description != NULL && *description != 0) write_comment(out, description, 1);
  blob_json_string(out->to, name, strlen(name));
  write_signature(out, tool, 1);
  blob_text(out->to, "\n}\ndeclare const tools: Tools;\n");
}

void tool_types_write(blob *to, const char *definition, size_t size) {
  document_arena *arena;
  const document_node *tool = document_parse(definition, size, &arena);
  const char *name = document_text(tool, "name");
  writer out = {.to = to};
  if (name != NULL && is_path_of_identifiers(name))
    write_function(&out, tool, name);
  else if (name != NULL)
    write_method(&out, tool, name);
  document_release(arena);
}
