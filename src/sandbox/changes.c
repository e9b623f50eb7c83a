// SPDX-License-Identifier: MIT
/* changes.c -- what the last run changed in the files, as the guest tells it.
 *
 * Asked for when somebody wants to know, so a run that nobody asks about pays nothing. The answer
 * is hostile (invariant 2): a path must be one, or all of it is nonsense. */
#include <stdlib.h>
#include <string.h>

#include "limits.h"
#include "sandbox/files.h"

typedef struct {
  cloche_change told;
  cloche__attributes attributes;
} entry;

static bool read_times(const cloche__json *object, cloche__attributes *to) {
  const cloche__json *atime = cloche__json_get(object, "atime");
  const cloche__json *mtime = cloche__json_get(object, "mtime");
  to->has_times = mtime != NULL;
  return mtime == NULL ||
         (cloche__json_int64(atime, &to->atime) && cloche__json_int64(mtime, &to->mtime));
}

/* Of what is there now. */
static bool read_attributes(const cloche__json *object, cloche__attributes *to) {
  const cloche__json *content = cloche__json_get(object, "content");
  uint64_t mode;
  if (!cloche__json_uint64(cloche__json_get(object, "mode"), &mode)) return false;
  to->mode = (uint32_t)mode & 0777;
  to->only = content != NULL && content->kind == CLOCHE__JSON_BOOLEAN && !content->boolean;
  return read_times(object, to);
}

static bool read_change(cloche__json_doc *json, const cloche__json *object,
                        cloche_change_kind change, entry *found) {
  cloche_change *to = &found->told;
  *found = (entry){.told.change = change};
  const cloche__json *kind = cloche__json_get(object, "kind");
  if (kind == NULL || !cloche__files_bytes(json, object, "path", "bytes", &to->path) ||
      !cloche__files_is_path(to->path))
    return false;
  to->kind = cloche__json_is(kind, "folder") ? CLOCHE_FOLDER
             : cloche__json_is(kind, "link") ? CLOCHE_LINK
                                             : CLOCHE_FILE;
  if (!cloche__json_uint64(cloche__json_get(object, "size"), &to->size)) return false;
  if (change != CLOCHE_DELETED && !read_attributes(object, &found->attributes)) return false;
  return change != CLOCHE_MODIFIED ||
         cloche__json_uint64(cloche__json_get(object, "was"), &to->was);
}

/* By path; what was deleted comes before what took its place. */
static int by_path(const void *a, const void *b) {
  const cloche_change *x = &((const entry *)a)->told, *y = &((const entry *)b)->told;
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
      entry found;
      if (!read_change(json, &list->items[k], lists[i].change, &found)) return false;
      *bytes += found.told.path.len;
    }
    *count += list->count;
  }
  return true;
}

/* False: no memory. */
static bool read_entries(cloche__json_doc *json, entry *to) {
  for (size_t i = 0; i < LISTS; i++) {
    const cloche__json *list = cloche__json_get(&json->root, lists[i].key);
    for (size_t k = 0; k < list->count; k++)
      if (!read_change(json, &list->items[k], lists[i].change, to++)) return false;
  }
  return true;
}

/* One block for the changes and the paths, one for what belongs to each. */
static bool keep_entries(cloche_sandbox *box, const entry *entries, size_t count, size_t bytes) {
  cloche_change *changes = malloc(count * sizeof *changes + bytes + 1);
  cloche__attributes *attributes = calloc(count + 1, sizeof *attributes);
  if (changes == NULL || attributes == NULL) {
    free(changes);
    free(attributes);
    return false;
  }
  char *at = (char *)(changes + count);
  for (size_t i = 0; i < count; i++) {
    changes[i] = entries[i].told;
    attributes[i] = entries[i].attributes;
    memcpy(at, changes[i].path.at, changes[i].path.len);
    changes[i].path.at = at;
    at += changes[i].path.len;
  }
  box->changes = changes;
  box->change_attributes = attributes;
  box->change_count = count;
  return true;
}

static cloche_status read_changes(cloche_sandbox *box, cloche__json_doc *json) {
  size_t count = 0, bytes = 0;
  if (!measure(json, &count, &bytes)) return cloche__files_nonsense(box);
  entry *entries = calloc(count + 1, sizeof *entries);
  bool kept = entries != NULL && read_entries(json, entries);
  if (kept) qsort(entries, count, sizeof *entries, by_path);
  kept = kept && keep_entries(box, entries, count, bytes);
  free(entries);
  return kept ? CLOCHE_OK : CLOCHE_E_MEMORY;
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
  free(box->change_attributes);
  box->changes = NULL;
  box->change_attributes = NULL;
  box->change_count = 0;
}
