// SPDX-License-Identifier: MIT
/* walk.h -- goes through a tree of files, for rm, cp, chmod, grep -r, du and others. The names of
 * one folder are read before it is entered, and the stack of folders is on the heap. */
#ifndef GUEST_BIN_WALK_H
#define GUEST_BIN_WALK_H

#include "../kernel/kernel.h"

typedef enum { WALK_FILE, WALK_ENTER, WALK_LEAVE, WALK_ERROR } walk_event;

typedef struct walk_folder walk_folder;
typedef struct {
  walk_folder *top;
  bool sorted, follow; /* follow links below the start */
  bool skip;           /* set after WALK_ENTER: do not go in (no WALK_LEAVE then) */
  /* What walk_next says: */
  const char *path; /* good until the next call */
  const char *name; /* its last component; the start as it was given */
  file_stat stat;   /* lstat, or stat where links are followed */
  int depth;        /* 0 for the start */
  int error;        /* WALK_ERROR: errno; of reading the folder `path` when reading_folder */
  bool reading_folder;
  char *start; /* the rest is private */
  bool follow_start;
  int state;
} walk;

/* `follow_start`: a link given as the start is followed. */
void walk_start(walk *w, const char *path, bool follow_start);
bool walk_next(walk *w, walk_event *event);

#endif
