// SPDX-License-Identifier: MIT
/* test.h -- the unit tests' own assertions.
 *
 * A test is a function named as a sentence that can be false. Each runs in a process of its own, so
 * a crash names its test and the others still run. A failed CHECK prints both values and the row
 * that TEST_ROW named, and ends the test.
 *
 *   TEST(a_denied_call_changes_nothing) { CHECK_EQ(count, 0); }
 *   TEST_MAIN(TEST_ENTRY(a_denied_call_changes_nothing))
 *
 * The program takes names to run only those; with `--here` it does not fork (for a debugger). */
#ifndef CLOCHE_TEST_H
#define CLOCHE_TEST_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
  const char *name;
  void (*run)(void);
} test_case;

static const char *test_row = "";
static inline void test_failed(const char *file, int line) {
  fprintf(stderr, "  at %s:%d%s%s\n", file, line, *test_row ? " in row " : "", test_row);
  fflush(NULL);
  _exit(1);
}

#define TEST(name) static void name(void)
/* Names the table row that the checks below belong to. `text` must outlive them. */
#define TEST_ROW(text) (test_row = (text))

#define CHECK(condition)                            \
  do {                                              \
    if (!(condition)) {                             \
      fprintf(stderr, "  false: %s\n", #condition); \
      test_failed(__FILE__, __LINE__);              \
    }                                               \
  } while (0)

#define CHECK_EQ(got, want)                                                                       \
  do {                                                                                            \
    intmax_t got_ = (intmax_t)(got), want_ = (intmax_t)(want);                                    \
    if (got_ != want_) {                                                                          \
      fprintf(stderr, "  %s is %" PRIdMAX ", not %s (%" PRIdMAX ")\n", #got, got_, #want, want_); \
      test_failed(__FILE__, __LINE__);                                                            \
    }                                                                                             \
  } while (0)

#define CHECK_STR(got, want)                                              \
  do {                                                                    \
    const char *got_ = (got), *want_ = (want);                            \
    if (strcmp(got_, want_) != 0) {                                       \
      fprintf(stderr, "  %s is \"%s\", not \"%s\"\n", #got, got_, want_); \
      test_failed(__FILE__, __LINE__);                                    \
    }                                                                     \
  } while (0)

static inline int test_run_all(const test_case *cases, size_t count, int argc, char **argv) {
  bool here = argc > 1 && strcmp(argv[1], "--here") == 0;
  char **only = argv + (here ? 2 : 1);
  int failures = 0, ran = 0;
  for (size_t i = 0; i < count; i++) {
    bool wanted = *only == NULL;
    for (char **name = only; *name != NULL; name++) wanted |= strcmp(*name, cases[i].name) == 0;
    if (!wanted) continue;
    ran++;
    fflush(NULL);
    int status = 0;
    pid_t child = here ? -1 : fork();
    if (child <= 0) {
      cases[i].run();
      if (child == 0) exit(0); /* exit, not _exit: sanitizers report leaks here */
    } else if (waitpid(child, &status, 0) != child) {
      status = -1;
    }
    if (status != 0) failures++;
    printf("%s %s\n", status == 0 ? "ok" : "FAILED", cases[i].name);
    if (status != 0 && WIFSIGNALED(status)) printf("  signal %d\n", WTERMSIG(status));
  }
  printf("%d tests, %d failed\n", ran, failures);
  return failures != 0 || ran == 0;
}

#define TEST_ENTRY(name) \
  { #name, name }
#define TEST_MAIN(...)                                                      \
  int main(int argc, char **argv) {                                         \
    static const test_case cases[] = {__VA_ARGS__};                         \
    return test_run_all(cases, sizeof cases / sizeof cases[0], argc, argv); \
  }

#endif
