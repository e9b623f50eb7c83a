// SPDX-License-Identifier: MIT
/* errors.c -- what is told about an error: which end it is, where it was, in whose frames.
 *
 * The engine records frames as text, one "    at NAME (FILE:LINE:COLUMN)" a line, out of the
 * program's reach until it asks for `stack`. Frames of C functions and of the prelude are not the
 * program's and are left out. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memmem */
#endif
#include <stdio.h>

#include "engine.h"
#include "parts.h"

/* The engine's name for what eval, new Function and JSON.parse read. */
#define GIVEN_TEXT "<input>"

const char *errors_end(JSValueConst error) {
  switch (engine_limit_of(machine.realm, error)) {
    case ENGINE_MEMORY:
      return "limit.memory";
    case ENGINE_STACK:
      return "limit.stack";
    default:
      return "exception";
  }
}

static bool has(const char *line, size_t size, const char *part) {
  return memmem(line, size, part, strlen(part)) != NULL;
}

/* Whether a class of the error, its own or one it derives from, bears this name. */
static bool is_class_of(JSValueConst error, const char *wanted, size_t size) {
  JSContext *realm = machine.realm;
  JSAtom constructor = JS_NewAtom(realm, "constructor"), name = JS_NewAtom(realm, "name");
  JSValue at = JS_GetPrototype(realm, error);
  bool found = false;
  for (int depth = 0; depth < 8 && !found && JS_IsObject(at) && !JS_IsProxy(at); depth++) {
    JSValue class = engine_own_data(realm, at, constructor);
    JSValue called = engine_own_data(realm, class, name);
    const char *text = JS_IsString(called) ? JS_ToCString(realm, called) : NULL;
    found = text != NULL && strlen(text) == size && memcmp(text, wanted, size) == 0;
    JS_FreeCString(realm, text);
    JS_FreeValue(realm, called);
    JS_FreeValue(realm, class);
    JSValue above = JS_GetPrototype(realm, at);
    JS_FreeValue(realm, at);
    at = above;
  }
  JS_FreeValue(realm, at);
  JS_FreeAtom(realm, constructor);
  JS_FreeAtom(realm, name);
  return found;
}

/* The error's own constructors stand above the place where it was made; other engines leave them
 * out, and so do we. */
static const char *behind_constructors(JSValueConst error, const char *frames, const char *end) {
  static const char lead[] = "    at ";
  while ((size_t)(end - frames) > sizeof lead && memcmp(frames, lead, sizeof lead - 1) == 0) {
    const char *name = frames + sizeof lead - 1;
    const char *stop = memchr(name, ' ', (size_t)(end - name));
    if (stop == NULL || stop == name || !is_class_of(error, name, (size_t)(stop - name))) break;
    const char *line = memchr(name, '\n', (size_t)(end - name));
    frames = line == NULL ? end : line + 1;
  }
  return frames;
}

/* The frames that were recorded for an error, as a program should see them. */
static void own_frames(JSValueConst error, buffer *to) {
  JSContext *realm = machine.realm;
  JSValue recorded = engine_error_frames(realm, error);
  size_t size;
  const char *text = JS_IsString(recorded) ? JS_ToCStringLen(realm, &size, recorded) : NULL;
  if (text != NULL) {
    const char *from = behind_constructors(error, text, text + size);
    errors_own_frames(from, (size_t)(text + size - from), to);
    JS_FreeCString(realm, text);
  }
  JS_FreeValue(realm, recorded);
}

/* A parser's complaint begins with the place in its text: for JSON.parse and eval that is no
 * function, and not in the program. */
static bool is_own_frame(const char *frame, size_t size) {
  static const char parsed[] = "    at " GIVEN_TEXT ":";
  return !has(frame, size, "(native)") && !has(frame, size, "(missing)") &&
         !has(frame, size, PRELUDE_PREFIX) &&
         (size < sizeof parsed || memcmp(frame, parsed, sizeof parsed - 1) != 0);
}

void errors_own_frames(const char *frames, size_t size, buffer *to) {
  const char *end = frames + size;
  while (frames < end) {
    const char *stop = memchr(frames, '\n', (size_t)(end - frames));
    size_t line = (stop == NULL ? end : stop) - frames;
    if (line > 0 && is_own_frame(frames, line)) {
      if (to->size > 0) buffer_char(to, '\n');
      buffer_put(to, frames, line);
    }
    frames += line + 1;
  }
}

/* The FILE, LINE and COLUMN of one frame. */
static bool frame_position(const char *frames, const char *end, error_position *found) {
  if (end > frames && end[-1] == ')') end--;
  const char *from = end;
  int colons = 0;
  const char *parts[2];
  while (from > frames && colons < 2)
    if (*--from == ':') parts[colons++] = from;
  if (colons < 2) return false;
  found->column = atoi(parts[0] + 1);
  found->line = atoi(parts[1] + 1);
  const char *file = parts[1];
  while (file > frames && file[-1] != '(' && file[-1] != ' ') file--;
  found->file = file;
  found->file_size = (size_t)(parts[1] - file);
  return found->line > 0;
}

/* A function made by eval or new Function has its frames, but a place in its text says nothing to
 * somebody who has the program only. */
static bool is_in_a_file(const error_position *at) {
  return at->file_size != sizeof GIVEN_TEXT - 1 ||
         memcmp(at->file, GIVEN_TEXT, sizeof GIVEN_TEXT - 1) != 0;
}

bool errors_position(const char *frames, error_position *found) {
  for (;;) {
    const char *end = frames + strcspn(frames, "\n");
    if (frame_position(frames, end, found) && is_in_a_file(found)) return true;
    if (*end == 0) break;
    frames = end + 1;
  }
  *found = (error_position){0};
  return false;
}

/* A property as text; exceptions of getters are dropped. False when it is not a string. */
static bool put_property(JSValueConst error, const char *name, buffer *to) {
  JSContext *realm = machine.realm;
  JSValue value = JS_GetPropertyStr(realm, error, name);
  bool is_text = false;
  if (JS_IsException(value)) {
    JS_FreeValue(realm, JS_GetException(realm));
  } else if (JS_IsString(value)) {
    size_t size;
    const char *text = JS_ToCStringLen(realm, &size, value);
    is_text = text != NULL;
    if (is_text) buffer_put(to, text, size);
    if (is_text) JS_FreeCString(realm, text);
  }
  JS_FreeValue(realm, value);
  return is_text;
}

static void put_inspected(JSValueConst value, buffer *to) {
  JSContext *realm = machine.realm;
  JSValue shown = console_inspect(value);
  const char *text = JS_IsException(shown) ? NULL : JS_ToCString(realm, shown);
  buffer_text(to, text != NULL ? text : "a value that cannot be shown");
  if (text != NULL)
    JS_FreeCString(realm, text);
  else
    JS_FreeValue(realm, JS_GetException(realm));
  JS_FreeValue(realm, shown);
}

bool errors_is_error(JSValueConst value) {
  return JS_IsError(value) || strcmp(engine_kind(machine.realm, value), "DOMException") == 0;
}

static void put_pair(buffer *to, const char *key, const buffer *value) {
  buffer_format(to, ",\"%s\":", key);
  buffer_json_string(to, value->at, value->size);
}

/* What our own errors carry besides name and message. */
static void put_details(JSValueConst error, buffer *to) {
  static const char *const names[] = {"tool", "code", "rule", "param", "path"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    buffer value = {0};
    if (put_property(error, names[i], &value)) put_pair(to, names[i], &value);
    buffer_free(&value);
  }
}

static bool is_program(const error_position *at, const error_context *context) {
  return at->file_size == strlen(context->name) &&
         memcmp(at->file, context->name, at->file_size) == 0;
}

static void put_place(const error_position *at, const error_context *context, buffer *to) {
  int column = is_program(at, context)
                   ? source_column(context->text, context->size, at->line, at->column)
                   : at->column;
  buffer_format(to, ",\"line\":%d,\"column\":%d", at->line, column);
  if (is_program(at, context)) return;
  buffer_text(to, ",\"file\":");
  buffer_json_string(to, at->file, at->file_size);
}

static void put_message(JSValueConst error, bool is_error, const error_context *context,
                        const error_position *at, buffer *to) {
  if (!is_error || !put_property(error, "message", to)) put_inspected(error, to);
  if (strcmp(context->end, "syntax") == 0 && at->line > 0 && is_program(at, context))
    buffer_text(to, source_syntax_hint(context->text, context->size, at->line, at->column));
  if (context->is_unhandled) buffer_text(to, " (unhandled rejection)");
}

void errors_place(JSValueConst error, const error_context *context, buffer *to) {
  buffer frames = {0};
  error_position at = {0};
  if (errors_is_error(error)) own_frames(error, &frames);
  if (frames.size > 0 && errors_position(buffer_string(&frames), &at)) {
    buffer_put(to, at.file, at.file_size);
    buffer_format(to, ":%d\n", at.line);
    const char *line = context->text;
    for (int i = 1; i < at.line && line != NULL; i++) {
      line = strchr(line, '\n');
      if (line != NULL) line++;
    }
    if (line != NULL && is_program(&at, context)) {
      buffer_put(to, line, strcspn(line, "\n"));
      buffer_char(to, '\n');
    }
    buffer_char(to, '\n');
  }
  buffer_free(&frames);
}

/* ---- errors within an error: its cause, and those of an AggregateError ---- */

/* Deeper ones and more of them are left out, and of a message what goes beyond this. */
enum { INNER_MAX = 8, INNER_DEPTH = 4, INNER_MESSAGE = 1000 };

typedef struct {
  const error_context *context;
  buffer *json;  /* objects with commas between them */
  buffer *lines; /* for people; added to the stack */
  int count;
} inner_errors;

/* Not beyond `most` bytes, and whole characters. */
static void cut(buffer *text, size_t most) {
  if (text->size <= most) return;
  text->size = most;
  while (text->size > 0 && (text->at[text->size] & 0xC0) == 0x80) text->size--;
  buffer_text(text, "...");
}

static void put_inner_lines(buffer *to, const char *as, const buffer *name, const buffer *message,
                            const buffer *frames) {
  if (to->size > 0) buffer_char(to, '\n');
  buffer_format(to, "  [%s] ", as);
  buffer_put(to, name->at, name->size);
  if (name->size > 0 && message->size > 0) buffer_text(to, ": ");
  buffer_put(to, message->at, message->size);
  for (size_t i = 0; i < frames->size; i++) {
    if (i == 0 || frames->at[i - 1] == '\n') buffer_text(to, i == 0 ? "\n  " : "  ");
    buffer_char(to, frames->at[i]);
  }
}

static void put_inner_error(inner_errors *all, const char *as, JSValueConst error) {
  buffer name = {0}, message = {0}, frames = {0};
  error_position at = {0};
  bool is_error = errors_is_error(error);
  if (is_error) {
    own_frames(error, &frames);
    put_property(error, "name", &name);
  }
  if (!is_error || !put_property(error, "message", &message)) put_inspected(error, &message);
  cut(&name, 100);
  cut(&message, INNER_MESSAGE);
  buffer_format(all->json, "%s{\"as\":\"%s\"", all->count > 0 ? "," : "", as);
  put_pair(all->json, "name", &name);
  put_pair(all->json, "message", &message);
  if (errors_position(buffer_string(&frames), &at)) put_place(&at, all->context, all->json);
  if (is_error) put_details(error, all->json);
  buffer_char(all->json, '}');
  put_inner_lines(all->lines, as, &name, &message, &frames);
  all->json->failed |= name.failed || message.failed || frames.failed;
  all->count++;
  buffer_free(&name);
  buffer_free(&message);
  buffer_free(&frames);
}

static void put_inner(inner_errors *all, const char *path, int depth, JSValueConst error);

/* One of them, under the path by which a program reads it: "cause", "errors[0].cause". Takes it. */
static void put_one(inner_errors *all, const char *path, const char *step, int depth,
                    JSValue error) {
  char as[64];
  snprintf(as, sizeof as, "%s%s%s", path, *path != 0 ? "." : "", step);
  if (JS_IsException(error)) JS_FreeValue(machine.realm, JS_GetException(machine.realm));
  if (!JS_IsException(error) && !JS_IsUndefined(error) && all->count < INNER_MAX) {
    put_inner_error(all, as, error);
    put_inner(all, as, depth + 1, error);
  }
  JS_FreeValue(machine.realm, error);
}

static void put_inner(inner_errors *all, const char *path, int depth, JSValueConst error) {
  JSContext *realm = machine.realm;
  if (depth >= INNER_DEPTH || !errors_is_error(error)) return;
  put_one(all, path, "cause", depth, JS_GetPropertyStr(realm, error, "cause"));
  JSValue list = JS_GetPropertyStr(realm, error, "errors");
  int64_t count = 0;
  if (JS_IsException(list) || !JS_IsArray(list) || JS_GetLength(realm, list, &count) < 0) {
    if (JS_HasException(realm)) JS_FreeValue(realm, JS_GetException(realm));
    count = 0;
  }
  for (int64_t i = 0; i < count && all->count < INNER_MAX; i++) {
    char step[32];
    snprintf(step, sizeof step, "errors[%d]", (int)i);
    put_one(all, path, step, depth, JS_GetPropertyInt64(realm, list, i));
  }
  JS_FreeValue(realm, list);
}

void errors_describe(JSValueConst error, const error_context *context, buffer *to) {
  buffer name = {0}, message = {0}, frames = {0};
  bool is_error = errors_is_error(error);
  error_position at = {0};
  if (is_error) own_frames(error, &frames);
  bool is_placed = is_error && errors_position(buffer_string(&frames), &at);
  if (!is_error || !put_property(error, "name", &name) || name.size == 0) {
    name.size = 0;
    buffer_text(&name, is_error ? "Error" : "Uncaught");
  }
  put_message(error, is_error, context, &at, &message);
  buffer_format(to, "{\"kind\":\"%s\"", context->end);
  put_pair(to, "name", &name);
  put_pair(to, "message", &message);
  if (is_placed) put_place(&at, context, to);
  if (is_error) {
    buffer inner = {0};
    inner_errors within = {context, &inner, &frames, 0};
    put_details(error, to);
    put_inner(&within, "", 0, error);
    put_pair(to, "stack", &frames);
    buffer_text(to, ",\"inner\":[");
    buffer_put(to, inner.at, inner.size);
    buffer_char(to, ']');
    to->failed |= inner.failed;
    buffer_free(&inner);
  }
  if (context->is_unhandled) buffer_text(to, ",\"unhandled\":true");
  buffer_char(to, '}');
  to->failed |= name.failed || message.failed || frames.failed;
  buffer_free(&name);
  buffer_free(&message);
  buffer_free(&frames);
}

JSValue errors_throw_coded(JSContext *realm, const char *class, const char *code,
                           const char *message) {
  JSValue error = strcmp(class, "TypeError") == 0    ? JS_NewTypeError(realm, "%s", message)
                  : strcmp(class, "RangeError") == 0 ? JS_NewRangeError(realm, "%s", message)
                                                     : JS_NewPlainError(realm, "%s", message);
  if (JS_IsException(error)) return error;
  JS_DefinePropertyValueStr(realm, error, "code", JS_NewString(realm, code), JS_PROP_C_W_E);
  return JS_Throw(realm, error);
}

/* `stack` as programs know it: "Name: message", then the frames. */
static JSValue get_stack(JSContext *realm, JSValueConst self) {
  if (!JS_IsObject(self)) return JS_ThrowTypeError(realm, "not an object");
  JSValue recorded = engine_error_frames(realm, self);
  if (!JS_IsString(recorded)) return recorded;
  JS_FreeValue(realm, recorded);
  buffer stack = {0}, own = {0};
  if (!put_property(self, "name", &stack)) buffer_text(&stack, "Error");
  size_t name = stack.size;
  buffer_text(&stack, ": ");
  put_property(self, "message", &stack);
  if (stack.size == name + 2) stack.size = name;
  own_frames(self, &own);
  if (own.size > 0) buffer_char(&stack, '\n');
  buffer_put(&stack, own.at, own.size);
  JSValue result = stack.failed || own.failed ? JS_ThrowOutOfMemory(realm)
                                              : JS_NewStringLen(realm, stack.at, stack.size);
  buffer_free(&stack);
  buffer_free(&own);
  return result;
}

/* As an assignment to an own property, which it is in other engines. */
static JSValue set_stack(JSContext *realm, JSValueConst self, JSValueConst value) {
  if (JS_DefinePropertyValueStr(realm, self, "stack", JS_DupValue(realm, value),
                                JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE | JS_PROP_THROW) < 0)
    return JS_EXCEPTION;
  return JS_UNDEFINED;
}

void errors_boot(void) {
  JSContext *realm = machine.realm;
  JSValue global = JS_GetGlobalObject(realm);
  JSValue constructor = JS_GetPropertyStr(realm, global, "Error");
  JSValue prototype = JS_GetPropertyStr(realm, constructor, "prototype");
  JSAtom key = JS_NewAtom(realm, "stack");
  JSCFunctionType getter = {.getter = get_stack}, setter = {.setter = set_stack};
  JS_DefinePropertyGetSet(
      realm, prototype, key,
      JS_NewCFunction2(realm, getter.generic, "get stack", 0, JS_CFUNC_getter, 0),
      JS_NewCFunction2(realm, setter.generic, "set stack", 1, JS_CFUNC_setter, 0),
      JS_PROP_CONFIGURABLE);
  JS_FreeAtom(realm, key);
  JS_FreeValue(realm, prototype);
  JS_FreeValue(realm, constructor);
  JS_FreeValue(realm, global);
}
