// SPDX-License-Identifier: MIT
/* tools.c -- granted tools as a program calls them, and the calls in flight.
 *
 * `tools` and the objects below it have no prototype and give only what was granted: an inherited
 * name is no tool. The same names stand as globals through an object between the global object and
 * Object.prototype, which is asked only for names that no global has, so a run that calls no tool
 * pays nothing. A global of JavaScript wins over a tool's name; `tools.NAME` always works. */
#include "tools.h"

#include <stdio.h>

#include "../kernel/kernel.h"
#include "engine.h"
#include "json.h"
#include "parts.h"

static JSClassID tools_class, globals_class;
static JSValue tool_error, capability_error;

/* ---- calls in flight: ids rise, so the list is sorted; dead ones go when they are the most ----
 */

typedef struct tool_promise {
  int64_t id;
  bool is_alive;
  uint32_t tool;
  JSValue promise, resolve, reject;
  engine_place *place; /* in the program; for the error, should it become one */
} call;

static call *calls;
static uint32_t call_count, call_room, calls_alive;

static void end_call(call *old) {
  if (!old->is_alive) return;
  old->is_alive = false;
  calls_alive--;
  JS_FreeValueRT(machine.runtime, old->promise);
  JS_FreeValueRT(machine.runtime, old->resolve);
  JS_FreeValueRT(machine.runtime, old->reject);
  engine_place_free(machine.runtime, old->place);
}

static bool reserve_call(JSContext *realm) {
  if (call_count == call_room && calls_alive * 2 < call_count) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < call_count; i++)
      if (calls[i].is_alive) calls[kept++] = calls[i];
    call_count = kept;
  }
  if (call_count < call_room) return true;
  uint32_t room = call_room == 0 ? 8 : call_room * 2;
  call *grown = js_realloc(realm, calls, room * sizeof *calls);
  if (grown == NULL) return false;
  calls = grown;
  call_room = room;
  return true;
}

static call *find_call(int64_t id) {
  uint32_t from = 0, to = call_count;
  while (from < to) {
    uint32_t middle = from + (to - from) / 2;
    if (calls[middle].id < id)
      from = middle + 1;
    else
      to = middle;
  }
  return from < call_count && calls[from].id == id && calls[from].is_alive ? &calls[from] : NULL;
}

int tools_pending(void) {
  return (int)calls_alive;
}

void tools_exchange(tools_state *other) {
  tools_state was = {calls, call_count, call_room, calls_alive};
  calls = other->calls;
  call_count = other->count;
  call_room = other->room;
  calls_alive = other->alive;
  *other = was;
}

void tools_drop(void) {
  if (calls == NULL) return;
  for (uint32_t i = 0; i < call_count; i++) end_call(&calls[i]);
  js_free_rt(machine.runtime, calls);
  calls = NULL;
  call_count = call_room = 0;
}

/* ---- errors ---- */

/* A ToolError or CapabilityError from what the host sent about it. */
static JSValue new_failure(JSContext *realm, JSValueConst details) {
  JSAtom keys[] = {JS_NewAtom(realm, "name"), JS_NewAtom(realm, "message")};
  JSValue name = engine_own_data(realm, details, keys[0]);
  JSValue message = engine_own_data(realm, details, keys[1]);
  const char *text = JS_IsString(name) ? JS_ToCString(realm, name) : NULL;
  bool is_denial = text != NULL && strcmp(text, "CapabilityError") == 0;
  for (int i = 0; i < 2; i++) JS_DeleteProperty(realm, details, keys[i], 0);
  JSValueConst arguments[] = {message, details};
  JSValue error =
      JS_CallConstructor(realm, is_denial ? capability_error : tool_error, 2, arguments);
  JS_FreeCString(realm, text);
  JS_FreeValue(realm, name);
  JS_FreeValue(realm, message);
  for (int i = 0; i < 2; i++) JS_FreeAtom(realm, keys[i]);
  return error;
}

static JSValue new_refusal(JSContext *realm, const char *tool, const char *code,
                           const char *message) {
  JSValue details = JS_NewObject(realm);
  JS_SetPropertyStr(realm, details, "name", JS_NewString(realm, "CapabilityError"));
  JS_SetPropertyStr(realm, details, "message", JS_NewString(realm, message));
  JS_SetPropertyStr(realm, details, "tool", JS_NewString(realm, tool));
  JS_SetPropertyStr(realm, details, "code", JS_NewString(realm, code));
  JSValue error = new_failure(realm, details);
  JS_FreeValue(realm, details);
  return error;
}

/* A promise rejected with the pending exception, so that a bad call fails as any other call does.
 */
static JSValue rejected(JSContext *realm) {
  JSValue error = JS_GetException(realm);
  if (JS_IsUncatchableError(error)) return JS_Throw(realm, error);
  JSValue promise = JS_NewSettledPromise(realm, true, error);
  JS_FreeValue(realm, error);
  return promise;
}

static JSValue refuse_argument(JSContext *realm, const tool_entry *tool, int count,
                               JSValueConst *values) {
  buffer text = {0};
  tools_put_expression(tools_table(realm), tool->node, &text);
  buffer_text(&text, " takes exactly one object, ");
  if (count == 0)
    buffer_text(&text, "not nothing");
  else if (count > 1)
    buffer_format(&text, "not %d arguments", count);
  else if (JS_IsArray(values[0]))
    buffer_text(&text, "not an array");
  else
    buffer_format(&text, "not %s",
                  JS_IsNull(values[0])              ? "null"
                  : JS_IsUndefined(values[0])       ? "undefined"
                  : JS_IsString(values[0])          ? "a string"
                  : JS_IsNumber(values[0])          ? "a number"
                  : JS_IsBool(values[0])            ? "a boolean"
                  : JS_IsFunction(realm, values[0]) ? "a function"
                  : JS_IsObject(values[0])          ? engine_kind(realm, values[0])
                                                    : "a symbol or a BigInt");
  buffer_text(&text, "; call it as ");
  tools_put_usage(realm, tool, &text);
  JSValue error = JS_NewTypeError(realm, "%s", "");
  JS_DefinePropertyValueStr(realm, error, "message",
                            JS_NewStringLen(realm, buffer_string(&text), text.size),
                            JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE);
  buffer_free(&text);
  JS_Throw(realm, error);
  return rejected(realm);
}

/* ---- calling ---- */

static JSValue refuse_call(JSContext *realm, const tool_entry *tool, int64_t why) {
  char message[160];
  JSValue error;
  if (why == -EAGAIN) {
    snprintf(message, sizeof message,
             "%d calls are in flight, which is the limit; await some first", tools_pending());
    error = new_refusal(realm, tool->name, "limit.in_flight", message);
  } else if (why == -E2BIG) {
    error = new_refusal(realm, tool->name, "limit.argument", "the argument is too large");
  } else {
    return JS_ThrowOutOfMemory(realm);
  }
  JS_Throw(realm, error);
  return rejected(realm);
}

static JSValue start_call(JSContext *realm, uint32_t which, const tool_entry *tool, buffer *json) {
  JSValue functions[2];
  if (!reserve_call(realm)) return JS_EXCEPTION;
  JSValue promise = JS_NewPromiseCapability(realm, functions);
  if (JS_IsException(promise)) return promise;
  int64_t id = call_begin(tool->name, json->at, json->size);
  if (id > 0) {
    calls[call_count++] = (call){.id = id,
                                 .is_alive = true,
                                 .tool = which,
                                 .promise = JS_DupValue(realm, promise),
                                 .resolve = functions[0],
                                 .reject = functions[1],
                                 .place = engine_place_note(realm)};
    calls_alive++;
    return promise;
  }
  JS_FreeValue(realm, functions[0]);
  JS_FreeValue(realm, functions[1]);
  if (id == -ECANCELED) return promise; /* the run is ending; nothing waits for this any more */
  JS_FreeValue(realm, promise);
  return refuse_call(realm, tool, id);
}

/* Plain objects, and what a program made of classes of its own. */
static bool is_one_object(JSContext *realm, int count, JSValueConst *values) {
  if (count != 1 || !JS_IsObject(values[0]) || JS_IsArray(values[0])) return false;
  const char *kind = engine_kind(realm, engine_behind_proxies(values[0]));
  return strcmp(kind, "Object") == 0 || strcmp(kind, "Arguments") == 0;
}

static JSValue call_tool(JSContext *realm, JSValueConst self, int count, JSValueConst *values,
                         int magic, JSValueConst *data) {
  (void)self;
  (void)magic;
  uint32_t generation, which;
  JS_ToUint32(realm, &generation, data[0]);
  JS_ToUint32(realm, &which, data[1]);
  tool_table *table = tools_table(realm);
  if (table == NULL) return JS_EXCEPTION;
  if (table->generation != generation || which >= table->tool_count) {
    JS_ThrowTypeError(realm, "this tool is no longer granted; look it up again");
    return rejected(realm);
  }
  const tool_entry *tool = &table->tools[which];
  if (!is_one_object(realm, count, values)) return refuse_argument(realm, tool, count, values);
  buffer json = {0};
  JSValue promise;
  if (js_json_write(realm, values[0], JSON_ARGUMENT, &json) != JSON_WRITTEN)
    promise = rejected(realm);
  else if (json.at[0] != '{') /* toJSON gave something else */
    promise = refuse_argument(realm, tool, count, values);
  else
    promise = start_call(realm, which, tool, &json);
  buffer_free(&json);
  return promise;
}

static void settle_with(JSContext *realm, call *done, bool failed, JSValue value) {
  JSValue result = JS_Call(realm, failed ? done->reject : done->resolve, JS_UNDEFINED, 1,
                           (JSValueConst *)&value);
  JS_FreeValue(realm, result);
  JS_FreeValue(realm, value);
}

/* What to tell of an answer for which the exception that is pending was thrown. Memory that has run
 * out stays what it is. */
static JSValue unreadable(JSContext *realm) {
  JSValue error = JS_GetException(realm);
  if (engine_limit_of(realm, error) != ENGINE_NO_LIMIT) return error;
  JSAtom key = JS_NewAtom(realm, "message");
  JSValue why = engine_own_data(realm, error, key);
  const char *text = JS_ToCString(realm, why);
  buffer message = {0};
  buffer_format(&message, "the tool's answer cannot be used: %s", text == NULL ? "" : text);
  JS_FreeCString(realm, text);
  JS_FreeValue(realm, why);
  JS_FreeAtom(realm, key);
  JS_FreeValue(realm, error);
  JSValue details = JS_NewObject(realm);
  JS_SetPropertyStr(realm, details, "name", JS_NewString(realm, "ToolError"));
  JS_SetPropertyStr(realm, details, "message",
                    JS_NewStringLen(realm, buffer_string(&message), message.size));
  JS_SetPropertyStr(realm, details, "code", JS_NewString(realm, "tool.answer"));
  buffer_free(&message);
  return details;
}

/* The error that a call is rejected with. Takes what the host sent about it. */
static JSValue failure_of(JSContext *realm, const call *done, JSValue details) {
  if (engine_limit_of(realm, details) != ENGINE_NO_LIMIT) return details;
  const tool_table *table = tools_table(realm);
  if (table != NULL && done->tool < table->tool_count && JS_IsObject(details))
    JS_SetPropertyStr(realm, details, "tool", JS_NewString(realm, table->tools[done->tool].name));
  JSValue error = new_failure(realm, details);
  JS_FreeValue(realm, details);
  if (JS_IsException(error)) error = JS_GetException(realm);
  engine_set_frames(realm, error, engine_place_frames(realm, done->place, done->promise));
  return error;
}

void tools_settle(int64_t id, bool failed, char *json, size_t size) {
  JSContext *realm = machine.realm;
  call *done = find_call(id);
  if (done == NULL) {
    free(json);
    return;
  }
  JSValue value = js_json_parse(realm, json, size);
  free(json);
  if (JS_IsException(value)) {
    failed = true;
    value = unreadable(realm);
  }
  if (failed) value = failure_of(realm, done, value);
  /* The list may move while resolve runs: a thenable's getter can start another call. */
  call copy = *done;
  copy.promise = JS_DupValue(realm, copy.promise);
  copy.resolve = JS_DupValue(realm, copy.resolve);
  copy.reject = JS_DupValue(realm, copy.reject);
  end_call(done);
  settle_with(realm, &copy, failed, value);
  JS_FreeValue(realm, copy.promise);
  JS_FreeValue(realm, copy.resolve);
  JS_FreeValue(realm, copy.reject);
}

/* ---- what a program sees ---- */

static JSValue new_function(JSContext *realm, const tool_table *table, uint32_t node) {
  uint32_t which = table->nodes[node].tool - 1;
  JSValueConst data[] = {JS_NewUint32(realm, table->generation), JS_NewUint32(realm, which)};
  return JS_NewCFunctionData2(realm, call_tool, table->nodes[node].segment, 1, 0, 2, data);
}

static JSValue new_folder(JSContext *realm, uint32_t node) {
  JSValue folder = JS_NewObjectProtoClass(realm, JS_NULL, tools_class);
  if (!JS_IsException(folder)) JS_SetOpaque(folder, (void *)(uintptr_t)node);
  return folder;
}

JSValueConst tools_value(JSContext *realm, tool_table *table, uint32_t node) {
  tool_node *at = &table->nodes[node];
  if (!JS_IsUndefined(at->value)) return at->value;
  JSValue value = at->tool != 0 ? new_function(realm, table, node) : new_folder(realm, node);
  if (JS_IsException(value)) return JS_EXCEPTION;
  at->value = value;
  /* A tool with others below it: a function with properties. */
  if (at->tool != 0)
    for (uint32_t child = at->first; child != 0; child = table->nodes[child].next)
      JS_DefinePropertyValueStr(realm, value, table->nodes[child].segment,
                                JS_DupValue(realm, tools_value(realm, table, child)),
                                JS_PROP_C_W_E);
  return value;
}

/* The text of a string key; NULL for a symbol. */
static const char *key_text(JSContext *realm, JSAtom key, size_t *size) {
  JSValue value = JS_AtomToValue(realm, key);
  const char *text = JS_IsSymbol(value) ? NULL : JS_AtomToCStringLen(realm, size, key);
  JS_FreeValue(realm, value);
  return text;
}

static int give(JSContext *realm, tool_table *table, uint32_t node, JSPropertyDescriptor *to) {
  JSValueConst value = tools_value(realm, table, node);
  if (JS_IsException(value)) return -1;
  if (to == NULL) return 1;
  *to = (JSPropertyDescriptor){.flags = JS_PROP_C_W_E,
                               .getter = JS_UNDEFINED,
                               .setter = JS_UNDEFINED,
                               .value = JS_DupValue(realm, value)};
  return 1;
}

static uint32_t folder_node(JSValueConst folder) {
  return (uint32_t)(uintptr_t)JS_GetOpaque(folder, tools_class);
}

static tools_missed missed;

const tools_missed *tools_last_missed(void) {
  return &missed;
}

static void note_missed(uint32_t parent, const char *key) {
  missed.parent = parent;
  snprintf(missed.key, sizeof missed.key, "%s", key);
}

static int folder_get(JSContext *realm, JSPropertyDescriptor *to, JSValueConst folder, JSAtom key) {
  size_t size;
  const char *text = key_text(realm, key, &size);
  if (text == NULL) return 0;
  tool_table *table = tools_table(realm);
  uint32_t parent = folder_node(folder), node = 0;
  if (table != NULL && parent < table->node_count) {
    node = tools_child(table, parent, text, size);
    if (node == 0 && parent == 0) node = tools_find(table, text, size);
    if (node == 0) note_missed(parent, text);
  }
  JS_FreeCString(realm, text);
  if (table == NULL) return -1;
  return node == 0 ? 0 : give(realm, table, node, to);
}

static int folder_names(JSContext *realm, JSPropertyEnum **names, uint32_t *count,
                        JSValueConst folder) {
  tool_table *table = tools_table(realm);
  uint32_t parent = folder_node(folder), found = 0;
  *names = NULL;
  *count = 0;
  if (table == NULL) return -1;
  if (parent >= table->node_count) return 0;
  for (uint32_t at = table->nodes[parent].first; at != 0; at = table->nodes[at].next) found++;
  if (found == 0) return 0;
  *names = js_mallocz(realm, found * sizeof **names);
  if (*names == NULL) return -1;
  for (uint32_t at = table->nodes[parent].first; at != 0; at = table->nodes[at].next)
    (*names)[(*count)++].atom = JS_NewAtom(realm, table->nodes[at].segment);
  return 0;
}

static int globals_get(JSContext *realm, JSPropertyDescriptor *to, JSValueConst self, JSAtom key) {
  (void)self;
  size_t size;
  const char *text = key_text(realm, key, &size);
  if (text == NULL) return 0;
  tool_table *table = tools_table(realm);
  uint32_t node = table == NULL ? 0 : tools_find_global(table, text, size);
  JS_FreeCString(realm, text);
  if (table == NULL) return -1;
  return node == 0 ? 0 : give(realm, table, node, to);
}

/* ---- describing ---- */

static JSValue list_tools(JSContext *realm, JSValueConst self, int count, JSValueConst *values) {
  (void)self;
  (void)count;
  (void)values;
  tool_table *table = tools_table(realm);
  if (table == NULL) return JS_EXCEPTION;
  JSValue list = JS_NewArray(realm);
  for (uint32_t i = 0; i < table->tool_count; i++)
    JS_DefinePropertyValueUint32(realm, list, i, JS_NewString(realm, table->tools[i].name),
                                 JS_PROP_C_W_E);
  return list;
}

static void copy_field(JSContext *realm, JSValueConst from, const char *name, JSValueConst to,
                       const char *as) {
  JSAtom key = JS_NewAtom(realm, name);
  JSValue value = engine_own_data(realm, from, key);
  if (!JS_IsUndefined(value)) JS_DefinePropertyValueStr(realm, to, as, value, JS_PROP_C_W_E);
  JS_FreeAtom(realm, key);
}

static void put_text(JSContext *realm, JSValueConst to, const char *as, buffer *text) {
  JS_DefinePropertyValueStr(realm, to, as, JS_NewStringLen(realm, buffer_string(text), text->size),
                            JS_PROP_C_W_E);
  buffer_free(text);
}

static JSValue tool_info(JSContext *realm, tool_table *table, const tool_entry *tool) {
  JSValue definition = tools_definition(realm, tool);
  if (JS_IsException(definition)) return definition;
  JSValue info = JS_NewObject(realm);
  buffer id = {0}, usage = {0};
  buffer_format(&id, "mcp:%s", tool->name);
  tools_put_usage(realm, tool, &usage);
  put_text(realm, info, "id", &id);
  JS_DefinePropertyValueStr(realm, info, "name", JS_NewString(realm, tool->name), JS_PROP_C_W_E);
  copy_field(realm, definition, "description", info, "description");
  put_text(realm, info, "usage", &usage);
  copy_field(realm, definition, "input_schema", info, "inputSchema");
  copy_field(realm, definition, "input_schema", info, "parameters");
  JS_FreeValue(realm, definition);
  (void)table;
  return info;
}

static JSValue get_tool_info(JSContext *realm, JSValueConst self, int count, JSValueConst *values) {
  (void)self;
  (void)count;
  tool_table *table = tools_table(realm);
  size_t size;
  const char *name = table == NULL ? NULL : JS_ToCStringLen(realm, &size, values[0]);
  if (name == NULL) return JS_EXCEPTION;
  uint32_t node = tools_find(table, name, size);
  JSValue info;
  if (node != 0 && table->nodes[node].tool != 0) {
    info = tool_info(realm, table, &table->tools[table->nodes[node].tool - 1]);
  } else {
    const tool_entry *near = tools_nearest(table, name);
    info = near == NULL ? JS_ThrowTypeError(realm, "there is no tool %.100s", name)
                        : JS_ThrowTypeError(realm, "there is no tool %.100s; did you mean %.100s?",
                                            name, near->name);
  }
  JS_FreeCString(realm, name);
  return info;
}

static JSValue get_definitions(JSContext *realm, JSValueConst self) {
  (void)self;
  size_t size;
  const char *text = tool_definitions(&size);
  return size == 0 ? JS_NewArray(realm) : js_json_parse(realm, text, size);
}

static void boot_classes(void) {
  static JSClassExoticMethods folder = {.get_own_property = folder_get,
                                        .get_own_property_names = folder_names};
  static JSClassExoticMethods globals = {.get_own_property = globals_get};
  JSClassDef definition = {.class_name = "Object", .exotic = &folder};
  JS_NewClassID(machine.runtime, &tools_class);
  JS_NewClass(machine.runtime, tools_class, &definition);
  definition.exotic = &globals;
  JS_NewClassID(machine.runtime, &globals_class);
  JS_NewClass(machine.runtime, globals_class, &definition);
}

static void boot_definitions(void) {
  JSContext *realm = machine.realm;
  JSValue global = JS_GetGlobalObject(realm);
  JSCFunctionType getter = {.getter = get_definitions};
  JSAtom key = JS_NewAtom(realm, "__tools__");
  JS_DefinePropertyGetSet(
      realm, global, key,
      JS_NewCFunction2(realm, getter.generic, "__tools__", 0, JS_CFUNC_getter, 0), JS_UNDEFINED,
      JS_PROP_CONFIGURABLE);
  JS_FreeAtom(realm, key);
  boot_function(global, "listTools", list_tools, 0);
  boot_function(global, "getToolInfo", get_tool_info, 1);
  JSValue prototype = JS_GetPrototype(realm, global);
  JSValue between = JS_NewObjectProtoClass(realm, prototype, globals_class);
  JS_SetPrototype(realm, global, between);
  JS_FreeValue(realm, between);
  JS_FreeValue(realm, prototype);
  JS_FreeValue(realm, global);
}

void tools_boot(void) {
  JSContext *realm = machine.realm;
  JSValue classes = boot_prelude(realm, "errors");
  tool_error = JS_GetPropertyUint32(realm, classes, 0);
  capability_error = JS_GetPropertyUint32(realm, classes, 1);
  JS_FreeValue(realm, classes);
  boot_global("ToolError", JS_DupValue(realm, tool_error));
  boot_global("CapabilityError", JS_DupValue(realm, capability_error));
  boot_classes();
  boot_global("tools", new_folder(realm, 0));
  boot_definitions();
}
