// SPDX-License-Identifier: MIT
/* approvals.h -- asks the person at the terminal about calls that the policy leaves to a person.
 *
 * One question at a time; tools go on meanwhile. Where stdin or stderr is no terminal nobody can be
 * asked: the call is held, until the program is saved with it, or denied with a reason that says
 * so.
 */
#ifndef CLOCHE_CLI_APPROVALS_H
#define CLOCHE_CLI_APPROVALS_H

#include <uv.h>

#include "cli/options.h"

typedef struct cloche__question cloche__question;

typedef struct cloche__approvals {
  uv_loop_t *loop;
  cloche_sandbox *box;
  cloche__question *first, *last;
  cloche__ask how;
  size_t held; /* calls that wait for somebody who is not here */
  bool news;   /* a call was approved or denied since this was last cleared */
  bool listening;
  uv_poll_t terminal;
  char line[256];
  size_t length;
} cloche__approvals; /* loop, box and how set, the rest zero */

void cloche__approvals_ask(cloche__approvals *approvals, const cloche_event *event);
void cloche__approvals_stop(cloche__approvals *approvals);

#endif
