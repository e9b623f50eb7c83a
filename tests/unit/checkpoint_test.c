// SPDX-License-Identifier: MIT
/* checkpoint_test.c -- states with a name, and what a hard stop brings back after a move; against
 * the puppet guest. That returning changes nothing else is in tests/suspend. */
#define _GNU_SOURCE
#include "box_help.h"
#include "sandbox/sandbox.h"

static cloche_engine *engine;
static cloche_policy *policy;

#define RULES                                                               \
  "{\"rules\":[{\"pattern\":\"pay\",\"effect\":\"allow\",\"max_calls\":3}," \
  "{\"pattern\":\"ask\",\"effect\":\"ask\",\"max_calls\":1},"               \
  "{\"pattern\":\"look\",\"effect\":\"allow\",\"adds\":[\"x\"]},"           \
  "{\"pattern\":\"mail\",\"effect\":\"allow\",\"unless_label\":[\"x\"]}]}"

static void start(void) {
  CHECK_EQ(cloche_engine_new(NULL, &engine), CLOCHE_OK);
  CHECK_EQ(cloche_policy_load(cloche__text(RULES), (cloche_text){NULL, 0}, &policy, NULL),
           CLOCHE_OK);
}

static void end(cloche_sandbox *box) {
  cloche_sandbox_free(box);
  cloche_policy_free(policy);
  cloche_engine_free(engine);
}

static cloche_sandbox *make(void) {
  cloche_sandbox *box = NULL;
  cloche_sandbox_options options = {.policy = policy};
  CHECK_EQ(cloche_sandbox_new(engine, &options, &box), CLOCHE_OK);
  return box;
}

static void run(cloche_sandbox *box, const char *program) {
  begin(box, program);
  step_to(box, CLOCHE_DONE);
}

/* The byte of memory at an address, which the guest is told to send. */
static int byte_at(cloche_sandbox *box, uint32_t address) {
  char program[32];
  snprintf(program, sizeof program, "r%uv", address);
  begin(box, program);
  int byte = step_to(box, CLOCHE_OUTPUT).bytes.at[0];
  step_to(box, CLOCHE_DONE);
  return byte;
}

static void note(cloche_sandbox *box, const char *name) {
  CHECK_EQ(cloche_checkpoint(box, cloche__text(name)), CLOCHE_OK);
}
static void back(cloche_sandbox *box, const char *name) {
  CHECK_EQ(cloche_rollback(box, cloche__text(name)), CLOCHE_OK);
}

/* ---- checkpoints ---- */

TEST(memory_between_runs_goes_back_as_often_as_one_likes) {
  start();
  cloche_sandbox *box = make();
  note(box, "empty");
  run(box, "w90000v");
  note(box, "one");
  for (int i = 0; i < 3; i++) {
    run(box, "w250000g3v");
    back(box, "one");
    CHECK_EQ(byte_at(box, 250000), 0);
    CHECK_EQ(byte_at(box, 90000), 1);
  }
  back(box, "empty");
  CHECK_EQ(byte_at(box, 90000), 0);
  back(box, "one");
  CHECK_EQ(byte_at(box, 90000), 1);
  end(box);
}

TEST(a_run_that_waited_goes_on_from_there_with_the_same_call_and_later_ones_have_new_keys) {
  start();
  cloche_sandbox *box = make();
  begin(box, "w90000cpay;n");
  cloche_event event = step_to(box, CLOCHE_CALL);
  char key[33], later[2][33];
  snprintf(key, sizeof key, "%.*s", (int)event.key.len, event.key.at);
  step_to(box, CLOCHE_WAIT);
  note(box, "paying");
  CHECK_EQ(cloche_resolve(box, 1, cloche__text("1")), CLOCHE_OK);
  step_to(box, CLOCHE_DONE);
  for (int i = 0; i < 2; i++) { /* its run has ended, and later another one has */
    back(box, "paying");
    event = step(box);
    CHECK_EQ(event.kind, CLOCHE_CALL);
    CHECK_EQ(event.call, 1);
    CHECK(event.again);
    CHECK(memcmp(event.key.at, key, 32) == 0);
    CHECK_EQ(cloche_resolve(box, 1, cloche__text("1")), CLOCHE_OK);
    step_to(box, CLOCHE_DONE);
    CHECK_EQ(cloche_sandbox_result(box)->end, CLOCHE_END_DONE);
    begin(box, "clook;n");
    event = step_to(box, CLOCHE_CALL);
    CHECK_EQ(event.call, 2);
    snprintf(later[i], sizeof later[i], "%.*s", (int)event.key.len, event.key.at);
    CHECK_EQ(cloche_resolve(box, 2, cloche__text("1")), CLOCHE_OK);
    step_to(box, CLOCHE_DONE);
  }
  CHECK(strcmp(later[0], later[1]) != 0);
  end(box);
}

TEST(what_has_happened_does_not_go_back) {
  start();
  cloche_sandbox *box = make();
  note(box, "start");
  for (int i = 0; i < 3; i++) {
    begin(box, "cpay;n");
    CHECK_EQ(cloche_resolve(box, step_to(box, CLOCHE_CALL).call, cloche__text("1")), CLOCHE_OK);
    step_to(box, CLOCHE_DONE);
    back(box, "start");
  }
  run(box, "cpay;n");
  CHECK_EQ(cloche_sandbox_result(box)->usage.denied, 1); /* max_calls is 3 */
  begin(box, "clook;n");
  CHECK_EQ(cloche_resolve(box, step_to(box, CLOCHE_CALL).call, cloche__text("1")), CLOCHE_OK);
  step_to(box, CLOCHE_DONE);
  back(box, "start");
  run(box, "cmail;n");
  CHECK_EQ(cloche_sandbox_result(box)->usage.denied, 1); /* it has the label x */
  end(box);
}

TEST(calls_that_the_state_does_not_know_are_given_up_and_cost_what_they_cost) {
  start();
  cloche_sandbox *box = make();
  note(box, "start");
  begin(box, "cask;n");
  step_to(box, CLOCHE_APPROVAL);
  back(box, "start");
  CHECK_EQ(cloche_approve(box, 1, NULL), CLOCHE_E_UNKNOWN);
  begin(box, "cask;n"); /* max_calls is 1: what was only held has come back */
  step_to(box, CLOCHE_APPROVAL);
  CHECK_EQ(cloche_approve(box, 1, NULL), CLOCHE_OK);
  step_to(box, CLOCHE_CALL);
  back(box, "start");
  CHECK_EQ(cloche_resolve(box, 1, cloche__text("1")), CLOCHE_E_UNKNOWN);
  run(box, "cask;n"); /* what went out has not */
  CHECK_EQ(cloche_sandbox_result(box)->usage.denied, 1);
  end(box);
}

TEST(a_call_that_waits_in_both_is_charged_once) {
  start();
  cloche_sandbox *box = make();
  begin(box, "cask;n");
  step_to(box, CLOCHE_WAIT);
  note(box, "asking");
  for (int i = 0; i < 2; i++) {
    back(box, "asking");
    CHECK_EQ(step(box).kind, CLOCHE_APPROVAL);
  }
  CHECK_EQ(cloche_approve(box, 1, NULL), CLOCHE_OK);
  CHECK_EQ(step(box).kind, CLOCHE_CALL);
  back(box, "asking"); /* approved and gone out: the budget is spent */
  CHECK_EQ(step(box).kind, CLOCHE_APPROVAL);
  CHECK_EQ(cloche_approve(box, 1, NULL), CLOCHE_OK);
  step_to(box, CLOCHE_DONE);
  CHECK_EQ(cloche_sandbox_result(box)->usage.denied, 1);
  end(box);
}

TEST(a_program_that_computes_and_a_dead_sandbox_come_back) {
  start();
  cloche_sandbox *box = make();
  run(box, "w90000v");
  note(box, "one");
  begin(box, "w250000l");
  CHECK_EQ(step(box).kind, CLOCHE_WAIT); /* it computes */
  CHECK_EQ(cloche_checkpoint(box, cloche__text("two")), CLOCHE_E_STATE);
  back(box, "one");
  CHECK_EQ(byte_at(box, 250000), 0);
  box->dead = true;
  CHECK_EQ(cloche_exec(box, &(cloche_program){.text = cloche__text("v")}), CLOCHE_E_STATE);
  back(box, "one");
  CHECK_EQ(byte_at(box, 90000), 1);
  end(box);
}

TEST(names_are_replaced_and_forgotten_and_have_to_make_sense) {
  start();
  cloche_sandbox *box = make();
  note(box, "a");
  run(box, "w90000v");
  note(box, "a");
  run(box, "w250000v");
  back(box, "a");
  CHECK_EQ(byte_at(box, 90000), 1);
  CHECK_EQ(byte_at(box, 250000), 0);
  note(box, "b");
  CHECK_EQ(cloche_checkpoint_drop(box, cloche__text("a")), CLOCHE_OK);
  CHECK_EQ(cloche_rollback(box, cloche__text("a")), CLOCHE_E_UNKNOWN);
  CHECK_EQ(cloche_checkpoint_drop(box, cloche__text("a")), CLOCHE_E_UNKNOWN);
  back(box, "b");
  CHECK_EQ(cloche_checkpoint(box, cloche__text("")), CLOCHE_E_ARGUMENT);
  CHECK_EQ(cloche_checkpoint(box, (cloche_text){"a\0b", 3}), CLOCHE_E_ARGUMENT);
  char name[16];
  for (int i = 1; i < 1000; i++) {
    snprintf(name, sizeof name, "n%d", i);
    note(box, name);
  }
  CHECK_EQ(cloche_checkpoint(box, cloche__text("one more")), CLOCHE_E_LIMIT);
  note(box, "b");
  end(box);
}

TEST(parking_keeps_them_and_forks_and_snapshots_have_none) {
  start();
  cloche_sandbox *box = make(), *fork = NULL, *restored = NULL;
  run(box, "w90000v");
  note(box, "one");
  run(box, "w250000v");
  CHECK_EQ(cloche_park(box), CLOCHE_OK);
  CHECK_EQ(cloche_fork(box, cloche__text("fork"), &fork), CLOCHE_OK);
  CHECK_EQ(cloche_rollback(fork, cloche__text("one")), CLOCHE_E_UNKNOWN);
  char *bytes;
  size_t len;
  CHECK_EQ(cloche_snapshot(box, NULL, &bytes, &len), CLOCHE_OK);
  cloche_restore_options options = {.trusted = true, .policy = policy};
  CHECK_EQ(cloche_restore(engine, (cloche_text){bytes, len}, &options, &restored), CLOCHE_OK);
  CHECK_EQ(cloche_rollback(restored, cloche__text("one")), CLOCHE_E_UNKNOWN);
  CHECK_EQ(cloche_park(box), CLOCHE_OK);
  back(box, "one");
  CHECK_EQ(byte_at(box, 250000), 0);
  CHECK_EQ(byte_at(fork, 250000), 1);
  CHECK_EQ(byte_at(restored, 250000), 1);
  free(bytes);
  cloche_sandbox_free(fork);
  cloche_sandbox_free(restored);
  end(box);
}

/* ---- what a hard stop brings back ---- */

/* In a second run, which has written to the page of the first and to another, and waits. */
static cloche_sandbox *in_second_run(void) {
  cloche_sandbox *box = make();
  run(box, "w90000v");
  begin(box, "w90001w250000g2w1400000cpay;n");
  step_to(box, CLOCHE_WAIT);
  return box;
}

static void stop_hard(cloche_sandbox *box, cloche_end least) {
  cloche_cancel(box); /* the puppet does not notice, so it is stopped where it stands */
  step_to(box, CLOCHE_DONE);
  CHECK_EQ(cloche_sandbox_result(box)->end, least);
}

static void expect_first_run(cloche_sandbox *box) {
  stop_hard(box, CLOCHE_END_CANCELLED);
  CHECK(cloche_sandbox_result(box)->rolled_back);
  CHECK_EQ(byte_at(box, 90000), 1);
  CHECK_EQ(byte_at(box, 90001), 0);
  CHECK_EQ(byte_at(box, 250000), 0);
}

static cloche_sandbox *moved_through_bytes(cloche_sandbox *box, bool without_checkpoint) {
  char *bytes;
  size_t len;
  cloche_sandbox *restored = NULL;
  cloche_snapshot_options how = {.without_checkpoint = without_checkpoint};
  CHECK_EQ(cloche_snapshot(box, &how, &bytes, &len), CLOCHE_OK);
  cloche_sandbox_free(box);
  cloche_restore_options options = {.trusted = true, .policy = policy};
  CHECK_EQ(cloche_restore(engine, (cloche_text){bytes, len}, &options, &restored), CLOCHE_OK);
  free(bytes);
  return restored;
}

TEST(a_hard_stop_goes_back_to_what_earlier_runs_left_after_every_move) {
  start();
  cloche_sandbox *box = in_second_run(), *fork = NULL;
  expect_first_run(box);
  cloche_sandbox_free(box);
  box = moved_through_bytes(in_second_run(), false);
  expect_first_run(box);
  cloche_sandbox_free(box);
  box = in_second_run();
  CHECK_EQ(cloche_park(box), CLOCHE_OK);
  expect_first_run(box);
  cloche_sandbox_free(box);
  box = in_second_run();
  CHECK_EQ(cloche_fork(box, cloche__text("fork"), &fork), CLOCHE_OK);
  expect_first_run(fork);
  cloche_sandbox_free(fork);
  note(box, "second");
  stop_hard(box, CLOCHE_END_CANCELLED);
  back(box, "second");
  expect_first_run(box);
  end(box);
}

TEST(a_snapshot_can_do_without_and_then_a_hard_stop_leaves_it_dead) {
  start();
  cloche_sandbox *box = moved_through_bytes(in_second_run(), true);
  stop_hard(box, CLOCHE_END_CANCELLED);
  CHECK(!cloche_sandbox_result(box)->rolled_back);
  CHECK_EQ(cloche_exec(box, &(cloche_program){.text = cloche__text("v")}), CLOCHE_E_STATE);
  end(box);
}

/* ---- large states ---- */

enum { LARGE = 4 << 20 };

/* Writes a byte to each of as many pages as are frozen. */
static void write_much(cloche_sandbox *box, const char *rest) {
  char *program = malloc(1 << 20);
  size_t len = (size_t)sprintf(program, "g%u", 2 * LARGE / 65536);
  for (uint32_t at = LARGE; at < 2 * LARGE; at += 4096)
    len += (size_t)sprintf(program + len, "w%u", at);
  sprintf(program + len, "%s", rest);
  begin(box, program);
  free(program);
}

static void expect_large(cloche_sandbox *box, int first, int late) {
  CHECK_EQ(byte_at(box, LARGE), first);
  CHECK_EQ(byte_at(box, 2 * LARGE - 4096), 1);
  CHECK_EQ(byte_at(box, LARGE + 1), late);
}

static void with_engine(cloche_cleaning cleaning, void body(void)) {
  cloche_engine_options options = {.cleaning = cleaning};
  cloche_status status = cloche_engine_new(&options, &engine);
  if (status == CLOCHE_E_STATE) return; /* an older kernel */
  CHECK_EQ(status, CLOCHE_OK);
  CHECK_EQ(cloche_policy_load(cloche__text(RULES), (cloche_text){NULL, 0}, &policy, NULL),
           CLOCHE_OK);
  body();
}

static void fork_large(void) {
  cloche_sandbox *box = make(), *forks[3];
  write_much(box, "w250000v"); /* that one within the image */
  step_to(box, CLOCHE_DONE);
  for (int i = 0; i < 3; i++) {
    CHECK_EQ(cloche_fork(box, cloche__text("fork"), &forks[i]), CLOCHE_OK);
    if (box->machine.slot->frozen == NULL) CHECK(!"not frozen");
    CHECK(forks[i]->machine.slot->frozen == box->machine.slot->frozen);
    run(box, i == 0 ? "w4194305v" : "v"); /* after the first fork: the others have it */
  }
  expect_large(box, 1, 1);
  expect_large(forks[0], 1, 0);
  expect_large(forks[1], 1, 1);
  CHECK_EQ(cloche_park(forks[2]), CLOCHE_OK);
  CHECK(forks[2]->parked.frozen != NULL);
  CHECK(forks[2]->parked.state.bytes.len < 65536);
  cloche_sandbox_free(box);
  cloche_sandbox_free(forks[0]);
  expect_large(forks[2], 1, 1);
  cloche_sandbox_free(forks[1]);
  box = make(); /* in a slot of theirs: nothing of it is there */
  CHECK_EQ(byte_at(box, 250000), 0);
  run(box, "g128v");
  CHECK_EQ(byte_at(box, LARGE), 0);
  cloche_sandbox_free(box);
  end(forks[2]);
}

TEST(a_large_state_is_frozen_once_and_shared_by_forks) {
  with_engine(CLOCHE_CLEAN_BY_FAULTS, fork_large);
  with_engine(CLOCHE_CLEAN_BY_PAGEMAP, fork_large);
  with_engine(CLOCHE_CLEAN_BY_MAPPING, fork_large);
}

/* Frozen in the middle of its first run, then stopped hard: back to the image, at the old size. */
static void stop_large(void) {
  cloche_sandbox *box = make(), *fork = NULL;
  write_much(box, "cpay;n");
  step_to(box, CLOCHE_WAIT);
  CHECK_EQ(cloche_fork(box, cloche__text("fork"), &fork), CLOCHE_OK);
  stop_hard(box, CLOCHE_END_CANCELLED);
  CHECK(cloche_sandbox_result(box)->rolled_back);
  run(box, "g128v"); /* memory that grows again is zero */
  CHECK_EQ(byte_at(box, LARGE), 0);
  stop_hard(fork, CLOCHE_END_CANCELLED);
  CHECK(cloche_sandbox_result(fork)->rolled_back);
  run(fork, "g128v");
  CHECK_EQ(byte_at(fork, LARGE), 0);
  cloche_sandbox_free(fork);
  end(box);
}

TEST(a_hard_stop_of_a_frozen_state_goes_back_to_the_image) {
  with_engine(CLOCHE_CLEAN_BY_FAULTS, stop_large);
  with_engine(CLOCHE_CLEAN_BY_PAGEMAP, stop_large);
  with_engine(CLOCHE_CLEAN_BY_MAPPING, stop_large);
}

/* A later run begins on a frozen state, writes, grows and is stopped. */
static void stop_on_frozen(void) {
  cloche_sandbox *box = make(), *fork = NULL, *second = NULL;
  write_much(box, "v");
  step_to(box, CLOCHE_DONE);
  note(box, "large");
  CHECK_EQ(cloche_fork(box, cloche__text("fork"), &fork), CLOCHE_OK);
  char program[80];
  snprintf(program, sizeof program, "w4194305w250000g2w%ucpay;n", fork->machine.slot->size + 7);
  begin(fork, program);
  step_to(fork, CLOCHE_WAIT);
  CHECK_EQ(cloche_fork(fork, cloche__text("second"), &second), CLOCHE_OK);
  stop_hard(fork, CLOCHE_END_CANCELLED);
  CHECK(cloche_sandbox_result(fork)->rolled_back);
  expect_large(fork, 1, 0);
  CHECK_EQ(byte_at(fork, 250000), 0);
  CHECK_EQ(cloche_resolve(second, step_to(second, CLOCHE_CALL).call, cloche__text("1")), CLOCHE_OK);
  step_to(second, CLOCHE_DONE);
  expect_large(second, 1, 1);
  CHECK_EQ(byte_at(second, 250000), 1);
  for (int i = 0; i < 3; i++) {
    run(box, "w4194305w250000v");
    back(box, "large");
    expect_large(box, 1, 0);
  }
  cloche_sandbox_free(fork);
  cloche_sandbox_free(second);
  end(box);
}

TEST(runs_on_a_frozen_state_are_rolled_back_to_it) {
  with_engine(CLOCHE_CLEAN_BY_FAULTS, stop_on_frozen);
  with_engine(CLOCHE_CLEAN_BY_PAGEMAP, stop_on_frozen);
  with_engine(CLOCHE_CLEAN_BY_MAPPING, stop_on_frozen);
}

TEST_MAIN(TEST_ENTRY(memory_between_runs_goes_back_as_often_as_one_likes),
          TEST_ENTRY(
              a_run_that_waited_goes_on_from_there_with_the_same_call_and_later_ones_have_new_keys),
          TEST_ENTRY(what_has_happened_does_not_go_back),
          TEST_ENTRY(calls_that_the_state_does_not_know_are_given_up_and_cost_what_they_cost),
          TEST_ENTRY(a_call_that_waits_in_both_is_charged_once),
          TEST_ENTRY(a_program_that_computes_and_a_dead_sandbox_come_back),
          TEST_ENTRY(names_are_replaced_and_forgotten_and_have_to_make_sense),
          TEST_ENTRY(parking_keeps_them_and_forks_and_snapshots_have_none),
          TEST_ENTRY(a_hard_stop_goes_back_to_what_earlier_runs_left_after_every_move),
          TEST_ENTRY(a_snapshot_can_do_without_and_then_a_hard_stop_leaves_it_dead),
          TEST_ENTRY(a_large_state_is_frozen_once_and_shared_by_forks),
          TEST_ENTRY(a_hard_stop_of_a_frozen_state_goes_back_to_the_image),
          TEST_ENTRY(runs_on_a_frozen_state_are_rolled_back_to_it))
