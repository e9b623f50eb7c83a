// SPDX-License-Identifier: MIT
/* snapshot.c -- a sandbox becomes bytes, and bytes become a sandbox.
 *
 * Restoring makes a new sandbox the ordinary way, with its own walls, and then lays over it what
 * the bytes say. So they can only fill what is there anyway: rights come from the policy that is
 * given, memory from the limits, and an address from nowhere (invariant 8). Budgets of the past
 * count on: in the account that is given, or as they were saved (invariant 5). */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>

#include "gate/time.h"
#include "limits.h"
#include "sandbox/envelope.h"
#include "sandbox/park.h"
#include "sandbox/snapshot.h"

static cloche_status refuse(cloche_status status, const char *message) {
  cloche__sandbox_complain("%s", message);
  return status;
}

/* ---- saving ---- */

static void begin_part(cloche__buffer *body, size_t *start) {
  *start = body->len;
  cloche__buffer_add(body, &(uint64_t){0}, sizeof(uint64_t));
}

static void end_part(cloche__buffer *body, size_t start) {
  uint64_t len = body->len - start - sizeof len;
  if (!body->failed) memcpy(body->at + start, &len, sizeof len);
}

static void add_part(cloche__buffer *body, cloche_text text) {
  size_t start;
  begin_part(body, &start);
  cloche__buffer_text(body, text);
  end_part(body, start);
}

/* Takes over `json` if `status` is OK. */
static void add_json(cloche__buffer *body, cloche_status status, char *json, size_t len) {
  if (status == CLOCHE_E_MEMORY) body->failed = true;
  add_part(body, (cloche_text){json, status == CLOCHE_OK ? len : 0});
  if (status == CLOCHE_OK) free(json);
}

static void add_gate(const cloche_sandbox *box, cloche__buffer *body) {
  char *json = NULL;
  size_t len = 0;
  cloche_status status =
      box->gate == NULL ? CLOCHE_E_STATE : cloche_gate_save(box->gate, &json, &len);
  add_json(body, status, json, len);
  status =
      box->gate == NULL ? CLOCHE_E_STATE : cloche_account_save(box->gate->account, &json, &len);
  add_json(body, status, json, len); /* a store keeps its own */
}

static void add_outputs(const cloche_sandbox *box, cloche__buffer *body) {
  size_t start;
  begin_part(body, &start);
  for (size_t i = 0; i < box->queue_count; i++) {
    const cloche__item *item = &box->queue[box->queue_first + i];
    if (item->kind == CLOCHE_OUTPUT)
      cloche__buffer_add(body, box->queue_bytes.at + item->at, item->len);
  }
  end_part(body, start);
}

static cloche_status write_body(cloche_sandbox *box, bool without_checkpoint,
                                cloche__buffer *body) {
  size_t start;
  begin_part(body, &start);
  cloche__state_write(box, body);
  end_part(body, start);
  add_part(body, cloche__buffer_view(&box->tools));
  add_gate(box, body);
  add_part(body, cloche__buffer_view(&box->inbox));
  add_outputs(box, body);
  begin_part(body, &start);
  if (!cloche__machine_save(&box->machine, body)) return CLOCHE_E_MEMORY;
  end_part(body, start);
  begin_part(body, &start);
  bool wanted = box->active && !without_checkpoint;
  if (wanted && !cloche__machine_save_checkpoint(&box->machine, body)) return CLOCHE_E_MEMORY;
  end_part(body, start);
  return body->failed ? CLOCHE_E_MEMORY : CLOCHE_OK;
}

bool cloche__sandbox_waits(cloche_sandbox *box) {
  bool halfway = cloche__machine_is_halfway(&box->machine) || box->outbox_bytes > 0;
  const char *why = NULL;
  if (box->dead)
    why = "the sandbox is dead";
  else if (box->active && (box->ended || box->stopping != CLOCHE_END_DONE))
    why = "the run is ending; step on until DONE";
  else if (halfway)
    why = "the program computes; step on until it waits";
  if (why != NULL) cloche__sandbox_refuse(box, CLOCHE_E_STATE, why);
  return why == NULL;
}

static cloche_status record_snapshot(cloche_sandbox *box, const cloche__buffer *file) {
  cloche__envelope header;
  cloche__moment moment = cloche__sandbox_moment(box);
  memcpy(&header, file->at, sizeof header);
  return cloche__ledger_snapshot(box->ledger, &moment, "snapshot", header.checksum, NULL);
}

cloche_status cloche_snapshot(cloche_sandbox *box, const cloche_snapshot_options *options,
                              char **bytes, size_t *len) {
  if (!cloche__sandbox_enter(box) || bytes == NULL || len == NULL) return CLOCHE_E_ARGUMENT;
  if (!cloche__sandbox_waits(box)) return CLOCHE_E_STATE;
  if (box->mounts.count > 0)
    return cloche__sandbox_refuse(box, CLOCHE_E_FILE,
                                  "it has mounted folders, which belong to this process");
  cloche__buffer body = {0}, file = {0};
  cloche_status status = cloche__park_use(box);
  if (status != CLOCHE_OK) return status;
  status = write_body(box, options != NULL && options->without_checkpoint, &body);
  cloche__park_leave(box);
  if (status == CLOCHE_OK)
    status = cloche__envelope_seal(cloche__buffer_view(&body), box->engine->image.header->hash,
                                   options, &file);
  if (options != NULL && options->key != NULL)
    cloche__envelope_wipe(&body);
  else
    cloche__buffer_free(&body);
  if (status == CLOCHE_OK) status = record_snapshot(box, &file);
  if (status != CLOCHE_OK) {
    cloche__buffer_free(&file);
    return status;
  }
  cloche__calls_share(box);
  *bytes = file.at;
  *len = file.len;
  return CLOCHE_OK;
}

/* ---- opening ---- */

typedef struct {
  cloche__envelope header;
  cloche__buffer plain;
  cloche_text parts[CLOCHE__PARTS];
  cloche__saved saved;
} opened;

static bool split(cloche_text body, cloche_text parts[CLOCHE__PARTS]) {
  for (int i = 0; i < CLOCHE__PARTS; i++) {
    uint64_t len;
    if (body.len < sizeof len) return false;
    memcpy(&len, body.at, sizeof len);
    body = (cloche_text){body.at + sizeof len, body.len - sizeof len};
    if (len > body.len) return false;
    parts[i] = (cloche_text){body.at, (size_t)len};
    body = (cloche_text){body.at + len, body.len - (size_t)len};
  }
  return body.len == 0;
}

static void close_opened(opened *o) {
  cloche__state_free(&o->saved);
  if (o->header.flags & CLOCHE__ENVELOPE_SEALED)
    cloche__envelope_wipe(&o->plain);
  else
    cloche__buffer_free(&o->plain);
}

/* What the header says must have been read. */
static cloche_status open_body(cloche_text file, const cloche_snapshot_options *options,
                               uint64_t most, opened *o, char message[256]) {
  cloche_status status = cloche__envelope_open(file, &o->header, options, most, &o->plain, message);
  if (status == CLOCHE_OK && !split(cloche__buffer_view(&o->plain), o->parts))
    status = CLOCHE_E_FORMAT;
  if (status == CLOCHE_OK) status = cloche__state_read(o->parts[CLOCHE__PART_STATE], &o->saved);
  if (status == CLOCHE_E_FORMAT && message[0] == '\0')
    snprintf(message, 256, "what the snapshot holds makes no sense");
  if (status != CLOCHE_OK) close_opened(o);
  return status;
}

/* ---- restoring ---- */

static void lower(uint64_t *limit, uint64_t most) {
  if (*limit > most) *limit = most;
}
static void lower_time(int64_t *limit, int64_t most) {
  if (*limit > most) *limit = most;
}

/* Whoever could have written the bytes cannot raise a limit by it. */
static void lower_limits(cloche_limits *limits) {
  cloche_limits usual = cloche_limits_default();
  lower_time(&limits->timeout, usual.timeout);
  lower_time(&limits->total_timeout, usual.total_timeout);
  lower(&limits->fuel, usual.fuel);
  lower(&limits->memory, usual.memory);
  lower(&limits->stack, usual.stack);
  lower(&limits->output, usual.output);
  lower(&limits->calls, usual.calls);
  lower(&limits->in_flight, usual.in_flight);
  lower(&limits->argument, usual.argument);
  lower(&limits->result, usual.result);
  lower(&limits->files, usual.files);
  lower(&limits->file_bytes, usual.file_bytes);
}

#define TAKE(field) \
  if (given->field != 0) limits->field = given->field
static void take_limits(cloche_limits *limits, const cloche_limits *given) {
  TAKE(timeout);
  TAKE(total_timeout);
  TAKE(fuel);
  TAKE(memory);
  TAKE(stack);
  TAKE(output);
  TAKE(calls);
  TAKE(in_flight);
  TAKE(argument);
  TAKE(result);
  TAKE(files);
  TAKE(file_bytes);
}

/* A new sandbox with the snapshot's inputs, in which nothing has happened. */
static cloche_status make(cloche_engine *engine, const opened *o,
                          const cloche_restore_options *options, cloche_account *account,
                          bool trusted, cloche_sandbox **box) {
  cloche_sandbox_options plain = {
      .tools = o->parts[CLOCHE__PART_TOOLS],
      .policy = options->policy,
      .account = account,
      .ledger = options->ledger,
      .name = options->name.len > 0 ? options->name : o->saved.name,
      .limits = o->saved.limits,
      .seed = o->saved.seed,
      .real_time = o->saved.real_time,
  };
  if (!trusted) lower_limits(&plain.limits);
  take_limits(&plain.limits, &options->limits);
  cloche_status status = cloche_sandbox_new(engine, &plain, box);
  if (status == CLOCHE_E_ARGUMENT || status == CLOCHE_E_JSON)
    return refuse(CLOCHE_E_FORMAT, "the snapshot's tools make no sense");
  return status;
}

/* The account that spending goes on in; one more user of it. */
static cloche_status find_account(const opened *o, const cloche_restore_options *options,
                                  bool trusted, cloche_account **account) {
  const cloche__saved *saved = &o->saved;
  *account = NULL;
  if (options->policy == NULL) return CLOCHE_OK; /* nothing can be spent */
  bool given = options->account != NULL;
  if (saved->accounted &&
      !(given && cloche__text_equal(cloche_account_id(options->account), saved->account))) {
    cloche__sandbox_complain(
        "the snapshot's spending is in the account \"%.*s\", which was not given",
        (int)saved->account.len, saved->account.at);
    return CLOCHE_E_ACCOUNT;
  }
  if (given) {
    *account = cloche__account_keep(options->account);
    return CLOCHE_OK;
  }
  if (!trusted)
    return refuse(CLOCHE_E_ACCOUNT,
                  "a snapshot that anyone could have written needs an account to spend from");
  if (o->parts[CLOCHE__PART_ACCOUNT].len == 0) return CLOCHE_OK; /* there was no policy then */
  cloche_status status = cloche_account_restore(o->parts[CLOCHE__PART_ACCOUNT], account);
  return status == CLOCHE_E_FORMAT ? refuse(status, "the snapshot's account makes no sense")
                                   : status;
}

static cloche_status restore_gate(cloche_sandbox *box, const opened *o, bool trusted) {
  cloche_text text = o->parts[CLOCHE__PART_GATE];
  cloche_gate *gate;
  if (box->gate == NULL) return CLOCHE_OK;
  if (!trusted || text.len == 0) {
    cloche__gate_forget_past(box->gate);
    return CLOCHE_OK;
  }
  cloche_status status = cloche_gate_restore(box->policy, box->gate->account, text, &gate);
  if (status == CLOCHE_E_FORMAT) return refuse(status, "the snapshot's labels make no sense");
  if (status != CLOCHE_OK) return status;
  cloche_gate_free(box->gate);
  box->gate = gate;
  return CLOCHE_OK;
}

static void restore_numbers(cloche_sandbox *box, const cloche__saved *saved) {
  int64_t now = cloche__monotonic();
  int64_t gap = cloche__real_time() - saved->wall;
  memcpy(box->id, saved->id, sizeof box->id);
  box->pristine = saved->pristine;
  box->was_pristine = saved->was_pristine;
  box->active = saved->active;
  box->memory_refused = saved->memory_refused;
  box->language = saved->shell ? CLOCHE_SHELL : CLOCHE_JAVASCRIPT;
  box->run = saved->run;
  box->last_call = saved->last_call;
  box->used = saved->used;
  box->run_fuel = saved->run_fuel;
  box->clock = saved->clock;
  box->clock_fuel = saved->clock_fuel;
  box->next_timer = saved->next_timer;
  box->started = now - saved->elapsed;
  box->usage = saved->usage;
  memcpy(box->said, saved->said, sizeof box->said);
  box->usage.image = box->engine->image.size;
  if (gap < 0) gap = 0;
  if (gap > CLOCHE__SNAPSHOT_GAP) gap = CLOCHE__SNAPSHOT_GAP;
  bool started = box->active && box->run_fuel < box->used;
  if (started) box->waiting_since = now - gap; /* in a file is waiting, too */
}

static bool is_queued(const cloche__saved *saved, uint32_t call) {
  for (size_t i = 0; i < saved->queue_count; i++)
    if (saved->queue[i].kind != CLOCHE_OUTPUT && saved->queue[i].call == call) return true;
  return false;
}

/* Calls that wait and were announced before come first; then what was not told yet, in its order.
 */
static cloche_status restore_queue(cloche_sandbox *box, const opened *o) {
  const cloche__saved *saved = &o->saved;
  cloche_text output = o->parts[CLOCHE__PART_OUTPUT];
  for (size_t i = 0; i < saved->call_count; i++) {
    const cloche__pending *call = &saved->calls[i];
    cloche__item item = {.kind = call->asked ? CLOCHE_APPROVAL : CLOCHE_CALL, .call = call->id};
    if (!is_queued(saved, call->id) && !cloche__queue_add(box, item)) return CLOCHE_E_MEMORY;
  }
  for (size_t i = 0; i < saved->queue_count; i++) {
    const cloche__saved_item *from = &saved->queue[i];
    cloche__item item = {.kind = (cloche_event_kind)from->kind,
                         .stream = (int)from->stream,
                         .call = from->call,
                         .at = box->queue_bytes.len,
                         .len = (size_t)from->len};
    if (item.kind == CLOCHE_OUTPUT) {
      if (from->len > output.len) return CLOCHE_E_FORMAT;
      cloche__buffer_add(&box->queue_bytes, output.at, item.len);
      output = (cloche_text){output.at + item.len, output.len - item.len};
    }
    if (!cloche__queue_add(box, item)) return CLOCHE_E_MEMORY;
  }
  return box->queue_bytes.failed ? CLOCHE_E_MEMORY : CLOCHE_OK;
}

static cloche_status restore_calls(cloche_sandbox *box, const opened *o, bool trusted) {
  const cloche__saved *saved = &o->saved;
  if (saved->call_count > box->limits.in_flight)
    return refuse(CLOCHE_E_LIMIT, "the snapshot has more calls in flight than are allowed");
  for (size_t i = 0; i < saved->call_count; i++) {
    cloche__pending call = saved->calls[i];
    if (!trusted) call.reservation = 0; /* it may be another's */
    if (!cloche__call_restored(box, &call)) return CLOCHE_E_FORMAT;
  }
  return CLOCHE_OK;
}

/* Memory, and under it the checkpoint: the image, or the one that was kept. */
static cloche_status restore_machine(cloche_sandbox *box, const opened *o) {
  cloche_status status = CLOCHE_OK;
  if (o->saved.was_pristine && o->saved.active)
    cloche__machine_checkpoint(&box->machine, true);
  else if (o->saved.active)
    status = cloche__machine_load_checkpoint(&box->machine, o->parts[CLOCHE__PART_CHECKPOINT]);
  if (status == CLOCHE_OK)
    status = cloche__machine_load(&box->machine, o->parts[CLOCHE__PART_MEMORY]);
  if (status == CLOCHE_E_LIMIT)
    return refuse(status, "the snapshot's memory is larger than the limit");
  return status;
}

/* Making it may have put it into the engine's line already. */
static cloche_status lay_over(cloche_sandbox *box, const opened *o, bool trusted) {
  cloche_status status = cloche__park_use(box);
  if (status == CLOCHE_OK) status = restore_machine(box, o);
  if (status == CLOCHE_OK) {
    restore_numbers(box, &o->saved);
    cloche__buffer_text(&box->inbox, o->parts[CLOCHE__PART_INBOX]);
    if (box->inbox.failed) status = CLOCHE_E_MEMORY;
  }
  if (status == CLOCHE_OK && !box->active && o->saved.call_count + o->saved.queue_count > 0)
    status = CLOCHE_E_FORMAT;
  if (status == CLOCHE_OK) status = restore_calls(box, o, trusted);
  if (status == CLOCHE_OK) status = restore_queue(box, o);
  if (status == CLOCHE_OK) status = restore_gate(box, o, trusted);
  return status;
}

static cloche_status record_resume(cloche_sandbox *box, const opened *o) {
  cloche__buffer policy = {0};
  cloche__sandbox_write_policy(box->policy, &policy);
  cloche_text json = cloche__buffer_view(&policy);
  cloche__moment moment = cloche__sandbox_moment(box);
  cloche_status status = policy.failed ? CLOCHE_E_MEMORY
                                       : cloche__ledger_snapshot(box->ledger, &moment, "resume",
                                                                 o->header.checksum, &json);
  cloche__buffer_free(&policy);
  return status;
}

/* Calls that wait were decided by the policy of then; another one decides them anew. */
static void decide_anew(cloche_sandbox *box, const opened *o, bool trusted) {
  uint8_t policy[32];
  cloche__policy_hash(box->policy, policy);
  bool same = trusted && memcmp(policy, o->saved.policy, sizeof policy) == 0;
  cloche__calls_restored(box, !same, trusted);
}

static cloche_status restore(cloche_engine *engine, const opened *o,
                             const cloche_restore_options *options, cloche_sandbox **made) {
  bool trusted = options->trusted || options->opening.key != NULL;
  cloche_account *account = NULL;
  cloche_sandbox *box = NULL;
  cloche_status status = find_account(o, options, trusted, &account);
  if (status == CLOCHE_OK) status = make(engine, o, options, account, trusted, &box);
  cloche_account_free(account);
  if (status != CLOCHE_OK) return status;
  status = lay_over(box, o, trusted);
  if (status == CLOCHE_E_FORMAT && *cloche_sandbox_message(NULL) == '\0')
    cloche__sandbox_complain("what the snapshot holds makes no sense");
  if (status == CLOCHE_OK) status = record_resume(box, o);
  if (status != CLOCHE_OK) {
    cloche_sandbox_free(box);
    return status;
  }
  decide_anew(box, o, trusted);
  cloche__park_leave(box);
  *made = box;
  return CLOCHE_OK;
}

/* What the body may need: memory and its page numbers, twice with a checkpoint, and the rest. */
static uint64_t most_bytes(const cloche_engine *engine, const cloche_restore_options *options) {
  bool trusted = options->trusted || options->opening.key != NULL;
  uint64_t memory = options->limits.memory != 0 ? options->limits.memory
                    : trusted                   ? CLOCHE__MEMORY_MAX
                                                : cloche_limits_default().memory;
  if (memory > CLOCHE__MEMORY_MAX) memory = CLOCHE__MEMORY_MAX;
  memory += engine->image.size;
  return 2 * (memory + memory / 1024) + CLOCHE__SNAPSHOT_STATE;
}

cloche_status cloche_restore(cloche_engine *engine, cloche_text bytes,
                             const cloche_restore_options *options, cloche_sandbox **box) {
  if (engine == NULL || box == NULL) return CLOCHE_E_ARGUMENT;
  static const cloche_restore_options plain = {0};
  char message[256] = "";
  opened o = {0};
  if (options == NULL) options = &plain;
  cloche__sandbox_complain("%s", "");
  if (sodium_init() < 0) return CLOCHE_E_SYSTEM;
  cloche_status status =
      cloche__envelope_read(bytes, engine->image.header->hash, &o.header, message);
  if (status == CLOCHE_OK)
    status = open_body(bytes, &options->opening, most_bytes(engine, options), &o, message);
  if (status != CLOCHE_OK) return refuse(status, message);
  status = restore(engine, &o, options, box);
  close_opened(&o);
  return status;
}

/* ---- looking ---- */

static void write_head(const cloche__envelope *header, size_t len, cloche__buffer *out) {
  char image[65];
  sodium_bin2hex(image, sizeof image, header->image, sizeof header->image);
  cloche__buffer_format(out, "{\"format\":%u,\"engine\":", (unsigned)header->version);
  cloche__json_write_string(cloche__text(header->engine), out);
  cloche__buffer_format(out, ",\"image\":\"%s\",\"bytes\":%zu,\"sealed\":%s", image, len,
                        header->flags & CLOCHE__ENVELOPE_SEALED ? "true" : "false");
}

/* Were budgets charged that are counted here alone? */
static bool is_unaccounted(const opened *o) {
  cloche__json_doc doc = {0};
  cloche_text account = o->parts[CLOCHE__PART_ACCOUNT];
  bool read = account.len > 0 && cloche__json_parse(account, NULL, &doc, NULL) == CLOCHE_OK;
  const cloche__json *entries = read ? cloche__json_get(&doc.root, "entries") : NULL;
  bool charged = entries != NULL && entries->count > 0;
  cloche__json_free(&doc);
  return charged;
}

static void write_rest(const opened *o, cloche__buffer *out) {
  const cloche__saved *saved = &o->saved;
  char id[33];
  sodium_bin2hex(id, sizeof id, saved->id, sizeof saved->id);
  cloche__buffer_format(out, ",\"id\":\"%s\",\"name\":", id);
  cloche__json_write_string(saved->name, out);
  cloche__buffer_format(out, ",\"language\":\"%s\",\"unaccounted\":%s,\"account\":",
                        saved->shell ? "shell" : "javascript",
                        is_unaccounted(o) ? "true" : "false");
  cloche__json_write_string(saved->account, out);
  cloche__buffer_string(out, ",\"saved_at\":\"");
  cloche__time_write(saved->wall, out);
  cloche__buffer_format(
      out,
      "\",\"running\":%s,\"usage\":{\"fuel\":%llu,\"calls\":%llu,\"denied\":%llu,"
      "\"memory_bytes\":%llu,\"output_bytes\":%llu},\"pending\":",
      saved->active ? "true" : "false", (unsigned long long)saved->usage.fuel,
      (unsigned long long)saved->usage.calls, (unsigned long long)saved->usage.denied,
      (unsigned long long)saved->usage.memory, (unsigned long long)saved->usage.output);
  cloche__state_write_pending(saved->calls, saved->call_count, out);
}

cloche_status cloche_snapshot_info(cloche_text bytes, const cloche_snapshot_options *options,
                                   char **json, size_t *len) {
  if (json == NULL || len == NULL) return CLOCHE_E_ARGUMENT;
  char message[256] = "";
  cloche__buffer out = {0};
  opened o = {0};
  cloche__sandbox_complain("%s", "");
  if (sodium_init() < 0) return CLOCHE_E_SYSTEM;
  cloche_status status = cloche__envelope_read(bytes, NULL, &o.header, message);
  bool opens =
      !(o.header.flags & CLOCHE__ENVELOPE_SEALED) || (options != NULL && options->key != NULL);
  uint64_t most = 2 * (CLOCHE__MEMORY_MAX + CLOCHE__MEMORY_MAX / 1024) + CLOCHE__SNAPSHOT_STATE;
  if (status == CLOCHE_OK && opens) status = open_body(bytes, options, most, &o, message);
  if (status != CLOCHE_OK) return refuse(status, message);
  write_head(&o.header, bytes.len, &out);
  if (opens) write_rest(&o, &out);
  cloche__buffer_byte(&out, '}');
  close_opened(&o);
  if (out.failed) {
    cloche__buffer_free(&out);
    return CLOCHE_E_MEMORY;
  }
  *json = out.at;
  *len = out.len;
  return CLOCHE_OK;
}
