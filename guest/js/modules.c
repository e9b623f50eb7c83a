// SPDX-License-Identifier: MIT
/* modules.c -- import and require.
 *
 * Built-in modules are objects made at boot; `import` gives them a module whose exports are their
 * properties. Everything else is a file: relative to the importing module, or to the current folder
 * for the program itself. A .json file's default export is its value. */
#include <stdio.h>

#include "../kernel/kernel.h"
#include "engine.h"
#include "parts.h"

static JSValue builtins; /* name -> object */

static JSValue builtin_of(JSContext *realm, const char *name) {
  if (strncmp(name, "node:", 5) == 0) name += 5;
  JSAtom key = JS_NewAtom(realm, name);
  JSValue found = engine_own_data(realm, builtins, key);
  JS_FreeAtom(realm, key);
  return found;
}

void modules_add(const char *name, JSValue value) {
  JS_DefinePropertyValueStr(machine.realm, builtins, name, value, JS_PROP_C_W_E);
}

/* ---- names ---- */

/* Resolves "." and "..", doubles of "/"; in place. */
static void normalise(char *path) {
  char *to = path;
  const char *at = path;
  while (*at == '/') {
    while (*at == '/') at++;
    size_t size = strcspn(at, "/");
    if (size == 2 && at[0] == '.' && at[1] == '.') {
      while (to > path && *--to != '/') continue;
    } else if (size > 0 && !(size == 1 && at[0] == '.')) {
      *to++ = '/';
      memmove(to, at, size);
      to += size;
    }
    at += size;
  }
  if (to == path) *to++ = '/';
  *to = 0;
}

static bool put_folder(const char *module, buffer *to) {
  if (*module == '/') {
    buffer_put(to, module, (size_t)(strrchr(module, '/') - module));
    return true;
  }
  char folder[4096];
  int64_t size = sys_getcwd(folder, sizeof folder);
  if (size < 0) return false;
  buffer_put(to, folder, (size_t)size);
  return true;
}

static char *no_such_module(JSContext *realm, const char *name) {
  static const char *const absent[][2] = {
      {"http", "there is no network here; call a tool"},
      {"https", "there is no network here; call a tool"},
      {"net", "there is no network here; call a tool"},
      {"dns", "there is no network here; call a tool"},
      {"tls", "there is no network here; call a tool"},
      {"child_process", "use shell(command)"},
      {"worker_threads", "there are no threads here"},
      {"cluster", "there are no processes of that kind here"},
      {"vm", "there is one realm here"},
  };
  const char *plain = strncmp(name, "node:", 5) == 0 ? name + 5 : name;
  const char *why = "only built-in modules and files (./name.mjs) can be imported here";
  for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++)
    if (strcmp(plain, absent[i][0]) == 0) why = absent[i][1];
  buffer text = {0};
  buffer_format(&text, "Cannot find module '%s': %s", name, why);
  errors_throw_coded(realm, "Error", "ERR_MODULE_NOT_FOUND", buffer_string(&text));
  buffer_free(&text);
  return NULL;
}

static char *resolve(JSContext *realm, const char *base, const char *name, void *opaque) {
  (void)opaque;
  JSValue builtin = builtin_of(realm, name);
  bool is_builtin = !JS_IsUndefined(builtin);
  JS_FreeValue(realm, builtin);
  if (is_builtin) return js_strdup(realm, strncmp(name, "node:", 5) == 0 ? name + 5 : name);
  if (strncmp(name, "file://", 7) == 0) name += 7;
  if (*name != '/' && strncmp(name, "./", 2) != 0 && strncmp(name, "../", 3) != 0)
    return no_such_module(realm, name);
  buffer path = {0};
  if (*name != '/' && !put_folder(base, &path)) return no_such_module(realm, name);
  if (*name != '/') buffer_char(&path, '/');
  buffer_text(&path, name);
  buffer_string(&path);
  if (!path.failed) normalise(path.at);
  char *resolved = path.failed ? NULL : js_strdup(realm, path.at);
  if (path.failed) JS_ThrowOutOfMemory(realm);
  buffer_free(&path);
  return resolved;
}

/* ---- loading ---- */

static int export_builtin(JSContext *realm, JSModuleDef *module) {
  JSAtom name = JS_GetModuleName(realm, module);
  const char *text = JS_AtomToCString(realm, name);
  JS_FreeAtom(realm, name);
  if (text == NULL) return -1;
  JSValue object = builtin_of(realm, text);
  JS_FreeCString(realm, text);
  JSPropertyEnum *keys;
  uint32_t count;
  int status = JS_SetModuleExport(realm, module, "default", JS_DupValue(realm, object));
  if (status >= 0 &&
      (status = JS_GetOwnPropertyNames(realm, &keys, &count, object,
                                       JS_GPN_STRING_MASK | JS_GPN_ENUM_ONLY)) >= 0) {
    for (uint32_t i = 0; i < count; i++) {
      const char *key = JS_AtomToCString(realm, keys[i].atom);
      if (key != NULL && strcmp(key, "default") != 0)
        JS_SetModuleExport(realm, module, key, JS_GetProperty(realm, object, keys[i].atom));
      JS_FreeCString(realm, key);
    }
    JS_FreePropertyEnum(realm, keys, count);
  }
  JS_FreeValue(realm, object);
  return status < 0 ? -1 : 0;
}

static JSModuleDef *load_builtin(JSContext *realm, const char *name, JSValueConst object) {
  JSModuleDef *module = JS_NewCModule(realm, name, export_builtin);
  if (module == NULL) return NULL;
  JSPropertyEnum *keys;
  uint32_t count;
  JS_AddModuleExport(realm, module, "default");
  if (JS_GetOwnPropertyNames(realm, &keys, &count, object, JS_GPN_STRING_MASK | JS_GPN_ENUM_ONLY) <
      0)
    return NULL;
  for (uint32_t i = 0; i < count; i++) {
    const char *key = JS_AtomToCString(realm, keys[i].atom);
    if (key != NULL && strcmp(key, "default") != 0) JS_AddModuleExport(realm, module, key);
    JS_FreeCString(realm, key);
  }
  JS_FreePropertyEnum(realm, keys, count);
  return module;
}

static int export_json(JSContext *realm, JSModuleDef *module) {
  return JS_SetModuleExport(realm, module, "default", JS_GetModulePrivateValue(realm, module));
}

static JSModuleDef *load_json(JSContext *realm, const char *path, const char *text, size_t size) {
  JSValue value = JS_ParseJSON(realm, text, size, path);
  if (JS_IsException(value)) return NULL;
  JSModuleDef *module = JS_NewCModule(realm, path, export_json);
  if (module == NULL) {
    JS_FreeValue(realm, value);
    return NULL;
  }
  JS_AddModuleExport(realm, module, "default");
  JS_SetModulePrivateValue(realm, module, value);
  return module;
}

static void set_meta(JSContext *realm, JSModuleDef *module, const char *path) {
  JSValue meta = JS_GetImportMeta(realm, module);
  buffer url = {0};
  buffer_format(&url, "file://%s", path);
  JS_DefinePropertyValueStr(realm, meta, "url", JS_NewString(realm, buffer_string(&url)),
                            JS_PROP_C_W_E);
  JS_DefinePropertyValueStr(realm, meta, "filename", JS_NewString(realm, path), JS_PROP_C_W_E);
  url.size = 0;
  buffer_put(&url, path, (size_t)(strrchr(path, '/') - path));
  JS_DefinePropertyValueStr(realm, meta, "dirname", JS_NewString(realm, buffer_string(&url)),
                            JS_PROP_C_W_E);
  buffer_free(&url);
  JS_FreeValue(realm, meta);
}

static bool ends_with(const char *text, const char *end) {
  size_t size = strlen(text), tail = strlen(end);
  return size >= tail && strcmp(text + size - tail, end) == 0;
}

static JSModuleDef *load_file(JSContext *realm, const char *path) {
  buffer text = {0};
  int64_t status = fs_read_path(path, &text);
  JSModuleDef *module = NULL;
  buffer_string(&text);
  if (status < 0) {
    buffer why = {0};
    buffer_format(&why, "Cannot find module '%s': %s", path,
                  status == -ENOENT   ? "there is no such file"
                  : status == -EISDIR ? "it is a directory"
                  : status == -EACCES ? "permission denied"
                                      : "it cannot be read");
    errors_throw_coded(realm, "Error", "ERR_MODULE_NOT_FOUND", buffer_string(&why));
    buffer_free(&why);
  } else if (text.failed) {
    JS_ThrowOutOfMemory(realm);
  } else if (ends_with(path, ".json")) {
    module = load_json(realm, path, text.at, text.size);
  } else if (ends_with(path, ".ts") || ends_with(path, ".mts")) {
    JS_ThrowSyntaxError(realm, "%.200s is TypeScript, which is not supported yet", path);
  } else {
    JSValue compiled =
        JS_Eval(realm, text.at, text.size, path, JS_EVAL_TYPE_MODULE | JS_EVAL_FLAG_COMPILE_ONLY);
    if (!JS_IsException(compiled)) {
      module = JS_VALUE_GET_PTR(compiled);
      set_meta(realm, module, path);
      JS_FreeValue(realm, compiled); /* the realm holds it */
    }
  }
  buffer_free(&text);
  return module;
}

static JSModuleDef *load(JSContext *realm, const char *name, void *opaque) {
  (void)opaque;
  JSValue builtin = *name == '/' ? JS_UNDEFINED : builtin_of(realm, name);
  JSModuleDef *module =
      JS_IsUndefined(builtin) ? load_file(realm, name) : load_builtin(realm, name, builtin);
  JS_FreeValue(realm, builtin);
  return module;
}

/* ---- require ---- */

static JSValue require(JSContext *realm, JSValueConst self, int count, JSValueConst *values) {
  (void)self;
  (void)count;
  const char *name = JS_ToCString(realm, values[0]);
  if (name == NULL) return JS_EXCEPTION;
  JSValue found = builtin_of(realm, name);
  if (JS_IsUndefined(found)) {
    found = JS_EXCEPTION;
    if (*name == '.' || *name == '/') {
      buffer why = {0};
      buffer_format(&why,
                    "Cannot find module '%s': require gives built-in modules; for a file use "
                    "await import('%s')",
                    name, name);
      errors_throw_coded(realm, "Error", "MODULE_NOT_FOUND", buffer_string(&why));
      buffer_free(&why);
    } else {
      no_such_module(realm, name);
    }
  }
  JS_FreeCString(realm, name);
  return found;
}

void modules_boot(void) {
  builtins = JS_NewObjectProto(machine.realm, JS_NULL);
  JS_SetModuleLoaderFunc(machine.runtime, resolve, load, NULL);
  boot_global("require", JS_NewCFunction(machine.realm, require, "require", 1));
}
