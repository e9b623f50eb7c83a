// SPDX-License-Identifier: MIT
/* boot.c -- creates the engine and what a program finds in it. Runs once, at build time.
 *
 * A mistake in the prelude is a mistake of ours that no image may carry: it ends the build. */
#include <stdio.h>

#include "../kernel/kernel.h"
#include "engine.h"
#include "parts.h"
#include "prelude.h"

js_machine machine;

static _Noreturn void give_up(JSContext *realm, const char *what) {
  JSValue error = JS_GetException(realm);
  const char *text = JS_ToCString(realm, error);
  JSValue frames = engine_error_frames(realm, error);
  const char *where = JS_ToCString(realm, frames);
  fprintf(stderr, "js_boot: %s: %s\n%s", what, text != NULL ? text : "?",
          where != NULL ? where : "");
  abort();
}

JSValue boot_checked(JSContext *realm, JSValue value, const char *what) {
  if (JS_IsException(value)) give_up(realm, what);
  return value;
}

JSValue boot_prelude(JSContext *realm, const char *name) {
  const prelude_source *source = prelude_sources;
  while (source->name != NULL && strcmp(source->name, name) != 0) source++;
  if (source->name == NULL) give_up(realm, name);
  char file[64];
  snprintf(file, sizeof file, PRELUDE_PREFIX "%s", name);
  return boot_checked(realm, JS_Eval(realm, source->text, source->size, file, JS_EVAL_TYPE_GLOBAL),
                      name);
}

void boot_global(const char *name, JSValue value) {
  JSValue global = JS_GetGlobalObject(machine.realm);
  JS_DefinePropertyValueStr(machine.realm, global, name, boot_checked(machine.realm, value, name),
                            JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE);
  JS_FreeValue(machine.realm, global);
}

void boot_function(JSValueConst object, const char *name, JSCFunction *function, int length) {
  JS_DefinePropertyValueStr(machine.realm, object, name,
                            JS_NewCFunction(machine.realm, function, name, length),
                            JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE);
}

void boot_set(JSContext *realm, JSValueConst object, const char *name, JSValue value) {
  JS_DefinePropertyValueStr(realm, object, name, boot_checked(realm, value, name), JS_PROP_C_W_E);
}

void boot_method(JSValueConst object, const char *name, JSCFunctionMagic *function, int length,
                 int magic) {
  JS_DefinePropertyValueStr(
      machine.realm, object, name,
      JS_NewCFunctionMagic(machine.realm, function, name, length, JS_CFUNC_generic_magic, magic),
      JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE);
}

void js_boot(void) {
  machine.runtime = engine_new();
  if (machine.runtime == NULL) abort();
  JS_SetMaxStackSize(machine.runtime, 0);
  machine.realm = JS_NewContext(machine.runtime);
  machine.inner = JS_NewContext(machine.runtime);
  if (machine.realm == NULL || machine.inner == NULL) abort();
  JS_SetHostPromiseRejectionTracker(machine.runtime, run_reject_tracked, NULL);
  natives_boot();
  errors_boot();
  console_boot();
  timers_boot();
  tools_boot();
  hints_boot();
  modules_boot();
  library_boot();
  JS_NewAtom(machine.realm, PROGRAM_NAME); /* so that no run has to make it */
  engine_seal(machine.runtime);
}
