// SPDX-License-Identifier: MIT
/* changes.c -- what the last run changed in the files, as the guest tells it.
 *
 * Asked for when somebody wants to know, so a run that nobody asks about pays nothing. The answer
 * is hostile (invariant 2): a path must be one, or all of it is nonsense. */
#include <stdlib.h>
#include <string.h>

#include "limits.h"
#include "sandbox/files.h"

static bool read_change(cloche__json_doc *json, const cloche__json *object,
                        cloche_change_kind change, cloche_change *to) {
  *to = (cloche_change){.change = change};
  const cloche__json *kind = cloche__json_get(object, "kind");
  if (kind == NULL || !cloche__files_bytes(json, object, "path", "bytes", &to->path) ||
      !cloche__files_is_path(to->path))
    return false;
  to->kind = cloche__json_is(kind, "folder") ? CLOCHE_FOLDER
             : cloche__json_is(kind, "link") ? CLOCHE_LINK
                                             : CLOCHE_FILE;
  if (!cloche__json_uint64(cloche__json_get(object, "size"), &to->size)) return false;
  return change != CLOCHE_MODIFIED ||
         cloche__json_uint64(cloche__json_get(object, "was"), &to->was);
}

/* By path; what was deleted comes before what took its place. */
static int by_path(const void *a, const void *b) {
  const cloche_change *x = a, *y = b;
  int order = cloche__text_compare(x->path, y->path);
  return order != 0 ? order : (y->change == CLOCHE_DELETED) - (x->change == CLOCHE_DELETED);
}

static const struct {
  const char *key;
  cloche_change_kind change;
} lists[] = {
    {"created", CLOCHE_CREATED}, {"modified", CLOCHE_MODIFIED}, {"deleted", CLOCHE_DELETED}};
enum { LISTS = sizeof lists / sizeof *lists };

/* Sizes first, so that all of it lies in one block. */
static bool measure(cloche__json_doc *json, size_t *count, size_t *bytes) {
  for (size_t i = 0; i < LISTS; i++) {
    const cloche__json *list = cloche__json_get(&json->root, lists[i].key);
    if (list == NULL || list->kind != CLOCHE__JSON_ARRAY) return false;
    for (size_t k = 0; k < list->count; k++) {
      cloche_change change;
      if (!read_change(json, &list->items[k], lists[i].change, &change)) return false;
      *bytes += change.path.len;
    }
    *count += list->count;
  }
  return true;
}

static cloche_status read_changes(cloche_sandbox *box, cloche__json_doc *json) {
  size_t count = 0, bytes = 0;
  if (!measure(json, &count, &bytes)) return cloche__files_nonsense(box);
  cloche_change *block = malloc(count * sizeof *block + bytes + 1), *to = block;
  if (block == NULL) return CLOCHE_E_MEMORY;
  char *at = (char *)(block + count);
  for (size_t i = 0; i < LISTS; i++) {
    const cloche__json *list = cloche__json_get(&json->root, lists[i].key);
    for (size_t k = 0; k < list->count; k++, to++) {
      if (!read_change(json, &list->items[k], lists[i].change, to)) { /* only for lack of memory */
        free(block);
        return CLOCHE_E_MEMORY;
      }
      memcpy(at, to->path.at, to->path.len);
      to->path.at = at;
      at += to->path.len;
    }
  }
  qsort(block, count, sizeof *block, by_path);
  box->changes = block;
  box->change_count = count;
  return CLOCHE_OK;
}

cloche_status cloche_sandbox_changes(cloche_sandbox *box, const cloche_change **changes,
                                     size_t *count) {
  if (!cloche__sandbox_enter(box) || changes == NULL || count == NULL) return CLOCHE_E_ARGUMENT;
  cloche_status status = CLOCHE_OK;
  if (!box->has_result)
    return cloche__sandbox_refuse(box, CLOCHE_E_STATE, "no run has ended here yet");
  if (box->changes == NULL && !box->result.rolled_back && !box->dead) {
    cloche__json_doc json = {0};
    status = cloche__files_json(box, ABI_FILE_DIFF, (cloche_text){"/", 1}, &json);
    if (status == CLOCHE_OK) status = read_changes(box, &json);
    cloche__json_free(&json);
  }
  if (status != CLOCHE_OK) return status;
  *changes = box->changes;
  *count = box->change_count;
  return CLOCHE_OK;
}

void cloche__changes_forget(cloche_sandbox *box) {
  free(box->changes);
  box->changes = NULL;
  box->change_count = 0;
}
