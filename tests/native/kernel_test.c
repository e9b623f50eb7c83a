// SPDX-License-Identifier: MIT
/* kernel_test.c -- processes, pipes, signals, time, calls and runs, as programs see them. */
#include <signal.h>

#include "../../guest/kernel/coroutine.h"
#include "guest_process.h"

static int spawn(process_entry *entry, void *context) {
  process_options options = {.entry = entry, .context = context, .name = "child"};
  return process_spawn(&options);
}

/* ---- pipes ---- */

GUEST_TEST(a_pipe_carries_bytes_and_ends_with_its_last_writer) {
  int ends[2];
  char bytes[10] = "";
  CHECK_EQ(sys_pipe(ends), 0);
  int second = sys_dup(ends[1], 0);
  CHECK_EQ(sys_write(ends[1], "abc", 3), 3);
  CHECK_EQ(sys_close(ends[1]), 0);
  CHECK(sys_readable(ends[0]));
  CHECK_EQ(sys_read(ends[0], bytes, 2), 2);
  CHECK_EQ(sys_read(ends[0], bytes + 2, 7), 1);
  CHECK_STR(bytes, "abc");
  CHECK(!sys_readable(ends[0]));
  CHECK_EQ(sys_read_now(ends[0], bytes, 1), -EAGAIN);
  CHECK_EQ(sys_close(second), 0);
  CHECK(sys_readable(ends[0]));
  CHECK_EQ(sys_read(ends[0], bytes, 1), 0);
  CHECK_EQ(sys_seek(ends[0], 0, 0), -ESPIPE);
  CHECK_EQ(sys_pread(ends[0], bytes, 1, 0), -ESPIPE);
  CHECK_EQ(sys_write(ends[0], bytes, 1), -EBADF);
}

static int written;
static int write_much(void *context) {
  static char bytes[1000];
  int fd = *(int *)context;
  for (written = 0; written < 1000000; written += 1000)
    if (sys_write(fd, bytes, 1000) != 1000) return 1;
  return 0;
}

/* A writer that is ahead lets others run now and then, before the pipe is full. */
static void let_write(void) {
  for (int turns = 0; turns < 100; turns++) process_yield();
}

GUEST_TEST(a_full_pipe_holds_its_writer_back) {
  int ends[2], status;
  static char bytes[100000];
  CHECK_EQ(sys_pipe(ends), 0);
  int pid = spawn(write_much, &ends[1]);
  let_write();
  CHECK_EQ(written, 65000);
  let_write();
  CHECK_EQ(written, 65000);
  CHECK_EQ(sys_read(ends[0], bytes, 400), 400);
  let_write();
  CHECK_EQ(written, 65000); /* a small write is whole or waits */
  CHECK_EQ(sys_read(ends[0], bytes, 600), 600);
  let_write();
  CHECK_EQ(written, 66000);
  CHECK_EQ(sys_write_now(ends[1], bytes, 100000), 100000); /* who cannot wait is not held back */
  int64_t left = 1000000 + 100000 - 1000, got;
  while (left > 0 && (got = sys_read(ends[0], bytes, sizeof bytes)) > 0) left -= got;
  CHECK_EQ(left, 0);
  CHECK_EQ(process_wait(pid, &status), pid);
  CHECK_EQ(status, 0);
}

static int write_numbers(void *context) {
  int fd = *(int *)context;
  uint8_t record[7];
  for (int i = 0; i < 20000; i++) {
    memset(record, i % 251, sizeof record);
    if (sys_write(fd, record, sizeof record) != sizeof record) return 1;
  }
  return 0;
}

/* Small writes of several processes arrive whole, in the order of each, and nothing is lost. */
GUEST_TEST(small_writes_are_not_torn) {
  int ends[2];
  uint8_t record[7];
  CHECK_EQ(sys_pipe(ends), 0);
  for (int i = 0; i < 4; i++) CHECK(spawn(write_numbers, &ends[1]) > 0);
  process_yield();
  CHECK_EQ(sys_close(ends[1]), 0);
  int count = 0;
  size_t have = 0;
  for (;;) {
    int64_t got = sys_read(ends[0], record + have, sizeof record - have);
    if (got <= 0) break;
    have += (size_t)got;
    if (have < sizeof record) continue;
    for (size_t i = 1; i < sizeof record; i++) CHECK_EQ(record[i], record[0]);
    have = 0;
    count++;
  }
  CHECK_EQ(count, 80000);
}

static int write_for_ever(void *context) {
  int *ends = context;
  sys_close(ends[0]);
  for (;;)
    if (sys_write(ends[1], "y\n", 2) != 2) return 9;
}

GUEST_TEST(a_writer_without_readers_ends_by_SIGPIPE) {
  int ends[2], status;
  char bytes[100];
  CHECK_EQ(sys_pipe(ends), 0);
  int pid = spawn(write_for_ever, ends);
  CHECK_EQ(sys_read(ends[0], bytes, sizeof bytes), 100);
  CHECK_EQ(sys_close(ends[0]), 0);
  CHECK_EQ(process_wait(pid, &status), pid);
  CHECK_EQ(status, 128 + SIGNAL_PIPE);
}

GUEST_TEST(who_ignores_SIGPIPE_gets_EPIPE) {
  int ends[2], status;
  CHECK_EQ(sys_pipe(ends), 0);
  process_on_signal(SIGNAL_PIPE, SIGNAL_IGNORE);
  int pid = spawn(write_for_ever, ends); /* inherits that */
  CHECK_EQ(sys_close(ends[0]), 0);
  CHECK_EQ(process_wait(pid, &status), pid);
  CHECK_EQ(status, 9);
  CHECK_EQ(sys_write(ends[1], "x", 1), -EPIPE);
}

/* ---- descriptors ---- */

GUEST_TEST(descriptors_are_the_lowest_free_and_end_at_a_limit) {
  CHECK_EQ(sys_dup(0, 0), 3);
  CHECK_EQ(sys_dup(0, 10), 10);
  CHECK_EQ(sys_close(3), 0);
  CHECK_EQ(sys_close(3), -EBADF);
  CHECK_EQ(sys_dup2(0, 3), 3);
  CHECK_EQ(sys_dup2(3, 3), 3);
  CHECK_EQ(sys_dup2(77, 3), -EBADF);
  CHECK_EQ(sys_dup2(0, -1), -EBADF);
  CHECK_EQ(sys_dup2(0, 100000), -EBADF);
  int fd, last = 0;
  while ((fd = sys_open("/dev/null", OPEN_READ, 0)) >= 0) last = fd;
  CHECK_EQ(fd, -EMFILE);
  CHECK_EQ(last, 1023);
  int ends[2];
  CHECK_EQ(sys_pipe(ends), -EMFILE);
  CHECK_EQ(sys_close(500), 0);
  CHECK_EQ(sys_pipe(ends), -EMFILE);
  CHECK_EQ(sys_dup(0, 0), 500); /* the pipe that failed kept nothing */
}

static int use_shared_offset(void *context) {
  char byte;
  int fd = *(int *)context;
  return sys_read(fd, &byte, 1) == 1 && byte == 'b' ? 0 : 1;
}

GUEST_TEST(parent_and_child_share_the_position_in_a_file) {
  char byte;
  int status, fd = sys_memory_file("abc", 3);
  CHECK_EQ(sys_read(fd, &byte, 1), 1);
  int pid = spawn(use_shared_offset, &fd);
  CHECK_EQ(process_wait(pid, &status), pid);
  CHECK_EQ(status, 0);
  CHECK_EQ(sys_read(fd, &byte, 1), 1);
  CHECK_EQ(byte, 'c');
}

/* ---- processes ---- */

static int return_argument(void *context) {
  return (int)(intptr_t)context;
}

static int exit_deep(void *context) {
  int depth = (int)(intptr_t)context;
  volatile char frame[100] = {0};
  int below = 0;
  if (depth > 0)
    below = exit_deep((void *)(intptr_t)(depth - 1));
  else if (frame[50] == 0)
    process_exit(77);
  return below + frame[0];
}

GUEST_TEST(children_are_waited_for_by_number_or_any) {
  int status, first = spawn(return_argument, (void *)300),
              second = spawn(return_argument, (void *)5);
  CHECK(first > 0 && second > first);
  CHECK_EQ(process_poll(-1, &status), 0);
  CHECK_EQ(process_wait(second, &status), second);
  CHECK_EQ(status, 5);
  CHECK_EQ(process_wait(second, &status), -ECHILD);
  CHECK_EQ(process_wait(-1, &status), first);
  CHECK_EQ(status, 300 & 255);
  CHECK_EQ(process_wait(-1, &status), -ECHILD);
  CHECK_EQ(process_poll(-1, &status), -ECHILD);
  int deep = spawn(exit_deep, (void *)50);
  CHECK_EQ(process_wait(deep, &status), deep);
  CHECK_EQ(status, 77);
}

static int wait_for_ever(void *context) {
  (void)context;
  process_sleep(INT64_MAX);
  return 0;
}

GUEST_TEST(a_fork_bomb_ends_at_a_limit) {
  int count = 0, pid, status;
  while ((pid = spawn(wait_for_ever, NULL)) > 0) count++;
  CHECK_EQ(pid, -EAGAIN);
  CHECK_EQ(count, 255);
  process_yield();
  for (pid = 1; pid < 1000; pid++)
    if (pid != process_pid()) process_kill(pid, SIGNAL_KILL);
  while (process_wait(-1, &status) > 0) count--;
  CHECK_EQ(count, 0);
  CHECK(spawn(wait_for_ever, NULL) > 0);
}

static int grandchild_pid;
static int leave_orphan(void *context) {
  (void)context;
  grandchild_pid = spawn(return_argument, NULL);
  return 0;
}

GUEST_TEST(an_orphan_is_reaped_by_nobody_in_particular) {
  int status, pid = spawn(leave_orphan, NULL);
  CHECK_EQ(process_wait(pid, &status), pid);
  process_yield();
  process_yield();
  CHECK_EQ(process_kill(grandchild_pid, 0), -ESRCH);
  CHECK_EQ(process_wait(-1, &status), -ECHILD);
}

/* ---- signals ---- */

GUEST_TEST(a_signal_ends_a_waiting_process) {
  int status, pid = spawn(wait_for_ever, NULL);
  process_yield();
  CHECK_EQ(process_kill(pid, 0), 0);
  CHECK_EQ(process_kill(pid, 99), -EINVAL);
  CHECK_EQ(process_kill(99, SIGNAL_TERM), -ESRCH);
  CHECK_EQ(process_kill(pid, SIGNAL_TERM), 0);
  CHECK_EQ(process_wait(pid, &status), pid);
  CHECK_EQ(status, 128 + SIGNAL_TERM);
}

static int never_started;
static int note_start(void *context) {
  (void)context;
  never_started = 1;
  return 0;
}

GUEST_TEST(a_signal_ends_a_process_that_has_not_begun) {
  int status, pid = spawn(note_start, NULL);
  CHECK_EQ(process_kill(pid, SIGNAL_KILL), 0);
  CHECK_EQ(process_wait(pid, &status), pid);
  CHECK_EQ(status, 128 + SIGNAL_KILL);
  CHECK_EQ(never_started, 0);
}

static int catch_two(void *context) {
  (void)context;
  process_on_signal(SIGNAL_USR1, SIGNAL_CATCH);
  process_on_signal(SIGNAL_TERM, SIGNAL_CATCH);
  int caught = 0;
  while (caught < 2) {
    if (process_sleep(INT64_MAX) != -EINTR) return 1;
    int signal;
    while ((signal = process_take_signal()) != 0)
      caught += signal == SIGNAL_USR1 || signal == SIGNAL_TERM;
  }
  return process_sleep(10) == 0 ? 33 : 2;
}

GUEST_TEST(a_caught_signal_ends_a_sleep_and_not_the_process) {
  int status, pid = spawn(catch_two, NULL);
  process_yield();
  CHECK_EQ(process_kill(pid, SIGNAL_TERM), 0);
  CHECK_EQ(process_kill(pid, SIGNAL_TERM), 0); /* the same one again is one */
  process_yield();
  CHECK_EQ(process_kill(pid, SIGNAL_USR1), 0);
  CHECK_EQ(process_wait(pid, &status), pid);
  CHECK_EQ(status, 33);
}

GUEST_TEST(a_waiting_parent_is_interrupted_by_a_signal_that_it_catches) {
  int status, pid = spawn(wait_for_ever, NULL);
  process_on_signal(SIGNAL_USR2, SIGNAL_CATCH);
  CHECK_EQ(process_kill(process_pid(), SIGNAL_USR2), 0);
  CHECK_EQ(process_wait(pid, &status), -EINTR);
  CHECK_EQ(process_take_signal(), SIGNAL_USR2);
  CHECK_EQ(process_take_signal(), 0);
  process_on_signal(SIGNAL_CHLD, SIGNAL_CATCH);
  CHECK_EQ(process_kill(pid, SIGNAL_KILL), 0);
  CHECK_EQ(process_wait(pid, &status), pid); /* the child is there before its signal */
  CHECK_EQ(process_take_signal(), SIGNAL_CHLD);
}

static int count_up(void *context) {
  int *count = context;
  for (;;) {
    ++*count;
    process_yield();
  }
  return 0;
}

GUEST_TEST(a_stopped_process_goes_on_when_it_is_continued) {
  int count = 0, pid = spawn(count_up, &count);
  process_yield();
  CHECK_EQ(process_kill(pid, SIGNAL_STOP), 0);
  process_yield();
  int then = count;
  process_yield();
  process_yield();
  CHECK_EQ(count, then);
  CHECK_EQ(process_kill(pid, SIGNAL_CONT), 0);
  process_yield();
  CHECK(count > then);
  CHECK_EQ(process_kill(pid, SIGNAL_STOP), 0);
  process_yield();
  CHECK_EQ(process_kill(pid, SIGNAL_KILL), 0);
  int status;
  CHECK_EQ(process_wait(pid, &status), pid);
  CHECK_EQ(status, 128 + SIGNAL_KILL);
}

/* ---- time ---- */

static int64_t woken[3];
static int sleep_and_note(void *context) {
  int number = (int)(intptr_t)context;
  process_sleep((3 - number) * INT64_C(1000000000));
  woken[number] = kernel_now();
  return 0;
}

GUEST_TEST(sleepers_wake_in_the_order_of_their_times) {
  int64_t start = kernel_now();
  for (intptr_t i = 0; i < 3; i++) CHECK(spawn(sleep_and_note, (void *)i) > 0);
  while (process_wait(-1, NULL) > 0) continue;
  CHECK(woken[2] >= start + 1000000000 && woken[1] > woken[2] && woken[0] > woken[1]);
  CHECK(woken[0] < start + 3100000000);
  CHECK_EQ(process_sleep(0), 0);
  CHECK_EQ(process_sleep(-5), 0);
}

/* ---- calls and events ---- */

GUEST_TEST(a_tool_answers_or_fails) {
  char *answer;
  size_t size;
  CHECK_EQ(tool_call("test.echo", "{\"a\":1}", 7, &answer, &size), 0);
  CHECK_STR(answer, "{\"tool\":\"test/echo\",\"args\":{\"a\":1}}");
  CHECK_EQ(size, strlen(answer));
  free(answer);
  CHECK_EQ(tool_call("test/fail", "{}", 2, &answer, &size), 1);
  CHECK(strstr(answer, "ToolError") != NULL);
  free(answer);
  static char large[(1 << 20) + 2];
  CHECK_EQ(tool_call("test/echo", large, sizeof large, &answer, &size), -E2BIG);
}

GUEST_TEST(calls_in_flight_are_limited_and_answered_as_events) {
  process_event event;
  CHECK_EQ(process_next_event(&event, INT64_MAX), -EDEADLK);
  int64_t first = call_begin("test/echo", "{}", 2), last = 0, id;
  int count = 1;
  CHECK(first > 0);
  while ((id = call_begin("test/echo", "{}", 2)) > 0) {
    last = id;
    count++;
  }
  CHECK_EQ(id, -EAGAIN);
  CHECK_EQ(count, 32);
  CHECK_EQ(last, first + 31);
  for (int i = 0; i < count; i++) {
    CHECK_EQ(process_next_event(&event, INT64_MAX), 0);
    CHECK_EQ(event.kind, EVENT_ANSWER);
    CHECK_EQ(event.id, first + i);
    free(event.json);
  }
  CHECK_EQ(process_next_event(&event, INT64_MAX), -EDEADLK);
  CHECK(call_begin("test/fail", "{}", 2) > 0);
  CHECK_EQ(process_next_event(&event, INT64_MAX), 0);
  CHECK_EQ(event.kind, EVENT_FAILURE);
  free(event.json);
}

GUEST_TEST(events_are_children_and_time_too) {
  process_event event;
  int pid = spawn(return_argument, (void *)4);
  CHECK(call_begin("test/slow", "{}", 2) > 0);
  CHECK_EQ(process_next_event(&event, INT64_MAX), 0);
  CHECK_EQ(event.kind, EVENT_CHILD);
  CHECK_EQ(event.id, pid);
  CHECK_EQ(event.status, 4);
  int64_t soon = kernel_now() + 500000000;
  CHECK_EQ(process_next_event(&event, soon), 0);
  CHECK_EQ(event.kind, EVENT_TIME);
  CHECK(kernel_now() >= soon);
  CHECK_EQ(process_next_event(&event, kernel_now() + 5000000000), 0);
  CHECK_EQ(event.kind, EVENT_ANSWER);
  free(event.json);
}

static int call_and_end(void *context) {
  (void)context;
  return call_begin("test/slow", "{}", 2) > 0 ? 0 : 1;
}

GUEST_TEST(an_answer_to_a_process_that_ended_is_dropped) {
  int status, pid = spawn(call_and_end, NULL);
  CHECK_EQ(process_wait(pid, &status), pid);
  CHECK_EQ(status, 0);
  CHECK_EQ(process_sleep(2000000000), 0);
}

/* ---- runs ---- */

static char done[300];
static int cleaned_up, went_on;

static int tidy_up(void *context) {
  (void)context;
  process_event event;
  while (process_next_event(&event, INT64_MAX) != -ECANCELED) continue;
  cleaned_up++;
  process_sleep(1); /* one chance was enough */
  went_on++;
  return 0;
}

static void leave_children(void) {
  int ends[2];
  sys_pipe(ends);
  call_begin("test/never", "{}", 2);
  spawn(wait_for_ever, NULL);
  spawn(write_much, &ends[1]);
  process_yield();
  process_set_result("{\"end\":\"done\",\"value\":1}", 24);
}

static int tidy_with_call(void *context) {
  call_begin("test/never", "{}", 2);
  return tidy_up(context);
}
static void leave_tidy_child(void) {
  spawn(tidy_with_call, NULL);
  spawn(wait_for_ever, NULL);
  process_yield();
}

TEST(a_run_ends_with_its_first_process_and_takes_the_others_with_it) {
  guest_test_body = leave_children;
  host_boot(NULL);
  host_send(ABI_RUN_SH, 1, "test", 5);
  CHECK(host_run(1));
  CHECK_STR(host_done(NULL), "{\"end\":\"done\",\"value\":1}");
  guest_test_body = leave_tidy_child;
  host_send(ABI_RUN_SH, 2, "test", 5);
  CHECK(host_run(2));
  CHECK_EQ(cleaned_up, 1);
  CHECK_EQ(went_on, 0);
}

static void sleep_long(void) {
  process_sleep(INT64_MAX);
}
static void yield_for_ever(void) {
  for (;;) process_yield();
}
static void look_until_interrupted(void) {
  while (!kernel_interrupted()) sys_write(1, "", 0), sys_write(1, " ", 1);
  process_exit(5);
}

static void silent(uint32_t kind, uint32_t id, const uint8_t *bytes, uint32_t size) {
  (void)kind, (void)id, (void)bytes, (void)size;
}

TEST(the_host_ends_what_waits_and_what_runs) {
  static void (*const bodies[])(void) = {sleep_long, yield_for_ever, look_until_interrupted};
  static const host_hooks hooks = {.record = silent};
  host_boot(&hooks);
  for (uint32_t i = 0; i < 3; i++) {
    guest_test_body = bodies[i];
    host_send(ABI_RUN_SH, i + 1, "test", 5);
    if (i == 0) {
      host_step();
      host_interrupt(true);
    } else if (i == 1) {
      host_interrupt(true);
    } else {
      host_interrupt_after(3);
    }
    CHECK(host_run(i + 1));
    CHECK_STR(host_done(NULL),
              i == 2 ? "{\"end\":\"done\",\"status\":5}" : "{\"end\":\"done\",\"status\":137}");
    host_interrupt(false);
  }
}

static void wait_for_oneself(void) {
  int ends[2];
  char byte;
  sys_pipe(ends);
  sys_read(ends[0], &byte, 1);
}

TEST(processes_that_wait_for_one_another_end_with_a_message) {
  guest_test_body = wait_for_oneself;
  host_boot(NULL);
  host_send(ABI_RUN_SH, 1, "test", 5);
  CHECK(host_run(1));
  snprintf(done, sizeof done, "%s", host_done(NULL));
  CHECK(strstr(done, "\"end\":\"exception\"") != NULL);
  CHECK(strstr(done, "every process waits for another one") != NULL);
}

static void print_input(void) {
  char bytes[100];
  int64_t size = sys_read(0, bytes, sizeof bytes);
  if (size == 0) size = snprintf(bytes, sizeof bytes, "nothing");
  CHECK_EQ(process_set_result(bytes, (size_t)size), 0);
}

TEST(standard_input_is_the_next_runs_and_no_other) {
  guest_test_body = print_input;
  host_boot(NULL);
  host_send(ABI_STDIN, 0, "in", 2);
  host_send(ABI_RUN_SH, 1, "test", 5);
  CHECK(host_run(1));
  CHECK_STR(host_done(NULL), "in");
  host_send(ABI_RUN_SH, 2, "test", 5);
  CHECK(host_run(2));
  CHECK_STR(host_done(NULL), "nothing");
}

static void print_much(void) {
  static char line[1000];
  memset(line, 'x', sizeof line);
  for (int i = 0; i < 500; i++) CHECK_EQ(sys_write(1, line, sizeof line), 1000);
}

static size_t output_size;
static int output_before_done;
static void count_output(uint32_t kind, uint32_t id, const uint8_t *bytes, uint32_t size) {
  (void)id, (void)bytes;
  if (kind == ABI_STDOUT) output_size += size;
  if (kind == ABI_DONE) output_before_done = (int)output_size;
}

TEST(output_streams_out_of_a_long_loop) {
  static const host_hooks hooks = {.record = count_output};
  guest_test_body = print_much;
  host_boot(&hooks);
  host_send(ABI_RUN_SH, 1, "test", 5);
  CHECK(host_run(1));
  CHECK_EQ(output_size, 500000);
  CHECK_EQ(output_before_done, 500000);
}

/* ---- chance ---- */

static void draw(void) {
  uint8_t bytes[100];
  kernel_random(bytes, 1);
  kernel_random(bytes + 1, 99);
  char text[220] = "\"";
  for (int i = 0; i < 100; i++) sprintf(text + 1 + 2 * i, "%02x", bytes[i]);
  CHECK_EQ(process_set_result(text, strlen(text)), 0);
}

/* ChaCha20 with the key of the specification's first example and a nonce of zeros. */
TEST(the_seed_says_what_chance_brings) {
  uint8_t seed[32] = {0};
  guest_test_body = draw;
  host_boot(NULL);
  for (uint32_t run = 1; run <= 2; run++) {
    host_send(ABI_SEED, 0, seed, sizeof seed);
    host_send(ABI_RUN_SH, run, "test", 5);
    CHECK(host_run(run));
    CHECK(
        strncmp(host_done(NULL),
                "\"76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7da41597c5157488d"
                "7724e03f"
                "b8d84a376a43b8f41518a11cc387b669b2ee65869f07e7be5551387a98ba977c732d080dcb0f29a0",
                160) == 0);
  }
}

/* ---- coroutines ---- */

static void overflow_stack(void *argument) {
  volatile char frame[4096];
  frame[0] = *(char *)argument;
  frame[4095] = frame[0];
  if (frame[4095] == 'x') overflow_stack((void *)(uintptr_t)frame);
  frame[1] = 0;
}

static void expect_fault(int signal) {
  (void)signal;
  static const char text[] = "stopped at the guard\n";
  CHECK_EQ(write(1, text, sizeof text - 1), sizeof text - 1);
  _exit(0);
}

TEST(a_stack_that_overflows_meets_a_guard) {
  static char alternate[65536];
  stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
  struct sigaction action = {.sa_handler = expect_fault, .sa_flags = SA_ONSTACK};
  CHECK_EQ(sigaltstack(&stack, NULL), 0);
  CHECK_EQ(sigaction(SIGSEGV, &action, NULL), 0);
  coroutine *made = coroutine_create(overflow_stack, "x", 65536);
  coroutine_resume(made);
  CHECK(false);
}

static char order[64];
static void take_turns(void *argument) {
  const char *name = argument;
  for (int i = 0; i < 3; i++) {
    strcat(order, name);
    coroutine_suspend();
  }
}
static void leave_at_once(void *argument) {
  (void)argument;
  coroutine_leave();
}

TEST(coroutines_take_turns_and_may_be_destroyed_halfway) {
  coroutine *a = coroutine_create(take_turns, "a", 65536),
            *b = coroutine_create(take_turns, "b", 65536);
  CHECK(coroutine_resume(a));
  CHECK(coroutine_resume(b));
  CHECK(coroutine_resume(a));
  CHECK(coroutine_resume(a));
  CHECK(!coroutine_resume(a));
  coroutine_destroy(a);
  coroutine_destroy(b);
  coroutine_destroy(NULL);
  CHECK_STR(order, "abaa");
  a = coroutine_create(leave_at_once, NULL, 65536);
  CHECK(!coroutine_resume(a));
  coroutine_destroy(a);
}

TEST_MAIN(TEST_ENTRY(a_pipe_carries_bytes_and_ends_with_its_last_writer),
          TEST_ENTRY(a_full_pipe_holds_its_writer_back), TEST_ENTRY(small_writes_are_not_torn),
          TEST_ENTRY(a_writer_without_readers_ends_by_SIGPIPE),
          TEST_ENTRY(who_ignores_SIGPIPE_gets_EPIPE),
          TEST_ENTRY(descriptors_are_the_lowest_free_and_end_at_a_limit),
          TEST_ENTRY(parent_and_child_share_the_position_in_a_file),
          TEST_ENTRY(children_are_waited_for_by_number_or_any),
          TEST_ENTRY(a_fork_bomb_ends_at_a_limit),
          TEST_ENTRY(an_orphan_is_reaped_by_nobody_in_particular),
          TEST_ENTRY(a_signal_ends_a_waiting_process),
          TEST_ENTRY(a_signal_ends_a_process_that_has_not_begun),
          TEST_ENTRY(a_caught_signal_ends_a_sleep_and_not_the_process),
          TEST_ENTRY(a_waiting_parent_is_interrupted_by_a_signal_that_it_catches),
          TEST_ENTRY(a_stopped_process_goes_on_when_it_is_continued),
          TEST_ENTRY(sleepers_wake_in_the_order_of_their_times),
          TEST_ENTRY(a_tool_answers_or_fails),
          TEST_ENTRY(calls_in_flight_are_limited_and_answered_as_events),
          TEST_ENTRY(events_are_children_and_time_too),
          TEST_ENTRY(an_answer_to_a_process_that_ended_is_dropped),
          TEST_ENTRY(a_run_ends_with_its_first_process_and_takes_the_others_with_it),
          TEST_ENTRY(the_host_ends_what_waits_and_what_runs),
          TEST_ENTRY(processes_that_wait_for_one_another_end_with_a_message),
          TEST_ENTRY(standard_input_is_the_next_runs_and_no_other),
          TEST_ENTRY(output_streams_out_of_a_long_loop),
          TEST_ENTRY(the_seed_says_what_chance_brings),
          TEST_ENTRY(a_stack_that_overflows_meets_a_guard),
          TEST_ENTRY(coroutines_take_turns_and_may_be_destroyed_halfway))
