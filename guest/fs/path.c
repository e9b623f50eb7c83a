// SPDX-License-Identifier: MIT
/* path.c -- from a path to where it leads.
 *
 * Iterative: where a link is followed, what is left of the path is put on a stack and the target is
 * walked first. Nothing is copied; the targets stay where they are while nobody waits. */
#include "path.h"

#include <string.h>

#include "../kernel/descriptor.h"
#include "lazy.h"

/* As Linux has it. */
enum { LINKS_MAX = 40 };

typedef struct {
  place *to;
  walk_kind kind;
  const char *at;               /* what is still to be walked, */
  const char *later[LINKS_MAX]; /* and what after that, the next on top */
  int depth;                    /* of `later` */
  int links;                    /* followed so far */
  bool slash; /* the last link that was followed had a slash behind it, and no more */
} walk;

/* ---- text ---- */

static const char *skip_slashes(const char *text) {
  return text + strspn(text, "/");
}

static bool is_last(const walk *in) {
  return *skip_slashes(in->at) == 0 && in->depth == 0;
}

/* The next component, and whether something follows it. */
static void next_component(walk *in) {
  place *to = in->to;
  to->name = in->at;
  to->name_size = strcspn(to->name, "/");
  in->at += to->name_size;
  to->slash = *in->at == '/' || in->depth > 0 || in->slash;
}

static bool is_dots(const place *at) {
  return (at->name_size == 1 || (at->name_size == 2 && at->name[1] == '.')) && at->name[0] == '.';
}

/* ---- looking up ---- */

/* /dev/fd/N: the inode that is open there, if it is one. */
static void look_up_descriptor(place *to) {
  int fd = 0;
  if (to->name_size > 4 || to->name_size == 0) return;
  for (size_t i = 0; i < to->name_size; i++) {
    if (to->name[i] < '0' || to->name[i] > '9') return;
    fd = fd * 10 + to->name[i] - '0';
  }
  const open_file *open = descriptor_get(fd);
  if (open == NULL) return;
  to->descriptor = fd;
  to->found = open->inode;
}

static int look_up(const walk *in, place *to) {
  to->entry = NULL;
  to->found = NULL;
  to->descriptor = -1;
  to->error = -ENOENT;
  to->dots = is_dots(to);
  if (!inode_permits(to->folder, RIGHT_EXECUTE)) return -EACCES;
  bool create = in->kind == WALK_CREATE || in->kind == WALK_CREATE_HERE;
  if (create && to->slash && !to->dots && is_last(in)) return -EISDIR;
  if (to->name_size > NAME_BYTES && (to->dots || to->folder->links > 0)) {
    to->error = -ENAMETOOLONG;
    return in->kind == WALK_NAME && is_last(in) ? 0 : -ENAMETOOLONG;
  }
  if (to->dots) {
    to->found = to->name_size == 1 ? to->folder : to->folder->folder.parent;
    return to->found == NULL ? -ENOENT : 0;
  }
  if (to->folder->device == DEVICE_DESCRIPTORS) {
    look_up_descriptor(to);
    return 0;
  }
  int error = inode_load(to->folder);
  if (error != 0) return error;
  to->entry = folder_find(&to->folder->folder.entries, to->name, to->name_size);
  if (to->entry != NULL) to->found = to->entry->inode;
  return 0;
}

/* ---- walking ---- */

static void start_at(walk *in, inode *folder) {
  place *to = in->to;
  bool absolute = *in->at == '/';
  in->at = skip_slashes(in->at);
  to->folder = absolute ? inode_root() : folder;
  to->found = to->folder;
  to->entry = NULL;
  to->descriptor = -1;
  to->name = in->at;
  to->name_size = 0;
  to->dots = true;
  to->slash = true;
}

/* The link's target is walked next, and then what followed the link. */
static int follow_link(walk *in, const inode *link) {
  if (++in->links > LINKS_MAX) return -ELOOP;
  const char *rest = skip_slashes(in->at);
  if (*rest != 0)
    in->later[in->depth++] = rest;
  else if (in->depth == 0)
    in->slash = in->to->slash;
  in->at = link->link.target;
  start_at(in, in->to->folder);
  return 0;
}

static bool must_follow(const walk *in) {
  const place *to = in->to;
  if (to->found == NULL || to->found->kind != FILE_LINK) return false;
  if (!is_last(in)) return true;
  switch (in->kind) {
    case WALK_NAME:
      return false;
    case WALK_LINK:
      return to->slash;
    case WALK_FOLLOW:
      return true;
    case WALK_CREATE:
      return true;
    case WALK_CREATE_HERE:
      return false;
  }
  return false;
}

/* One component, or the start of a link's target. */
static int step(walk *in) {
  place *to = in->to;
  next_component(in);
  int error = look_up(in, to);
  if (error != 0) return error;
  if (must_follow(in)) return follow_link(in, to->found);
  bool last = is_last(in);
  in->at = skip_slashes(in->at);
  if (to->found == NULL && to->descriptor < 0) {
    in->at = skip_slashes(in->at); /* "missing/" ends here too */
    return last ? 0 : -ENOENT;
  }
  bool is_folder = to->found != NULL && to->found->kind == FILE_DIRECTORY;
  bool must_be_folder = !last || (to->slash && in->kind != WALK_NAME);
  if (must_be_folder && !is_folder) return -ENOTDIR;
  if (!last) to->folder = to->found;
  return 0;
}

int path_walk(const char *path, walk_kind kind, place *to) {
  walk in = {.to = to, .kind = kind, .at = path};
  if (*path == 0) return -ENOENT;
  if (strlen(path) >= PATH_BYTES) return -ENAMETOOLONG;
  const process *self = process_current();
  start_at(&in, self == NULL ? inode_root() : self->folder);
  for (;;) {
    if (*in.at == 0) {
      if (in.depth == 0) return 0;
      in.at = in.later[--in.depth];
      if (to->found->kind != FILE_DIRECTORY) return -ENOTDIR;
      to->folder = to->found;
    }
    int error = step(&in);
    if (error != 0) return error;
  }
}

int path_find(const char *path, walk_kind kind, place *to) {
  int error = path_walk(path, kind, to);
  if (error != 0) return error;
  return to->found == NULL && to->descriptor < 0 ? to->error : 0;
}

/* ---- back ---- */

static const folder_entry *entry_of(const inode *folder) {
  uint32_t slot = 0;
  const folder_entry *entry;
  while ((entry = folder_next(&folder->folder.parent->folder.entries, &slot)) != NULL)
    if (entry->inode == folder) return entry;
  return NULL;
}

int64_t path_of(const inode *folder, char *to, size_t size) {
  char text[PATH_BYTES];
  size_t at = sizeof text - 1;
  text[at] = 0;
  for (; folder != inode_root(); folder = folder->folder.parent) {
    if (folder->links == 0) return -ENOENT;
    const folder_entry *entry = entry_of(folder);
    if (entry == NULL) return -ENOENT;
    if (entry->size + 1u > at) return -ENAMETOOLONG;
    at -= entry->size;
    memcpy(text + at, entry->name, entry->size);
    text[--at] = '/';
  }
  if (text[at] == 0) text[--at] = '/';
  size_t length = sizeof text - 1 - at;
  if (length >= size) return -ERANGE;
  memcpy(to, text + at, length + 1);
  return (int64_t)length;
}
