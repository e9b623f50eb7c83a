// SPDX-License-Identifier: MIT
/* gate_policy_test.c -- what is no policy, drafts, round trips, lint, reports. */
#include "gate_help.h"

#define R(...) "{\"rules\":[" __VA_ARGS__ "]}"
#define RULE(...) R("{\"pattern\":\"a\",\"effect\":\"allow\"," __VA_ARGS__ "}")
#define WHERE(...) RULE("\"where\":{\"x\":" __VA_ARGS__ "}")

TEST(what_is_unknown_or_useless_is_an_error_with_its_place) {
  static const struct {
    const char *policy, *path, *part;
  } rows[] = {
      {"[]", "", "type object"},
      {"{}", "", "needs \"rules\""},
      {"{\"rules\":{}}", "/rules", "type array"},
      {"{\"rulse\":[]}", "/rulse", "did you mean \"rules\""},
      {R("1"), "/rules/0", "type object"},
      {R("{}"), "/rules/0", "pattern"},
      {R("{\"pattern\":\"a\"}"), "/rules/0/effect", "effect"},
      {R("{\"pattern\":\"a\",\"effect\":\"Allow\"}"), "/rules/0/effect",
       "\"allow\", \"deny\" or \"ask\""},
      {R("{\"pattern\":\"a//b\",\"effect\":\"allow\"}"), "/rules/0/pattern", "empty segment"},
      {R("{\"pattern\":\"a**\",\"effect\":\"allow\"}"), "/rules/0/pattern", "alone"},
      {R("{\"pattern\":5,\"effect\":\"allow\"}"), "/rules/0/pattern", "type string"},
      {RULE("\"max_call\":1"), "/rules/0/max_call", "did you mean \"max_calls\""},
      {RULE("\"max_calls\":-1"), "/rules/0/max_calls", "whole number"},
      {RULE("\"max_calls\":1.5"), "/rules/0/max_calls", "whole number"},
      {RULE("\"max_calls\":\"5\""), "/rules/0/max_calls", "whole number"},
      {RULE("\"rate\":{\"calls\":5}"), "/rules/0/rate/per", "\"1h\""},
      {RULE("\"rate\":{\"per\":\"1h\"}"), "/rules/0/rate", "\"calls\""},
      {RULE("\"rate\":{\"calls\":5,\"per\":\"0s\"}"), "/rules/0/rate/per", "time"},
      {RULE("\"rate\":{\"calls\":10001,\"per\":\"1s\"}"), "/rules/0/rate", "at most"},
      {RULE("\"total\":{}"), "/rules/0/total", "one parameter"},
      {RULE("\"total\":{\"n\":{\"<\":5}}"), "/rules/0/total/n/<", "no such field"},
      {RULE("\"total\":{\"n\":{\"<=\":-5}}"), "/rules/0/total/n", "0 or more"},
      {RULE("\"total\":{\"n/*\":{\"<=\":5}}"), "/rules/0/total/n~1*", "*"},
      {RULE("\"refund_on_error\":true"), "/rules/0/refund_on_error", "no budget"},
      {RULE("\"budget\":\"b\""), "/rules/0/budget", "has no \"b\""},
      {"{\"budgets\":{\"spend\":{\"max_calls\":1}},\"rules\":[{\"pattern\":\"a\",\"effect\":"
       "\"allow\",\"budget\":\"spned\"}]}",
       "/rules/0/budget", "did you mean \"spend\""},
      {"{\"budgets\":{\"b\":{}},\"rules\":[]}", "/budgets/b", "bounds nothing"},
      {RULE("\"expires\":\"soon\""), "/rules/0/expires", "zone"},
      {RULE("\"expires\":\"2026-01-01T00:00:00\""), "/rules/0/expires", "zone"},
      {RULE("\"approve_up_to\":2"), "/rules/0/approve_up_to", "asks"},
      {R("{\"pattern\":\"a\",\"effect\":\"ask\",\"approve_up_to\":0}"), "/rules/0", "1 to"},
      {R("{\"pattern\":\"a\",\"effect\":\"deny\",\"max_calls\":2}"), "/rules/0/max_calls",
       "denies"},
      {R("{\"pattern\":\"a\",\"effect\":\"deny\",\"set\":{\"a\":1}}"), "/rules/0/set", "denies"},
      {R("{\"pattern\":\"a\",\"effect\":\"deny\",\"closed\":true}"), "/rules/0/closed", "denies"},
      {RULE("\"closed\":1"), "/rules/0/closed", "boolean"},
      {RULE("\"set\":{\"a\":1,\"a/b\":2}"), "/rules/0/set/a~1b", "overlaps"},
      {RULE("\"set\":{\"a/0\":1}"), "/rules/0/set/a~10", "arrays"},
      {RULE("\"set\":{\"*\":1}"), "/rules/0/set/*", "*"},
      {RULE("\"after\":[]}, {\"pattern\":\"b\",\"effect\":\"nope\""), "/rules/1/effect", "effect"},
      {RULE("\"after\":{\"same\":\"id\"}"), "/rules/0/after", "\"call\""},
      {RULE("\"after\":5"), "/rules/0/after", "object"},
      {RULE("\"after\":{\"call\":\"b\",\"same\":5}"), "/rules/0/after/same", "parameter"},
      {RULE("\"not_after\":[\"b\",\"c//d\"]"), "/rules/0/not_after/1", "empty segment"},
      {RULE("\"adds\":[]"), "/rules/0/adds", "empty list"},
      {RULE("\"adds\":\"\""), "/rules/0/adds", "64 bytes"},
      {RULE("\"unless_label\":5"), "/rules/0/unless_label", "array"},
      {RULE("\"name\":\"\""), "/rules/0/name", "128"},
      {R("{\"name\":\"n\",\"pattern\":\"a\",\"effect\":\"allow\"},{\"name\":\"n\",\"pattern\":"
         "\"b\",\"effect\":\"allow\"}"),
       "/rules/1", "already"},
      {RULE("\"secret\":\"a//b\""), "/rules/0/secret", "empty part"},
      {"{\"secrets\":{\"a**\":\"x\"},\"rules\":[]}", "/secrets/a**", "alone"},
      {RULE("\"where\":{}"), "/rules/0/where", "no constraint"},
      {RULE("\"where\":[]"), "/rules/0/where", "type object"},
      {WHERE("5"), "/rules/0/where/x", "\"==\""},
      {WHERE("{}"), "/rules/0/where/x", "no operator"},
      {WHERE("{\"optional\":true}"), "/rules/0/where/x", "no operator"},
      {WHERE("{\"=<\":5}"), "/rules/0/where/x/=<", "did you mean \"<=\""},
      {WHERE("{\"startsWith\":\"a\"}"), "/rules/0/where/x/startsWith",
       "did you mean \"starts_with\""},
      {WHERE("{\"regex\":\"a\"}"), "/rules/0/where/x/regex", "no such operator"},
      {WHERE("{\"<\":null}"), "/rules/0/where/x/<", "number or a string"},
      {WHERE("{\"<\":true}"), "/rules/0/where/x/<", "number or a string"},
      {WHERE("{\"==\":{\"a\":1}}"), "/rules/0/where/x/==", "\"value\""},
      {WHERE("{\"==\":{\"param\":5}}"), "/rules/0/where/x/==/param", "string"},
      {WHERE("{\"==\":{\"param\":\"a/*\"}}"), "/rules/0/where/x/==/param", "*"},
      {WHERE("{\"in\":\"a\"}"), "/rules/0/where/x/in", "array"},
      {WHERE("{\"in\":[]}"), "/rules/0/where/x/in", "holds nothing"},
      {WHERE("{\"between\":[1]}"), "/rules/0/where/x/between", "lowest"},
      {WHERE("{\"between\":[2,1]}"), "/rules/0/where/x/between", "above"},
      {WHERE("{\"between\":[1,\"a\"]}"), "/rules/0/where/x/between", "two numbers"},
      {WHERE("{\"starts_with\":5}"), "/rules/0/where/x/starts_with", "string"},
      {WHERE("{\"matches\":\"(\"}"), "/rules/0/where/x/matches", "never closed"},
      {WHERE("{\"matches\":\"(a)\\\\1\"}"), "/rules/0/where/x/matches", "linear"},
      {WHERE("{\"exists\":false}"), "/rules/0/where/x/exists", "only true"},
      {WHERE("{\"type\":\"int\"}"), "/rules/0/where/x/type", "integer"},
      {WHERE("{\"type\":[]}"), "/rules/0/where/x/type", "empty"},
      {WHERE("{\"length\":\"a\"}"), "/rules/0/where/x/length", "object"},
      {WHERE("{\"all\":5}"), "/rules/0/where/x/all", "object"},
      {WHERE("{\"any\":{\"where\":{}}}"), "/rules/0/where/x/any/where", "no constraint"},
      {WHERE("{\"path_within\":\"\"}"), "/rules/0/where/x/path_within", "folders"},
      {WHERE("{\"path_within\":\"/a\\\\b\"}"), "/rules/0/where/x/path_within", "folders"},
      {WHERE("{\"url\":{\"hots\":\"a.com\"}}"), "/rules/0/where/x/url/hots",
       "did you mean \"host\""},
      {WHERE("{\"url\":{\"host\":\"https://a.com\"}}"), "/rules/0/where/x/url/host", "no host"},
      {WHERE("{\"url\":{\"host\":\"*\"}}"), "/rules/0/where/x/url/host", "no host"},
      {WHERE("{\"url\":{\"port\":65536}}"), "/rules/0/where/x/url/port", "65535"},
      {WHERE("{\"url\":{\"scheme\":\"HTTPS\"}}"), "/rules/0/where/x/url/scheme", "lower case"},
      {WHERE("{\"url\":{\"path\":\"api\"}}"), "/rules/0/where/x/url/path", "slash"},
      {WHERE("{\"url\":\"a.com\"}"), "/rules/0/where/x/url", "object"},
      {WHERE("{\"email_domain\":\"a@b.com\"}"), "/rules/0/where/x/email_domain", "no host"},
      {WHERE("{\"before\":\"now\"}"), "/rules/0/where/x/before", "time"},
      {WHERE("{\"before\":5}"), "/rules/0/where/x/before", "time"},
      {RULE("\"where\":{\"and\":{}}"), "/rules/0/where/and", "array"},
      {RULE("\"where\":{\"or\":[]}"), "/rules/0/where/or", "decides nothing"},
      {RULE("\"where\":{\"not\":[]}"), "/rules/0/where/not", "object"},
      {RULE("\"where\":{\"a//b\":{\"==\":1}}"), "/rules/0/where/a~1~1b", "empty part"},
      {RULE("\"where\":{\"\":{\"==\":1}}"), "/rules/0/where/", "empty part"},
      {RULE("\"where\":{\"x\":{\"optional\":1,\"==\":1}}"), "/rules/0/where/x/optional", "boolean"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    cloche_policy *policy = NULL;
    cloche_problem problem = {0};
    TEST_ROW(rows[i].policy);
    cloche_status status =
        cloche_policy_load(cloche__text(rows[i].policy), (cloche_text){0}, &policy, &problem);
    CHECK_EQ(status, CLOCHE_E_POLICY);
    CHECK_STR(problem.path, rows[i].path);
    if (strstr(problem.message, rows[i].part) == NULL)
      fprintf(stderr, "  said: %s\n", problem.message);
    CHECK(strstr(problem.message, rows[i].part) != NULL);
    CHECK(policy == NULL);
    CHECK_EQ(cloche_policy_load(cloche__text(rows[i].policy), (cloche_text){0}, &policy, NULL),
             CLOCHE_E_POLICY);
  }
}

TEST(broken_json_has_line_and_column) {
  cloche_policy *policy = NULL;
  cloche_problem problem = {0};
  CHECK_EQ(
      cloche_policy_load(cloche__text("{\n \"rules\": [,]}"), (cloche_text){0}, &policy, &problem),
      CLOCHE_E_JSON);
  CHECK_EQ(problem.line, 2);
  CHECK_EQ(problem.column, 12);
  CHECK_EQ(cloche_policy_load(cloche__text("{\"rules\":[],\"rules\":[]}"), (cloche_text){0},
                              &policy, &problem),
           CLOCHE_E_JSON);
  CHECK_EQ(cloche_policy_load((cloche_text){"", 0}, (cloche_text){0}, &policy, &problem),
           CLOCHE_E_JSON);
}

TEST(a_misspelt_tool_is_an_error_wherever_a_pattern_stands) {
  static const char tools[] = "[{\"name\":\"stripe.charges.create\"},{\"name\":\"mail\"}]";
  static const struct {
    const char *policy, *path;
  } rows[] = {
      {R("{\"pattern\":\"stripe/charge/create\",\"effect\":\"allow\"}"), "/rules/0/pattern"},
      {R("{\"pattern\":\"mial\",\"effect\":\"deny\"}"), "/rules/0/pattern"},
      {R("{\"pattern\":\"mail\",\"effect\":\"allow\",\"after\":\"mali\"}"), "/rules/0/after"},
      {"{\"secrets\":{\"maill\":\"x\"},\"rules\":[]}", "/secrets/maill"}};
  for (size_t i = 0; i < 4; i++) {
    cloche_policy *policy = NULL;
    cloche_problem problem;
    TEST_ROW(rows[i].policy);
    CHECK_EQ(
        cloche_policy_load(cloche__text(rows[i].policy), cloche__text(tools), &policy, &problem),
        CLOCHE_E_POLICY);
    CHECK_STR(problem.path, rows[i].path);
    CHECK(strstr(problem.message, "did you mean") != NULL);
  }
  cloche_policy_free(load_with(R("{\"pattern\":\"mcp:stripe.charges.create\",\"effect\":\"allow\"},"
                                 "{\"pattern\":\"other/**\",\"effect\":\"deny\"}"),
                               tools));
  cloche_policy *policy = NULL;
  cloche_problem problem;
  CHECK_EQ(cloche_policy_load(cloche__text("{\"rules\":[]}"),
                              cloche__text("[{\"name\":\"a.b\"},{\"name\":\"a/b\"}]"), &policy,
                              &problem),
           CLOCHE_E_POLICY);
  CHECK_STR(problem.path, "/tools/1");
  CHECK_EQ(
      cloche_policy_load(cloche__text("{\"rules\":[]}"),
                         cloche__text("[{\"name\":\"a\",\"inputSchema\":{\"typ\":\"object\"}}]"),
                         &policy, &problem),
      CLOCHE_E_POLICY);
  CHECK_STR(problem.path, "/tools/0/inputSchema/typ");
}

TEST(an_unnamed_rule_keeps_its_key_when_others_come_and_go) {
  const cloche_policy *policy =
      load(R("{\"pattern\":\"x\",\"effect\":\"allow\"},{\"pattern\":\"a.b\",\"effect\":\"allow\"},{"
             "\"pattern\":\"a/b\",\"effect\":\"allow\"},{\"name\":\"n\",\"pattern\":\"a/"
             "b\",\"effect\":\"allow\"},{\"pattern\":\"mcp:a.b\",\"effect\":\"deny\"}"));
  static const char *const keys[] = {"x", "a/b", "a/b#2", "n", "a/b#3"};
  for (int i = 0; i < 5; i++)
    CHECK(cloche__text_equal(policy->layers[0].layer->rules[i].key, cloche__text(keys[i])));
  cloche_policy_free(policy);
}

TEST(a_policy_survives_being_written) {
  const char *text =
      "{\"name\":\"p\",\"budgets\":{\"b\":{\"total\":{\"n\":{\"<=\":9007199254740993}}}},\"rules\":"
      "[{\"pattern\":\"a\",\"effect\":\"allow\",\"budget\":\"b\",\"where\":{\"n\":{\"<=\":1e400}}}]"
      "}";
  const cloche_policy *policy = load(text);
  char *json = NULL;
  size_t len;
  CHECK_EQ(cloche_policy_save(policy, &json, &len), CLOCHE_OK);
  CHECK(cloche__text_equal((cloche_text){json, len}, cloche__text(text)));
  free(json);
  cloche_policy_free(policy);
}

/* ---- drafts ---- */

static cloche_text t(const char *text) {
  return cloche__text(text);
}

TEST(a_draft_loads_as_its_document_would) {
  cloche_draft *draft = NULL;
  cloche_policy *policy = NULL;
  cloche_problem problem = {0};
  CHECK_EQ(cloche_draft_new(&draft), CLOCHE_OK);
  cloche_draft_budget(draft, t("b"), t("{\"max_calls\":2}"));
  cloche_draft_rule(draft, t("pay"), CLOCHE_ALLOW);
  cloche_draft_where(draft, t("amount"), t(">"), t("0"));
  cloche_draft_where(draft, t("amount"), t("<="), t("100"));
  cloche_draft_field(draft, t("budget"), t("\"b\""));
  cloche_draft_rule(draft, t("pay"), CLOCHE_DENY);
  cloche_draft_where(draft, t("to"), t("=="), t("\"mallory\""));
  CHECK_EQ(cloche_draft_load(draft, (cloche_text){0}, &policy, &problem), CLOCHE_OK);
  cloche_gate *gate = gate_over(policy, NULL);
  CHECK_EQ(call(gate, "pay", "{\"amount\":100,\"to\":\"bob\"}"), CLOCHE_ALLOW);
  DENIED(gate, "pay", "{\"amount\":101,\"to\":\"bob\"}", "constraint");
  DENIED(gate, "pay", "{\"amount\":1,\"to\":\"mallory\"}", "rule");
  CHECK_EQ(call(gate, "pay", "{\"amount\":1,\"to\":\"bob\"}"), CLOCHE_ALLOW);
  DENIED(gate, "pay", "{\"amount\":1,\"to\":\"bob\"}", "budget");
  cloche_gate_free(gate);
  cloche_policy_free(policy);
  cloche_draft_field(draft, t("max_cals"), t("5"));
  CHECK_EQ(cloche_draft_load(draft, (cloche_text){0}, &policy, &problem), CLOCHE_E_POLICY);
  CHECK_STR(problem.path, "/rules/1/max_cals");
  cloche_draft_free(draft);
}

TEST(an_operand_cannot_break_out_of_its_place) {
  static const char *const operands[] = {"1}},{\"pattern\":\"**\",\"effect\":\"allow\"",
                                         "1,\"x\":2", "", "]", "1 2"};
  for (size_t i = 0; i < sizeof operands / sizeof *operands; i++) {
    cloche_draft *draft = NULL;
    cloche_policy *policy = NULL;
    TEST_ROW(operands[i]);
    CHECK_EQ(cloche_draft_new(&draft), CLOCHE_OK);
    cloche_draft_rule(draft, t("a"), CLOCHE_ALLOW);
    cloche_draft_where(draft, t("x"), t("=="), t(operands[i]));
    CHECK_EQ(cloche_draft_load(draft, (cloche_text){0}, &policy, NULL), CLOCHE_E_JSON);
    cloche_draft_free(draft);
  }
}

/* ---- lint ---- */

static const char tools[] =
    "[{\"name\":\"pay\",\"input_schema\":{\"type\":\"object\",\"properties\":{\"amount\":{\"type\":"
    "\"integer\"},\"to\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
    "\"email\":{}},\"additionalProperties\":false}}},"
    "\"additionalProperties\":false}},{\"name\":\"list\"},{\"name\":\"free\",\"input_schema\":{"
    "\"type\":\"object\"}}]";

TEST(lint_finds_what_was_probably_not_meant) {
  static const struct {
    const char *policy, *codes;
  } rows[] = {
      {R("{\"pattern\":\"pay\",\"effect\":\"allow\",\"where\":{\"amount\":{\"<=\":5}}}"), ""},
      {R("{\"pattern\":\"api/**\",\"effect\":\"deny\"}"), "no_tool"},
      {R("{\"pattern\":\"pay\",\"effect\":\"allow\"}"), "unconstrained"},
      {R("{\"pattern\":\"list\",\"effect\":\"allow\",\"max_calls\":1},{\"pattern\":\"**\","
         "\"effect\":\"deny\"}"),
       "shadowed"},
      {R("{\"pattern\":\"list\",\"effect\":\"allow\",\"max_calls\":1},{\"pattern\":\"l*\","
         "\"effect\":\"ask\"}"),
       "shadowed"},
      {R("{\"pattern\":\"l*\",\"effect\":\"allow\"},{\"pattern\":\"list\",\"effect\":\"allow\","
         "\"max_calls\":1}"),
       "unconstrained shadowed"},
      {R("{\"pattern\":\"l*\",\"effect\":\"allow\",\"max_calls\":5},{\"pattern\":\"list\","
         "\"effect\":\"allow\",\"max_calls\":1}"),
       ""},
      {R("{\"pattern\":\"list\",\"effect\":\"allow\",\"max_calls\":1},{\"pattern\":\"list\","
         "\"effect\":\"deny\",\"where\":{\"x\":{\"==\":1}}}"),
       ""},
      {R("{\"pattern\":\"pay\",\"effect\":\"allow\",\"where\":{\"amuont\":{\"<=\":5}}}"),
       "no_param"},
      {R("{\"pattern\":\"pay\",\"effect\":\"allow\",\"where\":{\"to/0/"
         "email\":{\"exists\":true},\"to/*/email\":{\"exists\":true}}}"),
       ""},
      {R("{\"pattern\":\"pay\",\"effect\":\"allow\",\"where\":{\"to/*/mail\":{\"exists\":true}}}"),
       "no_param"},
      {R("{\"pattern\":\"free\",\"effect\":\"allow\",\"where\":{\"what/ever\":{\"exists\":true}}}"),
       ""},
      {R("{\"pattern\":\"pay\",\"effect\":\"allow\",\"total\":{\"sum\":{\"<=\":5}}}"), "no_param"},
      {R("{\"pattern\":\"pay\",\"effect\":\"deny\",\"where\":{\"to/*/email\":{\"==\":\"x\"}}}"),
       "every"},
      {R("{\"pattern\":\"list\",\"effect\":\"allow\",\"where\":{\"x\":{\">\":5,\"<\":5}}}"),
       "never"},
      {R("{\"pattern\":\"list\",\"effect\":\"allow\",\"where\":{\"x\":{\">=\":5,\"<=\":5}}}"), ""},
      {R("{\"pattern\":\"list\",\"effect\":\"allow\",\"where\":{\"x\":{\"in\":[1,2]},\"and\":[{"
         "\"x\":{\">\":2}}]}}"),
       "never"},
      {R("{\"pattern\":\"list\",\"effect\":\"allow\",\"where\":{\"x\":{\"==\":\"a\",\"starts_"
         "with\":\"b\"}}}"),
       "never"},
      {R("{\"pattern\":\"list\",\"effect\":\"allow\",\"where\":{\"x\":{\">\":5,\"<=\":\"a\"}}}"),
       "never"},
      {R("{\"pattern\":\"list\",\"effect\":\"allow\",\"where\":{\"or\":[{\"x\":{\"==\":1}},{\"x\":{"
         "\"==\":2}}]}}"),
       ""},
      {R("{\"pattern\":\"list\",\"effect\":\"allow\",\"where\":{\"x\":{\"exists\":true,\"not_"
         "exists\":true}}}"),
       "never"},
      {R("{\"pattern\":\"list\",\"effect\":\"allow\",\"max_calls\":1,\"expires\":\"1970-01-01\"}"),
       "expired"},
      {"{\"budgets\":{\"b\":{\"max_calls\":1}},\"rules\":[]}", "unused"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const cloche_policy *policy = load_with(rows[i].policy, tools);
    char *text = NULL, codes[200] = "";
    size_t len, count, counted = 0;
    cloche__json_doc doc = {0};
    TEST_ROW(rows[i].policy);
    CHECK_EQ(cloche_policy_lint(policy, 0, true, &text, &len, &count), CLOCHE_OK);
    CHECK_EQ(cloche__json_parse((cloche_text){text, len}, NULL, &doc, NULL), CLOCHE_OK);
    for (size_t k = 0; k < doc.root.count; k++) {
      const cloche__json *code = cloche__json_get(&doc.root.items[k], "code");
      snprintf(codes + strlen(codes), sizeof codes - strlen(codes), "%s%.*s", k > 0 ? " " : "",
               (int)code->count, code->text);
    }
    CHECK_STR(codes, rows[i].codes);
    CHECK_EQ(count, doc.root.count);
    free(text);
    CHECK_EQ(cloche_policy_lint(policy, 0, false, &text, &len, &counted), CLOCHE_OK);
    CHECK_EQ(counted, count);
    CHECK_EQ(len > 0, count > 0);
    free(text);
    cloche__json_free(&doc);
    cloche_policy_free(policy);
  }
}

TEST(lint_says_which_rule_shadows_which) {
  const cloche_policy *policy =
      load(R("{\"pattern\":\"api.x\",\"effect\":\"allow\",\"max_calls\":1},{\"name\":\"none\","
             "\"pattern\":\"**\",\"effect\":\"deny\"}"));
  char *text = NULL;
  size_t len;
  CHECK_EQ(cloche_policy_lint(policy, 0, false, &text, &len, NULL), CLOCHE_OK);
  CHECK(cloche__text_equal((cloche_text){text, len},
                           t("/rules/0 \"api/x\": is shadowed by the rule \"none\", which denies "
                             "all that it matches.\n")));
  free(text);
  cloche_policy_free(policy);
}

/* ---- reports ---- */

TEST(a_report_shows_every_rule_that_was_looked_at) {
  cloche_gate *gate = gate_for(
      "{\"budgets\":{\"b\":{\"total\":{\"amount\":{\"<=\":50}}}},\"rules\":[{\"name\":\"small\","
      "\"pattern\":\"pay\",\"effect\":\"allow\",\"where\":{\"amount\":{\"<=\":10},\"or\":[{\"to\":{"
      "\"==\":\"a\"}},{\"not\":{\"to\":{\"exists\":true}}}]},\"budget\":\"b\"},"
      "{\"name\":\"big\",\"pattern\":\"pay\",\"effect\":\"ask\",\"where\":{\"amount\":{\">\":10}},"
      "\"reason\":\"much\",\"unless_label\":\"x\",\"approve_up_to\":3}]}");
  static const struct {
    const char *params, *want;
  } rows[] = {
      {"{\"amount\":5}",
       "allow pay (allowed)\n  The rule \"small\" allows it.\n  params: {\"amount\":5}\n  rule "
       "\"small\": allow pay -> applies\n    amount <= 10: yes\n    one of: yes\n      to == "
       "\"a\": unclear\n      not: yes\n        to exists true: no\n"
       "    budget budgets/b: total amount <= 50, 0 calls so far\n  rule \"big\": ask pay -> does "
       "not apply\n    labels: unless x: yes\n    amount > 10: no\n"},
      {"{\"amount\":50}",
       "ask pay (approval)\n  The rule \"big\" asks for approval.\n  reason: much\n  one approval "
       "may cover 3 calls of this tool\n  params: {\"amount\":50}\n  rule \"small\": allow pay -> "
       "does not apply\n    amount <= 10: no\n    one of: yes\n      to == \"a\": unclear\n      "
       "not: yes\n        to exists true: no\n"
       "    budget budgets/b: total amount <= 50, 0 calls so far\n  rule \"big\": ask pay -> "
       "applies\n    labels: unless x: yes\n    amount > 10: yes\n"},
      {"[",
       "deny (params)\n  The parameters are not JSON: line 1, column 2: A value is missing at the "
       "end of the text.\n"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char *text = NULL;
    size_t len;
    cloche_question question = {t("pay"), t(rows[i].params), 0};
    TEST_ROW(rows[i].params);
    CHECK_EQ(cloche_gate_report(gate, &question, false, &decided, &text, &len), CLOCHE_OK);
    text = realloc(text, len + 1);
    text[len] = '\0';
    CHECK_STR(text, rows[i].want);
    free(text);
  }
  char *text = NULL;
  size_t len;
  cloche_question question = {t("pay"), t("{\"amount\":50}"), 0};
  CHECK_EQ(cloche_gate_report(gate, &question, true, &decided, &text, &len), CLOCHE_OK);
  CHECK(cloche__text_equal(
      (cloche_text){text, len},
      t("{\"effect\":\"ask\",\"code\":\"approval\",\"message\":\"The rule \\\"big\\\" asks for "
        "approval.\",\"method\":\"pay\",\"rule\":\"big\",\"reason\":\"much\",\"params\":{"
        "\"amount\":50},\"approve_up_to\":3}")));
  free(text);
  cloche_gate_free(gate);
}

TEST_MAIN(TEST_ENTRY(what_is_unknown_or_useless_is_an_error_with_its_place),
          TEST_ENTRY(broken_json_has_line_and_column),
          TEST_ENTRY(a_misspelt_tool_is_an_error_wherever_a_pattern_stands),
          TEST_ENTRY(an_unnamed_rule_keeps_its_key_when_others_come_and_go),
          TEST_ENTRY(a_policy_survives_being_written),
          TEST_ENTRY(a_draft_loads_as_its_document_would),
          TEST_ENTRY(an_operand_cannot_break_out_of_its_place),
          TEST_ENTRY(lint_finds_what_was_probably_not_meant),
          TEST_ENTRY(lint_says_which_rule_shadows_which),
          TEST_ENTRY(a_report_shows_every_rule_that_was_looked_at))
