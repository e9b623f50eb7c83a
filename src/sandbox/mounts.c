// SPDX-License-Identifier: MIT
/* mounts.c -- answers a guest that looks into a folder of the host.
 *
 * Invariant 2: of an ABI_FETCH each field is copied once; its source must be a number that was
 * given out for that mount, its addresses are checked by the machine. Invariant 6: the program
 * learns names, contents and errno, never where on the host they are. */
#define _GNU_SOURCE
#include "sandbox/mounts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "limits.h"
#include "sandbox/beneath.h"
#include "sandbox/files.h"

enum { KIND_FILE = 1, KIND_FOLDER = 2, KIND_LINK = 3 };

void cloche__mounts_rest(cloche__mounts *mounts) {
  if (mounts->opened != 0) close(mounts->file);
  mounts->opened = 0;
  mounts->listed = 0;
  cloche__buffer_free(&mounts->listing);
}

void cloche__mounts_free(cloche__mounts *mounts) {
  cloche__mounts_rest(mounts);
  for (size_t i = 0; i < mounts->count; i++) {
    close(mounts->list[i].folder);
    free(mounts->list[i].guest);
  }
  free(mounts->list);
  free(mounts->nodes);
  free(mounts->index);
  free(mounts->room);
  cloche__buffer_free(&mounts->names);
  *mounts = (cloche__mounts){0};
}

/* ---- nodes ---- */

/* A mount's own folder has none, and while there is nothing else there are no names at all. */
static cloche_text name_of(const cloche__mounts *mounts, const cloche__node *node) {
  if (node->name_size == 0) return (cloche_text){NULL, 0};
  return (cloche_text){mounts->names.at + node->name, node->name_size};
}

/* FNV-1a */
static uint32_t hash(uint32_t parent, cloche_text name) {
  uint32_t value = 2166136261u;
  for (int i = 0; i < 32; i += 8) value = (value ^ (parent >> i & 255)) * 16777619u;
  for (size_t i = 0; i < name.len; i++) value = (value ^ (uint8_t)name.at[i]) * 16777619u;
  return value ^ value >> 15;
}

static void index_add(cloche__mounts *mounts, uint32_t source) {
  const cloche__node *node = &mounts->nodes[source - 1];
  uint32_t mask = mounts->index_size - 1;
  uint32_t at = hash(node->parent, name_of(mounts, node)) & mask;
  while (mounts->index[at] != 0) at = (at + 1) & mask;
  mounts->index[at] = source;
}

static uint32_t find(const cloche__mounts *mounts, uint32_t parent, cloche_text name) {
  if (mounts->index_size == 0) return 0;
  uint32_t mask = mounts->index_size - 1;
  for (uint32_t at = hash(parent, name) & mask;; at = (at + 1) & mask) {
    uint32_t source = mounts->index[at];
    if (source == 0) return 0;
    const cloche__node *node = &mounts->nodes[source - 1];
    if (node->parent == parent && cloche__text_equal(name_of(mounts, node), name)) return source;
  }
}

/* Room for one more node; the index is at most half full. */
static bool grow(cloche__mounts *mounts) {
  if (mounts->node_count < mounts->node_capacity) return true;
  uint32_t capacity = mounts->node_capacity == 0 ? 64 : 2 * mounts->node_capacity;
  cloche__node *nodes = realloc(mounts->nodes, capacity * sizeof *nodes);
  if (nodes == NULL) return false;
  mounts->nodes = nodes;
  uint32_t *index = calloc(2 * (size_t)capacity, sizeof *index);
  if (index == NULL) return false;
  free(mounts->index);
  mounts->index = index;
  mounts->index_size = 2 * capacity;
  mounts->node_capacity = capacity;
  for (uint32_t source = 1; source <= mounts->node_count; source++) index_add(mounts, source);
  return true;
}

/* The number of a name in a folder; 0: no memory, or too many. */
static uint32_t number(cloche__mounts *mounts, uint16_t mount, uint32_t parent, cloche_text name) {
  uint32_t source = parent == 0 ? 0 : find(mounts, parent, name);
  if (source != 0) return source;
  if (mounts->node_count >= CLOCHE__MOUNT_NODES || !grow(mounts)) return 0;
  size_t at = mounts->names.len;
  cloche__buffer_text(&mounts->names, name);
  if (mounts->names.failed) return 0;
  mounts->nodes[mounts->node_count++] =
      (cloche__node){.parent = parent, .mount = mount, .name = at, .name_size = (uint16_t)name.len};
  index_add(mounts, mounts->node_count);
  return mounts->node_count;
}

/* The path below its mount, NUL-terminated. False: it is too long. */
static bool path_of(const cloche__mounts *mounts, uint32_t source, char path[CLOCHE__PATH_BYTES]) {
  size_t at = CLOCHE__PATH_BYTES - 1;
  path[at] = '\0';
  const cloche__node *node = &mounts->nodes[source - 1];
  for (; node->parent != 0; node = &mounts->nodes[node->parent - 1]) {
    size_t slash = path[at] != '\0';
    if (at < node->name_size + slash) return false;
    if (slash) path[--at] = '/';
    at -= node->name_size;
    if (node->name_size > 0) memcpy(path + at, name_of(mounts, node).at, node->name_size);
  }
  if (path[at] == '\0') path[--at] = '.';
  memmove(path, path + at, CLOCHE__PATH_BYTES - at);
  return true;
}

void cloche__sighting_set(cloche__sighting *seen, const struct stat *stat) {
  *seen = (cloche__sighting){
      .device = stat->st_dev,
      .inode = stat->st_ino,
      .mtime = (int64_t)stat->st_mtim.tv_sec * 1000000000 + stat->st_mtim.tv_nsec,
      .size = (uint64_t)stat->st_size};
}

bool cloche__sighting_is(const cloche__sighting *seen, const struct stat *stat) {
  cloche__sighting now;
  cloche__sighting_set(&now, stat);
  return seen->device == now.device && seen->inode == now.inode && seen->mtime == now.mtime &&
         seen->size == now.size;
}

/* ---- folders ---- */

/* Adds one entry to the listing; what is neither file nor folder nor link is not there. 0 or an
 * errno. */
static int list_entry(cloche__mounts *mounts, uint32_t folder, int fd, const char *name) {
  struct stat stat;
  char target[CLOCHE__PATH_BYTES];
  ssize_t target_size = 0;
  size_t size = strlen(name);
  if (size > CLOCHE__NAME_BYTES) return 0;
  if (fstatat(fd, name, &stat, AT_SYMLINK_NOFOLLOW) != 0) return 0; /* gone already */
  uint16_t kind = S_ISREG(stat.st_mode)   ? KIND_FILE
                  : S_ISDIR(stat.st_mode) ? KIND_FOLDER
                  : S_ISLNK(stat.st_mode) ? KIND_LINK
                                          : 0;
  if (kind == 0) return 0;
  if (kind == KIND_LINK) target_size = readlinkat(fd, name, target, sizeof target);
  if (target_size < 0 || target_size == sizeof target) return 0;
  uint32_t source =
      number(mounts, mounts->nodes[folder - 1].mount, folder, (cloche_text){name, size});
  if (source == 0) return mounts->node_count >= CLOCHE__MOUNT_NODES ? ENFILE : ENOMEM;
  cloche__node *node = &mounts->nodes[source - 1];
  cloche__sighting_set(&node->seen, &stat);
  abi_listed listed = {.source = source,
                       .mode = stat.st_mode & 0777,
                       .size = kind == KIND_FILE ? (uint64_t)stat.st_size : 0,
                       .mtime = node->seen.mtime,
                       .kind = kind,
                       .name = (uint16_t)size,
                       .target = (uint16_t)target_size};
  static const char zeros[8] = {0};
  cloche__buffer_add(&mounts->listing, &listed, sizeof listed);
  cloche__buffer_add(&mounts->listing, name, size);
  cloche__buffer_add(&mounts->listing, target, (size_t)target_size);
  cloche__buffer_add(&mounts->listing, zeros, -(size + (size_t)target_size) & 7);
  return mounts->listing.failed ? ENOMEM : 0;
}

static int not_dots(const struct dirent *entry) {
  return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}
static int by_name(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

/* The whole listing, by name, so that what a program sees does not depend on the disk. */
static int list_folder(cloche__mounts *mounts, uint32_t source, int fd) {
  struct dirent **entries;
  int count = scandirat(fd, ".", &entries, not_dots, by_name), error = 0;
  if (count < 0) return errno;
  cloche__buffer_clear(&mounts->listing);
  for (int i = 0; i < count; i++) {
    if (error == 0) error = list_entry(mounts, source, fd, entries[i]->d_name);
    free(entries[i]);
  }
  free(entries);
  mounts->listed = error == 0 ? source : 0;
  return error;
}

static int read_folder(cloche__mounts *mounts, uint32_t source, uint64_t offset) {
  if (mounts->listed == source && offset > 0) return 0;
  char path[CLOCHE__PATH_BYTES];
  if (!path_of(mounts, source, path)) return ENAMETOOLONG;
  const cloche__node *node = &mounts->nodes[source - 1];
  int fd = cloche__beneath_open(mounts->list[node->mount].folder, path, O_RDONLY | O_DIRECTORY);
  if (fd < 0) return errno;
  int error = list_folder(mounts, source, fd);
  close(fd);
  return error;
}

/* ---- files ---- */

static int open_file(cloche__mounts *mounts, uint32_t source, uint64_t offset) {
  if (mounts->opened == source && offset > 0) return 0;
  char path[CLOCHE__PATH_BYTES];
  struct stat stat;
  if (mounts->opened != 0) close(mounts->file);
  mounts->opened = 0;
  if (!path_of(mounts, source, path)) return ENAMETOOLONG;
  cloche__node *node = &mounts->nodes[source - 1];
  mounts->file = cloche__beneath_open_file(mounts->list[node->mount].folder, path, &stat);
  if (mounts->file < 0) return errno;
  if (offset == 0) cloche__sighting_set(&node->seen, &stat);
  mounts->opened = source;
  return 0;
}

/* As much as there is, up to `size`. -1 and errno. */
static ssize_t read_some(int fd, uint8_t *to, size_t size, uint64_t offset) {
  size_t done = 0;
  while (done < size) {
    ssize_t got = pread(fd, to + done, size - done, (off_t)(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    done += (size_t)got;
  }
  return (ssize_t)done;
}

/* ---- answers ---- */

typedef struct {
  int error;
  const void *bytes;
  size_t size;
} reply;

static reply fetch_list(cloche__mounts *mounts, const abi_fetch *wanted) {
  int error = read_folder(mounts, wanted->source, wanted->offset);
  if (error != 0) return (reply){.error = error};
  size_t len = mounts->listing.len;
  if (wanted->offset >= len) return (reply){0};
  size_t left = len - (size_t)wanted->offset;
  return (reply){.bytes = mounts->listing.at + wanted->offset,
                 .size = left < wanted->capacity ? left : wanted->capacity};
}

static reply fetch_file(cloche__mounts *mounts, const abi_fetch *wanted) {
  size_t size = wanted->capacity;
  if (wanted->offset > INT64_MAX - size) return (reply){.error = EFBIG};
  int error = open_file(mounts, wanted->source, wanted->offset);
  if (error != 0) return (reply){.error = error};
  ssize_t got = read_some(mounts->file, mounts->room, size, wanted->offset);
  if (got < 0) return (reply){.error = errno};
  if ((size_t)got < size) { /* that was all of it */
    close(mounts->file);
    mounts->opened = 0;
  }
  return (reply){.bytes = mounts->room, .size = (size_t)got};
}

bool cloche__mounts_fetch(cloche_sandbox *box, uint32_t mount, const uint8_t *bytes,
                          uint32_t size) {
  cloche__mounts *mounts = &box->mounts;
  abi_fetch wanted;
  if (size != sizeof wanted) return false;
  memcpy(&wanted, bytes, sizeof wanted);
  bool known = mount >= 1 && mount <= mounts->count && wanted.source >= 1 &&
               wanted.source <= mounts->node_count &&
               mounts->nodes[wanted.source - 1].mount == mount - 1;
  if (wanted.capacity > CLOCHE__FETCH_BYTES) wanted.capacity = CLOCHE__FETCH_BYTES;
  reply answer = {.error = EIO}; /* a snapshot may know of a mount that is not here */
  if (known && wanted.operation == ABI_FETCH_LIST)
    answer = fetch_list(mounts, &wanted);
  else if (known && wanted.operation == ABI_FETCH_READ)
    answer = fetch_file(mounts, &wanted);
  abi_fetched fetched = {.done = 1, .error = answer.error, .size = (uint32_t)answer.size};
  return cloche__machine_write(&box->machine, wanted.buffer, answer.bytes, answer.size) &&
         cloche__machine_write(&box->machine, wanted.answer, &fetched, sizeof fetched);
}

/* ---- paths ---- */

const cloche__mount *cloche__mounts_of(const cloche__mounts *mounts, cloche_text path,
                                       cloche_text *below) {
  for (size_t i = 0; i < mounts->count; i++) {
    size_t size = strlen(mounts->list[i].guest);
    if (path.len <= size + 1 || memcmp(path.at, mounts->list[i].guest, size) != 0 ||
        path.at[size] != '/')
      continue;
    *below = (cloche_text){path.at + size + 1, path.len - size - 1};
    return &mounts->list[i];
  }
  return NULL;
}

cloche__node *cloche__mounts_node(cloche__mounts *mounts, const cloche__mount *mount,
                                  cloche_text below) {
  uint32_t source = mount->source;
  for (size_t at = 0; source != 0 && at < below.len;) {
    const char *slash = memchr(below.at + at, '/', below.len - at);
    size_t end = slash == NULL ? below.len : (size_t)(slash - below.at);
    source = number(mounts, (uint16_t)(mount - mounts->list), source,
                    (cloche_text){below.at + at, end - at});
    at = end + 1;
  }
  return source == 0 ? NULL : &mounts->nodes[source - 1];
}

/* ---- mounting ---- */

static bool is_within(const char *inner, const char *outer) {
  size_t size = strlen(outer);
  return strncmp(inner, outer, size) == 0 && (inner[size] == '/' || inner[size] == '\0');
}

/* What is wrong with a place for a mount; NULL: nothing. */
static const char *wrong_place(const cloche__mounts *mounts, const char *guest) {
  if (is_within(guest, "/dev") || is_within(guest, "/tools"))
    return "nothing can be mounted in /dev or /tools";
  for (size_t i = 0; i < mounts->count; i++)
    if (is_within(guest, mounts->list[i].guest) || is_within(mounts->list[i].guest, guest))
      return "a mount cannot lie in another one, or around it";
  return NULL;
}

/* The guest is told, and says whether there is room for it. */
static cloche_status tell_guest(cloche_sandbox *box, const cloche__mount *mount, size_t index) {
  cloche_status status = cloche__files_begin(box);
  if (status != CLOCHE_OK) return status;
  abi_mount told = {.source = mount->source, .writable = mount->writable};
  cloche__buffer payload = {0}, answer = {0};
  cloche__buffer_add(&payload, &told, sizeof told);
  cloche__buffer_string(&payload, mount->guest);
  status = cloche__files_ask(box, ABI_MOUNT, (uint32_t)index + 1, &payload, &answer);
  cloche__buffer_free(&payload);
  cloche__buffer_free(&answer);
  return cloche__files_end(box, status);
}

/* Takes `guest` and `folder` over, also on an error. */
static cloche_status add(cloche_sandbox *box, char *guest, int folder, bool writable) {
  cloche__mounts *mounts = &box->mounts;
  cloche__mount *list = realloc(mounts->list, (mounts->count + 1) * sizeof *list);
  cloche__mount made = {.folder = folder, .writable = writable, .guest = guest};
  cloche_status status = CLOCHE_E_MEMORY;
  if (list != NULL) {
    mounts->list = list;
    made.source = number(mounts, (uint16_t)mounts->count, 0, (cloche_text){NULL, 0});
  }
  if (mounts->room == NULL) mounts->room = malloc(CLOCHE__FETCH_BYTES);
  if (made.source != 0 && mounts->room != NULL) status = tell_guest(box, &made, mounts->count);
  if (status != CLOCHE_OK) {
    close(folder);
    free(guest);
    return status;
  }
  mounts->list[mounts->count++] = made;
  mounts->writable |= writable;
  return CLOCHE_OK;
}

cloche_status cloche_sandbox_mount(cloche_sandbox *box, const cloche_mount *mount) {
  if (!cloche__sandbox_enter(box) || mount == NULL || mount->host == NULL) return CLOCHE_E_ARGUMENT;
  const char *wrong = NULL;
  if (box->mounts.count >= CLOCHE__MOUNTS)
    return cloche__sandbox_refuse(box, CLOCHE_E_LIMIT, "no more folders can be mounted");
  if (!cloche__files_is_path(mount->guest) || mount->guest.len >= CLOCHE__PATH_BYTES)
    wrong = "a folder is mounted at a path such as /data, without . and .. and double slashes";
  char *guest = wrong == NULL ? strndup(mount->guest.at, mount->guest.len) : NULL;
  if (wrong == NULL && guest == NULL) return CLOCHE_E_MEMORY;
  if (wrong == NULL) wrong = wrong_place(&box->mounts, guest);
  if (wrong != NULL) {
    free(guest);
    return cloche__sandbox_refuse(box, CLOCHE_E_ARGUMENT, wrong);
  }
  int folder = open(mount->host, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) {
    int why = errno;
    free(guest);
    cloche__sandbox_refuse(box, CLOCHE_E_SYSTEM, "the host's folder cannot be opened");
    errno = why;
    return CLOCHE_E_SYSTEM;
  }
  return add(box, guest, folder, mount->writable);
}
