// SPDX-License-Identifier: MIT
/* guest_process.h -- a test that runs as the root process of a native guest.
 *
 *   GUEST_TEST(a_pipe_carries_bytes) { ... CHECK_EQ(sys_pipe(ends), 0); ... }
 *
 * The body is a process: it may wait, spawn and call tools. A program of several tests has each in
 * a process of the machine's own, so each boots its own guest. */
#ifndef TESTS_NATIVE_GUEST_PROCESS_H
#define TESTS_NATIVE_GUEST_PROCESS_H

#include "../../guest/kernel/kernel.h"
#include "../unit/test.h"
#include "host.h"

__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return "detect_leaks=0";
}

static void (*guest_test_body)(void);

int shell_process_entry(void *context);
int shell_process_entry(void *context) {
  (void)context;
  guest_test_body();
  return 0;
}

/* Runs `body` as run 1 and expects it to be done. */
static inline void guest_test_run(void (*body)(void), const host_hooks *hooks) {
  guest_test_body = body;
  host_boot(hooks);
  host_send(ABI_TOOLS, 0, host_test_tools, strlen(host_test_tools));
  host_send(ABI_RUN_SH, 1, "test", 5);
  CHECK(host_run(1));
  CHECK_STR(host_done(NULL), "{\"end\":\"done\",\"status\":0}");
}

#define GUEST_TEST(name)               \
  static void name##_body(void);       \
  TEST(name) {                         \
    guest_test_run(name##_body, NULL); \
  }                                    \
  static void name##_body(void)

#endif
