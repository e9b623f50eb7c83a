// SPDX-License-Identifier: MIT
/* parts.h -- what the files of guest/js offer each other.
 *
 * There are two realms (sets of built-in objects) in one runtime. Programs live in `realm`. `inner`
 * holds the prelude that formats and inspects; since its Array, String and so on are not those of
 * the program, nothing a program does to its own can change how it is reported.
 * Functions that return JSValue or int throw in `realm`, as the engine's own do. */
#ifndef GUEST_JS_PARTS_H
#define GUEST_JS_PARTS_H

#include "buffer.h"
#include "js.h"
#include "quickjs.h"

/* The name of the program in error positions, and of what we add (never shown). */
#define PROGRAM_NAME "program.js"
#define PRELUDE_PREFIX "cloche:"

typedef struct {
  JSRuntime *runtime;
  JSContext *realm, *inner;
} js_machine;
extern js_machine machine;

/* ---- boot.c ---- */

/* Evaluates prelude/NAME.js in a realm as a script; its value. */
JSValue boot_prelude(JSContext *realm, const char *name);
JSValue boot_checked(JSContext *realm, JSValue value,
                     const char *what);            /* ends the build on failure */
void boot_global(const char *name, JSValue value); /* writable, not enumerable; takes value */
void boot_function(JSValueConst object, const char *name, JSCFunction *function, int length);
void boot_set(JSContext *realm, JSValueConst object, const char *name,
              JSValue value); /* takes it */
void boot_method(JSValueConst object, const char *name, JSCFunctionMagic *function, int length,
                 int magic);

/* ---- what belongs to one JavaScript process ----
 *
 * While one waits, at its own top, another may run in the same engine: a command `node` beside the
 * program that started it. Each *_exchange swaps what its file holds for the running process with
 * *other; {0} is a process that has not begun. */
typedef struct {
  struct timer *heap;
  size_t count, room;
} timers_state;

typedef struct {
  struct tool_promise *calls;
  uint32_t count, room, alive;
} tools_state;

typedef struct {
  struct child *children;
} commands_state;

typedef struct {
  struct {
    bool is_known, may_wait;
    buffer kept;
  } streams[2]; /* descriptors 1 and 2 */
} js_output_state;

typedef struct {
  JSValue values[5];
} process_state;

void process_exchange(process_state *other);
void timers_exchange(timers_state *other);
void tools_exchange(tools_state *other);
void commands_exchange(commands_state *other);
void js_output_exchange(js_output_state *other);

/* ---- run.c ---- */

/* Ends the run as if the program had returned, or failed when `status` is not 0. */
JSValue run_exit(JSContext *realm, int status);
/* What the program that runs asked for so, or -1. */
int run_exit_status(void);
void run_reject_tracked(JSContext *realm, JSValueConst promise, JSValueConst reason,
                        bool is_handled, void *opaque);

/* ---- errors.c ---- */

void errors_boot(void);
/* The `error` object of ABI_DONE. `end` is the run's end, `text` the program's. */
typedef struct {
  const char *end, *name, *text; /* name: the program's, as the engine was given it */
  size_t size;
  bool is_unhandled; /* the reason of a promise that nobody handled */
} error_context;
void errors_describe(JSValueConst error, const error_context *context, buffer *to);
/* "FILE:LINE", that line where it is the program's, and an empty line; nothing when unknown. */
void errors_place(JSValueConst error, const error_context *context, buffer *to);
/* Error objects and DOMExceptions, of whatever class. */
bool errors_is_error(JSValueConst value);
/* Where the first of `frames` is that lies in the program or a module: not in a text that eval was
 * given. */
typedef struct {
  const char *file; /* within the frames */
  size_t file_size;
  int line, column;
} error_position;
bool errors_position(const char *frames, error_position *found);
/* Only the frames of the program: what the engine recorded, filtered. */
void errors_own_frames(const char *frames, size_t size, buffer *to);
/* The kind of end that an uncaught `error` makes: "exception", or the limit it stands for. */
const char *errors_end(JSValueConst error);
/* Throws `class` (a global's name, "TypeError") with a `code`, as Node does. */
JSValue errors_throw_coded(JSContext *realm, const char *class, const char *code,
                           const char *message);
/* ---- source.c ---- */

/* Makes *text what is compiled; the copy this takes is returned, for free(), or NULL. A Markdown
 * fence around the whole program is blanked; every other character stays in its place. */
char *source_adjusted(const char **text, size_t *size);
/* What to add to the message of a syntax error at a position of `text`: that it is TypeScript. ""
 * when it does not look like that. */
const char *source_syntax_hint(const char *text, size_t size, int line, int column);
/* The column in UTF-16 units, as editors and other engines count, of a column in bytes. */
int source_column(const char *text, size_t size, int line, int column);

/* ---- natives.c ---- */

/* The functions that preludes get from C. */
JSValue natives_new(JSContext *realm);
/* Replaces Math.random by one that takes its seed from the kernel when a run first uses it. */
void natives_boot(void);
void natives_reset(void);

/* ---- fs.c ---- */

JSValue fs_native(JSContext *realm);
JSValue fs_throw(JSContext *realm, int64_t status, const char *call, const char *path);
/* All of a file. 0, or a negative errno. */
int64_t fs_read_path(const char *path, buffer *to);
int64_t fs_read_fd(int fd, buffer *to);

/* ---- modules.c ---- */

void modules_boot(void);
/* What `import` and `require` give for a built-in name. Takes value. */
void modules_add(const char *name, JSValue value);

/* ---- library.c ---- */

/* Globals and built-in modules that are written in JavaScript. */
void library_boot(void);
/* The object `process`. */
JSValueConst library_process(void);

/* ---- console.c ---- */

void console_boot(void);
/* Undoes what one run leaves for the next: groups, counters, timers. */
void console_reset(void);
/* Adds `inspect` and `format` of the program's realm. */
void console_natives(JSValueConst native);
/* As util.inspect and util.format; a string of the program's realm. */
JSValue console_inspect(JSValueConst value);
JSValue console_format(int count, JSValueConst *values);

/* ---- output.c ---- */

/* Bytes for descriptor 1 or 2. Where writing might wait (a pipe) they are kept until
 * js_output_flush. */
void output_put(int fd, const char *text, size_t size);
/* [waits] Only from the process's own top level, for what is not the running state. */
void js_output_flush(js_output_state *of);
void js_output_free(js_output_state *of);

/* ---- timers.c ---- */

void timers_boot(void);
/* Runs what is due, one callback. 0 nothing was due, 1 one ran, -1 it threw. */
int timers_run_due(void);
/* When the next is due in virtual ns, INT64_MAX when there is none. */
int64_t timers_next(void);
void timers_drop(void);

/* ---- hints.c ---- */

void hints_boot(void);

/* ---- commands.c ---- */

void commands_native(JSContext *realm, JSValueConst native);
/* A child process has ended. */
void commands_settle(int pid, int status);
/* Whether any still runs. */
bool commands_pending(void);
/* Ends those that still run. */
void commands_drop(void);

/* ---- tools.c ---- */

void tools_boot(void);
/* An event of the kernel for a call or a child; takes `json`. */
void tools_settle(int64_t call, bool failed, char *json, size_t size);
void tools_drop(void);
/* Calls that have not been answered. */
int tools_pending(void);

#endif
