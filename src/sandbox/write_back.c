// SPDX-License-Identifier: MIT
/* write_back.c -- does to the host's folders what a run that succeeded did to its mounts.
 *
 *   load what takes another's place -> folders -> contents, into files beside their place
 *   -> each into its place, in one step -> deletions, if nothing has failed -> folders' modes,
 * times
 *
 * Contents come first, because the guest may have moved what it never read: that is still to be
 * read from where it was. Paths are the guest's word (invariant 2): they have been checked to be
 * paths below the mount, and beneath.h lets them lead nowhere else. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "limits.h"
#include "sandbox/beneath.h"
#include "sandbox/files.h"

typedef struct {
  cloche_change *change;
  const cloche__attributes *attributes;
  const cloche__mount *mount;
  char *path;    /* below the mount */
  char temp[32]; /* the name its content has until it is in its place; empty: it has none */
  bool made;     /* a folder that this made */
} job;

typedef struct {
  cloche_sandbox *box;
  job *jobs; /* in the order of the paths */
  size_t count;
  bool failed;
} work;

static void fail(work *w, job *j, int why) {
  j->change->error = why == 0 ? EIO : why;
  j->change->written = false;
  w->failed = true;
}

static int open_parent(const job *j, const char **name) {
  return cloche__beneath_open_parent(j->mount->folder, j->path, name);
}

static cloche__node *node_of(const work *w, const job *j) {
  return cloche__mounts_node(&w->box->mounts, j->mount, cloche__text(j->path));
}

/* ---- what there is to do ---- */

static bool collect(work *w) {
  cloche_sandbox *box = w->box;
  w->jobs = calloc(box->change_count + 1, sizeof *w->jobs);
  if (w->jobs == NULL) return false;
  for (size_t i = 0; i < box->change_count; i++) {
    cloche_text below;
    const cloche__mount *mount = cloche__mounts_of(&box->mounts, box->changes[i].path, &below);
    if (mount == NULL || !mount->writable) continue;
    job *j = &w->jobs[w->count];
    *j = (job){.change = &box->changes[i],
               .attributes = &box->change_attributes[i],
               .mount = mount,
               .path = strndup(below.at, below.len)};
    if (j->path == NULL) return false;
    w->count++;
  }
  return true;
}

/* Before anything is done it is on record (invariant 10). */
static bool record(const work *w) {
  static const char *const verbs[] = {"", "created", "modified", "deleted"};
  cloche_sandbox *box = w->box;
  if (box->ledger == NULL) return true;
  cloche__buffer json = {0};
  cloche__buffer_byte(&json, '[');
  for (size_t i = 0; i < w->count; i++) {
    cloche__buffer_string(&json, i == 0 ? "{" : ",{");
    cloche__json_write_key(verbs[w->jobs[i].change->change], &json);
    cloche__json_write_bytes(w->jobs[i].change->path, &json);
    cloche__json_write_key("size", &json);
    cloche__buffer_format(&json, "%llu", (unsigned long long)w->jobs[i].change->size);
    if (w->jobs[i].change->change != CLOCHE_DELETED) {
      cloche__json_write_key("mode", &json);
      cloche__buffer_format(&json, "%u", w->jobs[i].attributes->mode);
    }
    cloche__buffer_byte(&json, '}');
  }
  cloche__buffer_byte(&json, ']');
  cloche__moment moment = cloche__sandbox_moment(box);
  bool fine = !json.failed &&
              cloche__ledger_files(box->ledger, &moment, cloche__buffer_view(&json)) == CLOCHE_OK;
  cloche__buffer_free(&json);
  return fine;
}

static bool has_content(const job *j) {
  return j->change->change != CLOCHE_DELETED && j->change->kind != CLOCHE_FOLDER &&
         !j->attributes->only;
}

/* ---- modes and times ---- */

static const struct timespec *times_of(const job *j, struct timespec times[2]) {
  const int64_t given[2] = {j->attributes->atime, j->attributes->mtime};
  if (!j->attributes->has_times) return NULL;
  for (int i = 0; i < 2; i++) {
    int64_t part = given[i] % 1000000000;
    times[i].tv_nsec = (long)(part < 0 ? part + 1000000000 : part);
    times[i].tv_sec = (time_t)(given[i] / 1000000000 - (part < 0));
  }
  return times;
}

/* Special bits stay as they are on the host's side: of a file it is none, of a folder whatever its
 * owner gave it. */
static bool set_attributes(int fd, const job *j, uint32_t special) {
  struct timespec times[2];
  const struct timespec *given = times_of(j, times);
  return fchmod(fd, special | j->attributes->mode) == 0 &&
         (given == NULL || futimens(fd, given) == 0);
}

static bool set_link_times(int parent, const char *name, const job *j) {
  struct timespec times[2];
  const struct timespec *given = times_of(j, times);
  return given == NULL || utimensat(parent, name, given, AT_SYMLINK_NOFOLLOW) == 0;
}

/* ---- deletions ---- */

static void delete_one(work *w, job *j) {
  const char *name;
  struct stat stat;
  int parent = open_parent(j, &name);
  bool gone = parent < 0
                  ? errno == ENOENT
                  : fstatat(parent, name, &stat, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT;
  if (gone || parent < 0) {
    j->change->written = gone; /* somebody else was quicker */
    if (!gone) fail(w, j, errno);
    if (parent >= 0) close(parent);
    return;
  }
  const cloche__node *node = node_of(w, j);
  bool folder = j->change->kind == CLOCHE_FOLDER;
  if (!folder && (node == NULL || !cloche__sighting_is(&node->seen, &stat)))
    fail(w, j, ESTALE);
  else if (unlinkat(parent, name, folder ? AT_REMOVEDIR : 0) != 0)
    fail(w, j, errno);
  else
    j->change->written = true;
  close(parent);
}

/* Deepest first: below a folder comes after it in the order of the paths. */
static void delete_rest(work *w) {
  bool failed = w->failed;
  for (size_t i = w->count; i-- > 0;) {
    job *j = &w->jobs[i];
    if (j->change->change != CLOCHE_DELETED || j->change->written) continue;
    if (failed)
      fail(w, j, ECANCELED);
    else
      delete_one(w, j);
  }
}

static bool is_within(const char *inner, const char *outer) {
  size_t size = strlen(outer);
  return strncmp(inner, outer, size) == 0 && (inner[size] == '/' || inner[size] == '\0');
}

/* A file where a folder was, or the like. */
static bool is_replaced(const work *w, size_t i) {
  return w->jobs[i].change->change == CLOCHE_DELETED && i + 1 < w->count &&
         w->jobs[i].mount == w->jobs[i + 1].mount &&
         strcmp(w->jobs[i].path, w->jobs[i + 1].path) == 0;
}

/* What takes another's place needs it free; what is still to be read from there is read before. */
static void clear_places(work *w) {
  bool any = false;
  for (size_t i = 0; i < w->count; i++) any |= is_replaced(w, i);
  if (!any) return;
  for (size_t i = 0; i < w->count; i++) {
    char *bytes;
    size_t len;
    if (!has_content(&w->jobs[i]) || w->jobs[i].change->kind == CLOCHE_LINK) continue;
    if (cloche_file_get(w->box, w->jobs[i].change->path, &bytes, &len) == CLOCHE_OK)
      free(bytes);
    else
      fail(w, &w->jobs[i], w->box->file_errno);
  }
  if (w->failed) return;
  for (size_t i = 0; i < w->count; i++) {
    if (!is_replaced(w, i)) continue;
    for (size_t k = w->count; k-- > i;)
      if (w->jobs[k].change->change == CLOCHE_DELETED && w->jobs[k].mount == w->jobs[i].mount &&
          is_within(w->jobs[k].path, w->jobs[i].path) && !w->jobs[k].change->written)
        delete_one(w, &w->jobs[k]);
  }
}

/* ---- contents ---- */

static bool write_all(int fd, const char *bytes, size_t size) {
  while (size > 0) {
    ssize_t put = write(fd, bytes, size);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    bytes += put;
    size -= (size_t)put;
  }
  return true;
}

/* A link may lead only to what lies in the mount: no target from the root, and ".." only in front,
 * where the folders are real ones, and not more often than there are folders. */
static bool stays_inside(const char *path, cloche_text target) {
  size_t depth = 0, at = 0;
  for (const char *slash = strchr(path, '/'); slash != NULL; slash = strchr(slash + 1, '/'))
    depth++;
  if (target.len == 0 || target.at[0] == '/') return false;
  for (bool front = true; at < target.len; at++) {
    const char *slash = memchr(target.at + at, '/', target.len - at);
    size_t end = slash == NULL ? target.len : (size_t)(slash - target.at);
    bool up = end - at == 2 && target.at[at] == '.' && target.at[at + 1] == '.';
    if (up && (!front || depth-- == 0)) return false;
    front &= up;
    at = end;
  }
  return true;
}

static bool make_link(int parent, job *j, cloche_text target) {
  char text[CLOCHE__PATH_BYTES];
  if (target.len >= sizeof text || memchr(target.at, '\0', target.len) != NULL ||
      !stays_inside(j->path, target)) {
    errno = EPERM;
    return false;
  }
  memcpy(text, target.at, target.len);
  text[target.len] = '\0';
  if (!cloche__beneath_leads_inside(j->mount->folder, j->path, text)) { /* another link does */
    errno = EPERM;
    return false;
  }
  if (symlinkat(text, parent, j->temp) != 0) return false;
  if (set_link_times(parent, j->temp, j)) return true;
  int why = errno;
  unlinkat(parent, j->temp, 0);
  errno = why;
  return false;
}

static bool make_file(int parent, job *j, const char *bytes, size_t size) {
  int fd = openat(parent, j->temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  bool fine = write_all(fd, bytes, size) && set_attributes(fd, j, 0);
  int why = errno;
  if (close(fd) == 0 && fine) return true;
  if (fine) why = errno;
  unlinkat(parent, j->temp, 0);
  errno = why;
  return false;
}

static bool choose_temp(job *j) {
  uint64_t number;
  if (getrandom(&number, sizeof number, 0) != sizeof number) return false;
  snprintf(j->temp, sizeof j->temp, ".cloche-%016llx", (unsigned long long)number);
  return true;
}

/* Puts the content beside its place. */
static void stage(work *w, job *j) {
  cloche_file *file = NULL;
  char *bytes = NULL;
  size_t size = 0;
  const char *name;
  cloche_status status = cloche_file_stat(w->box, j->change->path, &file);
  if (status == CLOCHE_OK && file->kind == CLOCHE_FILE)
    status = cloche_file_get(w->box, j->change->path, &bytes, &size);
  int parent = status == CLOCHE_OK ? open_parent(j, &name) : -1;
  bool fine = parent >= 0 && choose_temp(j);
  if (fine)
    fine = file->kind == CLOCHE_LINK ? make_link(parent, j, file->target)
                                     : make_file(parent, j, bytes, size);
  if (!fine) {
    fail(w, j, status == CLOCHE_E_FILE ? w->box->file_errno : status == CLOCHE_OK ? errno : EIO);
    j->temp[0] = '\0';
  }
  if (parent >= 0) close(parent);
  free(bytes);
  free(file);
}

/* ---- places ---- */

static bool rename_new(int parent, const char *from, const char *to) {
  if (renameat2(parent, from, parent, to, RENAME_NOREPLACE) == 0) return true;
  struct stat stat;
  if (errno != EINVAL && errno != ENOSYS) return false; /* else: this filesystem cannot */
  if (fstatat(parent, to, &stat, AT_SYMLINK_NOFOLLOW) == 0) {
    errno = EEXIST;
    return false;
  }
  return renameat(parent, from, parent, to) == 0;
}

/* Only over what the program has seen. */
static bool rename_over(int parent, const char *from, const char *to, const cloche__node *node) {
  struct stat stat;
  bool same = node != NULL && fstatat(parent, to, &stat, AT_SYMLINK_NOFOLLOW) == 0 &&
              cloche__sighting_is(&node->seen, &stat);
  if (!same) errno = ESTALE;
  return same && renameat(parent, from, parent, to) == 0;
}

static void put_in_place(work *w, job *j) {
  const char *name;
  struct stat stat;
  int parent = open_parent(j, &name);
  cloche__node *node = node_of(w, j);
  bool fine = parent >= 0 &&
              (j->change->change == CLOCHE_CREATED ? rename_new(parent, j->temp, name)
                                                   : rename_over(parent, j->temp, name, node));
  j->change->written = fine;
  if (!fine) {
    fail(w, j, errno);
    if (parent >= 0) unlinkat(parent, j->temp, 0);
  } else if (node != NULL && fstatat(parent, name, &stat, AT_SYMLINK_NOFOLLOW) == 0) {
    cloche__sighting_set(&node->seen, &stat); /* a later run may change it again */
  }
  if (parent >= 0) close(parent);
}

/* Only the mode or the times: the file stays the one that it is, with its owner and its other
 * names. */
static void change_in_place(work *w, job *j) {
  const char *name;
  struct stat stat;
  cloche__node *node = node_of(w, j);
  bool link = j->change->kind == CLOCHE_LINK;
  int fd =
      link ? open_parent(j, &name) : cloche__beneath_open_file(j->mount->folder, j->path, &stat);
  bool same = fd >= 0 && node != NULL &&
              (!link || fstatat(fd, name, &stat, AT_SYMLINK_NOFOLLOW) == 0) &&
              cloche__sighting_is(&node->seen, &stat);
  bool fine = same && (link ? set_link_times(fd, name, j) : set_attributes(fd, j, 0));
  j->change->written = fine;
  if (!fine) fail(w, j, fd >= 0 && !same ? ESTALE : errno);
  if (fine && (link ? fstatat(fd, name, &stat, AT_SYMLINK_NOFOLLOW) : fstat(fd, &stat)) == 0)
    cloche__sighting_set(&node->seen, &stat);
  if (fd >= 0) close(fd);
}

/* Opens a folder whose mode or times were set, if it is still the one that was seen or made. */
static int open_changed(work *w, const job *j, struct stat *stat) {
  const cloche__node *node = node_of(w, j);
  int fd = cloche__beneath_open(j->mount->folder, j->path, O_RDONLY | O_DIRECTORY);
  if (fd < 0) return -1;
  bool seen = node != NULL && fstat(fd, stat) == 0 && node->seen.inode == stat->st_ino &&
              node->seen.device == stat->st_dev;
  if (seen || (j->made && fstat(fd, stat) == 0)) return fd;
  close(fd);
  errno = ESTALE;
  return -1;
}

/* A folder that is to be changed below has to let us: what it gets in the end it gets last. */
static void open_up(work *w, const job *j) {
  struct stat stat;
  int fd = open_changed(w, j, &stat);
  if (fd < 0) return; /* what cannot be done will be told in the end */
  if ((stat.st_mode & 0300) != 0300) (void)!fchmod(fd, (stat.st_mode & 07777) | 0300);
  close(fd);
}

static void finish_folder(work *w, job *j) {
  struct stat stat;
  int fd = open_changed(w, j, &stat);
  bool fine = fd >= 0 && set_attributes(fd, j, stat.st_mode & 07000);
  if (!fine) fail(w, j, errno);
  j->change->written = fine;
  if (fd >= 0) close(fd);
}

/* Deepest first: a folder whose mode forbids it cannot be entered any more. */
static void finish_folders(work *w) {
  for (size_t i = w->count; i-- > 0;) {
    job *j = &w->jobs[i];
    bool changed = j->change->change == CLOCHE_MODIFIED || j->made;
    if (j->change->kind == CLOCHE_FOLDER && changed) finish_folder(w, j);
  }
}

static void make_folder(work *w, job *j) {
  const char *name;
  struct stat stat;
  int parent = open_parent(j, &name);
  bool fine = parent >= 0 && mkdirat(parent, name, 0777) == 0;
  j->made = fine;
  if (!fine && parent >= 0 && errno == EEXIST) { /* somebody else made it: fine, if it is one */
    fine = fstatat(parent, name, &stat, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(stat.st_mode);
    if (!fine) errno = EEXIST;
  }
  j->change->written = fine;
  if (!fine) fail(w, j, errno);
  if (parent >= 0) close(parent);
}

/* ---- all of it ---- */

static void do_all(work *w) {
  clear_places(w);
  if (w->failed) { /* before anything was written */
    for (size_t i = 0; i < w->count; i++)
      if (!w->jobs[i].change->written && w->jobs[i].change->error == 0)
        fail(w, &w->jobs[i], ECANCELED);
    return;
  }
  for (size_t i = 0; i < w->count; i++) {
    const cloche_change *change = w->jobs[i].change;
    if (change->kind != CLOCHE_FOLDER) continue;
    if (change->change == CLOCHE_CREATED) make_folder(w, &w->jobs[i]);
    if (change->change == CLOCHE_MODIFIED) open_up(w, &w->jobs[i]);
  }
  for (size_t i = 0; i < w->count; i++)
    if (has_content(&w->jobs[i])) stage(w, &w->jobs[i]);
  for (size_t i = 0; i < w->count; i++) {
    job *j = &w->jobs[i];
    if (j->temp[0] != '\0') put_in_place(w, j);
    if (j->change->change == CLOCHE_MODIFIED && j->change->kind != CLOCHE_FOLDER &&
        j->attributes->only)
      change_in_place(w, j);
  }
  delete_rest(w);
  finish_folders(w);
}

void cloche__write_back(cloche_sandbox *box) {
  const cloche_change *changes;
  size_t count;
  if (cloche_sandbox_changes(box, &changes, &count) != CLOCHE_OK) return;
  work w = {.box = box};
  bool ready = collect(&w);
  if (w.count > 0 && ready && !record(&w)) ready = false;
  if (ready) do_all(&w);
  for (size_t i = 0; i < w.count; i++) {
    if (!ready) fail(&w, &w.jobs[i], EIO);
    free(w.jobs[i].path);
  }
  free(w.jobs);
}
