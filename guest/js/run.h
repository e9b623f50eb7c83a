// SPDX-License-Identifier: MIT
/* run.h -- one program from its text to its result: the parts that a run of the host's and the
 * command `node` share. */
#ifndef GUEST_JS_RUN_H
#define GUEST_JS_RUN_H

#include "engine.h"
#include "parts.h"

typedef struct {
  const char *name; /* the program's, in positions of errors */
  const char *text;
  size_t size;
  size_t stack;       /* for the engine */
  bool waits_for_all; /* as Node does: while a timer, a call or a command is pending */
  JSValue promise;    /* what the program's function gave; undefined when it is ready */
  JSValue value;      /* where that is no promise; at last, the program's */
  engine_activation *activation;
  engine_program program;
  const char *end;   /* NULL while it goes on */
  JSValue error;     /* for an end that has one */
  bool is_unhandled; /* error is the reason of a promise that nobody handled */
  char *adjusted;
  process_state *process; /* of a command, while it waits those of the program around it; or NULL */
} run;

/* What a process keeps of the engine while it waits. */
typedef struct {
  timers_state timers;
  tools_state tools;
  commands_state commands;
  js_output_state output;
  engine_text program;
} engine_state;

/* A run of `text`; text[size] is NUL. */
run run_of(const char *name, const char *text, size_t size, size_t stack);
/* [waits] From the text to r->value, or to an r->end that is not NULL. */
void run_go(run *r);
/* r->end is not NULL any more: "done", or what came in between. */
void run_close(run *r);
/* Drops what is pending. What the program stored in globals stays. */
void run_clean_up(run *r);
/* [waits] Frees what is left, and writes what is still to be written. */
void run_free(run *r);

/* [waits] What comes through a pipe is read before the engine starts, as it cannot wait. */
void run_read_input_ahead(void);

#endif
