// SPDX-License-Identifier: MIT
/* inode.h -- what a file is, apart from its names.
 *
 *   folder entry --(name)--> inode --> content | folder | link's target | device
 *
 * An inode lives while a folder names it (`links`) or somebody holds it (`holds`: an open file, a
 * process's folder). Nothing waits in the middle of an operation on the tree, so within one a bare
 * pointer is enough. There are a handful of inodes in most runs and 10,000 in a large one. */
#ifndef GUEST_FS_INODE_H
#define GUEST_FS_INODE_H

#include "../kernel/kernel.h"
#include "content.h"
#include "folder.h"

#define NAME_BYTES 255u
#define PATH_BYTES 4096u
/* Folders in folders. Paths of 4,095 bytes reach 2,047, but every one of them would have to be
 * walked by whoever removes, lists or exports a tree. */
#define FOLDER_DEPTH 512u

typedef enum {
  DEVICE_NONE,
  DEVICE_NULL,
  DEVICE_ZERO,
  DEVICE_FULL,
  DEVICE_RANDOM,
  DEVICE_DESCRIPTORS /* the folder /dev/fd, whose names are the descriptors of who looks */
} device_kind;

typedef struct inode {
  uint32_t number;
  uint32_t links; /* names; for a folder 1 while it has its place in the tree */
  uint32_t holds;
  uint16_t mode;
  uint8_t kind;    /* a file_kind */
  uint8_t device;  /* a device_kind */
  bool system;     /* belongs to root: the program has the rights of others there */
  bool counted;    /* against the limit on files */
  bool timed;      /* its times are what somebody set them to */
  bool unread;     /* of a mount or /tools: content or entries are not here yet, see lazy.h */
  uint16_t mount;  /* whose; 0 for what was made here */
  uint32_t source; /* its number there */
  /* For mark.h. */
  uint32_t made, changed; /* at which mark; changed: content */
  uint32_t attributes;    /* at which mark mode or times were set */
  uint32_t remembered;    /* notes that lead here */
  uint64_t old_size;      /* at the mark, if it has changed since */
  int64_t atime, mtime, ctime;
  union {
    content content;
    struct {
      folder entries;
      struct inode *parent; /* the root is its own; one that was removed and is held still has it */
      uint32_t depth;
      uint32_t folders; /* entries that are folders */
      struct folder_notes *notes;
    } folder;
    struct {
      char *target;
      size_t size;
    } link;
  };
} inode;

/* With no name and one hold. NULL when there is no memory; *error says that or -ENOSPC. */
inode *inode_create(file_kind kind, uint32_t mode, int *error);
/* For what the program did not make: no limit applies. NULL when there is no memory. */
inode *inode_create_uncounted(file_kind kind, uint32_t mode);
void inode_hold(inode *held);
void inode_release(inode *released);
/* One note fewer. */
void inode_unremember(inode *forgotten);
/* One name fewer. */
void inode_unlink(inode *unlinked);

void inode_stat(const inode *asked, file_stat *stat);
/* The content, or the entries, have changed. */
void inode_touch(inode *changed);
/* Mode, names or owner have. */
void inode_touch_change(inode *changed);
/* It was read; the time is kept as Linux's relatime does. */
void inode_touch_access(inode *read);

/* Whether the program may: a set of RIGHT_ bits. */
enum { RIGHT_EXECUTE = 1, RIGHT_WRITE = 2, RIGHT_READ = 4 };
bool inode_permits(const inode *asked, unsigned rights);

inode *inode_root(void);
/* /workspace and /tools: the root is the system's, so their names cannot go. */
inode *inode_workspace(void);
inode *inode_tools(void);
void inode_boot(void);

#endif
