// SPDX-License-Identifier: MIT
/* tree.h -- changes to the tree of names, once it is clear that they may be made.
 *
 * The names that a program uses are checked in files.c, those of the host in host_files.c; here
 * only what would break the tree is refused. */
#ifndef GUEST_FS_TREE_H
#define GUEST_FS_TREE_H

#include "inode.h"

/* Folders whose entries are made when somebody first looks: /tools, mounts. 0 or a negative errno.
 */
int tree_load(inode *folder);

/* Gives `added`, which has no place yet or is no folder, a name. The hold of whoever made it stays.
 * -ENOMEM, -ENAMETOOLONG when folders become too deep. */
int tree_add(inode *folder, const char *name, size_t size, inode *added);
/* Takes the name away. */
void tree_remove(inode *folder, folder_entry *entry);
/* Everything below a folder too. */
void tree_remove_all(inode *folder, folder_entry *entry);
/* Moves the name; what `to` names, if anything, is gone. -ENOMEM, -ENAMETOOLONG. */
int tree_move(inode *from_folder, folder_entry *from, inode *to_folder, const char *name,
              size_t size);
/* The folder of that name, made if there is none: for the host, which asks nobody. -ENOTDIR when
 * something else has the name. */
int tree_make_folder(inode *in, const char *name, size_t size, inode **folder);
/* The same for each component of a path from the root; links are followed. */
int tree_make_folders(const char *path);
/* Whether what the host makes in it should be the system's: where a program could not make it. */
bool tree_is_systems(const inode *folder);
/* True if `inner` is `outer` or lies below it. */
bool tree_is_below(const inode *inner, const inode *outer);

#endif
