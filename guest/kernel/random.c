// SPDX-License-Identifier: MIT
/* random.c -- ChaCha20 (RFC 8439) with the host's seed as its key and a counter, as a stream of
 * bytes. A program that sees some of it learns nothing about the rest. */
#include "random.h"

#include <string.h>

#include "kernel.h"

static struct {
  uint32_t key[8];
  uint64_t block;
  uint8_t bytes[64];
  uint32_t used; /* of bytes */
} state = {.used = 64};

static uint32_t rotate(uint32_t x, int by) {
  return x << by | x >> (32 - by);
}

static void quarter(uint32_t *x, int a, int b, int c, int d) {
  x[a] += x[b], x[d] = rotate(x[d] ^ x[a], 16);
  x[c] += x[d], x[b] = rotate(x[b] ^ x[c], 12);
  x[a] += x[b], x[d] = rotate(x[d] ^ x[a], 8);
  x[c] += x[d], x[b] = rotate(x[b] ^ x[c], 7);
}

static void next_block(void) {
  uint32_t start[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}; /* expand 32-byte k */
  memcpy(start + 4, state.key, sizeof state.key);
  start[12] = (uint32_t)state.block;
  start[13] = (uint32_t)(state.block >> 32);
  uint32_t x[16];
  memcpy(x, start, sizeof x);
  for (int round = 0; round < 10; round++) {
    for (int i = 0; i < 4; i++) quarter(x, i, 4 + i, 8 + i, 12 + i);
    for (int i = 0; i < 4; i++) quarter(x, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
  }
  for (int i = 0; i < 16; i++) x[i] += start[i];
  memcpy(state.bytes, x, sizeof x);
  state.block++;
  state.used = 0;
}

void random_seed(const uint8_t seed[32]) {
  memcpy(state.key, seed, sizeof state.key);
  state.block = 0;
  state.used = sizeof state.bytes;
}

void kernel_random(void *to, size_t size) {
  uint8_t *at = to;
  while (size > 0) {
    if (state.used == sizeof state.bytes) next_block();
    size_t part = sizeof state.bytes - state.used;
    if (part > size) part = size;
    memcpy(at, state.bytes + state.used, part);
    state.used += (uint32_t)part;
    at += part;
    size -= part;
  }
}
