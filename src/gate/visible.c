// SPDX-License-Identifier: MIT
/* visible.c -- the list of tools as a program may see it: a parameter that some rule sets is in no
 * schema, as sending it would be refused. Descriptions are left as they are. */
#include <stdlib.h>

#include "gate/policy.h"

static bool keep_but(cloche__arena *arena, const cloche__json *object, cloche_text key,
                     cloche__json *copy) {
  cloche__json_member *members = cloche__arena_take(arena, object->count, sizeof *members);
  size_t count = 0;
  if (members == NULL) return false;
  for (size_t i = 0; i < object->count; i++) {
    if (!cloche__text_equal(object->members[i].key, key)) members[count++] = object->members[i];
  }
  return cloche__json_object(arena, members, count, copy, NULL) == CLOCHE_OK;
}

static bool require_no(cloche__arena *arena, const cloche__json *names, cloche_text key,
                       cloche__json *copy) {
  cloche__json *items = cloche__arena_take(arena, names->count, sizeof *items);
  size_t count = 0;
  if (items == NULL) return false;
  for (size_t i = 0; i < names->count; i++) {
    const cloche__json *name = &names->items[i];
    bool same =
        name->kind == CLOCHE__JSON_STRING && cloche__text_equal(cloche__json_text(name), key);
    if (!same) items[count++] = *name;
  }
  *copy = cloche__json_of_items(items, count);
  return true;
}

/* `schema` without the property at steps `at`... of the path. False: no memory. */
static bool without(cloche__arena *arena, const cloche__json *schema, const cloche__path *path,
                    size_t at, cloche__json *copy) {
  const cloche__json *properties = cloche__json_get(schema, "properties");
  const cloche__json *required = cloche__json_get(schema, "required");
  cloche_text key = path->steps[at].key;
  bool last = at + 1 == path->count;
  cloche__json changed, inner;
  *copy = *schema;
  if (properties != NULL && properties->kind == CLOCHE__JSON_OBJECT) {
    const cloche__json *old = cloche__json_get_text(properties, key);
    if (last) {
      if (!keep_but(arena, properties, key, &changed)) return false;
    } else if (old == NULL) {
      return true;
    } else if (!without(arena, old, path, at + 1, &inner) ||
               cloche__json_with(arena, properties, key, &inner, &changed) != CLOCHE_OK) {
      return false;
    }
    cloche__json before = *copy;
    if (cloche__json_with(arena, &before, cloche__text("properties"), &changed, copy) != CLOCHE_OK)
      return false;
  }
  if (!last || required == NULL || required->kind != CLOCHE__JSON_ARRAY) return true;
  cloche__json before = *copy;
  return require_no(arena, required, key, &changed) &&
         cloche__json_with(arena, &before, cloche__text("required"), &changed, copy) == CLOCHE_OK;
}

/* A tool without what one rule sets. */
static bool hide_settings(cloche__arena *arena, const cloche__rule *rule, cloche__json *tool) {
  static const char *const spellings[] = {"input_schema", "inputSchema"};
  for (size_t i = 0; i < rule->setting_count; i++) {
    for (size_t k = 0; k < 2; k++) {
      const cloche__json *schema = cloche__json_get(tool, spellings[k]);
      cloche__json before = *tool, changed;
      if (schema == NULL || schema->kind != CLOCHE__JSON_OBJECT) continue;
      if (!without(arena, schema, rule->settings[i].path, 0, &changed) ||
          cloche__json_with(arena, &before, cloche__text(spellings[k]), &changed, tool) !=
              CLOCHE_OK) {
        return false;
      }
    }
  }
  return true;
}

static bool show_tool(const cloche_policy *policy, cloche__arena *arena, cloche__json *tool) {
  const cloche__json *spelling = cloche__json_get(tool, "name");
  const cloche__rule *rule;
  cloche__name name;
  if (spelling == NULL || spelling->kind != CLOCHE__JSON_STRING ||
      cloche__name_read(cloche__json_text(spelling), false, &name) != NULL)
    return true; /* no call can have that name */
  for (size_t i = 0; i < policy->count; i++) {
    if (!policy->layers[i].layer->sets) continue;
    cloche__candidates found = cloche__layer_candidates(policy->layers[i].layer, &name);
    while ((rule = cloche__next_candidate(&found)) != NULL) {
      if (!hide_settings(arena, rule, tool)) return false;
    }
  }
  return true;
}

cloche_status cloche_policy_tools(const cloche_policy *policy, cloche_text tools, char **json,
                                  size_t *len) {
  if (policy == NULL || json == NULL || len == NULL) return CLOCHE_E_ARGUMENT;
  cloche__json_doc doc = {0};
  cloche__buffer out = {0};
  cloche_status status = cloche__json_parse(tools, NULL, &doc, NULL);
  if (status != CLOCHE_OK) return status == CLOCHE_E_MEMORY ? status : CLOCHE_E_JSON;
  if (doc.root.kind != CLOCHE__JSON_ARRAY) status = CLOCHE_E_ARGUMENT;
  cloche__json *shown = cloche__arena_take(&doc.arena, doc.root.count, sizeof *shown);
  if (status == CLOCHE_OK && shown == NULL) status = CLOCHE_E_MEMORY;
  for (size_t i = 0; i < doc.root.count && status == CLOCHE_OK; i++) {
    shown[i] = doc.root.items[i];
    if (!show_tool(policy, &doc.arena, &shown[i])) status = CLOCHE_E_MEMORY;
  }
  if (status == CLOCHE_OK) {
    cloche__json all = cloche__json_of_items(shown, doc.root.count);
    cloche__json_write(&all, &out);
    if (out.failed) status = CLOCHE_E_MEMORY;
  }
  cloche__json_free(&doc);
  if (status != CLOCHE_OK) {
    cloche__buffer_free(&out);
    return status;
  }
  *json = out.at;
  *len = out.len;
  return CLOCHE_OK;
}
