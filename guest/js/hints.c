// SPDX-License-Identifier: MIT
/* hints.c -- what to add to "x is not a function" and "x is not defined".
 *
 * A model that misspells a tool or reaches for what only Node or a browser has should read, in the
 * error itself, what to write instead. */
#include <stdio.h>

#include "../kernel/kernel.h"
#include "engine.h"
#include "parts.h"
#include "tools.h"

static const char *const absent[][2] = {
    {"fetch", "there is no network here; call a tool"},
    {"XMLHttpRequest", "there is no network here; call a tool"},
    {"WebSocket", "there is no network here; call a tool"},
    {"axios", "there is no network here; call a tool"},
    {"Intl", "use toLocaleString and localeCompare, which are there for the usual locales"},
    {"window", "this is no browser"},
    {"document", "this is no browser"},
    {"localStorage", "keep values in globalThis or in files"},
    {"alert", "use console.log"},
    {"print", "use console.log"},
    {"prompt", "there is nobody to ask while a program runs"},
    {"module", "use return to give a value"},
    {"exports", "use return to give a value"},
    {"__dirname", "the program stands in /workspace"},
    {"__filename", "the program stands in /workspace"},
    {"Deno", "Node's names are used here: fs, path, process"},
    {"Bun", "Node's names are used here: fs, path, process"},
    {"None", "JavaScript's word is null"},
    {"True", "JavaScript's word is true"},
    {"False", "JavaScript's word is false"},
};

/* "tools.a.b" and "a.b" name the same tool; an optional call's "?." is a ".". */
static void tool_name(const char *expression, char *to, size_t room) {
  if (strncmp(expression, "tools.", 6) == 0) expression += 6;
  size_t used = 0;
  for (; *expression && used + 1 < room; expression++)
    if (*expression != '?') to[used++] = *expression;
  to[used] = 0;
}

static void put_nearest(engine_mistake mistake, const char *expression, char *to, size_t room) {
  tool_table *table = tools_table(machine.realm);
  if (table == NULL || table->tool_count == 0) {
    if (table == NULL) JS_FreeValue(machine.realm, JS_GetException(machine.realm));
    return;
  }
  char name[128];
  tool_name(expression, name, sizeof name);
  const tool_entry *tool = tools_nearest(table, name);
  uint32_t node = tool != NULL ? tool->node : 0;
  if (tool == NULL && mistake == ENGINE_NOT_DEFINED) node = tools_nearest_segment(table, name);
  if (node == 0) return;
  buffer shown = {0};
  tools_put_expression(table, node, &shown);
  snprintf(to, room, "; did you mean %.100s?", buffer_string(&shown));
  buffer_free(&shown);
}

static void hint(engine_mistake mistake, const char *name, char *to, size_t room) {
  if (mistake == ENGINE_NOT_DEFINED)
    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++)
      if (strcmp(absent[i][0], name) == 0) {
        snprintf(to, room, ": %s", absent[i][1]);
        return;
      }
  put_nearest(mistake, name, to, room);
}

void hints_boot(void) {
  engine_set_hint(hint);
}
