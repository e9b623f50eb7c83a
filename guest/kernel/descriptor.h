// SPDX-License-Identifier: MIT
/* descriptor.h -- what a process has open.
 *
 *   process.files[fd] --> open_file (counted: dup and spawn share it) --> inode or pipe or console
 */
#ifndef GUEST_KERNEL_DESCRIPTOR_H
#define GUEST_KERNEL_DESCRIPTOR_H

#include "../fs/inode.h"
#include "pipe.h"
#include "process.h"

/* As a shell's ulimit -n says on most systems. */
#define DESCRIPTOR_MAX 1024

typedef enum { OPEN_INODE, OPEN_PIPE, OPEN_CONSOLE } open_kind;

typedef struct open_file {
  uint32_t references;
  open_kind kind;
  int flags; /* OPEN_READ, OPEN_WRITE, OPEN_APPEND */
  uint64_t offset;
  inode *inode;
  pipe *pipe; /* OPEN_PIPE: the end that `flags` says */
  int stream; /* OPEN_CONSOLE: 1 or 2 */
} open_file;

/* The parent's, or for a run's first process standard input and the console. 0 or -ENOMEM. */
int descriptors_inherit(process *child, const process *parent);
void descriptors_close_all(process *of);

/* What is open there, or NULL. */
open_file *descriptor_get(int fd);
/* Puts it at the first free number from `lowest`: takes over one reference, also when it fails. */
int descriptor_add(open_file *added, int lowest);
/* Holds nothing yet. NULL when there is no memory. */
open_file *open_file_create(open_kind kind, int flags);
void open_file_release(open_file *released);
/* Its standard input is a file with these bytes, for the next run. */
int descriptors_set_stdin(const void *bytes, size_t size);
/* Those bytes become standard input of the current process. */
int descriptors_renew_stdin(void);

#endif
