// SPDX-License-Identifier: MIT
/* gate_bypass_test.c -- tricks that got past other gates, each beside a call that is allowed.
 *
 * They stand for their kinds. A row whose policy denies everything would prove nothing, so every
 * policy comes with a call that it lets through. */
#include "gate_help.h"

#define ALLOW(pattern, ...) \
  "{\"rules\":[{\"pattern\":\"" pattern "\",\"effect\":\"allow\",\"where\":{" __VA_ARGS__ "}}]}"

typedef struct {
  const char *policy, *method, *fine; /* a call that is allowed */
  const char *tricks[40];             /* params that are not; NULL ends */
} group;

static const group groups[] = {
    {ALLOW("pay", "\"amount\":{\">\":0,\"<=\":100}"),
     "pay",
     "{\"amount\":100}",
     {"{\"amount\":101}",
      "{\"amount\":1,\"amount\":1000}",
      "{\"amount\":1000,\"amount\":1}",
      "{\"amount\":1,\"\\u0061mount\":1000}",
      "{\"amount\":\"1\"}",
      "{\"amount\":\"100\"}",
      "{\"amount\":[1]}",
      "{\"amount\":{\"valueOf\":1}}",
      "{\"amount\":true}",
      "{\"amount\":null}",
      "{}",
      "{\"amount\":1e400}",
      "{\"amount\":1e1000000000}",
      "{\"amount\":1e99999999999999999999}",
      "{\"amount\":-1}",
      "{\"amount\":-0}",
      "{\"amount\":100.00000000000000000001}",
      "{\"amount\":NaN}",
      "{\"amount\":Infinity}",
      "{\"amount\":-Infinity}",
      "{\"amount\":0x64}",
      "{\"amount\":1_0}",
      "{\"amount\":+1}",
      "{\"amount\":01}",
      "{\"Amount\":1}",
      "{\"amount \":1}",
      "{\"amount\\u0000\":1}",
      "{\"__proto__\":{\"amount\":1}}",
      "{\"constructor\":{\"amount\":1}}",
      "[{\"amount\":1}]",
      "{\"amount\":1}{\"amount\":1000}",
      "{\"amount\":1}//",
      "{\"amount\":1,}",
      "{\"\xC3\xA0mount\":1}",
      "{\"\\u0430mount\":1}",
      "\xEF\xBB\xBF{\"amount\":1}",
      "{\"amount\":1e-1000000001}"}},
    {ALLOW("pay", "\"currency\":{\"in\":[\"USD\",\"EUR\"]}"),
     "pay",
     "{\"currency\":\"USD\"}",
     {"{\"currency\":\"usd\"}", "{\"currency\":\"USD \"}", "{\"currency\":\"USD\\u0000\"}",
      "{\"currency\":\"USD\\n\"}", "{\"currency\":\"\\uff35\\uff33\\uff24\"}",
      "{\"currency\":\"U\\u200bSD\"}", "{\"currency\":\"\\u0055\\u0405D\"}",
      "{\"currency\":[\"USD\"]}", "{\"currency\":{\"0\":\"USD\"}}",
      "{\"currency\":\"U\\u0053\\u0301D\"}", "{\"currency\":\"\\ud800USD\"}"}},
    {ALLOW("read", "\"path\":{\"path_within\":\"/data\"}"),
     "read",
     "{\"path\":\"/data/a/../b\"}",
     {"{\"path\":\"/data/../etc/passwd\"}",
      "{\"path\":\"/data/a/../../etc\"}",
      "{\"path\":\"/database\"}",
      "{\"path\":\"/data\\u0000/../etc\"}",
      "{\"path\":\"/data/%2e%2e/etc\"}",
      "{\"path\":\"/data/%2E%2E%2Fetc\"}",
      "{\"path\":\"/data/%252e%252e/etc\"}",
      "{\"path\":\"/data/..%2f..%2fetc\"}",
      "{\"path\":\"/data\\\\..\\\\..\\\\etc\"}",
      "{\"path\":\"/data/..\\\\etc\"}",
      "{\"path\":\"data/a\"}",
      "{\"path\":\"../data/a\"}",
      "{\"path\":\"./data\"}",
      "{\"path\":\"/data/\\u2025/etc\"}",
      "{\"path\":\"/data/\\uff0e\\uff0e/etc\"}",
      "{\"path\":\"/data\\u2215..\\u2215etc\"}",
      "{\"path\":[\"/data\"]}",
      "{\"path\":\"\"}",
      "{\"path\":\"file:///data/a\"}",
      "{\"path\":\"~/data\"}",
      "{\"path\":\"/DATA/a\"}",
      "{\"path\":\"C:\\\\data\"}",
      "{\"path\":\"\\\\\\\\host\\\\data\"}",
      "{\"path\":\"/data/%c0%ae%c0%ae/etc\"}",
      "{\"path\":\"//etc/data\"}",
      "{\"path\":\"/./../etc\"}",
      "{\"path\":\" /data\"}"}},
    {ALLOW("get", "\"url\":{\"url\":{\"host\":\"*.good.example\",\"scheme\":\"https\"}}"),
     "get",
     "{\"url\":\"https://a.good.example/x\"}",
     {"{\"url\":\"https://good.example.evil.example/\"}",
      "{\"url\":\"https://a.good.example@evil.example/\"}",
      "{\"url\":\"https://a.good.example:443@evil.example/\"}",
      "{\"url\":\"https://evil.example\\\\@a.good.example/\"}",
      "{\"url\":\"https://evil.example#.good.example\"}",
      "{\"url\":\"https://evil.example?.good.example\"}",
      "{\"url\":\"https://evil.example/.good.example\"}",
      "{\"url\":\"https://evilgood.example/\"}",
      "{\"url\":\"https://evil.example%2f.good.example/\"}",
      "{\"url\":\"https://evil.example%00.good.example/\"}",
      "{\"url\":\"https://a.good.example\\u0000.evil.example/\"}",
      "{\"url\":\"http://a.good.example/\"}",
      "{\"url\":\"//a.good.example/\"}",
      "{\"url\":\"https:a.good.example\"}",
      "{\"url\":\"https:/\\\\a.good.example\"}",
      "{\"url\":\" https://a.good.example\"}",
      "{\"url\":\"https://a.good.example\\t.evil.example\"}",
      "{\"url\":\"https://a.good\\u3002example.evil.example\"}",
      "{\"url\":\"https://a.go\\u00f6d.example\"}",
      "{\"url\":\"https://a.good.example\\u2044.evil.example\"}",
      "{\"url\":\"javascript://a.good.example/%0aalert(1)\"}",
      "{\"url\":\"data:text/html,x\"}",
      "{\"url\":\"https://[a.good.example]\"}",
      "{\"url\":\"https://a.good.example:99999\"}",
      "{\"url\":\"https://a..good.example\"}",
      "{\"url\":\"https://a.good.example,evil.example\"}",
      "{\"url\":\"https://secret.a.evil.test\"}"}},
    {ALLOW("get", "\"url\":{\"url\":{}}"),
     "get",
     "{\"url\":\"https://93.184.216.34/\"}",
     {"{\"url\":\"http://127.0.0.1/\"}",
      "{\"url\":\"http://127.1/\"}",
      "{\"url\":\"http://0x7f.1/\"}",
      "{\"url\":\"http://0x7f000001/\"}",
      "{\"url\":\"http://017700000001/\"}",
      "{\"url\":\"http://2130706433/\"}",
      "{\"url\":\"http://0/\"}",
      "{\"url\":\"http://127.0.0.1.:80/\"}",
      "{\"url\":\"http://[::1]/\"}",
      "{\"url\":\"http://[::]/\"}",
      "{\"url\":\"http://[::ffff:127.0.0.1]/\"}",
      "{\"url\":\"http://[::ffff:7f00:1]/\"}",
      "{\"url\":\"http://[0:0:0:0:0:ffff:127.0.0.1]/\"}",
      "{\"url\":\"http://[::127.0.0.1]/\"}",
      "{\"url\":\"http://[64:ff9b::7f00:1]/\"}",
      "{\"url\":\"http://[fe80::1%25eth0]/\"}",
      "{\"url\":\"http://[fc00::1]/\"}",
      "{\"url\":\"http://169.254.169.254/latest\"}",
      "{\"url\":\"http://0xa9.0xfe.0xa9.0xfe/\"}",
      "{\"url\":\"http://2852039166/\"}",
      "{\"url\":\"http://metadata.google.internal/\"}",
      "{\"url\":\"http://10.1/\"}",
      "{\"url\":\"http://192.168.1.1/\"}",
      "{\"url\":\"http://172.16.0.1/\"}",
      "{\"url\":\"http://localhost/\"}",
      "{\"url\":\"http://LOCALHOST./\"}",
      "{\"url\":\"http://x.localhost/\"}",
      "{\"url\":\"http://router/\"}",
      "{\"url\":\"http://\\u2460\\u2461\\u2466.0.0.1/\"}",
      "{\"url\":\"http://127\\u30020.0.1/\"}",
      "{\"url\":\"http://1.1.1.1@127.0.0.1/\"}",
      "{\"url\":\"http://127.0.0.1#@1.1.1.1/\"}",
      "{\"url\":\"http://127.0.0.1:80\\\\@1.1.1.1/\"}",
      "{\"url\":\"http://0300.0250.1.1/\"}",
      "{\"url\":\"http://127.0.0.256/\"}",
      "{\"url\":\"file:///etc/passwd\"}",
      "{\"url\":\"gopher://1.1.1.1/\"}"}},
    {ALLOW("mail", "\"to\":{\"email_domain\":\"good.example\"}"),
     "mail",
     "{\"to\":\"a@good.example\"}",
     {"{\"to\":\"a@evil.example\"}", "{\"to\":\"a@evil.example@good.example\"}",
      "{\"to\":\"a@good.example,b@evil.example\"}", "{\"to\":\"a@good.example;b@evil.example\"}",
      "{\"to\":\"a@good.example\\nBcc: b@evil.example\"}",
      "{\"to\":\"<b@evil.example> a@good.example\"}",
      "{\"to\":\"\\\"b@evil.example\\\"@good.example\"}",
      "{\"to\":\"b%evil.example@good.example \"}", "{\"to\":\"a@good.example.evil.example\"}",
      "{\"to\":\"a@notgood.example\"}", "{\"to\":\"a@go\\u043ed.example\"}",
      "{\"to\":[\"a@good.example\"]}", "{\"to\":\"a@sub.good.example\"}",
      "{\"to\":\"a(b@evil.example)@good.example\"}", "{\"to\":\"@evil.example:a@good.example\"}"}},
    {ALLOW("find", "\"id\":{\"matches\":\"[a-z]+\"}"),
     "find",
     "{\"id\":\"abc\"}",
     {"{\"id\":\"abc\\n\"}", "{\"id\":\"abc; drop table\"}", "{\"id\":\"\\nabc\"}",
      "{\"id\":\"ABC\"}", "{\"id\":\"\"}", "{\"id\":\"ab\\u0131\"}", "{\"id\":\"abc\\u0000\"}",
      "{\"id\":5}", "{\"id\":[\"abc\"]}"}},
    {ALLOW("set", "\"not\":{\"path\":{\"starts_with\":\"/etc\"}}"),
     "set",
     "{\"path\":\"/home\"}",
     {"{\"path\":\"/etc/passwd\"}", "{}", "{\"path\":null}", "{\"path\":[\"/etc\"]}",
      "{\"path\":{\"0\":\"/etc\"}}", "{\"path\":5}"}},
    {"{\"rules\":[{\"pattern\":\"run\",\"effect\":\"allow\"},{\"pattern\":\"run\",\"effect\":"
     "\"deny\",\"where\":{\"amount\":{\">\":10}}},{\"pattern\":\"run\",\"effect\":\"deny\","
     "\"where\":{\"to\":{\"any\":{\"!=\":\"me\"}}}}]}",
     "run",
     "{\"amount\":10,\"to\":[\"me\"]}",
     {"{\"amount\":11,\"to\":[\"me\"]}", "{\"to\":[\"me\"]}", "{\"amount\":\"11\",\"to\":[\"me\"]}",
      "{\"amount\":10,\"to\":[\"me\",\"you\"]}", "{\"amount\":10,\"to\":[\"me\",null]}",
      "{\"amount\":10,\"to\":\"me\"}", "{\"amount\":10,\"to\":{\"0\":\"me\"}}", "{\"amount\":10}"}},
};

TEST(no_trick_gets_past_a_constraint) {
  int tricks = 0;
  for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
    cloche_gate *gate = gate_for(groups[i].policy);
    TEST_ROW(groups[i].fine);
    CHECK_EQ(check(gate, groups[i].method, groups[i].fine), CLOCHE_ALLOW);
    for (const char *const *trick = groups[i].tricks; *trick != NULL; trick++, tricks++) {
      TEST_ROW(*trick);
      CHECK_EQ(check(gate, groups[i].method, *trick), CLOCHE_DENY);
      CHECK_EQ(decided.params.len, 0);
    }
    cloche_gate_free(gate);
  }
  CHECK(tricks > 170);
}

TEST(no_spelling_of_a_method_gets_past_its_rule) {
  static const char *const names[] = {"admin/drop",
                                      "admin.drop",
                                      "mcp:admin.drop",
                                      "mcp:mcp:admin/drop",
                                      "admin//drop",
                                      "admin/./drop",
                                      "admin/../admin/drop",
                                      "/admin/drop",
                                      "admin/drop/",
                                      "admin\\drop",
                                      "admin/drop\n",
                                      " admin/drop",
                                      "admin/dr\xD0\xBEp",
                                      "ADMIN/drop",
                                      "admin%2fdrop",
                                      "admin/drop%00",
                                      ("admin/\xE2\x80\x8B"
                                       "drop"),
                                      ("\xEF\xBB\xBF"
                                       "admin/drop"),
                                      "__proto__",
                                      "constructor",
                                      "toString",
                                      "**",
                                      "admin/*",
                                      "admin/dr?p",
                                      "",
                                      "mcp:"};
  cloche_gate *gate = gate_for(
      "{\"rules\":[{\"pattern\":\"admin/read\",\"effect\":\"allow\"},{\"pattern\":\"user/"
      "**\",\"effect\":\"allow\"}]}");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    TEST_ROW(names[i]);
    CHECK_EQ(check(gate, names[i], "{}"), CLOCHE_DENY);
  }
  cloche_question nul = {{"user/a\0admin", 12}, {"{}", 2}, 0};
  CHECK_EQ(cloche_gate_check(gate, &nul, &decided), CLOCHE_OK);
  CHECK_EQ(decided.effect, CLOCHE_DENY);
  cloche_gate_free(gate);
}

TEST(depth_and_size_end_in_a_denial) {
  enum { SIZE = 400000 };
  static char text[SIZE + 100];
  cloche_gate *gate = gate_for(ALLOW("a", "\"x\":{\"exists\":true}"));
  int len = snprintf(text, sizeof text, "{\"x\":");
  memset(text + len, '[', SIZE / 2);
  memset(text + len + SIZE / 2, ']', SIZE / 2);
  snprintf(text + len + SIZE, 100, "}");
  CHECK_EQ(check(gate, "a", text), CLOCHE_DENY);
  len = snprintf(text, sizeof text, "{\"y\":\""); /* case C11: a long argument in a denied call */
  memset(text + len, 'a', 20000);
  snprintf(text + len + 20000, 100, "\"}");
  CHECK_EQ(check(gate, "a", text), CLOCHE_DENY);
  CHECK_EQ(decided.code, CLOCHE_CODE_CONSTRAINT);
  cloche_gate_free(gate);
}

TEST_MAIN(TEST_ENTRY(no_trick_gets_past_a_constraint),
          TEST_ENTRY(no_spelling_of_a_method_gets_past_its_rule),
          TEST_ENTRY(depth_and_size_end_in_a_denial))
