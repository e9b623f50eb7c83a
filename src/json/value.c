// SPDX-License-Identifier: MIT
/* value.c -- looking into JSON values, comparing and building them. */
#include <string.h>

#include "json/json.h"
#include "limits.h"

const char *cloche__json_kind_name(cloche__json_kind kind) {
  static const char *const names[] = {"null", "boolean", "number", "string", "array", "object"};
  return names[kind];
}

/* The order by key of a large object lies right behind its members. */
static const size_t *order_of(const cloche__json *object) {
  return (const size_t *)(const void *)(object->members + object->count);
}

const cloche__json *cloche__json_get_text(const cloche__json *object, cloche_text key) {
  if (object == NULL || object->kind != CLOCHE__JSON_OBJECT) return NULL;
  const cloche__json_member *members = object->members;
  if (object->count <= CLOCHE__JSON_SCAN) {
    for (size_t i = 0; i < object->count; i++) {
      if (cloche__text_equal(members[i].key, key)) return &members[i].value;
    }
    return NULL;
  }
  const size_t *order = order_of(object);
  size_t low = 0, high = object->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int side = cloche__text_compare(key, members[order[middle]].key);
    if (side == 0) return &members[order[middle]].value;
    if (side < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return NULL;
}

const cloche__json *cloche__json_get(const cloche__json *object, const char *key) {
  return cloche__json_get_text(object, cloche__text(key));
}

bool cloche__json_is(const cloche__json *value, const char *string) {
  return value != NULL && value->kind == CLOCHE__JSON_STRING &&
         cloche__text_equal(cloche__json_text(value), cloche__text(string));
}

/* ---- pointers ---- */

/* Equal, with ~1 and ~0 in `escaped` standing for / and ~. */
static bool token_equals(cloche_text escaped, cloche_text key) {
  size_t used = 0;
  for (size_t i = 0; i < escaped.len; i++, used++) {
    char c = escaped.at[i];
    if (c == '~' && i + 1 < escaped.len && (escaped.at[i + 1] == '0' || escaped.at[i + 1] == '1')) {
      c = escaped.at[++i] == '0' ? '~' : '/';
    }
    if (used >= key.len || key.at[used] != c) return false;
  }
  return used == key.len;
}

static const cloche__json *step_into(const cloche__json *value, cloche_text token) {
  if (value->kind == CLOCHE__JSON_OBJECT) {
    if (token.len == 0 || memchr(token.at, '~', token.len) == NULL) {
      return cloche__json_get_text(value, token);
    }
    for (size_t i = 0; i < value->count; i++) {
      if (token_equals(token, value->members[i].key)) return &value->members[i].value;
    }
    return NULL;
  }
  size_t index = 0;
  if (value->kind != CLOCHE__JSON_ARRAY || token.len == 0 || token.len > 18) return NULL;
  if (token.at[0] == '0' && token.len > 1) return NULL;
  for (size_t i = 0; i < token.len; i++) {
    if (token.at[i] < '0' || token.at[i] > '9') return NULL;
    index = index * 10 + (size_t)(token.at[i] - '0');
  }
  return index < value->count ? &value->items[index] : NULL;
}

const cloche__json *cloche__json_pointer(const cloche__json *value, cloche_text pointer) {
  while (value != NULL && pointer.len > 0) {
    if (pointer.at[0] != '/') return NULL;
    size_t len = 0;
    while (len + 1 < pointer.len && pointer.at[len + 1] != '/') len++;
    value = step_into(value, (cloche_text){pointer.at + 1, len});
    pointer = (cloche_text){pointer.at + len + 1, pointer.len - len - 1};
  }
  return value;
}

/* ---- comparing ---- */

static bool objects_equal(const cloche__json *a, const cloche__json *b) {
  for (size_t i = 0; i < a->count; i++) {
    const cloche__json *other = cloche__json_get_text(b, a->members[i].key);
    if (other == NULL || !cloche__json_equal(&a->members[i].value, other)) return false;
  }
  return true; /* keys are unique and the counts agree */
}

bool cloche__json_equal(const cloche__json *a, const cloche__json *b) {
  if (a->kind != b->kind) return false;
  switch (a->kind) {
    case CLOCHE__JSON_NULL:
      return true;
    case CLOCHE__JSON_BOOLEAN:
      return a->boolean == b->boolean;
    case CLOCHE__JSON_NUMBER:
      return cloche__json_number_compare(cloche__json_text(a), cloche__json_text(b)) == 0;
    case CLOCHE__JSON_STRING:
      return cloche__text_equal(cloche__json_text(a), cloche__json_text(b));
    case CLOCHE__JSON_ARRAY:
      if (a->count != b->count) return false;
      for (size_t i = 0; i < a->count; i++) {
        if (!cloche__json_equal(&a->items[i], &b->items[i])) return false;
      }
      return true;
    default:
      return a->count == b->count && objects_equal(a, b);
  }
}

/* ---- building ---- */

/* Heap sort: in place, never quadratic, whatever keys a stranger chose. */
static void sift_down(const cloche__json_member *members, size_t *order, size_t root, size_t end) {
  for (size_t child; (child = 2 * root + 1) < end; root = child) {
    if (child + 1 < end &&
        cloche__text_compare(members[order[child]].key, members[order[child + 1]].key) < 0) {
      child++;
    }
    if (cloche__text_compare(members[order[root]].key, members[order[child]].key) >= 0) return;
    size_t moved = order[root];
    order[root] = order[child];
    order[child] = moved;
  }
}

static void sort_by_key(const cloche__json_member *members, size_t *order, size_t count) {
  for (size_t i = 0; i < count; i++) order[i] = i;
  for (size_t root = count / 2; root-- > 0;) sift_down(members, order, root, count);
  for (size_t end = count; end-- > 1;) {
    size_t top = order[0];
    order[0] = order[end];
    order[end] = top;
    sift_down(members, order, 0, end);
  }
}

static bool find_duplicate(const cloche__json_member *members, const size_t *order, size_t count,
                           cloche_text *duplicate) {
  for (size_t i = 1; i < count; i++) {
    cloche_text key = members[order[i]].key;
    if (!cloche__text_equal(members[order[i - 1]].key, key)) continue;
    if (duplicate != NULL) *duplicate = key;
    return true;
  }
  return false;
}

cloche_status cloche__json_object(cloche__arena *arena, const cloche__json_member *members,
                                  size_t count, cloche__json *object, cloche_text *duplicate) {
  enum { EACH = sizeof(cloche__json_member) + sizeof(size_t) };
  size_t small[CLOCHE__JSON_SCAN];
  bool large = count > CLOCHE__JSON_SCAN;
  cloche__json_member *copy = cloche__arena_take(arena, count, large ? EACH : sizeof *copy);
  if (copy == NULL) return CLOCHE_E_MEMORY;
  if (count > 0) memcpy(copy, members, count * sizeof *copy);
  size_t *order = large ? (size_t *)(void *)(copy + count) : small;
  sort_by_key(copy, order, count);
  if (find_duplicate(copy, order, count, duplicate)) return CLOCHE_E_JSON;
  *object = (cloche__json){.kind = CLOCHE__JSON_OBJECT, .count = count, .members = copy};
  return CLOCHE_OK;
}

cloche_status cloche__json_with(cloche__arena *arena, const cloche__json *object, cloche_text key,
                                const cloche__json *value, cloche__json *copy) {
  cloche__json_member *members = cloche__arena_take(arena, object->count + 1, sizeof *members);
  if (members == NULL) return CLOCHE_E_MEMORY;
  size_t count = object->count;
  bool found = false;
  for (size_t i = 0; i < count; i++) {
    members[i] = object->members[i];
    if (!cloche__text_equal(members[i].key, key)) continue;
    members[i].value = *value;
    found = true;
  }
  if (!found) members[count++] = (cloche__json_member){key, *value};
  return cloche__json_object(arena, members, count, copy, NULL);
}

static cloche_status copy_items(cloche__arena *arena, const cloche__json *value,
                                cloche__json *copy) {
  cloche__json *items = cloche__arena_take(arena, value->count, sizeof *items);
  if (items == NULL) return CLOCHE_E_MEMORY;
  for (size_t i = 0; i < value->count; i++) {
    cloche_status status = cloche__json_copy(arena, &value->items[i], &items[i]);
    if (status != CLOCHE_OK) return status;
  }
  *copy = cloche__json_of_items(items, value->count);
  return CLOCHE_OK;
}

static cloche_status copy_members(cloche__arena *arena, const cloche__json *value,
                                  cloche__json *copy) {
  cloche__json_member *members = cloche__arena_take(arena, value->count, sizeof *members);
  if (members == NULL) return CLOCHE_E_MEMORY;
  for (size_t i = 0; i < value->count; i++) {
    if (!cloche__arena_copy(arena, value->members[i].key, &members[i].key)) return CLOCHE_E_MEMORY;
    cloche_status status = cloche__json_copy(arena, &value->members[i].value, &members[i].value);
    if (status != CLOCHE_OK) return status;
  }
  return cloche__json_object(arena, members, value->count, copy, NULL);
}

cloche_status cloche__json_copy(cloche__arena *arena, const cloche__json *value,
                                cloche__json *copy) {
  cloche_text text;
  switch (value->kind) {
    case CLOCHE__JSON_NUMBER:
    case CLOCHE__JSON_STRING:
      if (!cloche__arena_copy(arena, cloche__json_text(value), &text)) return CLOCHE_E_MEMORY;
      *copy = *value;
      copy->text = text.at;
      return CLOCHE_OK;
    case CLOCHE__JSON_ARRAY:
      return copy_items(arena, value, copy);
    case CLOCHE__JSON_OBJECT:
      return copy_members(arena, value, copy);
    default:
      *copy = *value;
      return CLOCHE_OK;
  }
}
