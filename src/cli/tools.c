// SPDX-License-Identifier: MIT
/* tools.c -- cloche tools: what a configuration grants, as a table, as JSON or as TypeScript. That
 * is what a program sees: tools that no rule of the policy can allow are only counted. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/config.h"
#include "cli/files.h"
#include "cli/options.h"
#include "cli/types.h"

/* The first line of a description. */
static cloche_text first_line(const cloche__json *description) {
  if (description == NULL) return cloche__text("");
  cloche_text text = cloche__json_text(description);
  const char *newline = memchr(text.at, '\n', text.len);
  return newline == NULL ? text : (cloche_text){text.at, (size_t)(newline - text.at)};
}

static void write_table(const cloche__config *config, cloche__buffer *out) {
  size_t widest = 0;
  for (size_t i = 0; i < config->tool_count; i++)
    if (config->tools[i].shown != NULL && config->tools[i].name.len > widest)
      widest = config->tools[i].name.len;
  if (widest > 40) widest = 40;
  for (size_t i = 0; i < config->tool_count; i++) {
    const cloche__cli_tool *tool = &config->tools[i];
    if (tool->shown == NULL) continue;
    cloche_text line = first_line(cloche__json_get(tool->json, "description"));
    cloche__buffer_text(out, tool->name);
    for (size_t at = tool->name.len; line.len > 0 && at < widest + 2; at++)
      cloche__buffer_byte(out, ' ');
    cloche__buffer_text(out, line);
    cloche__buffer_byte(out, '\n');
  }
}

static void tell_of_hidden(const cloche__config *config) {
  size_t hidden = config->tool_count - config->shown.root.count;
  bool has_policy = cloche__json_get(&config->doc.root, "policy") != NULL;
  if (hidden > 0)
    cloche__complain("%zu tool%s not listed: %s allows %s", hidden, hidden == 1 ? " is" : "s are",
                     has_policy ? "no rule of the policy" : "there is no policy, and nothing else",
                     hidden == 1 ? "it" : "them");
}

static void write_json(const cloche__config *config, cloche__buffer *out) {
  cloche__json_write(&config->shown.root, out);
  cloche__buffer_byte(out, '\n');
}

static int tools_main(const cloche__command *command, int argc, char **argv) {
  cloche__settings settings;
  int status;
  if (!cloche__options_read(command, CLOCHE__FOR_TOOLS, argc, argv, &settings, &status))
    return status;
  if (settings.config == NULL) {
    cloche__complain("--config FILE is missing: which tools?");
    return CLOCHE__EXIT_USAGE;
  }
  cloche__config config;
  if (!cloche__config_load(settings.config, &config)) return CLOCHE__EXIT_USAGE;
  cloche__buffer out = {0};
  if (settings.types)
    cloche__types_write(&config, &out);
  else if (settings.json)
    write_json(&config, &out);
  else
    write_table(&config, &out);
  bool written = !out.failed && cloche__write_all(STDOUT_FILENO, cloche__buffer_view(&out));
  tell_of_hidden(&config);
  cloche__buffer_free(&out);
  cloche__config_free(&config);
  return written ? CLOCHE__EXIT_DONE : CLOCHE__EXIT_INTERNAL;
}

const cloche__command cloche__tools_command = {
    .name = "tools",
    .arguments = "--config FILE [--types | --json]",
    .summary = "Lists the tools of a configuration.",
    .main = tools_main,
};
