// SPDX-License-Identifier: MIT
/* tools.c -- checks the list of tools. */
#include "sandbox/tools.h"

#include <stdio.h>

#include "json/json.h"

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
  cloche__json_free(&doc);
  return status;
}
