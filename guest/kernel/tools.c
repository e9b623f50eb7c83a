// SPDX-License-Identifier: MIT
/* tools.c -- the tools' definitions as the host gave them.
 *
 * There may be ten thousand. Most runs call a few or none, so the names are looked up in an index
 * that is made at the first need. */
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "document.h"

typedef struct {
  char *at; /* a JSON array, NUL-terminated; NULL: an empty one */
  size_t size;
} list;

static list definitions, hidden;
static uint32_t generation = 1;

static char **names; /* sorted */
static size_t name_count;

static const char *list_text(const list *asked, size_t *size) {
  *size = asked->at == NULL ? 2 : asked->size;
  return asked->at == NULL ? "[]" : asked->at;
}

const char *tool_definitions(size_t *size) {
  return list_text(&definitions, size);
}

const char *tool_hidden_names(size_t *size) {
  return list_text(&hidden, size);
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

static bool set_list(list *to, const char *json, size_t size) {
  char *copy = kernel_malloc(size + 1);
  if (copy == NULL) return false;
  memcpy(copy, json, size);
  copy[size] = 0;
  drop_index();
  kernel_free(to->at);
  *to = (list){copy, size};
  if (++generation == 0) generation = 1;
  return true;
}

bool tools_define(const char *json, size_t size) {
  if (!set_list(&definitions, json, size)) return false;
  kernel_free(hidden.at);
  hidden = (list){0};
  return true;
}

bool tools_hide(const char *json, size_t size) {
  return set_list(&hidden, json, size);
}

/* ---- names ---- */

static size_t count_elements(const list *in) {
  const char *at = in->at, *element;
  size_t size, count = 0;
  while (at != NULL && document_next(&at, in->at + in->size, &element, &size)) count++;
  return count;
}

static int compare(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A copy of the tool's name, or NULL. An element is a definition, or the name alone. */
static char *read_name(const char *element, size_t size) {
  document_arena *arena;
  const document_node *node = document_parse(element, size, &arena);
  bool alone = node != NULL && node->kind == JSON_STRING;
  const char *name = alone ? node->text : document_text(node, "name");
  size_t length = name == NULL ? 0 : strlen(name);
  char *copy = name == NULL ? NULL : kernel_malloc(length + 1);
  if (copy != NULL) memcpy(copy, name, length + 1);
  document_release(arena);
  return copy;
}

static void add_names(const list *in) {
  const char *at = in->at, *element;
  size_t size;
  while (at != NULL && document_next(&at, in->at + in->size, &element, &size)) {
    char *name = read_name(element, size);
    if (name != NULL) names[name_count++] = name;
  }
}

/* Without memory some are missing, and names are then taken as they are spelt. */
static void make_index(void) {
  if (names != NULL || definitions.at == NULL) return;
  names =
      kernel_malloc((count_elements(&definitions) + count_elements(&hidden) + 1) * sizeof *names);
  if (names == NULL) return;
  add_names(&definitions);
  add_names(&hidden);
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
