// SPDX-License-Identifier: MIT
/* calls_test.c -- what happens around a call, in which order (invariants 3, 4, 5 and 10).
 *
 * A ledger and an account that note what they are asked for write into one trace with the events
 * that the embedder sees: "decision" before "CALL" is a fact about that text. */
#include <time.h>

#include "gate/account.h"
#include "gate_help.h"

static char trace[4096];
static const char *fails_at; /* the kind of record that cannot be written */
static cloche_engine *engine;
static cloche_account *memory;
static cloche_ledger *ledger;

static void note(const char *text, size_t len) {
  size_t used = strlen(trace);
  if (used + len + 2 > sizeof trace) return;
  snprintf(trace + used, sizeof trace - used, "%s%.*s", used > 0 ? " " : "", (int)len, text);
}
static void note_word(const char *word) {
  note(word, strlen(word));
}

/* ---- the spies ---- */

static bool write_line(void *self, const char *line, size_t len) {
  static const char start[] = "\"kind\":\"";
  (void)self, (void)len;
  const char *kind = strstr(line, start) + sizeof start - 1;
  size_t size = strcspn(kind, "\"");
  if (fails_at != NULL && strncmp(kind, fails_at, size) == 0) return false;
  note(kind, size);
  return true;
}

static cloche_status reserve(void *self, const cloche_charge *charges, size_t count, int64_t now,
                             cloche_reserving how, uint64_t *id, size_t *refused) {
  (void)self;
  note_word(how == CLOCHE_RESERVE_RUN ? "charged" : how == CLOCHE_RESERVE_HOLD ? "held" : "tested");
  return memory->store.reserve(memory->store.self, charges, count, now, how, id, refused);
}

static bool settle_spied(void *self, uint64_t id, cloche_settling how) {
  static const char *const names[] = {"approved", "released", "succeeded", "failed"};
  (void)self;
  note_word(names[how]);
  return memory->store.settle(memory->store.self, id, how);
}

/* A sandbox under that policy, with both spies. */
static cloche_sandbox *make(const char *text, const char *tools) {
  cloche_account_store store = {.reserve = reserve, .settle = settle_spied};
  cloche_ledger_sink sink = {.write = write_line};
  cloche_account *account = NULL;
  cloche_sandbox *box = NULL;
  const cloche_policy *policy = load_with(text, tools);
  CHECK_EQ(cloche_account_new(NULL, &memory), CLOCHE_OK);
  CHECK_EQ(cloche_account_new(&store, &account), CLOCHE_OK);
  CHECK_EQ(cloche_ledger_new(&sink, NULL, &ledger), CLOCHE_OK);
  CHECK_EQ(cloche_engine_new(NULL, &engine), CLOCHE_OK);
  cloche_sandbox_options options = {.policy = policy, .account = account, .ledger = ledger};
  CHECK_EQ(cloche_sandbox_new(engine, &options, &box), CLOCHE_OK);
  cloche_account_free(account);
  cloche_policy_free(policy);
  trace[0] = '\0';
  return box;
}

static void end(cloche_sandbox *box) {
  cloche_sandbox_free(box);
  cloche_ledger_free(ledger);
  cloche_account_free(memory);
  cloche_engine_free(engine);
}

static void start(cloche_sandbox *box, const char *program) {
  cloche_program p = {.text = cloche__text(program)};
  CHECK_EQ(cloche_exec(box, &p), CLOCHE_OK);
}

/* Steps to the next call, approval or end, or until only an answer helps; notes which. */
static cloche_event next(cloche_sandbox *box) {
  cloche_event event;
  struct timespec now;
  do {
    CHECK_EQ(cloche_step(box, &event), CLOCHE_OK);
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while (event.kind == CLOCHE_OUTPUT ||
           (event.kind == CLOCHE_WAIT && event.deadline / SECOND <= now.tv_sec));
  note_word(event.kind == CLOCHE_CALL       ? "CALL"
            : event.kind == CLOCHE_APPROVAL ? "APPROVAL"
            : event.kind == CLOCHE_DONE     ? "DONE"
            : event.kind == CLOCHE_WAIT     ? "WAIT"
                                            : "OTHER");
  return event;
}

static bool is(cloche_text text, const char *want) {
  return cloche__text_equal(text, cloche__text(want));
}

#define CHECK_TRACE(want)                                                            \
  do {                                                                               \
    const char *found_ = strstr(trace, want);                                        \
    if (found_ == NULL) fprintf(stderr, "  trace: %s\n  wanted: %s\n", trace, want); \
    CHECK(found_ != NULL);                                                           \
  } while (0)

static const char one_call[] =
    "{\"rules\":[{\"pattern\":\"a\",\"effect\":\"allow\",\"max_calls\":1,\"adds\":\"private\","
    "\"set\":{\"tenant\":\"acme\"}}]}";
static const char asked_call[] =
    "{\"rules\":[{\"pattern\":\"a\",\"effect\":\"ask\",\"max_calls\":1,\"set\":{\"tenant\":"
    "\"acme\"}}]"
    "}";

/* ---- invariant 4 ---- */

TEST(the_handler_gets_what_the_gate_wrote_and_not_what_the_guest_sent) {
  cloche_sandbox *box = make(one_call, NULL);
  start(box, "ca;n");
  cloche_event event = next(box);
  CHECK_EQ(event.kind, CLOCHE_CALL);
  CHECK(is(event.params, "{\"tenant\":\"acme\"}"));
  end(box);
}

TEST(after_an_approval_too) {
  cloche_sandbox *box = make(asked_call, NULL);
  start(box, "ca;n");
  cloche_event event = next(box);
  CHECK_EQ(event.kind, CLOCHE_APPROVAL);
  CHECK(is(event.params, "{\"tenant\":\"acme\"}")); /* what is approved is what will be done */
  CHECK_EQ(cloche_resolve(box, event.call, cloche__text("1")), CLOCHE_E_UNKNOWN);
  CHECK_EQ(cloche_approve(box, event.call, NULL), CLOCHE_OK);
  event = next(box);
  CHECK_EQ(event.kind, CLOCHE_CALL);
  CHECK(is(event.params, "{\"tenant\":\"acme\"}"));
  end(box);
}

/* ---- invariants 5 and 10 ---- */

TEST(a_call_is_charged_and_on_record_before_it_goes_out) {
  cloche_sandbox *box = make(one_call, NULL);
  start(box, "ca;n");
  CHECK_TRACE("open"); /* before the program's first instruction */
  cloche_event event = next(box);
  CHECK_EQ(event.kind, CLOCHE_CALL);
  CHECK_TRACE("charged decision label CALL");
  CHECK_EQ(cloche_resolve(box, event.call, cloche__text("1")), CLOCHE_OK);
  CHECK_TRACE("CALL settle succeeded");
  CHECK_EQ(next(box).kind, CLOCHE_DONE);
  start(box, "ca;n");
  CHECK_EQ(next(box).kind, CLOCHE_DONE); /* denied: one call was all there was */
  CHECK_EQ(cloche_sandbox_result(box)->usage.denied, 1);
  end(box);
}

TEST(an_approval_is_on_record_and_committed_before_the_call_goes_out) {
  cloche_sandbox *box = make(asked_call, NULL);
  start(box, "ca;n");
  cloche_event event = next(box);
  CHECK_TRACE("held decision APPROVAL");
  CHECK_EQ(cloche_approve(box, event.call, NULL), CLOCHE_OK);
  CHECK_TRACE("APPROVAL approval approved decision");
  CHECK_EQ(next(box).kind, CLOCHE_CALL);
  end(box);
}

TEST(a_call_that_cannot_be_recorded_is_not_made_and_costs_nothing) {
  cloche_sandbox *box = make(one_call, NULL);
  fails_at = "decision";
  start(box, "ca;n");
  next(box);
  CHECK(strstr(trace, "CALL") == NULL);
  CHECK_TRACE("charged released");
  CHECK_EQ(cloche_account_calls(memory, cloche__text("rules/a")), 0);
  end(box);
}

TEST(a_run_that_cannot_be_recorded_does_not_start) {
  cloche_sandbox *box = make(one_call, NULL);
  cloche_program p = {.text = cloche__text("ca;n")};
  fails_at = "open";
  CHECK_EQ(cloche_exec(box, &p), CLOCHE_E_SYSTEM);
  end(box);
}

TEST(an_approval_that_cannot_be_recorded_approves_nothing) {
  cloche_sandbox *box = make(asked_call, NULL);
  start(box, "ca;n");
  cloche_event event = next(box);
  fails_at = "approval";
  CHECK_EQ(cloche_approve(box, event.call, NULL), CLOCHE_E_SYSTEM);
  CHECK(strstr(trace, "approved") == NULL);
  next(box);
  CHECK(strstr(trace, "CALL") == NULL);
  end(box);
}

/* The second decision about a call that was asked about. */
TEST(a_call_that_was_approved_and_then_not_recorded_is_not_made) {
  cloche_sandbox *box = make(asked_call, NULL);
  start(box, "ca;n");
  cloche_event event = next(box);
  fails_at = "decision";
  CHECK_EQ(cloche_approve(box, event.call, NULL), CLOCHE_E_SYSTEM);
  next(box);
  CHECK(strstr(trace, "CALL") == NULL);
  end(box);
}

TEST(a_result_that_cannot_be_recorded_does_not_reach_the_guest) {
  cloche_sandbox *box = make(one_call, NULL);
  start(box, "ca;n");
  cloche_event event = next(box);
  fails_at = "settle";
  CHECK_EQ(cloche_resolve(box, event.call, cloche__text("\"secret\"")), CLOCHE_OK);
  CHECK_TRACE("failed"); /* the guest got an error in its place */
  CHECK(strstr(trace, "succeeded") == NULL);
  end(box);
}

/* ---- labels of the host's ---- */

TEST(the_host_takes_a_label_away_on_record_or_not_at_all) {
  cloche_sandbox *box = make(one_call, NULL);
  cloche_text label = cloche__text("private"), why = cloche__text("looked at");
  CHECK_EQ(cloche_declassify(box, label, why), CLOCHE_E_UNKNOWN);
  CHECK_EQ(cloche_classify(box, label, why), CLOCHE_OK);
  CHECK_EQ(cloche_classify(box, label, why), CLOCHE_OK);
  CHECK_STR(trace, "label");
  CHECK_EQ(cloche_declassify(box, label, why), CLOCHE_OK);
  CHECK_STR(trace, "label label");
  CHECK_EQ(cloche_classify(box, label, why), CLOCHE_OK);
  fails_at = "label";
  CHECK_EQ(cloche_declassify(box, label, why), CLOCHE_E_SYSTEM);
  CHECK(is(cloche_gate_label(cloche_sandbox_gate(box), 0), "private"));
  CHECK_EQ(cloche_classify(box, cloche__text("other"), why), CLOCHE_E_SYSTEM);
  CHECK_EQ(cloche_gate_label(cloche_sandbox_gate(box), 1).len, 0);
  end(box);
}

/* ---- results ---- */

TEST(a_result_that_does_not_fit_its_schema_is_an_error_where_the_policy_says_so) {
  static const char tools[] =
      "[{\"name\":\"a\",\"output_schema\":{\"type\":\"object\",\"required\":[\"id\"],"
      "\"properties\":{\"id\":{\"type\":\"integer\"}}}}]";
  static const struct {
    const char *policy, *result;
    bool fits;
  } rows[] = {
      {"{\"check_results\":true,\"rules\":[{\"pattern\":\"a\",\"effect\":\"allow\"}]}",
       "{\"id\":1}", true},
      {"{\"check_results\":true,\"rules\":[{\"pattern\":\"a\",\"effect\":\"allow\"}]}",
       "{\"id\":\"1\"}", false},
      {"{\"check_results\":true,\"rules\":[{\"pattern\":\"a\",\"effect\":\"allow\"}]}", "null",
       false},
      {"{\"rules\":[{\"pattern\":\"a\",\"effect\":\"allow\"}]}", "null", true},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    TEST_ROW(rows[i].result);
    char policy[256];
    /* A budget, so that the trace tells how the call was settled. */
    snprintf(policy, sizeof policy, "%.*s,\"max_calls\":9}]}", (int)strlen(rows[i].policy) - 3,
             rows[i].policy);
    cloche_sandbox *box = make(policy, tools);
    start(box, "ca;n");
    cloche_event event = next(box);
    CHECK_EQ(cloche_resolve(box, event.call, cloche__text(rows[i].result)), CLOCHE_OK);
    CHECK_TRACE(rows[i].fits ? "settle succeeded" : "settle failed");
    end(box);
  }
}

TEST_MAIN(TEST_ENTRY(the_handler_gets_what_the_gate_wrote_and_not_what_the_guest_sent),
          TEST_ENTRY(after_an_approval_too),
          TEST_ENTRY(a_call_is_charged_and_on_record_before_it_goes_out),
          TEST_ENTRY(an_approval_is_on_record_and_committed_before_the_call_goes_out),
          TEST_ENTRY(a_call_that_cannot_be_recorded_is_not_made_and_costs_nothing),
          TEST_ENTRY(a_run_that_cannot_be_recorded_does_not_start),
          TEST_ENTRY(an_approval_that_cannot_be_recorded_approves_nothing),
          TEST_ENTRY(a_call_that_was_approved_and_then_not_recorded_is_not_made),
          TEST_ENTRY(a_result_that_cannot_be_recorded_does_not_reach_the_guest),
          TEST_ENTRY(the_host_takes_a_label_away_on_record_or_not_at_all),
          TEST_ENTRY(a_result_that_does_not_fit_its_schema_is_an_error_where_the_policy_says_so))
