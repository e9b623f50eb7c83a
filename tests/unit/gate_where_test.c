// SPDX-License-Identifier: MIT
/* gate_where_test.c -- every operator on every JSON type, three-valued. */
#include "gate_help.h"

enum { F = CLOCHE__FALSE, T = CLOCHE__TRUE, U = CLOCHE__UNDEFINED };

/* What `where` says of `params`: true when an allow holds, undefined when a deny would stop it that
 * its negation would stop as well. */
static int ask(const char *where, const char *params) {
  char text[2000];
  snprintf(text, sizeof text,
           "{\"rules\":[{\"pattern\":\"is\",\"effect\":\"allow\",\"where\":%s},"
           "{\"pattern\":\"not\",\"effect\":\"allow\",\"where\":{\"not\":%s}},"
           "{\"pattern\":\"stop\",\"effect\":\"allow\"},{\"pattern\":\"stop\",\"effect\":\"deny\","
           "\"where\":%s},"
           "{\"pattern\":\"ask\",\"effect\":\"ask\",\"where\":%s}]}",
           where, where, where, where);
  cloche_gate *gate = gate_for(text);
  bool is = check(gate, "is", params) == CLOCHE_ALLOW,
       is_not = check(gate, "not", params) == CLOCHE_ALLOW;
  bool stops = check(gate, "stop", params) == CLOCHE_DENY,
       asks = check(gate, "ask", params) == CLOCHE_ASK;
  cloche_gate_free(gate);
  CHECK(!(is && is_not));
  int found = is ? T : is_not ? F : U;
  CHECK_EQ(stops, found != F); /* deny and ask apply on true or undefined */
  CHECK_EQ(asks, found != F);
  return found;
}

/* The values a parameter may have, in this order: missing, null, false, true, 5, -1.5, "b", "",
 * [5], [], {"a":5}, {} */
static const char *const values[] = {NULL,    "null", "false", "true", "5",         "-1.5",
                                     "\"b\"", "\"\"", "[5]",   "[]",   "{\"a\":5}", "{}"};
enum { VALUES = sizeof values / sizeof *values };

TEST(every_operator_answers_for_every_type) {
  static const struct {
    const char *operators;
    int want[VALUES];
  } rows[] = {
      /*                              miss null false true 5  -1.5 "b" ""  [5] []  {a} {} */
      {"{\"<\":5}", {U, U, U, U, F, T, U, U, U, U, U, U}},
      {"{\"<=\":5}", {U, U, U, U, T, T, U, U, U, U, U, U}},
      {"{\">\":-1.5}", {U, U, U, U, T, F, U, U, U, U, U, U}},
      {"{\">=\":5}", {U, U, U, U, T, F, U, U, U, U, U, U}},
      {"{\"<\":\"b\"}", {U, U, U, U, U, U, F, T, U, U, U, U}},
      {"{\">=\":\"b\"}", {U, U, U, U, U, U, T, F, U, U, U, U}},
      {"{\"==\":5}", {U, U, U, U, T, F, U, U, U, U, U, U}},
      {"{\"==\":5.0}", {U, U, U, U, T, F, U, U, U, U, U, U}},
      {"{\"!=\":5}", {U, U, U, U, F, T, U, U, U, U, U, U}},
      {"{\"==\":true}", {U, U, F, T, U, U, U, U, U, U, U, U}},
      {"{\"==\":\"b\"}", {U, U, U, U, U, U, T, F, U, U, U, U}},
      {"{\"==\":null}", {U, T, F, F, F, F, F, F, F, F, F, F}},
      {"{\"!=\":null}", {U, F, T, T, T, T, T, T, T, T, T, T}},
      {"{\"==\":[5]}", {U, U, U, U, U, U, U, U, T, F, U, U}},
      {"{\"==\":{\"value\":{\"a\":5}}}", {U, U, U, U, U, U, U, U, U, U, T, F}},
      {"{\"in\":[5,\"b\"]}", {U, U, U, U, T, F, T, F, U, U, U, U}},
      {"{\"in\":[null]}", {U, T, U, U, U, U, U, U, U, U, U, U}},
      {"{\"not_in\":[5,\"b\"]}", {U, U, U, U, F, T, F, T, U, U, U, U}},
      {"{\"between\":[0,5]}", {U, U, U, U, T, F, U, U, U, U, U, U}},
      {"{\"between\":[\"a\",\"c\"]}", {U, U, U, U, U, U, T, F, U, U, U, U}},
      {"{\"starts_with\":\"b\"}", {U, U, U, U, U, U, T, F, U, U, U, U}},
      {"{\"ends_with\":\"b\"}", {U, U, U, U, U, U, T, F, U, U, U, U}},
      {"{\"contains\":\"b\"}", {U, U, U, U, U, U, T, F, U, F, U, U}},
      {"{\"contains\":5}", {U, U, U, U, U, U, U, U, T, F, U, U}},
      {"{\"matches\":\"[a-c]\"}", {U, U, U, U, U, U, T, F, U, U, U, U}},
      {"{\"glob\":\"?\"}", {U, U, U, U, U, U, T, F, U, U, U, U}},
      {"{\"length\":1}", {U, U, U, U, U, U, T, F, T, F, T, F}},
      {"{\"length\":{\"<\":1}}", {U, U, U, U, U, U, F, T, F, T, F, T}},
      {"{\"type\":\"number\"}", {U, F, F, F, T, T, F, F, F, F, F, F}},
      {"{\"type\":\"integer\"}", {U, F, F, F, T, F, F, F, F, F, F, F}},
      {"{\"type\":[\"null\",\"object\"]}", {U, T, F, F, F, F, F, F, F, F, T, T}},
      {"{\"exists\":true}", {F, F, T, T, T, T, T, T, T, T, T, T}},
      {"{\"not_exists\":true}", {T, T, F, F, F, F, F, F, F, F, F, F}},
      {"{\"all\":{\"==\":5}}", {U, U, U, U, U, U, U, U, T, T, U, U}},
      {"{\"any\":{\"==\":5}}", {U, U, U, U, U, U, U, U, T, F, U, U}},
      {"{\"none\":{\"==\":5}}", {U, U, U, U, U, U, U, U, F, T, U, U}},
      {"{\"all\":{\"==\":\"b\"}}", {U, U, U, U, U, U, U, U, U, T, U, U}},
      {"{\"where\":{\"a\":{\"==\":5}}}", {U, U, U, U, U, U, U, U, U, U, T, U}},
      {"{\"path_within\":\"b\"}", {U, U, U, U, U, U, T, U, U, U, U, U}},
      {"{\"url\":{}}", {U, U, U, U, U, U, U, U, U, U, U, U}},
      {"{\"email_domain\":\"b.example\"}", {U, U, U, U, U, U, U, U, U, U, U, U}},
      {"{\"before\":\"2026-01-01\"}", {U, U, U, U, U, U, U, U, U, U, U, U}},
      {"{\"after\":\"2026-01-01\"}", {U, U, U, U, U, U, U, U, U, U, U, U}},
      {"{\"==\":{\"param\":\"y\"}}", {U, U, U, U, T, F, U, U, U, U, U, U}}, /* y is 5 */
      {"{\"<\":{\"param\":\"y\"}}", {U, U, U, U, F, T, U, U, U, U, U, U}},
      {"{\"==\":5,\"optional\":true}", {T, U, U, U, T, F, U, U, U, U, U, U}},
      {"{\"type\":\"string\",\"optional\":true}", {T, F, F, F, F, F, T, T, F, F, F, F}},
  };
  static char row[200];
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char where[300], params[100];
    snprintf(where, sizeof where, "{\"x\":%s}", rows[i].operators);
    for (int v = 0; v < VALUES; v++) {
      if (values[v] == NULL)
        snprintf(params, sizeof params, "{\"y\":5}");
      else
        snprintf(params, sizeof params, "{\"y\":5,\"x\":%s}", values[v]);
      snprintf(row, sizeof row, "%s on %s", rows[i].operators, params);
      TEST_ROW(row);
      CHECK_EQ(ask(where, params), rows[i].want[v]);
    }
  }
}

typedef struct {
  const char *where, *params;
  int want;
} where_row;

static void check_rows(const where_row *rows, size_t count) {
  for (size_t i = 0; i < count; i++) {
    static char row[400];
    snprintf(row, sizeof row, "%s on %s", rows[i].where, rows[i].params);
    TEST_ROW(row);
    CHECK_EQ(ask(rows[i].where, rows[i].params), rows[i].want);
  }
}
#define ROWS(rows) check_rows(rows, sizeof rows / sizeof *rows)

TEST(numbers_are_the_decimals_they_are_written_as) {
  static const where_row rows[] = {
      {"{\"x\":{\"==\":9007199254740992}}", "{\"x\":9007199254740993}", F},
      {"{\"x\":{\"<=\":9007199254740992}}", "{\"x\":9007199254740993}", F},
      {"{\"x\":{\"==\":0.1}}", "{\"x\":0.10}", T},
      {"{\"x\":{\"<\":1e400}}", "{\"x\":1e399}", T},
      {"{\"x\":{\"<=\":100}}", "{\"x\":1e400}", F},
      {"{\"x\":{\"<=\":10000}}", "{\"x\":\"50\"}", U},
      {"{\"x\":{\"<=\":1}}", "{\"x\":true}", U},
      {"{\"x\":{\">\":0}}", "{\"x\":1e-400}", T},
      {"{\"x\":{\"in\":[1,2]}}", "{\"x\":2.0}", T},
      {"{\"x\":{\"==\":0}}", "{\"x\":-0}", T},
  };
  ROWS(rows);
}

TEST(strings_are_compared_by_code_point_without_normalising) {
  static const where_row rows[] = {
      {"{\"x\":{\"==\":\"\xC3\xA9\"}}", "{\"x\":\"e\\u0301\"}", F},
      {"{\"x\":{\"==\":\"\xC3\xA9\"}}", "{\"x\":\"\\u00e9\"}", T},
      {"{\"x\":{\"in\":[\"USD\"]}}", "{\"x\":\"\\uff35\\uff33\\uff24\"}", F},
      {"{\"x\":{\"in\":[\"USD\"]}}", "{\"x\":\"usd\"}", F},
      {"{\"x\":{\"<\":\"\\ud83d\\ude00\"}}", "{\"x\":\"\\uffee\"}", T},
      {"{\"x\":{\"length\":1}}", "{\"x\":\"\\ud83d\\ude00\"}", T},
      {"{\"x\":{\"==\":\"a\"}}", "{\"x\":\"a\\u0000\"}", F},
      {"{\"x\":{\"ends_with\":\".txt\"}}", "{\"x\":\"a.exe\\u0000.txt\"}", T},
  };
  ROWS(rows);
}

TEST(paths_lead_into_objects_and_arrays) {
  static const where_row rows[] = {
      {"{\"to/0/email\":{\"==\":\"a\"}}", "{\"to\":[{\"email\":\"a\"}]}", T},
      {"{\"/to/0/email\":{\"==\":\"a\"}}", "{\"to\":[{\"email\":\"a\"}]}", T},
      {"{\"to/1/email\":{\"==\":\"a\"}}", "{\"to\":[{\"email\":\"a\"}]}", U},
      {"{\"to/1/email\":{\"not_exists\":true}}", "{\"to\":[{\"email\":\"a\"}]}", T},
      {"{\"to/00/email\":{\"==\":\"a\"}}", "{\"to\":[{\"email\":\"a\"}]}", U},
      {"{\"to/0\":{\"==\":1}}", "{\"to\":{\"0\":1}}", T},
      {"{\"a/b\":{\"not_exists\":true}}", "{\"a\":5}", U},
      {"{\"a/b\":{\"not_exists\":true}}", "{\"a\":null}", T},
      {"{\"a/b\":{\"not_exists\":true}}", "{}", T},
      {"{\"a/b\":{\"==\":1,\"optional\":true}}", "{}", T},
      {"{\"a/b\":{\"==\":1,\"optional\":true}}", "{\"a\":5}", U},
      {"{\"a/b\":{\"==\":1,\"optional\":true}}", "{\"a\":[1]}", U},
      {"{\"length\":{\"==\":1}}", "{\"length\":1}", T},
      {"{\"/and\":{\"==\":1}}", "{\"and\":1}", T},
      {"{\"__proto__/x\":{\"==\":1}}", "{\"__proto__\":{\"x\":1}}", T},
      {"{\"a/length\":{\"==\":1}}", "{\"a\":[5]}", U},
      {"{\"constructor\":{\"exists\":true}}", "{}", F},
  };
  ROWS(rows);
}

TEST(a_star_means_every_element) {
  static const where_row rows[] = {
      {"{\"items/*/price\":{\"<=\":10}}", "{\"items\":[{\"price\":1},{\"price\":10}]}", T},
      {"{\"items/*/price\":{\"<=\":10}}", "{\"items\":[{\"price\":1},{\"price\":11}]}", F},
      {"{\"items/*/price\":{\"<=\":10}}", "{\"items\":[{\"price\":1},{}]}", U},
      {"{\"items/*/price\":{\"<=\":10}}", "{\"items\":[{\"price\":11},{}]}", F},
      {"{\"items/*/price\":{\"<=\":10}}", "{\"items\":[]}", T},
      {"{\"items/*/price\":{\"<=\":10}}", "{\"items\":{\"a\":{\"price\":1}}}", U},
      {"{\"items/*/price\":{\"<=\":10}}", "{}", U},
      {"{\"items/*/price\":{\"<=\":10,\"optional\":true}}", "{\"items\":[{}]}", T},
      {"{\"m/*/*\":{\">\":0}}", "{\"m\":[[1,2],[3]]}", T},
      {"{\"m/*/*\":{\">\":0}}", "{\"m\":[[1,0],[3]]}", F},
      {"{\"items/*\":{\"in\":[\"a\",\"b\"]}}", "{\"items\":[\"a\",\"c\"]}", F},
      {"{\"items/*/id\":{\"not_exists\":true}}", "{\"items\":[{},{\"id\":1}]}", F},
  };
  ROWS(rows);
}

TEST(and_or_not_follow_kleene) {
  static const where_row rows[] = {
      {"{\"a\":{\"==\":1},\"b\":{\"==\":1}}", "{\"a\":1,\"b\":1}", T},
      {"{\"a\":{\"==\":1},\"b\":{\"==\":1}}", "{\"a\":1}", U},
      {"{\"a\":{\"==\":1},\"b\":{\"==\":1}}", "{\"a\":2}", F},
      {"{\"or\":[{\"a\":{\"==\":1}},{\"b\":{\"==\":1}}]}", "{\"a\":1}", T},
      {"{\"or\":[{\"a\":{\"==\":1}},{\"b\":{\"==\":1}}]}", "{\"a\":2}", U},
      {"{\"or\":[{\"a\":{\"==\":1}},{\"b\":{\"==\":1}}]}", "{\"a\":2,\"b\":2}", F},
      {"{\"not\":{\"a\":{\"==\":1}}}", "{}", U},
      {"{\"not\":{\"a\":{\"==\":1}}}", "{\"a\":2}", T},
      {"{\"not\":{\"path\":{\"starts_with\":\"/etc\"}}}", "{}", U},
      {"{\"not\":{\"path\":{\"starts_with\":\"/etc\"}}}", "{\"path\":[\"/etc\"]}", U},
      {"{\"not\":{\"path\":{\"starts_with\":\"/etc\"}}}", "{\"path\":\"/home\"}", T},
      {"{\"and\":[{\"a\":{\"==\":1}},{\"not\":{\"b\":{\"exists\":true}}}]}", "{\"a\":1}", T},
      {"{\"and\":[{\"a\":{\">\":1}},{\"a\":{\"<\":5}}]}", "{\"a\":3}", T},
      {"{\"a\":{\">\":1,\"<\":5}}", "{\"a\":5}", F},
      {"{\"or\":[{\"not\":{\"a\":{\"==\":1}}},{\"a\":{\"==\":1}}]}", "{}", U},
  };
  ROWS(rows);
}

TEST(elements_are_asked_with_their_own_paths) {
  static const where_row rows[] = {
      {"{\"items\":{\"any\":{\"where\":{\"price\":{\">\":100}}}}}",
       "{\"items\":[{\"price\":1},{\"price\":101}]}", T},
      {"{\"items\":{\"any\":{\"where\":{\"price\":{\">\":100}}}}}",
       "{\"items\":[{\"price\":1},{}]}", U},
      {"{\"items\":{\"none\":{\"where\":{\"price\":{\">\":100}}}}}",
       "{\"items\":[{\"price\":1},{}]}", U},
      {"{\"items\":{\"none\":{\"where\":{\"price\":{\">\":100}}}}}", "{\"items\":[{\"price\":1}]}",
       T},
      {"{\"items\":{\"all\":{\"where\":{\"price\":{\"<=\":{\"param\":\"/most\"}}}}}}",
       "{\"most\":5,\"items\":[{\"price\":5}]}", T},
      {"{\"items\":{\"all\":{\"where\":{\"price\":{\"<=\":{\"param\":\"most\"}}}}}}",
       "{\"most\":5,\"items\":[{\"price\":5}]}", U},
      {"{\"items\":{\"all\":{\"where\":{\"price\":{\"<=\":{\"param\":\"list\"}}}}}}",
       "{\"items\":[{\"price\":5,\"list\":6}]}", T},
      {"{\"tags\":{\"all\":{\"in\":[\"a\"]},\"length\":{\">\":0}}}", "{\"tags\":[]}", F},
      {"{\"tags\":{\"all\":{\"length\":{\"<=\":3}}}}", "{\"tags\":[\"abc\",\"abcd\"]}", F},
  };
  ROWS(rows);
}

TEST(other_parameters_can_be_the_bound) {
  static const where_row rows[] = {
      {"{\"a\":{\"<=\":{\"param\":\"b\"}}}", "{\"a\":1,\"b\":2}", T},
      {"{\"a\":{\"<=\":{\"param\":\"b\"}}}", "{\"a\":1}", U},
      {"{\"a\":{\"<=\":{\"param\":\"b\"}}}", "{\"a\":1,\"b\":\"2\"}", U},
      {"{\"a\":{\"==\":{\"param\":\"b\"}}}", "{\"a\":null,\"b\":null}", U},
      {"{\"a\":{\"!=\":{\"param\":\"b\"}}}", "{\"a\":\"x\",\"b\":\"y\"}", T},
      {"{\"from\":{\"before\":{\"param\":\"to\"}}}",
       "{\"from\":\"2026-01-01\",\"to\":\"2026-01-01T00:00:01Z\"}", T},
      {"{\"from\":{\"before\":{\"param\":\"to\"}}}", "{\"from\":\"2026-01-01\",\"to\":\"soon\"}",
       U},
      {"{\"a\":{\"==\":{\"param\":\"b/0\"}}}", "{\"a\":1,\"b\":[1]}", T},
  };
  ROWS(rows);
}

TEST(urls_paths_mails_and_times_are_constrained) {
  static const where_row rows[] = {
      {"{\"u\":{\"url\":{\"host\":\"example.com\"}}}", "{\"u\":\"https://example.com/x\"}", T},
      {"{\"u\":{\"url\":{\"host\":\"example.com\"}}}", "{\"u\":\"https://secret.a.evil.test\"}", F},
      {"{\"u\":{\"url\":{\"host\":\"*.example.com\",\"scheme\":\"https\"}}}",
       "{\"u\":\"http://a.example.com\"}", F},
      {"{\"u\":{\"url\":{\"port\":443}}}", "{\"u\":\"https://example.com:8443\"}", F},
      {"{\"u\":{\"url\":{\"port\":[443,8443]}}}", "{\"u\":\"https://example.com:8443\"}", T},
      {"{\"u\":{\"url\":{\"path\":\"/api\"}}}", "{\"u\":\"https://example.com/api/x\"}", T},
      {"{\"u\":{\"url\":{\"path\":\"/api\"}}}", "{\"u\":\"https://example.com/api%2f..%2fx\"}", U},
      {"{\"u\":{\"url\":{}}}", "{\"u\":\"https://example.com\"}", T},
      {"{\"u\":{\"url\":{}}}", "{\"u\":\"ftp://example.com\"}", U},
      {"{\"u\":{\"url\":{\"host\":\"evil.example\"}}}", "{\"u\":\"ws://evil.example\"}", U},
      {"{\"u\":{\"url\":{\"scheme\":\"ftp\"}}}", "{\"u\":\"https://example.com\"}", F},
      {"{\"u\":{\"url\":{}}}", "{\"u\":\"http://127.0.0.1\"}", U},
      {"{\"u\":{\"url\":{\"host\":\"evil.example\"}}}", "{\"u\":\"http://10.0.0.1\"}", U},
      {"{\"u\":{\"url\":{\"host\":\"127.0.0.1\"}}}", "{\"u\":\"http://127.1:80\"}", T},
      {"{\"u\":{\"url\":{\"host\":\"*.internal\"}}}", "{\"u\":\"http://db.internal\"}", T},
      {"{\"u\":{\"url\":{\"scheme\":[\"ftp\"]}}}", "{\"u\":\"ftp://example.com\"}", T},
      {"{\"p\":{\"path_within\":[\"/data\",\"/tmp\"]}}", "{\"p\":\"/tmp/x\"}", T},
      {"{\"p\":{\"path_within\":\"/data\"}}", "{\"p\":\"/data/../etc\"}", F},
      {"{\"p\":{\"path_within\":\"/data\"}}", "{\"p\":\"x\"}", U},
      {"{\"e\":{\"email_domain\":\".example.com\"}}", "{\"e\":\"a@b.example.com\"}", T},
      {"{\"e\":{\"email_domain\":\"example.com\"}}", "{\"e\":\"a@evil.example\"}", F},
      {"{\"e\":{\"email_domain\":\"example.com\"}}", "{\"e\":\"a@example.com, b@evil.example\"}",
       U},
      {"{\"t\":{\"before\":\"2026-01-02\"}}", "{\"t\":\"2026-01-01T23:00:00Z\"}", T},
      {"{\"t\":{\"before\":\"2026-01-02\"}}", "{\"t\":\"2026-01-01T23:00:00-02:00\"}", F},
      {"{\"t\":{\"after\":\"2026-01-02\"}}", "{\"t\":\"2026-01-03\"}", T},
      {"{\"t\":{\"after\":\"2026-01-02\"}}", "{\"t\":\"tomorrow\"}", U},
      {"{\"s\":{\"matches\":\"[a-z]+\"}}", "{\"s\":\"abc1\"}", F},
      {"{\"s\":{\"matches\":\"[a-z]+\"}}", "{\"s\":\"abc\"}", T},
      {"{\"s\":{\"matches\":\".*drop.*\"}}", "{\"s\":\"a\\n\\r\\u2028drop\\n\"}", T},
      {"{\"a\":{\"contains\":7}}", "{\"a\":[\"7\"]}", U},
      {"{\"a\":{\"contains\":7}}", "{\"a\":[\"7\",7]}", T},
      {"{\"a\":{\"contains\":7}}", "{\"a\":[8]}", F},
      {"{\"a\":{\"contains\":null}}", "{\"a\":[8]}", F},
  };
  ROWS(rows);
}

TEST(work_without_end_is_a_denial) {
  cloche__buffer params = {0};
  cloche__buffer_string(&params, "{\"s\":\"");
  for (int i = 0; i < 200000; i++) cloche__buffer_byte(&params, 'a');
  cloche__buffer_string(&params, "\"}");
  cloche__buffer_byte(&params, '\0');
  cloche_gate *gate = gate_for(
      "{\"rules\":[{\"pattern\":\"a\",\"effect\":\"allow\",\"where\":{\"s\":{\"matches\":\"(a{1,"
      "100})*b\"}}}]}");
  DENIED(gate, "a", params.at, "limit");
  cloche_gate_free(gate);
  gate = gate_for(
      "{\"rules\":[{\"pattern\":\"a\",\"effect\":\"allow\",\"where\":{\"not\":{\"s\":{\"matches\":"
      "\"(a{1,100})*b\"}}}}]}");
  DENIED(gate, "a", params.at, "limit");
  cloche_gate_free(gate);
  cloche__buffer_free(&params);
}

TEST_MAIN(TEST_ENTRY(every_operator_answers_for_every_type),
          TEST_ENTRY(numbers_are_the_decimals_they_are_written_as),
          TEST_ENTRY(strings_are_compared_by_code_point_without_normalising),
          TEST_ENTRY(paths_lead_into_objects_and_arrays), TEST_ENTRY(a_star_means_every_element),
          TEST_ENTRY(and_or_not_follow_kleene), TEST_ENTRY(elements_are_asked_with_their_own_paths),
          TEST_ENTRY(other_parameters_can_be_the_bound),
          TEST_ENTRY(urls_paths_mails_and_times_are_constrained),
          TEST_ENTRY(work_without_end_is_a_denial))
