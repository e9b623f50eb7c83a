// SPDX-License-Identifier: MIT
/* gate_pattern_test.c -- names, patterns, and the index over them. */
#include "gate_help.h"

static cloche__pattern pattern_of(const char *text, cloche__arena *arena) {
  cloche__name name;
  cloche__pattern pattern;
  const char *problem = cloche__name_read(cloche__text(text), true, &name);
  if (problem != NULL) fprintf(stderr, "  %s: %s\n", text, problem);
  CHECK(problem == NULL);
  CHECK(cloche__pattern_keep(&name, arena, &pattern));
  return pattern;
}

static bool matches(const char *pattern, const char *text) {
  cloche__arena arena = {0};
  cloche__pattern made = pattern_of(pattern, &arena);
  cloche__name name;
  CHECK(cloche__name_read(cloche__text(text), false, &name) == NULL);
  bool found = cloche__pattern_matches(&made, &name);
  cloche__arena_free(&arena);
  return found;
}

TEST(a_name_has_one_spelling) {
  static const struct {
    const char *in, *out;
  } rows[] = {
      {"a", "a"},
      {"a/b/c", "a/b/c"},
      {"a.b.c", "a/b/c"},
      {"a.b/c", "a/b/c"},
      {"mcp:a.b", "a/b"},
      {"mcp:mcp:a", "a"},
      {"MCP:a", "MCP:a"},
      {"odd-name_1", "odd-name_1"},
      {"gr\xC3\xBC\xC3\x9F/e", "gr\xC3\xBC\xC3\x9F/e"},
      {"__proto__.x", "__proto__/x"},
      {"a%2fb", "a%2fb"},
      {"a:b", "a:b"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    cloche__name name, again;
    TEST_ROW(rows[i].in);
    CHECK(cloche__name_read(cloche__text(rows[i].in), false, &name) == NULL);
    CHECK(cloche__text_equal(cloche__name_text(&name), cloche__text(rows[i].out)));
    CHECK(cloche__name_read(cloche__name_text(&name), false, &again) == NULL);
    CHECK(cloche__text_equal(cloche__name_text(&name), cloche__name_text(&again)));
  }
}

TEST(what_is_no_name_is_refused) {
  static const char *const rows[] = {"",
                                     "mcp:",
                                     "/",
                                     ".",
                                     "a/",
                                     "/a",
                                     "a//b",
                                     "a..b",
                                     "a/../b",
                                     "a b",
                                     "a\tb",
                                     "a\nb",
                                     ("a\xC2\xA0"
                                      "b"),
                                     ("a\xE2\x80\x8B"
                                      "b"),
                                     ("a\xE2\x80\xAE"
                                      "b"),
                                     "a\xFF",
                                     "a*",
                                     "**",
                                     "a/*/b",
                                     "a\\b",
                                     "\"a\"",
                                     "a\x7F",
                                     ("\xEF\xBB\xBF"
                                      "a"),
                                     "a\xF3\xA0\x81\x81"};
  static char long_name[300], deep_name[200];
  cloche__name name;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    TEST_ROW(rows[i]);
    CHECK(cloche__name_read(cloche__text(rows[i]), false, &name) != NULL);
  }
  memset(long_name, 'a', 257);
  CHECK(cloche__name_read(cloche__text(long_name), false, &name) != NULL);
  long_name[256] = '\0';
  CHECK(cloche__name_read(cloche__text(long_name), false, &name) == NULL);
  for (int i = 0; i < 33; i++) memcpy(deep_name + 2 * i, "a/", 2);
  deep_name[65] = '\0';
  CHECK(cloche__name_read(cloche__text(deep_name), false, &name) != NULL);
  deep_name[63] = '\0';
  CHECK(cloche__name_read(cloche__text(deep_name), false, &name) == NULL);
  CHECK(cloche__name_read((cloche_text){"a\0b", 3}, false, &name) != NULL);
  CHECK(cloche__name_read(cloche__text("a/b**"), true, &name) != NULL);
  CHECK(cloche__name_read(cloche__text("***"), true, &name) != NULL);
}

TEST(patterns_match_what_they_say) {
  static const struct {
    const char *pattern, *name;
    bool match;
  } rows[] = {
      {"a", "a", true},
      {"a", "b", false},
      {"a", "a/b", false},
      {"*", "a", true},
      {"*", "a/b", false},
      {"**", "a", true},
      {"**", "a/b/c", true},
      {"a/**", "a", true},
      {"a/**", "a/b/c", true},
      {"a/**", "ab", false},
      {"**/z", "z", true},
      {"**/z", "a/b/z", true},
      {"**/z", "a/z/b", false},
      {"a/*/c", "a/b/c", true},
      {"a/*/c", "a/c", false},
      {"a/**/c", "a/c", true},
      {"a/**/c", "a/x/y/c", true},
      {"a/**/c", "a/x/y/d", false},
      {"create_*", "create_", true},
      {"create_*", "create_user", true},
      {"create_*", "xcreate_user", false},
      {"*_user", "create_user", true},
      {"a*b*c", "aXbYc", true},
      {"a*b*c", "acb", false},
      {"x/a*/**", "x/ab", true},
      {"**/**", "a", true},
      {"**/b/**/d", "a/b/c/d", true},
      {"**/b/**/d", "b/d", true},
      {"**/b/**/d", "a/d/b", false},
      {"**/a/*", "a/a/b", true},
      {"**/*", "a", true},
      {"*/**", "a", true},
      {"a.b.*", "a/b/c", true},
      {"mcp:a.*", "a/b", true},
      {"mcp:f", "f", true},
      {"a*", "a/b", false},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    TEST_ROW(rows[i].pattern);
    CHECK_EQ(matches(rows[i].pattern, rows[i].name), rows[i].match);
  }
}

/* Exponential in anything that tries all splits. */
TEST(no_pattern_makes_matching_slow) {
  static char name[257], pattern[257];
  memset(name, 'a', 256);
  for (int i = 0; i < 126; i++) memcpy(pattern + 2 * i, "a*", 2);
  memcpy(pattern + 252, "b", 2);
  CHECK(!matches(pattern, name));
  for (int i = 0; i < 31; i++) memcpy(name + 2 * i, "a/", 2);
  memcpy(name + 62, "a", 2);
  pattern[0] = '\0';
  for (int i = 0; i < 15; i++) memcpy(pattern + 5 * i, "**/a/", 5);
  memcpy(pattern + 75, "b", 2);
  CHECK(!matches(pattern, name));
}

/* The obvious matcher, which may be slow. */
static bool obvious(const char *p, const char *n, bool start) {
  if (start && strncmp(p, "**", 2) == 0 && (p[2] == '/' || p[2] == '\0')) {
    const char *rest = p[2] == '/' ? p + 3 : NULL;
    if (n == NULL) return rest == NULL || obvious(rest, NULL, true);
    if (rest == NULL) return true;
    for (;;) {
      if (obvious(rest, n, true)) return true;
      n = strchr(n, '/');
      if (n == NULL) return obvious(rest, NULL, true);
      n++;
    }
  }
  if (n == NULL) return false;
  if (*p == '*')
    return obvious(p + 1, n, false) || (*n != '\0' && *n != '/' && obvious(p, n + 1, false));
  if (*p == '\0') return *n == '\0';
  if (*p == '/' && *n == '\0') return obvious(p + 1, NULL, true);
  if (*p != *n) return false;
  return obvious(p + 1, n + 1, *p == '/');
}

static uint32_t dice = 7;
static uint32_t roll(uint32_t sides) {
  dice = dice * 1664525u + 1013904223u;
  return (dice >> 8) % sides;
}

static void random_path(char *out, bool pattern) {
  static const char *const parts[] = {"a", "b", "ab", "ba", "*", "**", "a*", "*b", "a*b"};
  uint32_t count = 1 + roll(5);
  *out = '\0';
  for (uint32_t i = 0; i < count; i++) {
    if (i > 0) strcat(out, "/");
    strcat(out, parts[roll(pattern ? 9 : 4)]);
  }
}

TEST(random_patterns_match_as_the_obvious_matcher_says) {
  char pattern[64], name[64];
  int found = 0;
  for (int i = 0; i < 20000; i++) {
    random_path(pattern, true);
    random_path(name, false);
    bool match = matches(pattern, name);
    if (match != obvious(pattern, name, true)) fprintf(stderr, "  %s on %s\n", pattern, name);
    CHECK_EQ(match, obvious(pattern, name, true));
    found += match;
  }
  CHECK(found > 500 && found < 19500);
}

TEST(what_is_covered_is_matched) {
  char wide[64], narrow[64], name[64];
  int covered = 0;
  for (int i = 0; i < 30000; i++) {
    cloche__arena arena = {0};
    random_path(wide, true);
    random_path(narrow, true);
    random_path(name, false);
    cloche__pattern a = pattern_of(wide, &arena), b = pattern_of(narrow, &arena);
    if (cloche__pattern_covers(&a, &b)) {
      covered++;
      CHECK(!matches(narrow, name) || matches(wide, name));
    }
    cloche__arena_free(&arena);
  }
  CHECK(covered > 300);
}

TEST(the_index_finds_what_matching_one_by_one_finds_in_order) {
  for (int round = 0; round < 200; round++) {
    cloche__buffer text = {0};
    char pattern[64], name_text[64];
    uint32_t rules = roll(30);
    cloche__buffer_string(&text, "{\"rules\":[");
    for (uint32_t i = 0; i < rules; i++) {
      random_path(pattern, true);
      cloche__buffer_format(&text, "%s{\"pattern\":\"%s\",\"effect\":\"allow\"}", i ? "," : "",
                            pattern);
    }
    cloche__buffer_string(&text, "]}");
    cloche__buffer_byte(&text, '\0');
    const cloche_policy *policy = load(text.at);
    const cloche__layer *layer = policy->layers[0].layer;
    for (int k = 0; k < 40; k++) {
      cloche__name name;
      random_path(name_text, false);
      CHECK(cloche__name_read(cloche__text(name_text), false, &name) == NULL);
      cloche__candidates found = cloche__layer_candidates(layer, &name);
      for (size_t i = 0; i < layer->rule_count; i++) {
        if (!cloche__pattern_matches(&layer->rules[i].pattern, &name)) continue;
        CHECK(cloche__next_candidate(&found) == &layer->rules[i]);
      }
      CHECK(cloche__next_candidate(&found) == NULL);
    }
    cloche_policy_free(policy);
    cloche__buffer_free(&text);
  }
}

TEST_MAIN(TEST_ENTRY(a_name_has_one_spelling), TEST_ENTRY(what_is_no_name_is_refused),
          TEST_ENTRY(patterns_match_what_they_say), TEST_ENTRY(no_pattern_makes_matching_slow),
          TEST_ENTRY(random_patterns_match_as_the_obvious_matcher_says),
          TEST_ENTRY(what_is_covered_is_matched),
          TEST_ENTRY(the_index_finds_what_matching_one_by_one_finds_in_order))
