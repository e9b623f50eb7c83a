// SPDX-License-Identifier: MIT
/* snapshot_state.c -- the host's part of a sandbox, as JSON and back.
 *
 * One table names every number, so that what is written and what is read cannot differ. What is
 * read is hostile (invariant 8): it has the right kind and lies in its range, or all is refused. */
#include <sodium.h>
#include <stdlib.h>

#include "limits.h"
#include "sandbox/snapshot.h"

/* ---- numbers ---- */

typedef struct {
  const char *name;
  size_t at, size; /* in cloche__saved; 4 or 8 bytes */
  uint64_t most;
  bool is_signed; /* from -most on */
} number;

#define AT(field) offsetof(cloche__saved, field), sizeof(((cloche__saved *)0)->field)
#define NUMBER(field) \
  { #field, AT(field), CLOCHE__SNAPSHOT_NUMBER / 4, false }
#define FIELD(name, field) \
  { name, AT(field), CLOCHE__SNAPSHOT_NUMBER / 4, false }
#define LIMIT(name) \
  { "limit_" #name, AT(limits.name), UINT64_MAX, false }
#define TIME_LIMIT(name) \
  { "limit_" #name, AT(limits.name), INT64_MAX, false }

static const number numbers[] = {
    {"run", AT(run), UINT32_MAX - 1, false},
    {"last_call", AT(last_call), UINT32_MAX, false},
    NUMBER(used),
    NUMBER(run_fuel),
    NUMBER(clock_fuel),
    {"clock", AT(clock), CLOCHE__SNAPSHOT_NUMBER, true},
    NUMBER(elapsed),
    {"wall", AT(wall), CLOCHE__SNAPSHOT_NUMBER, false},
    {"next_timer", AT(next_timer), INT64_MAX, true},
    FIELD("usage_fuel", usage.fuel),
    FIELD("usage_wall", usage.wall),
    FIELD("usage_waiting", usage.waiting),
    FIELD("usage_memory", usage.memory),
    FIELD("usage_calls", usage.calls),
    FIELD("usage_denied", usage.denied),
    FIELD("usage_output", usage.output),
    FIELD("usage_output_dropped", usage.output_dropped),
    {"stdout", AT(said[0]), UINT64_MAX, false},
    {"stderr", AT(said[1]), UINT64_MAX, false},
    TIME_LIMIT(timeout),
    TIME_LIMIT(total_timeout),
    LIMIT(fuel),
    LIMIT(memory),
    LIMIT(stack),
    LIMIT(output),
    LIMIT(calls),
    LIMIT(in_flight),
    LIMIT(argument),
    LIMIT(result),
    LIMIT(files),
    LIMIT(file_bytes),
};

typedef struct {
  const char *name;
  size_t at;
} flag;

static const flag flags[] = {
    {"real_time", offsetof(cloche__saved, real_time)},
    {"pristine", offsetof(cloche__saved, pristine)},
    {"was_pristine", offsetof(cloche__saved, was_pristine)},
    {"active", offsetof(cloche__saved, active)},
    {"memory_refused", offsetof(cloche__saved, memory_refused)},
    {"shell", offsetof(cloche__saved, shell)},
    {"accounted", offsetof(cloche__saved, accounted)},
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* ---- writing ---- */

static void write_text(const char *key, cloche_text text, cloche__buffer *out) {
  cloche__json_write_key(key, out);
  cloche__json_write_string(text, out);
}

static void write_number(const char *key, uint64_t value, cloche__buffer *out) {
  cloche__json_write_key(key, out);
  cloche__buffer_format(out, "%llu", (unsigned long long)value);
}

static void write_signed(const char *key, int64_t value, cloche__buffer *out) {
  cloche__json_write_key(key, out);
  cloche__buffer_format(out, "%lld", (long long)value);
}

static void write_flag(const char *key, bool value, cloche__buffer *out) {
  cloche__json_write_key(key, out);
  cloche__buffer_string(out, value ? "true" : "false");
}

static void write_hex(const char *key, const uint8_t *bytes, size_t len, cloche__buffer *out) {
  char hex[65];
  sodium_bin2hex(hex, sizeof hex, bytes, len);
  write_text(key, cloche__text(hex), out);
}

void cloche__policy_hash(const cloche_policy *policy, uint8_t hash[32]) {
  cloche__buffer json = {0};
  cloche__sandbox_write_policy(policy, &json);
  if (json.failed) /* equal to no other */
    randombytes_buf(hash, 32);
  else
    crypto_generichash(hash, 32, (const uint8_t *)json.at, json.len, NULL, 0);
  cloche__buffer_free(&json);
}

static void write_pending(const cloche__pending *call, bool all, cloche__buffer *out) {
  cloche__buffer_byte(out, '{');
  write_number("id", call->id, out);
  write_text("kind", cloche__text(call->asked ? "approval" : "call"), out);
  write_text("method", call->method, out);
  cloche__json_write_key("params", out);
  if (all)
    cloche__json_write_string(call->params, out);
  else
    cloche__buffer_text(out, call->params);
  write_text("rule", call->rule, out);
  write_text("reason", call->reason, out);
  write_number("approve_up_to", call->approve_up_to, out);
  write_text("key", cloche__text(call->key), out);
  write_flag("again", call->again || call->announced, out);
  if (all) {
    write_flag("once", call->once, out);
    write_number("reservation", call->reservation, out);
    write_text("sent", call->sent, out);
  }
  cloche__buffer_byte(out, '}');
}

void cloche__state_write_pending(const cloche__pending *calls, size_t count, cloche__buffer *out) {
  cloche__buffer_byte(out, '[');
  for (size_t i = 0; i < count; i++) {
    if (i > 0) cloche__buffer_byte(out, ',');
    write_pending(&calls[i], false, out);
  }
  cloche__buffer_byte(out, ']');
}

static void write_calls(const cloche_sandbox *box, cloche__buffer *out) {
  cloche__json_write_key("calls", out);
  cloche__buffer_byte(out, '[');
  for (size_t i = 0; i < box->call_count; i++) {
    if (i > 0) cloche__buffer_byte(out, ',');
    write_pending(&box->calls[i], true, out);
  }
  cloche__buffer_byte(out, ']');
}

static void write_queue(const cloche_sandbox *box, cloche__buffer *out) {
  cloche__json_write_key("queue", out);
  cloche__buffer_byte(out, '[');
  for (size_t i = 0; i < box->queue_count; i++) {
    const cloche__item *item = &box->queue[box->queue_first + i];
    cloche__buffer_format(out, "%s[%d,%d,%u,%zu]", i > 0 ? "," : "", (int)item->kind, item->stream,
                          item->call, item->kind == CLOCHE_OUTPUT ? item->len : 0);
  }
  cloche__buffer_byte(out, ']');
}

/* What is in the sandbox under the names that a snapshot has. */
static cloche__saved gather(const cloche_sandbox *box) {
  cloche__saved s = {.limits = box->limits,
                     .usage = box->usage,
                     .said = {box->said[0], box->said[1]},
                     .real_time = box->real_time,
                     .pristine = box->pristine,
                     .was_pristine = box->was_pristine,
                     .active = box->active,
                     .memory_refused = box->memory_refused,
                     .shell = box->language == CLOCHE_SHELL,
                     .run = box->run,
                     .last_call = box->last_call,
                     .used = box->used,
                     .run_fuel = box->run_fuel,
                     .clock_fuel = box->clock_fuel,
                     .clock = box->clock,
                     .wall = cloche__real_time(),
                     .next_timer = box->next_timer};
  int64_t now = cloche__monotonic();
  if (box->active) s.elapsed = now - box->started;
  if (box->waiting_since != 0) s.wall -= now - box->waiting_since;
  if (s.elapsed < 0) s.elapsed = 0;
  if (s.wall < 0) s.wall = 0;
  if (box->gate != NULL) s.account = cloche_account_id(box->gate->account);
  s.accounted = box->gate != NULL && !box->gate->account->in_memory;
  return s;
}

void cloche__state_write(const cloche_sandbox *box, cloche__buffer *out) {
  cloche__saved s = gather(box);
  uint8_t policy[32];
  cloche__policy_hash(box->policy, policy);
  cloche__buffer_byte(out, '{');
  write_text("name", cloche__text(box->name), out);
  write_text("account", s.account, out);
  write_hex("id", box->id, sizeof box->id, out);
  write_hex("seed", box->seed, sizeof box->seed, out);
  write_hex("policy", policy, sizeof policy, out);
  for (size_t i = 0; i < COUNT(numbers); i++) {
    uint64_t value = 0;
    memcpy(&value, (const char *)&s + numbers[i].at, numbers[i].size);
    if (numbers[i].is_signed)
      write_signed(numbers[i].name, (int64_t)value, out);
    else
      write_number(numbers[i].name, value, out);
  }
  for (size_t i = 0; i < COUNT(flags); i++)
    write_flag(flags[i].name, *((const bool *)&s + flags[i].at), out);
  write_calls(box, out);
  write_queue(box, out);
  cloche__buffer_byte(out, '}');
}

/* ---- reading ---- */

static bool read_text(const cloche__json *object, const char *key, cloche_text *text) {
  const cloche__json *value = cloche__json_get(object, key);
  if (value == NULL || value->kind != CLOCHE__JSON_STRING) return false;
  *text = cloche__json_text(value);
  return true;
}

static bool read_number(const cloche__json *object, const char *key, uint64_t most,
                        uint64_t *value) {
  return cloche__json_uint64(cloche__json_get(object, key), value) && *value <= most;
}

static bool read_signed(const cloche__json *object, const char *key, uint64_t most,
                        uint64_t *value) {
  int64_t found;
  if (!cloche__json_int64(cloche__json_get(object, key), &found)) return false;
  *value = (uint64_t)found;
  return found >= -(int64_t)most && found <= (int64_t)most;
}

static bool read_flag(const cloche__json *object, const char *key, bool *value) {
  const cloche__json *found = cloche__json_get(object, key);
  if (found == NULL || found->kind != CLOCHE__JSON_BOOLEAN) return false;
  *value = found->boolean;
  return true;
}

static bool read_hex(const cloche__json *object, const char *key, uint8_t *bytes, size_t len) {
  cloche_text text;
  size_t got;
  return read_text(object, key, &text) && text.len == 2 * len &&
         sodium_hex2bin(bytes, len, text.at, text.len, NULL, &got, NULL) == 0 && got == len;
}

static bool read_numbers(const cloche__json *root, cloche__saved *saved) {
  for (size_t i = 0; i < COUNT(numbers); i++) {
    uint64_t value;
    bool found = numbers[i].is_signed ? read_signed(root, numbers[i].name, numbers[i].most, &value)
                                      : read_number(root, numbers[i].name, numbers[i].most, &value);
    if (!found) return false;
    memcpy((char *)saved + numbers[i].at, &value, numbers[i].size);
  }
  for (size_t i = 0; i < COUNT(flags); i++)
    if (!read_flag(root, flags[i].name, (bool *)saved + flags[i].at)) return false;
  return saved->run_fuel <= saved->used && saved->clock_fuel <= saved->used &&
         saved->usage.output_dropped <= saved->usage.output;
}

static bool is_hex_key(cloche_text key) {
  for (size_t i = 0; i < key.len; i++)
    if (strchr("0123456789abcdef", key.at[i]) == NULL || key.at[i] == '\0') return false;
  return key.len == sizeof((cloche__pending *)0)->key - 1;
}

static bool read_pending(const cloche__json *value, cloche__pending *call) {
  uint64_t id, approve_up_to;
  cloche_text key, kind;
  *call = (cloche__pending){0};
  if (!read_number(value, "id", UINT32_MAX, &id) ||
      !read_number(value, "approve_up_to", UINT32_MAX, &approve_up_to) ||
      !read_number(value, "reservation", UINT64_MAX, &call->reservation) ||
      !read_flag(value, "again", &call->again) || !read_flag(value, "once", &call->once) ||
      !read_text(value, "kind", &kind) || !read_text(value, "method", &call->method) ||
      !read_text(value, "params", &call->params) || !read_text(value, "sent", &call->sent) ||
      !read_text(value, "rule", &call->rule) || !read_text(value, "reason", &call->reason) ||
      !read_text(value, "key", &key) || !is_hex_key(key))
    return false;
  memcpy(call->key, key.at, key.len);
  call->id = (uint32_t)id;
  call->approve_up_to = (uint32_t)approve_up_to;
  call->asked = cloche__text_equal(kind, cloche__text("approval"));
  cloche__json_doc params = {0}; /* it goes to tools and into ledgers as it stands */
  bool sound = cloche__json_parse(call->params, NULL, &params, NULL) == CLOCHE_OK;
  cloche__json_free(&params);
  return sound && (call->asked || cloche__text_equal(kind, cloche__text("call")));
}

static const cloche__json *read_array(const cloche__json *root, const char *key) {
  const cloche__json *array = cloche__json_get(root, key);
  return array != NULL && array->kind == CLOCHE__JSON_ARRAY ? array : NULL;
}

static cloche_status read_calls(const cloche__json *root, cloche__saved *saved) {
  const cloche__json *calls = read_array(root, "calls");
  if (calls == NULL) return CLOCHE_E_FORMAT;
  saved->calls = calloc(calls->count + 1, sizeof *saved->calls);
  if (saved->calls == NULL) return CLOCHE_E_MEMORY;
  for (size_t i = 0; i < calls->count; i++)
    if (!read_pending(&calls->items[i], &saved->calls[saved->call_count++])) return CLOCHE_E_FORMAT;
  return CLOCHE_OK;
}

static bool read_item(const cloche__json *value, cloche__saved_item *item) {
  uint64_t kind, stream, call;
  if (value->kind != CLOCHE__JSON_ARRAY || value->count != 4 ||
      !cloche__json_uint64(&value->items[0], &kind) ||
      !cloche__json_uint64(&value->items[1], &stream) ||
      !cloche__json_uint64(&value->items[2], &call) ||
      !cloche__json_uint64(&value->items[3], &item->len))
    return false;
  if (kind == CLOCHE_OUTPUT ? stream != 1 && stream != 2
                            : kind != CLOCHE_CALL && kind != CLOCHE_APPROVAL)
    return false;
  if (call > UINT32_MAX || item->len > CLOCHE__SNAPSHOT_STATE) return false;
  item->kind = (uint32_t)kind;
  item->stream = (uint32_t)stream;
  item->call = (uint32_t)call;
  return true;
}

static cloche_status read_queue(const cloche__json *root, cloche__saved *saved) {
  const cloche__json *queue = read_array(root, "queue");
  if (queue == NULL) return CLOCHE_E_FORMAT;
  saved->queue = calloc(queue->count + 1, sizeof *saved->queue);
  if (saved->queue == NULL) return CLOCHE_E_MEMORY;
  for (size_t i = 0; i < queue->count; i++)
    if (!read_item(&queue->items[i], &saved->queue[saved->queue_count++])) return CLOCHE_E_FORMAT;
  return CLOCHE_OK;
}

static cloche_status read_state(cloche_text json, cloche__saved *saved) {
  cloche_status status = cloche__json_parse(json, NULL, &saved->doc, NULL);
  const cloche__json *root = &saved->doc.root;
  if (status != CLOCHE_OK) return status == CLOCHE_E_MEMORY ? status : CLOCHE_E_FORMAT;
  if (!read_text(root, "name", &saved->name) || !read_text(root, "account", &saved->account) ||
      !read_hex(root, "id", saved->id, sizeof saved->id) ||
      !read_hex(root, "seed", saved->seed, sizeof saved->seed) ||
      !read_hex(root, "policy", saved->policy, sizeof saved->policy) || !read_numbers(root, saved))
    return CLOCHE_E_FORMAT;
  status = read_calls(root, saved);
  return status == CLOCHE_OK ? read_queue(root, saved) : status;
}

cloche_status cloche__state_read(cloche_text json, cloche__saved *saved) {
  *saved = (cloche__saved){0};
  cloche_status status = read_state(json, saved);
  if (status != CLOCHE_OK) cloche__state_free(saved);
  return status;
}

void cloche__state_free(cloche__saved *saved) {
  free(saved->calls);
  free(saved->queue);
  cloche__json_free(&saved->doc);
  *saved = (cloche__saved){0};
}
