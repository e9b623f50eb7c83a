// SPDX-License-Identifier: MIT
/* command.c -- a JavaScript program as a command: `node` in the shell.
 *
 * All JavaScript of a sandbox shares one engine and its globals. Processes take turns: each runs
 * until it waits at its own top, and what `process` says is exchanged there. */
#include "../../abi/messages.h"
#include "../kernel/kernel.h"
#include "run.h"

/* What Node's `process` says to a program; as properties they are swapped in and out. */
static const char *const own_names[] = {"argv", "env", "exitCode", "pid", "ppid"};
enum { OWN = sizeof own_names / sizeof own_names[0] };

void process_exchange(process_state *other) {
  JSContext *realm = machine.realm;
  JSValueConst object = library_process();
  for (int i = 0; i < OWN; i++) {
    JSAtom key = JS_NewAtom(realm, own_names[i]);
    JSValue was = engine_own_data(realm, object, key);
    JS_DefinePropertyValue(realm, object, key, other->values[i], JS_PROP_C_W_E);
    JS_FreeAtom(realm, key);
    other->values[i] = was;
  }
}

static JSValue strings(char **from) {
  JSContext *realm = machine.realm;
  JSValue list = JS_NewArray(realm);
  for (uint32_t i = 0; from[i] != NULL; i++)
    JS_SetPropertyUint32(realm, list, i, JS_NewString(realm, from[i]));
  return list;
}

static JSValue variables(char **from) {
  JSContext *realm = machine.realm;
  JSValue object = JS_NewObject(realm);
  for (; from != NULL && *from != NULL; from++) {
    const char *equals = strchr(*from, '=');
    if (equals == NULL) continue;
    JSAtom name = JS_NewAtomLen(realm, *from, (size_t)(equals - *from));
    JS_DefinePropertyValue(realm, object, name, JS_NewString(realm, equals + 1), JS_PROP_C_W_E);
    JS_FreeAtom(realm, name);
  }
  return object;
}

/* ---- how it ended ---- */

static void put_value(JSValueConst value) {
  JSContext *realm = machine.realm;
  JSValue shown = JS_IsString(value) ? JS_DupValue(realm, value) : console_inspect(value);
  size_t size;
  const char *text = JS_IsException(shown) ? NULL : JS_ToCStringLen(realm, &size, shown);
  if (text != NULL) {
    output_put(1, text, size);
    output_put(1, "\n", 1);
    JS_FreeCString(realm, text);
  }
  JS_FreeValue(realm, shown);
}

/* "FILE:LINE", the line, and the error with its frames. */
static void put_error(const run *r) {
  JSContext *realm = machine.realm;
  bool is_error = errors_is_error(r->error);
  buffer text = {0};
  error_context context = {r->end, r->name, r->text, r->size, r->is_unhandled};
  errors_place(r->error, &context, &text);
  if (!is_error) buffer_text(&text, "Uncaught ");
  JSValue shown = console_inspect(r->error);
  const char *words = JS_IsException(shown) ? NULL : JS_ToCString(realm, shown);
  buffer_text(&text, words != NULL ? words : "an error that cannot be shown");
  buffer_char(&text, '\n');
  JS_FreeCString(realm, words);
  JS_FreeValue(realm, shown);
  output_put(2, text.at, text.size);
  buffer_free(&text);
}

/* process.exitCode, where it is a number. */
static int exit_code(void) {
  JSContext *realm = machine.realm;
  JSAtom key = JS_NewAtom(realm, "exitCode");
  JSValue value = engine_own_data(realm, library_process(), key);
  int32_t code = 0;
  if (JS_IsNumber(value)) JS_ToInt32(realm, &code, value);
  JS_FreeValue(realm, value);
  JS_FreeAtom(realm, key);
  return code & 255;
}

static int status_of(const run *r, int asked) {
  if (asked >= 0) return asked & 255; /* process.exit() */
  if (strcmp(r->end, "done") == 0) return exit_code();
  if (strcmp(r->end, "interrupted") != 0) put_error(r); /* else the host says why */
  return 1;
}

/* ---- running ---- */

/* A program that never looks at its standard input must leave it to the rest of the script, and one
 * that does cannot wait for it later. */
static bool reads_input(const char *text) {
  return strstr(text, "stdin") != NULL || strstr(text, "(0") != NULL ||
         strstr(text, "import") != NULL;
}

static const int signals[] = {SIGNAL_HUP, SIGNAL_INT, SIGNAL_PIPE, SIGNAL_TERM};

int js_run(const js_program *program) {
  size_t left = process_stack_left();
  size_t stack = left > JS_STACK_MARGIN ? left - JS_STACK_MARGIN : left / 2;
  if (stack > kernel_limits()->stack) stack = kernel_limits()->stack;
  if (reads_input(program->text)) run_read_input_ahead();
  for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
    process_on_signal(signals[i], SIGNAL_CATCH); /* so that what is held in the engine is freed */
  run r = run_of(program->name, program->text, program->size, stack);
  process_state own = {.values = {strings(program->argv), variables(program->environment),
                                  JS_UNDEFINED, JS_NewInt32(machine.realm, process_pid()),
                                  JS_NewInt32(machine.realm, process_parent())}};
  process_exchange(&own);
  r.waits_for_all = true;
  r.process = &own;
  run_go(&r);
  if (r.end == NULL && program->prints) put_value(r.value);
  int asked = run_exit_status();
  run_close(&r);
  int signal = process_take_signal();
  int status = signal != 0 ? 128 + signal : status_of(&r, asked);
  run_clean_up(&r);
  process_exchange(&own);
  for (int i = 0; i < OWN; i++) JS_FreeValue(machine.realm, own.values[i]);
  run_free(&r);
  return status;
}
