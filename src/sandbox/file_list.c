// SPDX-License-Identifier: MIT
/* file_list.c -- what the guest says of its files, as structs.
 *
 * Invariant 2: the JSON is hostile. It is read strictly; names must be names, bytes hexadecimal,
 * numbers whole; a field that is missing or of another kind makes all of it nonsense. */
#include <stdlib.h>
#include <string.h>

#include "limits.h"
#include "sandbox/files.h"

/* ---- for changes.c too ---- */

cloche_status cloche__files_json(cloche_sandbox *box, abi_file_operation operation,
                                 cloche_text path, cloche__json_doc *json) {
  cloche_status status = cloche__files_begin(box);
  if (status != CLOCHE_OK) return status;
  cloche__buffer answer = {0};
  status = cloche__files_operate(box, operation, path, (cloche_text){NULL, 0}, &answer);
  cloche__json_limits limits = {.depth = 4};
  if (status == CLOCHE_OK) {
    status = cloche__json_parse(cloche__buffer_view(&answer), &limits, json, NULL);
    if (status != CLOCHE_OK && status != CLOCHE_E_MEMORY) status = cloche__files_nonsense(box);
  }
  cloche__buffer_free(&answer);
  return cloche__files_end(box, status);
}

static int digit(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool decode(cloche__arena *arena, cloche_text hex, cloche_text *bytes) {
  if (hex.len % 2 != 0) return false;
  char *to = cloche__arena_take(arena, hex.len / 2 + 1, 1);
  if (to == NULL) return false;
  for (size_t i = 0; i < hex.len / 2; i++) {
    int high = digit(hex.at[2 * i]), low = digit(hex.at[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    to[i] = (char)(high << 4 | low);
  }
  *bytes = (cloche_text){to, hex.len / 2};
  return true;
}

bool cloche__files_bytes(cloche__json_doc *json, const cloche__json *object, const char *key,
                         const char *hex, cloche_text *bytes) {
  const cloche__json *text = cloche__json_get(object, key), *digits = cloche__json_get(object, hex);
  if (text == NULL || text->kind != CLOCHE__JSON_STRING) return false;
  *bytes = cloche__json_text(text);
  if (digits == NULL) return true;
  return digits->kind == CLOCHE__JSON_STRING &&
         decode(&json->arena, cloche__json_text(digits), bytes);
}

bool cloche__files_is_name(cloche_text name) {
  bool dots = (name.len == 1 && name.at[0] == '.') ||
              (name.len == 2 && name.at[0] == '.' && name.at[1] == '.');
  return name.len > 0 && name.len <= CLOCHE__NAME_BYTES && !dots &&
         memchr(name.at, '/', name.len) == NULL && memchr(name.at, '\0', name.len) == NULL;
}

bool cloche__files_is_path(cloche_text path) {
  enum { LONGEST = CLOCHE__PATH_BYTES + CLOCHE__NAME_BYTES + 2 };
  if (path.len < 2 || path.len > LONGEST || path.at[0] != '/') return false;
  for (size_t at = 1; at <= path.len;) {
    const char *slash = memchr(path.at + at, '/', path.len - at);
    size_t end = slash == NULL ? path.len : (size_t)(slash - path.at);
    if (!cloche__files_is_name((cloche_text){path.at + at, end - at})) return false;
    at = end + 1;
  }
  return true;
}

/* ---- one file ---- */

static bool read_kind(const cloche__json *kind, cloche_file_kind *to) {
  static const struct {
    const char *word;
    cloche_file_kind kind;
  } known[] = {{"file", CLOCHE_FILE},
               {"folder", CLOCHE_FOLDER},
               {"link", CLOCHE_LINK},
               {"pipe", CLOCHE_DEVICE},
               {"device", CLOCHE_DEVICE}};
  for (size_t i = 0; kind != NULL && i < sizeof known / sizeof *known; i++)
    if (cloche__json_is(kind, known[i].word)) {
      *to = known[i].kind;
      return true;
    }
  return false;
}

/* Texts still lie in the document. */
static bool read_file(cloche__json_doc *json, const cloche__json *object, cloche_file *to) {
  uint64_t mode;
  *to = (cloche_file){0};
  if (object->kind != CLOCHE__JSON_OBJECT) return false;
  if (!cloche__files_bytes(json, object, "name", "name_bytes", &to->name) ||
      !read_kind(cloche__json_get(object, "kind"), &to->kind) ||
      !cloche__json_uint64(cloche__json_get(object, "size"), &to->size) ||
      !cloche__json_uint64(cloche__json_get(object, "mode"), &mode) ||
      !cloche__json_int64(cloche__json_get(object, "mtime"), &to->mtime))
    return false;
  to->mode = (uint32_t)(mode & 07777);
  return to->kind != CLOCHE_LINK ||
         cloche__files_bytes(json, object, "target", "target_bytes", &to->target);
}

/* ---- blocks: the files, then their texts ---- */

static void place(cloche_text *text, char **at) {
  if (text->len > 0) memcpy(*at, text->at, text->len);
  text->at = *at;
  *at += text->len;
}

static cloche_file *in_one_block(const cloche_file *files, size_t count) {
  size_t bytes = 0;
  for (size_t i = 0; i < count; i++) bytes += files[i].name.len + files[i].target.len;
  cloche_file *block = malloc(count * sizeof *block + bytes + 1);
  if (block == NULL) return NULL;
  char *at = (char *)(block + count);
  for (size_t i = 0; i < count; i++) {
    block[i] = files[i];
    place(&block[i].name, &at);
    place(&block[i].target, &at);
  }
  return block;
}

static int by_name(const void *a, const void *b) {
  return cloche__text_compare(((const cloche_file *)a)->name, ((const cloche_file *)b)->name);
}

/* ---- the functions ---- */

cloche_status cloche_file_stat(cloche_sandbox *box, cloche_text path, cloche_file **file) {
  if (!cloche__sandbox_enter(box) || file == NULL) return CLOCHE_E_ARGUMENT;
  cloche__json_doc json = {0};
  cloche_status status = cloche__files_json(box, ABI_FILE_STAT, path, &json);
  if (status != CLOCHE_OK) return status;
  cloche_file read;
  if (!read_file(&json, &json.root, &read)) {
    status = cloche__files_nonsense(box);
  } else {
    cloche_file *made = in_one_block(&read, 1);
    status = made == NULL ? CLOCHE_E_MEMORY : CLOCHE_OK;
    if (made != NULL) *file = made;
  }
  cloche__json_free(&json);
  return status;
}

static cloche_status read_list(cloche_sandbox *box, cloche__json_doc *json, cloche_file **files) {
  const cloche__json *root = &json->root;
  if (root->kind != CLOCHE__JSON_ARRAY) return cloche__files_nonsense(box);
  cloche_file *read = calloc(root->count + 1, sizeof *read);
  if (read == NULL) return CLOCHE_E_MEMORY;
  bool sense = true;
  for (size_t i = 0; sense && i < root->count; i++)
    sense = read_file(json, &root->items[i], &read[i]) && cloche__files_is_name(read[i].name);
  if (sense) qsort(read, root->count, sizeof *read, by_name);
  cloche_file *made = sense ? in_one_block(read, root->count) : NULL;
  free(read);
  if (!sense) return cloche__files_nonsense(box);
  if (made == NULL) return CLOCHE_E_MEMORY;
  *files = made;
  return CLOCHE_OK;
}

cloche_status cloche_file_list(cloche_sandbox *box, cloche_text path, cloche_file **files,
                               size_t *count) {
  if (!cloche__sandbox_enter(box) || files == NULL || count == NULL) return CLOCHE_E_ARGUMENT;
  cloche__json_doc json = {0};
  cloche_status status = cloche__files_json(box, ABI_FILE_LIST, path, &json);
  if (status != CLOCHE_OK) return status;
  status = read_list(box, &json, files);
  if (status == CLOCHE_OK) *count = json.root.count;
  cloche__json_free(&json);
  return status;
}
