// SPDX-License-Identifier: MIT
/* ledger.c -- cloche ledger verify: has anything in a ledger been changed? */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "json/json.h"

static void print_json(const cloche_ledger_report *report, bool sound) {
  cloche__buffer text = {0};
  cloche__buffer_format(&text, "{\"ok\":%s,\"records\":%" PRIu64 ",\"closed\":%s",
                        sound ? "true" : "false", report->records,
                        report->closed ? "true" : "false");
  cloche__json_write_key("line", &text);
  if (sound)
    cloche__buffer_string(&text, "null");
  else
    cloche__buffer_format(&text, "%" PRIu64, report->line);
  cloche__json_write_key("message", &text);
  cloche__json_write_string(cloche__text(report->message), &text);
  cloche__buffer_string(&text, "}\n");
  if (!text.failed) fwrite(text.at, 1, text.len, stdout);
  cloche__buffer_free(&text);
}

static int verify(const char *path, bool json) {
  cloche_ledger_report report = {0};
  cloche_status status = cloche_ledger_verify(path, NULL, &report);
  if (status != CLOCHE_OK && status != CLOCHE_E_FORMAT) {
    cloche__complain("the ledger %s cannot be read: %s", path,
                     status == CLOCHE_E_SYSTEM ? strerror(errno) : cloche_status_text(status));
    return CLOCHE__EXIT_USAGE;
  }
  if (json)
    print_json(&report, status == CLOCHE_OK);
  else
    puts(report.message);
  return status == CLOCHE_OK ? CLOCHE__EXIT_DONE : CLOCHE__EXIT_FAILED;
}

static int ledger_main(const cloche__command *command, int argc, char **argv) {
  cloche__settings settings;
  int status;
  if (!cloche__options_read(command, CLOCHE__FOR_LEDGER, argc, argv, &settings, &status))
    return status;
  if (settings.rest_count == 2 && strcmp(settings.rest[0], "verify") == 0)
    return verify(settings.rest[1], settings.json);
  cloche__complain("cloche ledger verify FILE is what there is; see cloche ledger --help");
  return CLOCHE__EXIT_USAGE;
}

const cloche__command cloche__ledger_command = {
    .name = "ledger",
    .arguments = "verify FILE [--json]",
    .summary = "Says whether anything in a ledger was changed, removed or moved.",
    .main = ledger_main,
};
