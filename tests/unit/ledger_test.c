// SPDX-License-Identifier: MIT
/* ledger_test.c -- the chain, secrets, failing sinks, files that are gone on with. */
#define _GNU_SOURCE
#include "ledger/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sodium.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "gate_help.h"

static const cloche__moment moment = {{"b1", 2}, 1769860800123456789, 1769860800000000000, 42};

static char path[64];

static const char *fresh_path(void) {
  snprintf(path, sizeof path, "/tmp/cloche-ledger-XXXXXX");
  int file = mkstemp(path);
  CHECK(file >= 0);
  close(file);
  unlink(path);
  return path;
}

static char *slurp(size_t *len) {
  FILE *file = fopen(path, "rb");
  CHECK(file != NULL);
  char *text = malloc(1 << 20);
  *len = fread(text, 1, (1 << 20) - 1, file);
  text[*len] = '\0';
  fclose(file);
  return text;
}

static void spill(const char *text, size_t len) {
  FILE *file = fopen(path, "wb");
  CHECK(file != NULL && fwrite(text, 1, len, file) == len);
  fclose(file);
}

static cloche_ledger *open_file(const cloche_ledger_options *options) {
  cloche_ledger *ledger = NULL;
  CHECK_EQ(cloche_ledger_file(path, options, &ledger), CLOCHE_OK);
  return ledger;
}

static void write_some(cloche_ledger *ledger, int count) {
  char members[64];
  for (int i = 0; i < count; i++) {
    int len = snprintf(members, sizeof members, "\"n\":%d,\"s\":\"a\\\"b\"", i);
    CHECK_EQ(cloche__ledger_record(ledger, "test", &moment, (cloche_text){members, (size_t)len}),
             CLOCHE_OK);
  }
}

TEST(a_line_is_one_json_object_with_its_time_and_hash) {
  fresh_path();
  cloche_ledger *ledger = open_file(NULL);
  write_some(ledger, 1);
  size_t len;
  char *text = slurp(&len);
  static const char start[] =
      "{\"seq\":0,\"kind\":\"test\",\"box\":\"b1\",\"wall\":\"2026-01-31T12:00:00.123456789Z\","
      "\"virtual\":\"2026-01-31T12:00:00.000000000Z\",\"fuel\":42,\"n\":0,\"s\":\"a\\\"b\","
      "\"hash\":\"";
  CHECK(strncmp(text, start, sizeof start - 1) == 0);
  CHECK_EQ(len, sizeof start - 1 + 64 + 3);
  struct stat state;
  CHECK(stat(path, &state) == 0 && (state.st_mode & 0777) == 0600);
  free(text);
  cloche_ledger_free(ledger);
  unlink(path);
}

TEST(times_are_written_as_they_are_read) {
  static const int64_t times[] = {0,
                                  -1,
                                  1769860800123456789,
                                  -62135596800000000 * 100,
                                  951782400000000000,
                                  4102444799999999999,
                                  1709164800000000000};
  for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
    char room[64];
    cloche__buffer out = cloche__buffer_fixed(room, sizeof room);
    cloche__time back;
    cloche__time_write(times[i], &out);
    CHECK(cloche__time_read(cloche__buffer_view(&out), &back));
    CHECK_EQ(back.seconds * 1000000000 + back.nanoseconds, times[i]);
  }
}

TEST(every_changed_byte_and_every_moved_line_is_found) {
  fresh_path();
  cloche_ledger *ledger = open_file(NULL);
  write_some(ledger, 4);
  CHECK_EQ(cloche__ledger_close(ledger, &moment, NULL), CLOCHE_OK);
  cloche_ledger_free(ledger);
  cloche_ledger_report report;
  CHECK_EQ(cloche_ledger_verify(path, NULL, &report), CLOCHE_OK);
  CHECK_EQ(report.records, 5);
  CHECK(report.closed && !report.is_signed);
  size_t len;
  char *text = slurp(&len);
  for (size_t i = 0; i < len; i++) {
    char kept = text[i];
    text[i] = kept == '7' ? '8' : '7';
    spill(text, len);
    CHECK_EQ(cloche_ledger_verify(path, NULL, &report), CLOCHE_E_FORMAT);
    CHECK(report.line >= 1 && report.line <= 5);
    text[i] = kept;
  }
  char *lines[6] = {text};
  for (int i = 1; i < 6; i++) lines[i] = strchr(lines[i - 1], '\n') + 1;
  static const struct {
    int order[6];
    int status;
  } rows[] = {
      /* -1 ends */
      {{0, 1, 2, 3, 4, -1}, CLOCHE_OK},      {{1, 2, 3, 4, -1}, CLOCHE_E_FORMAT},
      {{0, 2, 3, 4, -1}, CLOCHE_E_FORMAT},   {{0, 1, 3, 2, 4, -1}, CLOCHE_E_FORMAT},
      {{0, 1, 1, 2, 3, 4}, CLOCHE_E_FORMAT}, {{0, 1, 2, -1}, CLOCHE_OK},
      {{0, 1, 2, 4, -1}, CLOCHE_E_FORMAT},
  };
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    char *mixed = malloc(2 * len);
    size_t at = 0;
    for (int i = 0; i < 6 && rows[r].order[i] >= 0; i++) {
      size_t part = (size_t)(lines[rows[r].order[i] + 1] - lines[rows[r].order[i]]);
      memcpy(mixed + at, lines[rows[r].order[i]], part);
      at += part;
    }
    spill(mixed, at);
    CHECK_EQ(cloche_ledger_verify(path, NULL, &report), rows[r].status);
    if (rows[r].status == CLOCHE_OK) CHECK_EQ(report.closed, r == 0);
    free(mixed);
  }
  spill(text, len - 1);
  CHECK_EQ(cloche_ledger_verify(path, NULL, &report), CLOCHE_E_FORMAT);
  CHECK_EQ(report.line, 5);
  free(text);
  unlink(path);
}

TEST(a_signed_ledger_cannot_be_written_anew) {
  uint8_t public_key[32], secret_key[64], other[32], other_secret[64];
  CHECK(sodium_init() >= 0);
  crypto_sign_keypair(public_key, secret_key);
  crypto_sign_keypair(other, other_secret);
  cloche_ledger_options options = {.signing_key = secret_key};
  cloche_ledger_report report;
  fresh_path();
  cloche_ledger *ledger = open_file(&options);
  write_some(ledger, 3);
  cloche_ledger_free(ledger);
  CHECK_EQ(cloche_ledger_verify(path, public_key, &report), CLOCHE_OK);
  CHECK(report.is_signed);
  CHECK_EQ(cloche_ledger_verify(path, NULL, &report), CLOCHE_OK);
  CHECK(!report.is_signed);
  CHECK_EQ(cloche_ledger_verify(path, other, &report), CLOCHE_E_FORMAT);
  unlink(path);
  ledger = open_file(NULL);
  write_some(ledger, 1);
  cloche_ledger_free(ledger);
  CHECK_EQ(cloche_ledger_verify(path, public_key, &report), CLOCHE_E_FORMAT);
  unlink(path);
}

TEST(a_file_is_gone_on_with_and_locked) {
  fresh_path();
  cloche_ledger *ledger = open_file(NULL), *second = NULL;
  write_some(ledger, 2);
  CHECK_EQ(cloche_ledger_file(path, NULL, &second), CLOCHE_E_SYSTEM);
  CHECK_EQ(errno, EWOULDBLOCK);
  cloche_ledger_free(ledger);
  ledger = open_file(NULL);
  write_some(ledger, 2);
  cloche_ledger_free(ledger);
  cloche_ledger_report report;
  CHECK_EQ(cloche_ledger_verify(path, NULL, &report), CLOCHE_OK);
  CHECK_EQ(report.records, 4);
  size_t len;
  char *text = slurp(&len);
  spill(text, len - 10);
  CHECK_EQ(cloche_ledger_file(path, NULL, &ledger), CLOCHE_E_FORMAT);
  spill("hello\n", 6);
  CHECK_EQ(cloche_ledger_file(path, NULL, &ledger), CLOCHE_E_FORMAT);
  free(text);
  unlink(path);
}

/* ---- failing sinks ---- */

static int writes_left, syncs;
static bool limited_write(void *self, const char *line, size_t len) {
  (void)self, (void)line, (void)len;
  errno = ENOSPC;
  return writes_left-- > 0;
}
static bool counted_sync(void *self) {
  (void)self;
  return ++syncs > 0;
}

TEST(after_a_failure_nothing_more_is_recorded_and_nothing_may_happen) {
  cloche_ledger_sink sink = {.write = limited_write};
  cloche_ledger *ledger = NULL;
  uint64_t lost;
  for (int go_on = 0; go_on < 2; go_on++) {
    cloche_ledger_options options = {.go_on = go_on};
    writes_left = 2;
    CHECK_EQ(cloche_ledger_new(&sink, &options, &ledger), CLOCHE_OK);
    write_some(ledger, 2);
    CHECK_EQ(cloche_ledger_state(ledger, &lost), CLOCHE_OK);
    CHECK_EQ(cloche__ledger_record(ledger, "test", &moment, (cloche_text){0}),
             go_on ? CLOCHE_OK : CLOCHE_E_SYSTEM);
    if (!go_on) CHECK_EQ(errno, ENOSPC);
    writes_left = 5; /* room again: too late, the chain has a hole */
    CHECK_EQ(cloche__ledger_record(ledger, "test", &moment, (cloche_text){0}),
             go_on ? CLOCHE_OK : CLOCHE_E_SYSTEM);
    CHECK_EQ(cloche_ledger_state(ledger, &lost), CLOCHE_E_SYSTEM);
    CHECK_EQ(lost, 2);
    cloche_ledger_free(ledger);
  }
}

TEST(syncing_is_per_call_per_group_or_not_at_all) {
  static const struct {
    cloche_ledger_sync sync;
    int writes, syncs;
  } rows[] = {{CLOCHE_SYNC_NONE, 100, 0},
              {CLOCHE_SYNC_GROUP, 100, 3 + 1},
              {CLOCHE_SYNC_CALL, 100, 100 + 1}};
  cloche_ledger_sink sink = {.write = limited_write, .sync = counted_sync};
  for (int i = 0; i < 3; i++) {
    cloche_ledger *ledger = NULL;
    cloche_ledger_options options = {.sync = rows[i].sync};
    writes_left = 1000;
    syncs = 0;
    CHECK_EQ(cloche_ledger_new(&sink, &options, &ledger), CLOCHE_OK);
    write_some(ledger, rows[i].writes);
    cloche_ledger_free(ledger);
    CHECK_EQ(syncs, rows[i].syncs);
  }
}

TEST(a_full_device_and_a_closed_pipe_are_failures_not_ends) {
  cloche_ledger *ledger = NULL;
  CHECK_EQ(cloche_ledger_file("/dev/full", NULL, &ledger), CLOCHE_OK);
  CHECK_EQ(cloche__ledger_record(ledger, "test", &moment, (cloche_text){0}), CLOCHE_E_SYSTEM);
  CHECK_EQ(errno, ENOSPC);
  cloche_ledger_free(ledger);
  fresh_path();
  CHECK(mkfifo(path, 0600) == 0);
  int reader = open(path, O_RDONLY | O_NONBLOCK);
  ledger = open_file(NULL);
  write_some(ledger, 3);
  close(reader);
  CHECK_EQ(cloche__ledger_record(ledger, "test", &moment, (cloche_text){0}), CLOCHE_E_SYSTEM);
  CHECK_EQ(errno, EPIPE);
  cloche_ledger_free(ledger);
  unlink(path);
}

TEST(a_line_that_did_not_fit_is_cut_off_again) {
  fresh_path();
  cloche_ledger *ledger = open_file(NULL);
  signal(SIGXFSZ, SIG_IGN);
  struct rlimit most = {1000, 1000};
  CHECK(setrlimit(RLIMIT_FSIZE, &most) == 0);
  int wrote = 0;
  while (cloche__ledger_record(ledger, "test", &moment, (cloche_text){0}) == CLOCHE_OK) wrote++;
  CHECK(wrote > 0 && wrote < 20);
  cloche_ledger_free(ledger);
  cloche_ledger_report report;
  CHECK_EQ(cloche_ledger_verify(path, NULL, &report), CLOCHE_OK);
  CHECK_EQ(report.records, wrote);
  unlink(path);
}

/* ---- kinds ---- */

static cloche__buffer kept;
static bool keep_write(void *self, const char *line, size_t len) {
  (void)self;
  cloche__buffer_add(&kept, line, len);
  return true;
}

static cloche_ledger *in_memory(const cloche_ledger_options *options) {
  cloche_ledger *ledger = NULL;
  cloche_ledger_sink sink = {.write = keep_write};
  cloche__buffer_clear(&kept);
  CHECK_EQ(cloche_ledger_new(&sink, options, &ledger), CLOCHE_OK);
  return ledger;
}
static bool kept_has(const char *text) {
  return memmem(kept.at, kept.len, text, strlen(text)) != NULL;
}

TEST(secrets_are_hashed_under_a_key) {
  const cloche_policy *policy = load(
      "{\"rules\":[{\"pattern\":\"pay\",\"effect\":\"allow\",\"secret\":[\"card/number\",\"items/*/"
      "pin\"]}],\"secrets\":{\"**\":\"token\",\"vault/*\":[\"all/0\"]}}");
  static const uint8_t key[32] = {1}, other[32] = {2};
  cloche__buffer out = {0};
  cloche__json_doc doc = {0};
  static const char params[] =
      "{\"card\":{\"number\":\"4242424242424242\",\"name\":\"A\"},\"items\":[{\"pin\":1234,\"n\":1}"
      ",{\"pin\":1234}],\"token\":{\"deep\":[\"hush\"]},\"amount\":4242}";
  CHECK_EQ(cloche__json_parse(cloche__text(params), NULL, &doc, NULL), CLOCHE_OK);
  cloche__ledger_write_params(&doc.root, cloche__text("mcp:pay"), policy, key, &out);
  cloche__buffer_byte(&out, '\0');
  CHECK(strstr(out.at, "424242") == NULL && strstr(out.at, "1234") == NULL &&
        strstr(out.at, "hush") == NULL);
  CHECK(strstr(out.at, "\"amount\":4242}") != NULL && strstr(out.at, "\"name\":\"A\"") != NULL &&
        strstr(out.at, "\"n\":1") != NULL);
  char *first = strdup(out.at);
  cloche__buffer_clear(&out);
  cloche__ledger_write_params(&doc.root, cloche__text("pay"), policy, other, &out);
  CHECK(memcmp(first, out.at, out.len) != 0);
  cloche__buffer_clear(&out);
  cloche__ledger_write_params(&doc.root, cloche__text("other"), policy, key, &out);
  cloche__buffer_byte(&out, '\0');
  CHECK(strstr(out.at, "4242424242424242") != NULL && strstr(out.at, "hush") == NULL);
  cloche__buffer_clear(&out);
  cloche__ledger_write_params(&doc.root, cloche__text("no name"), policy, key, &out);
  cloche__buffer_byte(&out, '\0');
  CHECK(strncmp(out.at, "{\"secret\":\"", 11) == 0 && strlen(out.at) == 11 + 64 + 2);
  free(first);
  cloche__buffer_free(&out);
  cloche__json_free(&doc);
  cloche_policy_free(policy);
}

TEST(a_decision_is_recorded_with_its_reason_and_without_secrets) {
  const cloche_policy *policy = load(
      "{\"rules\":[{\"name\":\"small\",\"pattern\":\"pay\",\"effect\":\"allow\",\"secret\":"
      "\"card\",\"where\":{\"amount\":{\"<=\":5}}}]}");
  cloche_gate *gate = gate_over(policy, NULL);
  cloche__json_doc doc = {0};
  static const char params[] = "{\"card\":\"4242\",\"amount\":6}";
  CHECK_EQ(cloche__json_parse(cloche__text(params), NULL, &doc, NULL), CLOCHE_OK);
  CHECK_EQ(check(gate, "pay", params), CLOCHE_DENY);
  cloche_ledger *ledger = in_memory(NULL);
  CHECK_EQ(cloche__ledger_decision(ledger, &moment, 7, policy, &doc.root, &decided), CLOCHE_OK);
  CHECK(kept_has("\"kind\":\"decision\"") &&
        kept_has("\"call\":7,\"method\":\"pay\",\"params\":{\"card\":{\"secret\":\""));
  CHECK(
      kept_has("\"amount\":6},\"effect\":\"deny\",\"code\":\"constraint\",\"rule\":\"small\","
               "\"param\":\"amount\""));
  CHECK(!kept_has("4242"));
  cloche_ledger_free(ledger);
  cloche_ledger_options options = {.params = CLOCHE_DETAIL_HASH, .results = CLOCHE_DETAIL_NONE};
  ledger = in_memory(&options);
  CHECK_EQ(cloche__ledger_decision(ledger, &moment, 7, policy, &doc.root, &decided), CLOCHE_OK);
  CHECK(kept_has("\"params\":{\"bytes\":") && !kept_has("\"amount\":6"));
  CHECK_EQ(
      cloche__ledger_settle(ledger, &moment, 7, true, cloche__text("{\"x\":1}"), (cloche_text){0}),
      CLOCHE_OK);
  CHECK(kept_has("\"call\":7,\"ok\":true,\"hash\":\"") && !kept_has("\"x\":1"));
  cloche_ledger_free(ledger);
  cloche_gate_free(gate);
  cloche_policy_free(policy);
  cloche__json_free(&doc);
  cloche__buffer_free(&kept);
}

TEST(the_first_record_holds_every_input_or_says_that_it_does_not) {
  static const uint8_t seed[32] = {0xAB};
  cloche__opening opening = {.image = cloche__text("00ff"),
                             .language = cloche__text("javascript"),
                             .program = cloche__text("return \"\xC3\xB6\""),
                             .stdin_bytes = {"\xFF\x00\x01", 3},
                             .seed = seed,
                             .start_time = 0,
                             .tools = cloche__text("[]"),
                             .policy = cloche__text("{\"rules\":[]}"),
                             .limits = cloche__text("{}")};
  cloche_ledger *ledger = in_memory(NULL);
  CHECK_EQ(cloche__ledger_open(ledger, &moment, &opening), CLOCHE_OK);
  CHECK(kept_has("\"replayable\":true") && kept_has("\"program\":\"return \\\"\xC3\xB6\\\"\"") &&
        kept_has("\"stdin\":{\"base64\":\"/wAB\"}"));
  CHECK(kept_has("\"seed\":\"ab00") &&
        kept_has("\"start_time\":\"1970-01-01T00:00:00.000000000Z\"") &&
        kept_has("\"policy\":{\"rules\":[]}"));
  cloche_ledger_free(ledger);
  cloche_ledger_options options = {.inputs = CLOCHE_DETAIL_HASH};
  ledger = in_memory(&options);
  CHECK_EQ(cloche__ledger_open(ledger, &moment, &opening), CLOCHE_OK);
  CHECK(kept_has("\"replayable\":false") && !kept_has("return") && !kept_has("rules"));
  cloche_ledger_free(ledger);
  cloche__buffer_free(&kept);
}

TEST(all_kinds_are_read_back_as_they_were_written) {
  fresh_path();
  cloche_ledger *ledger = open_file(NULL);
  cloche__opening opening = {.program = cloche__text("1"), .from_snapshot = true};
  CHECK_EQ(cloche__ledger_open(ledger, &moment, &opening), CLOCHE_OK);
  CHECK_EQ(
      cloche__ledger_approval(ledger, &moment, 1, true, 2, cloche__text("ann"), cloche__text("ok")),
      CLOCHE_OK);
  CHECK_EQ(cloche__ledger_settle(ledger, &moment, 1, false, cloche__text("it \"broke\""),
                                 cloche__text("E")),
           CLOCHE_OK);
  CHECK_EQ(cloche__ledger_label(ledger, &moment, cloche__text("private"), false,
                                cloche__text("reviewed")),
           CLOCHE_OK);
  CHECK_EQ(cloche__ledger_limit(ledger, &moment, "limit.fuel"), CLOCHE_OK);
  CHECK_EQ(cloche__ledger_clock(ledger, &moment, 1), CLOCHE_OK);
  CHECK_EQ(cloche__ledger_interrupt(ledger, &moment, "time"), CLOCHE_OK);
  CHECK_EQ(cloche__ledger_cancel(ledger, &moment, 1), CLOCHE_OK);
  CHECK_EQ(cloche__ledger_files(ledger, &moment, cloche__text("{\"added\":1}")), CLOCHE_OK);
  CHECK_EQ(cloche__ledger_close(ledger, &moment, "done"), CLOCHE_OK);
  CHECK_EQ(cloche__ledger_close(ledger, &moment, NULL), CLOCHE_OK);
  CHECK_EQ(cloche__ledger_close(NULL, &moment, NULL), CLOCHE_OK);
  cloche_ledger_free(ledger);
  static const char *const kinds[] = {"open",      "approval", "settle", "label", "limit", "clock",
                                      "interrupt", "cancel",   "files",  "end",   "close"};
  cloche__ledger_reader *reader = NULL;
  const cloche__json *record;
  char message[256];
  CHECK_EQ(cloche__ledger_reader_new(path, NULL, &reader), CLOCHE_OK);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    uint64_t fuel = 0;
    CHECK_EQ(cloche__ledger_next(reader, &record, message), CLOCHE_OK);
    CHECK(cloche__json_is(cloche__json_get(record, "kind"), kinds[i]));
    CHECK(cloche__json_uint64(cloche__json_get(record, "fuel"), &fuel) && fuel == 42);
  }
  CHECK_EQ(cloche__ledger_next(reader, &record, message), CLOCHE_E_STATE);
  cloche__ledger_reader_free(reader);
  unlink(path);
}

TEST_MAIN(TEST_ENTRY(a_line_is_one_json_object_with_its_time_and_hash),
          TEST_ENTRY(times_are_written_as_they_are_read),
          TEST_ENTRY(every_changed_byte_and_every_moved_line_is_found),
          TEST_ENTRY(a_signed_ledger_cannot_be_written_anew),
          TEST_ENTRY(a_file_is_gone_on_with_and_locked),
          TEST_ENTRY(after_a_failure_nothing_more_is_recorded_and_nothing_may_happen),
          TEST_ENTRY(syncing_is_per_call_per_group_or_not_at_all),
          TEST_ENTRY(a_full_device_and_a_closed_pipe_are_failures_not_ends),
          TEST_ENTRY(a_line_that_did_not_fit_is_cut_off_again),
          TEST_ENTRY(secrets_are_hashed_under_a_key),
          TEST_ENTRY(a_decision_is_recorded_with_its_reason_and_without_secrets),
          TEST_ENTRY(the_first_record_holds_every_input_or_says_that_it_does_not),
          TEST_ENTRY(all_kinds_are_read_back_as_they_were_written))
