// SPDX-License-Identifier: MIT
/* library.c -- puts together what prelude/ offers a program: globals and built-in modules. */
#include "parts.h"

static JSValue native; /* during boot */
static JSValue process_object;

JSValueConst library_process(void) {
  return process_object;
}

/* Evaluates a prelude file, whose value is a function, and calls it with `native` and two more. */
static JSValue make(const char *name, JSValueConst second, JSValueConst third) {
  JSContext *realm = machine.realm;
  JSValue function = boot_prelude(realm, name);
  JSValueConst arguments[] = {native, second, third};
  JSValue made = JS_Call(realm, function, JS_UNDEFINED, 3, arguments);
  JS_FreeValue(realm, function);
  return boot_checked(realm, made, name);
}

static JSValue property(JSValueConst object, const char *name) {
  return JS_GetPropertyStr(machine.realm, object, name);
}

/* Makes every property of `object` a global. */
static void globals_of(JSValueConst object, const char *const *names) {
  for (; *names != NULL; names++) boot_global(*names, property(object, *names));
}

static void copy_all(JSValueConst from, JSValueConst to, const char *const *names) {
  for (; *names != NULL; names++) boot_set(machine.realm, to, *names, property(from, *names));
}

static void boot_support(void) {
  static const char *const names[] = {"codedError", "received", NULL};
  native = natives_new(machine.realm);
  console_natives(native);
  JSValue support = make("support", JS_UNDEFINED, JS_UNDEFINED);
  copy_all(support, native, names);
  JS_FreeValue(machine.realm, support);
}

/* The primitives of files join the others, so that preludes see one object. */
static void boot_file_natives(void) {
  JSContext *realm = machine.realm;
  JSValue files = fs_native(realm);
  JSPropertyEnum *keys;
  uint32_t count;
  JS_GetOwnPropertyNames(realm, &keys, &count, files, JS_GPN_STRING_MASK);
  for (uint32_t i = 0; i < count; i++)
    JS_DefinePropertyValue(realm, native, keys[i].atom, JS_GetProperty(realm, files, keys[i].atom),
                           JS_PROP_C_W_E);
  JS_FreePropertyEnum(realm, keys, count);
  JS_FreeValue(realm, files);
}

static void boot_web(void) {
  static const char *const names[] = {"TextEncoder",     "TextDecoder", "Event",
                                      "CustomEvent",     "EventTarget", "AbortSignal",
                                      "AbortController", "crypto",      NULL};
  static const char *const url_names[] = {"URL", "URLSearchParams", NULL};
  JSContext *realm = machine.realm;
  JSValue web = make("web", JS_UNDEFINED, JS_UNDEFINED);
  globals_of(web, names);
  modules_add("crypto", property(web, "crypto"));
  JSValue url = make("url", JS_UNDEFINED, JS_UNDEFINED);
  globals_of(url, url_names);
  modules_add("url", url);
  boot_global("structuredClone", make("clone", JS_UNDEFINED, JS_UNDEFINED));
  JS_FreeValue(realm, make("locale", JS_UNDEFINED, JS_UNDEFINED));
  JS_FreeValue(realm, web);
}

static void boot_files(void) {
  static const char *const names[] = {"process", "stdin", NULL};
  JSContext *realm = machine.realm;
  JSValue path = make("path", JS_UNDEFINED, JS_UNDEFINED);
  JSValue buffer_class = make("buffer", JS_UNDEFINED, JS_UNDEFINED);
  JSValue fs = make("fs", path, buffer_class);
  JSValue process = make("process", fs, JS_UNDEFINED);
  globals_of(process, names);
  boot_global("Buffer", JS_DupValue(realm, buffer_class));
  boot_global("fs", JS_DupValue(realm, fs));
  JSValue buffers = JS_NewObject(realm);
  boot_set(realm, buffers, "Buffer", buffer_class);
  modules_add("buffer", buffers);
  modules_add("fs/promises", property(fs, "promises"));
  modules_add("path", path);
  modules_add("path/posix", JS_DupValue(realm, path));
  process_object = property(process, "process");
  modules_add("process", JS_DupValue(realm, process_object));
  modules_add("fs", fs);
  JS_FreeValue(realm, process);
}

static void boot_shell(void) {
  static const char *const names[] = {"shell", "sh", "ShellError", NULL};
  commands_native(machine.realm, native);
  JSValue shell = make("shell", JS_UNDEFINED, JS_UNDEFINED);
  globals_of(shell, names);
  JS_FreeValue(machine.realm, shell);
}

static void boot_tests(void) {
  JSContext *realm = machine.realm;
  JSValue util = make("util", JS_UNDEFINED, JS_UNDEFINED);
  JSValue assert = make("assert", util, JS_UNDEFINED);
  modules_add("assert/strict", property(assert, "strict"));
  modules_add("assert", assert);
  modules_add("events", make("events", JS_UNDEFINED, JS_UNDEFINED));
  modules_add("os", make("os", JS_UNDEFINED, JS_UNDEFINED));
  JSValue global = JS_GetGlobalObject(realm);
  boot_set(realm, util, "TextEncoder", property(global, "TextEncoder"));
  boot_set(realm, util, "TextDecoder", property(global, "TextDecoder"));
  modules_add("util/types", property(util, "types"));
  modules_add("util", util);
  modules_add("console", property(global, "console"));
  JSValue timers = make("timers", JS_UNDEFINED, JS_UNDEFINED);
  modules_add("timers/promises", property(timers, "promises"));
  modules_add("timers", timers);
  JSValue performance = JS_NewObject(realm);
  boot_set(realm, performance, "performance", property(global, "performance"));
  modules_add("perf_hooks", performance);
  boot_global("global", JS_DupValue(realm, global));
  JS_FreeValue(realm, global);
}

void library_boot(void) {
  boot_support();
  boot_file_natives();
  JS_FreeValue(machine.realm, make("time", JS_UNDEFINED, JS_UNDEFINED));
  boot_web();
  boot_files();
  boot_shell();
  boot_tests();
  JS_FreeValue(machine.realm, native);
}
