// SPDX-License-Identifier: MIT
/* snapshot_test.c -- saving and restoring, against the puppet guest, which does what it is told.
 * What the product's guest makes of it is in tests/suspend. */
#define _GNU_SOURCE
#include <sodium.h>

#include "box_help.h"
#include "sandbox/envelope.h"
#include "sandbox/sandbox.h"
#include "sandbox/snapshot.h"

static cloche_engine *engine;
static cloche_policy *policy;

typedef struct {
  char *at;
  size_t len;
} bytes;

static cloche_text view(bytes b) {
  return (cloche_text){b.at, b.len};
}

#define RULES                                                                  \
  "{\"rules\":[{\"pattern\":\"pay\",\"effect\":\"allow\","                     \
  "\"max_calls\":3},{\"pattern\":\"ask\",\"effect\":\"ask\",\"max_calls\":1}," \
  "{\"pattern\":\"look\",\"effect\":\"allow\",\"adds\":[\"x\"]},"              \
  "{\"pattern\":\"mail\",\"effect\":\"allow\",\"unless_label\":["              \
  "\"x\"]},{\"pattern\":\"late\",\"effect\":\"allow\",\"after\":"              \
  "{\"call\":\"look\"}}]}"

static cloche_policy *load(const char *json) {
  cloche_policy *made = NULL;
  cloche_problem problem = {0};
  if (cloche_policy_load(cloche__text(json), (cloche_text){NULL, 0}, &made, &problem) != CLOCHE_OK)
    fprintf(stderr, "  %s: %s\n", problem.path, problem.message);
  CHECK(made != NULL);
  return made;
}

static void start(void) {
  CHECK_EQ(cloche_engine_new(NULL, &engine), CLOCHE_OK);
  policy = load(RULES);
}

static void end(void) {
  cloche_policy_free(policy);
  cloche_engine_free(engine);
}

static cloche_sandbox *make(cloche_sandbox_options options) {
  cloche_sandbox *box = NULL;
  options.policy = policy;
  CHECK_EQ(cloche_sandbox_new(engine, &options, &box), CLOCHE_OK);
  return box;
}

static bytes save(cloche_sandbox *box, const cloche_snapshot_options *options) {
  bytes saved = {0};
  CHECK_EQ(cloche_snapshot(box, options, &saved.at, &saved.len), CLOCHE_OK);
  return saved;
}

static const cloche_restore_options trusting = {.trusted = true};

static cloche_sandbox *restore(bytes saved, cloche_restore_options options) {
  cloche_sandbox *box = NULL;
  options.policy = policy;
  cloche_status status = cloche_restore(engine, view(saved), &options, &box);
  if (status != CLOCHE_OK) fprintf(stderr, "  %s\n", cloche_sandbox_message(NULL));
  CHECK_EQ(status, CLOCHE_OK);
  return box;
}

/* A sandbox whose program has made these calls and waits. */
static cloche_sandbox *waiting(const char *program) {
  cloche_sandbox *box = make((cloche_sandbox_options){0});
  begin(box, program);
  step_to(box, CLOCHE_WAIT);
  return box;
}

static void expect_refused(cloche_text saved, const cloche_restore_options *options,
                           cloche_status status, const char *message) {
  cloche_sandbox *box = NULL;
  CHECK_EQ(cloche_restore(engine, saved, options, &box), status);
  if (strstr(cloche_sandbox_message(NULL), message) == NULL)
    CHECK_STR(cloche_sandbox_message(NULL), message);
}

/* ---- what it holds ---- */

TEST(a_restored_program_goes_on_where_it_stood) {
  start();
  cloche_sandbox *box = waiting("w90000cpay;n");
  bytes saved = save(box, NULL);
  cloche_sandbox_free(box);
  box = restore(saved, trusting);
  cloche_event event = step(box);
  CHECK_EQ(event.kind, CLOCHE_CALL);
  CHECK_EQ(event.call, 1);
  CHECK(event.again);
  CHECK_EQ(cloche_resolve(box, 1, cloche__text("{\"a\": 1}")), CLOCHE_OK);
  event = step_to(box, CLOCHE_OUTPUT);
  CHECK_EQ(event.bytes.len, 7); /* {"a":1} */
  step_to(box, CLOCHE_DONE);
  begin(box, "r90000r90001v");
  event = step_to(box, CLOCHE_OUTPUT);
  CHECK_EQ(event.bytes.at[0], 1);
  CHECK_EQ(event.bytes.at[1], 0);
  step_to(box, CLOCHE_DONE);
  cloche_sandbox_free(box);
  free(saved.at);
  end();
}

TEST(the_sandbox_that_was_saved_goes_on_too) {
  start();
  cloche_sandbox *box = waiting("cpay;n");
  free(save(box, NULL).at);
  CHECK_EQ(cloche_resolve(box, 1, cloche__text("1")), CLOCHE_OK);
  step_to(box, CLOCHE_DONE);
  CHECK_EQ(cloche_sandbox_result(box)->end, CLOCHE_END_DONE);
  cloche_sandbox_free(box);
  end();
}

TEST(any_call_of_several_can_be_answered_first) {
  start();
  cloche_sandbox *box = waiting("cpay;cask;cpay;n");
  bytes saved = save(box, NULL);
  cloche_sandbox_free(box);
  for (uint64_t first = 1; first <= 3; first++) {
    box = restore(saved, trusting);
    if (first == 2) {
      CHECK_EQ(cloche_approve(box, 2, NULL), CLOCHE_OK);
      CHECK_EQ(cloche_approve(box, 2, NULL), CLOCHE_E_UNKNOWN);
    }
    int seen = 0;
    for (cloche_event event = step(box); event.kind != CLOCHE_DONE; event = step(box)) {
      if (event.kind == CLOCHE_CALL || event.kind == CLOCHE_APPROVAL) {
        CHECK(event.call == 2 && first != 2 ? event.kind == CLOCHE_APPROVAL
                                            : event.kind == CLOCHE_CALL);
        seen++;
        if (event.call == first) CHECK_EQ(cloche_resolve(box, first, cloche__text("1")), CLOCHE_OK);
      }
    }
    CHECK_EQ(seen, 3);
    cloche_sandbox_free(box);
  }
  free(saved.at);
  end();
}

TEST(a_call_keeps_its_key_through_approval_and_snapshots) {
  start();
  char key[33] = "";
  cloche_sandbox *box = make((cloche_sandbox_options){0});
  begin(box, "cask;cpay;n");
  cloche_event event = step_to(box, CLOCHE_APPROVAL);
  memcpy(key, event.key.at, 32);
  event = step_to(box, CLOCHE_CALL);
  CHECK(memcmp(key, event.key.at, 32) != 0);
  for (int i = 0; i < 3; i++) {
    bytes saved = save(box, NULL);
    cloche_sandbox_free(box);
    box = restore(saved, trusting);
    free(saved.at);
  }
  event = step_to(box, CLOCHE_APPROVAL);
  CHECK(memcmp(key, event.key.at, 32) == 0);
  CHECK_EQ(cloche_approve(box, event.call, NULL), CLOCHE_OK);
  do event = step_to(box, CLOCHE_CALL);
  while (event.call != 1);
  CHECK(memcmp(key, event.key.at, 32) == 0);
  CHECK(!event.again);
  cloche_sandbox_free(box);
  end();
}

TEST(output_and_answers_that_nobody_has_had_yet_are_kept) {
  start();
  cloche_sandbox *box = make((cloche_sandbox_options){0});
  begin(box, "cpay;oabc;cpay;odef;n");
  step_to(box, CLOCHE_CALL); /* "abc" and all after it is still to be told */
  CHECK_EQ(cloche_resolve(box, 1, cloche__text("77")), CLOCHE_OK);
  bytes saved = save(box, NULL);
  cloche_sandbox_free(box);
  box = restore(saved, trusting);
  char told[64] = "";
  for (cloche_event event = step(box); event.kind != CLOCHE_DONE; event = step(box)) {
    if (event.kind == CLOCHE_OUTPUT) strncat(told, event.bytes.at, event.bytes.len);
    if (event.kind == CLOCHE_CALL) strcat(told, event.call == 2 && !event.again ? "|" : "?");
  }
  CHECK_STR(told, "abc|def77");
  cloche_sandbox_free(box);
  free(saved.at);
  end();
}

TEST(a_sandbox_between_runs_keeps_its_memory_and_its_count_of_fuel) {
  start();
  cloche_sandbox *box = make((cloche_sandbox_options){0});
  begin(box, "w90000L1000g3v");
  step_to(box, CLOCHE_DONE);
  bytes saved = save(box, NULL);
  uint64_t fuel[2];
  for (int i = 0; i < 2; i++) {
    begin(box, "L1000w250000r90000v");
    CHECK_EQ(step_to(box, CLOCHE_OUTPUT).bytes.at[0], 1);
    step_to(box, CLOCHE_DONE);
    fuel[i] = cloche_sandbox_result(box)->usage.fuel;
    cloche_sandbox_free(box);
    if (i == 0) box = restore(saved, trusting);
  }
  CHECK_EQ(fuel[0], fuel[1]);
  free(saved.at);
  end();
}

TEST(a_run_that_has_not_begun_can_be_saved) {
  start();
  cloche_sandbox *box = make((cloche_sandbox_options){0});
  begin(box, "ohi;v");
  bytes saved = save(box, NULL);
  cloche_sandbox_free(box);
  box = restore(saved, trusting);
  CHECK_EQ(step_to(box, CLOCHE_OUTPUT).bytes.len, 2);
  step_to(box, CLOCHE_DONE);
  cloche_sandbox_free(box);
  free(saved.at);
  end();
}

TEST(a_hard_stop_after_a_restore_goes_back_to_before_the_run) {
  start();
  cloche_sandbox *box = waiting("w90000cpay;n");
  bytes saved = save(box, NULL);
  cloche_sandbox_free(box);
  box = restore(saved, trusting);
  cloche_cancel(box); /* the puppet does not notice, so it is stopped where it stands */
  step_to(box, CLOCHE_DONE);
  CHECK_EQ(cloche_sandbox_result(box)->end, CLOCHE_END_CANCELLED);
  CHECK(cloche_sandbox_result(box)->rolled_back);
  begin(box, "r90000v");
  CHECK_EQ(step_to(box, CLOCHE_OUTPUT).bytes.at[0], 0);
  step_to(box, CLOCHE_DONE);
  cloche_sandbox_free(box);
  free(saved.at);
  end();
}

TEST(a_run_after_one_that_was_rolled_back_can_make_calls) {
  start();
  cloche_sandbox *box = waiting("cpay;n");
  cloche_cancel(box);
  step_to(box, CLOCHE_DONE);
  CHECK(cloche_sandbox_result(box)->rolled_back);
  begin(box, "cpay;n");
  cloche_event event = step(box);
  CHECK_EQ(event.kind, CLOCHE_CALL);
  CHECK_EQ(cloche_resolve(box, event.call, cloche__text("1")), CLOCHE_OK);
  step_to(box, CLOCHE_DONE);
  CHECK_EQ(cloche_sandbox_result(box)->end, CLOCHE_END_DONE);
  cloche_sandbox_free(box);
  end();
}

TEST(what_is_not_waiting_cannot_be_saved) {
  start();
  bytes saved = {0};
  cloche_sandbox *box = make((cloche_sandbox_options){0});
  begin(box, "l");
  CHECK_EQ(step(box).kind, CLOCHE_WAIT); /* it computes: a look around */
  CHECK_EQ(cloche_snapshot(box, NULL, &saved.at, &saved.len), CLOCHE_E_STATE);
  CHECK(strstr(cloche_sandbox_message(box), "computes") != NULL);
  cloche_cancel(box);
  step_to(box, CLOCHE_DONE);
  begin(box, "oabc;v");
  CHECK_EQ(step(box).kind, CLOCHE_OUTPUT); /* it has ended, and DONE is still to come */
  CHECK_EQ(cloche_snapshot(box, NULL, &saved.at, &saved.len), CLOCHE_E_STATE);
  cloche_snapshot_options audience = {.audience = cloche__text("x")};
  step_to(box, CLOCHE_DONE);
  CHECK_EQ(cloche_snapshot(box, &audience, &saved.at, &saved.len), CLOCHE_E_ARGUMENT);
  cloche_sandbox_free(box);
  end();
}

/* ---- what is refused ---- */

static void reseal(bytes saved) {
  cloche__envelope header;
  crypto_generichash_state state;
  memcpy(&header, saved.at, sizeof header);
  crypto_generichash_init(&state, NULL, 0, 32);
  crypto_generichash_update(&state, (uint8_t *)&header, offsetof(cloche__envelope, checksum));
  crypto_generichash_update(&state, (uint8_t *)saved.at + sizeof header, saved.len - sizeof header);
  crypto_generichash_final(&state, header.checksum, 32);
  memcpy(saved.at, &header, sizeof header);
}

TEST(each_way_to_be_wrong_has_its_own_error) {
  start();
  cloche_sandbox *box = waiting("cpay;n");
  cloche_restore_options options = {.trusted = true, .policy = policy};
  bytes saved = save(box, NULL);
  cloche__envelope *header = (cloche__envelope *)(void *)saved.at;
  expect_refused(cloche__text("hello"), &options, CLOCHE_E_FORMAT, "no snapshot");
  expect_refused((cloche_text){NULL, 0}, &options, CLOCHE_E_FORMAT, "no snapshot");
  expect_refused((cloche_text){saved.at, 100}, &options, CLOCHE_E_FORMAT, "within its header");
  expect_refused((cloche_text){saved.at, saved.len - 1}, &options, CLOCHE_E_FORMAT, "cut off: ");
  saved.at[saved.len - 1] ^= 1;
  expect_refused(view(saved), &options, CLOCHE_E_FORMAT, "checksum");
  saved.at[saved.len - 1] ^= 1;
  header->version++;
  expect_refused(view(saved), &options, CLOCHE_E_VERSION, "format 3; this build reads format 2");
  header->version--;
  header->image[0] ^= 1;
  reseal(saved);
  expect_refused(view(saved), &options, CLOCHE_E_IMAGE, cloche_engine_image(engine));
  header->image[0] ^= 1;
  header->plain++;
  reseal(saved);
  expect_refused(view(saved), &options, CLOCHE_E_FORMAT, "unpack");
  header->plain = UINT64_MAX;
  reseal(saved);
  expect_refused(view(saved), &options, CLOCHE_E_LIMIT, "allowed");
  free(saved.at);
  cloche_sandbox_free(box);
  end();
}

TEST(every_cut_and_every_flipped_byte_is_noticed) {
  start();
  cloche_sandbox *box = waiting("cpay;n"), *other = NULL;
  cloche_restore_options options = {.trusted = true, .policy = policy};
  bytes saved = save(box, NULL);
  for (size_t i = 0; i < saved.len; i++) {
    CHECK(cloche_restore(engine, (cloche_text){saved.at, i}, &options, &other) != CLOCHE_OK);
    saved.at[i] ^= 0x10;
    CHECK(cloche_restore(engine, view(saved), &options, &other) != CLOCHE_OK);
    saved.at[i] ^= 0x10;
  }
  CHECK_EQ(cloche_restore(engine, view(saved), &options, &other), CLOCHE_OK);
  cloche_sandbox_free(other);
  cloche_sandbox_free(box);
  free(saved.at);
  end();
}

TEST(a_sealed_snapshot_opens_with_its_key_for_its_audience_only) {
  start();
  static const uint8_t key[32] = {1, 2, 3}, wrong[32] = {1, 2, 4};
  cloche_snapshot_options sealing = {.key = key, .audience = cloche__text("shop")};
  cloche_sandbox *box = waiting("cpay;oSECRET;n");
  bytes saved = save(box, &sealing);
  for (size_t i = 0; i + 6 < saved.len; i++)
    CHECK(memcmp(saved.at + i, "SECRET", 6) != 0 && memcmp(saved.at + i, "method", 6) != 0);
  cloche_restore_options options = {.policy = policy};
  expect_refused(view(saved), &options, CLOCHE_E_KEY, "opens with its key only");
  options.opening.key = wrong;
  expect_refused(view(saved), &options, CLOCHE_E_KEY, "another key");
  options.opening = (cloche_snapshot_options){.key = key, .audience = cloche__text("bank")};
  expect_refused(view(saved), &options, CLOCHE_E_KEY, "another audience");
  options.opening = sealing;
  for (size_t i = sizeof(cloche__envelope); i < saved.len; i++) {
    saved.at[i] ^= 1; /* by someone who knows how checksums are made */
    reseal(saved);
    expect_refused(view(saved), &options, CLOCHE_E_FORMAT, "without the key");
    saved.at[i] ^= 1;
  }
  reseal(saved);
  cloche_sandbox *other = restore(saved, options);
  CHECK_EQ(step(other).kind, CLOCHE_CALL);
  cloche_sandbox_free(other);
  bytes plain = save(box, NULL);
  expect_refused(view(plain), &options, CLOCHE_E_KEY, "not sealed");
  free(plain.at);
  free(saved.at);
  cloche_sandbox_free(box);
  end();
}

TEST(info_says_what_waits_and_nothing_of_a_sealed_one) {
  start();
  static const uint8_t key[32] = {9};
  cloche_snapshot_options sealing = {.key = key};
  cloche_sandbox *box = waiting("cask;n");
  bytes plain = save(box, NULL), sealed = save(box, &sealing), info;
  CHECK_EQ(cloche_snapshot_info(view(plain), NULL, &info.at, &info.len), CLOCHE_OK);
  info.at = realloc(info.at, info.len + 1);
  info.at[info.len] = '\0';
  CHECK(strstr(info.at,
               "\"pending\":[{\"id\":1,\"kind\":\"approval\",\"method\":\"ask\","
               "\"params\":{},") != NULL);
  free(info.at);
  CHECK_EQ(cloche_snapshot_info(view(sealed), NULL, &info.at, &info.len), CLOCHE_OK);
  info.at = realloc(info.at, info.len + 1);
  info.at[info.len] = '\0';
  CHECK(strstr(info.at, "\"sealed\":true}") != NULL);
  free(info.at);
  free(plain.at);
  free(sealed.at);
  cloche_sandbox_free(box);
  end();
}

/* ---- rights ---- */

TEST(budgets_count_on_through_a_snapshot) {
  start();
  cloche_sandbox *box = waiting("cpay;cpay;n"); /* two of three */
  bytes saved = save(box, NULL);
  cloche_sandbox_free(box);
  box = restore(saved, trusting);
  step_to(box, CLOCHE_CALL);
  CHECK_EQ(cloche_resolve(box, 1, cloche__text("1")), CLOCHE_OK);
  step_to(box, CLOCHE_DONE);
  begin(box, "cpay;cpay;n");
  step_to(box, CLOCHE_DONE); /* the puppet ends when one of them is refused */
  CHECK_EQ(cloche_sandbox_result(box)->usage.denied, 1);
  cloche_sandbox_free(box);
  free(saved.at);
  end();
}

TEST(with_one_account_a_snapshot_that_is_resumed_often_spends_once) {
  start();
  cloche_account *account = NULL;
  CHECK_EQ(cloche_account_new(NULL, &account), CLOCHE_OK);
  cloche_sandbox *box = make((cloche_sandbox_options){.account = account});
  begin(box, "cask;n");
  step_to(box, CLOCHE_WAIT);
  bytes saved = save(box, NULL);
  cloche_sandbox_free(box);
  int made = 0;
  for (int i = 0; i < 5; i++) {
    box = restore(saved, (cloche_restore_options){.trusted = true, .account = account});
    CHECK_EQ(cloche_approve(box, 1, NULL), CLOCHE_OK);
    cloche_event event;
    do event = step(box);
    while (event.kind == CLOCHE_OUTPUT);
    made += event.kind == CLOCHE_CALL;
    cloche_sandbox_free(box);
  }
  CHECK_EQ(made, 1);
  cloche_account_free(account);
  free(saved.at);
  end();
}

TEST(another_policy_decides_waiting_calls_anew) {
  start();
  cloche_sandbox *box = waiting("cpay;n");
  bytes saved = save(box, NULL);
  cloche_sandbox_free(box);
  cloche_policy_free(policy);
  policy = load("{\"rules\":[{\"pattern\":\"pay\",\"effect\":\"ask\"}]}");
  box = restore(saved, trusting);
  CHECK_EQ(step(box).kind, CLOCHE_APPROVAL);
  cloche_sandbox_free(box);
  cloche_policy_free(policy);
  policy = load("{\"rules\":[]}");
  box = restore(saved, trusting);
  step_to(box, CLOCHE_DONE);
  CHECK_EQ(cloche_sandbox_result(box)->usage.denied, 1);
  cloche_sandbox_free(box);
  free(saved.at);
  end();
}

TEST(a_call_that_may_not_be_made_twice_has_failed_after_a_restore) {
  start();
  cloche_sandbox *box = waiting("cpay;n");
  CHECK_EQ(cloche_once(box, 2), CLOCHE_E_UNKNOWN);
  CHECK_EQ(cloche_once(box, 1), CLOCHE_OK);
  bytes saved = save(box, NULL);
  CHECK_EQ(cloche_resolve(box, 1, cloche__text("1")),
           CLOCHE_OK); /* nothing changes for the saved one */
  cloche_sandbox_free(box);
  box = restore(saved, trusting);
  cloche_event event = step(box);
  CHECK_EQ(event.kind, CLOCHE_OUTPUT);
  char told[512] = "";
  strncat(told, event.bytes.at, event.bytes.len < 500 ? event.bytes.len : 500);
  CHECK(strstr(told, "\"code\":\"interrupted\"") != NULL);
  cloche_sandbox_free(box);
  free(saved.at);
  end();
}

/* ---- memory that no sandbox has written ---- */

/* As machine_state.c has it. */
typedef struct {
  uint32_t size, globals, pages, reserved;
} memory_head;

/* What is wrong with the memory: its head, its page numbers, the bytes at its end. */
static const struct {
  const char *name;
  int64_t size, globals; /* more than there were */
  enum { AS_THEY_WERE, TWICE, FALLING, BEYOND } numbers;
  int64_t bytes; /* more than there were */
} unsound[] = {
    {"other globals", 0, 4, AS_THEY_WERE, 4},
    {"a part of a page", 4096, 0, AS_THEY_WERE, 0},
    {"smaller than the image", -65536, 0, AS_THEY_WERE, 0},
    {"fewer bytes than pages", 0, 0, AS_THEY_WERE, -4096},
    {"more bytes than pages", 0, 0, AS_THEY_WERE, 1},
    {"one page twice", 0, 0, TWICE, 0},
    {"pages that fall", 0, 0, FALLING, 0},
    {"a page beyond the memory", 0, 0, BEYOND, 0},
};

static void spoil(cloche_text was, size_t row, cloche__buffer *out) {
  memory_head head;
  memcpy(&head, was.at, sizeof head);
  size_t at = out->len, numbers = at + sizeof head + head.globals;
  CHECK(head.pages > 1);
  cloche__buffer_add(out, was.at, was.len);
  uint32_t first[2], beyond = head.size / 4096;
  memcpy(first, out->at + numbers, sizeof first);
  if (unsound[row].numbers == TWICE)
    first[1] = first[0];
  else if (unsound[row].numbers == FALLING)
    first[0] = first[1] + 1;
  memcpy(out->at + numbers, first, sizeof first);
  if (unsound[row].numbers == BEYOND)
    memcpy(out->at + numbers + (head.pages - 1) * sizeof beyond, &beyond, sizeof beyond);
  head.size += (uint32_t)unsound[row].size;
  head.globals += (uint32_t)unsound[row].globals;
  if (unsound[row].size < 0) { /* no page of it: nothing else is wrong */
    head.pages = 0;
    out->len = numbers;
  }
  memcpy(out->at + at, &head, sizeof head);
  for (int64_t i = 0; i < unsound[row].bytes; i++) cloche__buffer_byte(out, 0);
  if (unsound[row].bytes < 0) out->len -= (size_t)-unsound[row].bytes;
}

/* The same snapshot with its memory, or its checkpoint's, spoilt. */
static bytes forge_memory(bytes saved, int spoilt, size_t row) {
  cloche__envelope header;
  char message[256];
  cloche__buffer plain = {0}, body = {0}, file = {0};
  CHECK_EQ(cloche__envelope_read(view(saved), NULL, &header, message), CLOCHE_OK);
  CHECK_EQ(cloche__envelope_open(view(saved), &header, NULL, 1u << 30, &plain, message), CLOCHE_OK);
  for (size_t at = 0, part = 0; at < plain.len; part++) {
    uint64_t len, new_len;
    memcpy(&len, plain.at + at, sizeof len);
    cloche_text was = {plain.at + at + sizeof len, len};
    size_t start = body.len;
    cloche__buffer_add(&body, &len, sizeof len);
    if (part == (size_t)spoilt)
      spoil(was, row, &body);
    else
      cloche__buffer_text(&body, was);
    new_len = body.len - start - sizeof len;
    memcpy(body.at + start, &new_len, sizeof new_len);
    at += sizeof len + len;
  }
  CHECK_EQ(cloche__envelope_seal(cloche__buffer_view(&body), header.image, NULL, &file), CLOCHE_OK);
  cloche__buffer_free(&plain);
  cloche__buffer_free(&body);
  return (bytes){file.at, file.len};
}

TEST(memory_that_no_sandbox_has_written_is_refused_whole) {
  start();
  cloche_sandbox *box = make((cloche_sandbox_options){0});
  begin(box, "w250000w254096v");
  step_to(box, CLOCHE_DONE);
  begin(box, "cpay;n");
  step_to(box, CLOCHE_WAIT);
  bytes honest = save(box, NULL);
  cloche_restore_options options = {.trusted = true, .policy = policy};
  for (size_t i = 0; i < sizeof unsound / sizeof *unsound; i++) {
    TEST_ROW(unsound[i].name);
    for (int part = CLOCHE__PART_MEMORY; part <= CLOCHE__PART_CHECKPOINT; part++) {
      bytes forged = forge_memory(honest, part, i);
      expect_refused(view(forged), &options, CLOCHE_E_FORMAT, "");
      free(forged.at);
    }
  }
  free(honest.at);
  cloche_sandbox_free(box);
  end();
}

/* ---- what a forger can do ---- */

/* The same snapshot with one text in its first four parts replaced, as a forger would. */
static bytes forge(bytes saved, const char *from, const char *to) {
  cloche__envelope header;
  char message[256];
  cloche__buffer plain = {0}, body = {0}, file = {0};
  CHECK_EQ(cloche__envelope_read(view(saved), NULL, &header, message), CLOCHE_OK);
  CHECK_EQ(cloche__envelope_open(view(saved), &header, NULL, 1u << 30, &plain, message), CLOCHE_OK);
  bool found = false;
  size_t at = 0;
  while (at < plain.len) {
    uint64_t len, new_len;
    memcpy(&len, plain.at + at, sizeof len);
    const char *part = plain.at + at + sizeof len;
    const char *hit = memmem(part, len, from, strlen(from));
    size_t start = body.len;
    cloche__buffer_add(&body, &len, sizeof len);
    cloche__buffer_add(&body, part, hit == NULL ? len : (size_t)(hit - part));
    if (hit != NULL) {
      cloche__buffer_string(&body, to);
      cloche__buffer_add(&body, hit + strlen(from), len - (size_t)(hit - part) - strlen(from));
      found = true;
    }
    new_len = body.len - start - sizeof len;
    memcpy(body.at + start, &new_len, sizeof new_len);
    at += sizeof len + len;
  }
  CHECK(found);
  CHECK_EQ(cloche__envelope_seal((cloche_text){body.at, body.len}, header.image, NULL, &file),
           CLOCHE_OK);
  cloche__buffer_free(&plain);
  cloche__buffer_free(&body);
  return (bytes){file.at, file.len};
}

static const struct {
  const char *name, *program, *from, *to;
  cloche_event_kind first; /* what the one who restores it sees */
} forgeries[] = {
    {"nothing", "cask;n", "\"once\":false", "\"once\":false", CLOCHE_APPROVAL},
    {"an approval that was given", "cask;n", "\"kind\":\"approval\"", "\"kind\":\"call\"",
     CLOCHE_APPROVAL},
    {"other arguments", "cask;n", "\"params\":\"{}\"", "\"params\":\"{\\\"a\\\":1}\"",
     CLOCHE_APPROVAL},
    {"a tool that was never granted", "cpay;n", "\"method\":\"pay\"", "\"method\":\"rob\"",
     CLOCHE_OUTPUT},
    {"no labels", "cmail;n", "\"any_label\":false", "\"any_label\": false", CLOCHE_OUTPUT},
    {"what came before", "cpay;n", "\"method\":\"pay\"", "\"method\":\"late\"", CLOCHE_OUTPUT},
    {"another's reservation", "cask;n",
     "\"reservation\":", "\"reservation\":7,\"r\":", CLOCHE_APPROVAL},
    {"a grant", "cask;n", "\"grants\":[]",
     "\"grants\":[{\"method\":\"ask\",\"rule\":\"0:ask\",\"key\":\"grants/1\",\"up_to\":9}]",
     CLOCHE_APPROVAL},
};

TEST(a_forger_gains_nothing) {
  start();
  for (size_t i = 0; i < sizeof forgeries / sizeof *forgeries; i++) {
    TEST_ROW(forgeries[i].name);
    cloche_sandbox *box = waiting(forgeries[i].program);
    bytes honest = save(box, NULL);
    bytes forged = forge(honest, forgeries[i].from, forgeries[i].to);
    cloche_account *account = NULL;
    CHECK_EQ(cloche_account_new(NULL, &account), CLOCHE_OK);
    cloche_sandbox *other = restore(forged, (cloche_restore_options){.account = account});
    cloche_event event = step(other);
    CHECK_EQ(event.kind, forgeries[i].first);
    if (event.kind == CLOCHE_APPROVAL) CHECK_EQ(event.params.len, 2); /* {} as it was sent */
    cloche_sandbox_free(other);
    cloche_account_free(account);
    cloche_sandbox_free(box);
    free(honest.at);
    free(forged.at);
  }
  end();
}

TEST(a_forger_gets_no_more_memory_or_time) {
  start();
  cloche_sandbox *box = waiting("cpay;n");
  bytes honest = save(box, NULL);
  bytes forged = forge(honest, "\"limit_memory\":67108864", "\"limit_memory\":671088640");
  cloche_account *account = NULL;
  CHECK_EQ(cloche_account_new(NULL, &account), CLOCHE_OK);
  cloche_restore_options options = {.account = account};
  cloche_sandbox *other = restore(forged, options);
  CHECK_EQ(other->limits.memory, 64u << 20);
  cloche_sandbox_free(other);
  options.limits.memory = 80u << 20; /* the embedder may */
  other = restore(forged, options);
  CHECK_EQ(other->limits.memory, 80u << 20);
  cloche_sandbox_free(other);
  cloche_account_free(account);
  cloche_sandbox_free(box);
  free(honest.at);
  free(forged.at);
  end();
}

TEST(what_anyone_could_have_written_needs_an_account) {
  start();
  cloche_sandbox *box = waiting("cpay;n");
  bytes saved = save(box, NULL);
  expect_refused(view(saved), &(cloche_restore_options){.policy = policy}, CLOCHE_E_ACCOUNT,
                 "needs an account");
  free(saved.at);
  cloche_sandbox_free(box);
  end();
}

/* An account that is kept elsewhere: its store is another one's in memory. */
static cloche_account *elsewhere(const char *id) {
  cloche_account *memory = NULL, *account = NULL;
  CHECK_EQ(cloche_account_new(NULL, &memory), CLOCHE_OK);
  cloche_account_store store = memory->store;
  store.id = cloche__text(id);
  CHECK_EQ(cloche_account_new(&store, &account), CLOCHE_OK);
  free(memory); /* its store lives on */
  return account;
}

TEST(a_snapshot_goes_on_spending_from_its_own_account_only) {
  start();
  cloche_account *account = elsewhere("shop"), *other = elsewhere("bank");
  cloche_sandbox *box = make((cloche_sandbox_options){.account = account});
  begin(box, "cpay;n");
  step_to(box, CLOCHE_WAIT);
  bytes saved = save(box, NULL);
  cloche_sandbox_free(box);
  cloche_restore_options options = {.trusted = true, .policy = policy};
  expect_refused(view(saved), &options, CLOCHE_E_ACCOUNT, "in the account \"shop\"");
  options.account = other;
  expect_refused(view(saved), &options, CLOCHE_E_ACCOUNT, "in the account \"shop\"");
  options.account = account;
  box = restore(saved, options);
  CHECK_EQ(step(box).kind, CLOCHE_CALL);
  cloche_sandbox_free(box);
  cloche_account_free(account);
  cloche_account_free(other);
  free(saved.at);
  end();
}

/* ---- forks and parking ---- */

TEST(a_fork_has_a_future_of_its_own_and_the_same_budget) {
  start();
  cloche_sandbox *box = waiting("w90000cpay;cask;n"), *fork = NULL;
  CHECK_EQ(cloche_fork(box, cloche__text("second"), &fork), CLOCHE_OK);
  cloche_event event = step(fork);
  CHECK_EQ(event.kind, CLOCHE_CALL);
  CHECK(event.again);
  CHECK_EQ(step(fork).kind, CLOCHE_APPROVAL);
  CHECK_EQ(cloche_approve(box, 2, NULL), CLOCHE_OK);
  CHECK_EQ(step(box).kind, CLOCHE_CALL);
  CHECK_EQ(cloche_approve(fork, 2, NULL), CLOCHE_OK); /* its budget is held once, and used */
  CHECK_EQ(cloche_resolve(box, 1, cloche__text("1")), CLOCHE_OK);
  step_to(box, CLOCHE_DONE);
  cloche_sandbox_free(box);
  step_to(fork, CLOCHE_DONE);
  CHECK_EQ(cloche_sandbox_result(fork)->usage.denied, 1);
  begin(fork, "r90000v");
  CHECK_EQ(step_to(fork, CLOCHE_OUTPUT).bytes.at[0], 1);
  step_to(fork, CLOCHE_DONE);
  cloche_sandbox_free(fork);
  end();
}

TEST(a_denied_fork_does_not_give_back_what_the_other_one_uses) {
  start();
  cloche_sandbox *box = waiting("cask;n"), *fork = NULL, *third = NULL;
  CHECK_EQ(cloche_fork(box, cloche__text(""), &fork), CLOCHE_OK);
  CHECK_EQ(cloche_fork(box, cloche__text(""), &third), CLOCHE_OK);
  CHECK_EQ(cloche_approve(box, 1, NULL), CLOCHE_OK);
  CHECK_EQ(cloche_deny(fork, 1, cloche__text("no")), CLOCHE_OK);
  CHECK_EQ(cloche_approve(third, 1, NULL), CLOCHE_OK); /* max_calls is 1 */
  cloche_event event;
  do event = step(third);
  while (event.kind == CLOCHE_OUTPUT);
  CHECK_EQ(event.kind, CLOCHE_DONE);
  CHECK_EQ(cloche_sandbox_result(third)->usage.denied, 1);
  cloche_sandbox_free(box);
  cloche_sandbox_free(fork);
  cloche_sandbox_free(third);
  end();
}

enum { MANY = 40 };
static size_t count_parked(cloche_sandbox *const *boxes) {
  size_t count = 0;
  for (int i = 0; i < MANY; i++) count += boxes[i]->place == CLOCHE__PARKED;
  return count;
}

TEST(beyond_the_bound_those_that_were_stepped_longest_ago_are_parked) {
  cloche_engine_options few = {.mapped = 8};
  CHECK_EQ(cloche_engine_new(&few, &engine), CLOCHE_OK);
  policy = load(RULES);
  cloche_sandbox *boxes[MANY];
  for (int i = 0; i < MANY; i++) boxes[i] = waiting("w90000cpay;n");
  CHECK(count_parked(boxes) >= MANY - 8);
  CHECK_EQ(boxes[MANY - 1]->place, CLOCHE__IN_LINE);
  CHECK_EQ(boxes[MANY - 20]->place, CLOCHE__PARKED);
  for (int i = 0; i < MANY; i++) {
    CHECK_EQ(cloche_resolve(boxes[i], 1, cloche__text("1")), CLOCHE_OK);
    step_to(boxes[i], CLOCHE_DONE);
    begin(boxes[i], "r90000v");
    CHECK_EQ(step_to(boxes[i], CLOCHE_OUTPUT).bytes.at[0], 1);
    step_to(boxes[i], CLOCHE_DONE);
  }
  for (int i = 0; i < MANY; i++) cloche_sandbox_free(boxes[i]);
  end();
}

static void *step_often(void *context) {
  cloche_sandbox **boxes = context;
  for (int round = 0; round < 20; round++)
    for (int i = 0; i < MANY / 2; i++) {
      begin(boxes[i], "cpay;n");
      cloche_cancel(boxes[i]);
      step_to(boxes[i], CLOCHE_DONE);
    }
  return NULL;
}

TEST(threads_that_step_their_own_sandboxes_may_park_each_others) {
  cloche_engine_options few = {.mapped = 4};
  CHECK_EQ(cloche_engine_new(&few, &engine), CLOCHE_OK);
  policy = load(RULES);
  cloche_sandbox *boxes[MANY];
  pthread_t other;
  for (int i = 0; i < MANY; i++) boxes[i] = make((cloche_sandbox_options){0});
  CHECK(pthread_create(&other, NULL, step_often, boxes) == 0);
  step_often(boxes + MANY / 2);
  pthread_join(other, NULL);
  CHECK(count_parked(boxes) >= MANY - 4);
  for (int i = 0; i < MANY; i++) cloche_sandbox_free(boxes[i]);
  end();
}

TEST_MAIN(TEST_ENTRY(a_restored_program_goes_on_where_it_stood),
          TEST_ENTRY(the_sandbox_that_was_saved_goes_on_too),
          TEST_ENTRY(any_call_of_several_can_be_answered_first),
          TEST_ENTRY(a_call_keeps_its_key_through_approval_and_snapshots),
          TEST_ENTRY(output_and_answers_that_nobody_has_had_yet_are_kept),
          TEST_ENTRY(a_sandbox_between_runs_keeps_its_memory_and_its_count_of_fuel),
          TEST_ENTRY(a_run_that_has_not_begun_can_be_saved),
          TEST_ENTRY(a_hard_stop_after_a_restore_goes_back_to_before_the_run),
          TEST_ENTRY(a_run_after_one_that_was_rolled_back_can_make_calls),
          TEST_ENTRY(what_is_not_waiting_cannot_be_saved),
          TEST_ENTRY(each_way_to_be_wrong_has_its_own_error),
          TEST_ENTRY(every_cut_and_every_flipped_byte_is_noticed),
          TEST_ENTRY(a_sealed_snapshot_opens_with_its_key_for_its_audience_only),
          TEST_ENTRY(info_says_what_waits_and_nothing_of_a_sealed_one),
          TEST_ENTRY(budgets_count_on_through_a_snapshot),
          TEST_ENTRY(with_one_account_a_snapshot_that_is_resumed_often_spends_once),
          TEST_ENTRY(another_policy_decides_waiting_calls_anew),
          TEST_ENTRY(a_call_that_may_not_be_made_twice_has_failed_after_a_restore),
          TEST_ENTRY(memory_that_no_sandbox_has_written_is_refused_whole),
          TEST_ENTRY(a_forger_gains_nothing), TEST_ENTRY(a_forger_gets_no_more_memory_or_time),
          TEST_ENTRY(what_anyone_could_have_written_needs_an_account),
          TEST_ENTRY(a_snapshot_goes_on_spending_from_its_own_account_only),
          TEST_ENTRY(a_fork_has_a_future_of_its_own_and_the_same_budget),
          TEST_ENTRY(a_denied_fork_does_not_give_back_what_the_other_one_uses),
          TEST_ENTRY(beyond_the_bound_those_that_were_stepped_longest_ago_are_parked),
          TEST_ENTRY(threads_that_step_their_own_sandboxes_may_park_each_others))
