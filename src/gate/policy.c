// SPDX-License-Identifier: MIT
/* policy.c -- policies: made, stacked, shared and freed. */
#include "gate/policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tools ---- */

static bool load_tool_schema(cloche__loader *loader, const cloche__at *at,
                             const cloche__json *source, const char *key, const char *also,
                             const cloche__schema **schema) {
  const cloche__json *found = cloche__json_get(source, key);
  cloche__at here = cloche__at_key(at, cloche__text(found == NULL ? also : key));
  if (found == NULL) found = cloche__json_get(source, also);
  return found == NULL || cloche__schema_load(loader, &here, found, schema);
}

static bool load_tool(cloche__loader *loader, const cloche__at *at, const cloche__json *source,
                      cloche__tool *tool) {
  cloche__at name_at = cloche__at_key(at, cloche__text("name"));
  cloche__name name;
  if (!cloche__expect(loader, at, source, CLOCHE__JSON_OBJECT)) return false;
  const cloche__json *spelling = cloche__json_get(source, "name");
  if (spelling == NULL) return cloche__fail(loader, at, "A tool needs a name.");
  if (!cloche__expect(loader, &name_at, spelling, CLOCHE__JSON_STRING)) return false;
  const char *problem = cloche__name_read(cloche__json_text(spelling), false, &name);
  if (problem != NULL) return cloche__fail(loader, &name_at, "This is no name: %s.", problem);
  if (!cloche__arena_copy(loader->arena, cloche__name_text(&name), &tool->name)) {
    return cloche__no_memory(loader);
  }
  /* MCP spells these in camel case; to skip one would be to leave a tool unchecked. */
  return load_tool_schema(loader, at, source, "input_schema", "inputSchema", &tool->input) &&
         load_tool_schema(loader, at, source, "output_schema", "outputSchema", &tool->output);
}

static bool load_tools(cloche__loader *loader, cloche__layer *layer, const cloche__json *source) {
  cloche__at root = cloche__at_key(NULL, cloche__text("tools"));
  size_t twice;
  if (!cloche__expect(loader, &root, source, CLOCHE__JSON_ARRAY)) return false;
  cloche__tool *tools = cloche__take(loader, source->count, sizeof *tools);
  cloche_text *names = cloche__take(loader, source->count, sizeof *names);
  if (tools == NULL || names == NULL) return false;
  for (size_t i = 0; i < source->count; i++) {
    cloche__at here = cloche__at_index(&root, i);
    if (!load_tool(loader, &here, &source->items[i], &tools[i])) return false;
    names[i] = tools[i].name;
  }
  layer->has_tools = true;
  layer->tools = tools;
  layer->tool_names = names;
  layer->tool_count = source->count;
  cloche_status status =
      cloche__table_make(&layer->arena, names, source->count, &layer->tool_table, &twice);
  if (status == CLOCHE_E_MEMORY) return cloche__no_memory(loader);
  cloche__at here = cloche__at_index(&root, status == CLOCHE_OK ? 0 : twice);
  return status == CLOCHE_OK || cloche__fail(loader, &here, "Another tool has this name already.");
}

const cloche__tool *cloche__layer_tool(const cloche__layer *layer, cloche_text method) {
  size_t found = cloche__table_find(&layer->tool_table, method);
  return found == SIZE_MAX ? NULL : &layer->tools[found];
}

bool cloche__policy_result_fits(const cloche_policy *policy, cloche_text method,
                                const cloche__json *result, cloche__schema_failure *failure) {
  size_t steps = CLOCHE__GATE_STEPS;
  for (size_t i = 0; i < policy->count; i++) {
    const cloche__layer *layer = policy->layers[i].layer;
    const cloche__tool *tool = layer->checks_results ? cloche__layer_tool(layer, method) : NULL;
    *failure = (cloche__schema_failure){.expected = "less work to check"};
    if (tool != NULL && tool->output != NULL &&
        !cloche__schema_valid(tool->output, result, NULL, 0, &steps, failure))
      return false;
  }
  return true;
}

/* ---- layers ---- */

static void release_layer(cloche__layer *layer) {
  if (layer == NULL || atomic_fetch_sub(&layer->users, 1) != 1) return;
  cloche__json_free(&layer->source);
  cloche__json_free(&layer->tool_source);
  cloche__arena_free(&layer->arena);
  free(layer);
}

/* Takes over both documents. `tools` NULL: there is no list. */
static cloche_status make_layer(cloche__json_doc *rules, cloche__json_doc *tools,
                                cloche__layer **out, cloche_problem *problem) {
  cloche__layer *layer = calloc(1, sizeof *layer);
  if (layer == NULL) {
    cloche__json_free(rules);
    cloche__json_free(tools);
    return CLOCHE_E_MEMORY;
  }
  atomic_init(&layer->users, 1);
  layer->source = *rules;
  if (tools != NULL) layer->tool_source = *tools;
  cloche__loader loader = {.arena = &layer->arena, .problem = problem};
  if ((tools == NULL || load_tools(&loader, layer, &layer->tool_source.root)) &&
      cloche__layer_load(&loader, layer, &layer->source.root)) {
    *out = layer;
    return CLOCHE_OK;
  }
  release_layer(layer);
  return loader.status;
}

/* ---- policies ---- */

static cloche_policy *make_policy(size_t layers) {
  cloche_policy *policy = calloc(1, sizeof *policy + layers * sizeof policy->layers[0]);
  if (policy != NULL) atomic_init(&policy->users, 1);
  return policy;
}

/* Takes over one use of `layer`. `depth` counts from the root. Budgets of other policies than the
 * root have their policy's name, or failing that their depth, before their keys, so that two rules
 * of one pattern in two layers are charged apart. */
static bool add_layer(cloche_policy *policy, cloche__layer *layer, size_t depth) {
  char prefix[160];
  cloche_text *keys = cloche__arena_take(&policy->arena, layer->budget_count, sizeof *keys);
  size_t at = policy->count++;
  policy->layers[at].layer = layer;
  policy->watch_count += layer->watch_count;
  if (keys == NULL) return false;
  policy->layers[at].keys = keys;
  int len = layer->name.len > 0
                ? snprintf(prefix, sizeof prefix, "%.*s:", (int)layer->name.len, layer->name.at)
            : depth > 0 ? snprintf(prefix, sizeof prefix, "%zu:", depth)
                        : 0;
  for (size_t i = 0; i < layer->budget_count; i++) {
    cloche_text key = layer->budgets[i].key;
    char *full = cloche__arena_take(&policy->arena, (size_t)len + key.len, 1);
    if (full == NULL) return false;
    memcpy(full, prefix, (size_t)len);
    memcpy(full + len, key.at, key.len);
    keys[i] = (cloche_text){full, (size_t)len + key.len};
  }
  return true;
}

static cloche_status make_single(cloche__json_doc *rules, cloche__json_doc *tools,
                                 cloche_policy **policy, cloche_problem *problem) {
  cloche__layer *layer = NULL;
  cloche_status status = make_layer(rules, tools, &layer, problem);
  if (status != CLOCHE_OK) return status;
  cloche_policy *made = make_policy(1);
  if (made == NULL || !add_layer(made, layer, 0)) {
    if (made == NULL) release_layer(layer);
    cloche_policy_free(made);
    return CLOCHE_E_MEMORY;
  }
  *policy = made;
  return CLOCHE_OK;
}

cloche_status cloche__policy_load(const cloche__json *rules, const cloche__json *tools,
                                  cloche_policy **policy, cloche_problem *problem) {
  cloche__json_doc own = {0}, list = {0};
  cloche_status status = cloche__json_copy(&own.arena, rules, &own.root);
  if (status == CLOCHE_OK && tools != NULL) {
    status = cloche__json_copy(&list.arena, tools, &list.root);
  }
  if (status == CLOCHE_OK) return make_single(&own, tools == NULL ? NULL : &list, policy, problem);
  cloche__json_free(&own);
  cloche__json_free(&list);
  return status;
}

static cloche_status parse_part(cloche_text text, cloche__json_doc *doc, cloche_problem *problem) {
  cloche__json_error error;
  cloche_status status = cloche__json_parse(text, NULL, doc, &error);
  if (problem == NULL || status == CLOCHE_OK || status == CLOCHE_E_MEMORY) return status;
  *problem = (cloche_problem){.line = error.line, .column = error.column};
  snprintf(problem->message, sizeof problem->message, "%s", error.message);
  return status;
}

cloche_status cloche_policy_load(cloche_text json, cloche_text tools, cloche_policy **policy,
                                 cloche_problem *problem) {
  if (policy == NULL) return CLOCHE_E_ARGUMENT;
  cloche__json_doc rules = {0}, list = {0};
  cloche_status status = parse_part(json, &rules, problem);
  if (status == CLOCHE_OK && tools.at != NULL) status = parse_part(tools, &list, problem);
  if (status == CLOCHE_OK) {
    return make_single(&rules, tools.at == NULL ? NULL : &list, policy, problem);
  }
  cloche__json_free(&rules);
  return status;
}

cloche_status cloche_policy_restrict(const cloche_policy *parent, const cloche_policy *child,
                                     cloche_policy **restricted) {
  if (parent == NULL || child == NULL || restricted == NULL) return CLOCHE_E_ARGUMENT;
  size_t count = parent->count + child->count;
  if (count > CLOCHE__LAYERS) return CLOCHE_E_LIMIT;
  cloche_policy *made = make_policy(count);
  bool kept = made != NULL;
  for (size_t i = 0; kept && i < count; i++) {
    const cloche_policy *from = i < child->count ? child : parent;
    cloche__layer *layer = from->layers[i < child->count ? i : i - child->count].layer;
    atomic_fetch_add(&layer->users, 1);
    kept = add_layer(made, layer, count - 1 - i);
  }
  if (!kept) {
    cloche_policy_free(made);
    return CLOCHE_E_MEMORY;
  }
  *restricted = made;
  return CLOCHE_OK;
}

const cloche_policy *cloche__policy_keep(const cloche_policy *policy) {
  atomic_fetch_add(&((cloche_policy *)policy)->users, 1); /* the count is no part of its meaning */
  return policy;
}

void cloche_policy_free(const cloche_policy *policy) {
  cloche_policy *last = (cloche_policy *)policy;
  if (last == NULL || atomic_fetch_sub(&last->users, 1) != 1) return;
  for (size_t i = 0; i < last->count; i++) release_layer(last->layers[i].layer);
  cloche__arena_free(&last->arena);
  free(last);
}
