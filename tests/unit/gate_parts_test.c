// SPDX-License-Identifier: MIT
/* gate_parts_test.c -- the parts that constraints are made of: regular expressions, addresses,
 * hosts, URLs, mail addresses, paths, times, sums. */
#include "gate/amount.h"
#include "gate/path.h"
#include "gate/regex.h"
#include "gate/time.h"
#include "gate/url.h"
#include "limits.h"
#include "test.h"

/* ---- regular expressions ---- */

static cloche__match match(const char *source, const char *text, bool whole, bool glob) {
  cloche__arena arena = {0};
  const cloche__regex *regex = NULL;
  const char *problem = "";
  size_t steps = CLOCHE__GATE_STEPS;
  cloche_status status = (glob ? cloche__regex_glob : cloche__regex_make)(cloche__text(source),
                                                                          &arena, &regex, &problem);
  if (status != CLOCHE_OK) fprintf(stderr, "  %s: %s\n", source, problem);
  CHECK_EQ(status, CLOCHE_OK);
  cloche__match found = cloche__regex_match(regex, cloche__text(text), whole, &steps);
  cloche__arena_free(&arena);
  return found;
}

TEST(regular_expressions_match_as_people_know_them) {
  static const struct {
    const char *source, *text;
    int whole, search;
  } rows[] = {
      {"abc", "abc", 1, 1},
      {"abc", "xabcx", 0, 1},
      {"", "", 1, 1},
      {"", "a", 0, 1},
      {"a|b|cd", "cd", 1, 1},
      {"a*", "aaa", 1, 1},
      {"a+", "", 0, 0},
      {"a?b", "b", 1, 1},
      {"(ab)*c", "ababc", 1, 1},
      {"(a|b)+", "abba", 1, 1},
      {"a{2}", "aa", 1, 1},
      {"a{2}", "a", 0, 0},
      {"a{2,}", "aaaa", 1, 1},
      {"a{2,3}", "aaaa", 0, 1},
      {"a{0}b", "b", 1, 1},
      {"(ab){2}", "abab", 1, 1},
      {"a{0,2}", "aaa", 0, 1},
      {"[a-c]", "b", 1, 1},
      {"[^a-c]", "b", 0, 0},
      {"[a-]", "-", 1, 1},
      {"[\\]]", "]", 1, 1},
      {"[\\d_]+", "1_2", 1, 1},
      {"[^\\s]+", "a b", 0, 1},
      {"\\d+", "123", 1, 1},
      {"\\D", "1", 0, 0},
      {"\\w+", "aZ_9", 1, 1},
      {"\\W", "_", 0, 0},
      {"\\s", "\xC2\xA0", 1, 1},
      {"\\S", "\xC2\xA0", 0, 0},
      {".", "\n", 0, 0},
      {".", "\xE2\x82\xAC", 1, 1},
      {"^a$", "a", 1, 1},
      {"^b", "ab", 0, 0},
      {"b$", "ab", 0, 1},
      {"a$", "a\n", 0, 0},
      {"\\bfoo\\b", "a foo b", 0, 1},
      {"\\bfoo\\b", "afoo", 0, 0},
      {"\\Boo", "foo", 0, 1},
      {"\\x41\\u0042\\u{43}", "ABC", 1, 1},
      {"a\\.b", "a.b", 1, 1},
      {"a\\.b", "axb", 0, 0},
      {"(?:a|b)c", "bc", 1, 1},
      {"(a*)*", "aaa", 1, 1},
      {"(a*)*b", "aaa", 0, 0},
      {"(|a)+", "aa", 1, 1},
      {"a*?b", "aab", 1, 1},
      {"\xC3\xA9+", "\xC3\xA9\xC3\xA9", 1, 1},
      {"[\xC3\xA0-\xC3\xBF]", "\xC3\xA9", 1, 1},
      {"(^a)|b", "b", 1, 1},
      {"a||b", "", 1, 1},
      {"[0-9]{4}-[0-9]{2}", "2026-01", 1, 1},
      {"x{3,5}", "xx", 0, 0},
      {"x{3,5}", "xxxx", 1, 1},
      {"(a{2}){2}", "aaaa", 1, 1},
      {"(a{2}){2}", "aaa", 0, 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    TEST_ROW(rows[i].source);
    CHECK_EQ(match(rows[i].source, rows[i].text, true, false), rows[i].whole);
    CHECK_EQ(match(rows[i].source, rows[i].text, false, false), rows[i].search);
  }
}

TEST(what_cannot_be_matched_in_linear_time_is_refused) {
  static const char *const rows[] = {
      "(a)\\1", "(?=a)",       "(?!a)", "(?<=a)", "(?<n>a)", "(?i)a",   "(",
      ")",      "a)",          "[a",    "[b-a]",  "*a",      "a{3,2}",  "a{99999}",
      "a{",     "a{x}",        "\\",    "\\q",    "\\p{L}",  "\\k",     "a**b",
      "+",      "\\u{110000}", "\\xZZ", "]",      "}",       "[a-\\d]", "(((a{1000}){1000}){1000})",
      "\xFF"};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    cloche__arena arena = {0};
    const cloche__regex *regex;
    const char *problem = NULL;
    TEST_ROW(rows[i]);
    CHECK_EQ(cloche__regex_make(cloche__text(rows[i]), &arena, &regex, &problem),
             CLOCHE_E_ARGUMENT);
    CHECK(problem != NULL);
    cloche__arena_free(&arena);
  }
}

TEST(expressions_that_explode_elsewhere_are_quick_or_stop) {
  static char text[100001];
  memset(text, 'a', 100000);
  CHECK_EQ(match("(a+)+b", text, true, false), CLOCHE__MATCH_NO);
  CHECK_EQ(match("(a|a)*b", text, true, false), CLOCHE__MATCH_NO);
  CHECK_EQ(match("(a{1,200})*b", text, true, false), CLOCHE__MATCH_LIMIT);
  CHECK_EQ(match("a", "\xFF", true, false), CLOCHE__MATCH_NO);
}

TEST(globs_stay_between_slashes) {
  static const struct {
    const char *glob, *text;
    bool match;
  } rows[] = {
      {"*.txt", "a.txt", true},
      {"*.txt", "a/b.txt", false},
      {"**.txt", "a/b.txt", true},
      {"a?c", "abc", true},
      {"a?c", "a/c", false},
      {"/data/*/x", "/data/a/x", true},
      {"/data/*/x", "/data/a/b/x", false},
      {"/data/**", "/data/a/b", true},
      {"[a]", "[a]", true},
      {"a.c", "abc", false},
      {"\\*", "*", true},
      {"\\*", "a", false},
      {"", "", true},
      {"*", "a\nb", true},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    TEST_ROW(rows[i].glob);
    CHECK_EQ(match(rows[i].glob, rows[i].text, true, true), rows[i].match);
  }
}

/* ---- addresses, hosts, URLs ---- */

TEST(addresses_are_read_in_every_spelling_and_private_ones_known) {
  static const struct {
    const char *host;
    int valid_and_public;
  } rows[] = {
      /* -1: not valid */
      {"8.8.8.8", 1},
      {"127.0.0.1", 0},
      {"127.1", 0},
      {"0x7f.1", 0},
      {"0x7f000001", 0},
      {"2130706433", 0},
      {"017700000001", 0},
      {"0177.0.0.1", 0},
      {"0", 0},
      {"0x", 0},
      {"10.0.0.1", 0},
      {"10.255", 0},
      {"172.16.0.1", 0},
      {"172.32.0.1", 1},
      {"172.15.255.255", 1},
      {"192.168.1.1", 0},
      {"192.169.1.1", 1},
      {"169.254.169.254", 0},
      {"0xa9fea9fe", 0},
      {"100.64.0.1", 0},
      {"100.128.0.1", 1},
      {"224.0.0.1", 0},
      {"255.255.255.255", 0},
      {"198.18.0.1", 0},
      {"198.20.0.1", 1},
      {"192.0.2.1", 0},
      {"256.1.1.1", -1},
      {"1.2.3.4.5", -1},
      {"1.2.3.", 1},
      {"4294967296", -1},
      {"08.8.8.8", -1},
      {"1.2.3.0x100", -1},
      {"1..2", -1},
      {"[::1]", 0},
      {"[::]", 0},
      {"[::ffff:127.0.0.1]", 0},
      {"[::ffff:7f00:1]", 0},
      {"[::ffff:8.8.8.8]", 1},
      {"[::127.0.0.1]", 0},
      {"[0:0:0:0:0:0:0:1]", 0},
      {"[fe80::1]", 0},
      {"[fc00::1]", 0},
      {"[fd12:3456::1]", 0},
      {"[ff02::1]", 0},
      {"[2606:4700::1111]", 1},
      {"[2001:db8::1]", 0},
      {"[64:ff9b::7f00:1]", 0},
      {"[64:ff9b::808:808]", 1},
      {"[2002:7f00:1::]", 0},
      {"[2002:808:808::]", 1},
      {"[2001:0:1::]", 0},
      {"[::1%25eth0]", -1},
      {"[fe80::1%eth0]", -1},
      {"[::1", -1},
      {"[1:2:3:4:5:6:7:8:9]", -1},
      {"[1::2::3]", -1},
      {"[:1]", -1},
      {"[1:]", -1},
      {"[12345::]", -1},
      {"[::256.1.1.1]", -1},
      {"[::1.2.3]", -1},
      {"[1:2:3:4:5:6:7::]", 0},
      {"[1:2:3:4:5:6:7:8]", 0},
      {"[]", -1},
      {"[::ffff:0177.0.0.1]", -1},
      {"[2607:f8b0::5efe:7f00:1]", 0},
      {"localhost", 0},
      {"LOCALHOST.", 0},
      {"foo.localhost", 0},
      {"printer", 0},
      {"db.internal", 0},
      {"nas.local", 0},
      {"example.com", 1},
      {"EXAMPLE.com.", 1},
      {"xn--bcher-kva.example", 1},
      {"b\xC3\xBC"
       "cher.example",
       -1},
      {"a_b.example.com", 1},
      {"", -1},
      {".", -1},
      {"..", -1},
      {"a..b", -1},
      {".a.com", -1},
      {"a b.com", -1},
      {"a%2eb.com", -1},
      {"\xEF\xBC\x91.1.1.1", -1},
      {"metadata.google.internal", 0},
      {"1.2.3.4a", 1},
      {"a.0x7f", -1},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    cloche__host host;
    TEST_ROW(rows[i].host);
    CHECK_EQ(cloche__host_read(cloche__text(rows[i].host), &host), rows[i].valid_and_public >= 0);
    if (rows[i].valid_and_public < 0) continue;
    CHECK_EQ(!cloche__host_is_private(&host), rows[i].valid_and_public);
  }
}

TEST(urls_that_readers_disagree_about_are_refused) {
  static const struct {
    const char *url, *host;
    int port;
  } rows[] = {
      /* host NULL: refused */
      {"https://example.com/a?b#c", "example.com", 443},
      {"http://Example.COM", "example.com", 80},
      {"HTTPS://example.com:8443", "example.com", 8443},
      {"https://example.com.", "example.com", 443},
      {"https://example.com:/", "example.com", 443},
      {"https://example.com?x=/", "example.com", 443},
      {"https://example.com#@evil.example", "example.com", 443},
      {"https://example.com/@x", "example.com", 443},
      {"http://good.example@evil.example/", NULL, 0},
      {"http://good.example:80@evil.example/", NULL, 0},
      {"http://evil.example\\@good.example/", NULL, 0},
      {"http:/example.com", NULL, 0},
      {"http:example.com", NULL, 0},
      {"//example.com", NULL, 0},
      {"example.com", NULL, 0},
      {"http://", NULL, 0},
      {"http:///path", NULL, 0},
      {"https://example.com:99999", NULL, 0},
      {"https://example.com:8a", NULL, 0},
      {"https://example.com:-1", NULL, 0},
      {" https://example.com", NULL, 0},
      {"https://example.com\n", NULL, 0},
      {"ht\ttps://example.com", NULL, 0},
      {"https://exa mple.com", NULL, 0},
      {"https://\xEF\xBD\x85xample.com", NULL, 0},
      {"https://ex%61mple.com", NULL, 0},
      {"javascript:alert(1)", NULL, 0},
      {"file:///etc/passwd", NULL, 0},
      {"https://[::1", NULL, 0},
      {"https://[::1]x/", NULL, 0},
      {"https://[::1]:80/", "", 80},
      {"https://example.com/\xE2\x82\xAC", NULL, 0},
      {"1http://example.com", NULL, 0},
      {"https://example..com", NULL, 0},
      {"https://127.1/", "", 443},
      {"gopher://example.com/", "example.com", -1},
      {"https://example.com\\.evil.example", NULL, 0},
      {"https://example.com%00.evil.example", NULL, 0},
      {"https://.example.com", NULL, 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    cloche__url url;
    TEST_ROW(rows[i].url);
    CHECK_EQ(cloche__url_read(cloche__text(rows[i].url), &url), rows[i].host != NULL);
    if (rows[i].host == NULL) continue;
    CHECK_EQ(url.port, rows[i].port);
    CHECK(strncmp(url.host.name, rows[i].host, sizeof url.host.name) == 0);
  }
  static char long_url[CLOCHE__URL_BYTES + 2] = "https://example.com/";
  memset(long_url + 20, 'a', sizeof long_url - 21);
  cloche__url url;
  CHECK(!cloche__url_read(cloche__text(long_url), &url));
}

TEST(host_patterns_end_at_labels) {
  static const struct {
    const char *pattern, *host;
    bool match;
  } rows[] = {
      {"example.com", "example.com", true},
      {"example.com", "EXAMPLE.COM.", true},
      {"example.com", "a.example.com", false},
      {"*.example.com", "a.example.com", true},
      {"*.example.com", "a.b.example.com", true},
      {"*.example.com", "example.com", false},
      {"*.example.com", "badexample.com", false},
      {".example.com", "example.com", true},
      {".example.com", "a.example.com", true},
      {".example.com", "badexample.com", false},
      {"example.com", "example.com.evil.example", false},
      {"127.0.0.1", "127.1", true},
      {"127.0.0.1", "[::ffff:127.0.0.1]", true},
      {"[::1]", "[0:0::1]", true},
      {"127.0.0.1", "127.0.0.2", false},
      {"localhost", "localhost", true},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    cloche__host_pattern pattern;
    cloche__host host;
    TEST_ROW(rows[i].host);
    CHECK(cloche__host_pattern_read(cloche__text(rows[i].pattern), &pattern));
    CHECK(cloche__host_read(cloche__text(rows[i].host), &host));
    CHECK_EQ(cloche__host_pattern_matches(&pattern, &host), rows[i].match);
  }
  static const char *const bad[] = {"",
                                    "*",
                                    "*.",
                                    ".",
                                    "a.*.com",
                                    "*example.com",
                                    "*.127.0.0.1",
                                    "https://a.com",
                                    "a.com:80",
                                    "a/b",
                                    ("b\xC3\xBC"
                                     "cher.de")};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    cloche__host_pattern pattern;
    TEST_ROW(bad[i]);
    CHECK(!cloche__host_pattern_read(cloche__text(bad[i]), &pattern));
  }
}

TEST(the_path_of_a_url_is_compared_decoded_and_by_segments) {
  static const struct {
    const char *path, *prefix;
    int within;
  } rows[] = {
      /* -1: unclear */
      {"/api", "/api", 1},
      {"/api/", "/api", 1},
      {"/api/x", "/api", 1},
      {"/apix", "/api", 0},
      {"", "/", 1},
      {"/", "/api", 0},
      {"/%61pi/x", "/api", 1},
      {"/api/../admin", "/api", 0},
      {"/api/%2e%2e/admin", "/api", -1},
      {"/admin/%2e./api", "/api", -1}, /* a proxy may look for /admin first */
      {"/api%2f..%2fadmin", "/api", -1},
      {"/api/%5c..", "/api", -1},
      {"/api/%00", "/api", -1},
      {"/api/%252e%252e/", "/api", -1},
      {"/api/..;/admin", "/api", -1},
      {"/api/%zz", "/api", -1},
      {"/api/%2", "/api", -1},
      {"//api", "/api", -1},
      {"/admin//../api", "/api", -1}, /* /api for some, /admin/api for browsers */
      {"/admin/.//../../api", "/api", -1},
      {"/api/x//", "/api", -1},
      {"/./api/", "/api", 1},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    bool clear;
    TEST_ROW(rows[i].path);
    bool within =
        cloche__url_path_within(cloche__text(rows[i].path), cloche__text(rows[i].prefix), &clear);
    CHECK_EQ(clear ? within : -1, rows[i].within);
  }
}

TEST(mail_addresses_are_plain_or_refused) {
  static const struct {
    const char *text, *domain;
  } rows[] = {
      {"a@example.com", "example.com"},
      {"a.b+c@EXAMPLE.com", "example.com"},
      {"a@b@example.com", NULL},
      {"@example.com", NULL},
      {"a@", NULL},
      {"a", NULL},
      {"a..b@example.com", NULL},
      {".a@example.com", NULL},
      {"a.@example.com", NULL},
      {"\"a@evil.example\"@example.com", NULL},
      {"A <a@example.com>", NULL},
      {"a@example.com,b@evil.example", NULL},
      {"a@example.com b@evil.example", NULL},
      {"a@example.com\nBcc: x@evil.example", NULL},
      {"a@[127.0.0.1]", NULL},
      {"a@127.0.0.1", NULL},
      {"a(b)@example.com", NULL},
      {"\xC3\xA9@example.com", NULL},
      {"a@ex\xC3\xA4mple.com", NULL},
      {"a@example.com.", "example.com"},
      {"a;b@example.com", NULL},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    cloche__host domain;
    TEST_ROW(rows[i].text);
    CHECK_EQ(cloche__email_domain(cloche__text(rows[i].text), &domain), rows[i].domain != NULL);
    if (rows[i].domain != NULL) CHECK_STR(domain.name, rows[i].domain);
  }
}

/* ---- paths ---- */

TEST(paths_are_within_by_segments_after_normalising) {
  static const struct {
    const char *path, *base;
    int within;
  } rows[] = {
      /* -1: unclear */
      {"/data", "/data", 1},
      {"/data/", "/data", 1},
      {"/data/a", "/data/", 1},
      {"/database", "/data", 0},
      {"/data/../etc", "/data", 0},
      {"/data/./a//b", "/data", 1},
      {"/data/a/../../data/b", "/data", 1},
      {"/../data", "/data", 1},
      {"/", "/", 1},
      {"/etc", "/", 1},
      {"data", "/data", -1},
      {"/data", "data", -1},
      {"data/a", "data", 1},
      {"../data", "data", 0},
      {"data/../../data/a", "data", 0},
      {"data/../data/a", "data", 1},
      {"", "/data", -1},
      {".", ".", 1},
      {"a", ".", 1},
      {"..", ".", 0},
      {"/data/..", "/data", 0},
      {"/data/...", "/data", 1},
      {"/data/..a", "/data", 1},
      {"/Data/a", "/data", 0},
      {"a/..", ".", 1},
      {"a/../..", ".", 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    TEST_ROW(rows[i].path);
    int within = cloche__path_within(cloche__text(rows[i].path), cloche__text(rows[i].base));
    CHECK_EQ(within == CLOCHE__WITHIN_UNCLEAR ? -1 : within, rows[i].within);
  }
}

TEST(paths_that_other_readers_could_leave_by_are_not_plain) {
  static const char *const bad[] = {"/data/..\\..\\etc",
                                    "/data/%2e%2e/etc",
                                    "/data/%2E%2E%2Fetc",
                                    "/data%2fx",
                                    "/data/%252e",
                                    "/data/%5c",
                                    "/data/%00",
                                    "/data/%c0%ae",
                                    "/data/\xEF\xBC\x8E\xEF\xBC\x8E/etc",
                                    "/data\xE2\x88\x95x",
                                    "/data/\xE2\x80\xA5/etc",
                                    "/data/\xFF",
                                    "\\\\host\\share",
                                    "C:\\x",
                                    "/a/%u002e"};
  static const char *const good[] = {"/data/a b", "/data/100%", "/data/%41", "/data/\xC3\xB6.txt",
                                     "C:x",       "/data/a;b",  "/data/~"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    TEST_ROW(bad[i]);
    CHECK(!cloche__path_is_plain(cloche__text(bad[i])));
  }
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    TEST_ROW(good[i]);
    CHECK(cloche__path_is_plain(cloche__text(good[i])));
  }
  CHECK(!cloche__path_is_plain((cloche_text){"/data\0/etc", 10}));
}

/* ---- times ---- */

TEST(times_need_a_zone_and_a_real_date) {
  static const struct {
    const char *text;
    int64_t seconds;
    int32_t ns;
  } rows[] = {
      {"1970-01-01", 0, 0},
      {"1970-01-01T00:00:00Z", 0, 0},
      {"2026-01-31T12:00:00Z", 1769860800, 0},
      {"2026-01-31T13:00:00+01:00", 1769860800, 0},
      {"2026-01-31T12:00Z", 1769860800, 0},
      {"2026-01-31t12:00:00.5z", 1769860800, 500000000},
      {"2026-01-31 12:00:00.123456789Z", 1769860800, 123456789},
      {"2024-02-29", 1709164800, 0},
      {"1969-12-31T23:59:59Z", -1, 0},
      {"0001-01-01", -62135596800, 0},
      {"9999-12-31", 253402214400, 0},
      {"2000-02-29T00:00:00-0000", 951782400, 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    cloche__time time = {0};
    TEST_ROW(rows[i].text);
    CHECK(cloche__time_read(cloche__text(rows[i].text), &time));
    CHECK_EQ(time.seconds, rows[i].seconds);
    CHECK_EQ(time.nanoseconds, rows[i].ns);
  }
  static const char *const bad[] = {"",
                                    "now",
                                    "2026",
                                    "2026-02-30",
                                    "2023-02-29",
                                    "2026-13-01",
                                    "2026-00-10",
                                    "2026-01-00",
                                    "2026-01-31T12:00:00",
                                    "2026-01-31T24:00:00Z",
                                    "2026-01-31T12:60:00Z",
                                    "2026-01-31T12:00:60Z",
                                    "2026-01-31T12:00:00.Z",
                                    "2026-01-31T12:00:00.1234567890Z",
                                    "2026-01-31T12Z",
                                    "20260131",
                                    "2026-1-31",
                                    "2026-01-31Z",
                                    "2026-01-31T12:00:00Zx",
                                    "+2026-01-31",
                                    "1769860800",
                                    "2026-01-31T12:00:00+25:00",
                                    "2026-01-31T12:00:00+1:00"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    cloche__time time;
    TEST_ROW(bad[i]);
    CHECK(!cloche__time_read(cloche__text(bad[i]), &time));
  }
}

TEST(durations_have_a_unit) {
  static const struct {
    const char *text;
    int64_t ns;
  } rows[] = {{"250ms", 250000000},  {"30s", 30000000000},    {"5m", 300000000000},
              {"2h", 7200000000000}, {"7d", 604800000000000}, {"0s", 0}};
  static const char *const bad[] = {
      "", "s", "5", "5 s", "-5s", "1.5h", "5w", "99999999999999999999s", "200000d", "5sm"};
  int64_t ns;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    TEST_ROW(rows[i].text);
    CHECK(cloche__duration_read(cloche__text(rows[i].text), &ns));
    CHECK_EQ(ns, rows[i].ns);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    TEST_ROW(bad[i]);
    CHECK(!cloche__duration_read(cloche__text(bad[i]), &ns));
  }
}

/* ---- sums ---- */

static void check_amount(const cloche__amount *amount, const char *want) {
  char room[128];
  cloche__buffer out = cloche__buffer_fixed(room, sizeof room - 1);
  cloche__amount_write(amount, &out);
  room[out.len] = '\0';
  CHECK_STR(room, want);
}

TEST(sums_of_decimals_are_exact) {
  static const struct {
    const char *a, *b, *sum;
  } rows[] = {
      {"0.1", "0.2", "0.3"},
      {"9007199254740993", "1", "9007199254740994"},
      {"999999999", "1", "1000000000"},
      {"0.999999999", "1e-9", "1"},
      {"1e3", "2.50", "1002.5"},
      {"0", "0", "0"},
      {"-0", "5", "5"},
      {"123.456e2", "0.4", "12346"},
      {"1e71", "1", "100000000000000000000000000000000000000000000000000000000000000000000001"},
      {"1e-36", "1e-36", "0.000000000000000000000000000000000002"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    cloche__amount a, b, sum;
    TEST_ROW(rows[i].a);
    CHECK(cloche__amount_read(cloche__text(rows[i].a), &a));
    CHECK(cloche__amount_read(cloche__text(rows[i].b), &b));
    sum = a;
    CHECK(cloche__amount_add(&sum, &b));
    check_amount(&sum, rows[i].sum);
    cloche__amount_subtract(&sum, &b);
    CHECK_EQ(cloche__amount_compare(&sum, &a), 0);
  }
  static const char *const bad[] = {"-1",    "-1e-400", "1e72",
                                    "1e-37", "1e400",   "0.1234567890123456789012345678901234567"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    cloche__amount a;
    TEST_ROW(bad[i]);
    CHECK(!cloche__amount_read(cloche__text(bad[i]), &a));
  }
  cloche__amount most, one;
  CHECK(cloche__amount_read(
      cloche__text("999999999999999999999999999999999999999999999999999999999999999999999999"),
      &most));
  CHECK(cloche__amount_read(cloche__text("1"), &one));
  CHECK(!cloche__amount_add(&most, &one));
  cloche__amount_subtract(&one, &most);
  check_amount(&one, "0");
}

TEST_MAIN(TEST_ENTRY(regular_expressions_match_as_people_know_them),
          TEST_ENTRY(what_cannot_be_matched_in_linear_time_is_refused),
          TEST_ENTRY(expressions_that_explode_elsewhere_are_quick_or_stop),
          TEST_ENTRY(globs_stay_between_slashes),
          TEST_ENTRY(addresses_are_read_in_every_spelling_and_private_ones_known),
          TEST_ENTRY(urls_that_readers_disagree_about_are_refused),
          TEST_ENTRY(host_patterns_end_at_labels),
          TEST_ENTRY(the_path_of_a_url_is_compared_decoded_and_by_segments),
          TEST_ENTRY(mail_addresses_are_plain_or_refused),
          TEST_ENTRY(paths_are_within_by_segments_after_normalising),
          TEST_ENTRY(paths_that_other_readers_could_leave_by_are_not_plain),
          TEST_ENTRY(times_need_a_zone_and_a_real_date), TEST_ENTRY(durations_have_a_unit),
          TEST_ENTRY(sums_of_decimals_are_exact))
