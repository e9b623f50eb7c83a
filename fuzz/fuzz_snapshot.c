// SPDX-License-Identifier: MIT
/* fuzz_snapshot.c -- a snapshot that somebody edited, who can make checksums: it is refused, or it
 * is a sandbox that stays inside its walls.
 *
 * Input: how (1 byte), then edits of three bytes: place (u16), what (u8). Bit 0 of `how`: the file
 * is edited, without a new checksum; else its content, sealed anew. Bit 1: restored as trusted;
 * else no call may go out but those that the policy allows, within the account's budget, whatever
 * was edited. */
#include <stdlib.h>

#include "json/buffer.h"
#include "sandbox/envelope.h"

static cloche_engine *engine;
static cloche_policy *policy;
static cloche_text base;     /* the file */
static cloche__buffer plain; /* its content */
static cloche__envelope header;

static void must(bool fact) {
  if (!fact) abort();
}

static void start(void) {
  static const char rules[] =
      "{\"rules\":[{\"pattern\":\"pay\",\"effect\":\"allow\",\"max_calls\":2},"
      "{\"pattern\":\"ask\",\"effect\":\"ask\",\"max_calls\":1},"
      "{\"pattern\":\"mail\",\"effect\":\"allow\",\"unless_label\":[\"x\"]}]}";
  static const char before[] = "w80000v"; /* so that there is a checkpoint to be saved */
  static const char program[] = "w90000cpay;oabc;cask;cmail;g2w150000n";
  static const uint8_t seed[32];
  cloche_program first = {.text = {before, sizeof before - 1}};
  cloche_program run = {.text = {program, sizeof program - 1}};
  char message[256], *file;
  size_t len;
  cloche_sandbox *box;
  cloche_event event;
  must(cloche_engine_new(NULL, &engine) == CLOCHE_OK);
  must(cloche_policy_load((cloche_text){rules, sizeof rules - 1}, (cloche_text){NULL, 0}, &policy,
                          NULL) == CLOCHE_OK);
  cloche_sandbox_options options = {.policy = policy, .seed = seed, .start_time = 1};
  must(cloche_sandbox_new(engine, &options, &box) == CLOCHE_OK);
  must(cloche_exec(box, &first) == CLOCHE_OK);
  do must(cloche_step(box, &event) == CLOCHE_OK);
  while (event.kind != CLOCHE_DONE);
  must(cloche_exec(box, &run) == CLOCHE_OK);
  do must(cloche_step(box, &event) == CLOCHE_OK);
  while (event.kind != CLOCHE_CALL || event.call != 1);
  must(cloche_snapshot(box, NULL, &file, &len) == CLOCHE_OK);
  base = (cloche_text){file, len};
  must(cloche__envelope_read(base, NULL, &header, message) == CLOCHE_OK);
  must(cloche__envelope_open(base, &header, NULL, 1u << 30, &plain, message) == CLOCHE_OK);
  cloche_sandbox_free(box);
}

static bool text_is(cloche_text text, const char *want) {
  return cloche__text_equal(text, cloche__text(want));
}

/* Runs it to its end, with an answer for all. */
static void run(cloche_sandbox *box, bool trusted) {
  int pays = 0, steps = 0;
  for (;;) {
    cloche_event event;
    cloche_status status = cloche_step(box, &event);
    if (status == CLOCHE_E_STATE) return; /* no run was under way, or it has ended */
    must(status == CLOCHE_OK);
    if (event.kind == CLOCHE_CALL && !trusted) {
      must(text_is(event.method, "pay"));
      must(text_is(event.params, "{}") || event.params.len > 2);
      must(++pays <= 2);
    }
    if (event.kind == CLOCHE_CALL) cloche_resolve(box, event.call, (cloche_text){"1", 1});
    if (event.kind == CLOCHE_APPROVAL) cloche_deny(box, event.call, (cloche_text){"no", 2});
    if (event.kind == CLOCHE_WAIT || ++steps > 100) cloche_cancel(box);
    if (event.kind == CLOCHE_DONE) return;
  }
}

static void try(cloche_text file, bool trusted) {
  cloche_account *account = NULL;
  cloche_sandbox *box = NULL;
  char *info;
  size_t len;
  must(cloche_account_new(NULL, &account) == CLOCHE_OK);
  cloche_restore_options options = {
      .trusted = trusted,
      .policy = policy,
      .account = trusted ? NULL : account,
      .limits = {.memory = 4 << 20, .timeout = 50000000, .total_timeout = 200000000}};
  if (cloche_restore(engine, file, &options, &box) == CLOCHE_OK) {
    run(box, trusted);
    cloche_sandbox_free(box);
  } else {
    must(*cloche_sandbox_message(NULL) != '\0');
  }
  if (cloche_snapshot_info(file, NULL, &info, &len) == CLOCHE_OK) free(info);
  cloche_account_free(account);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  if (size == 0) return 0;
  if (engine == NULL) start();
  bool whole = bytes[0] & 1, trusted = bytes[0] & 2, digits = bytes[0] & 4;
  cloche_text from = whole ? base : cloche__buffer_view(&plain);
  cloche__buffer edited = {0}, file = {0};
  cloche__buffer_text(&edited, from);
  for (size_t i = 1; i + 3 <= size; i += 3) {
    size_t place = (size_t)(bytes[i] << 8 | bytes[i + 1]) % edited.len;
    if (digits) { /* other numbers, in what is still JSON */
      while (place > 0 && (edited.at[place] < '0' || edited.at[place] > '9')) place--;
      if (place > 0) edited.at[place] = (char)('0' + bytes[i + 2] % 10);
      continue;
    }
    edited.at[place] = (char)bytes[i + 2];
    if (bytes[i] == 255) edited.len -= place % 16 % edited.len;
  }
  if (whole) {
    try(cloche__buffer_view(&edited), trusted);
  } else {
    must(cloche__envelope_seal(cloche__buffer_view(&edited), header.image, NULL, &file) ==
         CLOCHE_OK);
    try(cloche__buffer_view(&file), trusted);
  }
  cloche__buffer_free(&edited);
  cloche__buffer_free(&file);
  return 0;
}
