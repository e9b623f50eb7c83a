// SPDX-License-Identifier: MIT
/* process_test.c -- sandboxes in workers, as an embedder uses them. CLOCHE_WORKER names the program
 * that is their worker. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>

#include "cloche.h"
#include "test.h"

static cloche_engine *start(cloche_isolation isolation) {
  cloche_engine_options options = {.isolation = isolation, .worker = getenv("CLOCHE_WORKER")};
  cloche_engine *engine = NULL;
  CHECK_EQ(cloche_engine_new(&options, &engine), CLOCHE_OK);
  return engine;
}

static cloche_sandbox *make(cloche_engine *engine, cloche_limits limits) {
  static const uint8_t seed[32] = {1};
  cloche_sandbox_options options = {.limits = limits, .seed = seed, .start_time = 1000000000};
  cloche_sandbox *box = NULL;
  cloche_status status = cloche_sandbox_new(engine, &options, &box);
  if (status != CLOCHE_OK) fprintf(stderr, "  %s\n", cloche_status_text(status));
  CHECK_EQ(status, CLOCHE_OK);
  return box;
}

static const cloche_result *run(cloche_sandbox *box, const char *text) {
  cloche_program program = {.text = {text, strlen(text)}};
  CHECK_EQ(cloche_exec(box, &program), CLOCHE_OK);
  cloche_event event = {0};
  while (event.kind != CLOCHE_DONE) CHECK_EQ(cloche_step(box, &event), CLOCHE_OK);
  return cloche_sandbox_result(box);
}

static bool gives(const cloche_result *result, const char *value) {
  return result->value.len == strlen(value) &&
         memcmp(result->value.at, value, result->value.len) == 0;
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Children of this process that are workers; those that are only waiting last, since they are the
 * youngest. */
static int workers(pid_t *found, int room) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
  FILE *file = fopen(path, "r");
  CHECK(file != NULL);
  int count = 0, process;
  while (count < room && fscanf(file, "%d", &process) == 1) found[count++] = process;
  fclose(file);
  return count;
}

static pid_t only_worker(void) {
  pid_t found[8];
  CHECK_EQ(workers(found, 8), 1);
  return found[0];
}

static const char *const programs[] = {
    "return { a: [1, 'x'], r: Math.random(), t: Date.now() }",
    "let s = 0; for (let i = 0; i < 300000; i++) s += i; return s",
    "const a = []; for (let i = 0; i < 100000; i++) a.push({ i }); return a.length",
    "function f() { return f() } f()",
    "const a = []; for (;;) a.push('x'.repeat(1000) + a.length)",
    "throw new RangeError('x')",
    "return 'x'.repeat(300000)",
    "await new Promise((r) => setTimeout(r, 5000)); return Date.now()",
    "for (;;);",
};

TEST(a_program_ends_in_a_worker_as_it_does_here) {
  cloche_engine *here = start(CLOCHE_ISOLATE_MEMORY), *there = start(CLOCHE_ISOLATE_PROCESS);
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
    TEST_ROW(programs[i]);
    cloche_limits limits = {.memory = 8 << 20, .fuel = 100000000};
    cloche_sandbox *a = make(here, limits), *b = make(there, limits);
    const cloche_result *x = run(a, programs[i]), *y = run(b, programs[i]);
    CHECK_EQ(y->end, x->end);
    CHECK_EQ(y->usage.fuel, x->usage.fuel);
    CHECK_EQ(y->usage.memory, x->usage.memory);
    CHECK_EQ(y->value.len, x->value.len);
    CHECK(x->value.len == 0 || memcmp(x->value.at, y->value.at, x->value.len) == 0);
    cloche_sandbox_free(a);
    cloche_sandbox_free(b);
  }
  cloche_engine_free(here);
  cloche_engine_free(there);
}

TEST(state_stays_and_a_hard_stop_takes_back_only_its_own_run) {
  cloche_engine *engine = start(CLOCHE_ISOLATE_PROCESS);
  cloche_sandbox *box = make(engine, (cloche_limits){.timeout = 400000000});
  run(box, "globalThis.x = 1");
  const cloche_result *result = run(box, "x = 2; (2n ** 1000000n).toString()");
  CHECK_EQ(result->end, CLOCHE_END_LIMIT_TIME);
  CHECK(result->rolled_back);
  CHECK(gives(run(box, "return x"), "1"));
  cloche_sandbox_free(box);
  cloche_engine_free(engine);
}

TEST(a_killed_worker_is_replaced_if_nothing_is_lost_and_else_said) {
  cloche_engine *engine = start(CLOCHE_ISOLATE_PROCESS);
  cloche_sandbox *box = make(engine, (cloche_limits){0});
  pid_t found[8];
  int count = workers(found, 8);
  for (int i = 0; i < count; i++) kill(found[i], SIGKILL);
  CHECK(gives(run(box, "globalThis.x = 1; return 5"), "5"));
  count = workers(found, 8);
  for (int i = 0; i < count; i++) kill(found[i], SIGKILL);
  const cloche_result *result = run(box, "return x");
  CHECK_EQ(result->end, CLOCHE_END_INTERNAL);
  CHECK(!result->rolled_back);
  cloche_program again = {.text = {"return 1", 8}};
  CHECK_EQ(cloche_exec(box, &again), CLOCHE_E_STATE);
  cloche_sandbox_free(box);
  cloche_engine_free(engine);
}

static void *stop_soon(void *process) {
  nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
  kill(*(pid_t *)process, SIGSTOP);
  return NULL;
}
TEST(a_deadline_holds_when_the_worker_does_not_answer) {
  cloche_engine *engine = start(CLOCHE_ISOLATE_PROCESS);
  cloche_sandbox *box = make(engine, (cloche_limits){.timeout = 800000000});
  pid_t worker = only_worker();
  pthread_t thread;
  pthread_create(&thread, NULL, stop_soon, &worker);
  int64_t started = now();
  const cloche_result *result = run(box, "for (;;);");
  int64_t took = now() - started;
  pthread_join(thread, NULL);
  CHECK_EQ(result->end, CLOCHE_END_LIMIT_TIME);
  CHECK(result->rolled_back);
  CHECK(took < 800000000 + 200000000); /* not the 2 s that answers are waited for elsewhere */
  CHECK(gives(run(box, "return 7"), "7"));
  cloche_sandbox_free(box);
  cloche_engine_free(engine);
}

TEST(a_snapshot_goes_from_worker_to_worker_and_home) {
  cloche_engine *there = start(CLOCHE_ISOLATE_PROCESS), *here = start(CLOCHE_ISOLATE_MEMORY);
  cloche_sandbox *box = make(there, (cloche_limits){0});
  run(box, "globalThis.x = []; for (let i = 0; i < 100000; i++) x.push({ i })");
  char *bytes = NULL;
  size_t len = 0;
  CHECK_EQ(cloche_snapshot(box, NULL, &bytes, &len), CLOCHE_OK);
  cloche_engine *engines[2] = {there, here};
  for (int i = 0; i < 2; i++) {
    cloche_restore_options options = {.trusted = true};
    cloche_sandbox *again = NULL;
    CHECK_EQ(cloche_restore(engines[i], (cloche_text){bytes, len}, &options, &again), CLOCHE_OK);
    CHECK(gives(run(again, "return x.length + x[99999].i"), "199999"));
    cloche_sandbox_free(again);
  }
  free(bytes);
  CHECK(gives(run(box, "return x.length"), "100000"));
  cloche_sandbox_free(box);
  cloche_engine_free(there);
  cloche_engine_free(here);
}

static void read_into(char *to, size_t room, pid_t process, const char *what) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", (int)process, what);
  FILE *file = fopen(path, "r");
  size_t got = file == NULL ? 0 : fread(to, 1, room - 1, file);
  to[got] = '\0';
  if (file != NULL) fclose(file);
}

TEST(a_worker_has_nothing_and_all_its_walls_stand) {
  setenv("CLOCHE_TEST_SECRET", "1", 1);
  CHECK(dup2(1, 50) == 50); /* inherited, if nobody closes it */
  cloche_engine *engine = start(CLOCHE_ISOLATE_PROCESS);
  cloche_sandbox *box = make(engine, (cloche_limits){.memory = 16 << 20});
  CHECK_EQ(cloche_sandbox_walls(box), (1u << CLOCHE_WALL_COUNT) - 1);
  pid_t worker = only_worker();
  char text[8192];
  read_into(text, sizeof text, worker, "status");
  CHECK(strstr(text, "NoNewPrivs:\t1") != NULL);
  CHECK(strstr(text, "Seccomp:\t2") != NULL);
  CHECK(strstr(text, "CapEff:\t0000000000000000") != NULL);
  CHECK(strstr(text, "CapPrm:\t0000000000000000") != NULL);
  CHECK(strstr(text, "Threads:\t1") != NULL);
  read_into(text, sizeof text, worker, "environ");
  CHECK_STR(text, "");
  char folder[64];
  snprintf(folder, sizeof folder, "/proc/%d/fd", (int)worker);
  DIR *files = opendir(folder);
  int count = 0;
  for (struct dirent *entry; files != NULL && (entry = readdir(files)) != NULL;)
    count += entry->d_name[0] != '.';
  if (files != NULL) closedir(files);
  if (files != NULL) CHECK_EQ(count, 1); /* only the superuser may look */
  struct rlimit data;
  CHECK_EQ(prlimit(worker, RLIMIT_DATA, NULL, &data), 0);
#if !defined(__SANITIZE_ADDRESS__) /* whose shadow counts */
  CHECK(data.rlim_cur < (400u << 20));
#endif
  cloche_sandbox_free(box);
  cloche_engine_free(engine);
  pid_t left[8];
  CHECK_EQ(workers(left, 8), 0);
}

TEST(an_embedder_that_forks_leaves_its_sandboxes_to_the_parent) {
  cloche_engine *engine = start(CLOCHE_ISOLATE_PROCESS);
  cloche_sandbox *box = make(engine, (cloche_limits){0});
  run(box, "globalThis.x = 1");
  pid_t child = fork();
  if (child == 0) {
    cloche_program program = {.text = {"return x", 8}};
    cloche_status status = cloche_exec(box, &program);
    cloche_sandbox_free(box);
    cloche_engine_free(engine);
    _exit(status == CLOCHE_E_STATE ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK_EQ(status, 0);
  CHECK(gives(run(box, "return x + 1"), "2"));
  cloche_sandbox_free(box);
  cloche_engine_free(engine);
}

TEST(a_worker_that_is_none_is_refused) {
  cloche_engine *engine = NULL;
  cloche_sandbox *box = NULL;
  cloche_engine_options options = {.isolation = CLOCHE_ISOLATE_PROCESS};
  CHECK_EQ(cloche_engine_new(&options, &engine), CLOCHE_E_ARGUMENT);
  static const char *const paths[] = {"/nonexistent/cloche", "/bin/true", "/dev/null"};
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
    TEST_ROW(paths[i]);
    options.worker = paths[i];
    CHECK_EQ(cloche_engine_new(&options, &engine), CLOCHE_OK);
    CHECK_EQ(cloche_sandbox_new(engine, NULL, &box), CLOCHE_E_SYSTEM);
    cloche_engine_free(engine);
  }
}

TEST_MAIN(TEST_ENTRY(a_program_ends_in_a_worker_as_it_does_here),
          TEST_ENTRY(state_stays_and_a_hard_stop_takes_back_only_its_own_run),
          TEST_ENTRY(a_killed_worker_is_replaced_if_nothing_is_lost_and_else_said),
          TEST_ENTRY(a_deadline_holds_when_the_worker_does_not_answer),
          TEST_ENTRY(a_snapshot_goes_from_worker_to_worker_and_home),
          TEST_ENTRY(a_worker_has_nothing_and_all_its_walls_stand),
          TEST_ENTRY(an_embedder_that_forks_leaves_its_sandboxes_to_the_parent),
          TEST_ENTRY(a_worker_that_is_none_is_refused))
