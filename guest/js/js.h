// SPDX-License-Identifier: MIT
/* js.h -- JavaScript as the kernel sees it.
 *
 * There is one engine. It is created at build time, its memory becomes part of the image, and what
 * a program stores in its globals stays for the next program of the same sandbox. */
#ifndef GUEST_JS_H
#define GUEST_JS_H

#include <stdbool.h>
#include <stddef.h>

/* Creates the engine and everything a program finds in it, then seals that. Once, at build time,
 * outside any process. */
void js_boot(void);

/* The process_entry of a JavaScript program; `context` is a run_program (kernel.h). Standard input,
 * output and error are its descriptors 0, 1 and 2. It hands the run's result to process_set_result
 * and returns the exit status that a shell would see. Only one such process exists at a time. */
int js_process_entry(void *context);

/* A program as the command `node` runs it. All strings belong to the caller and stay. */
typedef struct {
  const char *name; /* an absolute path, or "[eval]" */
  const char *text; /* text[size] is NUL */
  size_t size;
  char **argv; /* what process.argv holds; ends with NULL */
  char **environment;
  bool prints; /* node -p: the program's value */
} js_program;

/* [waits] Runs it in the current process, beside whatever else the engine has begun; errors go to
 * standard error as Node words them. The exit status. Globals are the sandbox's; the run ends when
 * nothing is pending, as Node's does. */
int js_run(const js_program *program);

/* The C stack of that process beyond abi_limits.stack: the engine stops recursion at that limit,
 * and this is for what runs above and below its checks. */
#define JS_STACK_MARGIN 131072u

#endif
