// SPDX-License-Identifier: MIT
/* tools_table.c -- finds tools by name.
 *
 * The host may grant ten thousand tools to a program that uses one, so nothing is built until a
 * program first asks for a tool (or for a global that does not exist), and then only names: one
 * scan of the definitions, one hash table. Definitions are parsed one at a time, when wanted. */
#include <string.h>

#include "../../abi/javascript.h"
#include "../kernel/kernel.h"
#include "engine.h"
#include "json.h"
#include "parts.h"
#include "tools.h"

#define CHUNK 16384u
/* The parent under which the "_" spellings of whole names are hashed. */
#define ALIASES UINT32_MAX

static tool_table table;

/* ---- memory ---- */

static void free_table(void) {
  JSRuntime *runtime = machine.runtime;
  for (uint32_t i = 0; i < table.node_count; i++) JS_FreeValueRT(runtime, table.nodes[i].value);
  for (uint32_t i = 0; i < table.chunk_count; i++) js_free_rt(runtime, table.chunks[i]);
  js_free_rt(runtime, table.chunks);
  js_free_rt(runtime, table.nodes);
  js_free_rt(runtime, table.tools);
  js_free_rt(runtime, table.slots);
  table = (tool_table){0};
}

static bool grow(JSContext *realm, void **at, uint32_t *room, uint32_t count, size_t each) {
  if (count < *room) return true;
  uint32_t more = *room == 0 ? 16 : *room * 2;
  void *grown = js_realloc(realm, *at, more * each);
  if (grown == NULL) return false;
  *at = grown;
  *room = more;
  return true;
}

static char *keep_name(JSContext *realm, const char *text, size_t size) {
  bool is_full = table.chunk_count == 0 || CHUNK - table.chunk_used < size + 1;
  if (is_full) {
    char **chunks = js_realloc(realm, table.chunks, (table.chunk_count + 1) * sizeof *chunks);
    if (chunks == NULL) return NULL;
    table.chunks = chunks;
    char *chunk = js_malloc(realm, size + 1 > CHUNK ? size + 1 : CHUNK);
    if (chunk == NULL) return NULL;
    table.chunks[table.chunk_count++] = chunk;
    table.chunk_used = 0;
  }
  char *kept = table.chunks[table.chunk_count - 1] + table.chunk_used;
  memcpy(kept, text, size);
  kept[size] = 0;
  table.chunk_used = size + 1 > CHUNK ? CHUNK : table.chunk_used + size + 1;
  return kept;
}

/* ---- the hash ---- */

static uint32_t hash_of(uint32_t parent, const char *key, size_t size) {
  uint32_t hash = 2166136261u ^ (parent * 2654435761u);
  for (size_t i = 0; i < size; i++) hash = (hash ^ (uint8_t)key[i]) * 16777619u;
  return hash ^ hash >> 15;
}

static bool is_separator(char c) {
  return c == '.' || c == '/' || c == '-' || c == ':';
}

/* The name of a tool, or a segment, where `key` is spelled with _ for each separator. */
static bool is_alias(const char *name, const char *key, size_t size) {
  for (size_t i = 0; i < size; i++)
    if (name[i] == 0 || (is_separator(name[i]) ? '_' : name[i]) != key[i]) return false;
  return name[size] == 0;
}

static bool slot_holds(uint32_t node, uint32_t parent, const char *key, size_t size) {
  const tool_node *at = &table.nodes[node];
  if (parent == ALIASES)
    return at->tool != 0 && is_alias(table.tools[at->tool - 1].name, key, size);
  return node != 0 && at->parent == parent && strncmp(at->segment, key, size) == 0 &&
         at->segment[size] == 0;
}

static uint32_t hash_find(uint32_t parent, const char *key, size_t size) {
  if (table.slots == NULL) return 0;
  for (uint32_t at = hash_of(parent, key, size);; at++) {
    uint32_t held = table.slots[at & table.slot_mask];
    if (held == 0) return 0;
    if (slot_holds(held - 1, parent, key, size)) return held - 1;
  }
}

static void hash_add(uint32_t parent, const char *key, size_t size, uint32_t node) {
  uint32_t at = hash_of(parent, key, size);
  while (table.slots[at & table.slot_mask] != 0) at++;
  table.slots[at & table.slot_mask] = node + 1;
}

/* ---- building ---- */

static uint32_t add_node(JSContext *realm, uint32_t parent, const char *segment, size_t size) {
  if (!grow(realm, (void **)&table.nodes, &table.node_room, table.node_count, sizeof(tool_node)))
    return 0;
  char *kept = keep_name(realm, segment, size);
  if (kept == NULL) return 0;
  uint32_t node = table.node_count++;
  table.nodes[node] = (tool_node){.segment = kept, .parent = parent, .value = JS_UNDEFINED};
  if (node == 0) return 0;
  tool_node *above = &table.nodes[parent];
  if (above->last != 0)
    table.nodes[above->last].next = node;
  else
    above->first = node;
  above->last = node;
  hash_add(parent, segment, size, node);
  return node;
}

static void skip_prefix(const char **name, size_t *size) {
  if (*size <= 4 || memcmp(*name, "mcp:", 4) != 0) return;
  *name += 4;
  *size -= 4;
}

static size_t segment_size(const char *name, size_t size) {
  size_t at = 0;
  while (at < size && name[at] != '/' && name[at] != '.') at++;
  return at;
}

/* Walks down a path, making what is missing when `make` is set. 0 when there is none. Shown tools
 * come first, so a node that is made for a hidden one has only such below it. */
static uint32_t walk(JSContext *realm, const char *name, size_t size, bool make) {
  uint32_t node = 0;
  for (;;) {
    size_t segment = segment_size(name, size);
    uint32_t child = hash_find(node, name, segment);
    if (child == 0 && make) child = add_node(realm, node, name, segment);
    if (child == 0 || segment == size) return child;
    node = child;
    name += segment + 1;
    size -= segment + 1;
  }
}

static bool add_tool(JSContext *realm, const char *name, size_t size, size_t from, size_t length) {
  skip_prefix(&name, &size);
  if (!grow(realm, (void **)&table.tools, &table.tool_room, table.tool_count, sizeof(tool_entry)))
    return false;
  uint32_t made = table.node_count, node = walk(realm, name, size, true);
  if (node == 0) return false;
  for (; made < table.node_count; made++) table.nodes[made].is_hidden = length == 0;
  if (table.nodes[node].tool != 0) return true; /* a second one of this name: the host refuses it */
  char *kept = keep_name(realm, name, size);
  if (kept == NULL) return false;
  for (char *c = kept; *c; c++)
    if (*c == '.') *c = '/';
  table.tools[table.tool_count++] = (tool_entry){kept, node, from, length};
  table.nodes[node].tool = table.tool_count;
  buffer alias = {0};
  for (const char *c = kept; *c; c++) buffer_char(&alias, is_separator(*c) ? '_' : *c);
  if (!alias.failed && hash_find(ALIASES, alias.at, alias.size) == 0)
    hash_add(ALIASES, alias.at, alias.size, node);
  buffer_free(&alias);
  return true;
}

/* ---- scanning the definitions ---- */

typedef struct {
  const char *start, *at, *end;
} scanner;

static void skip_space(scanner *s) {
  while (s->at < s->end && strchr(" \t\r\n", *s->at) != NULL && *s->at != 0) s->at++;
}

static void skip_string(scanner *s) {
  for (s->at++; s->at < s->end && *s->at != '"'; s->at++)
    if (*s->at == '\\') s->at++;
  if (s->at < s->end) s->at++;
}

static void skip_value(scanner *s) {
  int depth = 0;
  skip_space(s);
  while (s->at < s->end) {
    char c = *s->at;
    if (c == '"') {
      skip_string(s);
    } else {
      if (depth == 0 && (c == ',' || c == '}' || c == ']')) return;
      if (c == '{' || c == '[') depth++;
      if (c == '}' || c == ']') depth--;
      s->at++;
    }
    if (depth == 0 && (c == '"' || c == '}' || c == ']')) return;
  }
}

/* The name as it stands in the JSON, which may hold escapes. */
static bool add_named(JSContext *realm, const char *name, size_t name_size, size_t from,
                      size_t length) {
  size_t size;
  JSValue text = js_json_parse(realm, name, name_size);
  const char *decoded = JS_IsException(text) ? NULL : JS_ToCStringLen(realm, &size, text);
  JS_FreeValue(realm, text);
  if (decoded == NULL) return false;
  bool added = add_tool(realm, decoded, size, from, length);
  JS_FreeCString(realm, decoded);
  return added;
}

/* One definition: finds its "name". */
static bool scan_definition(JSContext *realm, scanner *s) {
  const char *from = s->at++;
  const char *name = NULL;
  size_t name_size = 0;
  for (skip_space(s); s->at < s->end && *s->at == '"'; skip_space(s)) {
    const char *key = s->at;
    skip_string(s);
    bool is_name = s->at - key == 6 && memcmp(key, "\"name\"", 6) == 0;
    skip_space(s);
    s->at++; /* the colon */
    skip_space(s);
    const char *value = s->at;
    skip_value(s);
    if (is_name && *value == '"') {
      name = value;
      name_size = (size_t)(s->at - value);
    }
    skip_space(s);
    if (s->at < s->end && *s->at == ',') s->at++;
  }
  if (s->at < s->end) s->at++; /* the brace */
  if (name == NULL) return true;
  return add_named(realm, name, name_size, (size_t)(from - s->start), (size_t)(s->at - from));
}

static bool scan_element(JSContext *realm, scanner *s) {
  const char *from = s->at;
  if (*from == '{') return scan_definition(realm, s);
  skip_value(s);
  return *from != '"' || add_named(realm, from, (size_t)(s->at - from), 0, 0);
}

static size_t count_definitions(scanner s) {
  size_t count = 0;
  for (s.at++; s.at < s.end; s.at++) {
    skip_value(&s);
    count++;
    skip_space(&s);
    if (s.at >= s.end || *s.at != ',') break;
  }
  return count;
}

static scanner scan_array(const char *text, size_t size) {
  scanner s = {text, text, text + size};
  skip_space(&s);
  return s;
}

static bool scan_elements(JSContext *realm, scanner s) {
  size_t count = s.at < s.end && *s.at == '[' ? count_definitions(s) : 0;
  for (s.at++; count-- > 0; s.at++) {
    skip_space(&s);
    if (s.at < s.end && !scan_element(realm, &s)) return false;
    skip_space(&s);
  }
  return true;
}

/* A path rarely has more than four segments; each takes a slot, and each name one for its alias. */
static size_t slots_for(scanner s) {
  size_t separators = 0;
  for (const char *c = s.at; c < s.end; c++) separators += *c == '/' || *c == '.';
  return (s.at < s.end && *s.at == '[' ? count_definitions(s) : 0) * 2 + separators;
}

static bool build(JSContext *realm) {
  size_t size;
  const char *text = tool_definitions(&size);
  scanner shown = scan_array(text, size);
  text = tool_hidden_names(&size);
  scanner hidden = scan_array(text, size);
  uint32_t slots = 16;
  size_t wanted = (slots_for(shown) + slots_for(hidden)) * 2;
  while (slots < wanted) slots *= 2;
  table.slots = js_mallocz(realm, slots * sizeof *table.slots);
  if (table.slots == NULL) return false;
  table.slot_mask = slots - 1;
  add_node(realm, 0, "", 0);
  return table.node_count > 0 && scan_elements(realm, shown) && scan_elements(realm, hidden);
}

tool_table *tools_table(JSContext *realm) {
  uint32_t generation = tool_generation();
  if (table.generation == generation) return &table;
  free_table();
  if (!build(realm)) {
    free_table();
    return NULL;
  }
  table.generation = generation;
  return &table;
}

/* ---- finding ---- */

uint32_t tools_child(tool_table *t, uint32_t parent, const char *key, size_t size) {
  uint32_t found = hash_find(parent, key, size);
  if (found != 0) return found;
  for (uint32_t at = t->nodes[parent].first; at != 0; at = t->nodes[at].next)
    if (is_alias(t->nodes[at].segment, key, size)) return at;
  return 0;
}

uint32_t tools_find_global(tool_table *t, const char *name, size_t size) {
  (void)t;
  uint32_t found = hash_find(0, name, size);
  return found != 0 ? found : hash_find(ALIASES, name, size);
}

uint32_t tools_find(tool_table *t, const char *name, size_t size) {
  skip_prefix(&name, &size);
  uint32_t found = tools_find_global(t, name, size);
  return found != 0 ? found : walk(NULL, name, size, false);
}

/* Edit distance with swaps, `most` + 1 when it is more; separators count as equal. */
static unsigned distance(const char *a, const char *b, unsigned most) {
  enum { LONGEST = 63 };
  size_t n = strlen(a), m = strlen(b);
  if (n > LONGEST || m > LONGEST || (n > m ? n - m : m - n) > most) return most + 1;
  unsigned rows[3][LONGEST + 1];
  for (size_t j = 0; j <= m; j++) rows[0][j] = (unsigned)j;
  for (size_t i = 1; i <= n; i++) {
    unsigned *now = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
    now[0] = (unsigned)i;
    for (size_t j = 1; j <= m; j++) {
      bool same = a[i - 1] == b[j - 1] || ((is_separator(a[i - 1]) || a[i - 1] == '_') &&
                                           (is_separator(b[j - 1]) || b[j - 1] == '_'));
      unsigned best = above[j - 1] + !same;
      if (above[j] + 1 < best) best = above[j] + 1;
      if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
          before[j - 2] + 1 < best)
        best = before[j - 2] + 1;
      now[j] = best;
    }
  }
  return rows[n % 3][m];
}

const tool_entry *tools_nearest(tool_table *t, const char *name) {
  size_t size = strlen(name);
  unsigned most = size < 4 ? 1 : size < 8 ? 2 : (unsigned)(size / 3);
  const tool_entry *best = NULL;
  for (uint32_t i = 0; i < t->tool_count; i++) {
    unsigned far = distance(t->tools[i].name, name, most);
    if (far > most || t->tools[i].size == 0) continue;
    best = &t->tools[i];
    if (far == 0) break;
    most = far - 1;
  }
  return best;
}

uint32_t tools_nearest_segment(tool_table *t, uint32_t parent, const char *name) {
  unsigned most = strlen(name) < 4 ? 1 : 2;
  uint32_t best = 0;
  for (uint32_t at = t->nodes[parent].first; at != 0 && most > 0; at = t->nodes[at].next) {
    unsigned far = distance(t->nodes[at].segment, name, most);
    if (far > most || t->nodes[at].is_hidden) continue;
    best = at;
    most = far == 0 ? 0 : far - 1;
  }
  return best;
}

/* ---- showing ---- */

JSValue tools_definition(JSContext *realm, const tool_entry *tool) {
  size_t size;
  const char *definitions = tool_definitions(&size);
  if (tool->size == 0) return JS_NewObject(realm);
  if (tool->from > size || tool->size > size - tool->from) return JS_UNDEFINED;
  return js_json_parse(realm, definitions + tool->from, tool->size);
}

static bool is_identifier(const char *text) {
  if (*text == 0 || (*text >= '0' && *text <= '9')) return false;
  for (; *text; text++)
    if (!((*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') ||
          (*text >= '0' && *text <= '9') || *text == '_' || *text == '$' || (*text & 0x80)))
      return false;
  return true;
}

void tools_put_expression(tool_table *t, uint32_t node, buffer *to) {
  const tool_node *at = &t->nodes[node];
  if (at->parent != 0) tools_put_expression(t, at->parent, to);
  bool is_plain = is_identifier(at->segment);
  bool is_ours = is_plain && !abi_javascript_has(at->segment, strlen(at->segment));
  if (at->parent == 0 && !is_ours) buffer_text(to, "tools");
  if (is_plain && !(at->parent == 0 && is_ours)) buffer_char(to, '.');
  if (is_plain) {
    buffer_text(to, at->segment);
  } else {
    buffer_char(to, '[');
    buffer_json_string(to, at->segment, strlen(at->segment));
    buffer_char(to, ']');
  }
}

static bool is_required(JSContext *realm, JSValueConst schema, JSAtom name) {
  JSAtom key = JS_NewAtom(realm, "required");
  JSValue list = engine_own_data(realm, schema, key);
  JS_FreeAtom(realm, key);
  int64_t length = 0;
  bool found = false;
  JSValue wanted = JS_AtomToString(realm, name);
  if (JS_IsArray(list)) JS_GetLength(realm, list, &length);
  for (int64_t i = 0; i < length && !found; i++) {
    JSValue item = JS_GetPropertyInt64(realm, list, i);
    found = JS_IsStrictEqual(realm, item, wanted);
    JS_FreeValue(realm, item);
  }
  JS_FreeValue(realm, wanted);
  JS_FreeValue(realm, list);
  return found;
}

static void put_parameter(JSContext *realm, JSValueConst schema, JSValueConst properties,
                          JSAtom name, buffer *to) {
  const char *text = JS_AtomToCString(realm, name);
  if (text == NULL) return;
  if (is_identifier(text))
    buffer_text(to, text);
  else
    buffer_json_string(to, text, strlen(text));
  JS_FreeCString(realm, text);
  buffer_text(to, is_required(realm, schema, name) ? ": " : "?: ");
  JSValue one = engine_own_data(realm, properties, name);
  JSAtom key = JS_NewAtom(realm, "type");
  JSValue type = engine_own_data(realm, one, key);
  const char *type_name = JS_IsString(type) ? JS_ToCString(realm, type) : NULL;
  buffer_text(to, type_name != NULL ? type_name : "any");
  JS_FreeCString(realm, type_name);
  JS_FreeAtom(realm, key);
  JS_FreeValue(realm, type);
  JS_FreeValue(realm, one);
}

void tools_put_usage(JSContext *realm, const tool_entry *tool, buffer *to) {
  tools_put_expression(&table, tool->node, to);
  JSValue definition = tools_definition(realm, tool);
  JSAtom schema_key = JS_NewAtom(realm, "input_schema"), list_key = JS_NewAtom(realm, "properties");
  JSValue schema = engine_own_data(realm, definition, schema_key);
  JSValue properties = engine_own_data(realm, schema, list_key);
  JSPropertyEnum *names = NULL;
  uint32_t count = 0;
  if (JS_IsObject(properties))
    JS_GetOwnPropertyNames(realm, &names, &count, properties, JS_GPN_STRING_MASK);
  buffer_text(to, count == 0 ? "({" : "({ ");
  for (uint32_t i = 0; i < count; i++) {
    if (i > 0) buffer_text(to, ", ");
    put_parameter(realm, schema, properties, names[i].atom, to);
  }
  buffer_text(to, count == 0 ? "})" : " })");
  if (names != NULL) JS_FreePropertyEnum(realm, names, count);
  JS_FreeAtom(realm, schema_key);
  JS_FreeAtom(realm, list_key);
  JS_FreeValue(realm, properties);
  JS_FreeValue(realm, schema);
  JS_FreeValue(realm, definition);
  if (JS_HasException(realm)) JS_FreeValue(realm, JS_GetException(realm));
}
