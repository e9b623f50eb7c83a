// SPDX-License-Identifier: MIT
// bytes.c -- see bytes.h. Eight bytes at a time in plain C: it vectorises natively and costs the
// translated guest a handful of 64-bit operations.
#define _GNU_SOURCE
#include "bytes.h"

#include <stdint.h>
#include <string.h>

#define ONES 0x0101010101010101ull
#define HIGHS 0x8080808080808080ull

static uint64_t word_at(const char *at) {
  uint64_t word;
  memcpy(&word, at, sizeof word);
  return word;
}

/* Not zero when a byte of `word` is zero. */
#ifdef __wasm__
static uint64_t zero_byte(uint64_t word) {
  return (word - ONES) & ~word & HIGHS;
}
#endif

const char *bytes_chr(const char *at, int byte, size_t size) {
#ifndef __wasm__
  return size == 0 ? NULL : memchr(at, byte, size);
#else
  const char *end = at + size;
  uint64_t pattern = ONES * (unsigned char)byte;
  while (end - at >= 32) {
    uint64_t a = zero_byte(word_at(at) ^ pattern), b = zero_byte(word_at(at + 8) ^ pattern);
    uint64_t c = zero_byte(word_at(at + 16) ^ pattern), d = zero_byte(word_at(at + 24) ^ pattern);
    if ((a | b | c | d) != 0) break;
    at += 32;
  }
  for (; end - at >= 8; at += 8) {
    uint64_t found = zero_byte(word_at(at) ^ pattern);
    if (found != 0) return at + __builtin_ctzll(found) / 8;
  }
  for (; at < end; at++) {
    if (*at == (char)byte) return at;
  }
  return NULL;
#endif
}

const char *bytes_rchr(const char *at, int byte, size_t size) {
  while (size > 0) {
    if (at[--size] == (char)byte) return at + size;
  }
  return NULL;
}

/* How common a byte is in English, code and logs: a guess is enough to pick the rarest. */
static int commonness(unsigned char c) {
  static const char order[] = " etaoinsrhldcumfpgwybvkxjqz0123456789,.-_/\"'():;=";
  const char *place = c == 0 ? NULL : strchr(order, c);
  if (place != NULL) return 200 - (int)(place - order);
  if (c == '\n') return 190;
  if (c >= 'A' && c <= 'Z') return 100;
  return c >= 0x80 ? 90 : 50;
}

const char *bytes_find(const char *at, size_t size, const char *needle, size_t needle_size) {
  if (needle_size == 0) return at;
  if (needle_size > size) return NULL;
  size_t rare = 0;
  for (size_t i = 1; i < needle_size; i++) {
    if (commonness((unsigned char)needle[i]) < commonness((unsigned char)needle[rare])) rare = i;
  }
  const char *last = at + (size - needle_size); /* the last place where it could start */
  size_t misses = 0;
  for (const char *start = at; start <= last;) {
    const char *hit = bytes_chr(start + rare, needle[rare], (size_t)(last - start) + 1);
    if (hit == NULL) return NULL;
    start = hit - rare;
    if (memcmp(start, needle, needle_size) == 0) return start;
    start++;
    /* Many near misses: leave it to the C library's two-way search, which cannot be led astray. */
    if (++misses > 64 && misses * 32 > (size_t)(start - at)) {
      return start > last
                 ? NULL
                 : memmem(start, (size_t)(last - start) + needle_size, needle, needle_size);
    }
  }
  return NULL;
}

size_t bytes_count(const char *at, int byte, size_t size) {
  size_t count = 0;
  const char *end = at + size;
  uint64_t pattern = ONES * (unsigned char)byte;
  while (end - at >= 8) {
    /* One counter per byte of `sums`; 255 rounds before one could overflow. */
    uint64_t sums = 0;
    for (int round = 0; round < 255 && end - at >= 8; round++, at += 8) {
      uint64_t word = word_at(at) ^ pattern;
      uint64_t nonzero = ((word & ~HIGHS) + ~HIGHS) | word;
      sums += (~nonzero & HIGHS) >> 7;
    }
    uint64_t pairs = (sums & 0x00FF00FF00FF00FFull) + (sums >> 8 & 0x00FF00FF00FF00FFull);
    count += (size_t)(pairs * 0x0001000100010001ull >> 48);
  }
  for (; at < end; at++) count += *at == (char)byte;
  return count;
}
