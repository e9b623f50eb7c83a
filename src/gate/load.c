// SPDX-License-Identifier: MIT
/* load.c -- what all readers of policies and schemas share. */
#include "gate/load.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void write_path(const cloche__at *at, cloche__buffer *out) {
  if (at == NULL) return;
  write_path(at->up, out);
  if (at->key.at == NULL) {
    cloche__buffer_format(out, "/%zu", at->index);
    return;
  }
  cloche__buffer_byte(out, '/');
  for (size_t i = 0; i < at->key.len; i++) { /* RFC 6901 */
    char c = at->key.at[i];
    if (c == '~' || c == '/')
      cloche__buffer_string(out, c == '~' ? "~0" : "~1");
    else
      cloche__buffer_byte(out, c);
  }
}

bool cloche__fail(cloche__loader *loader, const cloche__at *at, const char *format, ...) {
  cloche_problem *problem = loader->problem;
  if (loader->status != CLOCHE_OK) return false;
  loader->status = CLOCHE_E_POLICY;
  if (problem == NULL) return false;
  *problem = (cloche_problem){0};
  cloche__buffer path = cloche__buffer_fixed(problem->path, sizeof problem->path - 1);
  write_path(at, &path);
  va_list args;
  va_start(args, format);
  vsnprintf(problem->message, sizeof problem->message, format, args);
  va_end(args);
  return false;
}

bool cloche__no_memory(cloche__loader *loader) {
  if (loader->status == CLOCHE_OK) loader->status = CLOCHE_E_MEMORY;
  return false;
}

void *cloche__take(cloche__loader *loader, size_t count, size_t size) {
  void *taken = cloche__arena_take(loader->arena, count, size);
  if (taken == NULL)
    cloche__no_memory(loader);
  else
    memset(taken, 0, count * size);
  return taken;
}

bool cloche__expect(cloche__loader *loader, const cloche__at *at, const cloche__json *value,
                    cloche__json_kind kind) {
  if (value->kind == kind) return true;
  return cloche__fail(loader, at, "This has to be of type %s, and is of type %s.",
                      cloche__json_kind_name(kind), cloche__json_kind_name(value->kind));
}

bool cloche__check_keys(cloche__loader *loader, const cloche__at *at, const cloche__json *value,
                        const char *const *known) {
  enum { MOST = 64 };
  cloche_text names[MOST];
  size_t count = 0;
  if (!cloche__expect(loader, at, value, CLOCHE__JSON_OBJECT)) return false;
  for (; known[count] != NULL && count < MOST; count++) names[count] = cloche__text(known[count]);
  for (size_t i = 0; i < value->count; i++) {
    cloche_text key = value->members[i].key;
    size_t found = 0;
    while (found < count && !cloche__text_equal(names[found], key)) found++;
    if (found < count) continue;
    cloche__at here = cloche__at_key(at, key);
    char hint[160];
    return cloche__fail(loader, &here, "There is no such field here%s",
                        cloche__did_you_mean(key, names, count, hint));
  }
  return true;
}

bool cloche__load_strings(cloche__loader *loader, const cloche__at *at, const cloche__json *value,
                          const cloche_text **strings, size_t *count) {
  bool one = value->kind == CLOCHE__JSON_STRING;
  const cloche__json *items = one ? value : value->items;
  size_t found = one ? 1 : value->count;
  if (!one && !cloche__expect(loader, at, value, CLOCHE__JSON_ARRAY)) return false;
  if (found == 0) return cloche__fail(loader, at, "An empty list can never hold; leave it out.");
  cloche_text *list = cloche__take(loader, found, sizeof *list);
  if (list == NULL) return false;
  for (size_t i = 0; i < found; i++) {
    cloche__at here = cloche__at_index(at, i);
    if (!cloche__expect(loader, one ? at : &here, &items[i], CLOCHE__JSON_STRING)) return false;
    list[i] = cloche__json_text(&items[i]);
  }
  *strings = list;
  *count = found;
  return true;
}

bool cloche__load_flag(cloche__loader *loader, const cloche__at *up, const cloche__json *object,
                       const char *key, bool *out) {
  const cloche__json *value = cloche__json_get(object, key);
  cloche__at here = cloche__at_key(up, cloche__text(key));
  if (value == NULL) return true;
  if (!cloche__expect(loader, &here, value, CLOCHE__JSON_BOOLEAN)) return false;
  *out = value->boolean;
  return true;
}

bool cloche__load_count(cloche__loader *loader, const cloche__at *up, const cloche__json *object,
                        const char *key, uint64_t *out) {
  const cloche__json *value = cloche__json_get(object, key);
  cloche__at here = cloche__at_key(up, cloche__text(key));
  if (value == NULL || cloche__json_uint64(value, out)) return true;
  return cloche__fail(loader, &here, "This has to be a whole number, 0 or more.");
}

bool cloche__load_text(cloche__loader *loader, const cloche__at *up, const cloche__json *object,
                       const char *key, cloche_text *out) {
  const cloche__json *value = cloche__json_get(object, key);
  cloche__at here = cloche__at_key(up, cloche__text(key));
  if (value == NULL) return true;
  if (!cloche__expect(loader, &here, value, CLOCHE__JSON_STRING)) return false;
  *out = cloche__json_text(value);
  return true;
}

/* ---- suggestions ---- */

enum { LONGEST = 64 };

static char fold(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c == '-' || c == '.' ? '_' : c;
}

/* Edits (insert, delete, change, swap of neighbours) from one to the other; case and the sort of
 * separator are no difference. */
static size_t distance(cloche_text a, cloche_text b) {
  size_t rows[3][LONGEST + 1], *before = rows[0], *last = rows[1], *now = rows[2];
  for (size_t j = 0; j <= b.len; j++) last[j] = j;
  for (size_t i = 1; i <= a.len; i++) {
    now[0] = i;
    for (size_t j = 1; j <= b.len; j++) {
      char x = fold(a.at[i - 1]), y = fold(b.at[j - 1]);
      size_t best = last[j - 1] + (x != y);
      if (last[j] + 1 < best) best = last[j] + 1;
      if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
      bool swap = i > 1 && j > 1 && x == fold(b.at[j - 2]) && y == fold(a.at[i - 2]);
      if (swap && before[j - 2] + 1 < best) best = before[j - 2] + 1;
      now[j] = best;
    }
    size_t *spare = before;
    before = last;
    last = now;
    now = spare;
  }
  return last[b.len];
}

size_t cloche__nearest(cloche_text wanted, const cloche_text *names, size_t count) {
  size_t nearest = SIZE_MAX, allowed = wanted.len < 3 ? 1 : 1 + wanted.len / 4, least = SIZE_MAX;
  if (wanted.len > LONGEST) return SIZE_MAX;
  for (size_t i = 0; i < count; i++) {
    bool longer = names[i].len > wanted.len;
    size_t apart = longer ? names[i].len - wanted.len : wanted.len - names[i].len;
    if (names[i].len > LONGEST || apart > allowed) continue;
    size_t edits = distance(wanted, names[i]);
    size_t cost = 2 * edits + (apart != 0); /* of two as near, one of the same length */
    if (edits > allowed || cost >= least) continue;
    nearest = i;
    least = cost;
  }
  return nearest;
}

const char *cloche__did_you_mean(cloche_text wanted, const cloche_text *names, size_t count,
                                 char room[160]) {
  size_t found = cloche__nearest(wanted, names, count);
  if (found == SIZE_MAX) return ".";
  snprintf(room, 160, "; did you mean \"%.*s\"?", (int)names[found].len, names[found].at);
  return room;
}
