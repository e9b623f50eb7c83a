// SPDX-License-Identifier: MIT
/* records.c -- the members of each kind of record. docs/ledger.md lists them. */
#include <sodium.h>
#include <string.h>

#include "gate/time.h"
#include "ledger/ledger.h"

/* ---- secrets ---- */

typedef struct {
  const cloche__path *paths[64]; /* that lead to, or through, the value at hand */
  size_t count, depth;           /* depth: steps taken so far */
} secret_paths;

static void write_hash(cloche_text text, const uint8_t *key, cloche__buffer *out) {
  uint8_t hash[CLOCHE__HASH_BYTES];
  char hex[2 * CLOCHE__HASH_BYTES + 1];
  crypto_generichash(hash, sizeof hash, (const unsigned char *)text.at, text.len, key,
                     key == NULL ? 0 : 32);
  sodium_bin2hex(hex, sizeof hex, hash, sizeof hash);
  cloche__buffer_format(out, "\"%s\"", hex);
}

static void write_secret(const cloche__json *value, const uint8_t key[32], cloche__buffer *out) {
  cloche__buffer text = {0};
  cloche__json_write(value, &text);
  cloche__buffer_string(out, "{\"secret\":");
  write_hash(cloche__buffer_view(&text), key, out);
  cloche__buffer_byte(out, '}');
  out->failed |= text.failed;
  if (text.at != NULL) sodium_memzero(text.at, text.cap);
  cloche__buffer_free(&text);
}

/* The paths that go on through one member or element. */
static secret_paths step_into(const secret_paths *at, const cloche_text *key, size_t index) {
  secret_paths inner = {.depth = at->depth + 1};
  for (size_t i = 0; i < at->count; i++) {
    const cloche__step *step = &at->paths[i]->steps[at->depth];
    bool through =
        step->every || (key != NULL ? cloche__text_equal(step->key, *key) : step->index == index);
    if (through) inner.paths[inner.count++] = at->paths[i];
  }
  return inner;
}

static bool is_secret(const secret_paths *at) {
  for (size_t i = 0; i < at->count; i++) {
    if (at->paths[i]->count == at->depth) return true;
  }
  return false;
}

static void write_open(const cloche__json *value, const secret_paths *at, const uint8_t key[32],
                       cloche__buffer *out) {
  if (is_secret(at)) {
    write_secret(value, key, out);
    return;
  }
  if (at->count == 0 || value->kind < CLOCHE__JSON_ARRAY) {
    cloche__json_write(value, out);
    return;
  }
  bool object = value->kind == CLOCHE__JSON_OBJECT;
  cloche__buffer_byte(out, object ? '{' : '[');
  for (size_t i = 0; i < value->count; i++) {
    const cloche_text *name = object ? &value->members[i].key : NULL;
    secret_paths inner = step_into(at, name, i);
    if (i > 0) cloche__buffer_byte(out, ',');
    if (object) {
      cloche__json_write_string(*name, out);
      cloche__buffer_byte(out, ':');
    }
    write_open(object ? &value->members[i].value : &value->items[i], &inner, key, out);
  }
  cloche__buffer_byte(out, object ? '}' : ']');
}

/* Notes the secrets of a method in all layers. False: more than fit, so all of it is one. */
static bool find_secrets(const cloche_policy *policy, cloche_text method, secret_paths *found) {
  cloche__name name;
  /* A method that is none matches no pattern; what was sent to it may still be a secret. */
  if (cloche__name_read(method, false, &name) != NULL) return false;
  for (size_t i = 0; i < policy->count; i++) {
    const cloche__layer *layer = policy->layers[i].layer;
    for (size_t s = 0; s < layer->secret_count; s++) {
      const cloche__secret *secret = &layer->secrets[s];
      if (!cloche__pattern_matches(&secret->pattern, &name)) continue;
      if (found->count + secret->count > 64) return false;
      memcpy(found->paths + found->count, secret->paths, secret->count * sizeof *secret->paths);
      found->count += secret->count;
    }
  }
  return true;
}

void cloche__ledger_write_params(const cloche__json *params, cloche_text method,
                                 const cloche_policy *policy, const uint8_t key[32],
                                 cloche__buffer *out) {
  secret_paths found = {.count = 0};
  if (policy == NULL)
    cloche__json_write(params, out);
  else if (find_secrets(policy, method, &found))
    write_open(params, &found, key, out);
  else
    write_secret(params, key, out);
}

/* ---- members ---- */

static void member(cloche__buffer *out, const char *name) {
  if (out->len > 0) cloche__buffer_byte(out, ',');
  cloche__buffer_format(out, "\"%s\":", name);
}

static void text_member(cloche__buffer *out, const char *name, cloche_text text) {
  if (text.len == 0) return;
  member(out, name);
  cloche__json_write_string(text, out);
}

static void string_member(cloche__buffer *out, const char *name, const char *text) {
  text_member(out, name, cloche__text(text));
}

static void number_member(cloche__buffer *out, const char *name, uint64_t number) {
  member(out, name);
  cloche__buffer_format(out, "%llu", (unsigned long long)number);
}

static void flag_member(cloche__buffer *out, const char *name, bool flag) {
  member(out, name);
  cloche__buffer_string(out, flag ? "true" : "false");
}

/* JSON as it is, its keyed or plain hash, or nothing. */
static void json_member(cloche__buffer *out, const char *name, cloche_text json,
                        cloche_ledger_detail detail, const uint8_t *key) {
  if (json.len == 0 || detail == CLOCHE_DETAIL_NONE) return;
  member(out, name);
  if (detail == CLOCHE_DETAIL_FULL) {
    cloche__buffer_text(out, json);
    return;
  }
  cloche__buffer_format(out, "{\"bytes\":%zu,\"hash\":", json.len);
  write_hash(json, key, out);
  cloche__buffer_byte(out, '}');
}

static cloche_status finish(cloche_ledger *ledger, const char *kind, const cloche__moment *moment,
                            cloche__buffer *members) {
  cloche_status status =
      members->failed ? CLOCHE_E_MEMORY
                      : cloche__ledger_record(ledger, kind, moment, cloche__buffer_view(members));
  cloche__buffer_free(members);
  return status;
}

/* ---- kinds ---- */

/* A text input. In full it is a JSON string if it is UTF-8, else {"base64": ...}. */
static void input_member(cloche__buffer *out, const char *name, cloche_text text,
                         cloche_ledger_detail detail) {
  cloche__buffer json = {0};
  if (detail == CLOCHE_DETAIL_FULL) {
    cloche__json_write_bytes(text, &json);
    json_member(out, name, cloche__buffer_view(&json), detail, NULL);
  } else {
    json_member(out, name, text, CLOCHE_DETAIL_HASH, NULL);
  }
  out->failed |= json.failed;
  cloche__buffer_free(&json);
}

cloche_status cloche__ledger_open(cloche_ledger *ledger, const cloche__moment *moment,
                                  const cloche__opening *opening) {
  cloche__buffer out = {0};
  if (ledger == NULL) return CLOCHE_OK;
  const cloche_ledger_options *options = cloche__ledger_options_of(ledger);
  cloche_ledger_detail detail = options->inputs;
  bool full = detail == CLOCHE_DETAIL_FULL && options->results == CLOCHE_DETAIL_FULL;
  number_member(&out, "format", 1);
  bool alone = !opening->from_snapshot && !opening->given_files && opening->mounts.len == 0;
  flag_member(&out, "replayable", full && alone);
  if (opening->given_files) flag_member(&out, "given_files", true);
  text_member(&out, "image", opening->image);
  text_member(&out, "language", opening->language);
  input_member(&out, "program", opening->program, detail);
  input_member(&out, "stdin", opening->stdin_bytes, detail);
  if (opening->seed != NULL) {
    char hex[65];
    sodium_bin2hex(hex, sizeof hex, opening->seed, 32);
    string_member(&out, "seed", hex);
  }
  member(&out, "start_time");
  cloche__buffer_byte(&out, '"');
  cloche__time_write(opening->start_time, &out);
  cloche__buffer_byte(&out, '"');
  cloche_ledger_detail rest = full ? CLOCHE_DETAIL_FULL : CLOCHE_DETAIL_HASH;
  json_member(&out, "arguments", opening->arguments, rest, NULL);
  json_member(&out, "tools", opening->tools, rest, NULL);
  json_member(&out, "policy", opening->policy, rest, NULL);
  json_member(&out, "limits", opening->limits, CLOCHE_DETAIL_FULL, NULL);
  json_member(&out, "mounts", opening->mounts, rest, NULL);
  return finish(ledger, "open", moment, &out);
}

static void decision_members(const cloche_decision *decision, cloche__buffer *out) {
  static const char *const effects[] = {"deny", "allow", "ask"};
  string_member(out, "effect", effects[decision->effect]);
  string_member(out, "code", cloche_code_text(decision->code));
  text_member(out, "rule", decision->rule);
  string_member(out, "param", decision->param);
  string_member(out, "expected", decision->expected);
  string_member(out, "got", decision->got);
  if (decision->effect != CLOCHE_ALLOW) string_member(out, "message", decision->message);
}

cloche_status cloche__ledger_decision(cloche_ledger *ledger, const cloche__moment *moment,
                                      uint64_t call, const cloche_policy *policy,
                                      const cloche__json *params, const cloche_decision *decision) {
  cloche__buffer out = {0}, json = {0};
  if (ledger == NULL) return CLOCHE_OK;
  const cloche_ledger_options *options = cloche__ledger_options_of(ledger);
  number_member(&out, "call", call);
  text_member(&out, "method", decision->method);
  if (params != NULL && options->params != CLOCHE_DETAIL_NONE) {
    cloche__ledger_write_params(params, decision->method, policy, options->secret_key, &json);
    json_member(&out, "params", cloche__buffer_view(&json), options->params, options->secret_key);
  }
  decision_members(decision, &out);
  out.failed |= json.failed;
  cloche__buffer_free(&json);
  return finish(ledger, "decision", moment, &out);
}

cloche_status cloche__ledger_approval(cloche_ledger *ledger, const cloche__moment *moment,
                                      uint64_t call, bool approved, uint32_t further,
                                      cloche_text by, cloche_text reason) {
  cloche__buffer out = {0};
  number_member(&out, "call", call);
  flag_member(&out, "approved", approved);
  if (further > 0) number_member(&out, "further", further);
  text_member(&out, "by", by);
  text_member(&out, "reason", reason);
  return finish(ledger, "approval", moment, &out);
}

cloche_status cloche__ledger_settle(cloche_ledger *ledger, const cloche__moment *moment,
                                    uint64_t call, bool succeeded, cloche_text result_or_message,
                                    cloche_text code) {
  cloche__buffer out = {0}, message = {0};
  if (ledger == NULL) return CLOCHE_OK;
  const cloche_ledger_options *options = cloche__ledger_options_of(ledger);
  cloche_text json = result_or_message;
  number_member(&out, "call", call);
  flag_member(&out, "ok", succeeded);
  if (!succeeded) {
    cloche__json_write_string(result_or_message, &message);
    json = cloche__buffer_view(&message);
    text_member(&out, "code", code);
  }
  json_member(&out, succeeded ? "result" : "error", json, options->results, options->secret_key);
  out.failed |= message.failed;
  cloche__buffer_free(&message);
  return finish(ledger, "settle", moment, &out);
}

cloche_status cloche__ledger_label(cloche_ledger *ledger, const cloche__moment *moment,
                                   cloche_text label, bool added, cloche_text reason) {
  cloche__buffer out = {0};
  text_member(&out, added ? "added" : "declassified", label);
  text_member(&out, "reason", reason);
  return finish(ledger, "label", moment, &out);
}

cloche_status cloche__ledger_limit(cloche_ledger *ledger, const cloche__moment *moment,
                                   const char *limit) {
  cloche__buffer out = {0};
  string_member(&out, "limit", limit);
  return finish(ledger, "limit", moment, &out);
}

cloche_status cloche__ledger_clock(cloche_ledger *ledger, const cloche__moment *moment,
                                   int64_t to) {
  cloche__buffer out = {0};
  member(&out, "to");
  cloche__buffer_byte(&out, '"');
  cloche__time_write(to, &out);
  cloche__buffer_byte(&out, '"');
  return finish(ledger, "clock", moment, &out);
}

cloche_status cloche__ledger_interrupt(cloche_ledger *ledger, const cloche__moment *moment,
                                       const char *why) {
  cloche__buffer out = {0};
  string_member(&out, "why", why);
  return finish(ledger, "interrupt", moment, &out);
}

cloche_status cloche__ledger_cancel(cloche_ledger *ledger, const cloche__moment *moment,
                                    uint64_t call) {
  cloche__buffer out = {0};
  number_member(&out, "call", call);
  return finish(ledger, "cancel", moment, &out);
}

cloche_status cloche__ledger_files(cloche_ledger *ledger, const cloche__moment *moment,
                                   cloche_text summary) {
  cloche__buffer out = {0};
  json_member(&out, "changes", summary, CLOCHE_DETAIL_FULL, NULL);
  return finish(ledger, "files", moment, &out);
}

cloche_status cloche__ledger_snapshot(cloche_ledger *ledger, const cloche__moment *moment,
                                      const char *kind, const uint8_t hash[32],
                                      const cloche_text *policy) {
  cloche__buffer out = {0};
  char hex[65];
  if (ledger == NULL) return CLOCHE_OK;
  sodium_bin2hex(hex, sizeof hex, hash, 32);
  string_member(&out, "snapshot", hex);
  if (policy != NULL)
    json_member(&out, "policy", *policy, cloche__ledger_options_of(ledger)->inputs, NULL);
  return finish(ledger, kind, moment, &out);
}

cloche_status cloche__ledger_close(cloche_ledger *ledger, const cloche__moment *moment,
                                   const char *end) {
  cloche__buffer out = {0};
  string_member(&out, "end", end);
  return finish(ledger, end == NULL ? "close" : "end", moment, &out);
}
