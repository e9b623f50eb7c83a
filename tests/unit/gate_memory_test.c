// SPDX-License-Identifier: MIT
/* gate_memory_test.c -- each allocation failed in turn, and the way of a decision without any.
 *
 * The C library's functions are replaced in this program; sanitizers replace them too, so under
 * them there is nothing to see here. */
#include <errno.h>

#include "gate_help.h"
#include "ledger/ledger.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define REPLACED 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define REPLACED 0
#endif
#endif
#ifndef REPLACED
#define REPLACED 1
#endif

static long taken, live, fail_at = -1; /* allocations so far; not yet freed; the one that fails */

#if REPLACED
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void __libc_free(void *old);

static bool refused(void) {
  if (taken++ != fail_at) return false;
  errno = ENOMEM;
  return true;
}
void *malloc(size_t size) {
  void *made = refused() ? NULL : __libc_malloc(size);
  live += made != NULL;
  return made;
}
void *calloc(size_t count, size_t size) {
  void *made = refused() ? NULL : __libc_calloc(count, size);
  live += made != NULL;
  return made;
}
void *realloc(void *old, size_t size) {
  void *made = refused() ? NULL : __libc_realloc(old, size);
  live += made != NULL && old == NULL;
  return made;
}
void free(void *old) {
  live -= old != NULL;
  __libc_free(old);
}
#endif

static const char policy_text[] =
    "{\"name\":\"p\",\"budgets\":{\"b\":{\"total\":{\"n\":{\"<=\":100}},\"rate\":{\"calls\":50,"
    "\"per\":\"1h\"}}},\"secrets\":{\"**\":\"key\"},\"rules\":["
    "{\"pattern\":\"pay\",\"effect\":\"allow\",\"where\":{\"n\":{\"<=\":10},\"id\":{\"matches\":\"["
    "a-z]+\"},\"u\":{\"url\":{\"host\":\"a.example\"},\"optional\":true}},\"budget\":\"b\",\"set\":"
    "{\"t/x\":1},\"adds\":\"l\"},"
    "{\"pattern\":\"pay\",\"effect\":\"allow\",\"max_calls\":3,\"after\":{\"call\":\"pay\","
    "\"same\":\"id\"}},{\"pattern\":\"big\",\"effect\":\"ask\",\"approve_up_to\":3,\"max_calls\":9}"
    "]}";
static const char tools_text[] =
    "[{\"name\":\"pay\",\"input_schema\":{\"type\":\"object\",\"properties\":{\"n\":{\"$ref\":\"#/"
    "$defs/"
    "n\"},\"id\":{\"type\":\"string\",\"pattern\":\"a\"}},\"$defs\":{\"n\":{\"anyOf\":[{\"type\":"
    "\"integer\"},{\"type\":\"null\"}]}}}},{\"name\":\"big\"}]";
static const cloche_question pay = {{"pay", 3}, {"{\"n\":5,\"id\":\"abc\"}", 18}, 0},
                             big = {{"big", 3}, {"{}", 2}, 0};

/* A life of a policy, its gate and its account; the first error ends it. */
static cloche_status live_once(void) {
  cloche_policy *policy = NULL, *both = NULL;
  cloche_gate *gate = NULL, *fork = NULL, *again = NULL;
  cloche_account *restored = NULL;
  cloche_decision decision;
  char *saved = NULL, *account = NULL, *text = NULL;
  size_t len, account_len, text_len;
  cloche_status status =
      cloche_policy_load(cloche__text(policy_text), cloche__text(tools_text), &policy, NULL);
  if (status == CLOCHE_OK) status = cloche_policy_restrict(policy, policy, &both);
  if (status == CLOCHE_OK) status = cloche_gate_new(policy, NULL, &gate);
  if (status == CLOCHE_OK) status = cloche_gate_charge(gate, &pay, &decision);
  if (status == CLOCHE_OK && decision.effect != CLOCHE_ALLOW) status = CLOCHE_E_MEMORY;
  if (status == CLOCHE_OK)
    status = cloche_gate_settle(gate, decision.reservation, pay.method, pay.params, true);
  if (status == CLOCHE_OK && gate->seen[0].blind) status = CLOCHE_E_MEMORY;
  if (status == CLOCHE_OK) status = cloche_gate_charge(gate, &big, &decision);
  if (status == CLOCHE_OK && decision.effect != CLOCHE_ASK) status = CLOCHE_E_MEMORY;
  if (status == CLOCHE_OK)
    status = cloche_gate_approve(gate, &big, decision.reservation, 2, &decision);
  if (status == CLOCHE_OK && decision.effect != CLOCHE_ALLOW) status = CLOCHE_E_MEMORY;
  if (status == CLOCHE_OK) status = cloche_gate_copy(gate, &fork);
  if (status == CLOCHE_OK) status = cloche_gate_save(gate, &saved, &len);
  if (status == CLOCHE_OK) status = cloche_account_save(gate->account, &account, &account_len);
  if (status == CLOCHE_OK)
    status = cloche_account_restore((cloche_text){account, account_len}, &restored);
  if (status == CLOCHE_OK)
    status = cloche_gate_restore(policy, restored, (cloche_text){saved, len}, &again);
  if (status == CLOCHE_OK)
    status = cloche_gate_report(gate, &pay, false, &decision, &text, &text_len);
  if (status == CLOCHE_OK && decision.effect != CLOCHE_ALLOW) status = CLOCHE_E_MEMORY;
  free(text);
  text = NULL;
  if (status == CLOCHE_OK) status = cloche_policy_lint(policy, 0, true, &text, &text_len, NULL);
  free(text), free(saved), free(account);
  cloche_gate_free(gate), cloche_gate_free(fork), cloche_gate_free(again);
  cloche_account_free(restored);
  cloche_policy_free(policy), cloche_policy_free(both);
  return status;
}

TEST(each_failed_allocation_is_an_error_and_leaks_nothing) {
  if (!REPLACED) return;
  CHECK_EQ(live_once(), CLOCHE_OK); /* whatever the C library keeps for itself it has now */
  for (long n = 0;; n++) {
    long before = live;
    taken = 0;
    fail_at = n;
    cloche_status status = live_once();
    bool failed = taken > n;
    fail_at = -1;
    CHECK_EQ(live, before);
    if (!failed) {
      CHECK_EQ(status, CLOCHE_OK);
      CHECK(n > 60);
      return;
    }
    /* A restored file that runs out of memory in the middle may be called damaged: no less refused.
     */
    if (status != CLOCHE_E_MEMORY && status != CLOCHE_E_FORMAT)
      fprintf(stderr, "  allocation %ld: %d\n", n, status);
    CHECK(status == CLOCHE_E_MEMORY || status == CLOCHE_E_FORMAT);
  }
}

TEST(deciding_allocates_nothing) {
  if (!REPLACED) return;
  const cloche_policy *policy = load_with(policy_text, tools_text);
  cloche_gate *gate = gate_over(policy, NULL);
  static char room[1 << 16];
  static const struct {
    const char *method, *params;
    int effect;
  } rows[] = {{"pay", "{\"n\":5,\"id\":\"abc\"}", CLOCHE_ALLOW},
              {"pay", "{\"n\":50,\"id\":\"abc\"}", CLOCHE_DENY},
              {"pay", "{\"n\":true}", CLOCHE_DENY},
              {"big", "{}", CLOCHE_ASK},
              {"no/tool", "{}", CLOCHE_DENY},
              {"pay", "{\"n\":5,\"id\":\"abc\",\"t\":1}", CLOCHE_DENY}};
  for (int warm = 0; warm < 2; warm++) { /* the account makes its entries the first time */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
      for (int asking = CLOCHE__ASK_CHECK; asking <= CLOCHE__ASK_CHARGE; asking++) {
        cloche__json_doc doc = {0};
        cloche_decision decision;
        const cloche__json *final;
        cloche__arena arena = cloche__arena_fixed(room, sizeof room);
        TEST_ROW(rows[i].params);
        CHECK_EQ(cloche__json_parse(cloche__text(rows[i].params), NULL, &doc, NULL), CLOCHE_OK);
        cloche__call call = {.method = cloche__text(rows[i].method),
                             .params = &doc.root,
                             .asking = (cloche__asking)asking};
        taken = 0;
        cloche__gate_decide(gate, &call, &arena, &final, &decision);
        if (warm > 0) CHECK_EQ(taken, 0);
        CHECK_EQ(decision.effect, rows[i].effect);
        cloche_gate_release(gate, decision.reservation);
        cloche__json_free(&doc);
      }
    }
  }
  cloche_gate_free(gate);
  cloche_policy_free(policy);
}

TEST(an_arena_that_is_too_small_is_a_denial) {
  const cloche_policy *policy = load_with(policy_text, tools_text);
  cloche_gate *gate = gate_over(policy, NULL);
  static char room[1 << 14];
  cloche__json_doc doc = {0};
  int denied = 0, allowed = 0;
  CHECK_EQ(cloche__json_parse(pay.params, NULL, &doc, NULL), CLOCHE_OK);
  for (size_t size = 0; size < sizeof room; size += 16) {
    cloche_decision decision;
    const cloche__json *final;
    cloche__arena arena = cloche__arena_fixed(room, size);
    cloche__call call = {.method = pay.method, .params = &doc.root};
    cloche__gate_decide(gate, &call, &arena, &final, &decision);
    CHECK(decision.effect == CLOCHE_ALLOW || decision.code == CLOCHE_CODE_LIMIT);
    decision.effect == CLOCHE_ALLOW ? allowed++ : denied++;
  }
  CHECK(denied > 10 && allowed > 100);
  cloche__json_free(&doc);
  cloche_gate_free(gate);
  cloche_policy_free(policy);
}

TEST_MAIN(TEST_ENTRY(each_failed_allocation_is_an_error_and_leaks_nothing),
          TEST_ENTRY(deciding_allocates_nothing),
          TEST_ENTRY(an_arena_that_is_too_small_is_a_denial))
