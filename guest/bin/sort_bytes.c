// SPDX-License-Identifier: MIT
/* sort_bytes.c -- see sort_bytes.h.
 *
 * Eight bytes of the lines at a time: the records are put in order by them, and each group that has
 * the same ones goes on with the next eight. A byte that is the same in all of a group costs no
 * pass, and small groups are sorted by insertion. */
#include "sort_bytes.h"

#include <string.h>

#define SMALL 24
/* Groups within groups, each 8 bytes further on; beyond it lines are compared to their ends. */
#define DEPTH_MAX 32

static void insert_by_prefix(record *at, size_t count) {
  for (size_t i = 1; i < count; i++) {
    record moved = at[i];
    size_t k = i;
    for (; k > 0 && at[k - 1].prefix > moved.prefix; k--) at[k] = at[k - 1];
    at[k] = moved;
  }
}

/* One pass by the byte at `shift`. */
static void distribute(const record *from, size_t count, record *to, unsigned shift) {
  uint32_t next[256] = {0}, sum = 0;
  for (size_t i = 0; i < count; i++) next[from[i].prefix >> shift & 0xFF]++;
  for (size_t i = 0; i < 256; i++) {
    uint32_t here = next[i];
    next[i] = sum;
    sum += here;
  }
  for (size_t i = 0; i < count; i++) to[next[from[i].prefix >> shift & 0xFF]++] = from[i];
}

void sort_by_prefix(record *at, size_t count, record *spare) {
  uint64_t differs = 0;
  bool sorted = true;
  for (size_t i = 1; i < count; i++) {
    differs |= at[i].prefix ^ at[0].prefix;
    sorted &= at[i - 1].prefix <= at[i].prefix;
  }
  if (sorted) return;
  if (count <= SMALL) {
    insert_by_prefix(at, count);
    return;
  }
  record *from = at, *to = spare;
  for (unsigned shift = 0; shift < 64; shift += 8) {
    if ((differs >> shift & 0xFF) == 0) continue;
    distribute(from, count, to, shift);
    record *swap = from;
    from = to;
    to = swap;
  }
  if (from != at) memcpy(at, from, count * sizeof *at);
}

/* ---- by bytes ---- */

typedef struct {
  const char *text;
  record *spare;
  bool reverse;
} order;

static uint64_t eight_bytes(const char *at, size_t size) {
  uint64_t loaded = 0;
  if (size >= 8) {
    memcpy(&loaded, at, 8);
    return __builtin_bswap64(loaded);
  }
  for (size_t i = 0; i < 8; i++) loaded = loaded << 8 | (i < size ? (unsigned char)at[i] : 0);
  return loaded;
}

static void load(const order *o, record *at, size_t count, size_t offset) {
  for (size_t i = 0; i < count; i++) {
    size_t left = at[i].size > offset ? at[i].size - offset : 0;
    uint64_t prefix = left == 0 ? 0 : eight_bytes(o->text + at[i].start + offset, left);
    at[i].prefix = o->reverse ? ~prefix : prefix;
  }
}

/* Of two whose bytes up to `offset` are the same. */
static int compare_from(const order *o, const record *a, const record *b, size_t offset) {
  size_t shorter = a->size < b->size ? a->size : b->size;
  int found = shorter <= offset ? 0
                                : memcmp(o->text + a->start + offset, o->text + b->start + offset,
                                         shorter - offset);
  if (found == 0) found = (a->size > b->size) - (a->size < b->size);
  return o->reverse ? -found : found;
}

static void insert_by_bytes(const order *o, record *at, size_t count, size_t offset) {
  load(o, at, count, offset);
  for (size_t i = 1; i < count; i++) {
    record moved = at[i];
    size_t k = i;
    for (; k > 0; k--) {
      const record *before = &at[k - 1];
      if (before->prefix < moved.prefix) break;
      if (before->prefix == moved.prefix && compare_from(o, before, &moved, offset + 8) <= 0) break;
      at[k] = *before;
    }
    at[k] = moved;
  }
}

static void merge_by_bytes(const order *o, record *at, size_t count, size_t offset) {
  if (count <= SMALL) {
    insert_by_bytes(o, at, count, offset);
    return;
  }
  size_t half = count / 2, i = 0, k = half, n = 0;
  merge_by_bytes(o, at, half, offset);
  merge_by_bytes(o, at + half, count - half, offset);
  memcpy(o->spare, at, half * sizeof *at);
  while (i < half && k < count)
    at[n++] = compare_from(o, &o->spare[i], &at[k], offset) <= 0 ? o->spare[i++] : at[k++];
  memcpy(at + n, o->spare + i, (half - i) * sizeof *at);
}

/* Lines that end within the eight bytes differ in nothing but their sizes: they are put in order
 * and out of the way. What is left of the group is given back. */
static record *set_ended_apart(const order *o, record *at, size_t *count, size_t end) {
  size_t ended = 0, going = 0;
  for (size_t i = 0; i < *count; i++) ended += at[i].size <= end;
  if (ended == 0) return at;
  for (size_t i = 0; i < *count; i++)
    if (at[i].size > end) o->spare[going++] = at[i];
  /* Longer lines come behind them, or before them in reverse. */
  size_t place = 0;
  record *shorter = o->reverse ? o->spare + going : at;
  for (size_t i = 0; i < *count; i++)
    if (at[i].size <= end) {
      record moved = at[i];
      moved.prefix = o->reverse ? ~(uint64_t)moved.size : moved.size;
      shorter[place++] = moved;
    }
  record *rest = o->reverse ? at : at + ended;
  if (o->reverse) memcpy(at + going, shorter, ended * sizeof *at);
  memcpy(rest, o->spare, going * sizeof *at);
  sort_by_prefix(o->reverse ? at + going : at, ended, o->spare);
  *count = going;
  return rest;
}

static void by_bytes(const order *o, record *at, size_t count, size_t offset, unsigned depth) {
  for (;; offset += 8) {
    if (count <= SMALL || depth == DEPTH_MAX) {
      merge_by_bytes(o, at, count, offset);
      return;
    }
    load(o, at, count, offset);
    sort_by_prefix(at, count, o->spare);
    if (at[0].prefix != at[count - 1].prefix) break;
    at = set_ended_apart(o, at, &count, offset + 8);
    if (count == 0) return;
  }
  for (size_t i = 0, end; i < count; i = end) {
    for (end = i + 1; end < count && at[end].prefix == at[i].prefix; end++) continue;
    size_t group = end - i;
    if (group == 1) continue;
    record *rest = set_ended_apart(o, at + i, &group, offset + 8);
    if (group > 1) by_bytes(o, rest, group, offset + 8, depth + 1);
  }
}

void sort_by_bytes(record *at, size_t count, record *spare, const char *text, bool reverse) {
  order o = {text, spare, reverse};
  by_bytes(&o, at, count, 0, 0);
}
