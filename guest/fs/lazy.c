// SPDX-License-Identifier: MIT
/* lazy.c -- files that come into memory when somebody looks. */
#include "lazy.h"

#include <string.h>

#include "tree.h"

int lazy_load(inode *unread) {
  return unread->mount == MOUNT_TOOLS ? tool_files_load(unread) : mount_load(unread);
}

inode *lazy_add(inode *folder, const char *name, size_t size, file_kind kind, uint32_t mode) {
  inode *made = inode_create_uncounted(kind, mode);
  if (made == NULL) return NULL;
  if (folder_add(&folder->folder.entries, name, size, made) == NULL) {
    inode_release(made);
    return NULL;
  }
  made->made = 0; /* it was there before any mark */
  made->links = 1;
  made->holds = 0;
  made->system = folder->system;
  made->mount = folder->mount;
  if (kind == FILE_DIRECTORY) {
    made->folder.parent = folder;
    made->folder.depth = folder->folder.depth + 1;
    folder->folder.folders++;
  }
  return made;
}
