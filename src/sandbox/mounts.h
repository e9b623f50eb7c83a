// SPDX-License-Identifier: MIT
/* mounts.h -- folders of the host that appear in a guest.
 *
 * A mount costs an open folder and nothing more until the guest looks. Then it asks (ABI_FETCH), in
 * the middle of something, for the entries of a folder or bytes of a file, and is answered between
 * two turns. Everything it may ask about has a number that it was told before:
 *
 *   source -> node: name, and the source of the folder it is in -> ... -> the mount itself
 *
 * Numbers are never used again, and one name in one folder has one number, so a guest that asks for
 * ever does not fill the host's memory. */
#ifndef CLOCHE_SANDBOX_MOUNTS_H
#define CLOCHE_SANDBOX_MOUNTS_H

#include <stdbool.h>
#include <sys/stat.h>

#include "json/buffer.h"

/* What a file of the host was when the guest last saw it: so that a write-back does not undo what
 * somebody else has done since. */
typedef struct cloche__sighting {
  dev_t device;
  ino_t inode; /* 0: it was not seen */
  int64_t mtime;
  uint64_t size;
} cloche__sighting;

typedef struct cloche__node {
  uint32_t parent; /* a source; 0 for a mount */
  uint16_t mount;  /* its index */
  uint16_t name_size;
  size_t name; /* in cloche__mounts.names */
  cloche__sighting seen;
} cloche__node;

typedef struct cloche__mount {
  int folder; /* O_PATH */
  bool writable;
  char *guest; /* "/data" */
  uint32_t source;
} cloche__mount;

/* All zero: no mounts, and may be freed. */
typedef struct cloche__mounts {
  cloche__mount *list;
  size_t count;
  bool writable;       /* one of them is */
  cloche__node *nodes; /* by source - 1 */
  uint32_t node_count, node_capacity;
  cloche__buffer names;
  uint32_t *index; /* of nodes by parent and name; a power of two */
  uint32_t index_size;
  /* What was asked for last, kept while more of it is asked for. */
  uint32_t listed; /* 0: none */
  cloche__buffer listing;
  uint32_t opened; /* 0: none */
  int file;
  uint8_t *room; /* CLOCHE__FETCH_BYTES */
} cloche__mounts;

void cloche__mounts_free(cloche__mounts *mounts);
/* Forgets what was kept for going on: a run has ended. */
void cloche__mounts_rest(cloche__mounts *mounts);

/* Answers an ABI_FETCH, whose payload is hostile. False: it makes no sense. */
bool cloche__mounts_fetch(cloche_sandbox *box, uint32_t mount, const uint8_t *bytes, uint32_t size);

/* ---- for write_back.c ---- */

/* The mount that a path of the guest lies in, which is not the mount's own; NULL: none. *below is
 * then what follows, without the slash. */
const cloche__mount *cloche__mounts_of(const cloche__mounts *mounts, cloche_text path,
                                       cloche_text *below);
/* The node of a path below a mount, made if need be. NULL: no memory, or too many. Valid until the
 * next one is made. */
cloche__node *cloche__mounts_node(cloche__mounts *mounts, const cloche__mount *mount,
                                  cloche_text below);
void cloche__sighting_set(cloche__sighting *seen, const struct stat *stat);
bool cloche__sighting_is(const cloche__sighting *seen, const struct stat *stat);

/* write_back.c: does to the folders of writable mounts what the run did to theirs in the guest, and
 * notes in the changes how that went. */
void cloche__write_back(cloche_sandbox *box);

#endif
