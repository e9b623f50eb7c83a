// SPDX-License-Identifier: MIT
/* mock.c -- finds an answer without asking the tool. */
#include "cli/mock.h"

#include <stdlib.h>

#include "cli/cli.h"
#include "cli/files.h"
#include "cli/locate.h"
#include "gate/load.h"

enum { MOCKS_MAX = 64 << 20, DEPTH = 64 };

/* ---- the file ---- */

static void complain_unknown(const cloche__mocks *mocks, const char *path,
                             const cloche__config *config, cloche_text name) {
  char pointer[320], room[160];
  size_t used = 1, line, column;
  pointer[0] = '/';
  for (size_t i = 0; i < name.len && used + 3 < sizeof pointer; i++) {
    if (name.at[i] == '~' || name.at[i] == '/') pointer[used++] = '~';
    pointer[used++] = name.at[i] == '~' ? '0' : name.at[i] == '/' ? '1' : name.at[i];
  }
  pointer[used] = '\0';
  cloche_text *names = calloc(config->tool_count + 1, sizeof *names);
  for (size_t i = 0; names != NULL && i < config->tool_count; i++) names[i] = config->tools[i].name;
  cloche__json_locate(cloche__buffer_view(&mocks->text), pointer, &line, &column);
  cloche__complain(
      "%s:%zu:%zu: the configuration has no tool \"%.*s\"%s", path, line, column, (int)name.len,
      name.at, names == NULL ? "" : cloche__did_you_mean(name, names, config->tool_count, room));
  free(names);
}

static bool check_names(const cloche__mocks *mocks, const char *path,
                        const cloche__config *config) {
  const cloche__json *root = &mocks->doc.root;
  for (size_t i = 0; i < root->count; i++) {
    if (cloche__config_tool(config, root->members[i].key) != NULL) continue;
    complain_unknown(mocks, path, config, root->members[i].key);
    return false;
  }
  return true;
}

bool cloche__mocks_load(const char *path, const cloche__config *config, cloche__mocks *mocks) {
  cloche__json_error error;
  if (!cloche__file_read(path, "the answers", MOCKS_MAX, &mocks->text)) return false;
  if (cloche__json_parse(cloche__buffer_view(&mocks->text), NULL, &mocks->doc, &error) !=
      CLOCHE_OK) {
    cloche__complain("%s:%zu:%zu: %s", path, error.line, error.column, error.message);
    return false;
  }
  if (mocks->doc.root.kind != CLOCHE__JSON_OBJECT) {
    cloche__complain("%s: an object of tools and their answers is wanted: {\"shop/refund\": ...}",
                     path);
    return false;
  }
  return check_names(mocks, path, config);
}

void cloche__mocks_free(cloche__mocks *mocks) {
  cloche__buffer_free(&mocks->text);
  cloche__json_free(&mocks->doc);
}

/* ---- examples ---- */

/* What a schema offers as a value of its kind, without looking into it. */
static const cloche__json *example_of(const cloche__json *schema) {
  static const char *const keys[] = {"example", "const", "default"};
  const cloche__json *list = cloche__json_get(schema, "examples");
  if (list != NULL && list->kind == CLOCHE__JSON_ARRAY && list->count > 0) return &list->items[0];
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    const cloche__json *value = cloche__json_get(schema, keys[i]);
    if (value != NULL) return value;
  }
  list = cloche__json_get(schema, "enum");
  return list != NULL && list->kind == CLOCHE__JSON_ARRAY && list->count > 0 ? &list->items[0]
                                                                             : NULL;
}

static bool is_required(const cloche__json *schema, cloche_text key) {
  const cloche__json *required = cloche__json_get(schema, "required");
  for (size_t i = 0;
       required != NULL && required->kind == CLOCHE__JSON_ARRAY && i < required->count; i++)
    if (required->items[i].kind == CLOCHE__JSON_STRING &&
        cloche__text_equal(cloche__json_text(&required->items[i]), key))
      return true;
  return false;
}

static bool write_example(const cloche__json *schema, int depth, cloche__buffer *out);

/* An object put together from its properties' examples: of all that are required, and at least one.
 */
static bool write_properties(const cloche__json *schema, const cloche__json *properties, int depth,
                             cloche__buffer *out) {
  size_t members = 0;
  cloche__buffer_byte(out, '{');
  for (size_t i = 0; i < properties->count; i++) {
    const cloche__json_member *property = &properties->members[i];
    size_t before = out->len;
    if (members > 0) cloche__buffer_byte(out, ',');
    cloche__json_write_string(property->key, out);
    cloche__buffer_byte(out, ':');
    if (write_example(&property->value, depth, out)) {
      members++;
    } else {
      out->len = before;
      if (is_required(schema, property->key)) return false;
    }
  }
  cloche__buffer_byte(out, '}');
  return members > 0;
}

/* False: there is none; `out` may then have the start of one. */
static bool write_example(const cloche__json *schema, int depth, cloche__buffer *out) {
  const cloche__json *example = example_of(schema);
  if (example != NULL) {
    cloche__json_write(example, out);
    return true;
  }
  const cloche__json *properties = cloche__json_get(schema, "properties");
  return depth > 0 && properties != NULL && properties->kind == CLOCHE__JSON_OBJECT &&
         write_properties(schema, properties, depth - 1, out);
}

bool cloche__mock_answer(const cloche__mocks *mocks, const cloche__cli_tool *tool,
                         cloche__buffer *out) {
  const cloche__json *answer = cloche__json_get_text(&mocks->doc.root, tool->name);
  const cloche__json *schema = cloche__json_get(tool->json, "output_schema");
  if (answer != NULL) {
    cloche__json_write(answer, out);
    return true;
  }
  return schema != NULL && write_example(schema, DEPTH, out);
}
