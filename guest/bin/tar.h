// SPDX-License-Identifier: MIT
/* tar.h -- tar's settings and its headers; tar_write.c makes archives, tar_read.c takes them apart.
 */
#ifndef GUEST_BIN_TAR_H
#define GUEST_BIN_TAR_H

#include "bin.h"
#include "times.h"

typedef struct {
  char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], check[8], kind, link[100];
  char magic[8], user[32], group[32], major[8], minor[8], prefix[155], pad[12];
} tar_header;

typedef struct {
  bin b;
  char **environment;
  int verbose;
  bool gzip, follow, absolute, keep_old, to_standard, no_mtime, wildcards, preserve;
  char **exclude;
  size_t exclude_count, strip;
  char **operands;
  bool *seen;
  int operand_count;
  output out; /* the archive being written */
  uint64_t written;
  input in;                /* or read */
  struct tar_named *named; /* files of several names that are in the archive being written */
  size_t named_count;
  bool warned_absolute, failed;
  time_zone zone;
} tar;

bool tar_excluded(const tar *t, const char *path);
void tar_create(tar *t);
void tar_read(tar *t, bool extract);
/* A failure that does not stop it: status 2 and the closing line. */
void tar_error(tar *t, const char *path, const char *what);

#endif
