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

/* "tools.a.b", "a['b']" and "a?.b" as the tool's name "a.b". False when an index is not written
 * out: what `to` holds is only its beginning then. */
static bool tool_name(const char *expression, char *to, size_t room) {
  size_t used = 0;
  if (strncmp(expression, "tools.", 6) == 0)
    expression += 6;
  else if (strncmp(expression, "tools[", 6) == 0)
    expression += 5;
  for (; *expression && used + 1 < room; expression++) {
    char quote = expression[0] == '[' ? expression[1] : 0;
    const char *close = quote == '"' || quote == '\'' ? strchr(expression + 2, quote) : NULL;
    if (*expression == '[' && (close == NULL || close[1] != ']')) break;
    if (*expression == '[' && used > 0) to[used++] = '.';
    for (const char *at = expression + 2; close != NULL && at < close && used + 1 < room; at++)
      to[used++] = *at;
    if (close != NULL)
      expression = close + 1;
    else if (*expression != '?')
      to[used++] = *expression;
  }
  to[used] = 0;
  return *expression == 0;
}

static bool starts_with_word(const char *text, const char *word) {
  size_t size = strlen(word);
  if (size == 0) return false;
  char next = strncmp(text, word, size) == 0 ? text[size] : 'a';
  return next == 0 || next == '.' || next == '[' || next == '?';
}

/* Does the expression begin where tools do, or with what was looked for among them? */
static bool is_about_tools(tool_table *table, const char *expression, const char *key) {
  if (starts_with_word(expression, "tools") || starts_with_word(expression, key)) return true;
  for (uint32_t at = table->nodes[0].first; at != 0; at = table->nodes[at].next)
    if (starts_with_word(expression, table->nodes[at].segment)) return true;
  return false;
}

/* The node that the expression was meant to be, 0 when none is near. */
static uint32_t nearest(tool_table *table, engine_mistake mistake, const char *expression,
                        const tools_missed *missed) {
  char name[128];
  bool is_whole = tool_name(expression, name, sizeof name);
  const tool_entry *tool = is_whole ? tools_nearest(table, name) : NULL;
  if (tool != NULL) return tool->node;
  if (mistake == ENGINE_NOT_DEFINED) return tools_nearest_segment(table, 0, name);
  if (missed == NULL) return 0;
  if (missed->parent == 0) tool = tools_nearest(table, missed->key);
  return tool != NULL ? tool->node : tools_nearest_segment(table, missed->parent, missed->key);
}

static void put_nearest(engine_mistake mistake, const char *expression, char *to, size_t room) {
  tool_table *table = tools_table(machine.realm);
  if (table == NULL || table->tool_count == 0) {
    if (table == NULL) JS_FreeValue(machine.realm, JS_GetException(machine.realm));
    return;
  }
  const tools_missed *missed = tools_last_missed();
  bool is_ours = is_about_tools(table, expression, missed->key);
  if (mistake == ENGINE_NO_PROPERTY && !is_ours) return;
  if (mistake == ENGINE_NOT_DEFINED || missed->key[0] == 0 || missed->parent >= table->node_count ||
      !is_ours)
    missed = NULL;
  uint32_t node = nearest(table, mistake, expression, missed);
  if (node != 0) {
    buffer shown = {0};
    tools_put_expression(table, node, &shown);
    snprintf(to, room, "; did you mean %.100s?", buffer_string(&shown));
    buffer_free(&shown);
  } else if (missed != NULL) {
    snprintf(to, room, "; there is no such tool, listTools() names those there are");
  }
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
