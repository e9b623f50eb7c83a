// SPDX-License-Identifier: MIT
/* json_test.c -- the strict reader, exact numbers, the writer. */
#include "json/json.h"

#include "json/utf8.h"
#include "limits.h"
#include "test.h"

static cloche_status parse(const char *text, cloche__json_doc *doc, cloche__json_error *error) {
  return cloche__json_parse(cloche__text(text), NULL, doc, error);
}

static char *written(const cloche__json *value) { /* leaks, in a test of its own process */
  cloche__buffer out = {0};
  cloche__json_write(value, &out);
  cloche__buffer_byte(&out, '\0');
  CHECK(!out.failed);
  char *copy = strdup(out.at);
  cloche__buffer_free(&out);
  return copy;
}

TEST(what_is_valid_reads_and_writes_back_as_written) {
  static const struct {
    const char *in, *out;
  } rows[] = {
      {"null", NULL},
      {"true", NULL},
      {"false", NULL},
      {"0", NULL},
      {"-0", NULL},
      {"1e400", NULL},
      {"9007199254740993", NULL},
      {"0.10", NULL},
      {"-1.5E+3", NULL},
      {"\"\"", NULL},
      {"[]", NULL},
      {"{}", NULL},
      {"[[],{},[[]]]", NULL},
      {"{\"b\":1,\"a\":2}", NULL},
      {" [ 1 , 2 ] \r\n\t", "[1,2]"},
      {"{ \"a\" : { } }", "{\"a\":{}}"},
      {"\"\\u0041\\/\\n\\u001f\"", "\"A/\\n\\u001f\""},
      {"\"\\ud83d\\ude00\"", "\"\xF0\x9F\x98\x80\""},
      {"\"\\uD834\\uDd1e\xC3\xB6\"", "\"\xF0\x9D\x84\x9E\xC3\xB6\""},
      {"\"\\u0000\"", "\"\\u0000\""},
      {"\"\x7F\"", NULL},
      {"{\"\":0}", NULL},
      {"1e000000000000000000000000000007", NULL},
      {"{\"__proto__\":1}", NULL},
      {"1E-1000000000", NULL},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    TEST_ROW(rows[i].in);
    cloche__json_doc doc = {0};
    CHECK_EQ(parse(rows[i].in, &doc, NULL), CLOCHE_OK);
    char *text = written(&doc.root);
    CHECK_STR(text, rows[i].out != NULL ? rows[i].out : rows[i].in);
    free(text);
    cloche__json_free(&doc);
  }
}

TEST(what_is_not_json_is_refused_where_it_goes_wrong) {
  static const struct {
    const char *in;
    int status;
    size_t offset, line, column;
  } rows[] = {
      {"", CLOCHE_E_JSON, 0, 1, 1},
      {"  ", CLOCHE_E_JSON, 2, 1, 3},
      {"nul", CLOCHE_E_JSON, 0, 1, 1},
      {"[1,]", CLOCHE_E_JSON, 3, 1, 4},
      {"[1 2]", CLOCHE_E_JSON, 3, 1, 4},
      {"[", CLOCHE_E_JSON, 1, 1, 2},
      {"{\"a\":1,}", CLOCHE_E_JSON, 7, 1, 8},
      {"{a:1}", CLOCHE_E_JSON, 1, 1, 2},
      {"{\"a\" 1}", CLOCHE_E_JSON, 5, 1, 6},
      {"{\"a\":}", CLOCHE_E_JSON, 5, 1, 6},
      {"01", CLOCHE_E_JSON, 0, 1, 1},
      {"-", CLOCHE_E_JSON, 1, 1, 2},
      {"+1", CLOCHE_E_JSON, 0, 1, 1},
      {"1.", CLOCHE_E_JSON, 2, 1, 3},
      {".5", CLOCHE_E_JSON, 0, 1, 1},
      {"1e", CLOCHE_E_JSON, 2, 1, 3},
      {"1e+", CLOCHE_E_JSON, 3, 1, 4},
      {"NaN", CLOCHE_E_JSON, 0, 1, 1},
      {"Infinity", CLOCHE_E_JSON, 0, 1, 1},
      {"-Infinity", CLOCHE_E_JSON, 1, 1, 2},
      {"0x10", CLOCHE_E_JSON, 1, 1, 2},
      {"1e1000000001", CLOCHE_E_LIMIT, 2, 1, 3},
      {"1e99999999999999999999999", CLOCHE_E_LIMIT, 2, 1, 3},
      {"\"a", CLOCHE_E_JSON, 0, 1, 1},
      {"\"\\x\"", CLOCHE_E_JSON, 2, 1, 3},
      {"\"\\", CLOCHE_E_JSON, 2, 1, 3},
      {"\"\n\"", CLOCHE_E_JSON, 1, 1, 2},
      {"\"\\ud800\"", CLOCHE_E_JSON, 1, 1, 2},
      {"\"\\udc00\"", CLOCHE_E_JSON, 1, 1, 2},
      {"\"\\ud800\\u0041\"", CLOCHE_E_JSON, 1, 1, 2},
      {"\"\\ud800\\ud800\"", CLOCHE_E_JSON, 1, 1, 2},
      {"\"\\u12g4\"", CLOCHE_E_JSON, 1, 1, 2},
      {"\"\\u12", CLOCHE_E_JSON, 1, 1, 2},
      {"\"\x80\"", CLOCHE_E_JSON, 1, 1, 2},
      {"\"\xC0\x80\"", CLOCHE_E_JSON, 1, 1, 2},
      {"\"\xED\xA0\x80\"", CLOCHE_E_JSON, 1, 1, 2},
      {"\"\xF4\x90\x80\x80\"", CLOCHE_E_JSON, 1, 1, 2},
      {"\xEF\xBB\xBF[]", CLOCHE_E_JSON, 0, 1, 1},
      {"[1]x", CLOCHE_E_JSON, 3, 1, 4},
      {"'a'", CLOCHE_E_JSON, 0, 1, 1},
      {"[1,\n /*x*/2]", CLOCHE_E_JSON, 5, 2, 2},
      {"{\"a\":1,\n\"\xC3\xB6\": [1,\n\"\xC3\xB6\xC3\xB6\", x]}", CLOCHE_E_JSON, 26, 3, 7},
      {"{\"a\":1,\"b\":2,\"a\":3}", CLOCHE_E_JSON, 0, 1, 1},
      {"[{\"a\":1,\"\\u0061\":3}]", CLOCHE_E_JSON, 1, 1, 2},
      {"\f1", CLOCHE_E_JSON, 0, 1, 1},
      {"tru\xC3\xA9", CLOCHE_E_JSON, 0, 1, 1},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    TEST_ROW(rows[i].in);
    cloche__json_doc doc = {.root.count = 77};
    cloche__json_error error = {0};
    CHECK_EQ(parse(rows[i].in, &doc, &error), rows[i].status);
    CHECK_EQ(doc.root.count, 77);
    CHECK_EQ(error.offset, rows[i].offset);
    CHECK_EQ(error.line, rows[i].line);
    CHECK_EQ(error.column, rows[i].column);
    CHECK(error.message[0] != '\0');
    CHECK_EQ(parse(rows[i].in, &doc, NULL), rows[i].status);
  }
}

TEST(a_nul_byte_is_no_end) {
  cloche__json_doc doc = {0};
  CHECK_EQ(cloche__json_parse((cloche_text){"1\0", 2}, NULL, &doc, NULL), CLOCHE_E_JSON);
  CHECK_EQ(cloche__json_parse((cloche_text){"\"a\0b\"", 5}, NULL, &doc, NULL), CLOCHE_E_JSON);
}

TEST(nesting_stops_at_the_bound_and_not_before) {
  enum { DEEP = 100000 };
  static char text[DEEP];
  cloche__json_doc doc = {0};
  static const struct {
    size_t asked, allowed;
  } rows[] = {{0, CLOCHE__JSON_DEPTH}, {1, 1}, {512, 512}};
  for (size_t i = 0; i < 3; i++) {
    cloche__json_limits limits = {.depth = rows[i].asked};
    size_t depth = rows[i].allowed;
    memset(text, '[', depth + 1);
    memset(text + depth, ']', depth);
    CHECK_EQ(cloche__json_parse((cloche_text){text, 2 * depth}, &limits, &doc, NULL), CLOCHE_OK);
    cloche__json_free(&doc);
    memset(text, '[', DEEP);
    cloche__json_error error;
    CHECK_EQ(cloche__json_parse((cloche_text){text, DEEP}, &limits, &doc, &error), CLOCHE_E_LIMIT);
    CHECK_EQ(error.offset, depth);
  }
  cloche__json_limits limits = {.depth = CLOCHE__JSON_DEPTH_MAX + 1};
  CHECK_EQ(cloche__json_parse(cloche__text("1"), &limits, &doc, NULL), CLOCHE_E_ARGUMENT);
}

TEST(a_text_longer_than_allowed_is_refused) {
  cloche__json_doc doc = {0};
  cloche__json_limits limits = {.bytes = 5};
  CHECK_EQ(cloche__json_parse(cloche__text("[1,2]"), &limits, &doc, NULL), CLOCHE_OK);
  cloche__json_free(&doc);
  CHECK_EQ(cloche__json_parse(cloche__text("[1,23]"), &limits, &doc, NULL), CLOCHE_E_LIMIT);
}

TEST(members_of_small_and_large_objects_are_found) {
  for (int count = 0; count < 200; count++) {
    cloche__buffer text = {0};
    cloche__buffer_byte(&text, '{');
    for (int i = 0; i < count; i++) {
      cloche__buffer_format(&text, "%s\"k%d\":%d", i ? "," : "", (i * 7919) % 1009, i);
    }
    cloche__buffer_byte(&text, '}');
    cloche__json_doc doc = {0};
    CHECK_EQ(cloche__json_parse(cloche__buffer_view(&text), NULL, &doc, NULL), CLOCHE_OK);
    char key[16];
    for (int i = 0; i < count; i++) {
      int64_t got = -1;
      snprintf(key, sizeof key, "k%d", (i * 7919) % 1009);
      CHECK(cloche__json_int64(cloche__json_get(&doc.root, key), &got));
      CHECK_EQ(got, i);
    }
    CHECK(cloche__json_get(&doc.root, "k") == NULL);
    CHECK(cloche__json_get(&doc.root, "zz") == NULL);
    cloche__json_free(&doc);
    cloche__buffer_free(&text);
  }
}

TEST(a_duplicate_among_many_keys_is_named) {
  cloche__buffer text = {0};
  cloche__buffer_byte(&text, '{');
  for (int i = 0; i < 50000; i++) cloche__buffer_format(&text, "\"key%d\":0,", i);
  cloche__buffer_string(&text, "\"key31415\":1}");
  cloche__json_doc doc = {0};
  cloche__json_error error;
  CHECK_EQ(cloche__json_parse(cloche__buffer_view(&text), NULL, &doc, &error), CLOCHE_E_JSON);
  CHECK(strstr(error.message, "\"key31415\" twice") != NULL);
  cloche__buffer_free(&text);
}

TEST(numbers_compare_as_the_decimals_they_are) {
  static const struct {
    const char *a, *b;
    int order;
  } rows[] = {
      {"0", "-0", 0},
      {"0", "0.000", 0},
      {"0e5", "-0.0e-9", 0},
      {"1", "1.0", 0},
      {"0.1", "0.10", 0},
      {"1e3", "1000", 0},
      {"1000e-3", "1", 0},
      {"0.001e3", "1", 0},
      {"12.5e1", "125", 0},
      {"9007199254740992", "9007199254740993", -1},
      {"1e400", "1e399", 1},
      {"1e400", "-1e400", 1},
      {"1e-400", "0", 1},
      {"-1e-400", "0", -1},
      {"10", "9", 1},
      {"-10", "-9", -1},
      {"1.05", "1.5", -1},
      {"100", "1e2", 0},
      {"100.00", "1e2", 0},
      {"0.00123", "1.23e-3", 0},
      {"5", "-5", 1},
      {"123456789012345678901234567890", "123456789012345678901234567891", -1},
      {"1e1000000000", "10e999999999", 0},
      {"1e1000000000", "9e999999999", 1},
      {"99.99", "100", -1},
      {"0.30000000000000004", "0.3", 1},
      {"1.0000000000000000000000001", "1", 1},
      {"20", "2", 1},
      {"20.0", "2e1", 0},
      {"1.10e1", "11", 0},
      {"10.0", "1", 1},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    TEST_ROW(rows[i].a);
    CHECK_EQ(cloche__json_number_compare(cloche__text(rows[i].a), cloche__text(rows[i].b)),
             rows[i].order);
    CHECK_EQ(cloche__json_number_compare(cloche__text(rows[i].b), cloche__text(rows[i].a)),
             -rows[i].order);
  }
}

TEST(integers_are_read_exactly_or_not_at_all) {
  static const struct {
    const char *in;
    bool integral, has_i, has_u;
    int64_t i;
    uint64_t u;
  } rows[] = {
      {"0", true, true, true, 0, 0},
      {"-0", true, true, true, 0, 0},
      {"1.0", true, true, true, 1, 1},
      {"1.5", false, false, false, 0, 0},
      {"1e3", true, true, true, 1000, 1000},
      {"15e-1", false, false, false, 0, 0},
      {"150e-1", true, true, true, 15, 15},
      {"9223372036854775807", true, true, true, INT64_MAX, INT64_MAX},
      {"9223372036854775808", true, false, true, 0, 9223372036854775808u},
      {"-9223372036854775808", true, true, false, INT64_MIN, 0},
      {"-9223372036854775809", true, false, false, 0, 0},
      {"18446744073709551615", true, false, true, 0, UINT64_MAX},
      {"18446744073709551616", true, false, false, 0, 0},
      {"1e19", true, false, true, 0, 10000000000000000000u},
      {"1e20", true, false, false, 0, 0},
      {"1e1000000000", true, false, false, 0, 0},
      {"1e-1000000000", false, false, false, 0, 0},
      {"0e1000000000", true, true, true, 0, 0},
      {"-7", true, true, false, -7, 0},
      {"0.000", true, true, true, 0, 0},
      {"100", true, true, true, 100, 100},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    TEST_ROW(rows[i].in);
    cloche__json number = cloche__json_of_number(cloche__text(rows[i].in));
    int64_t got_i = 0;
    uint64_t got_u = 0;
    CHECK_EQ(cloche__json_number_integral(cloche__text(rows[i].in)), rows[i].integral);
    CHECK_EQ(cloche__json_int64(&number, &got_i), rows[i].has_i);
    CHECK_EQ(cloche__json_uint64(&number, &got_u), rows[i].has_u);
    CHECK_EQ(got_i, rows[i].i);
    CHECK(got_u == rows[i].u);
  }
  cloche__json text = cloche__json_of_string(cloche__text("5"));
  int64_t untouched = 3;
  CHECK(!cloche__json_int64(&text, &untouched) && !cloche__json_int64(NULL, &untouched));
  CHECK_EQ(untouched, 3);
}

TEST(equality_looks_at_values_not_at_spelling) {
  static const struct {
    const char *a, *b;
    bool equal;
  } rows[] = {
      {"1", "1.0", true},
      {"1", "\"1\"", false},
      {"true", "1", false},
      {"null", "false", false},
      {"{\"a\":1,\"b\":[2]}", "{\"b\":[2e0],\"a\":1}", true},
      {"{\"a\":1}", "{\"a\":1,\"b\":1}", false},
      {"{\"a\":1}", "{\"b\":1}", false},
      {"[1,2]", "[2,1]", false},
      {"[1]", "[1,1]", false},
      {"\"\xC3\xA9\"", "\"e\xCC\x81\"", false},
      {"\"\\u0061\"", "\"a\"", true},
      {"[]", "{}", false},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    TEST_ROW(rows[i].a);
    cloche__json_doc a = {0}, b = {0};
    CHECK_EQ(parse(rows[i].a, &a, NULL), CLOCHE_OK);
    CHECK_EQ(parse(rows[i].b, &b, NULL), CLOCHE_OK);
    CHECK_EQ(cloche__json_equal(&a.root, &b.root), rows[i].equal);
    CHECK_EQ(cloche__json_equal(&b.root, &a.root), rows[i].equal);
    cloche__json_free(&a);
    cloche__json_free(&b);
  }
}

TEST(pointers_find_what_rfc_6901_says) {
  static const char text[] =
      "{\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/b\":1,\"m~n\":8,\"x\":{\"01\":2}}";
  static const struct {
    const char *pointer, *want;
  } rows[] = {
      {"/foo/0", "\"bar\""},
      {"/", "0"},
      {"/a~1b", "1"},
      {"/m~0n", "8"},
      {"/foo/01", NULL},
      {"/foo/2", NULL},
      {"/foo/-", NULL},
      {"foo", NULL},
      {"/x/01", "2"},
      {"/foo/", NULL},
      {"/foo/0/0", NULL},
      {"/nope", NULL},
      {"/foo/99999999999999999999", NULL},
  };
  cloche__json_doc doc = {0};
  CHECK_EQ(parse(text, &doc, NULL), CLOCHE_OK);
  CHECK(cloche__json_pointer(&doc.root, (cloche_text){0}) == &doc.root);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    TEST_ROW(rows[i].pointer);
    const cloche__json *found = cloche__json_pointer(&doc.root, cloche__text(rows[i].pointer));
    CHECK_EQ(found != NULL, rows[i].want != NULL);
    if (found == NULL) continue;
    char *got = written(found);
    CHECK_STR(got, rows[i].want);
    free(got);
  }
  cloche__json_free(&doc);
}

TEST(setting_a_member_replaces_or_adds_and_leaves_the_original) {
  cloche__json_doc doc = {0};
  cloche__json one, two, copy, five = cloche__json_of_number(cloche__text("5"));
  CHECK_EQ(parse("{\"a\":1,\"b\":{\"c\":[true,null]}}", &doc, NULL), CLOCHE_OK);
  CHECK_EQ(cloche__json_with(&doc.arena, &doc.root, cloche__text("a"), &five, &one), CLOCHE_OK);
  CHECK_EQ(cloche__json_with(&doc.arena, &one, cloche__text("z"), &five, &two), CLOCHE_OK);
  char *text = written(&two), *before = written(&doc.root);
  CHECK_STR(text, "{\"a\":5,\"b\":{\"c\":[true,null]},\"z\":5}");
  CHECK_STR(before, "{\"a\":1,\"b\":{\"c\":[true,null]}}");
  cloche__arena arena = {0};
  CHECK_EQ(cloche__json_copy(&arena, &two, &copy), CLOCHE_OK);
  CHECK(cloche__json_equal(&copy, &two));
  cloche__json_free(&doc);
  char *after = written(&copy);
  CHECK_STR(after, text);
  cloche__arena_free(&arena);
  free(text), free(before), free(after);
}

TEST(what_is_no_text_is_still_written_as_json) {
  cloche__buffer out = {0};
  cloche__json_write_string((cloche_text){"a\0\xFF\"\\\xC3", 6}, &out);
  cloche__buffer_byte(&out, '\0');
  CHECK_STR(out.at, "\"a\\u0000\xEF\xBF\xBD\\\"\\\\\xEF\xBF\xBD\"");
  cloche__buffer_free(&out);
}

TEST(a_fixed_buffer_is_whole_or_marked) {
  char room[8];
  cloche__buffer out = cloche__buffer_fixed(room, sizeof room);
  cloche__buffer_string(&out, "12345");
  cloche__buffer_string(&out, "6789");
  cloche__buffer_string(&out, "x");
  CHECK(out.failed);
  CHECK_EQ(out.len, 5);
  cloche__buffer_clear(&out);
  cloche__buffer_format(&out, "%d", 1234567);
  CHECK(!out.failed);
  CHECK_EQ(out.len, 7);
  CHECK(!cloche__buffer_reserve(&out, SIZE_MAX));
  cloche__buffer grown = {0};
  CHECK(!cloche__buffer_reserve(&grown, SIZE_MAX - 5));
  cloche__buffer_free(&grown);
}

TEST(a_fixed_arena_ends_with_its_memory) {
  _Alignas(16) char room[64];
  cloche__arena arena = cloche__arena_fixed(room, sizeof room);
  CHECK(cloche__arena_take(&arena, 3, 16) != NULL);
  CHECK(cloche__arena_take(&arena, 2, 16) == NULL);
  CHECK(cloche__arena_take(&arena, 1, 1) != NULL);
  CHECK(cloche__arena_take(&arena, 0, 1) == NULL);
  CHECK(cloche__arena_take(&arena, SIZE_MAX / 2, 4) == NULL);
  cloche__arena_reset(&arena);
  CHECK(cloche__arena_take(&arena, 4, 16) == (void *)room);
}

/* Random trees: what is written reads back equal, and cut anywhere it is refused. */
static uint32_t dice = 12345;
static uint32_t roll(uint32_t sides) {
  dice = dice * 1664525u + 1013904223u;
  return (dice >> 8) % sides;
}

static void random_value(cloche__buffer *out, int depth) {
  static const char *const scalars[] = {"null",   "true",           "false",
                                        "0",      "-12.50e-7",      "18446744073709551616",
                                        "\"\"",   "\"\\u00e9\\n\"", "\"\xE2\x82\xAC\"",
                                        "\"a b\""};
  uint32_t kind = roll(depth > 0 ? 12 : 10);
  if (kind < 10) {
    cloche__buffer_string(out, scalars[kind]);
    return;
  }
  uint32_t count = roll(15);
  cloche__buffer_byte(out, kind == 10 ? '[' : '{');
  for (uint32_t i = 0; i < count; i++) {
    if (i > 0) cloche__buffer_byte(out, ',');
    if (kind == 11) cloche__buffer_format(out, "\"%u\":", i * 7 % 16);
    random_value(out, depth - 1);
  }
  cloche__buffer_byte(out, kind == 10 ? ']' : '}');
}

TEST(what_is_written_reads_back_equal_and_cut_short_is_refused) {
  for (int round = 0; round < 300; round++) {
    cloche__buffer text = {0}, again = {0};
    cloche__buffer_byte(&text, '[');
    random_value(&text, 4);
    cloche__buffer_byte(&text, ']');
    cloche__json_doc a = {0}, b = {0};
    CHECK_EQ(cloche__json_parse(cloche__buffer_view(&text), NULL, &a, NULL), CLOCHE_OK);
    cloche__json_write(&a.root, &again);
    CHECK_EQ(cloche__json_parse(cloche__buffer_view(&again), NULL, &b, NULL), CLOCHE_OK);
    CHECK(cloche__json_equal(&a.root, &b.root));
    cloche__json_free(&b);
    for (int cut = 0; cut < 20; cut++) {
      cloche_text part = {text.at, roll((uint32_t)text.len)};
      CHECK_EQ(cloche__json_parse(part, NULL, &b, NULL), CLOCHE_E_JSON);
    }
    cloche__json_free(&a);
    cloche__buffer_free(&text);
    cloche__buffer_free(&again);
  }
}

TEST_MAIN(TEST_ENTRY(what_is_valid_reads_and_writes_back_as_written),
          TEST_ENTRY(what_is_not_json_is_refused_where_it_goes_wrong),
          TEST_ENTRY(a_nul_byte_is_no_end), TEST_ENTRY(nesting_stops_at_the_bound_and_not_before),
          TEST_ENTRY(a_text_longer_than_allowed_is_refused),
          TEST_ENTRY(members_of_small_and_large_objects_are_found),
          TEST_ENTRY(a_duplicate_among_many_keys_is_named),
          TEST_ENTRY(numbers_compare_as_the_decimals_they_are),
          TEST_ENTRY(integers_are_read_exactly_or_not_at_all),
          TEST_ENTRY(equality_looks_at_values_not_at_spelling),
          TEST_ENTRY(pointers_find_what_rfc_6901_says),
          TEST_ENTRY(setting_a_member_replaces_or_adds_and_leaves_the_original),
          TEST_ENTRY(what_is_no_text_is_still_written_as_json),
          TEST_ENTRY(a_fixed_buffer_is_whole_or_marked),
          TEST_ENTRY(a_fixed_arena_ends_with_its_memory),
          TEST_ENTRY(what_is_written_reads_back_equal_and_cut_short_is_refused))
