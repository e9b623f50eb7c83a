// SPDX-License-Identifier: MIT
/* folder.h -- the entries of a directory, in the order they were made, found by name.
 *
 *   slots: [ entry | entry | gone | entry ]      index: hash of the name -> slot
 *
 * Up to eight entries are searched one by one; then there is an index, open-addressed, twice as
 * large as the slots. */
#ifndef GUEST_FS_FOLDER_H
#define GUEST_FS_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct inode;

typedef struct {
  struct inode *inode;
  uint32_t hash;
  uint16_t size;
  char name[]; /* NUL-terminated */
} folder_entry;

typedef struct {
  folder_entry **slots;
  uint32_t *index; /* slot + 1, 0 where nothing is; NULL for a small folder */
  uint32_t used;   /* slots in use, gone ones included */
  uint32_t live;
  uint32_t capacity; /* of slots */
} folder;

folder_entry *folder_find(const folder *in, const char *name, size_t size);
/* The name is not there yet. NULL when there is no memory. */
folder_entry *folder_add(folder *to, const char *name, size_t size, struct inode *added);
void folder_remove(folder *from, const folder_entry *removed);
void folder_release(folder *released);
/* The entry at or after *slot, which then is behind it; NULL at the end. */
folder_entry *folder_next(const folder *in, uint32_t *slot);

#endif
