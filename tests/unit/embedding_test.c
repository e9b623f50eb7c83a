// SPDX-License-Identifier: MIT
/* embedding_test.c -- the library as a guest in somebody's process: threads, forks, handlers,
 * leaks. */
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#if defined(__x86_64__)
#include <asm/prctl.h>
#endif

#include "cloche.h"
#include "test.h"

#if defined(__SANITIZE_ADDRESS__)
enum { MANY = 3000, SANITIZED = 1 };
#else
enum { MANY = 100000, SANITIZED = 0 };
#endif

static cloche_engine *start(void) {
  cloche_engine *engine = NULL;
  CHECK_EQ(cloche_engine_new(NULL, &engine), CLOCHE_OK);
  return engine;
}
static cloche_sandbox *make(cloche_engine *engine) {
  cloche_sandbox_options options = {.limits.timeout = 2000000000};
  cloche_sandbox *box = NULL;
  CHECK_EQ(cloche_sandbox_new(engine, &options, &box), CLOCHE_OK);
  return box;
}
static cloche_end run(cloche_sandbox *box, const char *text) {
  cloche_program program = {.text = {text, strlen(text)}};
  CHECK_EQ(cloche_exec(box, &program), CLOCHE_OK);
  cloche_event event = {0};
  while (event.kind != CLOCHE_DONE) CHECK_EQ(cloche_step(box, &event), CLOCHE_OK);
  return cloche_sandbox_result(box)->end;
}

/* ---- leaks ---- */

static long resident_pages(void) {
  long total = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  CHECK(file != NULL && fscanf(file, "%ld %ld", &total, &resident) == 2);
  fclose(file);
  return resident;
}
static int open_files(void) {
  int count = 0;
  DIR *folder = opendir("/proc/self/fd");
  CHECK(folder != NULL);
  while (readdir(folder) != NULL) count++;
  closedir(folder);
  return count;
}
static int mappings(void) {
  int lines = 0, c;
  FILE *file = fopen("/proc/self/maps", "r");
  CHECK(file != NULL);
  while ((c = getc(file)) != EOF) lines += c == '\n';
  fclose(file);
  return lines;
}

static void use_many(cloche_engine *engine, int count) {
  for (int i = 0; i < count; i++) {
    cloche_sandbox *box = make(engine);
    CHECK_EQ(run(box, i % 3 == 0 ? "w90000g2w700000v" : "v"), CLOCHE_END_DONE);
    if (i % 7 == 0) CHECK_EQ(run(box, "t"), CLOCHE_END_TRAP);
    cloche_sandbox_free(box);
  }
}

TEST(a_hundred_thousand_sandboxes_leave_nothing) {
  cloche_engine *engine = start();
  use_many(engine, MANY / 20); /* what caches hold is there */
  long pages = resident_pages();
  int files = open_files(), maps = mappings();
  use_many(engine, MANY);
  CHECK_EQ(open_files(), files);
  if (!SANITIZED) CHECK(mappings() <= maps + 4);
  if (!SANITIZED) CHECK(resident_pages() <= pages + 256); /* 1 MiB */
  cloche_engine_free(engine);
}

TEST(a_hundred_engines_leave_nothing) {
  cloche_engine_free(start());
  int files = open_files(), maps = mappings();
  for (int i = 0; i < 100; i++) {
    cloche_engine *engine = start();
    use_many(engine, 3);
    cloche_engine_free(engine);
  }
  CHECK_EQ(open_files(), files);
  if (!SANITIZED) CHECK(mappings() <= maps + 4);
}

/* ---- older kernels ---- */

/* Before Linux 6.7 a shared mapping of a sealed file is refused, even one for reading. */
TEST(no_sealed_file_is_mapped_as_shared) {
  cloche_engine *engine = start();
  cloche_sandbox *box = make(engine);
  char line[512], rights[8];
  int images = 0;
  FILE *file = fopen("/proc/self/maps", "r");
  CHECK(file != NULL);
  while (fgets(line, sizeof line, file) != NULL) {
    if (strstr(line, "/memfd:cloche-") == NULL) continue;
    CHECK(sscanf(line, "%*s %7s", rights) == 1);
    CHECK_EQ(rights[3], 'p');
    images++;
  }
  fclose(file);
  CHECK(images >= 2); /* to read from, and the sandbox's */
  cloche_sandbox_free(box);
  cloche_engine_free(engine);
}

/* ---- threads ---- */

static cloche_engine *shared;
static void *run_some(void *failures) {
  for (int i = 0; i < 200; i++) {
    cloche_sandbox *box = NULL;
    if (cloche_sandbox_new(shared, NULL, &box) != CLOCHE_OK) return failures;
    const char *text = i % 5 == 0 ? "t" : "w90000v";
    cloche_program program = {.text = {text, strlen(text)}};
    cloche_event event = {0};
    if (cloche_exec(box, &program) != CLOCHE_OK) ++*(int *)failures;
    while (event.kind != CLOCHE_DONE && cloche_step(box, &event) == CLOCHE_OK) continue;
    cloche_end wanted = i % 5 == 0 ? CLOCHE_END_TRAP : CLOCHE_END_DONE;
    if (cloche_sandbox_result(box)->end != wanted) ++*(int *)failures;
    cloche_sandbox_free(box);
  }
  return NULL;
}
TEST(eight_threads_share_an_engine) {
  enum { THREADS = 8 };
  pthread_t threads[THREADS];
  int failures[THREADS] = {0};
  shared = start();
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, run_some, &failures[i]);
  for (int i = 0; i < THREADS; i++) {
    void *gave_up;
    pthread_join(threads[i], &gave_up);
    CHECK(gave_up == NULL);
    CHECK_EQ(failures[i], 0);
  }
  cloche_engine_free(shared);
}

static void *step_on(void *box) {
  cloche_event event = {0};
  while (event.kind != CLOCHE_DONE && cloche_step(box, &event) == CLOCHE_OK) continue;
  return NULL;
}
TEST(a_sandbox_goes_from_thread_to_thread) {
  cloche_engine *engine = start();
  cloche_sandbox *box = make(engine);
  run(box, "w90000v");
  for (int i = 0; i < 20; i++) { /* each thread has a small stack, and is gone afterwards */
    cloche_program program = {.text = {"w90001r90000v", 13}};
    CHECK_EQ(cloche_exec(box, &program), CLOCHE_OK);
    pthread_t thread;
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, SANITIZED ? 1 << 20 : 64 << 10);
    CHECK_EQ(pthread_create(&thread, &small, step_on, box), 0);
    pthread_join(thread, NULL);
    CHECK_EQ(cloche_sandbox_result(box)->end, CLOCHE_END_DONE);
  }
  CHECK_EQ(run(box, "d"), CLOCHE_END_LIMIT_STACK); /* as deep here as on any thread */
  cloche_sandbox_free(box);
  cloche_engine_free(engine);
}

/* ---- forks ---- */

TEST(a_fork_may_not_go_on_with_a_sandbox_but_can_make_its_own) {
  cloche_engine *engine = start();
  cloche_sandbox *box = make(engine);
  run(box, "w90000v");
  pid_t child = fork();
  if (child == 0) {
    cloche_program program = {.text = {"v", 1}};
    if (cloche_exec(box, &program) != CLOCHE_E_STATE) _exit(1);
    cloche_sandbox_free(box);
    box = make(engine);
    if (run(box, "w90000v") != CLOCHE_END_DONE || run(box, "t") != CLOCHE_END_TRAP) _exit(2);
    cloche_sandbox_free(box);
    cloche_engine_free(engine);
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK_EQ(status, 0);
  CHECK_EQ(run(box, "r90000v"), CLOCHE_END_DONE);
  cloche_sandbox_free(box);
  cloche_engine_free(engine);
}

/* ---- handlers ---- */

static sigjmp_buf back;
static volatile sig_atomic_t seen;
static void catch_fault(int number) {
  seen = number;
  siglongjmp(back, 1);
}
static void count_fault(int number, siginfo_t *info, void *context) {
  (void)info, (void)context;
  seen = number;
}
static char *volatile nowhere;
static void fault(void) {
  seen = 0;
  if (sigsetjmp(back, 1) == 0) *nowhere = 1;
}
static void set_handler(void handler(int)) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_NODEFER};
  sigaction(SIGSEGV, &action, NULL);
}
static void forbid(void) {
  nowhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(nowhere != MAP_FAILED);
}

TEST(an_embedder_keeps_the_handler_it_had) {
  forbid();
  set_handler(catch_fault);
  cloche_engine *engine = start();
  cloche_sandbox *box = make(engine);
  struct sigaction now;
  sigaction(SIGSEGV, NULL, &now);
  CHECK(now.sa_handler == catch_fault); /* nothing is installed before the first run */
  CHECK_EQ(run(box, "w4000000000"), CLOCHE_END_TRAP);
  fault();
  CHECK_EQ(seen, SIGSEGV);
  CHECK_EQ(run(box, "w90000v"), CLOCHE_END_DONE);
  CHECK_EQ(run(box, "d"), CLOCHE_END_LIMIT_STACK);
  fault();
  CHECK_EQ(seen, SIGSEGV);
  cloche_sandbox_free(box);
  cloche_engine_free(engine);
}

TEST(a_handler_that_came_after_ours_gets_what_is_not_ours) {
  forbid();
  cloche_engine *engine = start();
  cloche_sandbox *box = make(engine);
  CHECK_EQ(run(box, "w90000v"), CLOCHE_END_DONE);
  set_handler(catch_fault);
  fault();
  CHECK_EQ(seen, SIGSEGV);
  CHECK_EQ(run(box, "w4000000000"), CLOCHE_END_TRAP);
  CHECK_EQ(run(box, "w700000w90000v"), CLOCHE_END_DONE);
  fault();
  CHECK_EQ(seen, SIGSEGV);
  cloche_sandbox_free(box);
  cloche_engine_free(engine);
}

static struct sigaction inner;
static void chain(int number, siginfo_t *info, void *context) {
  inner.sa_sigaction(number, info, context);
}
TEST(handlers_that_call_each_other_in_a_circle_end) {
  forbid();
  cloche_engine *engine = start();
  cloche_sandbox *box = make(engine);
  run(box, "v");
  struct sigaction action = {.sa_sigaction = chain, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigaction(SIGSEGV, &action, &inner); /* ours is inside theirs... */
  run(box, "v");                       /* ...and theirs inside ours */
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    alarm(5);
    *nowhere = 1;
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
  CHECK_EQ(run(box, "w4000000000"), CLOCHE_END_TRAP);
  cloche_sandbox_free(box);
  cloche_engine_free(engine);
}

TEST(a_signal_that_somebody_sent_is_not_taken_for_a_fault) {
  struct sigaction action = {.sa_sigaction = count_fault, .sa_flags = SA_SIGINFO};
  sigaction(SIGSEGV, &action, NULL);
  cloche_engine *engine = start();
  cloche_sandbox *box = make(engine);
  CHECK_EQ(run(box, "v"), CLOCHE_END_DONE);
  raise(SIGSEGV);
  CHECK_EQ(seen, SIGSEGV);
  cloche_sandbox_free(box);
  cloche_engine_free(engine);
}

TEST(without_a_handler_a_fault_of_the_embedder_ends_it) {
  if (SANITIZED) return; /* the sanitizer has one */
  forbid();
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    cloche_engine *engine = start();
    cloche_sandbox *box = make(engine);
    run(box, "w4000000000");
    *nowhere = 1;
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}

/* ---- registers ---- */

#if defined(__x86_64__)
static uintptr_t segment(void) {
  uintptr_t base = 0;
  CHECK_EQ(syscall(SYS_arch_prctl, ARCH_GET_GS, &base), 0);
  return base;
}
TEST(the_segment_register_is_as_the_embedder_had_it) {
  static char own[64];
  cloche_engine *engine = start();
  cloche_sandbox *box = make(engine);
  CHECK_EQ(syscall(SYS_arch_prctl, ARCH_SET_GS, own), 0);
  CHECK_EQ(run(box, "v"), CLOCHE_END_DONE);
  CHECK_EQ(segment(), (uintptr_t)own);
  CHECK_EQ(run(box, "w4000000000"), CLOCHE_END_TRAP);
  CHECK_EQ(segment(), (uintptr_t)own);
  CHECK_EQ(syscall(SYS_arch_prctl, ARCH_SET_GS, 0), 0);
  cloche_sandbox_free(box);
  cloche_engine_free(engine);
}
#else
TEST(the_segment_register_is_as_the_embedder_had_it) {}
#endif

TEST_MAIN(TEST_ENTRY(a_hundred_thousand_sandboxes_leave_nothing),
          TEST_ENTRY(a_hundred_engines_leave_nothing),
          TEST_ENTRY(no_sealed_file_is_mapped_as_shared), TEST_ENTRY(eight_threads_share_an_engine),
          TEST_ENTRY(a_sandbox_goes_from_thread_to_thread),
          TEST_ENTRY(a_fork_may_not_go_on_with_a_sandbox_but_can_make_its_own),
          TEST_ENTRY(an_embedder_keeps_the_handler_it_had),
          TEST_ENTRY(a_handler_that_came_after_ours_gets_what_is_not_ours),
          TEST_ENTRY(handlers_that_call_each_other_in_a_circle_end),
          TEST_ENTRY(a_signal_that_somebody_sent_is_not_taken_for_a_fault),
          TEST_ENTRY(without_a_handler_a_fault_of_the_embedder_ends_it),
          TEST_ENTRY(the_segment_register_is_as_the_embedder_had_it))
