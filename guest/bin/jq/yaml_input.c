// SPDX-License-Identifier: MIT
/* yaml_input.c -- YAML's nodes to JSON's values. An alias becomes what it names, `<<` brings in the
 * keys of other maps that the map does not have, a key that is no string becomes its JSON text, and
 * a key that is there twice is an error. */
#include "yaml_input.h"

#include <math.h>

typedef struct {
  const char *error;
  const yaml_node *where;
} conversion;

static jv to_value(conversion *c, const yaml_node *node);

static jv fail(conversion *c, const yaml_node *where, const char *error) {
  c->error = error;
  c->where = where;
  return jv_invalid();
}

static jv to_number(const yaml_node *node) {
  if (strcmp(node->at, ".nan") == 0) return jv_number(NAN);
  if (strstr(node->at, ".inf") != NULL) return jv_number(*node->at == '-' ? -INFINITY : INFINITY);
  return jv_number_with_literal(node->at);
}

static jv to_list(conversion *c, const yaml_node *node) {
  jv list = jv_array();
  for (size_t i = 0; i < node->count; i++) {
    jv item = to_value(c, node->items[i]);
    if (c->error != NULL) {
      jv_free(list);
      return jv_invalid();
    }
    list = jv_array_append(list, item);
  }
  return list;
}

static jv to_key(conversion *c, const yaml_node *node) {
  if (node->kind == YAML_LIST || node->kind == YAML_MAP)
    return fail(c, node, "a list or a map cannot be a key of a JSON object");
  jv key = to_value(c, node);
  return jv_get_kind(key) == JV_KIND_STRING ? key : jv_dump_string(key, 0);
}

/* The keys of `from` that `to` does not have. */
static jv merge_map(conversion *c, jv to, const yaml_node *from) {
  jv other = from->kind == YAML_MAP ? to_value(c, from)
                                    : fail(c, from, "'<<' merges a map, or a list of maps");
  if (c->error == NULL) to = jv_object_merge(other, to);
  return to;
}

static jv merge(conversion *c, jv to, const yaml_node *from) {
  if (from->kind != YAML_LIST) return merge_map(c, to, from);
  for (size_t i = 0; i < from->count && c->error == NULL; i++)
    to = merge_map(c, to, from->items[i]);
  return to;
}

static jv to_map(conversion *c, const yaml_node *node) {
  jv map = jv_object();
  for (size_t i = 0; i + 1 < node->count && c->error == NULL; i += 2) {
    if (node->items[i]->merge) continue;
    jv key = to_key(c, node->items[i]);
    if (c->error == NULL && jv_object_has(jv_copy(map), jv_copy(key)))
      fail(c, node->items[i], "a key that is already there");
    jv value = c->error == NULL ? to_value(c, node->items[i + 1]) : jv_invalid();
    if (c->error == NULL)
      map = jv_object_set(map, key, value);
    else
      jv_free(key);
  }
  for (size_t i = 0; i + 1 < node->count && c->error == NULL; i += 2) {
    if (node->items[i]->merge) map = merge(c, map, node->items[i + 1]);
  }
  if (c->error == NULL) return map;
  jv_free(map);
  return jv_invalid();
}

static jv to_value(conversion *c, const yaml_node *node) {
  switch (node->kind) {
    case YAML_FALSE:
      return jv_false();
    case YAML_TRUE:
      return jv_true();
    case YAML_NUMBER:
      return to_number(node);
    case YAML_STRING:
      return jv_string_sized(node->at, (int)node->size);
    case YAML_LIST:
      return to_list(c, node);
    case YAML_MAP:
      return to_map(c, node);
    default:
      return jv_null();
  }
}

static jv error_at(jq_input *s, const char *error, size_t line, size_t column) {
  return jv_invalid_with_msg(jv_string_fmt("%s, line %lu, column %lu: %s", jv_string_value(s->name),
                                           (unsigned long)line, (unsigned long)column, error));
}

/* Opens the next file that can be read. False when there is none. */
static bool open_next(jq_input *s) {
  while (s->next_file < s->file_count) {
    if (!jq_input_open_next(s)) continue;
    size_t size;
    char *all = input_all(&s->in, &size);
    if (s->in.error != 0) {
      bin_warn(s->b, "error: %s: %s", jv_string_value(s->name), error_text(s->in.error));
      s->failures++;
    }
    input_close(&s->in);
    s->open = false;
    s->documents = yaml_open(all, size);
    return true;
  }
  return false;
}

static jv next_document(jq_input *s) {
  for (;;) {
    if (s->documents == NULL && !open_next(s)) return jv_invalid();
    size_t line, column;
    yaml_node *root = yaml_next(s->documents);
    const char *error = yaml_error(s->documents, &line, &column);
    if (root == NULL) s->documents = NULL;
    if (error != NULL) return error_at(s, error, line, column);
    if (root == NULL) continue;
    conversion c = {0};
    s->line = root->line;
    jv value = to_value(&c, root);
    return c.error == NULL ? value : error_at(s, c.error, c.where->line, c.where->column);
  }
}

jv yaml_input_next(jq_input *s) {
  for (;;) {
    jv value = next_document(s);
    if (!s->slurp || !jv_is_valid(value)) return value;
    s->slurped = jv_array_append(s->slurped, value);
  }
}
