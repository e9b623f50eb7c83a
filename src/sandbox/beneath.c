// SPDX-License-Identifier: MIT
/* beneath.c -- opens files below a folder of the host. */
#define _GNU_SOURCE
#include "sandbox/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "limits.h"

/* O_PATH takes hardly any other flag. */
static int with_usual(int flags) {
  return flags | O_CLOEXEC | ((flags & O_PATH) ? 0 : O_NOCTTY);
}

static void close_keeping_errno(int fd) {
  int why = errno;
  close(fd);
  errno = why;
}

int cloche__beneath_walk(int folder, const char *path, int flags) {
  char name[CLOCHE__NAME_BYTES + 1];
  int at = openat(folder, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  while (at >= 0) {
    size_t size = strcspn(path, "/");
    bool last = path[size] == '\0';
    if (size >= sizeof name) {
      errno = ENAMETOOLONG;
      close_keeping_errno(at);
      return -1;
    }
    memcpy(name, path, size);
    name[size] = '\0';
    int next = openat(
        at, name,
        last ? with_usual(flags) | O_NOFOLLOW : O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    close_keeping_errno(at);
    if (last) return next;
    at = next;
    path += size + 1;
  }
  return -1;
}

int cloche__beneath_open(int folder, const char *path, int flags) {
  struct open_how how = {
      .flags = (unsigned)with_usual(flags),
      .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS,
  };
  for (int tries = 0; tries < 100; tries++) {
    long fd = syscall(SYS_openat2, folder, path, &how, sizeof how);
    if (fd >= 0) return (int)fd;
    if (errno == ENOSYS || errno == EPERM) return cloche__beneath_walk(folder, path, flags);
    if (errno != EAGAIN && errno != EINTR) return -1; /* EAGAIN: somebody renamed on the way */
  }
  return -1;
}

int cloche__beneath_open_file(int folder, const char *path, struct stat *stat) {
  int fd = cloche__beneath_open(folder, path, O_PATH | O_NOFOLLOW);
  if (fd < 0) return -1;
  bool regular = fstat(fd, stat) == 0 && S_ISREG(stat->st_mode);
  close(fd);
  /* It may be another one by now: what counts is what this opens. */
  fd = regular ? cloche__beneath_open(folder, path, O_RDONLY | O_NONBLOCK) : -1;
  if (!regular) errno = EPERM;
  if (fd < 0) return -1;
  if (fstat(fd, stat) == 0 && S_ISREG(stat->st_mode)) return fd;
  close(fd);
  errno = EPERM;
  return -1;
}

bool cloche__beneath_leads_inside(int folder, const char *path, const char *target) {
  char whole[2 * CLOCHE__PATH_BYTES];
  const char *slash = strrchr(path, '/');
  int parent = slash == NULL ? 0 : (int)(slash + 1 - path);
  int size = snprintf(whole, sizeof whole, "%.*s%s", parent, path, target);
  if (size < 0 || (size_t)size >= sizeof whole) return false;
  struct open_how how = {.flags = O_PATH | O_CLOEXEC,
                         .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
  for (int tries = 0; tries < 100; tries++) {
    long fd = syscall(SYS_openat2, folder, whole, &how, sizeof how);
    if (fd >= 0) return close((int)fd), true;
    if (errno == ENOENT || errno == ENOTDIR || errno == EACCES) return true;
    if (errno == ENOSYS || errno == EPERM) break;
    if (errno != EAGAIN && errno != EINTR) return false; /* EXDEV: it leads out */
  }
  struct stat stat; /* Without openat2 no link is followed: it may lead anywhere. */
  int fd = cloche__beneath_walk(folder, whole, O_PATH);
  if (fd < 0) return errno == ENOENT && strstr(whole, "//") == NULL;
  bool inside = fstat(fd, &stat) == 0 && !S_ISLNK(stat.st_mode);
  close(fd);
  return inside;
}

int cloche__beneath_open_parent(int folder, const char *path, const char **name) {
  const char *slash = strrchr(path, '/');
  char parent[CLOCHE__PATH_BYTES] = ".";
  size_t size = slash == NULL ? 1 : (size_t)(slash - path);
  if (size >= sizeof parent) {
    errno = ENAMETOOLONG;
    return -1;
  }
  if (slash != NULL) memcpy(parent, path, size);
  parent[size] = '\0';
  *name = slash == NULL ? path : slash + 1;
  return cloche__beneath_open(folder, parent, O_PATH | O_DIRECTORY);
}
