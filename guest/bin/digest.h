// SPDX-License-Identifier: MIT
/* digest.h -- MD5, SHA-1 and SHA-2 as streams of bytes. */
#ifndef GUEST_BIN_DIGEST_H
#define GUEST_BIN_DIGEST_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
  DIGEST_MD5,
  DIGEST_SHA1,
  DIGEST_SHA224,
  DIGEST_SHA256,
  DIGEST_SHA384,
  DIGEST_SHA512
} digest_kind;

typedef struct {
  digest_kind kind;
  union {
    uint32_t small[8];
    uint64_t large[8];
  } state;
  uint64_t size;
  unsigned char block[128];
  size_t filled;
} digest;

void digest_start(digest *d, digest_kind kind);
void digest_add(digest *d, const void *at, size_t size);
/* Writes up to 64 bytes; returns how many. */
size_t digest_end(digest *d, unsigned char *to);

#endif
