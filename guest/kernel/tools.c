// SPDX-License-Identifier: MIT
/* tools.c -- the tools' definitions as the host gave them.
 *
 * There may be ten thousand. Most runs call a few or none, so the names are looked up in an index
 * that is made at the first need. */
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "document.h"

static char *definitions;
static size_t definitions_size;
static uint32_t generation = 1;

static char **names; /* sorted */
static size_t name_count;

const char *tool_definitions(size_t *size) {
  *size = definitions == NULL ? 2 : definitions_size;
  return definitions == NULL ? "[]" : definitions;
}

uint32_t tool_generation(void) {
  return generation;
}

static void drop_index(void) {
  for (size_t i = 0; i < name_count; i++) kernel_free(names[i]);
  kernel_free(names);
  names = NULL;
  name_count = 0;
}

bool tools_define(const char *json, size_t size) {
  char *copy = kernel_malloc(size + 1);
  if (copy == NULL) return false;
  memcpy(copy, json, size);
  copy[size] = 0;
  drop_index();
  kernel_free(definitions);
  definitions = copy;
  definitions_size = size;
  if (++generation == 0) generation = 1;
  return true;
}

/* ---- names ---- */

static size_t count_tools(void) {
  const char *at = definitions, *element;
  size_t size, count = 0;
  while (document_next(&at, definitions + definitions_size, &element, &size)) count++;
  return count;
}

static int compare(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A copy of the tool's name, or NULL. */
static char *read_name(const char *definition, size_t size) {
  document_arena *arena;
  const char *name = document_text(document_parse(definition, size, &arena), "name");
  size_t length = name == NULL ? 0 : strlen(name);
  char *copy = name == NULL ? NULL : kernel_malloc(length + 1);
  if (copy != NULL) memcpy(copy, name, length + 1);
  document_release(arena);
  return copy;
}

/* Without memory some are missing, and names are then taken as they are spelt. */
static void make_index(void) {
  if (names != NULL || definitions == NULL) return;
  names = kernel_malloc((count_tools() + 1) * sizeof *names);
  if (names == NULL) return;
  const char *at = definitions, *element;
  size_t size;
  while (document_next(&at, definitions + definitions_size, &element, &size)) {
    char *name = read_name(element, size);
    if (name != NULL) names[name_count++] = name;
  }
  qsort(names, name_count, sizeof *names, compare);
}

static bool exists(const char *name) {
  make_index();
  return name_count > 0 && bsearch(&name, names, name_count, sizeof *names, compare) != NULL;
}

size_t tools_canonical_name(const char *name, char *to, size_t size) {
  size_t length = strlen(name);
  if (length > size) length = size;
  memcpy(to, name, length);
  if (memchr(name, '.', length) == NULL || exists(name)) return length;
  for (size_t i = 0; i < length; i++)
    if (to[i] == '.') to[i] = '/';
  return length;
}
