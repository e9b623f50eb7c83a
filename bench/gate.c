// SPDX-License-Identifier: MIT
/* gate.c -- what a decision costs.
 *
 * Prints, for policies of 10 to 10,000 rules: the time to load, and the distribution of one
 * decision (method with at most ten candidate rules; each looks at three parameters), as a check
 * and with a budget; then decisions over a growing number of candidates, which may grow no faster
 * than they do. With --json, one object a line. Times are of this machine's processor while it was
 * ours: compare lines of one run only. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gate/gate.h"

enum { SAMPLES = 2000, BATCH = 50 };

static bool json;

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); /* nothing here waits; others may be running */
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void print_row(const char *what, int rules, int candidates, double *samples, int count) {
  qsort(samples, (size_t)count, sizeof *samples, by_size);
  double median = samples[count / 2], p99 = samples[count * 99 / 100];
  if (json) {
    printf("{\"what\":\"%s\",\"rules\":%d,\"candidates\":%d,\"median_us\":%.3f,\"p99_us\":%.3f}\n",
           what, rules, candidates, median, p99);
  } else {
    printf("%-28s %7d %11d %12.3f %10.3f\n", what, rules, candidates, median, p99);
  }
}

/* `same` rules for one method among `rules` for others. */
static cloche__buffer make_policy(int rules, int same, const char *extra) {
  cloche__buffer out = {0};
  cloche__buffer_string(&out, "{\"rules\":[");
  for (int i = 0; i < rules; i++) {
    if (i > 0) cloche__buffer_byte(&out, ',');
    if (i >= rules - same)
      cloche__buffer_string(&out, "{\"pattern\":\"stripe/charges/*\"");
    else
      cloche__buffer_format(&out, "{\"pattern\":\"service%d/item%d/%s\"", i % 97, i,
                            i % 3 ? "create" : "*");
    cloche__buffer_format(
        &out,
        ",\"effect\":\"allow\",\"where\":{\"amount\":{\">\":0,\"<=\":%d},\"currency\":{\"in\":["
        "\"USD\",\"EUR\"]},\"to/email\":{\"ends_with\":\"@example.com\"}}%s}",
        i == rules - 1 ? 10000 : 100, extra);
  }
  cloche__buffer_string(&out, "]}");
  return out;
}

static cloche_policy *load(const cloche__buffer *text, double *us) {
  cloche_policy *policy = NULL;
  cloche_problem problem;
  double start = now_us();
  if (cloche_policy_load(cloche__buffer_view(text), (cloche_text){0}, &policy, &problem) !=
      CLOCHE_OK) {
    fprintf(stderr, "%s: %s\n", problem.path, problem.message);
    exit(1);
  }
  *us = now_us() - start;
  return policy;
}

static void measure_load(int rules) {
  cloche__buffer text = make_policy(rules, 10, ",\"max_calls\":5");
  double samples[9];
  for (int i = 0; i < 9; i++) cloche_policy_free(load(&text, &samples[i]));
  print_row("load", rules, 0, samples, 9);
  cloche__buffer_free(&text);
}

/* One sample is the mean of a batch: the clock's own cost would drown a single decision. */
static void measure_decision(int rules, int same, cloche__asking asking, const char *extra,
                             const char *what) {
  static double samples[SAMPLES];
  static char room[1 << 16];
  double ignored;
  cloche__buffer text = make_policy(rules, same, extra);
  cloche_policy *policy = load(&text, &ignored);
  cloche_gate *gate = NULL;
  cloche__json_doc params = {0};
  static const char call_text[] =
      "{\"amount\":5000,\"currency\":\"EUR\",\"to\":{\"email\":\"someone@example.com\"}}";
  cloche_decision decision;
  const cloche__json *final;
  if (cloche_gate_new(policy, NULL, &gate) != CLOCHE_OK ||
      cloche__json_parse(cloche__text(call_text), NULL, &params, NULL) != CLOCHE_OK)
    exit(1);
  cloche__call call = {
      .method = cloche__text("stripe.charges.create"), .params = &params.root, .asking = asking};
  for (int i = 0; i < SAMPLES; i++) {
    double start = now_us();
    for (int k = 0; k < BATCH; k++) {
      cloche__arena arena = cloche__arena_fixed(room, sizeof room);
      cloche__gate_decide(gate, &call, &arena, &final, &decision);
      if (decision.effect != CLOCHE_ALLOW) exit(1);
      if (decision.reservation != 0)
        cloche__gate_settle(gate, decision.reservation, decision.method, final, true);
    }
    samples[i] = (now_us() - start) / BATCH;
  }
  print_row(what, rules, same, samples, SAMPLES);
  cloche__json_free(&params);
  cloche_gate_free(gate);
  cloche_policy_free(policy);
  cloche__buffer_free(&text);
}

int main(int argc, char **argv) {
  static const int sizes[] = {10, 100, 1000, 10000}, candidates[] = {1, 10, 100, 1000};
  json = argc > 1 && strcmp(argv[1], "--json") == 0;
  if (!json)
    printf("%-28s %7s %11s %12s %10s\n", "", "rules", "candidates", "median, us", "p99, us");
  for (int i = 0; i < 4; i++) measure_load(sizes[i]);
  for (int i = 0; i < 4; i++) measure_decision(sizes[i], 10, CLOCHE__ASK_CHECK, "", "check");
  measure_decision(1000, 10, CLOCHE__ASK_CHARGE, ",\"max_calls\":1000000000",
                   "charge and settle a budget");
  for (int i = 0; i < 4; i++)
    measure_decision(1000, candidates[i], CLOCHE__ASK_CHECK, "", "check, many candidates");
  return 0;
}
