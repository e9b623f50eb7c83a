// SPDX-License-Identifier: MIT
/* inflate.c -- decompression. Codes are looked up in a table of ten bits; longer ones, which are
 * rare, in a second one behind it. Output goes through a window of 64 KiB, flushed by halves. */
#include "inflate.h"

#include <stdlib.h>
#include <string.h>

#include "../text/text.h"

#define FAST_BITS 10
#define WINDOW 65536u

typedef struct {
  uint16_t fast[1 << FAST_BITS];     /* symbol << 4 | length; 0: longer */
  uint16_t counts[16], symbols[288]; /* the canonical code, for the longer ones */
} huffman;

typedef struct {
  input *in;
  output *out;
  zip_sums *sums;
  uint64_t bits;
  int have;
  unsigned char *window;
  size_t at, flushed;
  uint64_t total;
  huffman lengths, distances;
  const char *error;
} inflater;

/* By half bytes: a table of sixteen stays in the cache, and the image. */
uint32_t zip_crc(uint32_t crc, const void *from, size_t size) {
  static const uint32_t nibbles[16] = {0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC,
                                       0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
                                       0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C,
                                       0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C};
  const unsigned char *at = from;
  crc = ~crc;
  while (size-- > 0) {
    crc ^= *at++;
    crc = crc >> 4 ^ nibbles[crc & 15];
    crc = crc >> 4 ^ nibbles[crc & 15];
  }
  return ~crc;
}

/* Makes at least `count` (at most 48) bits available; zeros behind the end. */
static inline bool need(inflater *z, int count) {
  while (z->have < count) {
    if (z->in->start == z->in->end && input_fill(z->in) <= 0) return false;
    z->bits |= (uint64_t)(unsigned char)z->in->buffer[z->in->start++] << z->have;
    z->have += 8;
  }
  return true;
}

static uint32_t take(inflater *z, int count) {
  if (!need(z, count)) {
    z->error = "unexpected end of file";
    return 0;
  }
  uint32_t value = (uint32_t)(z->bits & ((1ull << count) - 1));
  z->bits >>= count;
  z->have -= count;
  return value;
}

/* False when the lengths make no code. */
static bool make_code(huffman *h, const unsigned char *lengths, int count) {
  uint16_t offsets[16] = {0}, next[16] = {0};
  memset(h, 0, sizeof *h);
  for (int i = 0; i < count; i++) h->counts[lengths[i]]++;
  h->counts[0] = 0;
  int left = 1;
  for (int length = 1; length < 16; length++) {
    left = left * 2 - h->counts[length];
    if (left < 0) return false;
  }
  uint16_t code = 0;
  for (int length = 1; length < 16; length++) {
    code = (uint16_t)((code + h->counts[length - 1]) << 1);
    next[length] = code;
    if (length > 1) offsets[length] = (uint16_t)(offsets[length - 1] + h->counts[length - 1]);
  }
  for (int i = 0; i < count; i++) {
    int length = lengths[i];
    if (length == 0) continue;
    h->symbols[offsets[length]++] = (uint16_t)i;
    uint32_t forward = next[length]++, reversed = 0;
    for (int bit = 0; bit < length; bit++) reversed |= (forward >> bit & 1) << (length - 1 - bit);
    if (length > FAST_BITS) continue;
    for (uint32_t k = reversed; k < 1u << FAST_BITS; k += 1u << length)
      h->fast[k] = (uint16_t)(i << 4 | length);
  }
  return true;
}

static int slow_symbol(inflater *z, const huffman *h) {
  int code = 0, first = 0, index = 0;
  for (int length = 1; length < 16; length++) {
    code |= (int)take(z, 1);
    if (z->error != NULL) return -1;
    int count = h->counts[length];
    if (code - count < first) return h->symbols[index + (code - first)];
    index += count;
    first = (first + count) << 1;
    code <<= 1;
  }
  z->error = "invalid compressed data--format violated";
  return -1;
}

static inline int symbol(inflater *z, const huffman *h) {
  need(z, FAST_BITS); /* near the end there may be fewer: zeros stand in */
  uint16_t entry = h->fast[z->bits & ((1u << FAST_BITS) - 1)];
  int length = entry & 15;
  if (length == 0 || length > z->have) return slow_symbol(z, h);
  z->bits >>= length;
  z->have -= length;
  return entry >> 4;
}

static void flush(inflater *z) {
  const unsigned char *from = z->window + z->flushed;
  size_t size = z->at - z->flushed;
  z->sums->crc = zip_crc(z->sums->crc, from, size);
  z->sums->plain += size;
  output_write(z->out, (const char *)from, size);
  z->flushed = z->at;
}

static inline void put(inflater *z, unsigned char byte) {
  z->window[z->at++] = byte;
  z->total++;
  if (z->at == WINDOW) {
    flush(z);
    z->at = z->flushed = 0;
  } else if (z->at == WINDOW / 2) {
    flush(z);
  }
}

static void copy(inflater *z, uint32_t distance, uint32_t length) {
  if (distance > z->total || distance > 32768) {
    z->error = "invalid compressed data--format violated";
    return;
  }
  size_t from = (z->at + WINDOW - distance) % WINDOW;
  size_t room = WINDOW / 2 - z->at % (WINDOW / 2);
  if (distance >= length && from + length <= WINDOW && length < room) {
    memcpy(z->window + z->at, z->window + from, length);
    z->at += length;
    z->total += length;
    return;
  }
  while (length-- > 0) {
    put(z, z->window[from]);
    from = (from + 1) % WINDOW;
  }
}

static void read_block(inflater *z) {
  static const uint16_t length_base[] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                         15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                         67, 83, 99, 115, 131, 163, 195, 227, 258};
  static const unsigned char length_bits[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                              2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
  static const uint16_t distance_base[] = {
      1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
      193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
  while (z->error == NULL && z->out->error == 0) {
    int s = symbol(z, &z->lengths);
    if (s < 0 || s == 256) return;
    if (s < 256) {
      put(z, (unsigned char)s);
      continue;
    }
    s -= 257;
    if (s > 28) break;
    uint32_t length = length_base[s] + take(z, length_bits[s]);
    int d = symbol(z, &z->distances);
    if (d < 0) return;
    if (d > 29) break;
    uint32_t distance = distance_base[d] + take(z, d < 4 ? 0 : d / 2 - 1);
    if (z->error == NULL) copy(z, distance, length);
  }
  if (z->error == NULL) z->error = "invalid compressed data--format violated";
}

static void read_codes(inflater *z) {
  static const unsigned char order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                          11, 4,  12, 3, 13, 2, 14, 1, 15};
  unsigned char lengths[320] = {0};
  int literals = (int)take(z, 5) + 257, distances = (int)take(z, 5) + 1,
      codes = (int)take(z, 4) + 4;
  for (int i = 0; i < codes; i++) lengths[order[i]] = (unsigned char)take(z, 3);
  bool fine = make_code(&z->lengths, lengths, 19) && literals <= 286 && z->error == NULL;
  memset(lengths, 0, sizeof lengths);
  for (int i = 0; fine && i < literals + distances;) {
    int s = symbol(z, &z->lengths);
    if (s < 0) return;
    if (s < 16) {
      lengths[i++] = (unsigned char)s;
      continue;
    }
    int repeat = s == 16   ? 3 + (int)take(z, 2)
                 : s == 17 ? 3 + (int)take(z, 3)
                           : 11 + (int)take(z, 7);
    unsigned char value = s == 16 && i > 0 ? lengths[i - 1] : 0;
    fine = !(s == 16 && i == 0) && i + repeat <= literals + distances && z->error == NULL;
    for (; fine && repeat > 0; repeat--) lengths[i++] = value;
  }
  fine = fine && make_code(&z->lengths, lengths, literals) &&
         make_code(&z->distances, lengths + literals, distances);
  if (!fine && z->error == NULL) z->error = "invalid compressed data--format violated";
}

static void fixed_codes(inflater *z) {
  unsigned char lengths[288];
  for (int i = 0; i < 288; i++) lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
  make_code(&z->lengths, lengths, 288);
  memset(lengths, 5, 30);
  make_code(&z->distances, lengths, 30);
}

static void read_stored(inflater *z) {
  z->bits >>= z->have & 7;
  z->have &= ~7;
  uint32_t size = take(z, 16), check = take(z, 16);
  if (z->error == NULL && (size ^ check) != 0xFFFF)
    z->error = "invalid compressed data--format violated";
  for (; size > 0 && z->error == NULL; size--) put(z, (unsigned char)take(z, 8));
}

const char *zip_inflate(input *in, output *out, zip_sums *sums) {
  inflater *z = memory_take(sizeof *z);
  *z = (inflater){.in = in, .out = out, .sums = sums, .window = memory_take(WINDOW)};
  bool last = false;
  while (!last && z->error == NULL && out->error == 0) {
    last = take(z, 1);
    uint32_t kind = take(z, 2);
    if (z->error != NULL) break;
    if (kind == 0)
      read_stored(z);
    else if (kind == 3)
      z->error = "invalid compressed data--format violated";
    else {
      if (kind == 1)
        fixed_codes(z);
      else
        read_codes(z);
      if (z->error == NULL) read_block(z);
    }
  }
  flush(z);
  in->start -= (size_t)(z->have / 8); /* whole bytes that were not used */
  const char *error = z->error;
  free(z->window);
  free(z);
  return error;
}
