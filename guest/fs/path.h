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
  const char *name;    /* the last component, in `text`; "" for / */
  size_t name_size;
  bool dots;             /* the last component is "." or "..", or the path is "/" */
  bool slash;            /* something followed it: only a folder will do */
  int descriptor;        /* it is /dev/fd/N: N, else -1 */
  char text[PATH_BYTES]; /* what was still to be walked */
} place;

/* Everything but the last component must be there. 0, -ENOENT, -ENOTDIR, -EACCES, -ELOOP,
 * -ENAMETOOLONG. A last component that is not there is no error: found is NULL. One that is there
 * and is no folder, with a slash behind it, is -ENOTDIR. */
int path_walk(const char *path, bool follow, place *to);
/* As path_walk, and -ENOENT when the last component is not there. */
int path_find(const char *path, bool follow, place *to);
/* The path of a folder from the root, NUL-terminated. Its length; -ENOENT when it was removed,
 * -ERANGE. */
int64_t path_of(const inode *folder, char *to, size_t size);

#endif
