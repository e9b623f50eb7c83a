// SPDX-License-Identifier: MIT
/* null_test.c -- every public function is given NULL where it wants something, and its messages are
 * about the last error only. */
#include <string.h>

#include "cloche.h"
#include "json/buffer.h"
#include "test.h"

#define REFUSED(call) CHECK_EQ(call, CLOCHE_E_ARGUMENT)

static const cloche_text none = {NULL, 0}, some = {"a", 1};

static cloche_engine *engine;
static cloche_policy *policy;
static cloche_account *account;
static cloche_gate *gate;
static cloche_sandbox *box;

static void make_all(void) {
  cloche_sandbox_options options = {0};
  CHECK_EQ(cloche_engine_new(NULL, &engine), CLOCHE_OK);
  CHECK_EQ(cloche_policy_load(cloche__text("{\"rules\":[]}"), none, &policy, NULL), CLOCHE_OK);
  CHECK_EQ(cloche_account_new(NULL, &account), CLOCHE_OK);
  CHECK_EQ(cloche_gate_new(policy, NULL, &gate), CLOCHE_OK);
  options.policy = policy;
  CHECK_EQ(cloche_sandbox_new(engine, &options, &box), CLOCHE_OK);
}

static void free_all(void) {
  cloche_sandbox_free(box);
  cloche_gate_free(gate);
  cloche_account_free(account);
  cloche_policy_free(policy);
  cloche_engine_free(engine);
}

TEST(null_is_refused_by_policies_drafts_and_accounts) {
  char *bytes;
  size_t len;
  make_all();
  REFUSED(cloche_engine_new(NULL, NULL));
  CHECK_STR(cloche_engine_image(NULL), "");
  REFUSED(cloche_policy_load(cloche__text("{\"rules\":[]}"), none, NULL, NULL));
  REFUSED(cloche_policy_restrict(NULL, policy, &policy));
  REFUSED(cloche_policy_restrict(policy, NULL, &policy));
  REFUSED(cloche_policy_restrict(policy, policy, NULL));
  CHECK(!cloche_policy_covers(NULL, policy));
  CHECK(!cloche_policy_covers(policy, NULL));
  REFUSED(cloche_policy_tools(NULL, cloche__text("[]"), &bytes, &len));
  REFUSED(cloche_policy_tools(policy, cloche__text("[]"), NULL, &len));
  REFUSED(cloche_policy_tools(policy, cloche__text("[]"), &bytes, NULL));
  REFUSED(cloche_policy_lint(NULL, 0, false, &bytes, &len, NULL));
  REFUSED(cloche_policy_lint(policy, 0, false, NULL, &len, NULL));
  REFUSED(cloche_policy_lint(policy, 0, false, &bytes, NULL, NULL));
  REFUSED(cloche_policy_save(NULL, &bytes, &len));
  REFUSED(cloche_policy_save(policy, NULL, &len));
  REFUSED(cloche_policy_save(policy, &bytes, NULL));
  REFUSED(cloche_draft_new(NULL));
  cloche_draft_rule(NULL, some, CLOCHE_ALLOW);
  cloche_draft_where(NULL, some, some, some);
  cloche_draft_field(NULL, some, some);
  cloche_draft_budget(NULL, some, some);
  REFUSED(cloche_draft_load(NULL, none, &policy, NULL));
  cloche_draft *draft;
  CHECK_EQ(cloche_draft_new(&draft), CLOCHE_OK);
  REFUSED(cloche_draft_load(draft, none, NULL, NULL));
  cloche_draft_free(draft);
  REFUSED(cloche_account_new(NULL, NULL));
  REFUSED(cloche_account_file(NULL, &account));
  REFUSED(cloche_account_file("a", NULL));
  CHECK_EQ(cloche_account_id(NULL).len, 0);
  REFUSED(cloche_account_save(NULL, &bytes, &len));
  REFUSED(cloche_account_save(account, NULL, &len));
  REFUSED(cloche_account_save(account, &bytes, NULL));
  REFUSED(cloche_account_restore(some, NULL));
  CHECK_EQ(cloche_account_calls(NULL, some), 0);
  free_all();
}

TEST(null_is_refused_by_gates_and_ledgers) {
  char *bytes;
  size_t len;
  make_all();
  cloche_decision decision;
  cloche_question question = {.method = some, .params = cloche__text("{}")};
  REFUSED(cloche_gate_new(policy, NULL, NULL));
  REFUSED(cloche_gate_copy(NULL, &gate));
  REFUSED(cloche_gate_copy(gate, NULL));
  REFUSED(cloche_gate_check(NULL, &question, &decision));
  REFUSED(cloche_gate_check(gate, NULL, &decision));
  REFUSED(cloche_gate_check(gate, &question, NULL));
  REFUSED(cloche_gate_charge(NULL, &question, &decision));
  REFUSED(cloche_gate_charge(gate, NULL, &decision));
  REFUSED(cloche_gate_charge(gate, &question, NULL));
  REFUSED(cloche_gate_approve(NULL, &question, 1, 0, &decision));
  REFUSED(cloche_gate_approve(gate, NULL, 1, 0, &decision));
  REFUSED(cloche_gate_approve(gate, &question, 1, 0, NULL));
  cloche_gate_release(NULL, 1);
  REFUSED(cloche_gate_settle(NULL, 1, some, none, true));
  cloche_gate_end_run(NULL);
  CHECK_EQ(cloche_gate_label(NULL, 0).len, 0);
  REFUSED(cloche_gate_add_label(NULL, some));
  REFUSED(cloche_gate_declassify(NULL, some));
  REFUSED(cloche_gate_save(NULL, &bytes, &len));
  REFUSED(cloche_gate_save(gate, NULL, &len));
  REFUSED(cloche_gate_save(gate, &bytes, NULL));
  REFUSED(cloche_gate_restore(policy, NULL, some, NULL));
  REFUSED(cloche_gate_report(NULL, &question, false, &decision, &bytes, &len));
  REFUSED(cloche_gate_report(gate, NULL, false, &decision, &bytes, &len));
  REFUSED(cloche_gate_report(gate, &question, false, NULL, &bytes, &len));
  REFUSED(cloche_gate_report(gate, &question, false, &decision, NULL, &len));
  REFUSED(cloche_gate_report(gate, &question, false, &decision, &bytes, NULL));
  cloche_ledger *ledger;
  cloche_ledger_report report;
  static const cloche_ledger_sink sink = {0};
  REFUSED(cloche_ledger_new(NULL, NULL, &ledger));
  REFUSED(cloche_ledger_new(&sink, NULL, &ledger));
  REFUSED(cloche_ledger_new(&sink, NULL, NULL));
  REFUSED(cloche_ledger_file(NULL, NULL, &ledger));
  REFUSED(cloche_ledger_file("a", NULL, NULL));
  REFUSED(cloche_ledger_state(NULL, NULL));
  REFUSED(cloche_ledger_verify(NULL, NULL, &report));
  REFUSED(cloche_ledger_verify("a", NULL, NULL));
  free_all();
}

TEST(null_is_refused_by_sandboxes) {
  make_all();
  cloche_event event;
  cloche_program program = {.text = some};
  cloche_failure failure = {some, none};
  REFUSED(cloche_sandbox_new(NULL, NULL, &box));
  REFUSED(cloche_sandbox_new(engine, NULL, NULL));
  CHECK_EQ(cloche_sandbox_walls(NULL), 0);
  REFUSED(cloche_exec(NULL, &program));
  REFUSED(cloche_exec(box, NULL));
  REFUSED(cloche_step(NULL, &event));
  REFUSED(cloche_step(box, NULL));
  REFUSED(cloche_resolve(NULL, 1, some));
  REFUSED(cloche_reject(NULL, 1, &failure));
  REFUSED(cloche_reject(box, 1, NULL));
  REFUSED(cloche_approve(NULL, 1, NULL));
  REFUSED(cloche_deny(NULL, 1, some));
  REFUSED(cloche_once(NULL, 1));
  cloche_cancel(NULL);
  CHECK(cloche_sandbox_gate(NULL) == NULL);
  REFUSED(cloche_classify(NULL, some, some));
  REFUSED(cloche_declassify(NULL, some, some));
  CHECK(cloche_sandbox_result(NULL) == NULL);
  CHECK_EQ(cloche_sandbox_usage(NULL).calls, 0);
  CHECK(!cloche_javascript_has(none));
  free_all();
}

TEST(null_is_refused_where_files_and_snapshots_are_handled) {
  make_all();
  char *bytes;
  size_t len;
  cloche_file *file;
  const cloche_change *changes;
  cloche_sandbox *other;
  cloche_text path = {"/workspace/a", 12};
  REFUSED(cloche_file_put(NULL, path, some));
  REFUSED(cloche_file_get(NULL, path, &bytes, &len));
  REFUSED(cloche_file_get(box, path, NULL, &len));
  REFUSED(cloche_file_get(box, path, &bytes, NULL));
  REFUSED(cloche_file_stat(NULL, path, &file));
  REFUSED(cloche_file_stat(box, path, NULL));
  REFUSED(cloche_file_list(NULL, path, &file, &len));
  REFUSED(cloche_file_list(box, path, NULL, &len));
  REFUSED(cloche_file_list(box, path, &file, NULL));
  REFUSED(cloche_file_mkdir(NULL, path));
  REFUSED(cloche_file_remove(NULL, path));
  REFUSED(cloche_file_export(NULL, path, &bytes, &len));
  REFUSED(cloche_file_export(box, path, NULL, &len));
  REFUSED(cloche_file_export(box, path, &bytes, NULL));
  REFUSED(cloche_file_import(NULL, path, some));
  CHECK_EQ(cloche_file_errno(NULL), 0);
  REFUSED(cloche_sandbox_changes(NULL, &changes, &len));
  REFUSED(cloche_sandbox_changes(box, NULL, &len));
  REFUSED(cloche_sandbox_changes(box, &changes, NULL));
  REFUSED(cloche_snapshot(NULL, NULL, &bytes, &len));
  REFUSED(cloche_snapshot(box, NULL, NULL, &len));
  REFUSED(cloche_snapshot(box, NULL, &bytes, NULL));
  REFUSED(cloche_restore(NULL, some, NULL, &other));
  REFUSED(cloche_restore(engine, some, NULL, NULL));
  REFUSED(cloche_fork(NULL, some, &other));
  REFUSED(cloche_fork(box, some, NULL));
  REFUSED(cloche_park(NULL));
  REFUSED(cloche_checkpoint(NULL, some));
  REFUSED(cloche_rollback(NULL, some));
  REFUSED(cloche_checkpoint_drop(NULL, some));
  REFUSED(cloche_snapshot_info(some, NULL, NULL, &len));
  REFUSED(cloche_snapshot_info(some, NULL, &bytes, NULL));
  REFUSED(cloche_sandbox_mount(NULL, &(cloche_mount){"/tmp", path, false}));
  REFUSED(cloche_sandbox_mount(box, NULL));
  REFUSED(cloche_sandbox_mount(box, &(cloche_mount){NULL, path, false}));
  free_all();
}

TEST(a_message_is_about_the_last_error) {
  make_all();
  cloche_event event;
  cloche_program program = {.text = {"v", 1}}, nonsense = {.language = (cloche_language)7};
  CHECK_EQ(cloche_step(box, &event), CLOCHE_E_STATE);
  CHECK_STR(cloche_sandbox_message(box), "no run is under way");
  CHECK_EQ(cloche_file_mkdir(box, cloche__text("relative")), CLOCHE_E_ARGUMENT);
  CHECK(strstr(cloche_sandbox_message(box), "a path starts with") != NULL);
  CHECK_EQ(cloche_resolve(box, 1, some), CLOCHE_E_UNKNOWN);
  CHECK(strstr(cloche_sandbox_message(box), "no call") != NULL);
  CHECK_EQ(cloche_exec(box, &nonsense), CLOCHE_E_ARGUMENT);
  CHECK(strstr(cloche_sandbox_message(box), "language") != NULL);
  CHECK_EQ(cloche_declassify(box, some, some), CLOCHE_E_UNKNOWN);
  CHECK(strstr(cloche_sandbox_message(box), "label") != NULL);
  CHECK_EQ(cloche_exec(box, &program), CLOCHE_OK);
  CHECK_STR(cloche_sandbox_message(box), "");
  CHECK_EQ(cloche_exec(box, &program), CLOCHE_E_STATE);
  CHECK(strstr(cloche_sandbox_message(box), "under way") != NULL);
  CHECK_EQ(cloche_step(box, &event), CLOCHE_OK);
  CHECK_STR(cloche_sandbox_message(box), "");
  free_all();
}

TEST_MAIN(TEST_ENTRY(null_is_refused_by_policies_drafts_and_accounts),
          TEST_ENTRY(null_is_refused_by_gates_and_ledgers),
          TEST_ENTRY(null_is_refused_by_sandboxes),
          TEST_ENTRY(null_is_refused_where_files_and_snapshots_are_handled),
          TEST_ENTRY(a_message_is_about_the_last_error))
