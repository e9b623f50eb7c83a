// SPDX-License-Identifier: MIT
/* commands.c -- shell commands as promises.
 *
 * A command is a child process that runs the shell. Its standard input, output and error are files
 * without a name, so neither side waits for the other; when it ends, what it wrote is read and the
 * promise settles. The child starts when this process next waits, at its own top. */
#include <stdio.h>

#include "../kernel/kernel.h"
#include "../shell/shell.h"
#include "engine.h"
#include "parts.h"

/* A guest may be built without the shell. */
#pragma weak shell_command_entry

typedef struct child {
  struct child *next;
  int pid, output, errors;
  JSValue resolve, reject;
  shell_command command;
  char *argv[4];
  char *text; /* argv[2] */
} child;

static child *children;

static void close_files(child *ended) {
  if (ended->output >= 0) sys_close(ended->output);
  if (ended->errors >= 0) sys_close(ended->errors);
}

static void free_child(child *ended) {
  JS_FreeValueRT(machine.runtime, ended->resolve);
  JS_FreeValueRT(machine.runtime, ended->reject);
  free(ended->text);
  free(ended);
}

/* Starts the child with the three files in place of our own descriptors, for as long as that takes:
 * a child gets a copy of its parent's. */
static int spawn_with(child *new, int input) {
  int wanted[3] = {input, new->output, new->errors}, saved[3];
  for (int fd = 0; fd < 3; fd++) {
    saved[fd] = sys_dup(fd, 10);
    sys_dup2(wanted[fd], fd);
  }
  process_options options = {.entry = shell_command_entry,
                             .context = &new->command,
                             .name = "sh",
                             .stack = SHELL_PROCESS_STACK};
  int pid = process_spawn(&options);
  for (int fd = 0; fd < 3; fd++) {
    if (saved[fd] >= 0) {
      sys_dup2(saved[fd], fd);
      sys_close(saved[fd]);
    } else {
      sys_close(fd);
    }
  }
  return pid;
}

static int start_child(child *new, const void *input, size_t size) {
  int file = sys_memory_file(input, size);
  new->output = sys_memory_file(NULL, 0);
  new->errors = sys_memory_file(NULL, 0);
  int status = file < 0 ? file : new->output < 0 ? new->output : new->errors;
  if (status >= 0) status = spawn_with(new, file);
  if (file >= 0) sys_close(file);
  return status;
}

static child *new_child(JSContext *realm, const char *text) {
  child *new = calloc(1, sizeof *new);
  char *copy = strdup(text);
  if (new == NULL || copy == NULL) {
    free(new);
    free(copy);
    JS_ThrowOutOfMemory(realm);
    return NULL;
  }
  static char shell[] = "sh", option[] = "-c";
  *new = (child){.output = -1, .errors = -1, .text = copy, .argv = {shell, option, copy, NULL}};
  new->resolve = new->reject = JS_UNDEFINED;
  new->command = (shell_command){3, new->argv, NULL};
  return new;
}

/* startCommand(text, input): a promise of [stdout, stderr, status] */
static JSValue start_command(JSContext *realm, JSValueConst self, int count, JSValueConst *values) {
  (void)self;
  size_t size = 0;
  const char *text = name_bytes(realm, values[0]), *input = NULL;
  const uint8_t *bytes = NULL;
  if (text == NULL) return JS_EXCEPTION;
  if (shell_command_entry == NULL) {
    JS_FreeCString(realm, text);
    return JS_ThrowPlainError(realm, "this guest was built without a shell");
  }
  if (count > 1 && JS_GetTypedArrayType(values[1]) == JS_TYPED_ARRAY_UINT8)
    bytes = JS_GetUint8Array(realm, &size, values[1]);
  else if (count > 1 && !JS_IsUndefined(values[1]))
    bytes = (const uint8_t *)(input = JS_ToCStringLen(realm, &size, values[1]));
  child *new = new_child(realm, text);
  JSValue promise = JS_EXCEPTION;
  if (new != NULL) {
    int pid = start_child(new, bytes, size);
    JSValue functions[2];
    if (pid > 0 && !JS_IsException(promise = JS_NewPromiseCapability(realm, functions))) {
      new->pid = pid;
      new->resolve = functions[0];
      new->reject = functions[1];
      new->next = children;
      children = new;
    } else {
      if (pid < 0) promise = fs_throw(realm, pid, "spawn", NULL);
      close_files(new);
      free_child(new);
    }
  }
  JS_FreeCString(realm, input);
  JS_FreeCString(realm, text);
  return promise;
}

static JSValue content_of(JSContext *realm, int fd) {
  file_stat stat;
  if (sys_fstat(fd, &stat) < 0 || stat.size > SIZE_MAX / 4)
    return JS_NewUint8ArrayCopy(realm, NULL, 0);
  buffer bytes = {0};
  int64_t got = buffer_reserve(&bytes, (size_t)stat.size + 1)
                    ? sys_pread(fd, bytes.at, (size_t)stat.size, 0)
                    : -ENOMEM;
  JSValue content = got < 0 ? JS_ThrowOutOfMemory(realm)
                            : JS_NewUint8ArrayCopy(realm, (const uint8_t *)bytes.at, (size_t)got);
  buffer_free(&bytes);
  return content;
}

void commands_settle(int pid, int status) {
  JSContext *realm = machine.realm;
  child **link = &children;
  while (*link != NULL && (*link)->pid != pid) link = &(*link)->next;
  child *ended = *link;
  if (ended == NULL) return;
  *link = ended->next;
  JSValue parts[] = {content_of(realm, ended->output), content_of(realm, ended->errors),
                     JS_NewInt32(realm, status)};
  JSValue result = JS_NewArrayFrom(realm, 3, parts);
  JSValueConst settle = ended->resolve;
  if (JS_IsException(result)) {
    result = JS_GetException(realm);
    settle = ended->reject;
  }
  JS_FreeValue(realm, JS_Call(realm, settle, JS_UNDEFINED, 1, (JSValueConst *)&result));
  JS_FreeValue(realm, result);
  close_files(ended);
  free_child(ended);
}

bool commands_pending(void) {
  return children != NULL;
}

void commands_exchange(commands_state *other) {
  commands_state was = {children};
  children = other->children;
  *other = was;
}

void commands_drop(void) {
  while (children != NULL) {
    child *left = children;
    children = left->next;
    process_kill(left->pid, SIGNAL_KILL);
    close_files(left);
    free_child(left);
  }
}

void commands_native(JSContext *realm, JSValueConst native) {
  boot_set(realm, native, "startCommand", JS_NewCFunction(realm, start_command, "startCommand", 2));
}
