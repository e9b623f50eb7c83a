// SPDX-License-Identifier: MIT
/* config.c -- reads the configuration: shape first, then meaning. Nothing is ignored; a field that
 * is not known here is an error, since a misspelt one would otherwise be a missing one. */
#include "cli/config.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/files.h"
#include "cli/limits_table.h"
#include "cli/locate.h"
#include "gate/load.h"

enum { CONFIG_MAX = 64 << 20, POINTER_MAX = 320, NAME_MAX_BYTES = 256 };
static const int64_t default_tool_timeout = 60000000000;

void cloche__config_complain(const cloche__config *config, const char *pointer, const char *format,
                             ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  size_t line, column;
  cloche__json_locate(cloche__buffer_view(&config->text), pointer, &line, &column);
  cloche__complain("%s:%zu:%zu: %s%s%s", config->path, line, column, pointer,
                   *pointer == '\0' ? "" : ": ", text);
}

/* ---- shape ---- */

typedef struct {
  const char *name;
  cloche__json_kind kind;
  bool required;
} field;

static const field top_fields[] = {
    {"$schema", CLOCHE__JSON_STRING, false}, {"tools", CLOCHE__JSON_ARRAY, false},
    {"policy", CLOCHE__JSON_OBJECT, false},  {"limits", CLOCHE__JSON_OBJECT, false},
    {"env", CLOCHE__JSON_OBJECT, false},     {"mounts", CLOCHE__JSON_ARRAY, false},
};
static const field mount_fields[] = {
    {"host", CLOCHE__JSON_STRING, true},
    {"guest", CLOCHE__JSON_STRING, true},
    {"mode", CLOCHE__JSON_STRING, false},
};
static const field tool_fields[] = {
    {"name", CLOCHE__JSON_STRING, true},          {"description", CLOCHE__JSON_STRING, false},
    {"input_schema", CLOCHE__JSON_OBJECT, false}, {"output_schema", CLOCHE__JSON_OBJECT, false},
    {"command", CLOCHE__JSON_ARRAY, false},       {"timeout", CLOCHE__JSON_STRING, false},
    {"env", CLOCHE__JSON_OBJECT, false},          {"read_only", CLOCHE__JSON_BOOLEAN, false},
    {"once", CLOCHE__JSON_BOOLEAN, false},
};
#define COUNT(table) (sizeof(table) / sizeof *(table))

/* The pointer of a member: `base`/key, with "~" and "/" escaped. */
static void pointer_to(char *pointer, const char *base, cloche_text key) {
  size_t used = (size_t)snprintf(pointer, POINTER_MAX, "%s/", base);
  for (size_t i = 0; i < key.len && used + 3 < POINTER_MAX; i++) {
    char c = key.at[i];
    if (c == '~' || c == '/') pointer[used++] = '~';
    pointer[used++] = c == '~' ? '0' : c == '/' ? '1' : c;
  }
  pointer[used] = '\0';
}

static const char *a_kind(cloche__json_kind kind) {
  static const char *const names[] = {"null",     "true or false", "a number",
                                      "a string", "an array",      "an object"};
  return names[kind];
}

static bool check_member(const cloche__config *config, const char *base,
                         const cloche__json_member *member, const field *fields, size_t count) {
  cloche_text names[16];
  char pointer[POINTER_MAX];
  pointer_to(pointer, base, member->key);
  for (size_t i = 0; i < count; i++) {
    names[i] = cloche__text(fields[i].name);
    if (!cloche__text_equal(member->key, names[i])) continue;
    if (member->value.kind == fields[i].kind) return true;
    cloche__config_complain(config, pointer, "%s is wanted, not %s", a_kind(fields[i].kind),
                            a_kind(member->value.kind));
    return false;
  }
  char room[160];
  cloche__config_complain(config, pointer, "there is no such field%s",
                          cloche__did_you_mean(member->key, names, count, room));
  return false;
}

static bool check_object(const cloche__config *config, const char *base, const cloche__json *object,
                         const field *fields, size_t count) {
  if (object->kind != CLOCHE__JSON_OBJECT) {
    cloche__config_complain(config, base, "an object is wanted, not %s", a_kind(object->kind));
    return false;
  }
  for (size_t i = 0; i < object->count; i++)
    if (!check_member(config, base, &object->members[i], fields, count)) return false;
  for (size_t i = 0; i < count; i++) {
    if (!fields[i].required || cloche__json_get(object, fields[i].name) != NULL) continue;
    cloche__config_complain(config, base, "\"%s\" is missing, %s", fields[i].name,
                            a_kind(fields[i].kind));
    return false;
  }
  return true;
}

/* Names to strings, or to true for "as cloche has it". */
static bool check_environment(const cloche__config *config, const char *base,
                              const cloche__json *environment) {
  for (size_t i = 0; environment != NULL && i < environment->count; i++) {
    const cloche__json_member *member = &environment->members[i];
    char pointer[POINTER_MAX];
    pointer_to(pointer, base, member->key);
    const cloche__json *value = &member->value;
    bool text =
        value->kind == CLOCHE__JSON_STRING && memchr(value->text, '\0', value->count) == NULL;
    bool name = member->key.len > 0 && memchr(member->key.at, '=', member->key.len) == NULL &&
                memchr(member->key.at, '\0', member->key.len) == NULL;
    if (name && (text || (value->kind == CLOCHE__JSON_BOOLEAN && value->boolean))) continue;
    cloche__config_complain(config, pointer, "%s",
                            name ? "a string is wanted, or true to hand on cloche's own"
                                 : "this cannot be the name of a variable");
    return false;
  }
  return true;
}

/* ---- limits ---- */

static bool read_limit(cloche__config *config, const cloche__json_member *member) {
  cloche_text names[32];
  char pointer[POINTER_MAX];
  pointer_to(pointer, "/limits", member->key);
  for (size_t i = 0; i < cloche__limit_count; i++) {
    names[i] = cloche__text(cloche__limits[i].name);
    if (!cloche__text_equal(member->key, names[i])) continue;
    bool fits =
        member->value.kind == CLOCHE__JSON_STRING || member->value.kind == CLOCHE__JSON_NUMBER;
    cloche_text text = fits ? cloche__json_text(&member->value) : cloche__text("");
    const char *wrong = cloche__limit_set(&config->limits, &cloche__limits[i], text);
    if (wrong != NULL) cloche__config_complain(config, pointer, "%s", wrong);
    return wrong == NULL;
  }
  char room[160];
  cloche__config_complain(config, pointer, "there is no such limit%s",
                          cloche__did_you_mean(member->key, names, cloche__limit_count, room));
  return false;
}

static bool read_limits(cloche__config *config) {
  const cloche__json *limits = cloche__json_get(&config->doc.root, "limits");
  for (size_t i = 0; limits != NULL && i < limits->count; i++)
    if (!read_limit(config, &limits->members[i])) return false;
  return true;
}

/* ---- tools ---- */

/* "a.b", "a/b" and "mcp:a.b" are one name. Empty when it is none. */
static cloche_text canonical(cloche__config *config, cloche_text name) {
  cloche_text none = {NULL, 0}, copy;
  if (name.len > 4 && memcmp(name.at, "mcp:", 4) == 0)
    name = (cloche_text){name.at + 4, name.len - 4};
  if (name.len == 0 || name.len > NAME_MAX_BYTES ||
      !cloche__arena_copy(&config->doc.arena, name, &copy))
    return none;
  char *bytes = (char *)copy.at, last = '/';
  for (size_t i = 0; i < copy.len; i++) {
    if (bytes[i] == '.') bytes[i] = '/';
    if (bytes[i] == '/' && last == '/') return none;
    if ((unsigned char)bytes[i] <= ' ' || bytes[i] == 127) return none;
    last = bytes[i];
  }
  return last == '/' ? none : copy;
}

static char *c_string(cloche__arena *arena, const cloche__json *string) {
  if (string->kind != CLOCHE__JSON_STRING || memchr(string->text, '\0', string->count) != NULL)
    return NULL;
  char *copy = cloche__arena_take(arena, string->count + 1, 1);
  if (copy == NULL) return NULL;
  memcpy(copy, string->text, string->count);
  copy[string->count] = '\0';
  return copy;
}

static bool read_command(cloche__config *config, const char *base, cloche__cli_tool *tool) {
  const cloche__json *command = cloche__json_get(tool->json, "command");
  if (command == NULL) return true;
  tool->command = cloche__arena_take(&config->doc.arena, command->count + 1, sizeof(char *));
  for (size_t i = 0; tool->command != NULL && i < command->count; i++) {
    tool->command[i] = c_string(&config->doc.arena, &command->items[i]);
    if (tool->command[i] != NULL) continue;
    char pointer[POINTER_MAX];
    snprintf(pointer, sizeof pointer, "%s/command/%zu", base, i);
    cloche__config_complain(config, pointer, "a string without U+0000 is wanted");
    return false;
  }
  if (tool->command == NULL || command->count == 0 || *tool->command[0] == '\0') {
    char pointer[POINTER_MAX];
    snprintf(pointer, sizeof pointer, "%s/command", base);
    cloche__config_complain(config, pointer, "a command needs at least the program's name");
    return false;
  }
  tool->command[command->count] = NULL;
  return true;
}

static bool read_timeout(cloche__config *config, const char *base, cloche__cli_tool *tool) {
  tool->timeout = default_tool_timeout;
  const cloche__json *timeout = cloche__json_get(tool->json, "timeout");
  if (timeout == NULL) return true;
  uint64_t value;
  const char *wrong =
      cloche__read_quantity(CLOCHE__DURATION, cloche__json_text(timeout), INT64_MAX, &value);
  if (wrong == NULL) {
    tool->timeout = (int64_t)value;
    return true;
  }
  char pointer[POINTER_MAX];
  snprintf(pointer, sizeof pointer, "%s/timeout", base);
  cloche__config_complain(config, pointer, "%s", wrong);
  return false;
}

static bool is_true(const cloche__json *object, const char *key) {
  const cloche__json *value = cloche__json_get(object, key);
  return value != NULL && value->boolean;
}

static bool read_tool(cloche__config *config, const cloche__json *json, size_t index) {
  char base[64], pointer[POINTER_MAX];
  snprintf(base, sizeof base, "/tools/%zu", index);
  if (!check_object(config, base, json, tool_fields, COUNT(tool_fields))) return false;
  cloche__cli_tool tool = {.json = json,
                           .index = index,
                           .read_only = is_true(json, "read_only"),
                           .once = is_true(json, "once")};
  tool.name = canonical(config, cloche__json_text(cloche__json_get(json, "name")));
  if (tool.name.len == 0) {
    pointer_to(pointer, base, cloche__text("name"));
    cloche__config_complain(config, pointer,
                            "a tool's name is a path such as stripe/charges/create: no spaces, no "
                            "empty parts, at most %d bytes",
                            NAME_MAX_BYTES);
    return false;
  }
  pointer_to(pointer, base, cloche__text("env"));
  if (!check_environment(config, pointer, cloche__json_get(json, "env"))) return false;
  if (!read_command(config, base, &tool) || !read_timeout(config, base, &tool)) return false;
  config->tools[config->tool_count++] = tool;
  return true;
}

/* "/" comes first of all bytes, so what lies below a name follows it at once: a, a/b, a-b. */
static int compare_names(cloche_text a, cloche_text b) {
  size_t least = a.len < b.len ? a.len : b.len;
  for (size_t i = 0; i < least; i++) {
    int x = a.at[i] == '/' ? 0 : (unsigned char)a.at[i];
    int y = b.at[i] == '/' ? 0 : (unsigned char)b.at[i];
    if (x != y) return x - y;
  }
  return a.len < b.len ? -1 : a.len > b.len;
}

static int by_name(const void *a, const void *b) {
  const cloche__cli_tool *x = a, *y = b;
  int order = compare_names(x->name, y->name);
  return order != 0 ? order : x->index < y->index ? -1 : 1;
}

static bool names_differ(const cloche__config *config) {
  for (size_t i = 1; i < config->tool_count; i++) {
    const cloche__cli_tool *first = &config->tools[i - 1], *second = &config->tools[i];
    if (!cloche__text_equal(first->name, second->name)) continue;
    char pointer[POINTER_MAX];
    snprintf(pointer, sizeof pointer, "/tools/%zu/name", second->index);
    cloche__config_complain(config, pointer, "this is the name of /tools/%zu already",
                            first->index);
    return false;
  }
  return true;
}

/* Only these fields reach the program. In the order of the file, so that the gate's "/tools/3" is
 * the file's. */
static void write_definitions(cloche__config *config) {
  static const char *const told[] = {"description", "input_schema", "output_schema"};
  cloche__buffer *out = &config->definitions;
  cloche__buffer_byte(out, '[');
  for (size_t i = 0; i < config->tool_count; i++) {
    cloche__buffer_string(out, i == 0 ? "{" : ",{");
    cloche__json_write_key("name", out);
    cloche__json_write_string(config->tools[i].name, out);
    for (size_t j = 0; j < COUNT(told); j++) {
      const cloche__json *value = cloche__json_get(config->tools[i].json, told[j]);
      if (value == NULL) continue;
      cloche__json_write_key(told[j], out);
      cloche__json_write(value, out);
    }
    cloche__buffer_byte(out, '}');
  }
  cloche__buffer_byte(out, ']');
}

static bool read_tools(cloche__config *config) {
  const cloche__json *tools = cloche__json_get(&config->doc.root, "tools");
  if (tools == NULL || tools->count == 0) {
    cloche__buffer_string(&config->definitions, "[]");
    return true;
  }
  config->tools = calloc(tools->count, sizeof *config->tools);
  if (config->tools == NULL) {
    cloche__complain("there is no memory for the tools");
    return false;
  }
  for (size_t i = 0; i < tools->count; i++)
    if (!read_tool(config, &tools->items[i], i)) return false;
  write_definitions(config);
  qsort(config->tools, config->tool_count, sizeof *config->tools, by_name);
  return names_differ(config);
}

/* ---- mounts ---- */

/* Relative to the configuration file, as all paths are. */
static char *host_path(cloche__config *config, const char *host) {
  size_t size = strlen(config->directory) + strlen(host) + 2;
  char *path = cloche__arena_take(&config->doc.arena, size, 1);
  if (path != NULL)
    snprintf(path, size, "%s%s%s", host[0] == '/' ? "" : config->directory,
             host[0] == '/' ? "" : "/", host);
  return path;
}

static bool read_mount(cloche__config *config, const cloche__json *json, size_t index) {
  char base[64];
  snprintf(base, sizeof base, "/mounts/%zu", index);
  if (!check_object(config, base, json, mount_fields, COUNT(mount_fields))) return false;
  const cloche__json *mode = cloche__json_get(json, "mode");
  bool writable = mode != NULL && cloche__json_is(mode, "rw");
  if (mode != NULL && !writable && !cloche__json_is(mode, "ro")) {
    cloche__config_complain(config, base, "\"mode\" is \"ro\" or \"rw\"");
    return false;
  }
  cloche_text guest = cloche__json_text(cloche__json_get(json, "guest"));
  char *host = c_string(&config->doc.arena, cloche__json_get(json, "host"));
  if (host == NULL || *host == '\0' || guest.len == 0 || guest.at[0] != '/') {
    cloche__config_complain(config, base,
                            "\"host\" is a folder here, \"guest\" a path from the root there");
    return false;
  }
  config->mounts[config->mount_count++] = (cloche__config_mount){
      .host = host_path(config, host), .guest = guest, .writable = writable, .index = index};
  return config->mounts[config->mount_count - 1].host != NULL;
}

static bool read_mounts(cloche__config *config) {
  const cloche__json *mounts = cloche__json_get(&config->doc.root, "mounts");
  if (mounts == NULL || mounts->count == 0) return true;
  config->mounts = calloc(mounts->count, sizeof *config->mounts);
  for (size_t i = 0; config->mounts != NULL && i < mounts->count; i++)
    if (!read_mount(config, &mounts->items[i], i)) return false;
  if (config->mounts == NULL) cloche__complain("there is no memory for the mounts");
  return config->mounts != NULL;
}

/* ---- policy ---- */

/* Without one nothing is allowed; the tools' schemas are checked all the same. */
static bool read_policy(cloche__config *config) {
  const cloche__json *policy = cloche__json_get(&config->doc.root, "policy");
  cloche__buffer text = {0};
  if (policy != NULL)
    cloche__json_write(policy, &text);
  else
    cloche__buffer_string(&text, "{\"rules\":[]}");
  cloche_problem problem = {.message = "there is no memory for the policy"};
  cloche_status status = CLOCHE_E_MEMORY;
  if (!text.failed && !config->definitions.failed)
    status =
        cloche_policy_load(cloche__buffer_view(&text), cloche__buffer_view(&config->definitions),
                           &config->policy, &problem);
  cloche__buffer_free(&text);
  if (status == CLOCHE_OK) return true;
  char pointer[POINTER_MAX];
  bool in_tools = strncmp(problem.path, "/tools", 6) == 0;
  snprintf(pointer, sizeof pointer, "%s%s", in_tools ? "" : "/policy", problem.path);
  cloche__config_complain(config, pointer, "%s", problem.message);
  return false;
}

/* Finds each tool's definition as a program sees it: they are in the same order, without those
 * that no rule allows. */
static bool show_tools(cloche__config *config) {
  char *text = NULL;
  size_t len = 0;
  bool shown =
      cloche_policy_tools(config->policy, cloche__buffer_view(&config->definitions), &text, &len) ==
          CLOCHE_OK &&
      cloche__json_parse((cloche_text){text, len}, NULL, &config->shown, NULL) == CLOCHE_OK;
  free(text);
  cloche__cli_tool **in_file = calloc(config->tool_count + 1, sizeof *in_file);
  shown &= in_file != NULL;
  for (size_t i = 0; shown && i < config->tool_count; i++)
    in_file[config->tools[i].index] = &config->tools[i];
  for (size_t i = 0, at = 0; shown && i < config->tool_count; i++)
    if (cloche_policy_may_allow(config->policy, in_file[i]->name))
      in_file[i]->shown = &config->shown.root.items[at++];
  free(in_file);
  if (!shown) cloche__complain("there is no memory for the tools");
  return shown;
}

/* ---- the file ---- */

static bool parse(cloche__config *config) {
  cloche__json_error error;
  cloche_status status =
      cloche__json_parse(cloche__buffer_view(&config->text), NULL, &config->doc, &error);
  if (status == CLOCHE_OK) return true;
  cloche__complain("%s:%zu:%zu: %s", config->path, error.line, error.column, error.message);
  return false;
}

static bool read_meaning(cloche__config *config) {
  const cloche__json *root = &config->doc.root;
  return check_object(config, "", root, top_fields, COUNT(top_fields)) &&
         check_environment(config, "/env", cloche__json_get(root, "env")) && read_limits(config) &&
         read_mounts(config) && read_tools(config) && read_policy(config) && show_tools(config);
}

bool cloche__config_load(const char *path, cloche__config *config) {
  *config = (cloche__config){.path = path};
  const char *slash = strrchr(path, '/');
  config->directory = slash == NULL   ? strdup(".")
                      : slash == path ? strdup("/")
                                      : strndup(path, (size_t)(slash - path));
  bool fine = config->directory != NULL &&
              cloche__file_read(path, "the configuration", CONFIG_MAX, &config->text) &&
              parse(config) && read_meaning(config);
  if (fine) return true;
  cloche__config_free(config);
  return false;
}

void cloche__config_free(cloche__config *config) {
  cloche_policy_free(config->policy);
  cloche__buffer_free(&config->definitions);
  cloche__buffer_free(&config->text);
  cloche__json_free(&config->doc);
  cloche__json_free(&config->shown);
  free(config->tools);
  free(config->mounts);
  free(config->directory);
  *config = (cloche__config){0};
}

const cloche__cli_tool *cloche__config_tool(const cloche__config *config, cloche_text name) {
  size_t low = 0, high = config->tool_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = compare_names(config->tools[middle].name, name);
    if (order == 0) return &config->tools[middle];
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}
