// SPDX-License-Identifier: MIT
/* tree.c -- changes to the tree of names. Depth is bounded by FOLDER_DEPTH, so recursion here is
 * too. */
#include "tree.h"

int tree_load(inode *folder) {
  (void)folder;
  return 0;
}

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
