// SPDX-License-Identifier: MIT
/* host_files.c -- the filesystem at the host's service.
 *
 * No process runs while these do, so that permissions do not apply; what is made belongs to the
 * program where the program could have made it. An error's answer is a sentence, if there is more
 * to say than its number does. */
#include <string.h>

#include "../kernel/blob.h"
#include "../kernel/linux_errno.h"
#include "../kernel/outbox.h"
#include "files.h"
#include "lazy.h"
#include "mark.h"
#include "path.h"
#include "tar.h"
#include "tree.h"

typedef struct {
  uint32_t operation;
  const char *path; /* NUL-terminated */
  const uint8_t *bytes;
  size_t size;
} request;

/* What ABI_FILE_IMPORT began. */
static tar_reader *unpacking;

void files_boot(void) {
  inode_boot();
}

void files_show_tools(void) {
  tool_files_reset();
}

/* ---- answers ---- */

static void send_piece(blob *full) {
  if (!outbox_add(ABI_FILE_BYTES, full->id, full->at, full->size, NULL, 0)) full->failed = true;
  full->size = 0;
}

static void send_answer(uint32_t id, int error, const blob *answer) {
  int32_t number = errno_to_linux(-error);
  if (!outbox_add(ABI_FILED, id, &number, sizeof number, answer->at, answer->size)) {
    number = errno_to_linux(ENOMEM);
    outbox_add(ABI_FILED, id, &number, sizeof number, NULL, 0);
  }
}

/* ---- files ---- */

static void parent_of(const char *path, char parent[PATH_BYTES]) {
  const char *end = path + strlen(path);
  while (end > path && end[-1] == '/') end--;
  while (end > path && end[-1] != '/') end--;
  memcpy(parent, path, (size_t)(end - path));
  parent[end - path] = 0;
}

static int find_or_make_file(const char *path, inode **file) {
  char parent[PATH_BYTES];
  place at;
  parent_of(path, parent);
  int error = tree_make_folders(parent);
  if (error == 0) error = path_walk(path, WALK_CREATE, &at);
  if (error != 0) return error;
  *file = at.found;
  if (at.found != NULL)
    return at.found->kind == FILE_REGULAR     ? 0
           : at.found->kind == FILE_DIRECTORY ? -EISDIR
                                              : -EINVAL;
  if (at.folder->device != DEVICE_NONE) return -EINVAL;
  inode *made = inode_create(FILE_REGULAR, 0644, &error);
  if (made == NULL) return error;
  made->system = tree_is_systems(at.folder);
  error = tree_add(at.folder, at.name, at.name_size, made);
  inode_release(made);
  *file = made;
  return error;
}

static int put(const request *asked, bool append) {
  inode *file;
  int error = find_or_make_file(asked->path, &file);
  if (error == 0) error = append ? inode_load(file) : 0;
  if (error != 0) return error;
  mark_content(file);
  file->unread = false;
  if (!append) error = content_resize(&file->content, 0);
  int64_t written =
      error != 0 ? error
                 : content_write(&file->content, asked->bytes, asked->size, file->content.size);
  inode_touch(file);
  return written < 0 ? (int)written : 0;
}

static int get(const request *asked, blob *answer) {
  place at;
  char piece[2048];
  int error = path_find(asked->path, WALK_FOLLOW, &at);
  if (error != 0) return error;
  if (at.found == NULL || at.found->kind != FILE_REGULAR)
    return at.found != NULL && at.found->kind == FILE_DIRECTORY ? -EISDIR : -EINVAL;
  error = inode_load(at.found);
  const content *from = &at.found->content;
  for (uint64_t done = 0; error == 0 && done < from->size;) {
    int64_t size = content_read(from, piece, sizeof piece, done);
    blob_add(answer, piece, (size_t)size);
    done += (uint64_t)size;
  }
  return error;
}

static const char *kind_name(const inode *of) {
  static const char *const names[] = {"file", "file", "folder", "link", "pipe", "device"};
  return names[of->kind];
}

/* A name that is no text is also given as its bytes, in hexadecimal. */
static void add_name(blob *to, const char *key, const char *name, size_t size) {
  blob_text(to, "\"");
  blob_text(to, key);
  blob_text(to, "\":");
  blob_json_string(to, name, size);
  if (blob_is_text(name, size)) return;
  blob_text(to, ",\"");
  blob_text(to, key);
  blob_text(to, "_bytes\":\"");
  blob_hex(to, name, size);
  blob_text(to, "\"");
}

static void describe(blob *to, const char *name, size_t size, const inode *of) {
  file_stat stat;
  inode_stat(of, &stat);
  blob_text(to, "{");
  add_name(to, "name", name, size);
  if (of->kind == FILE_LINK) {
    blob_text(to, ",");
    add_name(to, "target", of->link.target, of->link.size);
  }
  blob_text(to, ",\"kind\":\"");
  blob_text(to, kind_name(of));
  blob_text(to, "\",\"size\":");
  blob_number(to, stat.size);
  blob_text(to, ",\"mode\":");
  blob_number(to, stat.mode);
  blob_text(to, ",\"mtime\":");
  blob_text(to, stat.mtime < 0 ? "-" : "");
  blob_number(to, stat.mtime < 0 ? -(uint64_t)stat.mtime : (uint64_t)stat.mtime);
  blob_text(to, "}");
}

static int list(const request *asked, blob *answer) {
  place at;
  int error = path_find(asked->path, WALK_FOLLOW, &at);
  if (error != 0) return error;
  if (at.found == NULL || at.found->kind != FILE_DIRECTORY) return -ENOTDIR;
  error = inode_load(at.found);
  if (error != 0) return error;
  uint32_t slot = 0;
  const folder_entry *entry;
  const char *before = "[";
  while ((entry = folder_next(&at.found->folder.entries, &slot)) != NULL) {
    blob_text(answer, before);
    describe(answer, entry->name, entry->size, entry->inode);
    before = ",";
  }
  blob_text(answer, slot == 0 || *before == '[' ? "[]" : "]");
  return 0;
}

static int make_folders(const char *path) {
  place at;
  int error = tree_make_folders(path);
  if (error == 0) error = path_find(path, WALK_FOLLOW, &at);
  if (error != 0) return error;
  return at.found != NULL && at.found->kind == FILE_DIRECTORY ? 0 : -EEXIST;
}

static int stat_one(const request *asked, blob *answer) {
  place at;
  int error = path_find(asked->path, WALK_LINK, &at);
  if (error != 0) return error;
  if (at.found == NULL) return -EINVAL;
  describe(answer, at.name, at.name_size, at.found);
  return 0;
}

/* Folders that the system has at its root stay; what is in them goes. */
static int remove_all(const request *asked) {
  place at;
  int error = path_find(asked->path, WALK_NAME, &at);
  if (error != 0) return error;
  if (at.entry == NULL || at.found->mount == MOUNT_TOOLS || at.found->device != DEVICE_NONE)
    return -EBUSY;
  bool stays = at.folder == inode_root() && at.found->made == 0 && at.found->mount == 0;
  if (!stays) {
    tree_remove_all(at.folder, at.entry);
    return 0;
  }
  uint32_t slot = 0;
  folder_entry *entry;
  while ((entry = folder_next(&at.found->folder.entries, &slot)) != NULL)
    if (entry->inode->device == DEVICE_NONE) tree_remove_all(at.found, entry);
  return 0;
}

/* ---- trees ---- */

static int export_tree(const request *asked, blob *answer) {
  place at;
  char name[NAME_BYTES + 1] = "";
  int error = path_find(asked->path, WALK_FOLLOW, &at);
  if (error != 0) return error;
  if (at.found == NULL) return -EINVAL;
  memcpy(name, at.name, at.name_size);
  return tar_write(answer, at.found, name);
}

static int unpack(const request *asked, blob *answer) {
  int error = asked->size == 0 && asked->operation == ABI_FILE_MORE
                  ? tar_reader_end(unpacking)
                  : tar_reader_add(unpacking, asked->bytes, asked->size);
  if (error != 0) blob_text(answer, tar_reader_reason(unpacking));
  if (error == 0 && asked->size > 0) return 0;
  tar_reader_release(unpacking);
  unpacking = NULL;
  return error;
}

static int import_tree(const request *asked, blob *answer) {
  place at;
  tar_reader_release(unpacking);
  unpacking = NULL;
  int error = tree_make_folders(asked->path);
  if (error == 0) error = path_find(asked->path, WALK_FOLLOW, &at);
  if (error != 0) return error;
  if (at.found == NULL || at.found->kind != FILE_DIRECTORY) return -ENOTDIR;
  unpacking = tar_reader_create(at.found);
  if (unpacking == NULL) return -ENOMEM;
  return asked->size == 0 ? 0 : unpack(asked, answer);
}

static int diff(const request *asked, blob *answer) {
  place at;
  char path[PATH_BYTES];
  int error = path_find(asked->path, WALK_FOLLOW, &at);
  if (error != 0) return error;
  if (at.found == NULL || at.found->kind != FILE_DIRECTORY) return -ENOTDIR;
  int64_t size = path_of(at.found, path, sizeof path);
  return size < 0 ? (int)size : mark_diff(at.found, path, answer);
}

/* ---- requests ---- */

static int operate(const request *asked, blob *answer) {
  switch ((abi_file_operation)asked->operation) {
    case ABI_FILE_PUT:
      return put(asked, false);
    case ABI_FILE_APPEND:
      return put(asked, true);
    case ABI_FILE_GET:
      return get(asked, answer);
    case ABI_FILE_LIST:
      return list(asked, answer);
    case ABI_FILE_REMOVE:
      return remove_all(asked);
    case ABI_FILE_EXPORT:
      return export_tree(asked, answer);
    case ABI_FILE_IMPORT:
      return import_tree(asked, answer);
    case ABI_FILE_MORE:
      return unpacking == NULL ? -EINVAL : unpack(asked, answer);
    case ABI_FILE_DIFF:
      return diff(asked, answer);
    case ABI_FILE_MARK:
      mark_now();
      return 0;
    case ABI_FILE_STAT:
      return stat_one(asked, answer);
    case ABI_FILE_MKDIR:
      return make_folders(asked->path);
  }
  return -ENOSYS;
}

/* The path gets a NUL; one that has a NUL already is none. */
static int read_request(const uint8_t *bytes, size_t size, char path[PATH_BYTES], request *to) {
  uint32_t head[2];
  if (size < sizeof head) return -EINVAL;
  memcpy(head, bytes, sizeof head);
  if (head[1] > size - sizeof head) return -EINVAL;
  if (head[1] >= PATH_BYTES) return -ENAMETOOLONG;
  memcpy(path, bytes + sizeof head, head[1]);
  path[head[1]] = 0;
  if (strlen(path) != head[1]) return -EINVAL;
  *to = (request){head[0], path, bytes + sizeof head + head[1], size - sizeof head - head[1]};
  return 0;
}

void files_operate(uint32_t id, const uint8_t *bytes, size_t size) {
  char path[PATH_BYTES];
  request asked;
  blob answer = {.full = send_piece, .id = id};
  int error = read_request(bytes, size, path, &asked);
  if (error == 0) error = operate(&asked, &answer);
  if (error == 0 && answer.failed) error = -ENOMEM;
  send_answer(id, error, &answer);
  blob_release(&answer);
}
