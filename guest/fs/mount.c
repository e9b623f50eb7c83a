// SPDX-License-Identifier: MIT
/* mount.c -- folders of the host, fetched when somebody looks.
 *
 * The buffer is static, so that the host knows where it writes and a failing fetch leaves nothing
 * to free. A listing is read entry by entry as it arrives; the part of an entry that is cut off at
 * the end of the buffer is asked for again. */
#include <string.h>

#include "../kernel/control.h"
#include "../kernel/linux_errno.h"
#include "../kernel/machine.h"
#include "../kernel/outbox.h"
#include "lazy.h"
#include "path.h"
#include "tree.h"

enum { BUFFER = 32768 };

static uint8_t buffer[BUFFER];
static volatile abi_fetched answer;

uint8_t *mount_buffer(void) {
  return buffer;
}
void *mount_answer(void) {
  return (void *)(uintptr_t)&answer;
}

/* ---- asking ---- */

/* Fills the buffer; the bytes that are in it then, or a negative errno. */
static int64_t fetch(const inode *from, abi_fetch_operation operation, uint64_t offset) {
  abi_fetch wanted = {.operation = (uint32_t)operation,
                      .source = from->source,
                      .offset = offset,
                      .buffer = (uint32_t)(uintptr_t)buffer,
                      .capacity = BUFFER,
                      .answer = (uint32_t)(uintptr_t)&answer};
  answer = (abi_fetched){0};
  if (!outbox_add(ABI_FETCH, from->mount, &wanted, sizeof wanted, NULL, 0)) return -ENOMEM;
  do refuel(); /* it may have taken only a part of what is in the outbox */
  while (!answer.done && kernel_control.taken < kernel_control.committed);
  if (!answer.done || answer.size > BUFFER) return -EIO;
  return answer.error != 0 ? -(int64_t)errno_from_linux(answer.error) : (int64_t)answer.size;
}

/* ---- folders ---- */

static file_kind kind_of(uint16_t kind) {
  return kind == 2 ? FILE_DIRECTORY : kind == 3 ? FILE_LINK : FILE_REGULAR;
}

static bool set_target(inode *link, const char *target, size_t size) {
  link->link.target = kernel_malloc(size + 1);
  if (link->link.target == NULL) return false;
  memcpy(link->link.target, target, size);
  link->link.target[size] = 0;
  link->link.size = size;
  return true;
}

static int add_listed(inode *folder, const abi_listed *listed, const char *name) {
  if (listed->name == 0 || listed->name > NAME_BYTES || memchr(name, '/', listed->name) != NULL)
    return -EIO;
  if (folder_find(&folder->folder.entries, name, listed->name) != NULL) return 0;
  bool link = kind_of(listed->kind) == FILE_LINK;
  uint32_t mode = folder->system && !link ? listed->mode & ~0222u : listed->mode;
  inode *made = lazy_add(folder, name, listed->name, kind_of(listed->kind), mode);
  if (made == NULL) return -ENOMEM;
  made->source = listed->source;
  made->atime = made->mtime = made->ctime = listed->mtime;
  made->unread = made->kind != FILE_LINK;
  if (made->kind == FILE_REGULAR) made->content.size = listed->size;
  if (made->kind == FILE_LINK && !set_target(made, name + listed->name, listed->target))
    return -ENOMEM;
  return 0;
}

/* Bytes of whole entries in the buffer, or a negative errno. */
static int64_t add_all(inode *folder, size_t size) {
  size_t at = 0;
  while (size - at >= sizeof(abi_listed)) {
    abi_listed listed;
    memcpy(&listed, buffer + at, sizeof listed);
    size_t extent = (sizeof listed + listed.name + listed.target + 7) & ~(size_t)7;
    if (extent > size - at) break;
    int error = add_listed(folder, &listed, (const char *)buffer + at + sizeof listed);
    if (error != 0) return error;
    at += extent;
  }
  return (int64_t)at;
}

static int load_folder(inode *folder) {
  if (folder->folder.depth >= FOLDER_DEPTH) return -ENAMETOOLONG;
  for (uint64_t offset = 0;;) {
    int64_t size = fetch(folder, ABI_FETCH_LIST, offset);
    int64_t used = size < 0 ? size : add_all(folder, (size_t)size);
    if (used < 0) return (int)used;
    offset += (uint64_t)used;
    if (size < BUFFER) break;
    if (used == 0) return -EIO; /* an entry larger than the buffer */
  }
  folder->unread = false;
  return 0;
}

/* ---- files ---- */

static int load_file(inode *file) {
  content loaded = {0};
  int64_t size;
  do {
    size = fetch(file, ABI_FETCH_READ, loaded.size);
    if (size > 0) {
      int64_t written = content_write(&loaded, buffer, (size_t)size, loaded.size);
      if (written < 0) size = written;
    }
  } while (size == BUFFER);
  if (size < 0) {
    content_release(&loaded);
    return (int)size;
  }
  file->content = loaded; /* what was there is a size without bytes */
  file->unread = false;
  return 0;
}

int mount_load(inode *unread) {
  return unread->kind == FILE_DIRECTORY ? load_folder(unread) : load_file(unread);
}

/* ---- mounting ---- */

int mount_add(uint32_t mount, uint32_t source, bool writable, const char *path) {
  place at;
  if (mount == 0 || mount >= MOUNT_TOOLS) return -EINVAL;
  int error = tree_make_folders(path);
  if (error == 0) error = path_find(path, WALK_FOLLOW, &at);
  if (error != 0) return error;
  inode *folder = at.found;
  if (folder == NULL || folder->kind != FILE_DIRECTORY) return -ENOTDIR;
  if (folder->unread || folder->folder.entries.live > 0) return -ENOTEMPTY;
  folder->mount = (uint16_t)mount;
  folder->source = source;
  folder->system = !writable;
  folder->unread = true;
  folder->made = 0;
  if (!writable) folder->mode &= 0555;
  return 0;
}
