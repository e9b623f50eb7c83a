// SPDX-License-Identifier: MIT
/* directory.c -- reading a folder: a copy of its names, taken when it is opened, so that whoever
 * reads may add and remove meanwhile. */
#include <stdio.h>
#include <string.h>

#include "../kernel/descriptor.h"
#include "lazy.h"
#include "path.h"
#include "tree.h"

/* One block: this, then for each entry its kind and its name with a NUL. */
struct directory {
  char *at, *end;
};

static directory *create(size_t size) {
  directory *made = kernel_malloc(sizeof *made + size);
  if (made == NULL) return NULL;
  made->at = (char *)(made + 1);
  made->end = made->at;
  return made;
}

static void add(directory *to, file_kind kind, const char *name, size_t size) {
  *to->end++ = (char)kind;
  memcpy(to->end, name, size + 1);
  to->end += size + 1;
}

static directory *list_entries(const folder *of) {
  size_t size = 0;
  uint32_t slot = 0;
  const folder_entry *entry;
  while ((entry = folder_next(of, &slot)) != NULL) size += entry->size + 2u;
  directory *made = create(size);
  if (made == NULL) return NULL;
  slot = 0;
  while ((entry = folder_next(of, &slot)) != NULL)
    add(made, (file_kind)entry->inode->kind, entry->name, entry->size);
  return made;
}

static directory *list_descriptors(void) {
  int count = process_current()->file_count;
  directory *made = create((size_t)count * 6);
  for (int fd = 0; made != NULL && fd < count; fd++) {
    char name[16];
    if (descriptor_get(fd) == NULL) continue;
    int size = snprintf(name, sizeof name, "%d", fd);
    add(made, FILE_LINK, name, (size_t)size);
  }
  return made;
}

int directory_open(const char *path, directory **opened) {
  place at;
  int error = path_find(path, WALK_FOLLOW, &at);
  if (error != 0) return error;
  if (at.found == NULL || at.found->kind != FILE_DIRECTORY) return -ENOTDIR;
  if (!inode_permits(at.found, RIGHT_READ)) return -EACCES;
  error = inode_load(at.found);
  if (error != 0) return error;
  *opened = at.found->device == DEVICE_DESCRIPTORS ? list_descriptors()
                                                   : list_entries(&at.found->folder.entries);
  if (*opened == NULL) return -ENOMEM;
  inode_touch_access(at.found);
  return 0;
}

bool directory_next(directory *open, const char **name, file_kind *kind) {
  if (open->at == open->end) return false;
  *kind = (file_kind)*open->at++;
  *name = open->at;
  open->at += strlen(open->at) + 1;
  return true;
}

void directory_close(directory *open) {
  kernel_free(open);
}
