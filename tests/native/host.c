// SPDX-License-Identifier: MIT
/* host.c -- the host of a native guest. Fuel is counted in looks at the clock: each is worth a
 * microsecond, so that a program which polls the time sees it pass. */
#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../guest/kernel/control.h"
#include "../../guest/kernel/document.h"
#include "../../guest/kernel/machine.h"
#include "../../guest/kernel/outbox.h"

enum { FUEL_PER_LOOK = 1000 };

const char host_test_tools[] =
    "[{\"name\":\"test/echo\",\"description\":\"Answers its arguments.\",\"input_schema\":"
    "{\"type\":\"object\",\"properties\":{\"value\":{}}}},"
    "{\"name\":\"test/fail\",\"description\":\"Fails.\",\"input_schema\":{\"type\":\"object\"}},"
    "{\"name\":\"test/deny\",\"description\":\"Is "
    "denied.\",\"input_schema\":{\"type\":\"object\"}},"
    "{\"name\":\"test/slow\",\"description\":\"Takes a second.\",\"input_schema\":"
    "{\"type\":\"object\"}},"
    "{\"name\":\"test/never\",\"description\":\"Never answers.\",\"input_schema\":"
    "{\"type\":\"object\"}}]";

typedef struct {
  uint8_t *at;
  size_t size, capacity;
} buffer;

static host_hooks hooks;
static buffer batch;
static abi_control *control;
static int64_t fuel_used;
static uint64_t refuels_left;
static char *done;
static size_t done_size;
static uint32_t done_run;
static bool has_done;
static uint8_t *filed;
static size_t filed_size;
static uint32_t calls_made, calls_answered;
static const document_node *answers;
static document_arena *answers_arena;

typedef struct {
  uint32_t call;
  int64_t due;
  char *json;
  size_t size;
} late_answer;
static late_answer late[64];
static size_t late_count;

static _Noreturn void die(const char *what) {
  fprintf(stderr, "host: %s\n", what);
  abort();
}

static void append(buffer *to, const void *bytes, size_t size) {
  if (to->size + size > to->capacity) {
    to->capacity = (to->size + size) * 2;
    to->at = realloc(to->at, to->capacity);
    if (to->at == NULL) die("no memory");
  }
  if (size > 0) memcpy(to->at + to->size, bytes, size);
  to->size += size;
}

/* ---- what the guest takes from below ---- */

int64_t meter_fuel(void) {
  return -(fuel_used += FUEL_PER_LOOK);
}

static void drain(void);

void refuel(void) {
  drain();
  if (refuels_left > 0 && --refuels_left == 0) control->interrupt = 1;
}

/* ---- records from the guest ---- */

static void write_all(int fd, const uint8_t *bytes, size_t size) {
  while (size > 0) {
    ssize_t written = write(fd, bytes, size);
    if (written <= 0) return;
    bytes += written;
    size -= (size_t)written;
  }
}

static void keep(uint8_t **to, size_t *to_size, const uint8_t *bytes, uint32_t size) {
  free(*to);
  *to = malloc(size + 1u);
  if (*to == NULL) die("no memory");
  memcpy(*to, bytes, size);
  (*to)[size] = 0;
  *to_size = size;
}

static void handle(uint32_t kind, uint32_t id, const uint8_t *bytes, uint32_t size) {
  switch (kind) {
    case ABI_STDOUT:
      write_all(1, bytes, size);
      break;
    case ABI_STDERR:
      write_all(2, bytes, size);
      break;
    case ABI_CALL:
      host_default_call(id, bytes, size);
      break;
    default:
      break;
  }
}

static void take_record(const abi_record *record, const uint8_t *bytes) {
  if (record->kind == ABI_CALL) calls_made++;
  if (record->kind == ABI_DONE) {
    keep((uint8_t **)&done, &done_size, bytes, record->size);
    done_run = record->id;
    has_done = true;
  }
  if (record->kind == ABI_FILED) keep(&filed, &filed_size, bytes, record->size);
  (hooks.record != NULL ? hooks.record : handle)(record->kind, record->id, bytes, record->size);
}

static void drain(void) {
  while (control->taken < control->committed) {
    abi_record record;
    const uint8_t *at = outbox_bytes() + control->taken;
    if (control->committed - control->taken < sizeof record) die("half a record");
    memcpy(&record, at, sizeof record);
    uint32_t padded = (record.size + 3) & ~3u;
    if (control->committed - control->taken - sizeof record < padded) die("a record is cut short");
    /* A copy of its own size, so that a reader that goes too far is seen. */
    uint8_t *copy = malloc(record.size + 1u);
    if (copy == NULL) die("no memory");
    memcpy(copy, at + sizeof record, record.size);
    copy[record.size] = 0;
    control->taken += (uint32_t)(sizeof record + padded);
    take_record(&record, copy);
    free(copy);
  }
}

/* ---- calls ---- */

void host_answer(uint32_t call, bool failed, const char *json, size_t size) {
  calls_answered++;
  host_send(failed ? ABI_FAILURE : ABI_RESULT, call, json, size);
}

bool host_set_answers(const char *json, size_t size) {
  document_release(answers_arena);
  answers = document_parse(json, size, &answers_arena);
  return answers != NULL && answers->kind == JSON_OBJECT;
}

static void write_json(buffer *to, const document_node *node);

static void write_string(buffer *to, const char *text, size_t size) {
  append(to, "\"", 1);
  for (size_t i = 0; i < size; i++) {
    char escape[8];
    uint8_t c = (uint8_t)text[i];
    if (c == '"' || c == '\\' || c < 0x20)
      append(to, escape, (size_t)snprintf(escape, sizeof escape, "\\u%04x", c));
    else
      append(to, &text[i], 1);
  }
  append(to, "\"", 1);
}

static void write_members(buffer *to, const document_node *node, const char *brackets) {
  append(to, &brackets[0], 1);
  for (const document_node *at = node->first; at != NULL; at = at->next) {
    if (at != node->first) append(to, ",", 1);
    if (node->kind == JSON_OBJECT) {
      write_string(to, at->key, strlen(at->key));
      append(to, ":", 1);
    }
    write_json(to, at);
  }
  append(to, &brackets[1], 1);
}

static void write_json(buffer *to, const document_node *node) {
  if (node->kind == JSON_STRING)
    write_string(to, node->text, node->size);
  else if (node->kind == JSON_ARRAY || node->kind == JSON_OBJECT)
    write_members(to, node, node->kind == JSON_ARRAY ? "[]" : "{}");
  else
    append(to, node->text, node->size);
}

char *host_json(const document_node *node) {
  buffer text = {0};
  write_json(&text, node);
  append(&text, "", 1);
  return (char *)text.at;
}

static bool answer_from_file(uint32_t call, const char *name) {
  const document_node *answer = document_member(answers, name);
  if (answer == NULL) return false;
  const document_node *error = document_member(answer, "$error");
  buffer text = {0};
  write_json(&text, error != NULL ? error : answer);
  host_answer(call, error != NULL, (const char *)text.at, text.size);
  free(text.at);
  return true;
}

static void fail(uint32_t call, const char *kind, const char *name, const char *why) {
  char json[512];
  int size =
      snprintf(json, sizeof json,
               "{\"name\":\"%s\",\"message\":\"%.200s: %s\",\"code\":\"%s\",\"tool\":\"%.200s\"}",
               kind, name, why, strcmp(kind, "ToolError") == 0 ? "failed" : "denied", name);
  host_answer(call, true, json, (size_t)size);
}

static int64_t now(void) {
  return control->clock + (fuel_used - (int64_t)control->clock_fuel) * ABI_NS_PER_FUEL;
}

static void answer_late(uint32_t call, const buffer *json) {
  if (late_count == sizeof late / sizeof *late) die("too many slow calls");
  char *copy = malloc(json->size);
  if (copy == NULL) die("no memory");
  memcpy(copy, json->at, json->size);
  late[late_count++] = (late_answer){call, now() + 1000000000, copy, json->size};
}

void host_default_call(uint32_t call, const uint8_t *bytes, uint32_t size) {
  uint32_t length;
  char name[300] = "";
  if (size < sizeof length) die("a call without a name");
  memcpy(&length, bytes, sizeof length);
  if (length > size - sizeof length || length >= sizeof name) die("a call's name is too long");
  memcpy(name, bytes + sizeof length, length);
  if (answer_from_file(call, name)) return;
  if (strcmp(name, "test/never") == 0) return;
  if (strcmp(name, "test/fail") == 0) return fail(call, "ToolError", name, "it failed");
  if (strcmp(name, "test/deny") == 0)
    return fail(call, "CapabilityError", name, "no rule allows it");
  buffer json = {0};
  append(&json, "{\"tool\":", 8);
  write_string(&json, name, length);
  append(&json, ",\"args\":", 8);
  append(&json, bytes + sizeof length + length, size - sizeof length - length);
  append(&json, "}", 1);
  if (strcmp(name, "test/slow") == 0)
    answer_late(call, &json);
  else
    host_answer(call, false, (const char *)json.at, json.size);
  free(json.at);
}

/* ---- driving ---- */

void host_boot(const host_hooks *given) {
  if (given != NULL) hooks = *given;
  control = kernel_control_block();
  control->clock = HOST_EPOCH;
  kernel_boot();
}

void host_send(uint32_t kind, uint32_t id, const void *bytes, size_t size) {
  static const uint8_t zeros[4];
  abi_record record = {kind, id, (uint32_t)size};
  append(&batch, &record, sizeof record);
  append(&batch, bytes, size);
  append(&batch, zeros, -size & 3);
}

void host_step(void) {
  if (batch.size > 0) {
    void *room = kernel_inbox((uint32_t)batch.size);
    if (room == NULL) die("the guest has no room for a message");
    memcpy(room, batch.at, batch.size);
    batch.size = 0;
  }
  kernel_step();
  drain();
}

static void jump_to(int64_t time) {
  if (time <= now()) return;
  control->clock = time;
  control->clock_fuel = (uint64_t)fuel_used;
}

static void send_late_answers(void) {
  for (size_t i = 0; i < late_count;) {
    if (late[i].due > now()) {
      i++;
      continue;
    }
    host_answer(late[i].call, false, late[i].json, late[i].size);
    free(late[i].json);
    late[i] = late[--late_count];
  }
}

/* To the next timer or late answer; false when there is neither. */
static bool pass_time(void) {
  int64_t next = control->next_timer;
  for (size_t i = 0; i < late_count; i++)
    if (late[i].due < next) next = late[i].due;
  if (next == INT64_MAX) return false;
  jump_to(next);
  send_late_answers();
  return true;
}

bool host_run(uint32_t id) {
  has_done = false;
  for (;;) {
    host_step();
    if (has_done && done_run == id) return true;
    if (batch.size == 0 && !pass_time()) return false;
  }
}

const char *host_done(size_t *size) {
  if (size != NULL) *size = done_size;
  return has_done ? done : NULL;
}

int host_filed(const uint8_t **bytes, size_t *size) {
  int32_t error;
  if (filed_size < sizeof error) return -1;
  memcpy(&error, filed, sizeof error);
  *bytes = filed + sizeof error;
  *size = filed_size - sizeof error;
  return error;
}

void host_interrupt(bool on) {
  control->interrupt = on;
}

void host_interrupt_after(uint64_t refuels) {
  refuels_left = refuels;
}

char *host_plain_diff(char *diff) {
  static const char *const keys[] = {",\"mode\":", ",\"atime\":", ",\"mtime\":"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    for (char *at = diff; (at = strstr(at, keys[i])) != NULL;) {
      char *end = at + strlen(keys[i]);
      end += strspn(end, "-0123456789");
      memmove(at, end, strlen(end) + 1);
    }
  return diff;
}
