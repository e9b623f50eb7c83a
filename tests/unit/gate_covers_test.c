// SPDX-License-Identifier: MIT
/* gate_covers_test.c -- is one policy within another: what is proved, what is refused. */
#include "gate_help.h"

#define R(rule) "{\"rules\":[" rule "]}"
#define R2(a, b) R(a "," b)
#define A(more) "{\"pattern\":\"a\",\"effect\":\"allow\"" more "}"
#define W(where) R(A(",\"where\":{" where "}"))

typedef struct {
  const char *wide, *narrow;
  bool covers;
} row;

static void check_rows(const row *rows, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const cloche_policy *wide = load(rows[i].wide), *narrow = load(rows[i].narrow);
    TEST_ROW(rows[i].narrow);
    CHECK_EQ(cloche_policy_covers(wide, narrow), rows[i].covers);
    CHECK(cloche_policy_covers(wide, wide) || rows[i].covers == false);
    cloche_policy_free(wide);
    cloche_policy_free(narrow);
  }
}

TEST(a_pattern_within_another_and_a_bound_that_is_dropped) {
  static const row rows[] = {
      {R(A("")), R(A("")), true},
      {R("{\"pattern\":\"a/**\",\"effect\":\"allow\"}"), R(A("")), true},
      {R("{\"pattern\":\"a/*\",\"effect\":\"allow\"}"), R(A("")), false},
      {R("{\"pattern\":\"a/*\",\"effect\":\"allow\"}"),
       R("{\"pattern\":\"a/**\",\"effect\":\"allow\"}"), false},
      {R(A("")), W("\"x\":{\"<\":5}"), true},
      {W("\"x\":{\"<\":5}"), R(A("")), false}, /* unconstrained is not within constrained */
      {R(A(",\"max_calls\":5")), R(A("")), false},
      {R(A(",\"max_calls\":5")), R(A(",\"max_calls\":5")), true},
      {R(A(",\"max_calls\":5")), R(A(",\"max_calls\":6")), false},
      {R(A(",\"max_calls\":5")), R2(A(",\"max_calls\":3"), A(",\"max_calls\":2")), false},
      {R2(A(""), A(",\"max_calls\":5")), R2(A(",\"max_calls\":3"), A(",\"max_calls\":2")), true},
      {R(A(",\"rate\":{\"calls\":5,\"per\":\"1m\"}")), R(A(",\"max_calls\":3")), false},
      {R(A(",\"rate\":{\"calls\":5,\"per\":\"1m\"}")),
       R(A(",\"rate\":{\"calls\":5,\"per\":\"2m\"}")), true},
      {R(A(",\"expires\":\"2026-01-01\"")), R(A("")), false},
      {R(A("")), R(A(",\"expires\":\"2026-01-01\"")), true},
      {R2(A(""), "{\"pattern\":\"b\",\"effect\":\"deny\"}"), R(A("")), false},
      {R(A("")), R2("{\"pattern\":\"b\",\"effect\":\"deny\"}", A("")), true},
      {R(A("")), R("{\"pattern\":\"b\",\"effect\":\"ask\"}"), false},
      {R(A(",\"unless_label\":\"l\"")), R(A(",\"unless_label\":\"l\"")), false},
      {W("\"x\":{\"<\":5}"), R(A(",\"where\":{\"x\":{\"<\":5}},\"set\":{\"y\":1}")), false},
  };
  check_rows(rows, sizeof rows / sizeof *rows);
}

TEST(a_constraint_within_another) {
  static const row rows[] = {
      {W("\"x\":{\"<=\":5}"), W("\"x\":{\"<\":5}"), true},
      {W("\"x\":{\"<\":5}"), W("\"x\":{\"<=\":5}"), false},
      {W("\"x\":{\"<\":5.5}"), W("\"x\":{\"<=\":5.49999999999999999999}"), true},
      {W("\"x\":{\"<\":5}"), W("\"x\":{\"<\":\"4\"}"), false},
      {W("\"x\":{\"<\":5}"), W("\"y\":{\"<\":4}"), false},
      {W("\"x\":{\">\":5}"), W("\"x\":{\"between\":[6,9]}"), true},
      {W("\"x\":{\"between\":[1,9]}"), W("\"x\":{\">\":2,\"<\":9}"), true},
      {W("\"x\":{\"between\":[1,9]}"), W("\"x\":{\">\":2}"), false},
      {W("\"x\":{\"<\":5}"), W("\"x\":{\"in\":[1,2,4]}"), true},
      {W("\"x\":{\"<\":5}"), W("\"x\":{\"in\":[1,2,5]}"), false},
      {W("\"x\":{\"in\":[1,2]}"), W("\"x\":{\"==\":2.0}"), true},
      {W("\"x\":{\"!=\":7}"), W("\"x\":{\"<\":7}"), true},
      {W("\"x\":{\"!=\":7}"), W("\"x\":{\"<=\":7}"), false},
      {W("\"x\":{\"!=\":\"a\"}"), W("\"x\":{\"<\":7}"), false},
      {W("\"x\":{\"!=\":1}"), W("\"x\":{\"not_in\":[1,2]}"), true},
      {W("\"x\":{\"!=\":1}"), W("\"x\":{\"not_in\":[1,\"b\"]}"), false},
      {W("\"x\":{\"not_in\":[1]}"), W("\"x\":{\"not_in\":[1,2]}"), true},
      {W("\"x\":{\"not_in\":[1,2]}"), W("\"x\":{\"not_in\":[1]}"), false},
      {W("\"x\":{\"starts_with\":\"ab\"}"), W("\"x\":{\"starts_with\":\"abc\"}"), true},
      {W("\"x\":{\"starts_with\":\"abc\"}"), W("\"x\":{\"starts_with\":\"ab\"}"), false},
      {W("\"x\":{\"ends_with\":\"c\"}"), W("\"x\":{\"ends_with\":\"bc\"}"), true},
      {W("\"x\":{\"contains\":\"b\"}"), W("\"x\":{\"starts_with\":\"abc\"}"), true},
      {W("\"x\":{\"contains\":\"b\"}"), W("\"x\":{\"contains\":\"abc\"}"), false}, /* an array */
      {W("\"x\":{\"exists\":true}"), W("\"x\":{\">\":5}"), true},
      {W("\"x\":{\"exists\":true}"), W("\"x\":{\"==\":null}"), false},
      {W("\"x\":{\"exists\":true}"), W("\"x\":{\">\":5,\"optional\":true}"), false},
      {W("\"x\":{\">\":5}"), W("\"x\":{\">\":5,\"optional\":true}"), false},
      {W("\"x\":{\">\":5,\"optional\":true}"), W("\"x\":{\">\":6}"), true},
      {W("\"x\":{\"path_within\":\"/data\"}"), W("\"x\":{\"path_within\":[\"/data/a\"]}"), true},
      {W("\"x\":{\"path_within\":\"/data/a\"}"), W("\"x\":{\"path_within\":\"/data\"}"), false},
      {W("\"x\":{\"matches\":\"a+\"}"), W("\"x\":{\"matches\":\"a+\"}"), true},
      {W("\"x\":{\"matches\":\"a+\"}"), W("\"x\":{\"matches\":\"a\"}"), false},
      {W("\"x\":{\"<\":{\"param\":\"y\"}}"), W("\"x\":{\"<\":{\"param\":\"y\"}}"), true},
      {W("\"x\":{\"==\":{\"param\":\"y\"}}"), W("\"x\":{\"==\":{\"param\":\"z\"}}"), false},
      {W("\"/x\":{\"<\":5}"), W("\"x\":{\"<\":5}"), true},
      {W("\"or\":[{\"x\":{\"<\":5}},{\"y\":{\"<\":5}}]"), W("\"y\":{\"<\":3}"), true},
      {W("\"y\":{\"<\":3}"), W("\"or\":[{\"x\":{\"<\":5}},{\"y\":{\"<\":3}}]"), false},
      {W("\"x\":{\"<\":5}"), W("\"or\":[{\"x\":{\"<\":3}},{\"x\":{\"==\":4}}]"), true},
      {W("\"not\":{\"x\":{\"<\":5}}"), W("\"not\":{\"x\":{\"<\":5}}"), true},
      {W("\"not\":{\"x\":{\"<\":5}}"), W("\"not\":{\"x\":{\"<\":6}}"), false},
      {R(A(",\"closed\":true,\"where\":{\"x\":{\"<\":5}}")), W("\"x\":{\"<\":5}"), false},
      {R(A(",\"closed\":true,\"where\":{\"x\":{\"<\":5}}")),
       R(A(",\"closed\":true,\"where\":{\"x\":{\"<\":4}}")), true},
  };
  check_rows(rows, sizeof rows / sizeof *rows);
}

#define M(effect, more) "{\"pattern\":\"a\",\"effect\":\"" effect "\"" more "}"

TEST(a_tool_is_shown_unless_nothing_can_let_it_through) {
  static const struct {
    const char *policy, *method;
    bool may;
  } rows[] = {
      {R(M("allow", "")), "a", true},
      {R(M("ask", "")), "a", true},
      {R(M("allow", "")), "b", false},
      {R(M("allow", "")), "a/b", false},
      {R("{\"pattern\":\"a/*\",\"effect\":\"allow\"}"), "a/b", true},
      {R("{\"pattern\":\"a/*\",\"effect\":\"allow\"}"), "a.b", true},
      {R(M("deny", "")), "a", false},
      {R2(M("allow", ""), M("deny", "")), "a", false},
      {R2(M("ask", ""), M("deny", ",\"where\":{\"x\":{\"<\":5}}")), "a", true},
      {R2(M("allow", ""), M("deny", ",\"if_label\":[\"l\"]")), "a", true},
      {R(M("deny", ",\"where\":{\"x\":{\"<\":5}}")), "a",
       false}, /* to deny less is no permission */
      {R2(M("allow", ""), M("deny", ",\"expires\":\"2030-01-01T00:00:00Z\"")), "a", true},
      {R(M("allow", ",\"where\":{\"x\":{\"<\":5}}")), "a", true},
      {R(M("allow", ",\"max_calls\":0")), "a", false},
      {R(M("allow", ",\"max_concurrent\":0")), "a", false},
      {R(M("allow", ",\"rate\":{\"calls\":0,\"per\":\"1m\"}")), "a", false},
      {R2(M("allow", ",\"max_calls\":0"), M("allow", ",\"max_calls\":1")), "a", true},
      {R(""), "a", false},
      {R(M("allow", "")), "no name", false},
      {R("{\"pattern\":\"**\",\"effect\":\"allow\"}"), "no name", false},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const cloche_policy *policy = load(rows[i].policy);
    TEST_ROW(rows[i].policy);
    CHECK_EQ(cloche_policy_may_allow(policy, cloche__text(rows[i].method)), rows[i].may);
    cloche_policy_free(policy);
  }
  CHECK_EQ(cloche_policy_may_allow(NULL, cloche__text("a")), false);
}

TEST(a_restriction_hides_what_either_side_does) {
  const cloche_policy *all = load(R("{\"pattern\":\"*\",\"effect\":\"allow\"}"));
  const cloche_policy *one = load(R(M("allow", "")));
  cloche_policy *both;
  char *json;
  size_t len;
  CHECK_EQ(cloche_policy_restrict(all, one, &both), CLOCHE_OK);
  CHECK_EQ(cloche_policy_may_allow(both, cloche__text("a")), true);
  CHECK_EQ(cloche_policy_may_allow(both, cloche__text("b")), false);
  CHECK_EQ(
      cloche_policy_tools(
          both,
          cloche__text("[{\"name\":\"b\"},{\"name\":\"a\"},{},{\"name\":\"a b\"},{\"name\":1}]"),
          &json, &len),
      CLOCHE_OK);
  CHECK_EQ(len, sizeof "[{\"name\":\"a\"}]" - 1);
  free(json);
  cloche_policy_free(all);
  cloche_policy_free(one);
  cloche_policy_free(both);
}

TEST(what_either_side_sets_is_in_no_schema) {
#define SCHEMA(properties, required) "{\"properties\":{" properties "},\"required\":[" required "]}"
#define TOOL(x, y, deep)                                                                       \
  "{\"name\":\"a\",\"input_schema\":" SCHEMA(x y "\"z\":{}", deep) ",\"inputSchema\":" SCHEMA( \
      x y "\"z\":{}", deep) "}"
  static const char *const expected =
      "[" TOOL("", "\"o\":" SCHEMA("\"q\":{}", "\"q\"") ",", "\"z\"") "]";
  const cloche_policy *all = load(R(M("allow", ",\"set\":{\"x\":1}")));
  const cloche_policy *one = load(R(M("allow", ",\"set\":{\"o/p\":1}")));
  cloche_policy *both;
  char *json;
  size_t len;
  CHECK_EQ(cloche_policy_restrict(all, one, &both), CLOCHE_OK);
  CHECK_EQ(
      cloche_policy_tools(both,
                          cloche__text("[" TOOL(
                              "\"x\":{},", "\"o\":" SCHEMA("\"p\":{},\"q\":{}", "\"q\",\"p\"") ",",
                              "\"x\",\"z\"") "]"),
                          &json, &len),
      CLOCHE_OK);
  CHECK(len == strlen(expected) && memcmp(json, expected, len) == 0);
  free(json);
  CHECK_EQ(cloche_policy_tools(both, cloche__text("{\"name\":\"a\"}"), &json, &len),
           CLOCHE_E_ARGUMENT);
  cloche_policy_free(all);
  cloche_policy_free(one);
  cloche_policy_free(both);
}

TEST_MAIN(TEST_ENTRY(a_tool_is_shown_unless_nothing_can_let_it_through),
          TEST_ENTRY(what_either_side_sets_is_in_no_schema),
          TEST_ENTRY(a_restriction_hides_what_either_side_does),
          TEST_ENTRY(a_pattern_within_another_and_a_bound_that_is_dropped),
          TEST_ENTRY(a_constraint_within_another))
