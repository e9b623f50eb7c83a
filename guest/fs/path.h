// SPDX-License-Identifier: MIT
/* path.h -- from a path to where it leads.
 *
 * As POSIX says: each component is looked up in the folder before it, "." and ".." too, links are
 * followed where they stand, and a trailing slash asks for a folder. */
#ifndef GUEST_FS_PATH_H
#define GUEST_FS_PATH_H

#include "inode.h"

typedef struct {
  inode *folder;       /* where the last component is looked up */
  inode *found;        /* what it leads to; NULL when there is no such name */
  folder_entry *entry; /* the name itself; NULL for /, . and .., or when there is none */
  const char *name;    /* the last component, in the path or in a link's target; "" for / */
  size_t name_size;
  bool dots;      /* the last component is "." or "..", or the path is "/" */
  bool slash;     /* something followed it: only a folder will do */
  int descriptor; /* it is /dev/fd/N: N, else -1 */
  int error;      /* why nothing was found: -ENOENT, or -ENAMETOOLONG for WALK_NAME */
} place;

/* What is done about the last component when it is a link. NAME: it is a name to be made, removed
 * or moved, so nothing, not even with a slash behind it. LINK: followed only if there is a slash.
 * CREATE, CREATE_HERE: a file is to be made there if it is not there; a slash behind it is -EISDIR.
 */
typedef enum { WALK_NAME, WALK_LINK, WALK_FOLLOW, WALK_CREATE, WALK_CREATE_HERE } walk_kind;

/* Everything but the last component must be there. 0, -ENOENT, -ENOTDIR, -EACCES, -ELOOP,
 * -ENAMETOOLONG. A last component that is not there is no error: found is NULL. One that is there
 * and is no folder, with a slash behind it, is -ENOTDIR, but not for WALK_NAME. */
int path_walk(const char *path, walk_kind kind, place *to);
/* As path_walk, and -ENOENT when the last component is not there. */
int path_find(const char *path, walk_kind kind, place *to);
/* The path of a folder from the root, NUL-terminated. Its length; -ENOENT when it was removed,
 * -ERANGE. */
int64_t path_of(const inode *folder, char *to, size_t size);

#endif
