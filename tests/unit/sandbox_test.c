// SPDX-License-Identifier: MIT
/* sandbox_test.c -- the host side against the puppet guest, which does what it is told. */
#include "cloche.h"
#include "test.h"

static cloche_engine *engine;

static cloche_sandbox *make(cloche_sandbox_options options) {
  if (engine == NULL) CHECK_EQ(cloche_engine_new(NULL, &engine), CLOCHE_OK);
  cloche_sandbox *box = NULL;
  CHECK_EQ(cloche_sandbox_new(engine, &options, &box), CLOCHE_OK);
  return box;
}

static char output[1 << 16];
static size_t output_length;

/* Runs `program` to its end; every call is answered with `answer`, or left alone if that is NULL.
 */
static const cloche_result *run(cloche_sandbox *box, const char *program, const char *answer) {
  cloche_program p = {.text = {program, strlen(program)}};
  CHECK_EQ(cloche_exec(box, &p), CLOCHE_OK);
  output_length = 0;
  cloche_event event;
  for (;;) {
    CHECK_EQ(cloche_step(box, &event), CLOCHE_OK);
    if (event.kind == CLOCHE_OUTPUT && output_length + event.bytes.len < sizeof output) {
      memcpy(output + output_length, event.bytes.at, event.bytes.len);
      output_length += event.bytes.len;
    } else if (event.kind == CLOCHE_CALL && answer != NULL) {
      CHECK_EQ(cloche_resolve(box, event.call, (cloche_text){answer, strlen(answer)}), CLOCHE_OK);
    } else if (event.kind == CLOCHE_DONE) {
      break;
    }
  }
  output[output_length] = '\0';
  return cloche_sandbox_result(box);
}

TEST(a_program_that_ends_gives_its_value) {
  cloche_sandbox *box = make((cloche_sandbox_options){0});
  const cloche_result *result = run(box, "ohello;v", NULL);
  CHECK_EQ(result->end, CLOCHE_END_DONE);
  CHECK_EQ(result->value.len, 1);
  CHECK(result->value.at[0] == '1');
  CHECK_STR(output, "hello");
  cloche_sandbox_free(box);
  cloche_engine_free(engine);
}

static const struct {
  const char *name, *program;
  cloche_end end;
} ends[] = {
    {"unreachable", "t", CLOCHE_END_TRAP},
    {"division by zero", "z", CLOCHE_END_TRAP},
    {"a write beyond memory", "w4000000000", CLOCHE_END_TRAP},
    {"a read beyond memory", "r4000000000", CLOCHE_END_TRAP},
    {"a pointer to no function", "j", CLOCHE_END_TRAP},
    {"recursion without end", "d", CLOCHE_END_LIMIT_STACK},
    {"a loop without end", "l", CLOCHE_END_LIMIT_TIME},
    {"a message of unknown kind", "q99", CLOCHE_END_TRAP},
    {"an outbox longer than memory", "x4000000000", CLOCHE_END_TRAP},
    {"an outbox at the end of the address space", "p4294967295", CLOCHE_END_TRAP},
    {"an outbox just past memory", "p16777216", CLOCHE_END_TRAP},
    {"DONE of another run, then nothing", "k77", CLOCHE_END_INTERNAL},
    {"nothing at all", "n", CLOCHE_END_INTERNAL},
};

TEST(every_bad_end_has_its_name_and_the_sandbox_works_afterwards) {
  cloche_sandbox *box = make((cloche_sandbox_options){.limits.timeout = 30000000});
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    TEST_ROW(ends[i].name);
    CHECK_EQ(run(box, ends[i].program, NULL)->end, ends[i].end);
    CHECK_EQ(run(box, "v", NULL)->end, CLOCHE_END_DONE);
  }
  cloche_sandbox_free(box);
  cloche_engine_free(engine);
}

TEST(room_that_the_guest_offers_outside_its_memory_is_refused) {
  cloche_sandbox *box = make((cloche_sandbox_options){0});
  CHECK_EQ(run(box, "i4294901760v", NULL)->end, CLOCHE_END_DONE);
  CHECK_EQ(run(box, "v", NULL)->end, CLOCHE_END_TRAP);
  cloche_sandbox_free(box);
  cloche_engine_free(engine);
}

TEST(a_hard_stop_takes_back_what_the_run_wrote) {
  cloche_sandbox *box = make((cloche_sandbox_options){.limits.timeout = 20000000});
  run(box, "w90000v", NULL); /* stays */
  CHECK_EQ(run(box, "w90001w200000l", NULL)->end, CLOCHE_END_LIMIT_TIME);
  CHECK(cloche_sandbox_result(box)->rolled_back);
  run(box, "r90000r90001r200000v", NULL);
  CHECK_EQ(output_length, 3);
  CHECK_EQ(output[0], 1);
  CHECK_EQ(output[1], 0);
  CHECK_EQ(output[2], 0);
  cloche_sandbox_free(box);
  cloche_engine_free(engine);
}

static void next_tenant_sees_nothing(cloche_cleaning cleaning) {
  cloche_engine_options options = {.cleaning = cleaning, .idle_slots = 1};
  CHECK_EQ(cloche_engine_new(&options, &engine), CLOCHE_OK);
  for (int round = 0; round < 3; round++) {
    cloche_sandbox *box = make((cloche_sandbox_options){0});
    run(box, "g20r90000r700000r1310719r1310720v", NULL);
    for (int i = 0; i < 4; i++) CHECK_EQ(output[i], 0);
    run(box, "w90000w700000w1310719w1310720v", NULL);
    run(box, "g20r90000r700000r1310719r1310720v", NULL);
    for (int i = 0; i < 4; i++) CHECK_EQ(output[i], 1);
    cloche_sandbox_free(box);
  }
  cloche_engine_free(engine);
  engine = NULL;
}

TEST(a_slots_next_tenant_sees_nothing_of_the_last) {
  next_tenant_sees_nothing(CLOCHE_CLEAN_BY_FAULTS);
  next_tenant_sees_nothing(CLOCHE_CLEAN_BY_MAPPING);
  cloche_engine_options options = {.cleaning = CLOCHE_CLEAN_BY_PAGEMAP};
  if (cloche_engine_new(&options, &engine) != CLOCHE_OK) return; /* this kernel cannot */
  cloche_engine_free(engine);
  next_tenant_sees_nothing(CLOCHE_CLEAN_BY_PAGEMAP);
}

TEST(a_tenant_may_first_write_where_the_last_ones_faults_stopped) {
  for (int round = 0; round < 3; round++) {
    cloche_sandbox *box = make((cloche_sandbox_options){0});
    CHECK_EQ(run(box, round == 0 ? "g20w1310720v" : "g20w1314816v", NULL)->end, CLOCHE_END_DONE);
    cloche_sandbox_free(box);
  }
  cloche_engine_free(engine);
}

TEST(fuel_is_exact_and_a_limit_stops_on_it) {
  cloche_sandbox *box = make((cloche_sandbox_options){.limits.fuel = 1000000});
  const cloche_result *result = run(box, "l", NULL);
  CHECK_EQ(result->end, CLOCHE_END_LIMIT_FUEL);
  CHECK_EQ(run(box, "L1000v", NULL)->end, CLOCHE_END_DONE);
  uint64_t fuel = cloche_sandbox_result(box)->usage.fuel;
  for (int i = 0; i < 10; i++) {
    cloche_sandbox *other = make((cloche_sandbox_options){0});
    run(other, "L1000v", NULL);
    run(other, "L1000v", NULL);
    CHECK_EQ(cloche_sandbox_result(other)->usage.fuel, fuel);
    cloche_sandbox_free(other);
  }
  cloche_sandbox_free(box);
  cloche_engine_free(engine);
}

TEST(without_a_policy_every_call_is_denied) {
  cloche_sandbox *box = make((cloche_sandbox_options){0});
  const cloche_result *result = run(box, "cpay;n", "1");
  CHECK_EQ(result->usage.calls, 1);
  CHECK_EQ(result->usage.denied, 1);
  CHECK(strstr(output, "CapabilityError") != NULL);
  cloche_sandbox_free(box);
  cloche_engine_free(engine);
}

TEST(output_beyond_its_limit_is_dropped_and_counted) {
  cloche_sandbox *box = make((cloche_sandbox_options){.limits.output = 5});
  const cloche_result *result = run(box, "oabc;odef;oghi;v", NULL);
  CHECK_EQ(result->usage.output, 9);
  CHECK_EQ(result->usage.output_dropped, 4);
  CHECK_STR(output, "abcde");
  cloche_sandbox_free(box);
  cloche_engine_free(engine);
}

TEST(memory_may_grow_up_to_its_limit) {
  cloche_sandbox *box = make((cloche_sandbox_options){.limits.memory = 1 << 20});
  run(box, "g15g2w2300000v", NULL);
  CHECK_EQ(cloche_sandbox_result(box)->usage.memory, 15 << 16);
  cloche_sandbox_free(box);
  cloche_engine_free(engine);
}

TEST(timers_are_jumped_to_when_nothing_else_is_waited_for) {
  cloche_sandbox *box = make((cloche_sandbox_options){0});
  const cloche_result *result = run(box, "s3000000000n", NULL);
  CHECK_EQ(result->end, CLOCHE_END_DONE);
  CHECK(result->usage.wall < 1000000000);
  cloche_sandbox_free(box);
  cloche_engine_free(engine);
}

TEST(wrong_use_answers_an_error_and_changes_nothing) {
  cloche_sandbox *box = make((cloche_sandbox_options){0});
  cloche_event event;
  CHECK_EQ(cloche_step(box, &event), CLOCHE_E_STATE);
  CHECK_EQ(cloche_resolve(box, 1, (cloche_text){"1", 1}), CLOCHE_E_UNKNOWN);
  CHECK(cloche_sandbox_result(box) == NULL);
  cloche_program p = {.text = {"v", 1}};
  CHECK_EQ(cloche_exec(box, &p), CLOCHE_OK);
  CHECK_EQ(cloche_exec(box, &p), CLOCHE_E_STATE);
  CHECK_EQ(cloche_step(box, &event), CLOCHE_OK);
  CHECK_EQ(event.kind, CLOCHE_DONE);
  CHECK_EQ(cloche_step(box, &event), CLOCHE_E_STATE);
  cloche_sandbox_free(box);
  cloche_engine_free(engine);
}

TEST(tools_have_names_and_no_two_the_same) {
  static const struct {
    const char *tools;
    cloche_status status;
  } rows[] = {{"[{\"name\":\"a/b\"},{\"name\":\"a/c\"}]", CLOCHE_OK},
              {"[{\"name\":\"a/b\"},{\"name\":\"a/b\"}]", CLOCHE_E_ARGUMENT},
              {"[{\"name\":\"a/b\"},{\"name\":\"x\"},{\"name\":\"mcp:a.b\"}]", CLOCHE_E_ARGUMENT},
              {"[{\"name\":\"a b\"}]", CLOCHE_E_ARGUMENT},
              {"[{\"name\":7}]", CLOCHE_E_ARGUMENT},
              {"{}", CLOCHE_E_ARGUMENT},
              {"[", CLOCHE_E_JSON}};
  cloche_sandbox_free(make((cloche_sandbox_options){0})); /* there is an engine now */
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    cloche_sandbox_options options = {.tools = {rows[i].tools, strlen(rows[i].tools)}};
    cloche_sandbox *box = NULL;
    CHECK_EQ(cloche_sandbox_new(engine, &options, &box), rows[i].status);
    cloche_sandbox_free(box);
  }
}

TEST_MAIN(TEST_ENTRY(a_program_that_ends_gives_its_value),
          TEST_ENTRY(every_bad_end_has_its_name_and_the_sandbox_works_afterwards),
          TEST_ENTRY(room_that_the_guest_offers_outside_its_memory_is_refused),
          TEST_ENTRY(a_hard_stop_takes_back_what_the_run_wrote),
          TEST_ENTRY(a_slots_next_tenant_sees_nothing_of_the_last),
          TEST_ENTRY(a_tenant_may_first_write_where_the_last_ones_faults_stopped),
          TEST_ENTRY(fuel_is_exact_and_a_limit_stops_on_it),
          TEST_ENTRY(without_a_policy_every_call_is_denied),
          TEST_ENTRY(output_beyond_its_limit_is_dropped_and_counted),
          TEST_ENTRY(memory_may_grow_up_to_its_limit),
          TEST_ENTRY(timers_are_jumped_to_when_nothing_else_is_waited_for),
          TEST_ENTRY(wrong_use_answers_an_error_and_changes_nothing),
          TEST_ENTRY(tools_have_names_and_no_two_the_same))
