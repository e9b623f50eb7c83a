// SPDX-License-Identifier: MIT
/* js.h -- JavaScript as the kernel sees it.
 *
 * There is one engine. It is created at build time, its memory becomes part of the image, and what
 * a program stores in its globals stays for the next program of the same sandbox. */
#ifndef GUEST_JS_H
#define GUEST_JS_H

/* Creates the engine and everything a program finds in it, then seals that. Once, at build time,
 * outside any process. */
void js_boot(void);

/* The process_entry of a JavaScript program; `context` is a run_program (kernel.h). Standard input,
 * output and error are its descriptors 0, 1 and 2. It hands the run's result to process_set_result
 * and returns the exit status that a shell would see. Only one such process exists at a time. */
int js_process_entry(void *context);

/* The C stack of that process beyond abi_limits.stack: the engine stops recursion at that limit,
 * and this is for what runs above and below its checks. */
#define JS_STACK_MARGIN 131072u

#endif
