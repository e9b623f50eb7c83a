// SPDX-License-Identifier: MIT
/* inflate.h -- the DEFLATE format (RFC 1951), both ways, between an input and an output. */
#ifndef GUEST_BIN_INFLATE_H
#define GUEST_BIN_INFLATE_H

#include "stream.h"

typedef struct {
  uint32_t crc;   /* CRC-32 of the plain bytes */
  uint64_t plain; /* how many */
} zip_sums;

uint32_t zip_crc(uint32_t crc, const void *at, size_t size);
/* Reads one DEFLATE stream and leaves `in` behind it. NULL, or what is wrong with it. [waits] */
const char *zip_inflate(input *in, output *out, zip_sums *sums);
/* Reads `in` to its end; level 1 (fast) to 9. [waits] */
void zip_deflate(input *in, output *out, int level, zip_sums *sums);

#endif
