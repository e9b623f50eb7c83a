// SPDX-License-Identifier: MIT
/* lazy.h -- files that come into memory when somebody looks: /tools, and folders of the host.
 *
 * An inode that is `unread` stands for something elsewhere. Whoever goes into a folder, or touches
 * a file's content, loads it first; that does not wait (see "Mounts" in abi/messages.h). */
#ifndef GUEST_FS_LAZY_H
#define GUEST_FS_LAZY_H

#include "../kernel/blob.h"
#include "inode.h"

/* The inode.mount of what is below /tools. */
#define MOUNT_TOOLS 0xFFFFu

int lazy_load(inode *unread);

/* Its entries or its content are here now. 0; -EIO when the host does not answer, or what it says.
 */
static inline int inode_load(inode *wanted) {
  return wanted->unread ? lazy_load(wanted) : 0;
}

/* A new entry of a loading folder, with no note made of it. NULL when there is no memory. */
inode *lazy_add(inode *folder, const char *name, size_t size, file_kind kind, uint32_t mode);

/* ---- tool_files.c ---- */

int tool_files_load(inode *unread);
/* Forgets what is in /tools; it will be made again. */
void tool_files_reset(void);

/* ---- tool_types.c ---- */

/* A tool's TypeScript declaration; its definition is one element of the host's array. */
void tool_types_write(blob *to, const char *definition, size_t size);

/* ---- mount.c ---- */

int mount_load(inode *unread);
/* ABI_MOUNT. 0 or a negative errno. */
int mount_add(uint32_t mount, uint32_t source, bool writable, const char *path);
/* Natively addresses do not fit into an abi_fetch: these are they. */
uint8_t *mount_buffer(void);
void *mount_answer(void);

#endif
