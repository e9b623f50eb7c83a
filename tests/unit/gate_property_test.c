// SPDX-License-Identifier: MIT
/* gate_property_test.c -- what has to hold for any policy and any call: restriction, round trips,
 * budgets that eight threads spend at once. tests/gate/model.py decides random calls a second time.
 */
#include <pthread.h>

#include "gate_help.h"

static uint32_t dice = 1;
static uint32_t roll(uint32_t sides) {
  dice = dice * 1664525u + 1013904223u;
  return (dice >> 8) % sides;
}
#define PICK(list) list[roll(sizeof list / sizeof *list)]

/* ---- random policies and calls ---- */

static const char *const patterns[] = {"a", "b", "a/b", "a/*", "**", "*", "a/**", "b*"};
static const char *const methods[] = {"a", "b", "a/b", "a/c", "bc", "c"};
static const char *const params[] = {"x", "y", "z", "x/k"};
static const char *const operators[] = {"{\"<=\":2}",
                                        "{\">\":1}",
                                        "{\"==\":1}",
                                        "{\"!=\":\"s\"}",
                                        "{\"in\":[1,\"s\"]}",
                                        "{\"exists\":true}",
                                        "{\"not_exists\":true}",
                                        "{\"<\":3,\"optional\":true}",
                                        "{\"type\":\"string\"}",
                                        "{\"any\":{\"==\":1}}",
                                        "{\"==\":{\"param\":\"y\"}}"};
static const char *const values[] = {"1", "2", "3", "\"s\"", "null", "[1,2]", "{\"k\":1}", "true"};

static void random_where(cloche__buffer *out, int depth) {
  static const char *const combine[] = {"and", "or"};
  uint32_t kind = depth > 0 ? roll(6) : 5;
  if (kind == 0) {
    cloche__buffer_string(out, "{\"not\":");
    random_where(out, depth - 1);
    cloche__buffer_byte(out, '}');
  } else if (kind <= 2) {
    cloche__buffer_format(out, "{\"%s\":[", combine[kind - 1]);
    random_where(out, depth - 1);
    cloche__buffer_byte(out, ',');
    random_where(out, depth - 1);
    cloche__buffer_string(out, "]}");
  } else {
    cloche__buffer_format(out, "{\"%s\":%s}", PICK(params), PICK(operators));
  }
}

static void random_rule(cloche__buffer *out) {
  static const char *const effects[] = {"allow", "allow", "allow", "allow", "ask", "deny"};
  const char *effect = PICK(effects);
  cloche__buffer_format(out, "{\"pattern\":\"%s\",\"effect\":\"%s\"", PICK(patterns), effect);
  if (roll(3) > 0) {
    cloche__buffer_string(out, ",\"where\":");
    random_where(out, 2);
  }
  if (roll(8) == 0) cloche__buffer_string(out, ",\"if_label\":\"l\"");
  if (roll(8) == 0) cloche__buffer_string(out, ",\"unless_label\":\"l\"");
  if (strcmp(effect, "deny") != 0) {
    if (roll(4) == 0)
      cloche__buffer_format(out, ",\"set\":{\"%s\":%s}", PICK(params), PICK(values));
    if (roll(6) == 0) cloche__buffer_string(out, ",\"closed\":true");
    if (roll(4) == 0) cloche__buffer_format(out, ",\"max_calls\":%u", roll(2));
    if (roll(8) == 0) cloche__buffer_string(out, ",\"adds\":\"l\"");
  }
  cloche__buffer_byte(out, '}');
}

static const cloche_policy *random_policy(void) {
  cloche__buffer out = {0};
  uint32_t count = 1 + roll(4);
  cloche__buffer_string(&out, "{\"rules\":[");
  for (uint32_t i = 0; i < count; i++) {
    if (i > 0) cloche__buffer_byte(&out, ',');
    random_rule(&out);
  }
  cloche__buffer_string(&out, "]}");
  cloche__buffer_byte(&out, '\0');
  const cloche_policy *policy = load(out.at);
  cloche__buffer_free(&out);
  return policy;
}

static void random_params(char *out, size_t size) {
  static const char *const names[] = {"x", "y", "z"};
  size_t len = (size_t)snprintf(out, size, "{");
  for (int i = 0; i < 3; i++) {
    if (roll(3) == 0) continue;
    len += (size_t)snprintf(out + len, size - len, "%s\"%s\":%s", len > 1 ? "," : "", names[i],
                            PICK(values));
  }
  snprintf(out + len, size - len, "}");
}

/* ---- restriction ---- */

typedef struct {
  cloche_effect effect;
  char params[600];
} answer;

static answer ask_alone(const cloche_policy *policy, bool labelled, const char *method,
                        const char *with) {
  cloche_gate *gate = gate_over(policy, NULL);
  if (labelled) CHECK_EQ(cloche_gate_add_label(gate, cloche__text("l")), CLOCHE_OK);
  answer got = {check(gate, method, with), ""};
  snprintf(got.params, sizeof got.params, "%.*s", (int)decided.params.len, decided.params.at);
  cloche_gate_free(gate);
  return got;
}

/* The restriction answers what the child would, and of its final parameters what the parent would:
 * the stricter of the two. */
TEST(a_restriction_never_allows_what_one_of_the_two_does_not) {
  int effects[3] = {0};
  for (int round = 0; round < 6000; round++) {
    const cloche_policy *parent = random_policy(), *child = random_policy();
    cloche_policy *both = NULL;
    CHECK_EQ(cloche_policy_restrict(parent, child, &both), CLOCHE_OK);
    for (int i = 0; i < 6; i++) {
      char with[200];
      const char *method = PICK(methods);
      bool labelled = roll(3) == 0;
      random_params(with, sizeof with);
      answer whole = ask_alone(both, labelled, method, with),
             inner = ask_alone(child, labelled, method, with);
      answer outer = {CLOCHE_DENY, ""};
      if (inner.effect != CLOCHE_DENY) outer = ask_alone(parent, labelled, method, inner.params);
      int want = inner.effect == CLOCHE_DENY || outer.effect == CLOCHE_DENY ? CLOCHE_DENY
                 : inner.effect == CLOCHE_ASK || outer.effect == CLOCHE_ASK ? CLOCHE_ASK
                                                                            : CLOCHE_ALLOW;
      /* What the parent sets cannot be sent; alone it sees it only if the child let it through. */
      CHECK_EQ(whole.effect, want);
      if (want != CLOCHE_DENY) CHECK_STR(whole.params, outer.params);
      effects[want]++;
    }
    cloche_policy_free(parent), cloche_policy_free(child), cloche_policy_free(both);
  }
  CHECK(effects[CLOCHE_ALLOW] > 400 && effects[CLOCHE_ASK] > 400);
}

TEST(a_policy_decides_the_same_after_a_round_trip_through_its_text) {
  for (int round = 0; round < 2000; round++) {
    const cloche_policy *policy = random_policy();
    char *json = NULL;
    size_t len;
    cloche_policy *again = NULL;
    CHECK_EQ(cloche_policy_save(policy, &json, &len), CLOCHE_OK);
    CHECK_EQ(cloche_policy_load((cloche_text){json, len}, (cloche_text){0}, &again, NULL),
             CLOCHE_OK);
    cloche_gate *one = gate_over(policy, NULL), *two = gate_over(again, NULL);
    for (int i = 0; i < 8; i++) {
      char with[200];
      const char *method = PICK(methods);
      random_params(with, sizeof with);
      cloche_effect effect = call(one, method, with);
      char message[512];
      snprintf(message, sizeof message, "%s", decided.message);
      CHECK_EQ(call(two, method, with), effect);
      CHECK_STR(decided.message, message);
    }
    cloche_gate_free(one), cloche_gate_free(two);
    cloche_policy_free(policy), cloche_policy_free(again);
    free(json);
  }
}

/* Save, restore and copy at any moment: the next decisions are the same. */
TEST(a_gate_decides_the_same_after_rest) {
  for (int round = 0; round < 500; round++) {
    const cloche_policy *policy = random_policy();
    cloche_gate *gate = gate_over(policy, NULL), *rested = NULL, *fork = NULL;
    char with[200], *json = NULL;
    size_t len;
    for (uint32_t i = roll(6); i > 0; i--) {
      random_params(with, sizeof with);
      call(gate, PICK(methods), with);
    }
    CHECK_EQ(cloche_gate_save(gate, &json, &len), CLOCHE_OK);
    CHECK_EQ(cloche_gate_restore(policy, gate->account, (cloche_text){json, len}, &rested),
             CLOCHE_OK);
    CHECK_EQ(cloche_gate_copy(gate, &fork), CLOCHE_OK);
    for (int i = 0; i < 6; i++) {
      const char *method = PICK(methods);
      random_params(with, sizeof with);
      cloche_effect effect = check(gate, method, with);
      CHECK_EQ(check(rested, method, with), effect);
      CHECK_EQ(check(fork, method, with), effect);
    }
    free(json);
    cloche_gate_free(gate), cloche_gate_free(rested), cloche_gate_free(fork);
    cloche_policy_free(policy);
  }
}

/* ---- eight threads, one account ---- */

enum { THREADS = 8, TRIES = 2000, CALLS_MAX = 3000, TOTAL_MAX = 4321, AT_ONCE = 3 };

typedef struct {
  const cloche_policy *policy;
  cloche_account *account;
  uint32_t seed;
  int made, refunded, total;
} spender;

static int running, most_running;

static void *spend(void *argument) {
  spender *s = argument;
  cloche_gate *gate = NULL;
  if (cloche_gate_new(s->policy, s->account, &gate) != CLOCHE_OK) return NULL;
  for (int i = 0; i < TRIES; i++) {
    char text[32];
    cloche_decision decision;
    s->seed = s->seed * 1664525u + 1013904223u;
    int amount = (int)(s->seed >> 8) % 5;
    bool fails = (s->seed >> 20) % 4 == 0;
    int len = snprintf(text, sizeof text, "{\"n\":%d}", amount);
    cloche_question question = {{"pay", 3}, {text, (size_t)len}, 0};
    if (cloche_gate_charge(gate, &question, &decision) != CLOCHE_OK ||
        decision.effect != CLOCHE_ALLOW)
      continue;
    int now = __atomic_add_fetch(&running, 1, __ATOMIC_SEQ_CST),
        most = __atomic_load_n(&most_running, __ATOMIC_SEQ_CST);
    while (now > most && !__atomic_compare_exchange_n(&most_running, &most, now, false,
                                                      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
      continue;
    s->made += !fails;
    s->refunded += fails;
    s->total += fails ? 0 : amount;
    __atomic_sub_fetch(&running, 1, __ATOMIC_SEQ_CST);
    cloche_gate_settle(gate, decision.reservation, question.method, question.params, !fails);
  }
  cloche_gate_free(gate);
  return NULL;
}

TEST(eight_threads_together_spend_no_more_than_there_is) {
  char text[300];
  snprintf(text, sizeof text,
           "{\"rules\":[{\"pattern\":\"pay\",\"effect\":\"allow\",\"max_calls\":%d,\"total\":{"
           "\"n\":{\"<=\":%d}},\"max_concurrent\":%d,\"refund_on_error\":true}]}",
           CALLS_MAX, TOTAL_MAX, AT_ONCE);
  const cloche_policy *policy = load(text);
  cloche_account *account = NULL;
  spender spenders[THREADS] = {0};
  pthread_t threads[THREADS];
  int made = 0, refunded = 0, total = 0;
  CHECK_EQ(cloche_account_new(NULL, &account), CLOCHE_OK);
  for (int i = 0; i < THREADS; i++) {
    spenders[i] = (spender){.policy = policy, .account = account, .seed = (uint32_t)i * 77 + 5};
    CHECK(pthread_create(&threads[i], NULL, spend, &spenders[i]) == 0);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    made += spenders[i].made, refunded += spenders[i].refunded, total += spenders[i].total;
  }
  CHECK(most_running <= AT_ONCE);
  CHECK(made <= CALLS_MAX && total <= TOTAL_MAX);
  CHECK(made == CALLS_MAX || total > TOTAL_MAX - 5);
  CHECK(refunded > 100);
  CHECK_EQ(cloche_account_calls(account, cloche__text("rules/pay")), made);
  cloche_account_free(account);
  cloche_policy_free(policy);
}

TEST_MAIN(TEST_ENTRY(a_restriction_never_allows_what_one_of_the_two_does_not),
          TEST_ENTRY(a_policy_decides_the_same_after_a_round_trip_through_its_text),
          TEST_ENTRY(a_gate_decides_the_same_after_rest),
          TEST_ENTRY(eight_threads_together_spend_no_more_than_there_is))
