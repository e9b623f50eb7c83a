// SPDX-License-Identifier: MIT
/* owners.c -- locks on single bytes of a file, held by an open file and not by a process. */
#define _GNU_SOURCE
#include "accounts/owners.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* Byte 0 is the door; owners have numbers from 1 on. */
static struct flock on_byte(short type, int64_t byte) {
  return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
}

static bool lock_byte(int file, int command, short type, int64_t byte) {
  struct flock lock = on_byte(type, byte);
  int done;
  do done = fcntl(file, command, &lock);
  while (done != 0 && errno == EINTR);
  return done == 0;
}

static bool draw_number(int64_t *number) {
  uint64_t random;
  if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random) return false;
  *number = (int64_t)(random >> 2) + 1;
  return true;
}

static int open_beside(const char *path) {
  size_t size = strlen(path) + sizeof "-users";
  char *name = malloc(size);
  if (name == NULL) return -1;
  snprintf(name, size, "%s-users", path);
  int file = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  int why = errno;
  free(name);
  errno = why;
  return file;
}

cloche_status cloche__owners_open(const char *path, cloche__owners *owners) {
  owners->file = open_beside(path);
  if (owners->file < 0) return errno == ENOMEM ? CLOCHE_E_MEMORY : CLOCHE_E_SYSTEM;
  if (draw_number(&owners->self) && lock_byte(owners->file, F_OFD_SETLK, F_WRLCK, owners->self))
    return CLOCHE_OK;
  int why = errno;
  cloche__owners_close(owners);
  errno = why;
  return CLOCHE_E_SYSTEM;
}

void cloche__owners_close(cloche__owners *owners) {
  if (owners->file >= 0) close(owners->file);
  owners->file = -1;
}

bool cloche__owners_alive(const cloche__owners *owners, int64_t owner) {
  struct flock lock = on_byte(F_WRLCK, owner);
  if (owner == owners->self) return true;
  return fcntl(owners->file, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

bool cloche__owners_enter(const cloche__owners *owners) {
  return lock_byte(owners->file, F_OFD_SETLKW, F_WRLCK, 0);
}

void cloche__owners_leave(const cloche__owners *owners) {
  lock_byte(owners->file, F_OFD_SETLK, F_UNLCK, 0);
}
