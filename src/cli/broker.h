// SPDX-License-Identifier: MIT
/* broker.h -- runs the tools that are commands and answers the sandbox.
 *
 * Each call is one process in a session and process group of its own: the arguments as JSON on its
 * standard input, its standard output is the answer. All of them run at once on one libuv loop,
 * which turns only inside cloche__broker_turn.
 *
 * What a failing tool says on standard error is for the person who runs cloche. The program gets a
 * fixed sentence, or what the tool put into {"error": ...} on standard output on purpose: paths,
 * environment and stack traces stay on this side (invariant 6). */
#ifndef CLOCHE_CLI_BROKER_H
#define CLOCHE_CLI_BROKER_H

#include <uv.h>

#include "cli/config.h"

typedef struct cloche__job cloche__job;

typedef struct cloche__broker {
  uv_loop_t *loop;
  cloche_sandbox *box;
  const cloche__config *config;
  cloche_account *account; /* where calls that may be made once only are noted; may be NULL */
  uint64_t result_limit;   /* bytes of one answer */
  cloche__job *jobs;
  size_t running;
  bool news;  /* an answer was given since this was last cleared */
  bool quiet; /* failures are not reported: the run has ended */
} cloche__broker;

/* Starts the tool for a CALL event, or answers at once that it cannot be started. */
void cloche__broker_call(cloche__broker *broker, const cloche_event *event);
/* Nobody waits for this call any more. */
void cloche__broker_cancel(cloche__broker *broker, uint64_t call);
/* Ends all tools and waits for them to be gone, a second at most. */
void cloche__broker_stop(cloche__broker *broker);

#endif
