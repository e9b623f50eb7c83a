// SPDX-License-Identifier: MIT
/* path.c -- from a path to where it leads.
 *
 * Iterative: a link puts its target in front of what is still to be walked. The 4 KiB text lies in
 * the caller's frame, so a process needs that much of its stack for each path it has in hand. */
#include "path.h"

#include <string.h>

#include "../kernel/descriptor.h"
#include "tree.h"

/* As Linux has it. */
enum { LINKS_MAX = 40 };

typedef struct {
  place *to;
  size_t at;   /* in to->text */
  int links;   /* followed so far */
  bool follow; /* the last one too */
} walk;

static const inode *const none = NULL;

/* ---- text ---- */

static int set_text(walk *in, const char *path) {
  size_t size = strlen(path);
  if (size == 0) return -ENOENT;
  if (size >= PATH_BYTES) return -ENAMETOOLONG;
  memcpy(in->to->text, path, size + 1);
  in->at = 0;
  return 0;
}

/* The link's target, and behind it what followed the link. */
static int splice_target(walk *in, const inode *link) {
  char *text = in->to->text;
  size_t rest = strlen(text + in->at);
  if (link->link.size == 0) return -ENOENT;
  if (link->link.size + rest >= PATH_BYTES) return -ENAMETOOLONG;
  memmove(text + link->link.size, text + in->at, rest + 1);
  memcpy(text, link->link.target, link->link.size);
  in->at = 0;
  return 0;
}

static void skip_slashes(walk *in) {
  while (in->to->text[in->at] == '/') in->at++;
}

/* The next component; what follows it says whether it is the last. */
static int next_component(walk *in) {
  place *to = in->to;
  to->name = to->text + in->at;
  to->name_size = strcspn(to->name, "/");
  if (to->name_size > NAME_BYTES) return -ENAMETOOLONG;
  in->at += to->name_size;
  to->slash = to->text[in->at] == '/';
  return 0;
}

static bool is_last(const walk *in) {
  const char *rest = in->to->text + in->at;
  return rest[strspn(rest, "/")] == 0;
}

/* ---- looking up ---- */

static bool is_dots(const place *at) {
  return (at->name_size == 1 || (at->name_size == 2 && at->name[1] == '.')) && at->name[0] == '.';
}

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

static int look_up(place *to) {
  to->entry = NULL;
  to->found = NULL;
  to->descriptor = -1;
  to->dots = is_dots(to);
  if (!inode_permits(to->folder, RIGHT_EXECUTE)) return -EACCES;
  if (to->dots) {
    to->found = to->name_size == 1 ? to->folder : to->folder->folder.parent;
    return to->found == none ? -ENOENT : 0;
  }
  if (to->folder->device == DEVICE_DESCRIPTORS) {
    look_up_descriptor(to);
    return 0;
  }
  int error = tree_load(to->folder);
  if (error != 0) return error;
  to->entry = folder_find(&to->folder->folder.entries, to->name, to->name_size);
  if (to->entry != NULL) to->found = to->entry->inode;
  return 0;
}

/* ---- walking ---- */

static void start_at(walk *in, inode *folder) {
  place *to = in->to;
  if (to->text[in->at] == '/') folder = inode_root();
  skip_slashes(in);
  to->folder = folder;
  to->found = folder;
  to->entry = NULL;
  to->descriptor = -1;
  to->name = to->text + in->at;
  to->name_size = 0;
  to->dots = true;
  to->slash = true;
}

static bool must_follow(const walk *in) {
  const place *to = in->to;
  if (to->found == NULL || to->found->kind != FILE_LINK) return false;
  return !is_last(in) || in->follow || to->slash;
}

/* One component, or the start of a link's target. */
static int step(walk *in) {
  place *to = in->to;
  int error = next_component(in);
  if (error == 0) error = look_up(to);
  if (error != 0) return error;
  if (must_follow(in)) {
    if (++in->links > LINKS_MAX) return -ELOOP;
    error = splice_target(in, to->found);
    if (error == 0) start_at(in, to->folder);
    return error;
  }
  bool last = is_last(in);
  if (to->found == NULL && to->descriptor < 0) return last ? 0 : -ENOENT;
  bool is_folder = to->found != NULL && to->found->kind == FILE_DIRECTORY;
  if ((!last || to->slash) && !is_folder) return -ENOTDIR;
  if (last) return 0;
  to->folder = to->found;
  skip_slashes(in);
  return 0;
}

int path_walk(const char *path, bool follow, place *to) {
  walk in = {.to = to, .follow = follow};
  int error = set_text(&in, path);
  if (error != 0) return error;
  const process *self = process_current();
  start_at(&in, self == NULL ? inode_root() : self->folder);
  for (;;) {
    if (to->text[in.at + strspn(to->text + in.at, "/")] == 0) break;
    if (to->text[in.at] == '/') skip_slashes(&in);
    error = step(&in);
    if (error != 0) return error;
  }
  return 0;
}

int path_find(const char *path, bool follow, place *to) {
  int error = path_walk(path, follow, to);
  if (error != 0) return error;
  return to->found == NULL && to->descriptor < 0 ? -ENOENT : 0;
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
    if (folder->folder.parent == NULL) return -ENOENT;
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
