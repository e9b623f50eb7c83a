// SPDX-License-Identifier: MIT
/* clock.h -- monotonic time. */
#ifndef CLOCHE_CLI_CLOCK_H
#define CLOCHE_CLI_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t cloche__clock_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline int64_t cloche__clock_ms(void) {
  return cloche__clock_ns() / 1000000;
}

#endif
