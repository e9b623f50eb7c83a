// SPDX-License-Identifier: MIT
/* driver.c -- lets scripts ask the gate's parts: one JSON object a line in, one word or line out.
 *
 *   {"do": "json", "text": T}            the value as it is written back, or "refused"
 *   {"do": "compare", "a": N, "b": N}    -1, 0, 1
 *   {"do": "multiple", "a": N, "b": N}   yes, no
 *   {"do": "regex", "source": S, "text": T, "whole": B}   yes, no, limit, refused
 *   {"do": "schema", "schema": S, "value": V}             valid, invalid, refused
 *   {"do": "time", "text": T}            ns since 1970, or "none"
 *   {"do": "within", "path": P, "base": P}                yes, no, unclear
 *   {"do": "host", "text": T}            public, private, none
 *   {"do": "policy", "policy": P, "tools": T}             ok, or the error's path
 *   {"do": "calls", "policy": P, "tools": T, "calls": [{"method", "params", "at": TIME}, ...]}
 *                                        effect code, each of one gate, split by |; what is allowed
 *                                        succeeds at once, what is asked is not approved
 *   {"do": "decide", "policy": P, "tools": T, "method": M, "params": V, "now": N}   effect code */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "gate/gate.h"
#include "gate/path.h"

static const cloche__json *get(const cloche__json *ask, const char *key) {
  return cloche__json_get(ask, key);
}

static cloche_text text_of(const cloche__json *ask, const char *key) {
  const cloche__json *value = get(ask, key);
  return value != NULL && value->kind == CLOCHE__JSON_STRING ? cloche__json_text(value)
                                                             : (cloche_text){"", 0};
}

static cloche_text number_of(const cloche__json *ask, const char *key) {
  return cloche__json_text(get(ask, key));
}

static void do_json(const cloche__json *ask) {
  cloche__json_doc doc = {0};
  cloche__buffer out = {0};
  if (cloche__json_parse(text_of(ask, "text"), NULL, &doc, NULL) != CLOCHE_OK) {
    puts("refused");
    return;
  }
  cloche__json_write(&doc.root, &out);
  printf("%.*s\n", (int)out.len, out.at);
  cloche__buffer_free(&out);
  cloche__json_free(&doc);
}

static void do_regex(const cloche__json *ask) {
  static const char *const answers[] = {"no", "yes", "limit"};
  cloche__arena arena = {0};
  const cloche__regex *regex;
  const char *problem;
  size_t steps = CLOCHE__GATE_STEPS;
  if (cloche__regex_make(text_of(ask, "source"), &arena, &regex, &problem) != CLOCHE_OK)
    puts("refused");
  else
    puts(answers[cloche__regex_match(regex, text_of(ask, "text"), get(ask, "whole")->boolean,
                                     &steps)]);
  cloche__arena_free(&arena);
}

static void do_schema(const cloche__json *ask) {
  cloche__arena arena = {0};
  cloche_problem problem = {0};
  cloche__loader loader = {.arena = &arena, .problem = &problem};
  const cloche__schema *schema;
  size_t steps = CLOCHE__GATE_STEPS;
  cloche__schema_failure failure = {0};
  if (!cloche__schema_load(&loader, &(cloche__at){0}, get(ask, "schema"), &schema))
    printf("refused %s\n", problem.message);
  else
    puts(cloche__schema_valid(schema, get(ask, "value"), NULL, 0, &steps, &failure) ? "valid"
                                                                                    : "invalid");
  cloche__arena_free(&arena);
}

static void do_time(const cloche__json *ask) {
  cloche__time time;
  if (cloche__time_read(text_of(ask, "text"), &time))
    printf("%lld.%09d\n", (long long)time.seconds, (int)time.nanoseconds);
  else
    puts("none");
}

static void do_within(const cloche__json *ask) {
  static const char *const answers[] = {"no", "yes", "unclear"};
  puts(answers[cloche__path_within(text_of(ask, "path"), text_of(ask, "base"))]);
}

static void do_host(const cloche__json *ask) {
  cloche__host host;
  if (!cloche__host_read(text_of(ask, "text"), &host))
    puts("none");
  else
    puts(cloche__host_is_private(&host) ? "private" : "public");
}

static bool load(const cloche__json *ask, cloche_policy **policy) {
  cloche_problem problem = {0};
  if (cloche__policy_load(get(ask, "policy"), get(ask, "tools"), policy, &problem) == CLOCHE_OK)
    return true;
  printf("error %s %s\n", problem.path, problem.message);
  return false;
}

static void do_decide(const cloche__json *ask) {
  static const char *const effects[] = {"deny", "allow", "ask"};
  cloche_policy *policy = NULL;
  cloche_gate *gate = NULL;
  cloche__arena arena = {0};
  cloche_decision decision;
  const cloche__json *final;
  cloche__call call = {.method = text_of(ask, "method"), .params = get(ask, "params")};
  if (!load(ask, &policy)) return;
  cloche__json_int64(get(ask, "now"), &call.now);
  if (cloche_gate_new(policy, NULL, &gate) != CLOCHE_OK) abort();
  cloche__gate_decide(gate, &call, &arena, &final, &decision);
  printf("%s %s %s\n", effects[decision.effect], cloche_code_text(decision.code), decision.message);
  cloche_gate_free(gate);
  cloche_policy_free(policy);
  cloche__arena_free(&arena);
}

static int64_t nanoseconds(const cloche__json *call) {
  cloche__time time = {0};
  cloche__time_read(text_of(call, "at"), &time);
  return time.seconds * 1000000000 + time.nanoseconds;
}

static void one_call(cloche_gate *gate, const cloche__json *ask, bool first) {
  static const char *const effects[] = {"deny", "allow", "ask"};
  cloche__arena arena = {0};
  cloche_decision decision;
  const cloche__json *final;
  cloche__call call = {.method = text_of(ask, "method"),
                       .params = get(ask, "params"),
                       .now = nanoseconds(ask),
                       .asking = CLOCHE__ASK_CHARGE};
  cloche__gate_decide(gate, &call, &arena, &final, &decision);
  printf("%s%s %s", first ? "" : "|", effects[decision.effect], cloche_code_text(decision.code));
  if (decision.effect == CLOCHE_ALLOW) {
    cloche__gate_settle(gate, decision.reservation, decision.method, final, true);
  } else if (decision.effect == CLOCHE_ASK) {
    cloche_gate_release(gate, decision.reservation);
  }
  cloche__arena_free(&arena);
}

static void do_calls(const cloche__json *ask) {
  cloche_policy *policy = NULL;
  cloche_gate *gate = NULL;
  const cloche__json *calls = get(ask, "calls");
  if (!load(ask, &policy)) return;
  if (cloche_gate_new(policy, NULL, &gate) != CLOCHE_OK) abort();
  for (size_t i = 0; i < calls->count; i++) one_call(gate, &calls->items[i], i == 0);
  puts("");
  cloche_gate_free(gate);
  cloche_policy_free(policy);
}

static void answer(const cloche__json *ask) {
  const cloche__json *what = get(ask, "do");
  cloche_policy *policy = NULL;
  if (cloche__json_is(what, "json"))
    do_json(ask);
  else if (cloche__json_is(what, "compare"))
    printf("%d\n", cloche__json_number_compare(number_of(ask, "a"), number_of(ask, "b")));
  else if (cloche__json_is(what, "multiple"))
    puts(cloche__json_number_multiple(number_of(ask, "a"), number_of(ask, "b")) ? "yes" : "no");
  else if (cloche__json_is(what, "regex"))
    do_regex(ask);
  else if (cloche__json_is(what, "schema"))
    do_schema(ask);
  else if (cloche__json_is(what, "time"))
    do_time(ask);
  else if (cloche__json_is(what, "within"))
    do_within(ask);
  else if (cloche__json_is(what, "host"))
    do_host(ask);
  else if (cloche__json_is(what, "calls"))
    do_calls(ask);
  else if (cloche__json_is(what, "decide"))
    do_decide(ask);
  else if (cloche__json_is(what, "policy") && load(ask, &policy))
    puts("ok");
  cloche_policy_free(policy);
}

int main(void) {
  char *line = NULL;
  size_t room = 0;
  ssize_t len;
  while ((len = getline(&line, &room, stdin)) > 0) {
    cloche__json_doc ask = {0};
    cloche__json_limits limits = {.depth = CLOCHE__JSON_DEPTH_MAX};
    if (cloche__json_parse((cloche_text){line, (size_t)len}, &limits, &ask, NULL) != CLOCHE_OK) {
      fprintf(stderr, "not JSON: %s", line);
      return 2;
    }
    answer(&ask.root);
    cloche__json_free(&ask);
  }
  free(line);
  return 0;
}
