// SPDX-License-Identifier: MIT
/* deflate.c -- compression: matches found by chains of three-byte hashes, blocks of up to 32,000
 * symbols with codes of their own. */
#include <stdlib.h>
#include <string.h>

#include "../text/text.h"
#include "inflate.h"

#define HISTORY 32768u
#define HASHES 32768u
#define BLOCK 32000u
#define MATCH_MAX 258u

typedef struct {
  uint16_t length; /* 0: `value` is a byte; else it is a distance */
  uint16_t value;
} item;

typedef struct {
  output *out;
  uint64_t bits;
  int have;
  item items[BLOCK];
  size_t count;
  uint32_t literal_counts[286], distance_counts[30];
} deflater;

static void put_bits(deflater *z, uint32_t value, int count) {
  z->bits |= (uint64_t)value << z->have;
  z->have += count;
  while (z->have >= 8) {
    output_byte(z->out, (int)(z->bits & 0xFF));
    z->bits >>= 8;
    z->have -= 8;
  }
}

/* ---- codes ---- */

/* Lengths of a code of at most `most` bits for the counts. */
static void code_lengths(const uint32_t *counts, int n, int most, unsigned char *lengths) {
  typedef struct {
    uint32_t weight;
    int16_t parent;
  } tree_node;
  tree_node nodes[2 * 286];
  uint32_t weights[286];
  memcpy(weights, counts, (size_t)n * sizeof *weights);
  for (;;) {
    int heap[286], size = 0, next = n;
    memset(lengths, 0, (size_t)n);
    for (int i = 0; i < n; i++) {
      if (weights[i] == 0) continue;
      nodes[i] = (tree_node){weights[i], -1};
      int at = size++;
      while (at > 0 && nodes[heap[(at - 1) / 2]].weight > weights[i])
        heap[at] = heap[(at - 1) / 2], at = (at - 1) / 2;
      heap[at] = i;
    }
    if (size == 0) return;
    if (size == 1) {
      lengths[heap[0]] = 1;
      return;
    }
    while (size > 1) {
      int pair[2];
      for (int k = 0; k < 2; k++) { /* the two lightest */
        pair[k] = heap[0];
        int moved = heap[--size], at = 0;
        while (2 * at + 1 < size) {
          int child = 2 * at + 1;
          if (child + 1 < size && nodes[heap[child + 1]].weight < nodes[heap[child]].weight)
            child++;
          if (nodes[heap[child]].weight >= nodes[moved].weight) break;
          heap[at] = heap[child];
          at = child;
        }
        heap[at] = moved;
      }
      nodes[next] = (tree_node){nodes[pair[0]].weight + nodes[pair[1]].weight, -1};
      nodes[pair[0]].parent = nodes[pair[1]].parent = (int16_t)next;
      int at = size++;
      while (at > 0 && nodes[heap[(at - 1) / 2]].weight > nodes[next].weight)
        heap[at] = heap[(at - 1) / 2], at = (at - 1) / 2;
      heap[at] = next++;
    }
    bool too_long = false;
    for (int i = 0; i < n; i++) {
      if (weights[i] == 0) continue;
      int depth = 0;
      for (int up = i; nodes[up].parent >= 0; up = nodes[up].parent) depth++;
      too_long |= depth > most;
      lengths[i] = (unsigned char)depth;
    }
    if (!too_long) return;
    for (int i = 0; i < n; i++) weights[i] = weights[i] == 0 ? 0 : weights[i] / 2 + 1; /* flatter */
  }
}

static void make_codes(const unsigned char *lengths, int n, uint16_t *codes) {
  uint16_t counts[16] = {0}, next[16] = {0}, code = 0;
  for (int i = 0; i < n; i++) counts[lengths[i]]++;
  counts[0] = 0;
  for (int length = 1; length < 16; length++) {
    code = (uint16_t)((code + counts[length - 1]) << 1);
    next[length] = code;
  }
  for (int i = 0; i < n; i++) {
    uint32_t forward = lengths[i] == 0 ? 0 : next[lengths[i]]++, reversed = 0;
    for (int bit = 0; bit < lengths[i]; bit++)
      reversed |= (forward >> bit & 1) << (lengths[i] - 1 - bit);
    codes[i] = (uint16_t)reversed;
  }
}

static const uint16_t length_base[] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                       15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                       67, 83, 99, 115, 131, 163, 195, 227, 258};
static const unsigned char length_bits[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                            2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
static const uint16_t distance_base[] = {
    1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
    193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};

static int class_of(const uint16_t *bases, int count, uint32_t value) {
  int low = 0, high = count;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (bases[middle] <= value)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* The lengths of both codes, themselves compressed. */
static void put_lengths(deflater *z, const unsigned char *all, int literals, int distances) {
  static const unsigned char order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                          11, 4,  12, 3, 13, 2, 14, 1, 15};
  unsigned char symbols[320], extras[320], lengths[19];
  uint32_t counts[19] = {0};
  uint16_t codes[19];
  int n = 0, total = literals + distances;
  for (int i = 0; i < total;) {
    int run = 1;
    while (i + run < total && all[i + run] == all[i]) run++;
    if (all[i] == 0 && run >= 3) {
      if (run > 138) run = 138;
      symbols[n] = run < 11 ? 17 : 18;
      extras[n++] = (unsigned char)(run < 11 ? run - 3 : run - 11);
    } else if (run >= 4) {
      symbols[n] = all[i], extras[n++] = 0;
      run = run > 7 ? 7 : run;
      symbols[n] = 16, extras[n++] = (unsigned char)(run - 4);
    } else {
      run = 1;
      symbols[n] = all[i], extras[n++] = 0;
    }
    i += run;
  }
  for (int i = 0; i < n; i++) counts[symbols[i]]++;
  code_lengths(counts, 19, 7, lengths);
  make_codes(lengths, 19, codes);
  int used = 19;
  while (used > 4 && lengths[order[used - 1]] == 0) used--;
  put_bits(z, (uint32_t)literals - 257, 5);
  put_bits(z, (uint32_t)distances - 1, 5);
  put_bits(z, (uint32_t)used - 4, 4);
  for (int i = 0; i < used; i++) put_bits(z, lengths[order[i]], 3);
  for (int i = 0; i < n; i++) {
    put_bits(z, codes[symbols[i]], lengths[symbols[i]]);
    if (symbols[i] >= 16) put_bits(z, extras[i], symbols[i] == 16 ? 2 : symbols[i] == 17 ? 3 : 7);
  }
}

static void put_block(deflater *z, bool last) {
  unsigned char lengths[320] = {0}, all[320];
  uint16_t codes[286], distance_codes[30];
  z->literal_counts[256]++;
  put_bits(z, last, 1);
  put_bits(z, 2, 2);
  unsigned char *distance_lengths = lengths + 286;
  code_lengths(z->literal_counts, 286, 15, lengths);
  code_lengths(z->distance_counts, 30, 15, distance_lengths);
  make_codes(lengths, 286, codes);
  make_codes(distance_lengths, 30, distance_codes);
  int literals = 286, distances = 30;
  while (literals > 257 && lengths[literals - 1] == 0) literals--;
  while (distances > 1 && distance_lengths[distances - 1] == 0) distances--;
  memcpy(all, lengths, (size_t)literals);
  memcpy(all + literals, distance_lengths, (size_t)distances);
  put_lengths(z, all, literals, distances);
  for (size_t i = 0; i < z->count; i++) {
    item it = z->items[i];
    if (it.length == 0) {
      put_bits(z, codes[it.value], lengths[it.value]);
      continue;
    }
    int l = class_of(length_base, 29, it.length), d = class_of(distance_base, 30, it.value);
    put_bits(z, codes[257 + l], lengths[257 + l]);
    put_bits(z, (uint32_t)it.length - length_base[l], length_bits[l]);
    put_bits(z, distance_codes[d], distance_lengths[d]);
    put_bits(z, (uint32_t)it.value - distance_base[d], d < 4 ? 0 : d / 2 - 1);
  }
  put_bits(z, codes[256], lengths[256]);
  z->count = 0;
  memset(z->literal_counts, 0, sizeof z->literal_counts);
  memset(z->distance_counts, 0, sizeof z->distance_counts);
}

static void add(deflater *z, uint32_t length, uint32_t value) {
  z->items[z->count++] = (item){(uint16_t)length, (uint16_t)value};
  if (length == 0) {
    z->literal_counts[value]++;
  } else {
    z->literal_counts[257 + class_of(length_base, 29, length)]++;
    z->distance_counts[class_of(distance_base, 30, value)]++;
  }
}

/* ---- matches ---- */

typedef struct {
  unsigned char *text;
  size_t start, end;        /* what is held, and of it: the next byte to code */
  uint64_t base;            /* position of text[0] */
  uint64_t head[HASHES];    /* position + 1 of the last place with this hash */
  uint64_t before[HISTORY]; /* the one before it, by position */
  int chain;
} matcher;

static uint32_t hash_at(const unsigned char *at) {
  uint32_t value = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16;
  return value * 0x9E3779B1u >> 17;
}

static void remember(matcher *m, size_t at) {
  if (at + 3 > m->end) return;
  uint32_t hash = hash_at(m->text + at);
  uint64_t position = m->base + at;
  m->before[position % HISTORY] = m->head[hash];
  m->head[hash] = position + 1;
}

static uint32_t longest(matcher *m, size_t at, uint32_t *distance) {
  size_t left = m->end - at, most = left < MATCH_MAX ? left : MATCH_MAX;
  uint32_t best = 2;
  if (most < 3) return 0;
  uint64_t position = m->base + at, candidate = m->head[hash_at(m->text + at)];
  for (int tries = m->chain; candidate > 0 && tries > 0; tries--) {
    uint64_t place = candidate - 1;
    if (place >= position || position - place > HISTORY - MATCH_MAX || place < m->base) break;
    const unsigned char *a = m->text + at, *b = m->text + (place - m->base);
    if (b[best] == a[best] || best >= most) {
      uint32_t length = 0;
      while (length < most && a[length] == b[length]) length++;
      if (length > best) {
        best = length;
        *distance = (uint32_t)(position - place);
        if (length == most) break;
      }
    }
    if (best >= most) break;
    candidate = m->before[place % HISTORY];
  }
  return best > 2 ? best : 0;
}

/* Codes text[start, limit). With `lazy` a match gives way to a longer one a byte later. */
static void code(deflater *z, matcher *m, size_t limit, bool lazy) {
  while (m->start < limit) {
    uint32_t distance = 0, next_distance = 0;
    uint32_t length = longest(m, m->start, &distance);
    remember(m, m->start);
    if (length > 0 && lazy && length < 32 && m->start + 1 < limit) {
      uint32_t next = longest(m, m->start + 1, &next_distance);
      if (next > length) length = 0;
    }
    if (length == 0) {
      add(z, 0, m->text[m->start++]);
    } else {
      add(z, length, distance);
      for (uint32_t i = 1; i < length; i++) remember(m, m->start + i);
      m->start += length;
    }
    if (z->count == BLOCK) put_block(z, false);
  }
}

void zip_deflate(input *in, output *out, int level, zip_sums *sums) {
  static const int chains[] = {1, 4, 8, 16, 16, 32, 64, 128, 512, 2048};
  size_t room = 4 * HISTORY, size;
  deflater *z = memory_take(sizeof *z);
  matcher *m = memory_take(sizeof *m);
  char *at;
  memset(z, 0, sizeof *z);
  memset(m, 0, sizeof *m);
  z->out = out;
  m->text = memory_take(room);
  m->chain = chains[level];
  while ((size = input_some(in, &at)) > 0 && out->error == 0) {
    sums->crc = zip_crc(sums->crc, at, size);
    sums->plain += size;
    while (size > 0) {
      if (m->end == room) { /* keep one history */
        size_t drop = m->start - HISTORY;
        memmove(m->text, m->text + drop, m->end - drop);
        m->base += drop, m->start -= drop, m->end -= drop;
      }
      size_t part = room - m->end < size ? room - m->end : size;
      memcpy(m->text + m->end, at, part);
      m->end += part, at += part, size -= part;
      if (m->end == room) code(z, m, m->end - MATCH_MAX, level > 3);
    }
  }
  code(z, m, m->end, level > 3);
  put_block(z, true);
  if (z->have > 0) put_bits(z, 0, 8 - z->have);
  free(m->text);
  free(m);
  free(z);
}
