// SPDX-License-Identifier: MIT
/* tree.c -- changes to the tree of names. Depth is bounded by FOLDER_DEPTH, so recursion here is
 * too. */
#include "tree.h"

#include <string.h>

#include "lazy.h"
#include "mark.h"
#include "path.h"

bool tree_is_below(const inode *inner, const inode *outer) {
  for (; inner != NULL; inner = inner->folder.parent) {
    if (inner == outer) return true;
    if (inner == inode_root()) return false;
  }
  return false;
}

/* How many folders lie in one another below it, itself included. */
static uint32_t height(const inode *of) {
  if (of->kind != FILE_DIRECTORY) return 0;
  uint32_t highest = 0, slot = 0;
  const folder_entry *entry;
  while ((entry = folder_next(&of->folder.entries, &slot)) != NULL) {
    uint32_t inner = height(entry->inode);
    if (inner > highest) highest = inner;
  }
  return highest + 1;
}

static void place_below(inode *placed, inode *parent) {
  placed->folder.parent = parent;
  placed->folder.depth = parent->folder.depth + 1;
  uint32_t slot = 0;
  const folder_entry *entry;
  while ((entry = folder_next(&placed->folder.entries, &slot)) != NULL)
    if (entry->inode->kind == FILE_DIRECTORY) place_below(entry->inode, placed);
}

static int check_depth(const inode *folder, const inode *added) {
  return folder->folder.depth + height(added) > FOLDER_DEPTH ? -ENAMETOOLONG : 0;
}

int tree_add(inode *folder, const char *name, size_t size, inode *added) {
  int error = check_depth(folder, added);
  if (error != 0) return error;
  mark_name(folder, name, size, NULL);
  if (folder_add(&folder->folder.entries, name, size, added) == NULL) return -ENOMEM;
  added->links++;
  if (added->kind == FILE_DIRECTORY) {
    place_below(added, folder);
    folder->folder.folders++;
  }
  inode_touch(folder);
  return 0;
}

void tree_remove(inode *folder, folder_entry *entry) {
  inode *removed = entry->inode;
  mark_name(folder, entry->name, entry->size, removed);
  folder_remove(&folder->folder.entries, entry);
  inode_touch(folder);
  if (removed->kind == FILE_DIRECTORY) folder->folder.folders--;
  inode_unlink(removed);
}

void tree_remove_all(inode *folder, folder_entry *entry) {
  inode *removed = entry->inode;
  if (removed->kind == FILE_DIRECTORY) {
    uint32_t slot = 0;
    folder_entry *inner;
    while ((inner = folder_next(&removed->folder.entries, &slot)) != NULL)
      tree_remove_all(removed, inner);
  }
  tree_remove(folder, entry);
}

int tree_move(inode *from_folder, folder_entry *from, inode *to_folder, const char *name,
              size_t size) {
  inode *moved = from->inode;
  int error = check_depth(to_folder, moved);
  if (error != 0) return error;
  folder_entry *over = folder_find(&to_folder->folder.entries, name, size);
  mark_name(to_folder, name, size, over == NULL ? NULL : over->inode);
  mark_name(from_folder, from->name, from->size, moved);
  if (over != NULL) { /* the name stays, and leads elsewhere */
    inode *replaced = over->inode;
    over->inode = moved;
    if (replaced->kind == FILE_DIRECTORY) to_folder->folder.folders--;
    inode_unlink(replaced);
  } else if (folder_add(&to_folder->folder.entries, name, size, moved) == NULL) {
    return -ENOMEM;
  }
  folder_remove(&from_folder->folder.entries, from);
  if (moved->kind == FILE_DIRECTORY) {
    place_below(moved, to_folder);
    from_folder->folder.folders--;
    to_folder->folder.folders++;
  }
  inode_touch(from_folder);
  inode_touch(to_folder);
  inode_touch_change(moved);
  return 0;
}

/* ---- for the host ---- */

bool tree_is_systems(const inode *folder) {
  unsigned rights = folder->system ? folder->mode : folder->mode >> 6;
  return !(rights & RIGHT_WRITE);
}

int tree_make_folder(inode *in, const char *name, size_t size, inode **folder) {
  int error = inode_load(in);
  if (error != 0) return error;
  const folder_entry *entry = folder_find(&in->folder.entries, name, size);
  if (entry != NULL) {
    *folder = entry->inode;
    return entry->inode->kind == FILE_DIRECTORY ? 0 : -ENOTDIR;
  }
  inode *made = inode_create(FILE_DIRECTORY, 0755, &error);
  if (made == NULL) return error;
  made->system = tree_is_systems(in);
  error = tree_add(in, name, size, made);
  if (error == 0) *folder = made;
  inode_release(made);
  return error;
}

int tree_make_folders(const char *path) {
  char part[PATH_BYTES];
  size_t size = strlen(path), at = 0;
  if (size >= sizeof part) return -ENAMETOOLONG;
  do {
    at += strspn(path + at, "/");
    at += strcspn(path + at, "/");
    memcpy(part, path, at);
    part[at] = 0;
    place to;
    inode *made;
    int error = path_walk(at == 0 ? "/" : part, WALK_FOLLOW, &to);
    if (error != 0) return error;
    if (to.found == NULL) error = tree_make_folder(to.folder, to.name, to.name_size, &made);
    if (error != 0) return error;
  } while (path[at] != 0);
  return 0;
}
