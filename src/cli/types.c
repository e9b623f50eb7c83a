// SPDX-License-Identifier: MIT
/* types.c -- one object per path segment. The tools come in the order of their paths, so what lies
 * below a tool follows it at once.
 *
 *   declare const tools: {
 *     stripe: {
 *       charges: {
 *         create(params: { amount: number }): Promise<any>;  */
#include "cli/types.h"

#include <string.h>

#include "cli/schema_type.h"

static bool is_below(cloche_text path, cloche_text above) {
  if (above.len == 0) return true;
  return path.len > above.len && memcmp(path.at, above.at, above.len) == 0 &&
         path.at[above.len] == '/';
}

static void indent(cloche__buffer *out, size_t depth) {
  for (size_t i = 0; i < depth; i++) cloche__buffer_string(out, "  ");
}

/* Text inside a comment must not end it. */
static void write_comment_text(cloche_text text, cloche__buffer *out) {
  for (size_t i = 0; i < text.len; i++) {
    char c = text.at[i];
    if (c == '/' && i > 0 && text.at[i - 1] == '*') cloche__buffer_byte(out, ' ');
    cloche__buffer_byte(out, c == '\n' || c == '\r' ? ' ' : c);
  }
}

static void write_parameter_notes(const cloche__json *schema, size_t depth, cloche__buffer *out) {
  const cloche__json *properties = cloche__json_get(schema, "properties");
  if (properties == NULL || properties->kind != CLOCHE__JSON_OBJECT) return;
  for (size_t i = 0; i < properties->count; i++) {
    const cloche__json *note = cloche__json_get(&properties->members[i].value, "description");
    if (note == NULL || note->kind != CLOCHE__JSON_STRING) continue;
    indent(out, depth);
    cloche__buffer_string(out, "/** ");
    write_comment_text(properties->members[i].key, out);
    cloche__buffer_string(out, ": ");
    write_comment_text(cloche__json_text(note), out);
    cloche__buffer_string(out, " */\n");
  }
}

/* "name(params: T): Promise<R>;", or without the name for a tool that has others below it. */
static void write_tool(const cloche__cli_tool *tool, cloche_text name, size_t depth,
                       cloche__buffer *out) {
  const cloche__json *description = cloche__json_get(tool->json, "description");
  const cloche__json *input = cloche__json_get(tool->shown, "input_schema");
  const cloche__json *output = cloche__json_get(tool->json, "output_schema");
  if (description != NULL) {
    indent(out, depth);
    cloche__buffer_string(out, "/** ");
    write_comment_text(cloche__json_text(description), out);
    cloche__buffer_string(out, " */\n");
  }
  write_parameter_notes(input, depth, out);
  indent(out, depth);
  if (name.len > 0) cloche__property_name(name, out);
  cloche__buffer_string(out, "(params: ");
  if (input != NULL)
    cloche__schema_type(input, input, out);
  else
    cloche__buffer_string(out, "{ [name: string]: any }");
  cloche__buffer_string(out, "): Promise<");
  cloche__schema_type(output, output, out);
  cloche__buffer_string(out, ">;\n");
}

static cloche_text segment(cloche_text path, cloche_text above) {
  size_t start = above.len == 0 ? 0 : above.len + 1, end = start;
  while (end < path.len && path.at[end] != '/') end++;
  return (cloche_text){path.at + start, end - start};
}

/* All tools from `at` on that lie below `above`, in braces' inside. The index after them. */
static size_t write_below(const cloche__config *config, size_t at, cloche_text above, size_t depth,
                          cloche__buffer *out) {
  while (at < config->tool_count && is_below(config->tools[at].name, above)) {
    const cloche__cli_tool *tool = &config->tools[at];
    cloche_text name = segment(tool->name, above);
    cloche_text path = {tool->name.at, (size_t)(name.at - tool->name.at) + name.len};
    bool is_tool = path.len == tool->name.len;
    bool has_more = at + 1 < config->tool_count && is_below(config->tools[at + 1].name, path);
    if (is_tool && !has_more) {
      write_tool(tool, name, depth, out);
      at++;
      continue;
    }
    indent(out, depth);
    cloche__property_name(name, out);
    cloche__buffer_string(out, ": {\n");
    if (is_tool) write_tool(tool, cloche__text(""), depth + 1, out);
    at = write_below(config, at + is_tool, path, depth + 1, out);
    indent(out, depth);
    cloche__buffer_string(out, "};\n");
  }
  return at;
}

/* Each first segment that may be a variable, and is no other one, is one as well. */
static void write_variables(const cloche__config *config, cloche__buffer *out) {
  cloche_text last = {0};
  for (size_t i = 0; i < config->tool_count; i++) {
    cloche_text name = segment(config->tools[i].name, (cloche_text){0});
    if (cloche__text_equal(name, last) || !cloche__is_identifier(name)) continue;
    last = name;
    if (cloche_javascript_has(name)) continue;
    cloche__buffer_format(out, "declare const %.*s: typeof tools.%.*s;\n", (int)name.len, name.at,
                          (int)name.len, name.at);
  }
}

void cloche__types_write(const cloche__config *config, cloche__buffer *out) {
  cloche__buffer_string(out, "declare const tools: {\n");
  write_below(config, 0, (cloche_text){0}, 1, out);
  cloche__buffer_string(out, "};\n");
  write_variables(config, out);
}
