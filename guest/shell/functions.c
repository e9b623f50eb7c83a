// SPDX-License-Identifier: MIT
/* functions.c -- shell functions: defined, removed, copied, and handed to other shells through the
 * environment as BASH_FUNC_name%%=() { ... }. */
#include <stdlib.h>

#include "exec.h"
#include "parser.h"

function *function_find(const shell *sh, const char *name, uint32_t hash) {
  function *at = sh->functions[hash % FUNCTION_BUCKETS];
  while (at != NULL && (at->hash != hash || strcmp(at->name, name) != 0)) at = at->next;
  return at;
}

static void function_free(function *gone) {
  program_drop(gone->program);
  free(gone->name);
  free(gone->source);
  free(gone);
}

void function_define(shell *sh, program *of, const node *definition) {
  uint32_t hash = definition->hash;
  function **bucket = &sh->functions[hash % FUNCTION_BUCKETS];
  function *made = function_find(sh, definition->name, hash);
  program_keep(of);
  if (made == NULL) {
    made = memory_take(sizeof *made);
    *made = (function){.next = *bucket, .hash = hash, .name = memory_string(definition->name)};
    *bucket = made;
  } else {
    program_drop(made->program);
    free(made->source);
  }
  made->program = of;
  made->body = definition->body;
  made->line = definition->line;
  const char *source = sh->frame != NULL ? sh->frame->source : NULL;
  made->source = memory_string(source != NULL && *source != 0 ? source : "environment");
}

bool function_remove(shell *sh, const char *name) {
  uint32_t hash = name_hash(name, strlen(name));
  for (function **at = &sh->functions[hash % FUNCTION_BUCKETS]; *at != NULL; at = &(*at)->next) {
    function *gone = *at;
    if (gone->hash != hash || strcmp(gone->name, name) != 0) continue;
    *at = gone->next;
    function_free(gone);
    return true;
  }
  return false;
}

void functions_copy(shell *to, const shell *from) {
  to->functions = memory_take(FUNCTION_BUCKETS * sizeof *to->functions);
  for (size_t i = 0; i < FUNCTION_BUCKETS; i++) {
    function **last = &to->functions[i];
    for (const function *at = from->functions[i]; at != NULL; at = at->next) {
      *last = memory_take(sizeof **last);
      **last = *at;
      (*last)->name = memory_string(at->name);
      (*last)->source = memory_string(at->source);
      program_keep(at->program);
      last = &(*last)->next;
    }
    *last = NULL;
  }
}

/* ---- all of them ---- */

static int by_name(const void *left, const void *right) {
  const function *const *a = left, *const *b = right;
  return strcmp((*a)->name, (*b)->name);
}

function **functions_sorted(shell *sh, size_t *count) {
  size_t total = 0;
  for (size_t i = 0; i < FUNCTION_BUCKETS; i++)
    for (function *at = sh->functions[i]; at != NULL; at = at->next) total++;
  function **all = arena_take(&sh->scratch, (total + 1) * sizeof *all);
  *count = 0;
  for (size_t i = 0; i < FUNCTION_BUCKETS; i++)
    for (function *at = sh->functions[i]; at != NULL; at = at->next) all[(*count)++] = at;
  qsort(all, total, sizeof *all, by_name);
  return all;
}

/* ---- through the environment ---- */

#define PREFIX "BASH_FUNC_"
#define SUFFIX "%%=() "

char **functions_exported(shell *sh, char **environment, size_t *count) {
  size_t exported = 0;
  for (size_t i = 0; i < FUNCTION_BUCKETS; i++)
    for (const function *at = sh->functions[i]; at != NULL; at = at->next) exported += at->exported;
  if (exported == 0) return environment;
  char **all = arena_take(&sh->scratch, (*count + exported + 1) * sizeof *all);
  memcpy(all, environment, *count * sizeof *all);
  for (size_t i = 0; i < FUNCTION_BUCKETS; i++)
    for (const function *at = sh->functions[i]; at != NULL; at = at->next) {
      if (!at->exported) continue;
      text body = {.in = &sh->scratch}, entry = {.in = &sh->scratch};
      print_function(&body, at);
      const char *brace = strchr(text_end(&body), '\n') + 1; /* behind "name () " */
      text_format(&entry, "%s%s%s%s", PREFIX, at->name, SUFFIX, brace);
      all[(*count)++] = text_end(&entry);
    }
  return all;
}

/* Takes exactly one function definition; anything else in the value is dropped. */
static void import_one(shell *sh, const char *name, size_t size, const char *value) {
  text source = {.in = NULL};
  text_add(&source, name, size);
  text_format(&source, " () %s", value);
  program *made = program_make(source.at, source.len);
  parser p;
  node *parsed, *more;
  parser_begin(&p, made, 1);
  bool single = parse_next(&p, &parsed) == PARSED_COMMAND && parsed->kind == NODE_FUNCTION &&
                parse_next(&p, &more) == PARSED_END;
  if (single) {
    function_define(sh, made, parsed);
    function *defined = function_find(sh, parsed->name, parsed->hash);
    defined->exported = true;
  }
  parser_end(&p);
  program_drop(made);
  text_free(&source);
}

void functions_import(shell *sh, char *const *environment) {
  for (; environment != NULL && *environment != NULL; environment++) {
    const char *entry = *environment;
    if (strncmp(entry, PREFIX, sizeof PREFIX - 1) != 0) continue;
    const char *name = entry + sizeof PREFIX - 1, *end = strstr(name, SUFFIX);
    if (end != NULL) import_one(sh, name, (size_t)(end - name), end + sizeof SUFFIX - 1);
  }
}
