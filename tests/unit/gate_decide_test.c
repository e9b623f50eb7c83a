// SPDX-License-Identifier: MIT
/* gate_decide_test.c -- rules, budgets, order, labels, approvals, fixed parameters, schemas. */
#include "gate_help.h"

#define R(...) "{\"rules\":[" __VA_ARGS__ "]}"

TEST(without_a_policy_everything_is_denied) {
  cloche_gate *gate = gate_over(NULL, NULL);
  DENIED(gate, "a", "{}", "no_rule");
  CHECK_EQ(charge(gate, "a", "{}"), CLOCHE_DENY);
  cloche_gate_free(gate);
  gate = gate_for("{\"rules\":[]}");
  DENIED(gate, "a", "{}", "no_rule");
  cloche_gate_free(gate);
}

TEST(deny_wins_over_ask_and_ask_over_allow) {
  cloche_gate *gate = gate_for(
      R("{\"pattern\":\"a/**\",\"effect\":\"allow\"},{\"pattern\":\"a/b/**\",\"effect\":\"ask\"},"
        "{\"pattern\":\"a/b/c\",\"effect\":\"deny\",\"reason\":\"never\"}"));
  CHECK_EQ(check(gate, "a", "{}"), CLOCHE_ALLOW);
  CHECK_EQ(check(gate, "a/b", "{}"), CLOCHE_ASK);
  DENIED(gate, "a.b.c", "{}", "rule");
  CHECK_STR(decided.message, "The rule \"a/b/c\" denies it: never");
  DENIED(gate, "b", "{}", "no_rule");
  cloche_gate_free(gate);
}

TEST(case_c10_an_allow_and_an_explicit_deny_of_all) {
  cloche_gate *gate = gate_for(R("{\"pattern\":\"api.x\",\"effect\":\"allow\"}"));
  CHECK_EQ(check(gate, "api.x", "{}"), CLOCHE_ALLOW);
  DENIED(gate, "api.y", "{}", "no_rule");
  cloche_gate_free(gate);
  gate = gate_for(
      R("{\"pattern\":\"api.x\",\"effect\":\"allow\"},{\"pattern\":\"**\",\"effect\":\"deny\"}"));
  DENIED(gate, "api.x", "{}", "rule");
  DENIED(gate, "api.y", "{}", "rule");
  cloche_gate_free(gate);
}

TEST(all_spellings_of_a_name_are_one_to_every_entry_point) {
  static const char *const spellings[] = {"a/b", "a.b", "mcp:a.b", "mcp:a/b"};
  for (int p = 0; p < 4; p++) {
    char text[200];
    snprintf(text, sizeof text, R("{\"pattern\":\"%s\",\"effect\":\"allow\",\"max_calls\":4}"),
             spellings[p]);
    cloche_gate *gate = gate_for(text);
    for (int i = 0; i < 4; i++) {
      CHECK_EQ(call(gate, spellings[i], "{}"), CLOCHE_ALLOW);
      CHECK(cloche__text_equal(decided.method, cloche__text("a/b")));
    }
    DENIED(gate, "a.b", "{}", "budget");
    cloche_gate_free(gate);
  }
}

TEST(what_is_no_call_is_denied_with_its_reason) {
  cloche_gate *gate = gate_for(R("{\"pattern\":\"**\",\"effect\":\"allow\"}"));
  DENIED(gate, "a/../b", "{}", "method");
  DENIED(gate, "a", "[]", "params");
  DENIED(gate, "a", "null", "params");
  DENIED(gate, "a", "{\"a\":1,\"a\":2}", "params");
  DENIED(gate, "a", "", "params");
  CHECK_EQ(check(gate, "a", "{}"), CLOCHE_ALLOW);
  cloche_gate_free(gate);
}

TEST(an_undefined_allow_allows_nothing_and_an_undefined_deny_denies) {
  cloche_gate *gate =
      gate_for(R("{\"pattern\":\"pay\",\"effect\":\"allow\"},{\"pattern\":\"pay\",\"effect\":"
                 "\"deny\",\"where\":{\"amount\":{\">\":10000}}}"));
  CHECK_EQ(check(gate, "pay", "{\"amount\":10000}"), CLOCHE_ALLOW);
  static const char *const stopped[] = {"{\"amount\":10001}",     "{}",
                                        "{\"amount\":\"50000\"}", "{\"amount\":null}",
                                        "{\"amount\":[1]}",       "{\"amount\":true}",
                                        "{\"Amount\":1}"};
  for (size_t i = 0; i < sizeof stopped / sizeof *stopped; i++) {
    TEST_ROW(stopped[i]);
    DENIED(gate, "pay", stopped[i], "rule");
  }
  cloche_gate_free(gate);
}

/* ---- budgets ---- */

TEST(the_first_allow_with_budget_left_is_charged) {
  cloche_gate *gate =
      gate_for(R("{\"name\":\"small\",\"pattern\":\"pay\",\"effect\":\"allow\",\"where\":{"
                 "\"amount\":{\"<=\":10}},\"max_calls\":1},"
                 "{\"name\":\"any\",\"pattern\":\"pay\",\"effect\":\"allow\",\"max_calls\":2}"));
  static const char *const want[] = {"small", "any", "any"};
  for (int i = 0; i < 3; i++) {
    CHECK_EQ(call(gate, "pay", "{\"amount\":5}"), CLOCHE_ALLOW);
    CHECK(cloche__text_equal(decided.rule, cloche__text(want[i])));
  }
  DENIED(gate, "pay", "{\"amount\":5}", "budget");
  cloche_gate_free(gate);
}

TEST(two_rules_of_one_pattern_keep_their_budgets_apart) {
  cloche_gate *gate = gate_for(
      R("{\"pattern\":\"a\",\"effect\":\"allow\",\"where\":{\"k\":{\"==\":1}},\"max_calls\":1},"
        "{\"pattern\":\"a\",\"effect\":\"allow\",\"where\":{\"k\":{\"==\":2}},\"max_calls\":1}"));
  CHECK_EQ(call(gate, "a", "{\"k\":1}"), CLOCHE_ALLOW);
  DENIED(gate, "a", "{\"k\":1}", "budget");
  CHECK_EQ(call(gate, "a", "{\"k\":2}"), CLOCHE_ALLOW);
  DENIED(gate, "a", "{\"k\":2}", "budget");
  CHECK_EQ(cloche_account_calls(gate->account, cloche__text("rules/a")), 1);
  CHECK_EQ(cloche_account_calls(gate->account, cloche__text("rules/a#2")), 1);
  cloche_gate_free(gate);
}

TEST(a_shared_budget_is_charged_once_a_call_and_by_all_its_rules) {
  cloche_gate *gate = gate_for(
      "{\"budgets\":{\"b\":{\"max_calls\":3}},\"rules\":[{\"pattern\":\"x\",\"effect\":\"allow\","
      "\"budget\":[\"b\",\"b\"]},"
      "{\"pattern\":\"y\",\"effect\":\"allow\",\"budget\":\"b\"}]}");
  CHECK_EQ(call(gate, "x", "{}"), CLOCHE_ALLOW);
  CHECK_EQ(call(gate, "y", "{}"), CLOCHE_ALLOW);
  CHECK_EQ(cloche_account_calls(gate->account, cloche__text("budgets/b")), 2);
  CHECK_EQ(call(gate, "x", "{}"), CLOCHE_ALLOW);
  DENIED(gate, "y", "{}", "budget");
  cloche_gate_free(gate);
}

TEST(totals_are_exact_and_never_go_down) {
  cloche_gate *gate =
      gate_for(R("{\"pattern\":\"pay\",\"effect\":\"allow\",\"total\":{\"amount\":{\"<=\":1.0}}}"));
  for (int i = 0; i < 10; i++) CHECK_EQ(call(gate, "pay", "{\"amount\":0.1}"), CLOCHE_ALLOW);
  DENIED(gate, "pay", "{\"amount\":0.0000000001}", "budget");
  CHECK_EQ(call(gate, "pay", "{\"amount\":0}"), CLOCHE_ALLOW);
  static const char *const bad[] = {"{\"amount\":-5}",    "{}",
                                    "{\"amount\":\"1\"}", "{\"amount\":null}",
                                    "{\"amount\":1e-40}", "{\"amount\":1e80}"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    TEST_ROW(bad[i]);
    DENIED(gate, "pay", bad[i], "constraint");
  }
  cloche_gate_free(gate);
}

TEST(rates_slide_and_concurrency_comes_back) {
  cloche_gate *gate =
      gate_for(R("{\"pattern\":\"a\",\"effect\":\"allow\",\"rate\":{\"calls\":2,\"per\":\"10s\"}},{"
                 "\"pattern\":\"b\",\"effect\":\"allow\",\"max_concurrent\":1}"));
  int64_t start = (int64_t)1700000000 * SECOND;
  CHECK_EQ(charge_at(gate, "a", "{}", start), CLOCHE_ALLOW);
  CHECK_EQ(charge_at(gate, "a", "{}", start + (int64_t)5 * SECOND), CLOCHE_ALLOW);
  CHECK_EQ(charge_at(gate, "a", "{}", start + (int64_t)10 * SECOND - 1), CLOCHE_DENY);
  CHECK_EQ(charge_at(gate, "a", "{}", start + (int64_t)10 * SECOND), CLOCHE_ALLOW);
  CHECK_EQ(charge_at(gate, "a", "{}", start + (int64_t)14 * SECOND), CLOCHE_DENY);
  CHECK_EQ(charge_at(gate, "a", "{}", start), CLOCHE_DENY); /* a clock set back frees nothing */
  CHECK_EQ(charge_at(gate, "a", "{}", INT64_MAX - 1), CLOCHE_ALLOW);
  CHECK_EQ(charge(gate, "b", "{}"), CLOCHE_ALLOW);
  uint64_t open = decided.reservation;
  DENIED(gate, "b", "{}", "budget");
  settle(gate, "b", "{}", open, false);
  settle(gate, "b", "{}", open, false); /* twice is once */
  CHECK_EQ(charge(gate, "b", "{}"), CLOCHE_ALLOW);
  DENIED(gate, "b", "{}", "budget");
  cloche_gate_free(gate);
}

TEST(a_failing_call_is_refunded_only_where_a_rule_says_so) {
  cloche_gate *gate = gate_for(
      R("{\"pattern\":\"a\",\"effect\":\"allow\",\"max_calls\":1},{\"pattern\":\"b\",\"effect\":"
        "\"allow\",\"max_calls\":1,\"total\":{\"n\":{\"<=\":5}},\"refund_on_error\":true}"));
  CHECK_EQ(charge(gate, "a", "{}"), CLOCHE_ALLOW);
  settle(gate, "a", "{}", decided.reservation, false);
  DENIED(gate, "a", "{}", "budget");
  CHECK_EQ(charge(gate, "b", "{\"n\":5}"), CLOCHE_ALLOW);
  settle(gate, "b", "{}", decided.reservation, false);
  CHECK_EQ(charge(gate, "b", "{\"n\":5}"), CLOCHE_ALLOW);
  settle(gate, "b", "{}", decided.reservation, true);
  DENIED(gate, "b", "{\"n\":0}", "budget");
  cloche_gate_free(gate);
}

TEST(a_check_takes_nothing) {
  cloche_gate *gate =
      gate_for(R("{\"pattern\":\"a\",\"effect\":\"allow\",\"max_calls\":1,\"rate\":{\"calls\":1,"
                 "\"per\":\"1s\"},\"adds\":\"x\"}"));
  for (int i = 0; i < 5; i++) CHECK_EQ(check(gate, "a", "{}"), CLOCHE_ALLOW);
  CHECK_EQ(decided.reservation, 0);
  CHECK_EQ(cloche_gate_label(gate, 0).len, 0);
  CHECK_EQ(cloche_account_calls(gate->account, cloche__text("rules/a")), 0);
  cloche_gate_free(gate);
}

TEST(a_rule_expires_by_the_time_it_is_told) {
  cloche_gate *gate =
      gate_for(R("{\"pattern\":\"a\",\"effect\":\"allow\",\"expires\":\"2026-01-01\"}"));
  int64_t end = (int64_t)1767225600 * SECOND;
  CHECK_EQ(check_at(gate, "a", "{}", end - 1), CLOCHE_ALLOW);
  CHECK_EQ(check_at(gate, "a", "{}", end), CLOCHE_DENY);
  CHECK_STR(cloche_code_text(decided.code), "expired");
  cloche_gate_free(gate);
}

/* ---- asking ---- */

static const cloche_question pay = {{"pay", 3}, {"{\"n\":1}", 7}, 0};

TEST(an_ask_holds_its_budget_until_it_is_answered) {
  cloche_gate *gate =
      gate_for(R("{\"pattern\":\"pay\",\"effect\":\"ask\",\"reason\":\"money\",\"max_calls\":1,"
                 "\"adds\":\"paid\"}"));
  CHECK_EQ(charge(gate, "pay", "{\"n\":1}"), CLOCHE_ASK);
  CHECK(cloche__text_equal(decided.reason, cloche__text("money")));
  CHECK(cloche__text_equal(decided.params, cloche__text("{\"n\":1}")));
  CHECK_EQ(decided.approve_up_to, 1);
  uint64_t held = decided.reservation;
  CHECK(held != 0);
  CHECK_EQ(cloche_gate_label(gate, 0).len, 0);
  DENIED(gate, "pay", "{\"n\":1}", "budget");
  cloche_gate_release(gate, held);
  CHECK_EQ(charge(gate, "pay", "{\"n\":1}"), CLOCHE_ASK);
  held = decided.reservation;
  CHECK_EQ(cloche_gate_approve(gate, &pay, held, 0, &decided), CLOCHE_OK);
  CHECK_EQ(decided.effect, CLOCHE_ALLOW);
  CHECK_EQ(decided.reservation, held);
  CHECK(cloche__text_equal(cloche_gate_label(gate, 0), cloche__text("paid")));
  settle(gate, "pay", "{}", held, true);
  DENIED(gate, "pay", "{\"n\":1}", "budget");
  cloche_gate_free(gate);
}

TEST(two_forks_cannot_use_one_reservation) {
  cloche_gate *gate = gate_for(R("{\"pattern\":\"pay\",\"effect\":\"ask\",\"max_calls\":2}")),
              *fork = NULL;
  CHECK_EQ(charge(gate, "pay", "{\"n\":1}"), CLOCHE_ASK);
  uint64_t held = decided.reservation;
  CHECK_EQ(cloche_gate_copy(gate, &fork), CLOCHE_OK);
  CHECK_EQ(cloche_gate_approve(gate, &pay, held, 0, &decided), CLOCHE_OK);
  CHECK_EQ(decided.effect, CLOCHE_ALLOW);
  CHECK_EQ(cloche_gate_approve(fork, &pay, held, 0, &decided), CLOCHE_OK); /* charged anew */
  CHECK_EQ(decided.effect, CLOCHE_ALLOW);
  CHECK(decided.reservation != held);
  CHECK_EQ(cloche_account_calls(gate->account, cloche__text("rules/pay")), 2);
  CHECK_EQ(cloche_gate_approve(fork, &pay, held, 0, &decided), CLOCHE_OK);
  CHECK_EQ(decided.effect, CLOCHE_DENY);
  cloche_gate_release(fork, held + 1);
  cloche_gate_free(gate);
  cloche_gate_free(fork);
}

TEST(an_approval_is_decided_again) {
  cloche_gate *gate =
      gate_for(R("{\"pattern\":\"pay\",\"effect\":\"ask\",\"max_calls\":1,\"expires\":\"2026-01-"
                 "01\"},{\"pattern\":\"pay\",\"effect\":\"deny\",\"if_label\":\"untrusted\"}"));
  CHECK_EQ(charge(gate, "pay", "{\"n\":1}"), CLOCHE_ASK);
  uint64_t held = decided.reservation;
  cloche_question late = pay;
  late.now = (int64_t)1767225600 * SECOND;
  CHECK_EQ(cloche_gate_approve(gate, &late, held, 0, &decided), CLOCHE_OK);
  CHECK_EQ(decided.effect, CLOCHE_DENY);
  CHECK_EQ(decided.code, CLOCHE_CODE_EXPIRED);
  CHECK_EQ(charge(gate, "pay", "{\"n\":1}"), CLOCHE_ASK); /* its budget came back */
  held = decided.reservation;
  CHECK_EQ(cloche_gate_add_label(gate, cloche__text("untrusted")), CLOCHE_OK);
  CHECK_EQ(cloche_gate_approve(gate, &pay, held, 0, &decided), CLOCHE_OK);
  CHECK_EQ(decided.code, CLOCHE_CODE_RULE);
  cloche_gate_free(gate);
}

TEST(an_approval_can_cover_further_calls_of_the_run) {
  cloche_gate *gate = gate_for(
                  R("{\"pattern\":\"p*\",\"effect\":\"ask\",\"approve_up_to\":3},{\"pattern\":\"p*"
                    "\",\"effect\":\"ask\",\"where\":{\"n\":{\">\":100}}}")),
              *fork = NULL;
  CHECK_EQ(charge(gate, "pay", "{\"n\":1}"), CLOCHE_ASK);
  CHECK_EQ(decided.approve_up_to, 3);
  uint64_t held = decided.reservation;
  CHECK_EQ(cloche_gate_approve(gate, &pay, held, 3, &decided), CLOCHE_E_ARGUMENT);
  CHECK_EQ(cloche_gate_approve(gate, &pay, held, 2, &decided), CLOCHE_OK);
  CHECK_EQ(decided.effect, CLOCHE_ALLOW);
  CHECK_EQ(decided.reservation, held);
  CHECK_EQ(check(gate, "put", "{\"n\":1}"), CLOCHE_ASK);   /* another tool */
  CHECK_EQ(check(gate, "pay", "{\"n\":101}"), CLOCHE_ASK); /* another rule asks as well */
  CHECK_EQ(decided.approve_up_to, 1);
  CHECK_EQ(cloche_gate_copy(gate, &fork), CLOCHE_OK);
  CHECK_EQ(call(gate, "pay", "{\"n\":2}"), CLOCHE_ALLOW);
  CHECK_EQ(call(fork, "pay", "{\"n\":2}"), CLOCHE_ALLOW);
  CHECK_EQ(call(gate, "pay", "{\"n\":2}"), CLOCHE_ASK); /* the fork used the other one */
  cloche_gate_release(gate, decided.reservation);
  CHECK_EQ(charge(gate, "pay", "{\"n\":1}"), CLOCHE_ASK);
  CHECK_EQ(cloche_gate_approve(gate, &pay, decided.reservation, 1, &decided), CLOCHE_OK);
  cloche_gate_end_run(gate);
  CHECK_EQ(check(gate, "pay", "{\"n\":1}"), CLOCHE_ASK);
  cloche_gate_free(gate);
  cloche_gate_free(fork);
}

/* ---- order and labels ---- */

TEST(a_call_may_have_to_come_after_another) {
  cloche_gate *gate =
      gate_for(R("{\"pattern\":\"approval/"
                 "request\",\"effect\":\"allow\"},{\"pattern\":\"pay\",\"effect\":\"allow\","
                 "\"after\":{\"call\":\"approval/request\",\"same\":\"id\"}},"
                 "{\"pattern\":\"close\",\"effect\":\"allow\",\"after\":\"approval/"
                 "*\",\"not_after\":\"close\"}"));
  DENIED(gate, "pay", "{\"id\":1}", "order");
  DENIED(gate, "close", "{}", "order");
  CHECK_EQ(charge(gate, "approval.request", "{\"id\":1}"), CLOCHE_ALLOW);
  settle(gate, "approval/request", "{\"id\":1}", decided.reservation, false);
  DENIED(gate, "pay", "{\"id\":1}", "order"); /* it failed */
  CHECK_EQ(call(gate, "approval/request", "{\"id\":1.0}"), CLOCHE_ALLOW);
  CHECK_EQ(check(gate, "pay", "{\"id\":1}"), CLOCHE_ALLOW);
  DENIED(gate, "pay", "{\"id\":2}", "order");
  DENIED(gate, "pay", "{\"id\":\"1\"}", "order");
  DENIED(gate, "pay", "{}", "order");
  CHECK_EQ(call(gate, "close", "{}"), CLOCHE_ALLOW);
  DENIED(gate, "close", "{}", "order");
  cloche_gate_free(gate);
}

TEST(what_is_no_longer_remembered_counts_against_the_call) {
  cloche_gate *gate = gate_for(R(
      "{\"pattern\":\"open\",\"effect\":\"allow\"},{\"pattern\":\"once\",\"effect\":\"allow\","
      "\"not_after\":{\"call\":\"open\",\"same\":\"id\"}},"
      "{\"pattern\":\"then\",\"effect\":\"allow\",\"after\":{\"call\":\"open\",\"same\":\"id\"}}"));
  char params[40];
  for (int i = 0; i <= CLOCHE__HISTORY; i++) {
    snprintf(params, sizeof params, "{\"id\":%d}", i);
    CHECK_EQ(check(gate, "once", params), CLOCHE_ALLOW);
    CHECK_EQ(call(gate, "open", params), CLOCHE_ALLOW);
  }
  DENIED(gate, "once", "{\"id\":-1}", "order");
  CHECK_EQ(check(gate, "then", "{\"id\":0}"), CLOCHE_ALLOW);
  DENIED(gate, "then", params, "order");
  cloche_gate_free(gate);
}

TEST(private_data_untrusted_content_and_a_way_out_do_not_meet) {
  cloche_gate *gate =
      gate_for(R("{\"pattern\":\"mail/"
                 "read\",\"effect\":\"allow\",\"adds\":[\"untrusted\",\"private\"]},{\"pattern\":"
                 "\"web/get\",\"effect\":\"allow\",\"adds\":\"untrusted\"},"
                 "{\"pattern\":\"http/"
                 "post\",\"effect\":\"allow\",\"unless_label\":\"private\"},{\"pattern\":\"http/"
                 "post\",\"effect\":\"ask\",\"if_label\":\"untrusted\"}"));
  CHECK_EQ(call(gate, "http/post", "{}"), CLOCHE_ALLOW);
  CHECK_EQ(charge(gate, "web/get", "{}"), CLOCHE_ALLOW); /* not even settled */
  CHECK_EQ(check(gate, "http/post", "{}"), CLOCHE_ASK);
  CHECK_EQ(call(gate, "mail/read", "{}"), CLOCHE_ALLOW);
  CHECK_EQ(check(gate, "http/post", "{}"), CLOCHE_ASK);
  CHECK_EQ(cloche_gate_declassify(gate, cloche__text("untrusted")), CLOCHE_OK);
  DENIED(gate, "http/post", "{}", "label");
  CHECK_EQ(cloche_gate_declassify(gate, cloche__text("untrusted")), CLOCHE_E_UNKNOWN);
  CHECK_EQ(cloche_gate_declassify(gate, cloche__text("private")), CLOCHE_OK);
  CHECK_EQ(check(gate, "http/post", "{}"), CLOCHE_ALLOW);
  cloche_gate_free(gate);
}

TEST(a_denied_call_changes_nothing) {
  cloche_gate *gate =
      gate_for(R("{\"pattern\":\"a\",\"effect\":\"allow\",\"adds\":\"x\",\"max_calls\":5,\"where\":"
                 "{\"n\":{\"==\":1}}}"));
  char *before = NULL, *after = NULL;
  size_t len;
  CHECK_EQ(cloche_gate_save(gate, &before, &len), CLOCHE_OK);
  CHECK_EQ(charge(gate, "a", "{\"n\":2}"), CLOCHE_DENY);
  CHECK_EQ(charge(gate, "b", "{}"), CLOCHE_DENY);
  CHECK_EQ(cloche_gate_save(gate, &after, &len), CLOCHE_OK);
  CHECK(memcmp(before, after, len) == 0);
  CHECK_EQ(cloche_account_calls(gate->account, cloche__text("rules/a")), 0);
  free(before), free(after);
  cloche_gate_free(gate);
}

TEST(the_state_survives_rest_and_missing_knowledge_counts_against) {
  const char *text =
      R("{\"pattern\":\"open\",\"effect\":\"allow\",\"adds\":\"seen\"},{\"pattern\":\"pay\","
        "\"effect\":\"allow\",\"after\":{\"call\":\"open\",\"same\":\"id\"}},"
        "{\"pattern\":\"once\",\"effect\":\"allow\",\"not_after\":\"open\"},{\"pattern\":\"p*\","
        "\"effect\":\"ask\",\"where\":{\"ask\":{\"==\":1}},\"approve_up_to\":9}");
  const cloche_policy *policy = load(text);
  cloche_account *account = NULL;
  CHECK_EQ(cloche_account_new(NULL, &account), CLOCHE_OK);
  cloche_gate *gate = gate_over(policy, account), *again = NULL;
  CHECK_EQ(call(gate, "open", "{\"id\":\"q\"}"), CLOCHE_ALLOW);
  char *saved = NULL;
  size_t len;
  CHECK_EQ(cloche_gate_save(gate, &saved, &len), CLOCHE_OK);
  CHECK_EQ(cloche_gate_restore(policy, account, (cloche_text){saved, len}, &again), CLOCHE_OK);
  CHECK(cloche__text_equal(cloche_gate_label(again, 0), cloche__text("seen")));
  DENIED(again, "pay", "{\"id\":\"r\",\"ask\":0}", "order");
  DENIED(again, "once", "{}", "order");
  CHECK_EQ(check(again, "pay", "{\"id\":\"q\",\"ask\":0}"), CLOCHE_ALLOW);
  cloche_gate_free(again);
  /* A policy that wants to know more: what was not watched for is not known not to have been. */
  const cloche_policy *other =
      load(R("{\"pattern\":\"x\",\"effect\":\"allow\",\"not_after\":\"other\"}"));
  CHECK_EQ(cloche_gate_restore(other, account, (cloche_text){saved, len}, &again), CLOCHE_OK);
  DENIED(again, "x", "{}", "order");
  cloche_gate_free(again);
  static const char *const bad[] = {
      "",
      "{}",
      "{\"cloche_gate\":2,\"labels\":[],\"watches\":[],\"grants\":[]}",
      "{\"cloche_gate\":1,\"labels\":[1],\"watches\":[],\"grants\":[]}",
      "{\"cloche_gate\":1,\"labels\":[],\"watches\":[],\"grants\":[{}]}",
      "{\"cloche_gate\":1,\"labels\":[],\"watches\":{},\"grants\":[]}"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    TEST_ROW(bad[i]);
    CHECK_EQ(cloche_gate_restore(policy, account, cloche__text(bad[i]), &again), CLOCHE_E_FORMAT);
  }
  free(saved);
  cloche_gate_free(gate);
  cloche_policy_free(policy);
  cloche_policy_free(other);
  cloche_account_free(account);
}

TEST(an_account_survives_rest_with_what_is_held) {
  const cloche_policy *policy =
      load(R("{\"pattern\":\"pay\",\"effect\":\"ask\",\"max_calls\":2,\"total\":{\"n\":{\"<=\":5}},"
             "\"rate\":{\"calls\":2,\"per\":\"1h\"}},{\"pattern\":\"run\",\"effect\":\"allow\","
             "\"max_concurrent\":1,\"max_calls\":2}"));
  cloche_gate *gate = gate_over(policy, NULL);
  CHECK_EQ(charge(gate, "run", "{}"), CLOCHE_ALLOW);
  CHECK_EQ(charge(gate, "pay", "{\"n\":1}"), CLOCHE_ASK);
  uint64_t held = decided.reservation;
  char *saved = NULL, *again = NULL;
  size_t len, len_again;
  cloche_account *account = NULL;
  CHECK_EQ(cloche_account_save(gate->account, &saved, &len), CLOCHE_OK);
  CHECK_EQ(cloche_account_restore((cloche_text){saved, len}, &account), CLOCHE_OK);
  CHECK_EQ(cloche_account_save(account, &again, &len_again), CLOCHE_OK);
  CHECK(len == len_again && memcmp(saved, again, len) == 0);
  cloche_gate *resumed = gate_over(policy, account);
  CHECK_EQ(charge(resumed, "run", "{}"), CLOCHE_ALLOW); /* the first one ended with its process */
  DENIED(resumed, "pay", "{\"n\":5}", "budget");
  CHECK_EQ(cloche_gate_approve(resumed, &pay, held, 0, &decided), CLOCHE_OK);
  CHECK_EQ(decided.effect, CLOCHE_ALLOW);
  CHECK_EQ(decided.reservation, held);
  CHECK_EQ(charge(resumed, "pay", "{\"n\":4}"), CLOCHE_ASK);
  CHECK(decided.reservation != held);
  DENIED(resumed, "pay", "{\"n\":0}", "budget");
  cloche_gate_free(gate), cloche_gate_free(resumed);
  cloche_account_free(account);
  static const char *const bad[] = {
      "",
      "{}",
      "{\"cloche_account\":1,\"entries\":[{}],\"held\":[]}",
      "{\"cloche_account\":1,\"entries\":[],\"held\":[{\"id\":\"x\",\"charges\":[]}]}",
      "{\"cloche_account\":1,\"entries\":[],\"held\":[{\"id\":\"1048577\",\"charges\":[]},{\"id\":"
      "\"2097153\",\"charges\":[]}]}",
      "{\"cloche_account\":1,\"entries\":[{\"key\":\"a\",\"calls\":-1,\"total\":\"0\",\"times\":[]}"
      "],\"held\":[]}"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    TEST_ROW(bad[i]);
    CHECK_EQ(cloche_account_restore(cloche__text(bad[i]), &account), CLOCHE_E_FORMAT);
  }
  free(saved), free(again);
  cloche_policy_free(policy);
}

/* ---- fixed parameters, closed rules, schemas ---- */

static const char tools[] =
    "[{\"name\":\"pay.send\",\"input_schema\":{\"type\":\"object\",\"properties\":{\"tenant\":{"
    "\"type\":\"string\"},\"amount\":{\"type\":\"integer\",\"minimum\":1},"
    "\"opts\":{\"type\":\"object\",\"properties\":{\"dry\":{\"type\":\"boolean\"},\"note\":{"
    "\"type\":\"string\"}},\"required\":[\"dry\"],\"additionalProperties\":false}},"
    "\"required\":[\"tenant\",\"amount\"],\"additionalProperties\":false}},{\"name\":\"list\"}]";

TEST(a_rule_sets_what_the_program_must_not_send) {
  const cloche_policy *policy =
      load_with(R("{\"pattern\":\"pay/"
                  "send\",\"effect\":\"allow\",\"where\":{\"amount\":{\"<=\":10}},\"set\":{"
                  "\"tenant\":\"acme\",\"opts/dry\":true}}"),
                tools);
  cloche_gate *gate = gate_over(policy, NULL);
  CHECK_EQ(check(gate, "pay.send", "{\"amount\":5}"), CLOCHE_ALLOW);
  CHECK(cloche__text_equal(
      decided.params, cloche__text("{\"amount\":5,\"tenant\":\"acme\",\"opts\":{\"dry\":true}}")));
  CHECK_EQ(check(gate, "pay.send", "{\"opts\":{\"note\":\"x\"},\"amount\":5}"), CLOCHE_ALLOW);
  CHECK(cloche__text_equal(
      decided.params,
      cloche__text("{\"opts\":{\"note\":\"x\",\"dry\":true},\"amount\":5,\"tenant\":\"acme\"}")));
  DENIED(gate, "pay.send", "{\"amount\":5,\"tenant\":\"acme\"}", "fixed");
  DENIED(gate, "pay.send", "{\"amount\":5,\"tenant\":null}", "fixed");
  DENIED(gate, "pay.send", "{\"amount\":5,\"opts\":{\"dry\":true}}", "fixed");
  DENIED(gate, "pay.send", "{\"amount\":5,\"opts\":5}", "fixed");
  DENIED(gate, "pay.send", "{\"amount\":50}", "constraint");
  DENIED(gate, "pay.send", "{}", "schema");
  cloche_gate_free(gate);
  cloche_policy_free(policy);
  policy =
      load_with(R("{\"pattern\":\"pay/send\",\"effect\":\"allow\",\"set\":{\"tenant\":5}}"), tools);
  gate = gate_over(policy, NULL);
  DENIED(gate, "pay.send", "{\"amount\":5}",
         "schema"); /* the final arguments are validated in full */
  CHECK_STR(decided.param, "tenant");
  cloche_gate_free(gate);
  cloche_policy_free(policy);
}

TEST(a_schema_speaks_first_and_says_what_to_change) {
  const cloche_policy *policy = load_with(R("{\"pattern\":\"**\",\"effect\":\"allow\"}"), tools);
  cloche_gate *gate = gate_over(policy, NULL);
  static const struct {
    const char *params, *message;
  } rows[] = {
      {"{\"tenant\":\"a\",\"amont\":5}",
       "pay/send has no parameter \"amont\"; did you mean \"amount\"?"},
      {"{\"tenant\":\"a\",\"amount\":5,\"zzzz\":1}", "pay/send has no parameter \"zzzz\"."},
      {"{\"tenant\":\"a\"}", "pay/send needs the parameter \"amount\"."},
      {"{\"tenant\":\"a\",\"amount\":\"5\"}",
       "pay/send: \"amount\" has to be integer, and is of type string."},
      {"{\"tenant\":\"a\",\"amount\":0}",
       "pay/send: \"amount\" has to be at least 1, and is of type number."},
      {"{\"tenant\":\"a\",\"amount\":1,\"opts\":{}}", "pay/send needs the parameter \"opts/dry\"."},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    TEST_ROW(rows[i].params);
    DENIED(gate, "pay/send", rows[i].params, "schema");
    CHECK_STR(decided.message, rows[i].message);
  }
  DENIED(gate, "pay/sned", "{}", "tool");
  CHECK_STR(decided.message, "There is no tool \"pay/sned\"; did you mean \"pay/send\"?");
  CHECK_EQ(check(gate, "list", "{\"any\":1}"), CLOCHE_ALLOW);
  cloche_gate_free(gate);
  cloche_policy_free(policy);
}

TEST(a_closed_rule_takes_only_what_it_mentions) {
  cloche_gate *gate =
      gate_for(R("{\"pattern\":\"a\",\"effect\":\"allow\",\"closed\":true,\"where\":{\"x\":{\"==\":"
                 "1},\"or\":[{\"y/z\":{\"==\":2}},{\"w\":{\"not_exists\":true}}]}},"
                 "{\"pattern\":\"b\",\"effect\":\"ask\",\"closed\":true,\"where\":{\"x\":{"
                 "\"exists\":true}}},{\"pattern\":\"b\",\"effect\":\"allow\"}"));
  CHECK_EQ(check(gate, "a", "{\"x\":1,\"y\":{}}"), CLOCHE_ALLOW);
  DENIED(gate, "a", "{\"x\":1,\"extra\":1}", "closed");
  CHECK_STR(decided.param, "extra");
  CHECK_EQ(check(gate, "b", "{\"x\":1}"), CLOCHE_ASK);
  DENIED(gate, "b", "{\"x\":1,\"extra\":1}", "closed");
  CHECK_EQ(check(gate, "b", "{\"extra\":1}"), CLOCHE_ALLOW);
  cloche_gate_free(gate);
}

/* ---- restriction ---- */

TEST(a_restriction_allows_only_what_both_do_and_charges_both) {
  const cloche_policy *parent =
      load(R("{\"pattern\":\"a/**\",\"effect\":\"allow\",\"max_calls\":2},{\"pattern\":\"a/"
             "ask\",\"effect\":\"ask\"}"));
  const cloche_policy *child =
      load(R("{\"pattern\":\"a/"
             "**\",\"effect\":\"allow\",\"where\":{\"n\":{\"<\":5}},\"max_calls\":3},{\"pattern\":"
             "\"b\",\"effect\":\"allow\"}"));
  cloche_policy *both = NULL;
  cloche_account *account = NULL;
  CHECK_EQ(cloche_account_new(NULL, &account), CLOCHE_OK);
  CHECK_EQ(cloche_policy_restrict(parent, child, &both), CLOCHE_OK);
  cloche_gate *whole = gate_over(parent, account), *gate = gate_over(both, account);
  cloche_policy_free(child), cloche_policy_free(both);
  DENIED(gate, "b", "{}", "no_rule");
  DENIED(gate, "a/x", "{\"n\":5}", "constraint");
  CHECK_EQ(check(gate, "a/ask", "{\"n\":1}"), CLOCHE_ASK);
  CHECK_EQ(call(gate, "a/x", "{\"n\":1}"), CLOCHE_ALLOW);
  CHECK_EQ(cloche_account_calls(account, cloche__text("rules/a/**")), 1);
  CHECK_EQ(cloche_account_calls(account, cloche__text("1:rules/a/**")), 1);
  CHECK_EQ(call(whole, "a/x", "{}"), CLOCHE_ALLOW);
  DENIED(gate, "a/x", "{\"n\":1}", "budget");
  DENIED(whole, "a/x", "{}", "budget");
  cloche_gate_free(gate), cloche_gate_free(whole);
  cloche_policy_free(parent);
  cloche_account_free(account);
}

TEST(what_a_child_sets_is_seen_by_its_parent) {
  const cloche_policy *parent = load(
      R("{\"pattern\":\"a\",\"effect\":\"allow\",\"where\":{\"n\":{\"<=\":5}},\"set\":{\"t\":1}}"));
  cloche_policy *both = NULL;
  static const struct {
    const char *set;
    int effect;
    const char *code, *params;
  } rows[] = {{"{\"n\":5}", CLOCHE_ALLOW, "allowed", "{\"n\":5,\"t\":1}"},
              {"{\"n\":6}", CLOCHE_DENY, "constraint", ""},
              {"{\"n\":5,\"t\":2}", CLOCHE_DENY, "fixed", ""}};
  for (size_t i = 0; i < 3; i++) {
    char text[200];
    TEST_ROW(rows[i].set);
    snprintf(text, sizeof text, R("{\"pattern\":\"a\",\"effect\":\"allow\",\"set\":%s}"),
             rows[i].set);
    const cloche_policy *child = load(text);
    CHECK_EQ(cloche_policy_restrict(parent, child, &both), CLOCHE_OK);
    cloche_gate *gate = gate_over(both, NULL);
    CHECK_EQ(check(gate, "a", "{}"), rows[i].effect);
    CHECK_STR(cloche_code_text(decided.code), rows[i].code);
    CHECK(cloche__text_equal(decided.params, cloche__text(rows[i].params)));
    cloche_gate_free(gate);
    cloche_policy_free(child), cloche_policy_free(both);
  }
  cloche_policy_free(parent);
}

TEST(restrictions_stack_up_to_a_bound) {
  const cloche_policy *one = load(R("{\"pattern\":\"a\",\"effect\":\"allow\",\"max_calls\":1}"));
  cloche_policy *stack = NULL, *next = NULL;
  CHECK_EQ(cloche_policy_restrict(one, one, &stack), CLOCHE_OK);
  for (int i = 2; i < CLOCHE__LAYERS; i++) {
    CHECK_EQ(cloche_policy_restrict(stack, one, &next), CLOCHE_OK);
    cloche_policy_free(stack);
    stack = next;
  }
  CHECK_EQ(cloche_policy_restrict(stack, one, &next), CLOCHE_E_LIMIT);
  cloche_gate *gate = gate_over(stack, NULL);
  CHECK_EQ(call(gate, "a", "{}"), CLOCHE_ALLOW);
  DENIED(gate, "a", "{}", "budget");
  cloche_gate_free(gate);
  cloche_policy_free(stack), cloche_policy_free(one);
}

/* ---- explaining ---- */

TEST(a_denial_names_what_to_change_but_not_the_threshold) {
  cloche_gate *gate =
      gate_for(R("{\"name\":\"small\",\"pattern\":\"pay\",\"effect\":\"allow\",\"where\":{"
                 "\"amount\":{\"<=\":12345},\"currency\":{\"in\":[\"USD\"]}}},"
                 "{\"name\":\"open\",\"pattern\":\"buy\",\"effect\":\"allow\",\"explain\":true,"
                 "\"where\":{\"amount\":{\"<=\":12345}}}"));
  DENIED(gate, "pay", "{\"amount\":99999,\"currency\":\"USD\"}", "constraint");
  CHECK_STR(decided.message,
            "\"amount\", of type number, does not meet the rule \"small\", which asks for at most "
            "a certain "
            "number.");
  CHECK_STR(decided.param, "amount");
  CHECK_STR(decided.got, "number");
  CHECK(strstr(decided.expected, "12345") == NULL);
  DENIED(gate, "pay", "{\"amount\":\"secret-value\",\"currency\":\"USD\"}", "constraint");
  CHECK(strstr(decided.message, "secret-value") == NULL &&
        strstr(decided.message, "12345") == NULL);
  DENIED(gate, "pay", "{\"currency\":\"USD\"}", "constraint");
  CHECK_STR(decided.message, "\"amount\" is missing, and the rule \"small\" constrains it.");
  DENIED(gate, "buy", "{\"amount\":99999}", "constraint");
  CHECK_STR(decided.expected, "<= 12345");
  CHECK_STR(decided.message,
            "\"amount\", of type number, does not meet the rule \"open\": <= 12345.");
  cloche_gate_free(gate);
}

TEST(the_nearest_rule_is_the_one_explained) {
  cloche_gate *gate =
      gate_for(R("{\"name\":\"far\",\"pattern\":\"**\",\"effect\":\"allow\",\"where\":{\"a\":{\"=="
                 "\":1},\"b\":{\"==\":1},\"c\":{\"==\":1}}},"
                 "{\"name\":\"near\",\"pattern\":\"x\",\"effect\":\"allow\",\"where\":{\"a\":{\"=="
                 "\":1},\"b\":{\"==\":2}}}"));
  DENIED(gate, "x", "{\"a\":1,\"b\":3}", "constraint");
  CHECK(cloche__text_equal(decided.rule, cloche__text("near")));
  CHECK_STR(decided.param, "b");
  cloche_gate_free(gate);
}

TEST_MAIN(TEST_ENTRY(without_a_policy_everything_is_denied),
          TEST_ENTRY(deny_wins_over_ask_and_ask_over_allow),
          TEST_ENTRY(case_c10_an_allow_and_an_explicit_deny_of_all),
          TEST_ENTRY(all_spellings_of_a_name_are_one_to_every_entry_point),
          TEST_ENTRY(what_is_no_call_is_denied_with_its_reason),
          TEST_ENTRY(an_undefined_allow_allows_nothing_and_an_undefined_deny_denies),
          TEST_ENTRY(the_first_allow_with_budget_left_is_charged),
          TEST_ENTRY(two_rules_of_one_pattern_keep_their_budgets_apart),
          TEST_ENTRY(a_shared_budget_is_charged_once_a_call_and_by_all_its_rules),
          TEST_ENTRY(totals_are_exact_and_never_go_down),
          TEST_ENTRY(rates_slide_and_concurrency_comes_back),
          TEST_ENTRY(a_failing_call_is_refunded_only_where_a_rule_says_so),
          TEST_ENTRY(a_check_takes_nothing), TEST_ENTRY(a_rule_expires_by_the_time_it_is_told),
          TEST_ENTRY(an_ask_holds_its_budget_until_it_is_answered),
          TEST_ENTRY(two_forks_cannot_use_one_reservation),
          TEST_ENTRY(an_approval_is_decided_again),
          TEST_ENTRY(an_approval_can_cover_further_calls_of_the_run),
          TEST_ENTRY(a_call_may_have_to_come_after_another),
          TEST_ENTRY(what_is_no_longer_remembered_counts_against_the_call),
          TEST_ENTRY(private_data_untrusted_content_and_a_way_out_do_not_meet),
          TEST_ENTRY(a_denied_call_changes_nothing),
          TEST_ENTRY(the_state_survives_rest_and_missing_knowledge_counts_against),
          TEST_ENTRY(an_account_survives_rest_with_what_is_held),
          TEST_ENTRY(a_rule_sets_what_the_program_must_not_send),
          TEST_ENTRY(a_schema_speaks_first_and_says_what_to_change),
          TEST_ENTRY(a_closed_rule_takes_only_what_it_mentions),
          TEST_ENTRY(a_restriction_allows_only_what_both_do_and_charges_both),
          TEST_ENTRY(what_a_child_sets_is_seen_by_its_parent),
          TEST_ENTRY(restrictions_stack_up_to_a_bound),
          TEST_ENTRY(a_denial_names_what_to_change_but_not_the_threshold),
          TEST_ENTRY(the_nearest_rule_is_the_one_explained))
