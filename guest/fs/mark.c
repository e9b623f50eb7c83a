// SPDX-License-Identifier: MIT
/* mark.c -- notes on what has changed since the last mark, and the diff made of them. */
#include "mark.h"

#include <string.h>

#include "lazy.h"
#include "path.h"

struct folder_notes {
  struct folder_notes *next; /* of all */
  inode *owner;
  folder names; /* each with the inode it led to, or NULL: it was not there */
};

static struct folder_notes *all;
static uint32_t number = 1;
static bool incomplete; /* a note could not be made */

uint32_t mark_number(void) {
  return number;
}

/* ---- notes ---- */

static struct folder_notes *notes_of(inode *folder) {
  if (folder->folder.notes != NULL) return folder->folder.notes;
  struct folder_notes *made = kernel_malloc(sizeof *made);
  if (made == NULL) return NULL;
  *made = (struct folder_notes){.next = all, .owner = folder};
  all = made;
  folder->folder.notes = made;
  return made;
}

void mark_name(inode *folder, const char *name, size_t size, inode *now) {
  if (folder->made == number) return; /* all of it is new */
  struct folder_notes *notes = notes_of(folder);
  if (notes != NULL && folder_find(&notes->names, name, size) != NULL) return;
  if (notes == NULL || folder_add(&notes->names, name, size, now) == NULL)
    incomplete = true;
  else if (now != NULL)
    now->remembered++;
}

void mark_content(inode *file) {
  if (file->changed == number) return;
  file->changed = number;
  file->old_size = file->kind == FILE_REGULAR ? file->content.size : 0;
}

void mark_attributes(inode *changed) {
  changed->attributes = number;
}

void mark_forget(inode *folder) {
  if (folder->folder.notes != NULL) folder->folder.notes->owner = NULL;
}

void mark_now(void) {
  for (struct folder_notes *at = all; at != NULL; at = at->next)
    if (at->owner != NULL) at->owner->folder.notes = NULL;
  struct folder_notes *next;
  for (struct folder_notes *at = all; at != NULL; at = next) {
    next = at->next;
    uint32_t slot = 0;
    const folder_entry *entry;
    while ((entry = folder_next(&at->names, &slot)) != NULL)
      if (entry->inode != NULL) inode_unremember(entry->inode);
    folder_release(&at->names);
    kernel_free(at);
  }
  all = NULL;
  incomplete = false;
  number++;
}

/* ---- what was there ---- */

static const folder_entry *note_on(const inode *in, const char *name, size_t size) {
  const struct folder_notes *notes = in->folder.notes;
  return notes == NULL ? NULL : folder_find(&notes->names, name, size);
}

static inode *find_now(const inode *in, const folder_entry *name) {
  const folder_entry *entry =
      in == NULL ? NULL : folder_find(&in->folder.entries, name->name, name->size);
  return entry == NULL ? NULL : entry->inode;
}

static inode *find_then(const inode *in, const folder_entry *name) {
  if (in == NULL) return NULL;
  const folder_entry *note = note_on(in, name->name, name->size);
  return note != NULL ? note->inode : find_now(in, name);
}

static uint64_t size_now(const inode *of) {
  return of->kind == FILE_REGULAR ? of->content.size : of->kind == FILE_LINK ? of->link.size : 0;
}

static uint64_t size_then(const inode *of) {
  return of->kind == FILE_REGULAR && of->changed == number ? of->old_size : size_now(of);
}

/* ---- the diff ---- */

typedef struct {
  blob created, modified, deleted;
  int error;
  char path[PATH_BYTES + NAME_BYTES + 2];
  size_t size; /* of path */
} diff;

static const char *kind_name(const inode *of) {
  return of->kind == FILE_DIRECTORY ? "folder" : of->kind == FILE_LINK ? "link" : "file";
}

static void write_time(blob *to, const char *key, int64_t time) {
  blob_text(to, key);
  blob_text(to, time < 0 ? "-" : "");
  blob_number(to, time < 0 ? -(uint64_t)time : (uint64_t)time);
}

/* What was moved keeps its times, as on a disk. */
static void write_attributes(blob *to, const inode *then, const inode *now) {
  bool moved = then != now && now->made != number && now->changed != number;
  blob_text(to, ",\"mode\":");
  blob_number(to, now->mode);
  if (!now->timed && !moved) return;
  write_time(to, ",\"atime\":", now->atime);
  write_time(to, ",\"mtime\":", now->mtime);
}

static void write_entry(blob *to, const diff *at, const inode *of, uint64_t size) {
  blob_text(to, to->size == 0 ? "" : ",");
  blob_text(to, "{\"path\":");
  blob_json_string(to, at->path, at->size);
  if (!blob_is_text(at->path, at->size)) {
    blob_text(to, ",\"bytes\":\"");
    blob_hex(to, at->path, at->size);
    blob_text(to, "\"");
  }
  blob_text(to, ",\"kind\":\"");
  blob_text(to, kind_name(of));
  blob_text(to, "\",\"size\":");
  blob_number(to, size);
}

static void compare_folders(diff *at, const inode *then, const inode *now);

static void write_modified(diff *at, const inode *then, const inode *now, bool content) {
  blob *to = &at->modified;
  write_entry(to, at, now, size_now(now));
  blob_text(to, ",\"was\":");
  blob_number(to, size_then(then));
  if (!content) blob_text(to, ",\"content\":false");
  write_attributes(to, then, now);
  blob_text(to, "}");
}

static void write_replaced(diff *at, const inode *then, const inode *now) {
  if (then != NULL) write_entry(&at->deleted, at, then, size_then(then));
  if (then != NULL) blob_text(&at->deleted, "}");
  if (now == NULL) return;
  write_entry(&at->created, at, now, size_now(now));
  write_attributes(&at->created, NULL, now);
  blob_text(&at->created, "}");
}

/* A folder has no content of its own: what is in it is told by itself. */
static bool has_changed(const inode *then, const inode *now, bool *content) {
  *content = now->kind != FILE_DIRECTORY && (then != now || now->changed == number);
  return *content || now->attributes == number || then->mode != now->mode;
}

static void compare(diff *at, const inode *then, const inode *now) {
  bool content, same_kind = then != NULL && now != NULL && then->kind == now->kind;
  if (!same_kind)
    write_replaced(at, then, now);
  else if (has_changed(then, now, &content))
    write_modified(at, then, now, content);
  const inode *old_folder = then != NULL && then->kind == FILE_DIRECTORY ? then : NULL;
  const inode *new_folder = now != NULL && now->kind == FILE_DIRECTORY ? now : NULL;
  if (old_folder != NULL || new_folder != NULL) compare_folders(at, old_folder, new_folder);
}

static void compare_name(diff *at, const folder_entry *name, const inode *then, const inode *now) {
  size_t size = at->size;
  if (size + name->size + 1u >= sizeof at->path) return;
  if (size == 0 || at->path[size - 1] != '/') at->path[at->size++] = '/';
  memcpy(at->path + at->size, name->name, name->size);
  at->size += name->size;
  compare(at, then, now);
  at->size = size;
}

/* A folder of a mount that was moved or removed unread: what went with it is to be told. */
static bool load(diff *at, const inode *folder) {
  int error = folder == NULL ? 0 : inode_load((inode *)(uintptr_t)folder);
  if (error != 0) at->error = error;
  return error == 0;
}

/* Names that are there now, then those that only were. `then` and `now` are the same folder, or two
 * that the same path led to, or one of them is NULL. */
static void compare_folders(diff *at, const inode *then, const inode *now) {
  uint32_t slot = 0;
  const folder_entry *entry;
  bool system = now != NULL && (now->device != DEVICE_NONE || now == inode_tools());
  if (system || (then == now && now->unread)) return;
  if (then != now && (!load(at, then) || !load(at, now))) return;
  while (now != NULL && (entry = folder_next(&now->folder.entries, &slot)) != NULL)
    compare_name(at, entry, find_then(then, entry), entry->inode);
  if (then == NULL) return;
  slot = 0;
  while (then != now && (entry = folder_next(&then->folder.entries, &slot)) != NULL)
    if (find_now(now, entry) == NULL && find_then(then, entry) != NULL)
      compare_name(at, entry, find_then(then, entry), NULL);
  slot = 0;
  while (then->folder.notes != NULL &&
         (entry = folder_next(&then->folder.notes->names, &slot)) != NULL)
    if (entry->inode != NULL && find_now(now, entry) == NULL &&
        (then == now || find_now(then, entry) == NULL))
      compare_name(at, entry, entry->inode, NULL);
}

static void write_list(blob *to, const char *before, const blob *list) {
  blob_text(to, before);
  blob_add(to, list->at, list->size);
}

int mark_diff(inode *folder, const char *path, blob *to) {
  diff *made = kernel_malloc(sizeof *made);
  if (made == NULL) return -ENOMEM;
  memset(made, 0, sizeof *made);
  made->size = strlen(path);
  memcpy(made->path, path, made->size);
  compare_folders(made, folder->made == number ? NULL : folder, folder);
  write_list(to, "{\"created\":[", &made->created);
  write_list(to, "],\"modified\":[", &made->modified);
  write_list(to, "],\"deleted\":[", &made->deleted);
  blob_text(to, "]}");
  int error = made->error;
  bool failed = incomplete || made->created.failed || made->modified.failed || made->deleted.failed;
  blob_release(&made->created);
  blob_release(&made->modified);
  blob_release(&made->deleted);
  kernel_free(made);
  return error != 0 ? error : failed ? -ENOMEM : 0;
}
