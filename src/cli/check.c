// SPDX-License-Identifier: MIT
/* check.c -- cloche check: what would be decided about one call, and why. Nothing runs, and no
 * budget is charged. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/config.h"
#include "cli/files.h"
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

/* ---- the answer ---- */

static void print_field(const char *name, cloche_text value) {
  if (value.len > 0) printf("  %-9s %.*s\n", name, (int)value.len, value.at);
}

static int print_decision(const cloche_decision *decision) {
  static const struct {
    const char *word;
    int status;
  } effects[] = {[CLOCHE_DENY] = {"deny", CLOCHE__EXIT_FAILED},
                 [CLOCHE_ALLOW] = {"allow", CLOCHE__EXIT_DONE},
                 [CLOCHE_ASK] = {"ask", CLOCHE__EXIT_ASK}};
  printf("%s: %s\n", effects[decision->effect].word, decision->message);
  print_field("method", decision->method);
  print_field("because", cloche__text(cloche_code_text(decision->code)));
  print_field("rule", decision->rule);
  print_field("reason", decision->reason);
  print_field("parameter", cloche__text(decision->param));
  print_field("expected", cloche__text(decision->expected));
  print_field("got", cloche__text(decision->got));
  if (decision->effect != CLOCHE_DENY) print_field("the call", decision->params);
  return effects[decision->effect].status;
}

static int decide(const cloche__config *config, const question *asked) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  cloche_question what = {.method = asked->method,
                          .params = cloche__buffer_view(&asked->params),
                          .now = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec};
  cloche_gate *gate = NULL;
  cloche_decision decision;
  cloche_status status = cloche_gate_new(config->policy, NULL, &gate);
  if (status == CLOCHE_OK) status = cloche_gate_check(gate, &what, &decision);
  int exit_status = CLOCHE__EXIT_INTERNAL;
  if (status == CLOCHE_OK || status == CLOCHE_E_JSON)
    exit_status = print_decision(&decision);
  else
    cloche__complain("%s", cloche_status_text(status));
  cloche_gate_free(gate);
  return exit_status;
}

static int check_main(const cloche__command *command, int argc, char **argv) {
  cloche__settings settings;
  int status;
  if (!cloche__options_read(command, CLOCHE__FOR_CHECK, argc, argv, &settings, &status))
    return status;
  if (settings.config == NULL || settings.call == NULL) {
    cloche__complain("%s is missing; see cloche check --help",
                     settings.config == NULL ? "--config FILE" : "--call JSON");
    return CLOCHE__EXIT_USAGE;
  }
  cloche__config config;
  question asked = {0};
  if (!cloche__config_load(settings.config, &config)) return CLOCHE__EXIT_USAGE;
  status = read_question(settings.call, &asked) ? decide(&config, &asked) : CLOCHE__EXIT_USAGE;
  release(&asked);
  cloche__config_free(&config);
  return status;
}

const cloche__command cloche__check_command = {
    .name = "check",
    .arguments = "--config FILE --call JSON | -",
    .summary = "Decides one call without running anything, and says why.",
    .main = check_main,
};
