// SPDX-License-Identifier: MIT
/* md5sum.h -- how files of digests are checked: md5sum -c, sha256sum -c and the like, cksum -c. */
#ifndef GUEST_BIN_MD5SUM_H
#define GUEST_BIN_MD5SUM_H

#include "digest.h"
#include "options.h"

typedef struct {
  bin b;
  digest_kind kind;
  bool any; /* check: a line's own tag says which digest, and a line without one is no digest */
  bool tag_seen; /* with `any`: such a line was there */
  bool check, binary, tagged, zero, quiet, status_only, strict, warn, ignore_missing;
} sums;

extern const char *const digest_tags[]; /* by digest_kind */

/* --quiet, --status, --strict, --ignore-missing and -w; other options are left alone. */
void sums_option(sums *s, const options *o, int key);
/* Checks what the file lists. [waits] */
void sums_check(sums *s, const char *path);

#endif
