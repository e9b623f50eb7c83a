// SPDX-License-Identifier: MIT
/* progress.c -- the line appears after a second and is renewed four times a second. */
#include "cli/progress.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/clock.h"

enum { FIRST_MS = 1000, RENEW_MS = 250 };

static bool wanted, shown;
static int64_t started, renewed;

void cloche__progress_start(void) {
  const char *terminal = getenv("TERM");
  wanted = isatty(STDERR_FILENO) && (terminal == NULL || strcmp(terminal, "dumb") != 0);
  started = cloche__clock_ms();
}

void cloche__progress_show(uint64_t calls, uint64_t running) {
  if (!wanted) return;
  int64_t now = cloche__clock_ms();
  if (now - started < FIRST_MS || (shown && now - renewed < RENEW_MS)) return;
  fprintf(stderr, "\r\033[K\033[2m%" PRId64 " s, %" PRIu64 " call%s, %" PRIu64 " under way\033[0m",
          (now - started) / 1000, calls, calls == 1 ? "" : "s", running);
  fflush(stderr);
  shown = true;
  renewed = now;
}

void cloche__progress_clear(void) {
  if (!shown) return;
  fputs("\r\033[K", stderr);
  fflush(stderr);
  shown = false;
}
