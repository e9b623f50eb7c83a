// SPDX-License-Identifier: MIT
/* mark.h -- what the tree was like at the last mark, as far as it has changed since.
 *
 * A mark costs nothing but a number. From then on the first change of a name in a folder notes what
 * the name led to, and the first change of a file's content notes its size; whatever has no note is
 * as it was. So the cost follows what a run changes, not what is there. An inode that a note leads
 * to stays in memory, without its content, until the next mark. */
#ifndef GUEST_FS_MARK_H
#define GUEST_FS_MARK_H

#include "../kernel/blob.h"
#include "inode.h"

/* Before a name is added (`now` is NULL), taken away, or made to lead elsewhere. */
void mark_name(inode *folder, const char *name, size_t size, inode *now);
/* Before a file's content changes. */
void mark_content(inode *file);
/* Mode or times are set. */
void mark_attributes(inode *changed);
/* The folder is about to be freed. */
void mark_forget(inode *folder);
/* What is there now counts as unchanged. */
void mark_now(void);
/* The number of the mark, for inodes made since. */
uint32_t mark_number(void);

/* Writes {"created": [...], "modified": [...], "deleted": [...]} for the tree below `folder`, whose
 * path is given. Of what is there now it tells "mode"; "atime" and "mtime", in ns, where they are
 * not those of the last change (set, or kept by what was only moved); and "content": false where
 * only these differ. 0, or -ENOMEM, also when there was no memory for a note. */
int mark_diff(inode *folder, const char *path, blob *to);

#endif
