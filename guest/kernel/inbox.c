// SPDX-License-Identifier: MIT
/* inbox.c -- what the host says, and the four functions it calls.
 *
 * The host is trusted here: a malformed batch is a bug of ours, and is cut off where it stops
 * making sense. */
#include <string.h>

#include "../fs/files.h"
#include "../fs/lazy.h"
#include "../fs/mark.h"
#include "call.h"
#include "control.h"
#include "descriptor.h"
#include "heap.h"
#include "linux_errno.h"
#include "machine.h"
#include "outbox.h"
#include "process.h"
#include "random.h"

/* The engines and commands that the image holds; a test may be linked without some of them. */
extern int js_process_entry(void *context) __attribute__((weak));
extern int shell_process_entry(void *context) __attribute__((weak));
extern void js_boot(void) __attribute__((weak));
extern void shell_boot(void) __attribute__((weak));
extern void bin_boot(void) __attribute__((weak));

/* Above the limit on the engine's stack: for what runs above and below its own checks. */
#define ENGINE_STACK_MARGIN 131072u
#define SHELL_STACK (256u * 1024)

abi_control kernel_control = {.next_timer = INT64_MAX};

static abi_limits limits = {.files = 10000,
                            .file_bytes = 64u << 20,
                            .in_flight = 32,
                            .argument = 1u << 20,
                            .stack = 1u << 20};
static uint8_t *inbox;
static uint32_t inbox_size;
static char **environment;

const abi_limits *kernel_limits(void) {
  return &limits;
}

char *const *kernel_environment(void) {
  static char *const none[1] = {NULL};
  return environment == NULL ? none : environment;
}

/* ---- strings, each ending in NUL ---- */

/* An array of pointers into a copy of the bytes, ending with NULL: one block, which starts with the
 * pointers. A last string without its NUL gets one. */
static char **split_strings(const char *bytes, size_t size, size_t *count) {
  size_t strings = 0;
  for (size_t i = 0; i < size; i++) strings += bytes[i] == 0;
  if (size > 0 && bytes[size - 1] != 0) strings++;
  char **list = kernel_malloc((strings + 1) * sizeof *list + size + 1);
  if (list == NULL) return NULL;
  char *copy = (char *)(list + strings + 1);
  memcpy(copy, bytes, size);
  copy[size] = 0;
  for (size_t i = 0; i < strings; i++) {
    list[i] = copy;
    copy += strlen(copy) + 1;
  }
  list[strings] = NULL;
  *count = strings;
  return list;
}

static void set_environment(const char *bytes, size_t size) {
  size_t count;
  char **list = split_strings(bytes, size, &count);
  if (list == NULL) return;
  kernel_free(environment);
  environment = list;
}

/* ---- runs ---- */

static void refuse_run(uint32_t id) {
  static const char json[] =
      "{\"end\":\"limit.memory\",\"error\":{\"name\":\"Error\",\"message\":\"the program and its "
      "input do "
      "not fit into memory, or the input not into a file (--file-bytes)\"}}";
  outbox_add(ABI_DONE, id, json, sizeof json - 1, NULL, 0);
}

static char *copy_text(const char *text, size_t size) {
  char *copy = kernel_malloc(size + 1);
  if (copy == NULL) return NULL;
  memcpy(copy, text, size);
  copy[size] = 0;
  return copy;
}

static void start_js(uint32_t id, const char *text, size_t size) {
  if (js_process_entry == NULL) return refuse_run(id);
  run_program program = {.text = copy_text(text, size), .size = size};
  if (program.text == NULL ||
      runs_start(id, js_process_entry, "js", &program, limits.stack + ENGINE_STACK_MARGIN) != 0) {
    kernel_free((char *)(uintptr_t)program.text);
    refuse_run(id);
  }
}

/* The first string is the script, the others are $0, $1 and so on. */
static void start_sh(uint32_t id, const char *bytes, size_t size, bool session) {
  const char *end = memchr(bytes, 0, size);
  size_t text_size = end == NULL ? size : (size_t)(end - bytes);
  size_t rest = end == NULL ? size : text_size + 1;
  size_t count = 0;
  if (shell_process_entry == NULL) return refuse_run(id);
  run_program program = {.text = copy_text(bytes, text_size), .size = text_size};
  program.argv = split_strings(bytes + rest, size - rest, &count);
  program.argc = (int)count;
  if (program.text == NULL || program.argv == NULL ||
      (session ? runs_go_on : runs_start)(id, shell_process_entry, "sh", &program, SHELL_STACK) !=
          0) {
    kernel_free((char *)(uintptr_t)program.text);
    kernel_free(program.argv);
    refuse_run(id);
  }
}

/* ---- records ---- */

static void set_limits(const void *bytes, size_t size) {
  if (size == sizeof limits) memcpy(&limits, bytes, sizeof limits);
}

/* The fixed part, and the path behind it. */
static void add_mount(uint32_t id, const uint8_t *bytes, size_t size) {
  abi_mount mount;
  if (size < sizeof mount) return;
  memcpy(&mount, bytes, sizeof mount);
  char *path = copy_text((const char *)bytes + sizeof mount, size - sizeof mount);
  int error = path == NULL ? -ENOMEM : mount_add(id, mount.source, mount.writable != 0, path);
  int32_t number = errno_to_linux(-error);
  outbox_add(ABI_FILED, id, &number, sizeof number, NULL, 0);
  kernel_free(path);
}

static void read_record(const abi_record *record, const uint8_t *bytes) {
  const char *text = (const char *)bytes;
  switch (record->kind) {
    case ABI_TOOLS:
      if (tools_define(text, record->size)) files_show_tools();
      break;
    case ABI_HIDDEN_TOOLS:
      tools_hide(text, record->size);
      break;
    case ABI_SEED:
      if (record->size == 32) random_seed(bytes);
      break;
    case ABI_RUN_JS:
      mark_now();
      start_js(record->id, text, record->size);
      break;
    case ABI_RUN_SH:
      mark_now();
      start_sh(record->id, text, record->size, false);
      break;
    case ABI_RUN_SESSION:
      start_sh(record->id, text, record->size, true);
      break;
    case ABI_STDIN:
      descriptors_set_stdin(bytes, record->size);
      break;
    case ABI_RESULT:
      call_answered(record->id, false, bytes, record->size);
      break;
    case ABI_FAILURE:
      call_answered(record->id, true, bytes, record->size);
      break;
    case ABI_FILE:
      files_operate(record->id, bytes, record->size);
      break;
    case ABI_MOUNT:
      add_mount(record->id, bytes, record->size);
      break;
    case ABI_LIMITS:
      set_limits(bytes, record->size);
      break;
    case ABI_ENVIRON:
      set_environment(text, record->size);
      break;
    default:
      break;
  }
}

static void read_inbox(void) {
  uint32_t at = 0;
  while (inbox_size - at >= sizeof(abi_record)) {
    abi_record record;
    memcpy(&record, inbox + at, sizeof record);
    at += sizeof record;
    if (record.size > inbox_size - at) break;
    read_record(&record, inbox + at);
    uint32_t padded = (record.size + 3) & ~3u;
    at = padded > inbox_size - at ? inbox_size : at + padded;
  }
  kernel_free(inbox);
  inbox = NULL;
  inbox_size = 0;
}

/* ---- exports ---- */

KERNEL_EXPORT(inbox) void *kernel_inbox(uint32_t size) {
  kernel_free(inbox);
  inbox = kernel_malloc(size);
  inbox_size = inbox == NULL ? 0 : size;
  return inbox;
}

KERNEL_EXPORT(control) abi_control *kernel_control_block(void) {
  return &kernel_control;
}

KERNEL_EXPORT(step) abi_state kernel_step(void) {
  if (inbox != NULL) read_inbox();
  scheduler_run();
  kernel_control.next_timer = scheduler_next_deadline();
  return ABI_IDLE;
}

#ifdef __wasm__
/* Made by the linker. Calling it by name also says that this module is no command: else the linker
 * wraps each export in a function that runs destructors, and the meter would find the wrappers. */
void __wasm_call_ctors(void);

/* What earlier calls have left below the stack pointer would be in the image for nothing. */
static void clear_dead_stack(void) {
  enum { FIRST = 1024 };
  volatile uint8_t *at = (volatile uint8_t *)FIRST;
  while ((uintptr_t)at < meter_stack() - 64) *at++ = 0;
}
#else
static void __wasm_call_ctors(void) {}
static void clear_dead_stack(void) {}
#endif

KERNEL_EXPORT(boot) void kernel_boot(void) {
  __wasm_call_ctors();
  outbox_boot();
  coroutine_boot();
  files_boot();
  if (js_boot != NULL) js_boot();
  if (shell_boot != NULL) shell_boot();
  if (bin_boot != NULL) bin_boot();
  heap_seal();
  clear_dead_stack();
}
