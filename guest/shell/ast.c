// SPDX-License-Identifier: MIT
/* ast.c -- the life of a program's tree, and names. */
#include "ast.h"

#include <stdlib.h>

void program_keep(program *kept) {
  if (kept != NULL) kept->references++;
}

void program_drop(program *dropped) {
  if (dropped == NULL || --dropped->references > 0) return;
  arena_free(&dropped->memory);
  free(dropped->text);
  free(dropped);
}

/* FNV-1a. Computed once per name while parsing, so looking a variable up never reads the name
 * twice. */
uint32_t name_hash(const char *name, size_t size) {
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < size; i++) hash = (hash ^ (unsigned char)name[i]) * 16777619u;
  return hash;
}

bool name_valid(const char *name, size_t size) {
  if (size == 0 || !name_start((unsigned char)name[0])) return false;
  for (size_t i = 1; i < size; i++)
    if (!name_rest((unsigned char)name[i])) return false;
  return true;
}
