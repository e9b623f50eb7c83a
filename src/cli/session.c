// SPDX-License-Identifier: MIT
/* session.c -- steps the sandbox, hands its calls to the broker and its questions to a person, and
 * waits on one libuv loop while the program waits.
 *
 * One thread. While the program computes, cloche_step comes back every 20 ms, and the loop turns.
 */
#include "cli/session.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/accounts.h"
#include "cli/approvals.h"
#include "cli/broker.h"
#include "cli/clock.h"
#include "cli/config.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/jail.h"
#include "cli/limits_table.h"
#include "cli/output.h"
#include "cli/plan.h"
#include "cli/progress.h"
#include "cli/suspend.h"
#include "ledger/ledger.h"
#include "sandbox/sandbox.h"

/* A program is text that someone wrote; its input is data. Both have to fit the guest's memory. */
enum { PROGRAM_MAX = 64 << 20, STDIN_MAX = 1 << 30, PROGRESS_MS = 250 };

typedef struct {
  cloche__settings *settings; /* its own copy */
  cloche_language language;
  bool resumes; /* a program that was saved */
  cloche__config config;
  cloche__buffer program, input;
  cloche_limits limits;
  cloche_ledger *ledger;
  cloche_account *account, *charged; /* charged: by the gate; a plan has its own view of it */
  cloche__plan plan;
  cloche_engine *engine;
  cloche_sandbox *box;
  uv_loop_t loop;
  uv_timer_t alarm; /* ends a turn of the loop */
  cloche__broker broker;
  cloche__approvals approvals;
  cloche__output output;
  uint8_t key[32];
  cloche_snapshot_options sealing;
  cloche__buffer saved; /* the snapshot to go on from */
  bool saved_own;       /* nobody else could have written it */
  cloche__suspended suspended;
  bool not_saved; /* it was to be suspended, and could not be written */
  bool writable;  /* a mount is */
} session;

/* ---- what it needs ---- */

static bool read_inputs(session *s) {
  const cloche__settings *settings = s->settings;
  const char *from = settings->stdin_from;
  if (from != NULL && settings->file != NULL && strcmp(from, "-") == 0 &&
      strcmp(settings->file, "-") == 0) {
    cloche__complain("the program and its input cannot both be standard input");
    return false;
  }
  if (!cloche__snapshot_opening(settings, s->key, &s->sealing)) return false;
  if (settings->config != NULL && !cloche__config_load(settings->config, &s->config)) return false;
  if (s->resumes) return cloche__snapshot_read(settings->file, &s->saved, &s->saved_own);
  if (settings->code != NULL)
    cloche__buffer_string(&s->program, settings->code);
  else if (!cloche__file_read(settings->file, "the program", PROGRAM_MAX, &s->program))
    return false;
  return from == NULL || cloche__file_read(from, "the program's input", STDIN_MAX, &s->input);
}

/* The command line has the last word. */
static void set_limits(session *s) {
  s->limits = cloche_limits_default();
  cloche__limits_merge(&s->limits, &s->config.limits);
  cloche__limits_merge(&s->limits, &s->settings->limits);
}

/* Before anything runs: a ledger that cannot be written is found out here. */
static bool open_ledger(session *s) {
  const char *path = s->settings->ledger;
  if (path == NULL) return true;
  cloche_ledger_options options = {.sync = s->settings->ledger_sync};
  cloche_status status = cloche_ledger_file(path, &options, &s->ledger);
  if (status == CLOCHE_OK) return true;
  cloche__complain("the ledger %s cannot be written: %s", path,
                   status != CLOCHE_E_SYSTEM ? cloche_status_text(status)
                   : errno == EWOULDBLOCK    ? "another process is writing it"
                                             : strerror(errno));
  return false;
}

/* The limits that were saved hold, but for those that were given. */
static cloche_status restore(session *s) {
  cloche_restore_options options = {
      .opening = s->sealing,
      .trusted = s->saved_own || s->settings->trust,
      .policy = s->config.policy,
      .account = s->account,
      .ledger = s->ledger,
  };
  cloche__limits_merge(&options.limits, &s->config.limits);
  cloche__limits_merge(&options.limits, &s->settings->limits);
  if (!options.trusted && s->sealing.key == NULL)
    cloche__complain(
        "others could have written %s; what it says of the past is not believed "
        "(--key seals, --trust believes)",
        s->settings->file);
  return cloche_restore(s->engine, cloche__buffer_view(&s->saved), &options, &s->box);
}

static void tell_unaccounted(const session *s, const cloche__json *info) {
  const cloche__json *unaccounted = cloche__json_get(info, "unaccounted");
  if (s->account == NULL && unaccounted != NULL && unaccounted->boolean)
    cloche__complain(
        "budgets are counted in %s alone: resumed twice, they are spent twice "
        "(--accounts)",
        s->settings->file);
}

static bool answer(session *s) {
  char *text = NULL;
  size_t len = 0;
  cloche__json_doc doc = {0};
  cloche_status status =
      cloche_snapshot_info(cloche__buffer_view(&s->saved), &s->sealing, &text, &len);
  if (status == CLOCHE_OK) status = cloche__json_parse((cloche_text){text, len}, NULL, &doc, NULL);
  bool answered = status == CLOCHE_OK && cloche__answer(s->box, &doc.root, s->settings);
  if (answered) tell_unaccounted(s, &doc.root);
  if (cloche__json_is(cloche__json_get(&doc.root, "language"), "shell"))
    s->language = s->output.language = CLOCHE_SHELL;
  free(text);
  cloche__json_free(&doc);
  return answered;
}

/* 0, or how to exit. */
static int resume_sandbox(session *s) {
  cloche_status status = restore(s);
  if (status != CLOCHE_OK) {
    cloche__snapshot_complain(s->settings->file, status);
    return CLOCHE__EXIT_USAGE;
  }
  if (!s->settings->no_jail) cloche__jail_report(cloche_sandbox_walls(s->box));
  return answer(s) ? 0 : CLOCHE__EXIT_USAGE;
}

static bool make_sandbox(session *s) {
  cloche_sandbox_options options = {
      .tools = cloche__buffer_view(&s->config.definitions),
      .policy = s->config.policy,
      .account = s->charged,
      .ledger = s->ledger,
      .name = cloche__text(s->settings->plan ? "plan" : ""),
      .limits = s->limits,
      .seed = s->settings->seeded ? s->settings->seed : NULL,
      .start_time = s->settings->start_time,
      .real_time = s->settings->real_time,
  };
  cloche_status status = cloche_sandbox_new(s->engine, &options, &s->box);
  if (status == CLOCHE_OK) {
    if (!s->settings->no_jail) cloche__jail_report(cloche_sandbox_walls(s->box));
    return true;
  }
  const char *detail = cloche_sandbox_message(NULL);
  cloche__complain("the sandbox cannot be made: %s%s%s%s", cloche_status_text(status),
                   *detail == '\0' ? "" : ": ", detail,
                   s->settings->no_jail ? "" : "; without the jail (--no-jail) it may be");
  return false;
}

/* First of all, since a worker takes a while to start. */
static bool make_engine(session *s) {
  cloche_engine_options once = {.idle_slots = 1, .idle_workers = 1};
  if (s->settings->no_jail)
    cloche__jail_absent();
  else
    cloche__jail_choose(&once);
  cloche_status status = cloche_engine_new(&once, &s->engine);
  if (status != CLOCHE_OK) {
    cloche__complain("the engine cannot be made: %s", cloche_status_text(status));
    return false;
  }
  cloche__engine_last(s->engine);
  return true;
}

/* A plan is made or kept to. */
static bool is_planned(const session *s) {
  return s->settings->plan || s->settings->apply != NULL;
}

static bool prepare_plan(session *s) {
  s->charged = s->account;
  if (s->settings->plan) return cloche__plan_make(&s->plan, s->settings, &s->config, &s->charged);
  return s->settings->apply == NULL ||
         (cloche__plan_keep(&s->plan, s->settings, &s->config) &&
          cloche__plan_is_of(&s->plan, cloche__buffer_view(&s->program), s->language));
}

/* What the program is shown of the host, from the configuration and from the command line. */
static bool mount_one(session *s, const char *where, const cloche_mount *mount) {
  if (mount->writable && is_planned(s)) {
    cloche__complain(
        "%s: a plan is about calls, not about what is written to folders: %s has to "
        "be mounted read-only",
        where, mount->host);
    return false;
  }
  cloche_status status = cloche_sandbox_mount(s->box, mount);
  if (status == CLOCHE_OK) {
    s->writable |= mount->writable;
    return true;
  }
  cloche__complain("%s: %s cannot be mounted at %.*s: %s", where, mount->host,
                   (int)mount->guest.len, mount->guest.at,
                   status == CLOCHE_E_SYSTEM  ? strerror(errno)
                   : status == CLOCHE_E_LIMIT ? "that is one mount too many"
                                              : cloche_sandbox_message(s->box));
  return false;
}

static bool has_mounts(const session *s) {
  return s->config.mount_count + s->settings->mount_count > 0;
}

static bool mount_all(session *s) {
  char where[64];
  if (has_mounts(s) && s->settings->ask == CLOCHE__ASK_SUSPEND) {
    cloche__complain("a program with mounted folders cannot be saved: --ask terminal or deny");
    return false;
  }
  for (size_t i = 0; i < s->config.mount_count; i++) {
    const cloche__config_mount *m = &s->config.mounts[i];
    snprintf(where, sizeof where, "/mounts/%zu", m->index);
    cloche_mount mount = {.host = m->host, .guest = m->guest, .writable = m->writable};
    if (!mount_one(s, where, &mount)) return false;
  }
  for (size_t i = 0; i < s->settings->mount_count; i++) {
    const cloche__cli_mount *m = &s->settings->mounts[i];
    char *host = strndup(m->host.at, m->host.len);
    if (host == NULL) return false;
    cloche_mount mount = {.host = host, .guest = m->guest, .writable = m->writable};
    bool mounted = mount_one(s, "--mount", &mount);
    free(host);
    if (!mounted) return false;
  }
  return true;
}

static void make_loop(session *s) {
  uv_loop_init(&s->loop);
  uv_timer_init(&s->loop, &s->alarm);
  s->broker = (cloche__broker){.loop = &s->loop,
                               .box = s->box,
                               .config = &s->config,
                               .account = s->account,
                               .result_limit = s->limits.result};
  s->approvals = (cloche__approvals){.loop = &s->loop, .box = s->box, .how = s->settings->ask};
  if (has_mounts(s) && s->settings->ask == CLOCHE__ASK_ANYHOW)
    s->approvals.how = CLOCHE__ASK_TERMINAL; /* they cannot be saved */
  cloche__interrupt_catch(s->box, &s->loop);
}

/* ---- running ---- */

static void on_alarm(uv_timer_t *timer) {
  (void)timer;
}

static bool has_news(session *s) {
  bool news = s->broker.news || s->approvals.news || cloche__interrupted();
  s->broker.news = s->approvals.news = false;
  return news;
}

/* Turns the loop until there is an answer for the program or its deadline has come. */
static void wait_until(session *s, int64_t deadline) {
  uv_run(&s->loop, UV_RUN_NOWAIT);
  while (!has_news(s)) {
    cloche__progress_show(cloche_sandbox_usage(s->box).calls, s->broker.running);
    int64_t now = cloche__clock_ns();
    if (now >= deadline) return;
    int64_t ms = (deadline - now) / 1000000 + 1;
    uv_update_time(&s->loop);
    uv_timer_start(&s->alarm, on_alarm, (uint64_t)(ms < PROGRESS_MS ? ms : PROGRESS_MS), 0);
    uv_run(&s->loop, UV_RUN_ONCE);
  }
  uv_timer_stop(&s->alarm);
}

/* Nothing but a person can help, and none is here. */
static bool suspend(session *s, const cloche_event *event) {
  if (s->approvals.held == 0 || s->broker.running > 0 || s->approvals.first != NULL ||
      event->deadline <= cloche__clock_ns())
    return false;
  return cloche__suspend(s->box, s->settings, &s->sealing, &s->suspended, &s->not_saved) ||
         s->not_saved;
}

static void handle(session *s, const cloche_event *event) {
  switch (event->kind) {
    case CLOCHE_CALL:
      if (!cloche__plan_answer(&s->plan, event)) cloche__broker_call(&s->broker, event);
      break;
    case CLOCHE_APPROVAL:
      if (is_planned(s))
        cloche__plan_approve(&s->plan, event);
      else
        cloche__approvals_ask(&s->approvals, event);
      break;
    case CLOCHE_CALL_CANCELLED:
      cloche__broker_cancel(&s->broker, event->call);
      break;
    case CLOCHE_WAIT:
      if (!suspend(s, event)) wait_until(s, event->deadline);
      break;
    case CLOCHE_OUTPUT: /* a plan has standard output to itself */
      cloche__output_bytes(&s->output, s->settings->plan && !s->output.json ? 2 : event->stream,
                           event->bytes);
      if (s->output.broken) cloche_cancel(s->box);
      break;
    case CLOCHE_DONE:
      break;
  }
}

/* One program; with --session the words behind it are programs too. */
static cloche_status begin(session *s) {
  const cloche__settings *settings = s->settings;
  cloche_text *words = calloc((size_t)settings->rest_count + 1, sizeof *words);
  if (words == NULL) return CLOCHE_E_MEMORY;
  size_t count = 0;
  if (settings->code == NULL) words[count++] = cloche__text(settings->file);
  for (int i = 0; i < settings->rest_count && !settings->session; i++)
    words[count++] = cloche__text(settings->rest[i]);
  cloche_program program = {.language = s->language,
                            .text = cloche__buffer_view(&s->program),
                            .stdin_bytes = cloche__buffer_view(&s->input),
                            .arguments = words,
                            .argument_count = count,
                            .session = settings->session};
  cloche_status status = cloche_exec(s->box, &program);
  free(words);
  return status;
}

static cloche_status step_to_end(session *s) {
  cloche_status status = CLOCHE_OK;
  cloche_event event = {0};
  while (status == CLOCHE_OK && event.kind != CLOCHE_DONE && s->suspended.path == NULL &&
         !s->not_saved) {
    status = cloche_step(s->box, &event);
    if (status == CLOCHE_OK) handle(s, &event);
  }
  return status;
}

/* The next program of a session, in the shell that the one before left. */
static cloche_status begin_next(session *s, const char *file) {
  cloche__buffer_free(&s->program); /* the reading below starts a new one */
  if (!cloche__file_read(file, "the program", PROGRAM_MAX, &s->program)) return CLOCHE_E_SYSTEM;
  cloche_text name = cloche__text(file);
  cloche_program program = {.language = s->language,
                            .text = cloche__buffer_view(&s->program),
                            .stdin_bytes = cloche__buffer_view(&s->input),
                            .arguments = &name,
                            .argument_count = 1,
                            .session = true};
  return cloche_exec(s->box, &program);
}

static bool has_ended_well(const session *s) {
  return s->suspended.path == NULL && !s->not_saved &&
         cloche_sandbox_result(s->box)->end == CLOCHE_END_DONE;
}

static cloche_status run(session *s) {
  const cloche__settings *settings = s->settings;
  cloche_status status = s->resumes ? CLOCHE_OK : begin(s);
  if (status == CLOCHE_OK) status = step_to_end(s);
  for (int i = 0; settings->session && i < settings->rest_count; i++) {
    if (status != CLOCHE_OK || !has_ended_well(s)) break;
    status = begin_next(s, settings->rest[i]);
    if (status == CLOCHE_OK) status = step_to_end(s);
  }
  return status;
}

/* ---- ending ---- */

static int exit_status(cloche_language language, const cloche_result *result) {
  switch (result->end) {
    case CLOCHE_END_DONE:
      return language == CLOCHE_SHELL ? result->status : CLOCHE__EXIT_DONE;
    case CLOCHE_END_SUSPENDED:
      return CLOCHE__EXIT_ASK;
    case CLOCHE_END_LIMIT_FUEL:
    case CLOCHE_END_LIMIT_TIME:
      return CLOCHE__EXIT_TIME;
    case CLOCHE_END_LIMIT_MEMORY:
      return CLOCHE__EXIT_MEMORY;
    case CLOCHE_END_INTERNAL:
      return CLOCHE__EXIT_INTERNAL;
    default:
      return CLOCHE__EXIT_FAILED;
  }
}

/* Whoever read our output has gone: end as any program in a pipeline does. */
static int end_broken(const session *s) {
  if (s->output.why == EPIPE) {
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
  }
  cloche__complain("standard output: %s", strerror(s->output.why));
  return CLOCHE__EXIT_INTERNAL;
}

/* The file holds the rest. */
static int report_suspended(session *s) {
  cloche_result result = {.end = CLOCHE_END_SUSPENDED, .usage = cloche_sandbox_usage(s->box)};
  s->output.pending = cloche__suspended_pending(&s->suspended);
  s->output.snapshot = s->suspended.path;
  cloche__suspended_tell(&s->suspended, s->settings);
  if (s->output.json && !s->output.broken) cloche__output_result(&s->output, &result, NULL, 0);
  return s->output.broken ? end_broken(s) : CLOCHE__EXIT_ASK;
}

/* The list instead of the program's value; of a program that did not end well there is none. */
static int report_plan(session *s) {
  const cloche_result *result = cloche_sandbox_result(s->box);
  bool made = result->end == CLOCHE_END_DONE;
  if (s->plan.unanswered[0] != '\0') {
    cloche__complain(
        "there is no answer of %s to plan with: add it to --mock FILE, or \"examples\" to the "
        "tool's output_schema; if the tool changes nothing, say \"read_only\": true",
        s->plan.unanswered);
    return CLOCHE__EXIT_USAGE;
  }
  if (made && !cloche__plan_write(&s->plan, s->settings, cloche__buffer_view(&s->program),
                                  s->language, s->settings->plan_to))
    return CLOCHE__EXIT_INTERNAL;
  s->output.plan = cloche__buffer_view(&s->plan.text);
  if (s->output.json || !made) cloche__output_result(&s->output, result, NULL, 0);
  if (!made) cloche__complain("there is no plan, as the program did not end well");
  if (made && !s->output.json) cloche__plan_print(&s->plan, s->settings);
  return s->output.broken ? end_broken(s) : exit_status(s->language, result);
}

static int report(session *s, cloche_status status) {
  cloche__progress_clear();
  if (s->not_saved) return CLOCHE__EXIT_INTERNAL;
  if (s->suspended.path != NULL) return report_suspended(s);
  const cloche_result *result = cloche_sandbox_result(s->box);
  if (status != CLOCHE_OK || result == NULL) {
    const char *detail = cloche_sandbox_message(s->box);
    cloche__complain("%s%s%s", cloche_status_text(status), *detail == '\0' ? "" : ": ", detail);
    return CLOCHE__EXIT_INTERNAL;
  }
  if (s->settings->plan) return report_plan(s);
  cloche__plan_tell_rest(&s->plan);
  const cloche_change *changes = NULL;
  size_t count = 0;
  bool asked = s->writable || s->settings->json || s->settings->diff || isatty(STDERR_FILENO);
  bool known = !asked || cloche_sandbox_changes(s->box, &changes, &count) == CLOCHE_OK;
  if (!known)
    cloche__complain("what changed in the files is not known: %s", cloche_sandbox_message(s->box));
  if (!s->output.broken) cloche__output_result(&s->output, result, changes, count);
  if (s->output.broken) return end_broken(s);
  int exits = exit_status(s->language, result);
  if (!known && s->writable && exits == CLOCHE__EXIT_DONE) exits = CLOCHE__EXIT_INTERNAL;
  for (size_t i = 0; i < count && exits == CLOCHE__EXIT_DONE; i++)
    if (changes[i].error != 0) exits = CLOCHE__EXIT_INTERNAL; /* done, but not on the host */
  return exits;
}

/* Whatever came of the run, nothing more follows from here. If this cannot be written, verify says
 * that lines may be missing. */
static void close_ledger(session *s) {
  if (s->box == NULL || s->ledger == NULL) return;
  cloche__moment moment = cloche__sandbox_moment(s->box);
  cloche__ledger_close(s->ledger, &moment, NULL);
}

static void release(session *s) {
  close_ledger(s);
  cloche_sandbox_free(s->box);
  cloche__plan_free(&s->plan);
  cloche_engine_free(s->engine);
  cloche_ledger_free(s->ledger);
  cloche_account_free(s->account);
  cloche__config_free(&s->config);
  cloche__buffer_free(&s->program);
  cloche__buffer_free(&s->input);
  cloche__output_free(&s->output);
  cloche__buffer_free(&s->saved);
  cloche__suspended_free(&s->suspended);
  explicit_bzero(s->key, sizeof s->key);
}

static void close_loop(session *s) {
  cloche__broker_stop(&s->broker);
  cloche__approvals_stop(&s->approvals);
  cloche__interrupt_release();
  uv_close((uv_handle_t *)&s->alarm, NULL);
  uv_run(&s->loop, UV_RUN_NOWAIT);
  uv_loop_close(&s->loop);
}

static const char *program_name(const cloche__settings *settings) {
  if (settings->code != NULL) return "program";
  return strcmp(settings->file, "-") == 0 ? "stdin" : settings->file;
}

static int run_session(session *s) {
  cloche__settings *settings = s->settings;
  signal(SIGPIPE,
         SIG_IGN); /* a tool that does not read, or a reader that left, is no reason to die */
  int status = CLOCHE__EXIT_INTERNAL;
  bool made = make_engine(s);
  if (made) status = CLOCHE__EXIT_USAGE;
  if (made && read_inputs(s) && open_ledger(s) &&
      cloche__accounts_open(settings->accounts, &s->account) && prepare_plan(s)) {
    set_limits(s);
    status = s->resumes ? resume_sandbox(s) : make_sandbox(s) ? 0 : CLOCHE__EXIT_INTERNAL;
    if (status == 0 && !s->resumes && !mount_all(s)) status = CLOCHE__EXIT_USAGE;
    if (status == 0 && is_planned(s) && !cloche__plan_watch(&s->plan, s->box))
      status = CLOCHE__EXIT_INTERNAL;
    if (status == 0) {
      make_loop(s);
      cloche__progress_start();
      cloche_status ran = run(s);
      close_loop(s);
      status = report(s, ran);
    }
  }
  release(s);
  return status;
}

int cloche__session(const cloche__settings *settings, cloche_language language) {
  cloche__settings own = *settings;
  session s = {.settings = &own,
               .language = language,
               .output = {.json = settings->json,
                          .diff = settings->diff,
                          .language = language,
                          .file = program_name(settings)}};
  return run_session(&s);
}

int cloche__session_resume(const cloche__settings *settings) {
  cloche__settings own = *settings;
  session s = {.settings = &own,
               .resumes = true,
               .output = {.json = settings->json, .diff = settings->diff, .file = "program"}};
  return run_session(&s);
}
