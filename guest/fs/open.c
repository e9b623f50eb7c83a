// SPDX-License-Identifier: MIT
/* open.c -- opening files, and reading and writing what is open. */
#include <string.h>

#include "../kernel/descriptor.h"
#include "../kernel/outbox.h"
#include "device.h"
#include "lazy.h"
#include "mark.h"
#include "path.h"
#include "tree.h"

#ifndef SEEK_SET
enum { SEEK_SET, SEEK_CUR, SEEK_END };
#endif

/* ---- opening ---- */

/* /dev/fd/N of something that is no file: the same open end again. */
static int open_again(int fd, int flags) {
  const open_file *open = descriptor_get(fd);
  if (flags & OPEN_DIRECTORY) return -ENOTDIR;
  if ((flags & ~open->flags) & (OPEN_READ | OPEN_WRITE)) return -EACCES;
  return sys_dup(fd, 0);
}

static int create_file(place *at, uint32_t mode) {
  int error = at->folder->links == 0 ? -ENOENT : 0;
  if (error == 0 && at->folder->device == DEVICE_DESCRIPTORS) error = -ENOENT;
  if (error == 0 && !inode_permits(at->folder, RIGHT_WRITE | RIGHT_EXECUTE)) error = -EACCES;
  if (error != 0) return error;
  const process *self = process_current();
  inode *made = inode_create(FILE_REGULAR, mode & ~(self == NULL ? 022 : self->umask), &error);
  if (made == NULL) return error;
  error = tree_add(at->folder, at->name, at->name_size, made);
  if (error == 0) at->found = made;
  inode_release(made);
  return error;
}

static int check_open(const place *at, int flags) {
  const inode *found = at->found;
  if (flags & OPEN_CREATE && flags & OPEN_EXCLUSIVE) return -EEXIST;
  if (flags & OPEN_DIRECTORY && found->kind != FILE_DIRECTORY) return -ENOTDIR;
  if (found->kind == FILE_LINK) return -ELOOP;
  if (found->kind == FILE_DIRECTORY && flags & (OPEN_WRITE | OPEN_CREATE | OPEN_TRUNCATE))
    return -EISDIR;
  unsigned rights = (flags & OPEN_READ ? RIGHT_READ : 0u) |
                    (flags & (OPEN_WRITE | OPEN_TRUNCATE) ? RIGHT_WRITE : 0u);
  return inode_permits(found, rights) ? 0 : -EACCES;
}

static int open_inode(inode *opened, int flags) {
  open_file *open = open_file_create(OPEN_INODE, flags & (OPEN_READ | OPEN_WRITE | OPEN_APPEND));
  if (open == NULL) return -ENOMEM;
  open->inode = opened;
  inode_hold(opened);
  return descriptor_add(open, 0);
}

static walk_kind walk_for(int flags) {
  bool follow = !(flags & OPEN_NOFOLLOW);
  if (!(flags & OPEN_CREATE)) return follow ? WALK_FOLLOW : WALK_LINK;
  return follow && !(flags & OPEN_EXCLUSIVE) ? WALK_CREATE : WALK_CREATE_HERE;
}

int sys_open(const char *path, int flags, uint32_t mode) {
  place at;
  bool exclusive = flags & OPEN_CREATE && flags & OPEN_EXCLUSIVE;
  if (flags & OPEN_APPEND) flags |= OPEN_WRITE;
  int error = path_walk(path, walk_for(flags), &at);
  if (error != 0) return error;
  if (at.descriptor >= 0 && at.found == NULL)
    return exclusive ? -EEXIST : open_again(at.descriptor, flags);
  bool made = at.found == NULL;
  if (made) error = flags & OPEN_CREATE ? create_file(&at, mode) : -ENOENT;
  if (error == 0 && !made) error = check_open(&at, flags);
  if (error == 0 && flags & OPEN_TRUNCATE) at.found->unread = false; /* all of it goes anyway */
  if (error == 0) error = inode_load(at.found);
  if (error != 0) return error;
  int fd = open_inode(at.found, flags);
  if (fd >= 0 && !made && flags & OPEN_TRUNCATE && at.found->kind == FILE_REGULAR) {
    mark_content(at.found);
    (void)content_resize(&at.found->content, 0);
    inode_touch(at.found);
  }
  return fd;
}

/* ---- reading ---- */

static open_file *readable(int fd, int *error) {
  open_file *open = descriptor_get(fd);
  *error = open == NULL || !(open->flags & OPEN_READ) ? -EBADF : 0;
  return *error == 0 ? open : NULL;
}

static open_file *writable(int fd, int *error) {
  open_file *open = descriptor_get(fd);
  *error = open == NULL || !(open->flags & OPEN_WRITE) ? -EBADF : 0;
  return *error == 0 ? open : NULL;
}

static int64_t read_inode(inode *from, void *to, size_t size, uint64_t at) {
  if (from->kind == FILE_DIRECTORY) return -EISDIR;
  if (from->kind == FILE_DEVICE) return device_read((device_kind)from->device, to, size);
  int64_t result = content_read(&from->content, to, size, at);
  if (result > 0) inode_touch_access(from);
  return result;
}

static int64_t read_file(open_file *open, void *to, size_t size) {
  int64_t result = read_inode(open->inode, to, size, open->offset);
  if (result > 0) open->offset += (uint64_t)result;
  return result;
}

int64_t sys_read(int fd, void *to, size_t size) {
  int error;
  open_file *open = readable(fd, &error);
  if (open == NULL) return error;
  return open->kind == OPEN_PIPE ? pipe_read(open->pipe, to, size) : read_file(open, to, size);
}

int64_t sys_read_now(int fd, void *to, size_t size) {
  int error;
  open_file *open = readable(fd, &error);
  if (open == NULL) return error;
  return open->kind == OPEN_PIPE ? pipe_read_now(open->pipe, to, size) : read_file(open, to, size);
}

int64_t sys_pread(int fd, void *to, size_t size, uint64_t at) {
  int error;
  open_file *open = readable(fd, &error);
  if (open == NULL) return error;
  return open->kind == OPEN_INODE ? read_inode(open->inode, to, size, at) : -ESPIPE;
}

bool sys_readable(int fd) {
  const open_file *open = descriptor_get(fd);
  return open != NULL && (open->kind != OPEN_PIPE || pipe_readable(open->pipe));
}

/* ---- writing ---- */

static int64_t write_inode(inode *to, const void *from, size_t size, uint64_t at) {
  if (to->kind == FILE_DEVICE) return device_write((device_kind)to->device, size);
  if (size > 0) mark_content(to);
  int64_t result = content_write(&to->content, from, size, at);
  if (result > 0) inode_touch(to);
  return result;
}

/* Where a write goes that asks for `at`: as on Linux, an appending one always at the end. */
static uint64_t write_position(const open_file *open, uint64_t at) {
  bool append = open->flags & OPEN_APPEND && open->inode->kind == FILE_REGULAR;
  return append ? open->inode->content.size : at;
}

static int64_t write_file(open_file *open, const void *from, size_t size) {
  uint64_t at = write_position(open, open->offset);
  int64_t result = write_inode(open->inode, from, size, at);
  if (result > 0) open->offset = at + (uint64_t)result;
  return result;
}

/* One record per write; the host joins what belongs together. */
static int64_t write_console(const open_file *open, const void *from, size_t size) {
  abi_kind kind = open->stream == 2 ? ABI_STDERR : ABI_STDOUT;
  if (size == 0) return 0;
  return outbox_add(kind, 0, from, size, NULL, 0) ? (int64_t)size : -ENOMEM;
}

static int64_t write_other(open_file *open, const void *from, size_t size) {
  return open->kind == OPEN_CONSOLE ? write_console(open, from, size)
                                    : write_file(open, from, size);
}

int64_t sys_write(int fd, const void *from, size_t size) {
  int error;
  open_file *open = writable(fd, &error);
  if (open == NULL) return error;
  return open->kind == OPEN_PIPE ? pipe_write(open->pipe, from, size)
                                 : write_other(open, from, size);
}

int64_t sys_write_now(int fd, const void *from, size_t size) {
  int error;
  open_file *open = writable(fd, &error);
  if (open == NULL) return error;
  return open->kind == OPEN_PIPE ? pipe_write_now(open->pipe, from, size)
                                 : write_other(open, from, size);
}

int64_t sys_pwrite(int fd, const void *from, size_t size, uint64_t at) {
  int error;
  open_file *open = writable(fd, &error);
  if (open == NULL) return error;
  if (open->kind != OPEN_INODE) return -ESPIPE;
  return write_inode(open->inode, from, size, write_position(open, at));
}

/* ---- position and size ---- */

int64_t sys_seek(int fd, int64_t offset, int whence) {
  open_file *open = descriptor_get(fd);
  if (open == NULL) return -EBADF;
  if (open->kind != OPEN_INODE) return -ESPIPE;
  if (open->inode->kind == FILE_DEVICE) return 0;
  int64_t base = whence == SEEK_CUR ? (int64_t)open->offset : 0;
  if (whence == SEEK_END && open->inode->kind == FILE_REGULAR)
    base = (int64_t)open->inode->content.size;
  if (whence != SEEK_SET && whence != SEEK_CUR && whence != SEEK_END) return -EINVAL;
  if (offset > INT64_MAX - base) return -EOVERFLOW;
  if (base + offset < 0) return -EINVAL;
  open->offset = (uint64_t)(base + offset);
  return base + offset;
}

int sys_truncate(int fd, uint64_t size) {
  int error;
  open_file *open = writable(fd, &error);
  if (open == NULL) return error == -EBADF && descriptor_get(fd) != NULL ? -EINVAL : error;
  if (open->kind != OPEN_INODE || open->inode->kind != FILE_REGULAR) return -EINVAL;
  mark_content(open->inode);
  error = content_resize(&open->inode->content, size);
  if (error == 0) inode_touch(open->inode);
  return error;
}

int sys_fstat(int fd, file_stat *stat) {
  const open_file *open = descriptor_get(fd);
  if (open == NULL) return -EBADF;
  if (open->kind == OPEN_INODE) {
    inode_stat(open->inode, stat);
    return 0;
  }
  /* The host's streams never wait, so they are no pipes: JavaScript keeps back what goes to a pipe.
   */
  file_kind kind = open->kind == OPEN_PIPE ? FILE_PIPE : FILE_DEVICE;
  *stat = (file_stat){.kind = kind, .mode = 0600, .links = 1};
  if (open->kind == OPEN_PIPE) stat->size = pipe_size(open->pipe);
  stat->atime = stat->mtime = stat->ctime = kernel_now(); /* as somebody is at the other end */
  stat->inode = UINT32_MAX - (uint64_t)fd;                /* no inode has such a number */
  return 0;
}
