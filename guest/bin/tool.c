// SPDX-License-Identifier: MIT
/* tool.c -- call granted tools from the shell:
 *
 *   tool stripe.charges.create --amount 500 --items a --items b --meta.k v
 *
 * The schema says what each option's text becomes. Without a type in the schema a text that reads
 * as JSON number, true, false or null is that, anything else a string. */
#include "tool.h"

#include "bin.h"
#include "json.h"

/* "a/b/c", "a.b.c" and "mcp:a.b" are one name. */
static char *canonical(const char *name) {
  if (strncmp(name, "mcp:", 4) == 0) name += 4;
  char *copy = memory_string(name);
  for (char *at = copy; *at != 0; at++) {
    if (*at == '/') *at = '.';
  }
  return copy;
}

static json *definitions(void) {
  size_t size;
  const char *text = tool_definitions(&size);
  json *all = text == NULL ? NULL : json_parse(text, size, NULL);
  return all != NULL && all->kind == JSON_ARRAY ? all : json_new(JSON_ARRAY);
}

static const char *text_of(const json *object, const char *name) {
  const json *value = json_get(object, name);
  return value != NULL && value->kind == JSON_STRING ? value->text : "";
}

static const char *name_of(const json *definition) {
  return text_of(definition, "name");
}

static json *schema_of(const json *definition) {
  json *schema = json_get(definition, "input_schema");
  return schema != NULL ? schema : json_get(definition, "inputSchema");
}

static json *find_tool(const json *all, const char *name) {
  char *wanted = canonical(name);
  for (json *each = all->first; each != NULL; each = each->next) {
    if (strcmp(canonical(name_of(each)), wanted) == 0) return each;
  }
  return NULL;
}

/* One that no rule allows and nothing lists: the gate is to say so. A definition without a schema,
 * or NULL. */
static json *find_hidden(const char *name) {
  size_t size;
  const char *text = tool_hidden_names(&size);
  const json *all = json_parse(text, size, NULL);
  char *wanted = canonical(name);
  for (json *each = all == NULL ? NULL : all->first; each != NULL; each = each->next) {
    if (each->kind != JSON_STRING || strcmp(canonical(each->text), wanted) != 0) continue;
    json *found = json_new(JSON_OBJECT);
    json_set(found, "name", json_string(each->text, strlen(each->text)));
    return found;
  }
  return NULL;
}

char *tool_by_last_name(const char *name) {
  const json *all = definitions();
  char *found = NULL;
  for (const json *each = all->first; each != NULL; each = each->next) {
    char *full = canonical(name_of(each));
    const char *dot = strrchr(full, '.');
    if (strcmp(dot != NULL ? dot + 1 : full, name) != 0) continue;
    if (found != NULL) return NULL;
    found = full;
  }
  return found;
}

/* Ends the process: no tool is meant by `name`. */
static _Noreturn void no_tool(bin *b, const char *name) {
  const json *all = definitions();
  text alike = {0};
  for (const json *each = all->first; each != NULL; each = each->next) {
    char *full = canonical(name_of(each));
    const char *dot = strrchr(full, '.');
    if (strcmp(dot != NULL ? dot + 1 : full, name) == 0)
      text_format(&alike, "%s%s", alike.len > 0 ? ", " : "", full);
  }
  if (alike.len > 0)
    bin_warn(b, "%s may be any of %s; write the whole name", quote_always(name), text_end(&alike));
  else
    bin_warn(b, "there is no tool %s; `tool --list` shows those there are", quote_always(name));
  bin_exit(b, 2);
}

/* ---- what a schema says ---- */

/* Whether the schema's type is, or may be, this one. */
static bool has_type(const json *schema, const char *type) {
  const json *given = json_get(schema, "type");
  if (given != NULL && given->kind == JSON_STRING) return strcmp(given->text, type) == 0;
  if (given != NULL && given->kind == JSON_ARRAY) {
    for (const json *each = given->first; each != NULL; each = each->next) {
      if (each->kind == JSON_STRING && strcmp(each->text, type) == 0) return true;
    }
    return false;
  }
  static const char *const choices[] = {"anyOf", "oneOf"};
  for (size_t i = 0; i < 2; i++) {
    const json *any = json_get(schema, choices[i]);
    for (const json *each = any != NULL ? any->first : NULL; each != NULL; each = each->next) {
      if (has_type(each, type)) return true;
    }
  }
  return false;
}

/* "integer", "string or null", "array of integer", "USD or EUR", "any". malloc'd. */
static char *type_name(const json *schema) {
  static const char *const types[] = {"string", "integer", "number", "boolean",
                                      "array",  "object",  "null"};
  text names = {0};
  const json *allowed = json_get(schema, "enum");
  for (const json *one = allowed != NULL ? allowed->first : NULL; one != NULL; one = one->next) {
    text_string(&names, names.len > 0 ? " or " : "");
    if (one->kind == JSON_STRING)
      text_string(&names, one->text);
    else
      json_write(&names, one);
  }
  for (size_t i = 0; i < sizeof types / sizeof types[0] && allowed == NULL; i++) {
    if (!has_type(schema, types[i])) continue;
    text_format(&names, "%s%s", names.len > 0 ? " or " : "", types[i]);
    const json *items = strcmp(types[i], "array") == 0 ? json_get(schema, "items") : NULL;
    if (items != NULL) text_format(&names, " of %s", type_name(items));
  }
  return names.len > 0 ? text_end(&names) : memory_string("any");
}

static bool is_untyped(const json *schema) {
  static const char *const types[] = {"string", "integer", "number", "boolean",
                                      "array",  "object",  "null"};
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    if (has_type(schema, types[i])) return false;
  }
  return true;
}

static json *parse_plain(const char *value) {
  json *read = json_parse(value, strlen(value), NULL);
  return read;
}

static bool is_integer(const char *value) {
  size_t sign = *value == '-';
  size_t digits = strspn(value + sign, "0123456789");
  return digits > 0 && value[sign + digits] == 0 && (value[sign] != '0' || digits == 1);
}

/* The value that the text stands for; NULL when the type does not allow it. */
static json *convert(const json *schema, const char *value) {
  json *read = parse_plain(value);
  json_kind kind = read != NULL ? read->kind : JSON_STRING;
  if (is_untyped(schema)) {
    const json *allowed = json_get(schema, "enum"), *one = allowed != NULL ? allowed->first : NULL;
    if (one != NULL && one->kind == JSON_STRING) return json_string(value, strlen(value));
    return read != NULL && kind != JSON_STRING ? read : json_string(value, strlen(value));
  }
  if (has_type(schema, "integer") && is_integer(value)) return read;
  if (has_type(schema, "number") && kind == JSON_NUMBER && read != NULL) return read;
  if (has_type(schema, "boolean") && read != NULL && (kind == JSON_TRUE || kind == JSON_FALSE))
    return read;
  if (has_type(schema, "null") && read != NULL && kind == JSON_NULL) return read;
  if (has_type(schema, "object") && read != NULL && kind == JSON_OBJECT) return read;
  if (has_type(schema, "array") && read != NULL && kind == JSON_ARRAY) return read;
  if (has_type(schema, "string")) return json_string(value, strlen(value));
  return NULL;
}

/* ---- building the argument ---- */

typedef struct {
  bin *b;
  const char *tool;
  const json *schema;
  json *argument;
} call;

static _Noreturn void refuse(call *c, const char *option, const char *value, const json *schema) {
  bin_warn(c->b, "%s: --%s: %s is not of type %s", c->tool, option, quote_always(value),
           type_name(schema));
  bin_exit(c->b, 2);
}

static _Noreturn void unknown(call *c, const char *option, const json *schema) {
  text known = {0};
  const json *properties = json_get(schema, "properties");
  for (const json *each = properties != NULL ? properties->first : NULL; each != NULL;
       each = each->next) {
    text_format(&known, "%s--%s", known.len > 0 ? ", " : "", each->name);
  }
  bin_warn(c->b, "%s: there is no option --%s; known are: %s", c->tool, option,
           known.len > 0 ? text_end(&known) : "none");
  bin_exit(c->b, 2);
}

/* Whether the schema lists its properties and takes no others. */
static bool is_closed(const json *schema) {
  const json *properties = json_get(schema, "properties"),
             *more = json_get(schema, "additionalProperties");
  return properties != NULL && properties->kind == JSON_OBJECT &&
         (more == NULL || more->kind == JSON_FALSE);
}

/* The schema of a property. With dashes for underscores when that is what there is: --max-items. */
static const json *property(const json *schema, char **name) {
  const json *properties = json_get(schema, "properties"), *found = json_get(properties, *name);
  if (found != NULL || strchr(*name, '-') == NULL) return found;
  char *other = memory_string(*name);
  for (char *at = other; *at != 0; at++) {
    if (*at == '-') *at = '_';
  }
  found = json_get(properties, other);
  if (found != NULL) *name = other;
  return found;
}

static void set_option(call *c, const char *option, const char *value) {
  json *object = c->argument;
  const json *schema = c->schema;
  const char *at = option;
  for (;;) {
    size_t size = strcspn(at, ".");
    char *name = memory_copy(at, size);
    const json *inner = property(schema, &name);
    if (inner == NULL && is_closed(schema)) unknown(c, option, schema);
    if (at[size] == 0) {
      const json *there = json_get(object, name);
      if (inner != NULL && has_type(inner, "array")) {
        json *list = there != NULL && there->kind == JSON_ARRAY ? (json *)(uintptr_t)there
                                                                : json_new(JSON_ARRAY);
        json *whole = parse_plain(value);
        if (whole != NULL && whole->kind == JSON_ARRAY && there == NULL) {
          list = whole;
        } else {
          const json *items = json_get(inner, "items");
          json *item = convert(items, value);
          if (item == NULL) refuse(c, option, value, items);
          json_push(list, item);
        }
        if (there == NULL) json_set(object, name, list);
        return;
      }
      json *converted = convert(inner, value);
      if (converted == NULL) refuse(c, option, value, inner);
      json_set(object, name, converted);
      return;
    }
    json *below = json_get(object, name);
    if (below == NULL || below->kind != JSON_OBJECT) {
      json_set(object, name, json_new(JSON_OBJECT));
      below = json_get(object, name);
    }
    object = below;
    schema = inner;
    at += size + 1;
  }
}

static bool is_boolean(call *c, const char *option) {
  const json *schema = c->schema;
  for (const char *at = option;;) {
    size_t size = strcspn(at, ".");
    char *name = memory_copy(at, size);
    schema = property(schema, &name);
    if (at[size] == 0) return schema != NULL && has_type(schema, "boolean");
    at += size + 1;
  }
}

static void set_json(call *c, const char *value) {
  size_t size = strlen(value), at;
  if (strcmp(value, "-") == 0) {
    input in;
    input_open_fd(&in, 0);
    value = input_all(&in, &size);
  }
  json *given = json_parse(value, size, &at);
  if (given == NULL || given->kind != JSON_OBJECT) {
    if (given != NULL)
      bin_warn(c->b, "%s: --json wants an object", c->tool);
    else
      bin_warn(c->b, "%s: --json is not valid JSON, at byte %zu", c->tool, at + 1);
    bin_exit(c->b, 2);
  }
  for (json *member = given->first, *next; member != NULL; member = next) {
    next = member->next;
    member->next = NULL;
    json_set(c->argument, member->name, member);
  }
}

static void read_options(call *c, int argc, char **argv) {
  for (int i = 0; i < argc; i++) {
    if (strncmp(argv[i], "--", 2) != 0 || argv[i][2] == 0) {
      bin_warn(c->b, "%s: options look like --NAME VALUE; what is %s?", c->tool,
               quote_always(argv[i]));
      bin_exit(c->b, 2);
    }
    char *option = memory_string(argv[i] + 2), *equals = strchr(option, '=');
    const char *value = NULL;
    if (equals != NULL) {
      *equals = 0;
      value = equals + 1;
    }
    bool next_is_option = i + 1 < argc && strncmp(argv[i + 1], "--", 2) == 0;
    if (value == NULL && is_boolean(c, option) &&
        (i + 1 >= argc || next_is_option ||
         (strcmp(argv[i + 1], "true") != 0 && strcmp(argv[i + 1], "false") != 0))) {
      value = "true";
    } else if (value == NULL && strncmp(option, "no-", 3) == 0 && is_boolean(c, option + 3)) {
      option += 3;
      value = "false";
    }
    if (value == NULL) {
      if (i + 1 >= argc) {
        bin_warn(c->b, "%s: --%s wants a value", c->tool, option);
        bin_exit(c->b, 2);
      }
      value = argv[++i];
    }
    if (strcmp(option, "json") == 0 && json_get(json_get(c->schema, "properties"), "json") == NULL)
      set_json(c, value);
    else
      set_option(c, option, value);
  }
}

static void check_required(call *c) {
  const json *required = json_get(c->schema, "required");
  for (const json *each = required != NULL ? required->first : NULL; each != NULL;
       each = each->next) {
    if (each->kind != JSON_STRING || json_get(c->argument, each->text) != NULL) continue;
    bin_warn(c->b, "%s: --%s is required", c->tool, each->text);
    bin_exit(c->b, 2);
  }
}

/* ---- help ---- */

static void print_help(bin *b, const json *tool) {
  const json *schema = schema_of(tool), *properties = json_get(schema, "properties"),
             *required = json_get(schema, "required");
  output_format(&b->out, "Usage: tool %s", canonical(name_of(tool)));
  for (const json *each = required != NULL ? required->first : NULL; each != NULL;
       each = each->next) {
    if (each->kind == JSON_STRING) output_format(&b->out, " --%s VALUE", each->text);
  }
  output_string(&b->out, " [--NAME VALUE]... [--json OBJECT|-]\n");
  const char *description = text_of(tool, "description");
  if (*description != 0) output_format(&b->out, "%s\n", description);
  for (const json *each = properties != NULL ? properties->first : NULL; each != NULL;
       each = each->next) {
    output_format(&b->out, "  --%-24s %s", each->name, type_name(each));
    const char *what = text_of(each, "description");
    if (*what != 0) output_format(&b->out, ": %s", what);
    output_byte(&b->out, '\n');
  }
}

static void print_list(bin *b, const json *all, const char *prefix) {
  char *wanted = canonical(prefix);
  for (const json *each = all->first; each != NULL; each = each->next) {
    char *name = canonical(name_of(each));
    if (strncmp(name, wanted, strlen(wanted)) != 0) continue;
    const char *what = text_of(each, "description");
    size_t line = strcspn(what, "\n");
    if (line > 0)
      output_format(&b->out, "%-32s %.*s\n", name, (int)line, what);
    else
      output_format(&b->out, "%s\n", name);
  }
}

/* ---- the call ---- */

static int report(bin *b, const char *tool, const char *answer, size_t size) {
  const json *failure = json_parse(answer, size, NULL);
  const char *name = text_of(failure, "name"), *message = text_of(failure, "message");
  if (*message != 0)
    bin_warn(b, "%s: %s%s%s", tool, name, *name != 0 ? ": " : "", message);
  else
    bin_warn(b, "%s: failed: %.*s", tool, (int)size, answer);
  return 1;
}

static int perform(bin *b, const char *tool, const json *argument) {
  text written = {0};
  char *answer = NULL;
  size_t size = 0;
  json_write(&written, argument);
  int result = tool_call(tool, written.at, written.len, &answer, &size);
  if (result == 0) {
    output_write(&b->out, answer, size);
    output_byte(&b->out, '\n');
  } else if (result == 1) {
    b->status = report(b, tool, answer, size);
  } else {
    bin_error(b, "%s: %s", tool,
              result == -EAGAIN      ? "too many calls are in flight"
              : result == -E2BIG     ? "the argument is too large"
              : result == -ECANCELED ? "the run is ending"
                                     : error_text(result));
  }
  return bin_end(b);
}

/* `named`: how the user called it. argv begins behind that. */
static int call_tool(bin *b, const char *named, int argc, char **argv) {
  const json *all = definitions(), *tool = find_tool(all, named);
  if (tool == NULL) {
    char *full = tool_by_last_name(named);
    tool = full != NULL ? find_tool(all, full) : find_hidden(named);
  }
  if (tool == NULL) {
    /* The gate knows best what is there: it answers, and records the attempt. */
    if (all->first == NULL) return perform(b, canonical(named), json_new(JSON_OBJECT));
    no_tool(b, named);
  }
  call c = {.b = b,
            .tool = canonical(name_of(tool)),
            .schema = schema_of(tool),
            .argument = json_new(JSON_OBJECT)};
  if (argc == 1 && strcmp(argv[0], "--help") == 0) {
    print_help(b, tool);
    return bin_end(b);
  }
  read_options(&c, argc, argv);
  check_required(&c);
  return perform(b, c.tool, c.argument);
}

int tool_run(const char *tool, int argc, char **argv, char **environment) {
  bin b;
  bin_start(&b, "tool", environment);
  return call_tool(&b, tool, argc - 1, argv + 1);
}

static int tool_main(int argc, char **argv, char **environment) {
  bin b;
  bin_start(&b, "tool", environment);
  const char *first = argc > 1 ? argv[1] : "";
  if (strcmp(first, "--list") == 0) {
    print_list(&b, definitions(), argc > 2 ? argv[2] : "");
    return bin_end(&b);
  }
  if (strcmp(first, "--help") == 0 && argc > 2) {
    const json *tool = find_tool(definitions(), argv[2]);
    char *full = tool == NULL ? tool_by_last_name(argv[2]) : NULL;
    if (full != NULL) tool = find_tool(definitions(), full);
    if (tool == NULL) no_tool(&b, argv[2]);
    print_help(&b, tool);
    return bin_end(&b);
  }
  if (*first == 0 || *first == '-') {
    output *out = &b.out;
    output_format(out, "Usage: %s\n", command_find("tool")->usage);
    if (strcmp(first, "--help") == 0) return bin_end(&b);
    out->fd = 2;
    bin_end(&b);
    return 2;
  }
  return call_tool(&b, first, argc - 2, argv + 2);
}

const command command_tool = {
    .name = "tool",
    .main = tool_main,
    .usage =
        "tool NAME [--OPTION VALUE]... [--json OBJECT|-]\n"
        "   or: tool --list [PREFIX]\n   or: tool --help NAME",
    .options =
        "--list [PREFIX]\tthe granted tools\n"
        "--help NAME\twhat NAME takes\n"
        "--json OBJECT\tthe whole argument, or with - from standard input\n"
        "--NAME VALUE\ta member of the argument; again for arrays, --a.b for nested",
    .stack = 131072};
