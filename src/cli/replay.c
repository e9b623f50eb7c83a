// SPDX-License-Identifier: MIT
/* replay.c -- cloche replay: runs a recorded program again, with the recorded answers, and
 * compares.
 *
 * The sandbox writes its records as ever, into a sink that compares each with the one in the
 * ledger. What came from outside (answers, approvals, the clock, a stop) is put in where it stands
 * in the ledger, at the very fuel: the guest runs up to there and no further. No tool is called,
 * and the gate sees the wall time of then. */
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare.h"
#include "cli/config.h"
#include "cli/files.h"
#include "cli/plan.h"
#include "cli/snapshots.h"
#include "gate/time.h"
#include "ledger/ledger.h"
#include "sandbox/sandbox.h"

/* A call of the ledger, for a portable replay. */
typedef struct {
  const cloche__json *decision; /* the first: NULL for a call that the ledger does not have */
  uint64_t call;                /* its number now; 0: it has not been made yet */
} recorded;

typedef struct {
  const cloche__settings *settings;
  cloche__buffer differences; /* JSON, the items of an array */
  size_t difference_count;
  recorded *calls;
  size_t call_count;
  bool *used; /* portable: records that have been put in */
  cloche__arena arena;
  cloche__json *kept; /* the record of the plan that the run kept to; NULL: none */
  cloche__plan plan;
  cloche__json *records; /* of one sandbox, from its `open` to its `end` */
  size_t count, at;      /* at: the next one to come */
  bool stopped;          /* --until was reached */
  bool cut;              /* the ledger has no more records, and no end */
  bool killed;           /* the run ended from outside, in the middle of something */
  char difference[512];  /* the first; empty: none */
  cloche_policy *policy; /* the recorded one; NULL: there was none, or --config has another */
  cloche__config config;
  cloche_ledger *ledger;
  cloche_engine *engine;
  cloche_sandbox *box;
  cloche__buffer program, input, out;
} replay;

/* ---- records ---- */

static cloche_text text_of(const cloche__json *object, const char *key) {
  const cloche__json *value = cloche__json_get(object, key);
  bool has_text =
      value != NULL && (value->kind == CLOCHE__JSON_STRING || value->kind == CLOCHE__JSON_NUMBER);
  return has_text ? cloche__json_text(value) : (cloche_text){"", 0};
}

static uint64_t number_of(const cloche__json *object, const char *key) {
  uint64_t value = 0;
  cloche__json_uint64(cloche__json_get(object, key), &value);
  return value;
}

static int64_t time_of(const cloche__json *object, const char *key) {
  cloche__time time = {0};
  cloche__time_read(text_of(object, key), &time);
  return time.seconds * 1000000000 + time.nanoseconds;
}

static bool is_kind(const cloche__json *record, const char *kind) {
  return cloche__json_is(cloche__json_get(record, "kind"), kind);
}

/* What comes from outside the sandbox, and has to be put in. */
static bool is_input(const cloche__json *record) {
  if (is_kind(record, "interrupt"))
    return !cloche__json_is(cloche__json_get(record, "why"), "limit.fuel");
  if (is_kind(record, "checkpoint") || is_kind(record, "rollback")) return true;
  return is_kind(record, "settle") || is_kind(record, "approval") || is_kind(record, "clock");
}

/* Says nothing of what the program did. */
static bool is_aside(const cloche__json *record) {
  return is_kind(record, "snapshot") || is_kind(record, "resume") || is_kind(record, "fork") ||
         is_kind(record, "close");
}

/* A plan of the run that begins next. */
static bool keep_plan(replay *r, const cloche__json *record) {
  if (!is_kind(record, "plan") || !cloche__json_is(cloche__json_get(record, "plan"), "kept to"))
    return true;
  r->kept = cloche__arena_take(&r->arena, 1, sizeof *r->kept);
  return r->kept != NULL && cloche__json_copy(&r->arena, record, r->kept) == CLOCHE_OK;
}

static bool keep(replay *r, const cloche__json *record) {
  cloche__json *grown = realloc(r->records, (r->count + 1) * sizeof *grown);
  if (grown == NULL) return false;
  r->records = grown;
  return cloche__json_copy(&r->arena, record, &r->records[r->count++]) == CLOCHE_OK;
}

/* Why a run that was recorded cannot be replayed; NULL: nothing that its record tells. */
static const char *obstacle(const cloche__json *open) {
  if (cloche__json_get(open, "mounts") != NULL)
    return "the run had mounted folders, whose files are not in the ledger";
  if (cloche__json_get(open, "given_files") != NULL)
    return "files were put into the sandbox from outside, and they are not in the ledger";
  return NULL;
}

/* The first run of the ledger that says it can be replayed. */
static bool read_ledger(replay *r, const char *path) {
  cloche__ledger_reader *reader = NULL;
  const cloche__json *record;
  char message[256] = "";
  cloche_status status = cloche__ledger_reader_new(path, NULL, &reader);
  const char *why = NULL;
  bool ended = false;
  while (status == CLOCHE_OK && !ended) {
    status = cloche__ledger_next(reader, &record, message);
    if (status != CLOCHE_OK) break;
    const cloche__json *replayable = cloche__json_get(record, "replayable");
    bool first =
        r->count == 0 && is_kind(record, "open") && replayable != NULL && replayable->boolean;
    if (r->count == 0 && why == NULL && is_kind(record, "open")) why = obstacle(record);
    bool same =
        r->count > 0 && cloche__text_equal(text_of(record, "box"), text_of(&r->records[0], "box"));
    if ((first || same) && !is_aside(record) && !keep(r, record)) status = CLOCHE_E_MEMORY;
    if (r->count == 0 && is_kind(record, "end")) r->kept = NULL; /* it was another run's */
    if (r->count == 0 && !keep_plan(r, record)) status = CLOCHE_E_MEMORY;
    ended = same && is_kind(record, "end");
  }
  cloche__ledger_reader_free(reader);
  if (status != CLOCHE_OK && status != CLOCHE_E_STATE)
    cloche__complain("%s: %s", path, *message != '\0' ? message : cloche_status_text(status));
  else if (r->count == 0)
    cloche__complain("%s holds no run that can be replayed: %s", path,
                     why != NULL ? why
                                 : "inputs and results have to be kept in full, from a sandbox's "
                                   "first run on");
  return (status == CLOCHE_OK || status == CLOCHE_E_STATE) && r->count > 0;
}

/* ---- comparing ---- */

static void list_difference(replay *r, const char *what, cloche_text was, cloche_text is) {
  cloche__buffer *out = &r->differences;
  cloche__buffer_string(out, r->difference_count++ == 0 ? "{" : ",{");
  cloche__json_write_key("what", out);
  cloche__json_write_string(cloche__text(what), out);
  cloche__json_write_key("was", out);
  cloche__json_write_string(was, out);
  cloche__json_write_key("is", out);
  cloche__json_write_string(is, out);
  cloche__buffer_byte(out, '}');
}

/* As much of one as a line has room for, from a little before where they part. */
static void tell_difference(char *out, size_t room, const char *what, cloche_text was,
                            cloche_text is) {
  enum { SHOWN = 150, BEFORE = 40 };
  size_t same = 0;
  while (same < was.len && same < is.len && was.at[same] == is.at[same]) same++;
  bool late = same >= SHOWN - BEFORE;
  size_t from = late ? same - BEFORE : 0;
  const char *dots = late ? "..." : "";
  was = (cloche_text){was.at + from, was.len - from};
  is = (cloche_text){is.at + from, is.len - from};
  snprintf(out, room, "%s: it was %s%.*s, and is %s%.*s", what, dots,
           (int)(was.len < SHOWN ? was.len : SHOWN), was.at, dots,
           (int)(is.len < SHOWN ? is.len : SHOWN), is.at);
}

static void differ(replay *r, const char *what, cloche_text was, cloche_text is) {
  char told[sizeof r->difference - 64];
  if (!r->settings->portable && r->difference[0] != '\0') return;
  list_difference(r, what, was, is);
  tell_difference(told, sizeof told, what, was, is);
  if (r->settings->portable) {
    if (!r->settings->json) cloche__complain("differs: %s", told);
    return;
  }
  const cloche__json *record = r->at < r->count ? &r->records[r->at] : NULL;
  cloche_text kind = text_of(record, "kind"), seq = text_of(record, "seq");
  snprintf(r->difference, sizeof r->difference, "record %.*s (%.*s), %s", (int)seq.len, seq.at,
           (int)kind.len, kind.at, told);
  cloche_cancel(r->box);
}

static bool is_incidental(const cloche__json *record, cloche_text key) {
  static const char *const keys[] = {"seq", "wall", "hash", "sig"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (cloche__text_equal(key, cloche__text(keys[i]))) return true;
  /* Time limits are not kept: a replay takes as long as it takes. */
  return is_kind(record, "open") && cloche__text_equal(key, cloche__text("limits"));
}

static void show(replay *r, const char *what, const cloche__json *was, const cloche__json *is) {
  cloche__buffer a = {0}, b = {0};
  if (was != NULL) cloche__json_write(was, &a);
  if (is != NULL) cloche__json_write(is, &b);
  differ(r, what, was == NULL ? cloche__text("nothing") : cloche__buffer_view(&a),
         is == NULL ? cloche__text("nothing") : cloche__buffer_view(&b));
  cloche__buffer_free(&a);
  cloche__buffer_free(&b);
}

/* What the user has given instead: what it leads to is to be told, not that it is another. */
static bool is_given(const replay *r, const cloche__json *record, cloche_text key) {
  if (!is_kind(record, "open")) return false;
  return (r->settings->rest_count > 1 && cloche__text_equal(key, cloche__text("program"))) ||
         (r->settings->config != NULL && cloche__text_equal(key, cloche__text("policy")));
}

/* When it happened: compared after what happened. */
static bool is_moment(cloche_text key) {
  return cloche__text_equal(key, cloche__text("fuel")) ||
         cloche__text_equal(key, cloche__text("virtual"));
}

static bool compare_members(replay *r, const cloche__json *was, const cloche__json *is,
                            bool moments) {
  for (size_t i = 0; i < is->count; i++) {
    const cloche__json_member *member = &is->members[i];
    const cloche__json *before = cloche__json_get_text(was, member->key);
    char name[40];
    if (is_moment(member->key) != moments || is_incidental(was, member->key) ||
        is_given(r, was, member->key) || cloche__is_same(before, &member->value))
      continue;
    snprintf(name, sizeof name, "%.*s", (int)member->key.len, member->key.at);
    show(r, name, before, &member->value);
    return false;
  }
  return true;
}

/* The process was killed, or the program saved, and what follows is not in this ledger. */
static bool breaks_off(const replay *r) {
  return r->at >= r->count && !is_kind(&r->records[r->count - 1], "end");
}

static void compare(replay *r, const cloche__json *is) {
  static const cloche__json nothing;
  const cloche__json *was = r->at < r->count ? &r->records[r->at] : &nothing;
  r->cut |= breaks_off(r);
  if (r->cut) return;
  if (!cloche__is_same(cloche__json_get(was, "kind"), cloche__json_get(is, "kind"))) {
    show(r, "kind", r->at < r->count ? was : NULL, is);
    return;
  }
  if (!compare_members(r, was, is, false) || !compare_members(r, was, is, true)) return;
  r->stopped |= r->settings->until != 0 && is_kind(is, "decision") &&
                number_of(is, "call") == r->settings->until;
  r->at++;
}

/* ---- a portable replay: what it does, whatever it takes ---- */

static cloche_text describe(cloche__buffer *room, const cloche__json *decision) {
  cloche_text method = text_of(decision, "method");
  cloche__buffer_clear(room);
  cloche__buffer_text(room, method);
  cloche__buffer_byte(room, ' ');
  const cloche__json *params = cloche__json_get(decision, "params");
  if (params != NULL) cloche__json_write(params, room);
  return cloche__buffer_view(room);
}

static bool has_same(const cloche__json *was, const cloche__json *is, const char *key) {
  return cloche__is_same(cloche__json_get(was, key), cloche__json_get(is, key));
}

/* The call of the ledger that this one is: of the same number and tool, or the next that has not
 * been made with the same arguments, or of the same tool. */
static recorded *find_recorded(replay *r, const cloche__json *is) {
  recorded *found = NULL;
  int best = 0;
  for (size_t i = 0; i < r->call_count; i++) {
    const cloche__json *was = r->calls[i].decision;
    if (was == NULL || r->calls[i].call != 0 || !has_same(was, is, "method")) continue;
    int fit = 1 + 2 * has_same(was, is, "call") + 3 * has_same(was, is, "params");
    if (fit > best) {
      best = fit;
      found = &r->calls[i];
    }
  }
  return found;
}

static recorded *made(replay *r, uint64_t call) {
  for (size_t i = 0; i < r->call_count; i++)
    if (r->calls[i].call == call) return &r->calls[i];
  return NULL;
}

static bool add_recorded(replay *r, recorded one) {
  recorded *grown = realloc(r->calls, (r->call_count + 1) * sizeof *grown);
  if (grown == NULL) return false;
  r->calls = grown;
  r->calls[r->call_count++] = one;
  return true;
}

static void compare_decision(replay *r, const cloche__json *is) {
  cloche__buffer a = {0}, b = {0};
  uint64_t call = number_of(is, "call");
  if (made(r, call) != NULL) return; /* approved: decided once more */
  recorded *was = find_recorded(r, is);
  if (was == NULL) {
    differ(r, "a call", cloche__text("none"), describe(&b, is));
    add_recorded(r, (recorded){.call = call});
  } else {
    was->call = call;
    if (!has_same(was->decision, is, "params"))
      differ(r, "a call's arguments", describe(&a, was->decision), describe(&b, is));
    if (!has_same(was->decision, is, "effect") || !has_same(was->decision, is, "code")) {
      cloche__buffer what = {0};
      cloche__buffer_string(&what, "the decision about ");
      cloche__buffer_text(&what, describe(&b, is));
      cloche__buffer_byte(&what, '\0');
      differ(r, what.failed ? "a decision" : what.at, text_of(was->decision, "code"),
             text_of(is, "code"));
      cloche__buffer_free(&what);
    }
  }
  cloche__buffer_free(&a);
  cloche__buffer_free(&b);
}

static void compare_end(replay *r, const cloche__json *is) {
  static const char *const keys[] = {"end", "value", "stdout", "stderr"};
  const cloche__json *was = &r->records[r->count - 1];
  for (size_t i = 0; is_kind(was, "end") && i < sizeof keys / sizeof *keys; i++)
    if (cloche__json_get(was, keys[i]) != NULL && !has_same(was, is, keys[i]))
      differ(r, i == 0 ? "how it ended" : keys[i], text_of(was, keys[i]), text_of(is, keys[i]));
}

static void compare_loosely(replay *r, const cloche__json *is) {
  r->at++;
  if (is_kind(is, "decision")) compare_decision(r, is);
  if (is_kind(is, "end")) compare_end(r, is);
}

static bool take_line(void *self, const char *line, size_t len) {
  replay *r = self;
  cloche__json_doc doc = {0};
  if (r->settings->portable) {
    if (cloche__json_parse((cloche_text){line, len}, NULL, &doc, NULL) == CLOCHE_OK)
      compare_loosely(r, &doc.root);
  } else if (cloche__json_parse((cloche_text){line, len}, NULL, &doc, NULL) == CLOCHE_OK &&
             !is_aside(&doc.root) && r->difference[0] == '\0')
    compare(r, &doc.root);
  cloche__json_free(&doc);
  return true;
}

/* ---- as it was ---- */

static bool read_input(const cloche__json *record, const char *key, cloche__buffer *out) {
  const cloche__json *value = cloche__json_get(record, key);
  const cloche__json *coded = cloche__json_get(value, "base64");
  if (value != NULL && value->kind == CLOCHE__JSON_STRING)
    cloche__buffer_text(out, cloche__json_text(value));
  if (coded == NULL || coded->kind != CLOCHE__JSON_STRING) return !out->failed;
  size_t len = 0;
  if (!cloche__buffer_reserve(out, coded->count)) return false;
  if (sodium_base642bin((uint8_t *)out->at, out->cap, coded->text, coded->count, NULL, &len, NULL,
                        sodium_base64_VARIANT_ORIGINAL) != 0)
    return false;
  out->len = len;
  return true;
}

static void read_limits(const cloche__json *from, bool portable, cloche_limits *limits) {
  /* Where nothing says at which fuel it was stopped, a program has to stop some time. */
  if (!portable) limits->timeout = limits->total_timeout = INT64_MAX;
  limits->fuel = number_of(from, "fuel");
  limits->memory = number_of(from, "memory");
  limits->stack = number_of(from, "stack");
  limits->output = number_of(from, "output");
  limits->calls = number_of(from, "calls");
  limits->in_flight = number_of(from, "in_flight");
  limits->argument = number_of(from, "argument");
  limits->result = number_of(from, "result");
  limits->files = number_of(from, "files");
  limits->file_bytes = number_of(from, "file_bytes");
}

/* The layers of the policy, from the root, one restricting the other. */
static cloche_status load_policy(replay *r, cloche_text tools) {
  const cloche__json *layers = cloche__json_get(&r->records[0], "policy");
  cloche_status status = CLOCHE_OK;
  for (size_t i = 0; layers != NULL && i < layers->count && status == CLOCHE_OK; i++) {
    cloche__buffer text = {0};
    cloche_policy *layer = NULL, *both = NULL;
    cloche__json_write(&layers->items[i], &text);
    status = cloche_policy_load(cloche__buffer_view(&text), tools, &layer, NULL);
    cloche__buffer_free(&text);
    if (status != CLOCHE_OK || r->policy == NULL) {
      if (status == CLOCHE_OK) r->policy = layer;
      continue;
    }
    status = cloche_policy_restrict(r->policy, layer, &both);
    cloche_policy_free(layer);
    cloche_policy_free(r->policy);
    r->policy = both;
  }
  return status;
}

static cloche_status make(replay *r) {
  const cloche__json *open = &r->records[0];
  uint8_t seed[32];
  size_t got;
  cloche__buffer tools = {0};
  cloche_text hex = text_of(open, "seed");
  const cloche__json *list = cloche__json_get(open, "tools");
  if (list != NULL) cloche__json_write(list, &tools);
  if (sodium_hex2bin(seed, sizeof seed, hex.at, hex.len, NULL, &got, NULL) != 0 || got != 32) {
    cloche__buffer_free(&tools);
    return CLOCHE_E_FORMAT;
  }
  cloche_ledger_sink sink = {.self = r, .write = take_line};
  cloche_sandbox_options options = {.tools = cloche__buffer_view(&tools),
                                    .name = text_of(open, "box"),
                                    .seed = seed,
                                    .start_time = time_of(open, "start_time")};
  read_limits(cloche__json_get(open, "limits"), r->settings->portable, &options.limits);
  bool other = r->settings->config != NULL;
  cloche_status status = other ? CLOCHE_OK : load_policy(r, options.tools);
  options.policy = other ? r->config.policy : r->policy;
  if (status == CLOCHE_OK) status = cloche_ledger_new(&sink, NULL, &r->ledger);
  options.ledger = r->ledger;
  if (status == CLOCHE_OK) status = cloche_engine_new(NULL, &r->engine);
  if (status == CLOCHE_OK) status = cloche_sandbox_new(r->engine, &options, &r->box);
  cloche__buffer_free(&tools);
  if (status != CLOCHE_OK) return status;
  r->box->replay.on = true;
  if (r->kept == NULL) return CLOCHE_OK;
  if (!cloche__plan_recall(&r->plan, r->kept)) return CLOCHE_E_FORMAT;
  cloche__plan_watch(&r->plan, r->box);
  return CLOCHE_OK;
}

static cloche_status begin(replay *r) {
  const cloche__json *open = &r->records[0];
  const cloche__json *words = cloche__json_get(open, "arguments");
  size_t count = words != NULL && words->kind == CLOCHE__JSON_ARRAY ? words->count : 0;
  if (!read_input(open, "stdin", &r->input)) return CLOCHE_E_MEMORY;
  bool recorded_one = r->settings->rest_count == 1;
  if (recorded_one && !read_input(open, "program", &r->program)) return CLOCHE_E_MEMORY;
  cloche_text *arguments = calloc(count + 1, sizeof *arguments);
  if (arguments == NULL) return CLOCHE_E_MEMORY;
  for (size_t i = 0; i < count; i++) arguments[i] = cloche__json_text(&words->items[i]);
  bool shell = cloche__json_is(cloche__json_get(open, "language"), "shell");
  cloche_program program = {.language = shell ? CLOCHE_SHELL : CLOCHE_JAVASCRIPT,
                            .text = cloche__buffer_view(&r->program),
                            .stdin_bytes = cloche__buffer_view(&r->input),
                            .arguments = arguments,
                            .argument_count = count};
  cloche_status status = cloche_exec(r->box, &program);
  free(arguments);
  return status;
}

/* ---- going on ---- */

static cloche_end end_of(cloche_text why) {
  for (int end = 0; end <= CLOCHE_END_INTERNAL; end++)
    if (cloche__text_equal(why, cloche__text(cloche_end_text((cloche_end)end))))
      return (cloche_end)end;
  return CLOCHE_END_CANCELLED;
}

static void put_in(replay *r, const cloche__json *record, uint64_t call) {
  size_t before = r->at;
  const cloche__json *ok = cloche__json_get(record, "ok");
  if (is_kind(record, "clock")) {
    cloche__sandbox_set_clock(r->box, time_of(record, "to"));
  } else if (is_kind(record, "interrupt")) {
    cloche__sandbox_stop(r->box, end_of(text_of(record, "why")));
  } else if (is_kind(record, "checkpoint")) {
    cloche_checkpoint(r->box, text_of(record, "name"));
  } else if (is_kind(record, "rollback")) {
    cloche_rollback(r->box, text_of(record, "name"));
  } else if (is_kind(record, "approval")) {
    cloche_approval approval = {.further = (uint32_t)number_of(record, "further"),
                                .by = text_of(record, "by"),
                                .reason = text_of(record, "reason")};
    if (cloche__json_get(record, "approved")->boolean)
      cloche_approve(r->box, call, &approval);
    else
      cloche_deny(r->box, call, approval.reason);
  } else if (ok != NULL && ok->boolean) {
    cloche__buffer text = {0};
    cloche__json_write(cloche__json_get(record, "result"), &text);
    cloche_resolve(r->box, call, cloche__buffer_view(&text));
    cloche__buffer_free(&text);
  } else {
    cloche_failure failure = {.message = text_of(record, "error"), .code = text_of(record, "code")};
    cloche_reject(r->box, call, &failure);
  }
  if (r->at == before) differ(r, "what was put in", cloche__text("taken"), cloche__text("refused"));
}

/* Up to which fuel the guest may run, and what the wall clock said there. */
static void set_marks(replay *r) {
  r->box->replay.until = UINT64_MAX;
  for (size_t i = r->at; i < r->count; i++) {
    if (!is_input(&r->records[i])) continue;
    r->box->replay.until = number_of(&r->records[i], "fuel");
    break;
  }
  for (size_t i = r->at; i < r->count; i++) {
    if (!is_kind(&r->records[i], "decision")) continue;
    r->box->replay.wall = time_of(&r->records[i], "wall");
    break;
  }
}

static bool is_due(const replay *r) {
  const cloche_sandbox *box = r->box;
  return r->at < r->count && is_input(&r->records[r->at]) && box->queue_count == 0 &&
         !box->pristine && number_of(&r->records[r->at], "fuel") == box->used - box->run_fuel;
}

/* A program that was stopped where it stood, by time, has no fuel to be stopped at again: what it
 * did until then is compared, and its end is not. */
static bool was_killed(const replay *r) {
  const cloche__json *stop = &r->records[r->at];
  uint64_t fuel = number_of(stop, "fuel"), run = r->box->used - r->box->run_fuel;
  if (r->at + 1 >= r->count || !is_kind(stop, "interrupt") || !is_kind(stop + 1, "end"))
    return false;
  return run > fuel || (run == fuel && number_of(stop + 1, "fuel") == fuel);
}

/* The program has gone past what is to be put in. */
static bool is_late(const replay *r) {
  return r->at < r->count && is_input(&r->records[r->at]) &&
         r->box->used - r->box->run_fuel > number_of(&r->records[r->at], "fuel");
}

static cloche_status run(replay *r) {
  cloche_status status = begin(r);
  cloche_event event = {0};
  while (status == CLOCHE_OK && event.kind != CLOCHE_DONE && !r->stopped &&
         r->difference[0] == '\0') {
    r->cut |= breaks_off(r);
    if (r->cut && r->box->queue_count == 0) return status;
    set_marks(r);
    if (r->at < r->count && was_killed(r)) {
      r->killed = true;
      return status;
    }
    if (is_late(r)) differ(r, "the program", cloche__text("there"), cloche__text("past it"));
    if (is_due(r)) {
      put_in(r, &r->records[r->at], number_of(&r->records[r->at], "call"));
      continue;
    }
    status = cloche_step(r->box, &event);
    if (event.kind == CLOCHE_OUTPUT) cloche__buffer_text(&r->out, event.bytes);
    if (event.kind == CLOCHE_WAIT && event.deadline > cloche__monotonic() && !is_due(r))
      differ(r, "the program", cloche__text("going on"), cloche__text("waiting"));
  }
  if (status == CLOCHE_OK && !r->stopped && r->difference[0] == '\0' && r->at < r->count)
    differ(r, "the end", cloche__text("later"), cloche__text("here"));
  return status;
}

/* ---- going on, in another version ---- */

static bool prepare_portable(replay *r) {
  r->used = calloc(r->count, sizeof *r->used);
  for (size_t i = 0; r->used != NULL && i < r->count; i++) {
    const cloche__json *record = &r->records[i];
    bool known = false;
    for (size_t k = 0; k < r->call_count && is_kind(record, "decision"); k++)
      known |= has_same(r->calls[k].decision, record, "call");
    if (is_kind(record, "decision") && !known && !add_recorded(r, (recorded){.decision = record}))
      return false;
  }
  return r->used != NULL;
}

/* The number that a call of the ledger has now, if it waits for this record; 0 if not. */
static uint64_t waiting_for(const replay *r, const cloche__json *record) {
  bool asks = is_kind(record, "approval");
  for (size_t i = 0; i < r->call_count; i++) {
    const recorded *one = &r->calls[i];
    if (one->call == 0 || one->decision == NULL || !has_same(one->decision, record, "call"))
      continue;
    for (size_t k = 0; k < r->box->call_count; k++)
      if (r->box->calls[k].id == one->call && r->box->calls[k].asked == asks) return one->call;
  }
  return 0;
}

/* What the clock showed when the program got the answer of this record: it is told at the start of
 * a turn, and written down then, after all answers that the turn brought. */
static int64_t told_at(const replay *r, size_t answer) {
  size_t next = answer + 1;
  while (next < r->count &&
         (is_kind(&r->records[next], "settle") || is_kind(&r->records[next], "approval")))
    next++;
  bool moved = next < r->count && is_kind(&r->records[next], "clock");
  return time_of(&r->records[moved ? next : answer], "virtual");
}

/* The next answer of the ledger that something waits for; first the clock goes to where it was
 * given, so that timers of before come before it. False: there is none. */
static bool answer_next(replay *r) {
  for (size_t i = 0; i < r->count; i++) {
    const cloche__json *record = &r->records[i];
    bool is_answer = is_kind(record, "settle") || is_kind(record, "approval");
    uint64_t call = is_answer && !r->used[i] ? waiting_for(r, record) : 0;
    if (call == 0) continue;
    int64_t then = time_of(record, "virtual");
    if (then >= r->box->next_timer) {
      cloche__sandbox_set_clock(r->box, r->box->next_timer);
      return true;
    }
    cloche__sandbox_set_clock(r->box, told_at(r, i));
    r->used[i] = true;
    put_in(r, record, call);
    return true;
  }
  return false;
}

/* Nobody knows what the tool would have said. */
static void answer_unknown(replay *r) {
  static const cloche_failure none = {{"the ledger has no answer to this call", 37}, {"replay", 6}};
  const cloche__pending *call = &r->box->calls[0];
  cloche__buffer what = {0};
  recorded *one = made(r, call->id);
  if (one != NULL && one->decision != NULL) {
    cloche__buffer_text(&what, call->method);
    differ(r, "an answer", cloche__text("none in the ledger"), cloche__buffer_view(&what));
  }
  cloche__buffer_free(&what);
  if (call->asked)
    cloche_deny(r->box, call->id, none.message);
  else
    cloche_reject(r->box, call->id, &none);
}

static void tell_not_made(replay *r) {
  cloche__buffer room = {0};
  for (size_t i = 0; i < r->call_count; i++)
    if (r->calls[i].call == 0)
      differ(r, "a call", describe(&room, r->calls[i].decision), cloche__text("not made"));
  cloche__buffer_free(&room);
}

static cloche_status run_portable(replay *r) {
  cloche_status status = prepare_portable(r) ? begin(r) : CLOCHE_E_MEMORY;
  cloche_event event = {0};
  while (status == CLOCHE_OK && event.kind != CLOCHE_DONE) {
    set_marks(r);
    r->box->replay.until = UINT64_MAX;
    status = cloche_step(r->box, &event);
    if (status != CLOCHE_OK) break;
    if (event.kind == CLOCHE_OUTPUT) cloche__buffer_text(&r->out, event.bytes);
    if (event.kind != CLOCHE_WAIT || event.deadline <= cloche__monotonic()) continue;
    if (answer_next(r)) continue;
    if (r->box->next_timer < INT64_MAX)
      cloche__sandbox_set_clock(r->box, r->box->next_timer);
    else if (r->box->call_count > 0)
      answer_unknown(r);
  }
  if (status == CLOCHE_OK) tell_not_made(r);
  return status;
}

/* ---- telling ---- */

static int tell_json(replay *r, const char *state) {
  cloche__buffer out = {0};
  bool same = r->difference_count == 0;
  cloche__buffer_format(&out, "{\"same\":%s,\"portable\":%s,\"records\":%zu,\"fuel\":%" PRIu64,
                        same ? "true" : "false", r->settings->portable ? "true" : "false", r->at,
                        cloche_sandbox_usage(r->box).fuel);
  cloche__json_write_key("state", &out);
  cloche__json_write_string(cloche__text(state), &out);
  cloche__json_write_key("stopped", &out);
  cloche__buffer_string(&out, r->stopped  ? "\"until\""
                              : r->killed ? "\"time\""
                              : r->cut    ? "\"cut\""
                                          : "null");
  cloche__json_write_key("differences", &out);
  cloche__buffer_byte(&out, '[');
  cloche__buffer_text(&out, cloche__buffer_view(&r->differences));
  cloche__buffer_byte(&out, ']');
  cloche__json_write_key("output", &out);
  cloche__json_write_string(cloche__buffer_view(&r->out), &out);
  cloche__buffer_string(&out, "}\n");
  if (!out.failed) cloche__write_all(1, cloche__buffer_view(&out));
  cloche__buffer_free(&out);
  return same ? CLOCHE__EXIT_DONE : CLOCHE__EXIT_FAILED;
}

static int save(replay *r) {
  char *bytes = NULL;
  size_t len = 0;
  cloche_event event;
  cloche_status status = CLOCHE_E_STATE;
  bool ended = false;
  while (!ended && (status = cloche_snapshot(r->box, NULL, &bytes, &len)) == CLOCHE_E_STATE)
    ended = cloche_step(r->box, &event) != CLOCHE_OK || event.kind == CLOCHE_DONE;
  bool saved = status == CLOCHE_OK &&
               cloche__snapshot_write(r->settings->snapshot, (cloche_text){bytes, len});
  free(bytes);
  if (status != CLOCHE_OK)
    cloche__complain("the program cannot be saved there: %s",
                     ended ? "it ended without waiting again" : cloche_sandbox_message(r->box));
  return saved ? CLOCHE__EXIT_DONE : CLOCHE__EXIT_FAILED;
}

static int tell(replay *r) {
  uint8_t hash[32];
  char state[65] = "";
  bool json = r->settings->json, other_image = strstr(r->difference, "(open), image") != NULL;
  bool other = other_image || r->settings->rest_count > 1 || r->settings->config != NULL;
  if (!json) cloche__write_all(1, cloche__buffer_view(&r->out));
  if (r->difference[0] != '\0' && !json) {
    cloche__complain("it goes otherwise: %s%s", r->difference,
                     other ? "; --portable compares what it does" : "");
    return CLOCHE__EXIT_FAILED;
  }
  if (!cloche__machine_is_halfway(&r->box->machine)) {
    cloche__machine_hash(&r->box->machine, hash);
    sodium_bin2hex(state, sizeof state, hash, sizeof hash);
  }
  if (json) {
    int told = tell_json(r, state);
    return told == CLOCHE__EXIT_DONE && r->stopped && r->settings->snapshot != NULL ? save(r)
                                                                                    : told;
  }
  if (r->settings->portable) {
    if (r->difference_count == 0)
      cloche__complain(r->call_count == 1
                           ? "the same: %zu call, its arguments and decision, and the output"
                           : "the same: %zu calls, their arguments and decisions, and the output",
                       r->call_count);
    return r->difference_count == 0 ? CLOCHE__EXIT_DONE : CLOCHE__EXIT_FAILED;
  }
  cloche__complain("the same: %zu records, fuel %" PRIu64 ", state %.16s%s", r->at,
                   cloche_sandbox_usage(r->box).fuel, state,
                   r->stopped  ? ", up to the call that was asked for"
                   : r->killed ? ", up to where it was stopped by time"
                   : r->cut    ? ", up to where the ledger breaks off"
                               : "");
  return r->stopped && r->settings->snapshot != NULL ? save(r) : CLOCHE__EXIT_DONE;
}

static void release(replay *r) {
  cloche_sandbox_free(r->box);
  cloche__plan_free(&r->plan);
  cloche_engine_free(r->engine);
  cloche_ledger_free(r->ledger);
  cloche_policy_free(r->policy);
  cloche__config_free(&r->config);
  cloche__arena_free(&r->arena);
  cloche__buffer_free(&r->program);
  cloche__buffer_free(&r->input);
  cloche__buffer_free(&r->out);
  free(r->records);
  free(r->calls);
  free(r->used);
  cloche__buffer_free(&r->differences);
}

/* --until a call that was never decided would not stop. */
static bool has_until(const replay *r) {
  uint64_t until = r->settings->until;
  for (size_t i = 0; i < r->count; i++)
    if (is_kind(&r->records[i], "decision") && number_of(&r->records[i], "call") == until)
      return true;
  if (until != 0)
    cloche__complain("--until %" PRIu64 ": the recorded run decided no such call", until);
  return until == 0;
}

static int replay_main(const cloche__command *command, int argc, char **argv) {
  cloche__settings settings;
  int status;
  if (!cloche__options_read(command, CLOCHE__FOR_REPLAY, argc, argv, &settings, &status))
    return status;
  if (settings.rest_count < 1 || settings.rest_count > 2) {
    cloche__complain("cloche replay LEDGER [PROGRAM] is wanted; see cloche replay --help");
    return CLOCHE__EXIT_USAGE;
  }
  if (settings.portable && settings.until != 0) {
    cloche__complain("--until wants the very run of then; a portable one may be another");
    return CLOCHE__EXIT_USAGE;
  }
  replay r = {.settings = &settings};
  status = CLOCHE__EXIT_USAGE;
  if (read_ledger(&r, settings.rest[0]) && has_until(&r) &&
      (settings.config == NULL || cloche__config_load(settings.config, &r.config)) &&
      (settings.rest_count == 1 ||
       cloche__file_read(settings.rest[1], "the program", 64 << 20, &r.program))) {
    cloche_status made = make(&r);
    if (made == CLOCHE_OK) made = settings.portable ? run_portable(&r) : run(&r);
    status = CLOCHE__EXIT_INTERNAL;
    if (made == CLOCHE_OK)
      status = tell(&r);
    else
      cloche__complain("the run cannot be made again: %s", cloche_status_text(made));
  }
  release(&r);
  return status;
}

const cloche__command cloche__replay_command = {
    .name = "replay",
    .arguments =
        "LEDGER [PROGRAM] [--config FILE] [--portable] [--json] [--until CALL [--snapshot FILE]]",
    .summary = "Runs a recorded program again, without tools, and says if it does the same.",
    .main = replay_main,
};
