// SPDX-License-Identifier: MIT
/* check.c -- cloche check: what would be decided about one call, and why; or what is doubtful about
 * a policy. Nothing runs, and no budget is charged. The words are the gate's. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/accounts.h"
#include "cli/config.h"
#include "cli/files.h"
#include "cli/names.h"
#include "cli/options.h"

enum { CALL_MAX = 64 << 20 };

/* The call as it was given: its text, read. */
typedef struct {
  cloche__buffer text, params;
  cloche__json_doc doc;
  cloche_text method;
} question;

static void release(question *asked) {
  cloche__buffer_free(&asked->text);
  cloche__buffer_free(&asked->params);
  cloche__json_free(&asked->doc);
}

static bool take_members(question *asked) {
  const cloche__json *root = &asked->doc.root;
  const cloche__json *method = cloche__json_get(root, "method");
  const cloche__json *params = cloche__json_get(root, "params");
  size_t known = (method != NULL) + (params != NULL);
  if (method == NULL || method->kind != CLOCHE__JSON_STRING || root->count != known) {
    cloche__complain("--call wants {\"method\": \"a/b\", \"params\": {...}} and nothing else");
    return false;
  }
  asked->method = cloche__json_text(method);
  if (params != NULL)
    cloche__json_write(params, &asked->params);
  else
    cloche__buffer_string(&asked->params, "{}");
  return !asked->params.failed;
}

static bool read_question(const char *given, question *asked) {
  if (strcmp(given, "-") == 0) {
    if (!cloche__file_read("-", "the call", CALL_MAX, &asked->text)) return false;
  } else {
    cloche__buffer_string(&asked->text, given);
  }
  cloche__json_error error;
  if (cloche__json_parse(cloche__buffer_view(&asked->text), NULL, &asked->doc, &error) !=
      CLOCHE_OK) {
    cloche__complain("--call:%zu:%zu: %s", error.line, error.column, error.message);
    return false;
  }
  return take_members(asked);
}

/* ---- the answers ---- */

static int64_t wall_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Prints and frees `text`; `done` is the exit status if that worked. */
static int print(char *text, size_t len, int done) {
  cloche_text line_end = cloche__text(len > 0 && text[len - 1] == '\n' ? "" : "\n");
  bool printed = len == 0 || (cloche__write_all(STDOUT_FILENO, (cloche_text){text, len}) &&
                              cloche__write_all(STDOUT_FILENO, line_end));
  free(text);
  return printed ? done : CLOCHE__EXIT_INTERNAL;
}

static int complain_status(cloche_status status) {
  cloche__complain("%s", cloche_status_text(status));
  return CLOCHE__EXIT_INTERNAL;
}

static int decide(const cloche__config *config, cloche_account *account, const question *asked,
                  bool json) {
  static const int statuses[] = {[CLOCHE_DENY] = CLOCHE__EXIT_FAILED,
                                 [CLOCHE_ALLOW] = CLOCHE__EXIT_DONE,
                                 [CLOCHE_ASK] = CLOCHE__EXIT_ASK};
  cloche_question what = {
      .method = asked->method, .params = cloche__buffer_view(&asked->params), .now = wall_time()};
  cloche_gate *gate;
  cloche_status status = cloche_gate_new(config->policy, account, &gate);
  if (status != CLOCHE_OK) return complain_status(status);
  cloche_decision decision;
  char *text = NULL;
  size_t len = 0;
  status = cloche_gate_report(gate, &what, json, &decision, &text, &len);
  int exit_status =
      status == CLOCHE_OK ? print(text, len, statuses[decision.effect]) : complain_status(status);
  cloche_gate_free(gate);
  return exit_status;
}

/* Doubts are no errors: the policy means something, if perhaps not what was meant. */
static int lint(const cloche__config *config, bool json) {
  char *text = NULL;
  size_t len = 0, count = 0;
  cloche_status status = cloche_policy_lint(config->policy, wall_time(), json, &text, &len, &count);
  if (status != CLOCHE_OK) return complain_status(status);
  cloche__buffer all = {0};
  cloche__buffer_text(&all, (cloche_text){text, json ? len - 1 : len}); /* without the bracket */
  free(text);
  count += cloche__names_doubt(config, json, count, &all);
  if (json) cloche__buffer_byte(&all, ']');
  if (all.failed) {
    cloche__buffer_free(&all);
    return complain_status(CLOCHE_E_MEMORY);
  }
  return print(all.at, all.len, count == 0 ? CLOCHE__EXIT_DONE : CLOCHE__EXIT_FAILED);
}

static int answer(const cloche__settings *settings, const cloche__config *config) {
  if (settings->lint) return lint(config, settings->json);
  question asked = {0};
  cloche_account *account = NULL;
  int status = CLOCHE__EXIT_USAGE;
  if (read_question(settings->call, &asked) &&
      cloche__accounts_open(settings->accounts, &account)) {
    status = decide(config, account, &asked, settings->json);
    cloche_account_free(account);
  }
  release(&asked);
  return status;
}

static int check_main(const cloche__command *command, int argc, char **argv) {
  cloche__settings settings;
  int status;
  if (!cloche__options_read(command, CLOCHE__FOR_CHECK, argc, argv, &settings, &status))
    return status;
  if (settings.config == NULL || (settings.call == NULL && !settings.lint)) {
    cloche__complain("%s is missing; see cloche check --help",
                     settings.config == NULL ? "--config FILE" : "--call JSON");
    return CLOCHE__EXIT_USAGE;
  }
  if (settings.call != NULL && settings.lint) {
    cloche__complain("--call asks about a call, --lint about the whole policy; one at a time");
    return CLOCHE__EXIT_USAGE;
  }
  cloche__config config;
  if (!cloche__config_load(settings.config, &config)) return CLOCHE__EXIT_USAGE;
  status = answer(&settings, &config);
  cloche__config_free(&config);
  return status;
}

const cloche__command cloche__check_command = {
    .name = "check",
    .arguments = "--config FILE (--call JSON|- | --lint) [--json]",
    .summary = "Decides one call without running anything and says why, or doubts a policy.",
    .main = check_main,
};
