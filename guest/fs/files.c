// SPDX-License-Identifier: MIT
/* files.c -- what a program does with names: each call checks everything, then changes the tree. */
#include "files.h"

#include <string.h>

#include "../kernel/descriptor.h"
#include "lazy.h"
#include "mark.h"
#include "path.h"
#include "tree.h"

/* ---- checks ---- */

/* Whether names in it may change. A sticky folder (/tmp) has only files of the program's own, or of
 * the system's, which nobody here may move. */
static int check_changeable(const inode *folder) {
  if (folder->links == 0) return -ENOENT;
  return inode_permits(folder, RIGHT_WRITE | RIGHT_EXECUTE) ? 0 : -EACCES;
}

static int check_removable(const place *at) {
  int error = check_changeable(at->folder);
  if (error != 0) return error;
  bool sticky = at->folder->system && at->folder->mode & 01000;
  return sticky && at->found->system ? -EPERM : 0;
}

static int check_owner(const inode *asked) {
  return asked->system ? -EPERM : 0;
}

/* A name that is not there yet, for a folder or something else. */
static int walk_to_new(const char *path, bool for_folder, place *at) {
  int error = path_walk(path, WALK_NAME, at);
  if (error != 0) return error;
  if (at->dots || at->found != NULL || at->descriptor >= 0) return -EEXIST;
  if (at->error == -ENAMETOOLONG) return at->error;
  return at->slash && !for_folder ? -ENOENT : 0;
}

/* ---- new names ---- */

/* Names it, and lets go of it. */
static int add_new(const place *at, inode *made) {
  int error = tree_add(at->folder, at->name, at->name_size, made);
  inode_release(made);
  return error;
}

static uint32_t mask_mode(uint32_t mode) {
  const process *self = process_current();
  return mode & 07777 & ~(self == NULL ? 022 : self->umask);
}

int sys_mkdir(const char *path, uint32_t mode) {
  place at;
  int error = walk_to_new(path, true, &at);
  if (error == 0) error = check_changeable(at.folder);
  if (error != 0) return error;
  inode *made = inode_create(FILE_DIRECTORY, mask_mode(mode), &error);
  return made == NULL ? error : add_new(&at, made);
}

int sys_symlink(const char *target, const char *path) {
  place at;
  size_t size = strlen(target);
  if (size == 0) return -ENOENT;
  if (size >= PATH_BYTES) return -ENAMETOOLONG;
  int error = walk_to_new(path, false, &at);
  if (error == 0) error = check_changeable(at.folder);
  if (error != 0) return error;
  inode *made = inode_create(FILE_LINK, 0777, &error);
  if (made == NULL) return error;
  made->link.target = kernel_malloc(size + 1);
  if (made->link.target == NULL) {
    inode_release(made);
    return -ENOMEM;
  }
  memcpy(made->link.target, target, size + 1);
  made->link.size = size;
  return add_new(&at, made);
}

int sys_link(const char *from, const char *to) {
  place at;
  int error = path_find(from, WALK_LINK, &at);
  if (error != 0) return error;
  inode *linked = at.found;
  if (linked == NULL) return -EPERM;
  error = walk_to_new(to, false, &at);
  if (error == 0) error = check_owner(linked);
  if (error == 0) error = check_changeable(at.folder);
  if (error == 0 && linked->kind == FILE_DIRECTORY) error = -EPERM;
  if (error != 0) return error;
  inode_touch_change(linked);
  return tree_add(at.folder, at.name, at.name_size, linked);
}

/* ---- names taken away ---- */

int sys_unlink(const char *path) {
  place at;
  int error = path_find(path, WALK_NAME, &at);
  if (error != 0) return error;
  if (at.entry == NULL) return at.descriptor >= 0 ? -EACCES : -EISDIR;
  if (at.slash) return at.found->kind == FILE_DIRECTORY ? -EISDIR : -ENOTDIR;
  error = check_removable(&at);
  if (error == 0 && at.found->kind == FILE_DIRECTORY) error = -EISDIR;
  if (error != 0) return error;
  tree_remove(at.folder, at.entry);
  return 0;
}

static int check_last_name(const place *at) {
  if (at->descriptor >= 0) return -EACCES;
  if (at->entry != NULL) return 0;
  if (at->name_size == 0) return -EBUSY; /* the root */
  return at->name_size == 1 ? -EINVAL : -ENOTEMPTY;
}

static int check_empty(inode *folder) {
  int error = inode_load(folder);
  return error == 0 && folder->folder.entries.live > 0 ? -ENOTEMPTY : error;
}

int sys_rmdir(const char *path) {
  place at;
  int error = path_find(path, WALK_NAME, &at);
  if (error == 0) error = check_last_name(&at);
  if (error == 0) error = check_removable(&at);
  if (error != 0) return error;
  if (at.found->kind != FILE_DIRECTORY) return -ENOTDIR;
  error = check_empty(at.found);
  if (error == 0) tree_remove(at.folder, at.entry);
  return error;
}

/* ---- rename ---- */

/* Neither into itself, nor over a folder that it lies in. */
static int check_loop(const place *from, const place *to) {
  if (from->found->kind == FILE_DIRECTORY && tree_is_below(to->folder, from->found)) return -EINVAL;
  bool over_folder = to->found != NULL && to->found->kind == FILE_DIRECTORY;
  return over_folder && tree_is_below(from->folder, to->found) ? -ENOTEMPTY : 0;
}

/* A folder that moves must be writable itself, since its ".." changes. */
static int check_move(const place *from, const place *to) {
  bool is_folder = from->found->kind == FILE_DIRECTORY;
  if (!is_folder && (from->slash || to->slash)) return -ENOTDIR;
  int error = check_loop(from, to);
  if (error != 0 || from->found == to->found) return error;
  error = check_removable(from);
  if (error == 0) error = to->found == NULL ? check_changeable(to->folder) : check_removable(to);
  if (error != 0) return error;
  bool to_folder = to->found != NULL && to->found->kind == FILE_DIRECTORY;
  if (to->found != NULL && is_folder != to_folder) return is_folder ? -ENOTDIR : -EISDIR;
  if (is_folder && from->folder != to->folder && !inode_permits(from->found, RIGHT_WRITE))
    return -EACCES;
  return to_folder ? check_empty(to->found) : 0;
}

int sys_rename(const char *from_path, const char *to_path) {
  place from, to;
  int error = path_walk(from_path, WALK_NAME, &from);
  int to_error = path_walk(to_path, WALK_NAME, &to);
  if (error != 0) return error;
  if (to_error != 0) return to_error;
  if (from.descriptor >= 0 || to.descriptor >= 0) return -EACCES;
  if (from.dots || to.dots) return -EBUSY;
  if (from.found == NULL) return from.error;
  if (to.found == NULL && to.error == -ENAMETOOLONG) return to.error;
  error = check_move(&from, &to);
  if (error != 0) return error;
  if (from.found == to.found) return 0; /* two names of one file: both stay */
  return tree_move(from.folder, from.entry, to.folder, to.name, to.name_size);
}

/* ---- attributes ---- */

static int stat_at(const char *path, walk_kind kind, file_stat *stat) {
  place at;
  int error = path_find(path, kind, &at);
  if (error != 0) return error;
  if (at.descriptor >= 0) return sys_fstat(at.descriptor, stat);
  bool size_unknown = at.found->kind == FILE_DIRECTORY || at.found->mount == MOUNT_TOOLS;
  error = size_unknown ? inode_load(at.found) : 0;
  if (error != 0) return error;
  inode_stat(at.found, stat);
  return 0;
}

int sys_stat(const char *path, file_stat *stat) {
  return stat_at(path, WALK_FOLLOW, stat);
}
int sys_lstat(const char *path, file_stat *stat) {
  return stat_at(path, WALK_LINK, stat);
}

int64_t sys_readlink(const char *path, char *to, size_t size) {
  place at;
  int error = path_find(path, WALK_LINK, &at);
  if (error != 0) return error;
  if (at.found == NULL || at.found->kind != FILE_LINK) return -EINVAL;
  if (size > at.found->link.size) size = at.found->link.size;
  memcpy(to, at.found->link.target, size);
  inode_touch_access(at.found);
  return (int64_t)size;
}

static int set_mode(inode *of, uint32_t mode) {
  int error = check_owner(of);
  if (error != 0) return error;
  mark_attributes(of);
  of->mode = (uint16_t)(mode & 07777);
  inode_touch_change(of);
  return 0;
}

static int set_times(inode *of, int64_t atime, int64_t mtime) {
  int error = check_owner(of);
  if (error != 0) return error;
  mark_attributes(of);
  of->atime = atime;
  of->mtime = mtime;
  of->timed = true;
  inode_touch_change(of);
  return 0;
}

/* The inode that is open; NULL: it is a pipe or a stream of the host's, which nobody here owns. */
static int find_open(int fd, inode **found) {
  const open_file *open = descriptor_get(fd);
  *found = open == NULL || open->kind != OPEN_INODE ? NULL : open->inode;
  return open == NULL ? -EBADF : *found == NULL ? -EPERM : 0;
}

int sys_chmod(const char *path, uint32_t mode) {
  place at;
  int error = path_find(path, WALK_FOLLOW, &at);
  if (error != 0) return error;
  return at.found == NULL ? -EPERM : set_mode(at.found, mode);
}

int sys_fchmod(int fd, uint32_t mode) {
  inode *found;
  int error = find_open(fd, &found);
  return error != 0 ? error : set_mode(found, mode);
}

int sys_utimes(const char *path, int64_t atime, int64_t mtime, bool follow) {
  place at;
  int error = path_find(path, follow ? WALK_FOLLOW : WALK_LINK, &at);
  if (error != 0) return error;
  return at.found == NULL ? -EPERM : set_times(at.found, atime, mtime);
}

int sys_futimes(int fd, int64_t atime, int64_t mtime) {
  inode *found;
  int error = find_open(fd, &found);
  return error != 0 ? error : set_times(found, atime, mtime);
}

int sys_truncate_path(const char *path, uint64_t size) {
  place at;
  int error = path_find(path, WALK_FOLLOW, &at);
  if (error != 0) return error;
  if (at.found == NULL) return -EINVAL;
  if (at.found->kind == FILE_DIRECTORY) return -EISDIR;
  if (at.found->kind != FILE_REGULAR) return -EINVAL;
  if (!inode_permits(at.found, RIGHT_WRITE)) return -EACCES;
  error = inode_load(at.found);
  if (error != 0) return error;
  mark_content(at.found);
  error = content_resize(&at.found->content, size);
  if (error == 0) inode_touch(at.found);
  return error;
}

int sys_access(const char *path, int mode) {
  place at;
  int error = path_find(path, WALK_FOLLOW, &at);
  if (error != 0 || at.found == NULL) return error;
  unsigned rights = (mode & OPEN_READ ? RIGHT_READ : 0u) | (mode & OPEN_WRITE ? RIGHT_WRITE : 0u) |
                    (mode & 1 << 8 ? RIGHT_EXECUTE : 0u);
  return inode_permits(at.found, rights) ? 0 : -EACCES;
}

/* ---- the process's folder ---- */

int sys_chdir(const char *path) {
  process *self = process_current();
  place at;
  int error = path_find(path, WALK_FOLLOW, &at);
  if (error != 0) return error;
  if (at.found == NULL || at.found->kind != FILE_DIRECTORY) return -ENOTDIR;
  if (!inode_permits(at.found, RIGHT_EXECUTE)) return -EACCES;
  inode_hold(at.found);
  inode_release(self->folder);
  self->folder = at.found;
  return 0;
}

int64_t sys_getcwd(char *to, size_t size) {
  return path_of(process_current()->folder, to, size);
}

uint32_t sys_umask(uint32_t mask) {
  process *self = process_current();
  uint32_t old = self->umask;
  self->umask = mask & 0777;
  return old;
}
