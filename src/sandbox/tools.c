// SPDX-License-Identifier: MIT
/* tools.c -- checks the list of tools. */
#define _GNU_SOURCE
#include "sandbox/tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/pattern.h"
#include "json/json.h"

static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Every name is one, and no two are the same in their canonical spelling. */
static cloche_status check_names(const cloche__json *tools, char *message, size_t size) {
  cloche_status status = CLOCHE_OK;
  cloche__name name;
  size_t count = 0;
  char **names = calloc(tools->count + 1, sizeof *names);
  if (names == NULL) return CLOCHE_E_MEMORY;
  for (; status == CLOCHE_OK && count < tools->count; count++) {
    cloche_text given = cloche__json_text(cloche__json_get(&tools->items[count], "name"));
    const char *wrong = cloche__name_read(given, false, &name);
    if (wrong != NULL) {
      snprintf(message, size, "tools[%zu]: %s", count, wrong);
      status = CLOCHE_E_ARGUMENT;
    } else if ((names[count] = strndup(name.text, name.len)) == NULL) {
      status = CLOCHE_E_MEMORY;
    }
  }
  if (status == CLOCHE_OK) qsort(names, count, sizeof *names, by_text);
  for (size_t i = 1; status == CLOCHE_OK && i < count; i++)
    if (strcmp(names[i - 1], names[i]) == 0) {
      snprintf(message, size, "tools: two are named \"%s\"", names[i]);
      status = CLOCHE_E_ARGUMENT;
    }
  for (size_t i = 0; i < count; i++) free(names[i]);
  free(names);
  return status;
}

cloche_status cloche__tools_check(cloche_text tools, char *message, size_t size) {
  if (tools.len == 0) return CLOCHE_OK;
  cloche__json_doc doc;
  cloche__json_error error;
  cloche_status status = cloche__json_parse(tools, NULL, &doc, &error);
  if (status != CLOCHE_OK) {
    snprintf(message, size, "tools: line %zu, column %zu: %s", error.line, error.column,
             error.message);
    return status == CLOCHE_E_MEMORY ? status : CLOCHE_E_JSON;
  }
  if (doc.root.kind != CLOCHE__JSON_ARRAY) {
    snprintf(message, size, "tools: an array is wanted, not %s",
             cloche__json_kind_name(doc.root.kind));
    status = CLOCHE_E_ARGUMENT;
  }
  for (size_t i = 0; status == CLOCHE_OK && i < doc.root.count; i++) {
    const cloche__json *name = cloche__json_get(&doc.root.items[i], "name");
    if (name == NULL || name->kind != CLOCHE__JSON_STRING || name->count == 0) {
      snprintf(message, size, "tools[%zu]: a tool needs a \"name\", a string", i);
      status = CLOCHE_E_ARGUMENT;
    }
  }
  if (status == CLOCHE_OK) status = check_names(&doc.root, message, size);
  cloche__json_free(&doc);
  return status;
}
