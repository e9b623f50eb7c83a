// SPDX-License-Identifier: MIT
/* environment.c -- what a tool's process finds in its environment: little, unless the configuration
 * says more. Secrets that cloche happens to hold are not every tool's to read. */
#include <stdlib.h>
#include <string.h>

#include "cli/config.h"

static const char *const handed_on[] = {"PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR"};

typedef struct {
  cloche__buffer bytes; /* "NAME=value" with a NUL each */
  size_t count;
} listing;

static bool holds(const listing *list, cloche_text name) {
  size_t at = 0;
  for (size_t i = 0; i < list->count; i++) {
    const char *entry = list->bytes.at + at;
    if (strncmp(entry, name.at, name.len) == 0 && entry[name.len] == '=') return true;
    at += strlen(entry) + 1;
  }
  return false;
}

/* The first of a name counts, so callers begin with what is most particular. */
static void add(listing *list, cloche_text name, cloche_text value) {
  if (list->bytes.failed || holds(list, name)) return;
  cloche__buffer_text(&list->bytes, name);
  cloche__buffer_byte(&list->bytes, '=');
  cloche__buffer_text(&list->bytes, value);
  cloche__buffer_byte(&list->bytes, '\0');
  list->count++;
}

static void add_own(listing *list, cloche_text name) {
  char *copy = strndup(name.at, name.len);
  const char *value = copy == NULL ? NULL : getenv(copy);
  if (value != NULL) add(list, name, cloche__text(value));
  free(copy);
}

static void add_configured(listing *list, const cloche__json *environment) {
  for (size_t i = 0; environment != NULL && i < environment->count; i++) {
    const cloche__json_member *member = &environment->members[i];
    if (member->value.kind == CLOCHE__JSON_STRING)
      add(list, member->key, cloche__json_text(&member->value));
    else
      add_own(list, member->key);
  }
}

char **cloche__config_environment(const cloche__config *config, const cloche__cli_tool *tool,
                                  cloche_text key) {
  listing list = {0};
  add(&list, cloche__text("CLOCHE_CALL_KEY"), key);
  add_configured(&list, cloche__json_get(tool->json, "env"));
  add_configured(&list, cloche__json_get(&config->doc.root, "env"));
  for (size_t i = 0; i < sizeof handed_on / sizeof *handed_on; i++)
    add_own(&list, cloche__text(handed_on[i]));
  size_t table = (list.count + 1) * sizeof(char *);
  char **block = list.bytes.failed ? NULL : malloc(table + list.bytes.len);
  if (block != NULL) {
    char *at = memcpy((char *)block + table, list.bytes.at, list.bytes.len);
    for (size_t i = 0; i < list.count; i++, at += strlen(at) + 1) block[i] = at;
    block[list.count] = NULL;
  }
  cloche__buffer_free(&list.bytes);
  return block;
}
