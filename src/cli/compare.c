// SPDX-License-Identifier: MIT
/* compare.c -- looks into two values at once. */
#include "cli/compare.h"

/* {"secret": HASH}, as the ledger has it. */
static bool is_secret(const cloche__json *value) {
  const cloche__json *hash = cloche__json_get(value, "secret");
  return hash != NULL && value->count == 1 && hash->kind == CLOCHE__JSON_STRING;
}

/* A secret is like another one, or with `any` like everything. */
static bool is_like(const cloche__json *was, const cloche__json *is, bool any) {
  if (is == NULL || was == NULL) return was == is;
  if (is_secret(was) && (any || is_secret(is))) return true;
  if (was->kind == CLOCHE__JSON_OBJECT && is->kind == CLOCHE__JSON_OBJECT) {
    for (size_t i = 0; i < was->count; i++)
      if (!is_like(&was->members[i].value, cloche__json_get_text(is, was->members[i].key), any))
        return false;
    return was->count == is->count;
  }
  if (was->kind == CLOCHE__JSON_ARRAY && is->kind == CLOCHE__JSON_ARRAY) {
    for (size_t i = 0; i < was->count && i < is->count; i++)
      if (!is_like(&was->items[i], &is->items[i], any)) return false;
    return was->count == is->count;
  }
  return cloche__json_equal(was, is);
}

bool cloche__is_same(const cloche__json *was, const cloche__json *is) {
  return is_like(was, is, false);
}

bool cloche__fits_record(const cloche__json *record, const cloche__json *value) {
  return is_like(record, value, true);
}
