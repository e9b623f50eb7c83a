// SPDX-License-Identifier: MIT
/* plan.c -- makes a plan of a run's calls, and holds a run to one.
 *
 *   {"cloche_plan": 1, "id": "4f2a9c01d3e8", "language": "javascript", "program": HASH,
 *    "seed": HEX, "time": "2026-...Z", "reads": 3,
 *    "effects": [{"call": 2, "method", "params", "decision": "allow" or "ask", "rule", "reason"}],
 *    "denied": [{"call": 5, "method", "params", "code", "message"}]}
 *
 * `params` are the final ones, with what rules have set: what was approved is what a tool gets.
 * Their order is not held to: calls that a program makes side by side come in the order of their
 * tools' answers, and a program that has come to do less is within the plan. */
#include "cli/plan.h"

#include <pwd.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/compare.h"
#include "cli/files.h"
#include "gate/time.h"

enum { FORMAT = 1, PLAN_MAX = 256 << 20, ID_BYTES = 6 };

static cloche_text text_of(const cloche__json *object, const char *key) {
  const cloche__json *value = cloche__json_get(object, key);
  return value != NULL && value->kind == CLOCHE__JSON_STRING ? cloche__json_text(value)
                                                             : (cloche_text){"", 0};
}

/* ---- the referee ---- */

/* A call that is made even when a plan is only being made, and needs no place in one. */
static bool only_reads(const cloche__plan *plan, const cloche_decision *decision) {
  if (decision->effect != CLOCHE_ALLOW) return false;
  for (size_t i = 0; plan->comparing && i < plan->readers->count; i++)
    if (cloche__text_equal(cloche__json_text(&plan->readers->items[i]), decision->method))
      return true;
  const cloche__cli_tool *tool =
      plan->comparing ? NULL : cloche__config_tool(plan->config, decision->method);
  return tool != NULL && tool->read_only;
}

/* In a replay the plan comes from a ledger. */
static bool is_planned(const cloche__plan *plan, const cloche__planned *entry,
                       const cloche_decision *decision, const cloche__json *params) {
  if (!cloche__text_equal(entry->method, decision->method)) return false;
  return plan->comparing ? cloche__fits_record(entry->params, params)
                         : cloche__json_equal(entry->params, params);
}

static const char *take(cloche__plan *plan, uint32_t call, const cloche_decision *decision,
                        const cloche__json *params) {
  bool tool = false, used = false;
  for (size_t i = 0; i < plan->count; i++) {
    cloche__planned *entry = &plan->entries[i];
    tool |= cloche__text_equal(entry->method, decision->method);
    if (!is_planned(plan, entry, decision, params)) continue;
    used |= entry->call != 0;
    if (entry->call != 0) continue;
    entry->call = call;
    return NULL;
  }
  return used   ? "has this call, but it was made as often as it is there"
         : tool ? "has calls of this tool, but none with these arguments"
                : "does not have this call";
}

static void tell_refused(const cloche__plan *plan, const cloche_decision *decision,
                         const char *why) {
  if (plan->path == NULL) return;
  cloche__complain("refused, as %s %s: %.*s %.*s", plan->path, why, (int)decision->method.len,
                   decision->method.at, (int)decision->params.len, decision->params.at);
}

static bool admits(void *self, uint32_t call, const cloche_decision *decision, char why[256]) {
  cloche__plan *plan = self;
  cloche__json_doc doc = {0};
  bool reads = only_reads(plan, decision);
  if (plan->making) {
    cloche__plan_account_next(plan->account, !reads);
    return true;
  }
  if (reads) return true;
  const char *wrong = "cannot be looked at: there is no memory";
  if (cloche__json_parse(decision->params, NULL, &doc, NULL) == CLOCHE_OK)
    wrong = take(plan, call, decision, &doc.root);
  cloche__json_free(&doc);
  if (wrong == NULL) return true;
  snprintf(why, 256, "The plan %.*s %s.", (int)plan->id.len, plan->id.at, wrong);
  tell_refused(plan, decision, wrong);
  return false;
}

/* ---- the list ---- */

static void write_member(const char *key, cloche_text text, cloche__buffer *out) {
  if (text.len == 0) return;
  cloche__json_write_key(key, out);
  cloche__json_write_string(text, out);
}

/* `params` as JSON, or whatever the program sent in their place. */
static void begin_item(cloche__buffer *out, uint32_t call, cloche_text method, cloche_text params) {
  cloche__json_doc doc = {0};
  cloche__buffer_format(out, "%s{\"call\":%u,\"method\":", out->len > 0 ? "," : "", call);
  cloche__json_write_string(method, out);
  cloche__json_write_key("params", out);
  if (cloche__json_parse(params, NULL, &doc, NULL) == CLOCHE_OK)
    cloche__json_write(&doc.root, out);
  else
    cloche__buffer_string(out, "null");
  cloche__json_free(&doc);
}

static bool is_listed(const cloche__plan *plan, uint64_t call) {
  for (size_t i = plan->listed_count; i > 0; i--)
    if (plan->listed[i - 1] == call) return true;
  return false;
}

static void list(cloche__plan *plan, uint32_t call, const cloche_decision *decision) {
  uint32_t *grown = realloc(plan->listed, (plan->listed_count + 1) * sizeof *grown);
  if (grown == NULL) {
    plan->effects.failed = true;
    return;
  }
  plan->listed = grown;
  plan->listed[plan->listed_count++] = call;
  begin_item(&plan->effects, call, decision->method, decision->params);
  write_member("decision", cloche__text(decision->effect == CLOCHE_ASK ? "ask" : "allow"),
               &plan->effects);
  write_member("rule", decision->rule, &plan->effects);
  write_member("reason", decision->reason, &plan->effects);
  cloche__buffer_byte(&plan->effects, '}');
}

static void decided(void *self, uint32_t call, cloche_text sent, const cloche_decision *decision) {
  cloche__plan *plan = self;
  if (!plan->making || is_listed(plan, call)) return;
  if (decision->effect == CLOCHE_DENY) {
    plan->denied_count++;
    begin_item(&plan->denied, call, decision->method, sent);
    write_member("code", cloche__text(cloche_code_text(decision->code)), &plan->denied);
    write_member("message", cloche__text(decision->message), &plan->denied);
    cloche__buffer_byte(&plan->denied, '}');
  } else if (only_reads(plan, decision)) {
    plan->reads++;
  } else {
    list(plan, call, decision);
  }
}

/* ---- making ---- */

static bool draw(cloche__settings *settings) {
  if (!settings->seeded &&
      getrandom(settings->seed, sizeof settings->seed, 0) != (ssize_t)sizeof settings->seed)
    return false;
  settings->seeded = true;
  if (settings->start_time == 0) /* a whole second, so that a little more fuel is the same ms */
    settings->start_time = cloche__real_time() / 1000000000 * 1000000000;
  return true;
}

bool cloche__plan_make(cloche__plan *plan, cloche__settings *settings, const cloche__config *config,
                       cloche_account **account) {
  plan->making = true;
  plan->config = config;
  if (settings->mock != NULL && !cloche__mocks_load(settings->mock, config, &plan->mocks))
    return false;
  if (*account != NULL) plan->account = cloche__plan_account_new(*account);
  if ((*account != NULL && plan->account == NULL) || !draw(settings)) {
    cloche__complain("there is no memory for a plan");
    return false;
  }
  if (plan->account != NULL) *account = cloche__plan_account_use(plan->account);
  return true;
}

bool cloche__plan_answer(cloche__plan *plan, const cloche_event *event) {
  if (!plan->making || !is_listed(plan, event->call)) return false;
  const cloche__cli_tool *tool = cloche__config_tool(plan->config, event->method);
  cloche__buffer answer = {0};
  if (tool != NULL && cloche__mock_answer(&plan->mocks, tool, &answer) && !answer.failed) {
    cloche_resolve(plan->box, event->call, cloche__buffer_view(&answer));
  } else {
    if (plan->unanswered[0] == '\0')
      snprintf(plan->unanswered, sizeof plan->unanswered, "%.*s",
               (int)(event->method.len < 250 ? event->method.len : 250), event->method.at);
    cloche_cancel(plan->box);
  }
  cloche__buffer_free(&answer);
  return true;
}

static void hash_program(cloche_text program, char hex[65]) {
  uint8_t hash[32];
  crypto_generichash(hash, sizeof hash, (const uint8_t *)program.at, program.len, NULL, 0);
  sodium_bin2hex(hex, 65, hash, sizeof hash);
}

/* Names the plan by what is in it. */
static void write_id(const cloche__plan *plan, const char *program, cloche__buffer *out) {
  uint8_t hash[ID_BYTES < 16 ? 16 : ID_BYTES];
  char hex[2 * ID_BYTES + 1];
  crypto_generichash_state state;
  crypto_generichash_init(&state, NULL, 0, sizeof hash);
  crypto_generichash_update(&state, (const uint8_t *)program, strlen(program));
  crypto_generichash_update(&state, (const uint8_t *)plan->effects.at, plan->effects.len);
  crypto_generichash_final(&state, hash, sizeof hash);
  sodium_bin2hex(hex, sizeof hex, hash, ID_BYTES);
  cloche__json_write_string(cloche__text(hex), out);
}

static void write_plan(cloche__plan *plan, const cloche__settings *settings, cloche_text program,
                       cloche_language language) {
  cloche__buffer *out = &plan->text;
  char hash[65], seed[65];
  hash_program(program, hash);
  sodium_bin2hex(seed, sizeof seed, settings->seed, sizeof settings->seed);
  cloche__buffer_format(out, "{\"cloche_plan\":%d,\"id\":", FORMAT);
  write_id(plan, hash, out);
  cloche__buffer_format(out, ",\"language\":\"%s\",\"program\":\"%s\",\"seed\":\"%s\",\"time\":\"",
                        language == CLOCHE_SHELL ? "shell" : "javascript", hash, seed);
  cloche__time_write(settings->start_time, out);
  cloche__buffer_format(out, "\",\"reads\":%zu,\"effects\":[", plan->reads);
  cloche__buffer_text(out, cloche__buffer_view(&plan->effects));
  cloche__buffer_string(out, "],\"denied\":[");
  cloche__buffer_text(out, cloche__buffer_view(&plan->denied));
  cloche__buffer_string(out, "]}");
  out->failed |= plan->effects.failed || plan->denied.failed;
}

bool cloche__plan_write(cloche__plan *plan, const cloche__settings *settings, cloche_text program,
                        cloche_language language, const char *path) {
  write_plan(plan, settings, program, language);
  if (plan->text.failed ||
      cloche__json_parse(cloche__buffer_view(&plan->text), NULL, &plan->doc, NULL) != CLOCHE_OK) {
    cloche__complain("there is no memory for the plan");
    return false;
  }
  if (path == NULL) return true;
  cloche__buffer file = {0};
  cloche__buffer_text(&file, cloche__buffer_view(&plan->text));
  cloche__buffer_byte(&file, '\n');
  bool written = !file.failed && cloche__file_replace(path, "the plan", cloche__buffer_view(&file));
  cloche__buffer_free(&file);
  return written;
}

/* ---- for people ---- */

/* One call on a line, and why on the next. What the policy calls secret is not shown. */
static void print_item(const cloche__plan *plan, const cloche__json *item, const char *word,
                       const char *why, const uint8_t key[32]) {
  cloche__buffer line = {0};
  cloche_text reason = text_of(item, why);
  cloche__buffer_format(&line, "  %-5s  ", word);
  cloche__buffer_text(&line, text_of(item, "method"));
  cloche__buffer_byte(&line, ' ');
  cloche__ledger_write_params(cloche__json_get(item, "params"), text_of(item, "method"),
                              plan->config->policy, key, &line);
  cloche__buffer_byte(&line, '\n');
  if (reason.len > 0) cloche__buffer_format(&line, "         %.*s\n", (int)reason.len, reason.at);
  if (!line.failed) cloche__write_all(STDOUT_FILENO, cloche__buffer_view(&line));
  cloche__buffer_free(&line);
}

static void print_head(const cloche__plan *plan, size_t effects) {
  cloche_text id = text_of(&plan->doc.root, "id");
  char head[128];
  snprintf(head, sizeof head, "plan %.*s: %zu effect%s%s\n", (int)id.len, id.at, effects,
           effects == 1 ? "" : "s", effects == 0 ? "" : ", in this order");
  cloche__write_all(STDOUT_FILENO, cloche__text(head));
}

void cloche__plan_print(const cloche__plan *plan, const cloche__settings *settings) {
  const cloche__json *effects = cloche__json_get(&plan->doc.root, "effects");
  const cloche__json *denied = cloche__json_get(&plan->doc.root, "denied");
  uint8_t key[32];
  randombytes_buf(key, sizeof key);
  print_head(plan, effects->count);
  for (size_t i = 0; i < effects->count; i++) {
    bool asks = cloche__json_is(cloche__json_get(&effects->items[i], "decision"), "ask");
    print_item(plan, &effects->items[i], asks ? "ask" : "allow", "reason", key);
  }
  if (denied->count > 0)
    cloche__write_all(STDOUT_FILENO, cloche__text("refused, and no part of it:\n"));
  for (size_t i = 0; i < denied->count; i++)
    print_item(plan, &denied->items[i], "deny", "message", key);
  cloche__complain("nothing of it was done; %zu call%s of read-only tools %s made", plan->reads,
                   plan->reads == 1 ? "" : "s", plan->reads == 1 ? "was" : "were");
  if (settings->plan_to != NULL)
    cloche__complain("written to %s; to approve and do it, run the same program with --apply %s",
                     settings->plan_to, settings->plan_to);
  else
    cloche__complain("to do it later write it to a file (--plan=FILE), which --apply FILE takes");
}

/* ---- keeping ---- */

static bool read_effects(cloche__plan *plan, const cloche__json *effects) {
  if (effects == NULL || effects->kind != CLOCHE__JSON_ARRAY) return false;
  plan->entries = calloc(effects->count + 1, sizeof *plan->entries);
  if (plan->entries == NULL) return false;
  for (size_t i = 0; i < effects->count; i++) {
    cloche__planned *entry = &plan->entries[plan->count++];
    entry->method = text_of(&effects->items[i], "method");
    entry->params = cloche__json_get(&effects->items[i], "params");
    if (entry->method.len == 0 || entry->params == NULL ||
        entry->params->kind != CLOCHE__JSON_OBJECT)
      return false;
  }
  return true;
}

static bool read_seed_and_time(const cloche__plan *plan, cloche__settings *settings) {
  cloche_text seed = text_of(&plan->doc.root, "seed");
  cloche__time time;
  uint8_t bytes[32];
  size_t got;
  if (sodium_hex2bin(bytes, sizeof bytes, seed.at, seed.len, NULL, &got, NULL) != 0 ||
      got != sizeof bytes || !cloche__time_read(text_of(&plan->doc.root, "time"), &time))
    return false;
  if (!settings->seeded) memcpy(settings->seed, bytes, sizeof bytes);
  settings->seeded = true;
  if (settings->start_time == 0)
    settings->start_time = time.seconds * 1000000000 + time.nanoseconds;
  return true;
}

static bool read_plan(cloche__plan *plan, cloche__settings *settings, cloche_text text) {
  cloche__json_error error;
  uint64_t format;
  if (cloche__json_parse(text, NULL, &plan->doc, &error) != CLOCHE_OK) {
    cloche__complain("%s:%zu:%zu: %s", plan->path, error.line, error.column, error.message);
    return false;
  }
  const cloche__json *root = &plan->doc.root;
  plan->id = text_of(root, "id");
  if (!cloche__json_uint64(cloche__json_get(root, "cloche_plan"), &format)) {
    cloche__complain("%s: this is no plan; cloche run --plan=FILE writes one", plan->path);
    return false;
  }
  if (format != FORMAT) {
    cloche__complain("%s: a plan of format %llu; this cloche reads format %d", plan->path,
                     (unsigned long long)format, FORMAT);
    return false;
  }
  if (plan->id.len > 0 && plan->id.len <= 32 &&
      read_effects(plan, cloche__json_get(root, "effects")) && read_seed_and_time(plan, settings))
    return true;
  cloche__complain("%s: what the plan holds makes no sense", plan->path);
  return false;
}

bool cloche__plan_keep(cloche__plan *plan, cloche__settings *settings,
                       const cloche__config *config) {
  cloche__buffer text = {0};
  bool own = false;
  plan->keeping = true;
  plan->config = config;
  plan->path = settings->apply;
  if (!cloche__file_read_own(plan->path, "the plan", PLAN_MAX, &text, &own)) return false;
  bool read = read_plan(plan, settings, cloche__buffer_view(&text));
  cloche__buffer_free(&text);
  if (read && !own && !settings->trust) {
    cloche__complain("others could have written the plan %s, so it approves nothing (--trust)",
                     plan->path);
    return false;
  }
  return read;
}

bool cloche__plan_recall(cloche__plan *plan, const cloche__json *record) {
  const cloche__json *readers = cloche__json_get(record, "read_only");
  plan->keeping = plan->comparing = true;
  plan->readers = readers;
  plan->id = text_of(record, "id");
  if (readers == NULL || readers->kind != CLOCHE__JSON_ARRAY) return false;
  for (size_t i = 0; i < readers->count; i++)
    if (readers->items[i].kind != CLOCHE__JSON_STRING) return false;
  return read_effects(plan, cloche__json_get(record, "effects"));
}

bool cloche__plan_is_of(const cloche__plan *plan, cloche_text program, cloche_language language) {
  char hash[65];
  hash_program(program, hash);
  if (cloche__text_equal(text_of(&plan->doc.root, "program"), cloche__text(hash)) &&
      cloche__json_is(cloche__json_get(&plan->doc.root, "language"),
                      language == CLOCHE_SHELL ? "shell" : "javascript"))
    return true;
  cloche__complain("%s is the plan of another program", plan->path);
  return false;
}

void cloche__plan_tell_rest(const cloche__plan *plan) {
  for (size_t i = 0; i < plan->count; i++) {
    if (plan->entries[i].call != 0) continue;
    cloche__buffer params = {0};
    uint8_t key[32];
    randombytes_buf(key, sizeof key);
    cloche__ledger_write_params(plan->entries[i].params, plan->entries[i].method,
                                plan->config->policy, key, &params);
    cloche__complain("planned, and not done: %.*s %.*s", (int)plan->entries[i].method.len,
                     plan->entries[i].method.at, (int)params.len, params.at);
    cloche__buffer_free(&params);
  }
}

/* ---- both ---- */

/* What a replay needs to refuse the same calls. */
static void write_kept(const cloche__plan *plan, const cloche_sandbox *box, cloche__buffer *out) {
  uint8_t key[32];
  bool first = true;
  randombytes_buf(key, sizeof key);
  cloche__buffer_string(out, ",\"read_only\":[");
  for (size_t i = 0; i < plan->config->tool_count; i++) {
    if (!plan->config->tools[i].read_only) continue;
    if (!first) cloche__buffer_byte(out, ',');
    first = false;
    cloche__json_write_string(plan->config->tools[i].name, out);
  }
  cloche__buffer_string(out, "],\"effects\":[");
  for (size_t i = 0; i < plan->count; i++) {
    cloche__buffer_string(out, i == 0 ? "{" : ",{");
    cloche__json_write_key("method", out);
    cloche__json_write_string(plan->entries[i].method, out);
    cloche__json_write_key("params", out);
    cloche__ledger_write_params(plan->entries[i].params, plan->entries[i].method, box->policy, key,
                                out);
    cloche__buffer_byte(out, '}');
  }
  cloche__buffer_byte(out, ']');
}

static bool record(const cloche__plan *plan, const cloche_sandbox *box) {
  cloche__buffer members = {0};
  if (box->ledger == NULL) return true;
  cloche__buffer_string(&members, "\"plan\":");
  cloche__json_write_string(cloche__text(plan->making ? "made" : "kept to"), &members);
  write_member("id", plan->id, &members);
  if (plan->keeping) write_kept(plan, box, &members);
  cloche__moment moment = cloche__sandbox_moment(box);
  bool written =
      !members.failed && cloche__ledger_record(box->ledger, "plan", &moment,
                                               cloche__buffer_view(&members)) == CLOCHE_OK;
  cloche__buffer_free(&members);
  return written;
}

bool cloche__plan_watch(cloche__plan *plan, cloche_sandbox *box) {
  plan->box = box;
  plan->referee = (cloche__referee){.self = plan, .admits = admits, .decided = decided};
  box->referee = &plan->referee;
  box->clock_stands = true; /* what tools take now and what they took then differ */
  if (plan->comparing || record(plan, box)) return true;
  cloche__complain("the plan could not be recorded in the ledger");
  return false;
}

/* An approval of a plan that is being made is assumed: its call is not made either. */
void cloche__plan_approve(cloche__plan *plan, const cloche_event *event) {
  const struct passwd *user = plan->making ? NULL : getpwuid(getuid());
  char reason[64];
  snprintf(reason, sizeof reason, plan->making ? "assumed for a plan" : "the plan %.*s",
           (int)plan->id.len, plan->id.at);
  cloche_approval approval = {.by = cloche__text(user == NULL ? "" : user->pw_name),
                              .reason = cloche__text(reason)};
  cloche_approve(plan->box, event->call, &approval);
}

void cloche__plan_free(cloche__plan *plan) {
  cloche__mocks_free(&plan->mocks);
  cloche__plan_account_free(plan->account);
  cloche__buffer_free(&plan->effects);
  cloche__buffer_free(&plan->denied);
  cloche__buffer_free(&plan->text);
  cloche__json_free(&plan->doc);
  free(plan->listed);
  free(plan->entries);
}
