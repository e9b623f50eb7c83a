// SPDX-License-Identifier: MIT
/* box_help.h -- programs that are begun and stepped in one line, for the tests of sandboxes. */
#ifndef CLOCHE_BOX_HELP_H
#define CLOCHE_BOX_HELP_H

#include "cloche.h"
#include "json/buffer.h"
#include "test.h"

static inline void begin(cloche_sandbox *box, const char *program) {
  cloche_program p = {.text = cloche__text(program)};
  CHECK_EQ(cloche_exec(box, &p), CLOCHE_OK);
}

static inline cloche_event step(cloche_sandbox *box) {
  cloche_event event;
  CHECK_EQ(cloche_step(box, &event), CLOCHE_OK);
  return event;
}

static inline cloche_event step_to(cloche_sandbox *box, cloche_event_kind kind) {
  cloche_event event;
  do event = step(box);
  while (event.kind != kind);
  return event;
}

#endif
