// SPDX-License-Identifier: MIT
/* engine_messages.h -- part of engine.c: the engine's error messages, made to say more.
 *
 * Every message goes through vsnprintf with a format that only the engine chooses. A few formats
 * are replaced by the wording that people and models know from V8, which names what was read or
 * called; the callee's name is taken from the program's text at the position of the call. */

/* The text being run, for naming callees; NULL between runs. */
static const char *program_text, *program_name;
static size_t program_size;
static JSRuntime *message_runtime;
static engine_hint *give_hint;

void engine_set_hint(engine_hint *hint) {
  give_hint = hint;
}

static void remember_program(JSContext *realm, const char *text, size_t size, const char *name) {
  message_runtime = realm->rt;
  program_text = text;
  program_size = size;
  program_name = name;
}

void engine_forget_program(void) {
  program_text = NULL;
}

void engine_exchange_program(engine_text *other) {
  engine_text was = {program_text, program_name, program_size};
  program_text = other->text;
  program_name = other->name;
  program_size = other->size;
  *other = was;
}

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$' || c == '#' || (c & 0x80) != 0;
}

/* From the end of an operand back to its start: a word, or something in brackets. */
static const char *operand_start(const char *from, const char *end) {
  if (end > from && (end[-1] == ')' || end[-1] == ']')) {
    int depth = 0;
    while (end > from) {
      end--;
      if (*end == ')' || *end == ']') depth++;
      if ((*end == '(' || *end == '[') && --depth == 0) return operand_start(from, end);
      if (*end == '\n') return end + 1;
    }
    return end;
  }
  while (end > from && is_word(end[-1])) end--;
  return end;
}

/* Back over ".b" and "[b]" to where the expression that holds them begins. */
static const char *chain_start(const char *from, const char *word) {
  while (word > from && word[-1] == '.') {
    const char *dot = word - (word - 1 > from && word[-2] == '?' ? 2 : 1);
    const char *operand = operand_start(from, dot);
    if (operand == dot) break;
    word = operand;
  }
  return word;
}

/* Behind the bracket that closes the one at `open`; NULL when none does on its line. */
static const char *behind_bracket(const char *open, const char *end) {
  char quote = 0;
  int depth = 0;
  for (const char *at = open; at < end && *at != '\n'; at++) {
    if (quote != 0) {
      if (*at == '\\')
        at++;
      else if (*at == quote)
        quote = 0;
    } else if (*at == '"' || *at == '\'' || *at == '`') {
      quote = *at;
    } else if (*at == '[' || *at == '(') {
      depth++;
    } else if ((*at == ']' || *at == ')') && --depth == 0) {
      return at + 1;
    }
  }
  return NULL;
}

/* The engine notes where the last name was read, which may be within an index ("a[n]") or before
 * one
 * ("a['n']") and the names that follow: an expression goes on to both sides of it. */
static const char *chain_end(const char *from, const char **start, const char *stop,
                             const char *end) {
  for (;;) {
    if (stop < end && *stop == '[') {
      const char *behind = behind_bracket(stop, end);
      if (behind == NULL) return stop;
      stop = behind;
    } else if (stop < end && *stop == ']') {
      const char *operand = operand_start(from, stop + 1);
      if (operand >= *start) return stop;
      *start = chain_start(from, operand);
      stop++;
    } else if (stop + 1 < end && *stop == '.' && is_word(stop[1])) {
      for (stop++; stop < end && is_word(*stop);) stop++;
    } else {
      return stop;
    }
  }
}

/* The expression that is called or read from at a position, "a.b.c" or "f": where in the text it
 * is. */
static size_t callee_at(int line, int column, const char **start) {
  const char *at = program_text, *end = program_text + program_size;
  for (; line > 1 && at < end; at++)
    if (*at == '\n') line--;
  if (line != 1 || column < 1 || end - at < column) return 0;
  const char *from = at, *word = at + column - 1, *stop = word;
  while (stop < end && is_word(*stop)) stop++;
  while (word > from && is_word(word[-1])) word--;
  if (word == stop) return 0;
  *start = chain_start(from, word);
  return (size_t)(chain_end(from, start, stop, end) - *start);
}

static size_t current_callee(const char **start) {
  JSStackFrame *frame = message_runtime == NULL ? NULL : message_runtime->current_stack_frame;
  if (program_text == NULL || frame == NULL || JS_VALUE_GET_TAG(frame->cur_func) != JS_TAG_OBJECT)
    return 0;
  JSObject *function = JS_VALUE_GET_OBJ(frame->cur_func);
  if (!js_class_has_bytecode(function->class_id) || frame->cur_pc == NULL) return 0;
  JSFunctionBytecode *code = function->u.func.function_bytecode;
  char file[64];
  JSContext *realm = code->realm;
  if (code->filename == JS_ATOM_NULL) return 0;
  JS_AtomGetStr(realm, file, sizeof file, code->filename);
  if (strcmp(file, program_name) != 0) return 0;
  int column, line;
  line = find_line_num(realm, code, (uint32_t)(frame->cur_pc - code->byte_code_buf - 1), &column);
  return callee_at(line, column, start);
}

static int say_not_a_function(char *to, size_t room) {
  const char *start;
  size_t size = current_callee(&start);
  if (size == 0 || size > 100 || memchr(start, '\n', size) != NULL)
    return snprintf(to, room, "not a function");
  int used = snprintf(to, room, "%.*s is not a function", (int)size, start);
  char name[101];
  memcpy(name, start, size);
  name[size] = 0;
  if (give_hint != NULL) give_hint(ENGINE_NOT_A_FUNCTION, name, to + used, room - (size_t)used);
  return (int)strlen(to);
}

/* What was read from may be a folder of tools that does not exist. */
static int say_no_property(char *to, size_t room, va_list arguments) {
  const char *start;
  char expression[101];
  va_list copy;
  va_copy(copy, arguments);
  int used = snprintf(to, room, "Cannot read properties of undefined (reading '%.100s')",
                      va_arg(copy, const char *));
  va_end(copy);
  size_t size = current_callee(&start);
  if (give_hint == NULL || size == 0 || size > 100) return used;
  memcpy(expression, start, size);
  expression[size] = 0;
  give_hint(ENGINE_NO_PROPERTY, expression, to + used, room - (size_t)used);
  return (int)strlen(to);
}

static int say_not_defined(char *to, size_t room, va_list arguments) {
  va_list copy;
  va_copy(copy, arguments);
  const char *name = va_arg(copy, const char *);
  int used = snprintf(to, room, "%.100s is not defined", name);
  if (give_hint != NULL) give_hint(ENGINE_NOT_DEFINED, name, to + used, room - (size_t)used);
  va_end(copy);
  return (int)strlen(to);
}

static int say_unexpected(char *to, size_t room, va_list arguments) {
  va_list copy;
  va_copy(copy, arguments);
  int size = va_arg(copy, int);
  const char *token = va_arg(copy, const char *);
  va_end(copy);
  if (size <= 0) return snprintf(to, room, "Unexpected end of input");
  return snprintf(to, room, "Unexpected token '%.*s'", size, token);
}

/* With the arguments of the format it replaces. */
static const struct {
  const char *from, *to;
} wordings[] = {
    {"cannot read property '%s' of null", "Cannot read properties of null (reading '%s')"},
    {"cannot set property '%s' of null", "Cannot set properties of null (setting '%s')"},
    {"cannot set property '%s' of undefined", "Cannot set properties of undefined (setting '%s')"},
    {"%s is not initialized", "Cannot access '%s' before initialization"},
    {"expecting hex digit", "URI malformed"},
    {"expecting %%", "URI malformed"},
    {"malformed UTF-8", "URI malformed"},
    {"invalid array length", "Invalid array length"},
    {"unexpected token: '%.*s'", "Unexpected token '%.*s' in JSON"},
    {"circular reference", "Converting circular structure to JSON"},
    {"BigInt are forbidden in JSON.stringify", "Do not know how to serialize a BigInt"},
    {"empty array", "Reduce of empty array with no initial value"},
    {"Date value is NaN", "Invalid time value"},
    {"cannot convert symbol to string", "Cannot convert a Symbol value to a string"},
    {"class constructors must be invoked with 'new'",
     "Class constructors cannot be invoked without 'new'"},
};

/* GCC cannot know that a format found in the table above takes the same arguments. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static int message_vsnprintf(char *to, size_t room, const char *format, va_list arguments) {
  if (backtracked_too_much) {
    backtracked_too_much = false;
    return snprintf(to, room, "the regular expression backtracks too much on this text");
  }
  if (room != 0) {
    if (strcmp(format, "not a function") == 0) return say_not_a_function(to, room);
    if (strcmp(format, "%s is not defined") == 0) return say_not_defined(to, room, arguments);
    if (strcmp(format, "cannot read property '%s' of undefined") == 0)
      return say_no_property(to, room, arguments);
    if (strcmp(format, "unexpected token in expression: '%.*s'") == 0)
      return say_unexpected(to, room, arguments);
    for (size_t i = 0; i < sizeof wordings / sizeof wordings[0]; i++)
      if (strcmp(format, wordings[i].from) == 0)
        return vsnprintf(to, room, wordings[i].to, arguments);
  }
  return vsnprintf(to, room, format, arguments);
}
#pragma GCC diagnostic pop

/* What Promise.any rejects with. */
static JSValue told_aggregate_error(JSContext *ctx, JSValueConst errors) {
  JSValue error = plain_aggregate_error(ctx, errors);
  if (!JS_IsException(error))
    JS_DefinePropertyValueStr(ctx, error, "message",
                              JS_NewString(ctx, "All promises were rejected"),
                              JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
  return error;
}
