// SPDX-License-Identifier: MIT
/* address.c -- internet addresses in every spelling that a browser or a C library takes. */
#include "gate/address.h"

#include <string.h>

static int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

/* One part of an IPv4 address, at most 32 bits. "0x" alone is zero, as browsers have it. */
static bool read_part(cloche_text part, uint64_t *value) {
  int base = 10;
  if (part.len == 0) return false;
  if (part.len >= 2 && part.at[0] == '0') {
    bool hex = part.at[1] == 'x' || part.at[1] == 'X';
    base = hex ? 16 : 8;
    part = (cloche_text){part.at + (hex ? 2 : 1), part.len - (hex ? 2 : 1)};
  }
  *value = 0;
  for (size_t i = 0; i < part.len; i++) {
    if (digit_value(part.at[i]) >= base) return false;
    *value = *value * (unsigned)base + (unsigned)digit_value(part.at[i]);
    if (*value > UINT32_MAX) return false;
  }
  return true;
}

static cloche_text last_label(cloche_text host) {
  size_t start = host.len;
  while (start > 0 && host.at[start - 1] != '.') start--;
  return (cloche_text){host.at + start, host.len - start};
}

bool cloche__address_is_v4(cloche_text host) {
  cloche_text label = last_label(host);
  uint64_t ignored;
  bool digits = label.len > 0;
  for (size_t i = 0; i < label.len; i++) digits &= label.at[i] >= '0' && label.at[i] <= '9';
  return digits || (label.len >= 2 && label.at[0] == '0' && read_part(label, &ignored));
}

static void set_v4(cloche__address *address, uint32_t value) {
  memset(address->bytes, 0, 10);
  address->bytes[10] = address->bytes[11] = 0xFF;
  for (int i = 0; i < 4; i++) address->bytes[12 + i] = (uint8_t)(value >> (24 - 8 * i));
}

bool cloche__address_read_v4(cloche_text host, cloche__address *address) {
  uint64_t parts[4], value = 0;
  size_t count = 0;
  for (size_t start = 0; start <= host.len; count++) {
    size_t end = start;
    while (end < host.len && host.at[end] != '.') end++;
    if (count == 4 || !read_part((cloche_text){host.at + start, end - start}, &parts[count])) {
      return false;
    }
    start = end + 1;
  }
  for (size_t i = 0; i + 1 < count; i++) {
    if (parts[i] > 255) return false;
    value |= parts[i] << (24 - 8 * i);
  }
  if (parts[count - 1] >> (8 * (5 - count)) != 0) return false;
  set_v4(address, (uint32_t)(value | parts[count - 1]));
  return true;
}

/* a.b.c.d in plain decimal, as the tail of an IPv6 address has it. */
static bool read_dotted(cloche_text text, uint8_t bytes[4]) {
  size_t at = 0;
  for (int i = 0; i < 4; i++) {
    size_t start;
    unsigned value = 0;
    if (i > 0 && (at >= text.len || text.at[at++] != '.')) return false;
    for (start = at; at < text.len && digit_value(text.at[at]) < 10 && at - start < 3; at++) {
      value = value * 10 + (unsigned)digit_value(text.at[at]);
    }
    if (at == start || value > 255 || (at - start > 1 && text.at[start] == '0')) return false;
    bytes[i] = (uint8_t)value;
  }
  return at == text.len;
}

bool cloche__address_read_v6(cloche_text text, cloche__address *address) {
  uint8_t bytes[16] = {0};
  size_t filled = 0, gap = SIZE_MAX, at = 0;
  if (text.len >= 1 && text.at[0] == ':') {
    if (text.len < 2 || text.at[1] != ':') return false;
    at = 1; /* the loop sees the second colon as the gap */
    gap = 0;
    at++;
  }
  while (at < text.len) {
    size_t start = at;
    unsigned value = 0;
    if (filled == 16) return false;
    if (text.at[at] == ':') {
      if (gap != SIZE_MAX) return false;
      gap = filled;
      at++;
      continue;
    }
    while (at < text.len && at - start < 4 && digit_value(text.at[at]) < 16) {
      value = value * 16 + (unsigned)digit_value(text.at[at++]);
    }
    if (at < text.len && text.at[at] == '.') {
      if (filled > 12) return false;
      if (!read_dotted((cloche_text){text.at + start, text.len - start}, bytes + filled))
        return false;
      filled += 4;
      break;
    }
    if (at == start) return false;
    bytes[filled++] = (uint8_t)(value >> 8);
    bytes[filled++] = (uint8_t)value;
    if (at < text.len && (text.at[at++] != ':' || at == text.len)) return false;
  }
  if (gap == SIZE_MAX ? filled != 16 : filled == 16) return false;
  memset(address->bytes, 0, 16);
  if (gap == SIZE_MAX) gap = filled;
  memcpy(address->bytes, bytes, gap);
  memcpy(address->bytes + 16 - (filled - gap), bytes + gap, filled - gap);
  return true;
}

typedef struct {
  uint8_t bits;
  uint8_t bytes[12];
} block;

static bool is_in(const uint8_t *bytes, const block *blocks, size_t count) {
  for (size_t i = 0; i < count; i++) {
    size_t whole = blocks[i].bits / 8u, rest = blocks[i].bits % 8u;
    uint8_t mask = (uint8_t)(0xFF00 >> rest);
    if (memcmp(bytes, blocks[i].bytes, whole) != 0) continue;
    if (rest == 0 || ((bytes[whole] ^ blocks[i].bytes[whole]) & mask) == 0) return true;
  }
  return false;
}

static bool is_public_v4(const uint8_t *bytes) {
  static const block special[] = {
      {8, {0}},             /* this network */
      {8, {10}},            /* private */
      {10, {100, 64}},      /* shared between carriers */
      {8, {127}},           /* loopback */
      {16, {169, 254}},     /* link-local, where clouds keep their metadata */
      {12, {172, 16}},      /* private */
      {24, {192, 0, 0}},    /* protocol assignments */
      {24, {192, 0, 2}},    /* documentation */
      {24, {192, 88, 99}},  /* 6to4 relays */
      {16, {192, 168}},     /* private */
      {15, {198, 18}},      /* benchmarks */
      {24, {198, 51, 100}}, /* documentation */
      {24, {203, 0, 113}},  /* documentation */
      {4, {224}},           /* multicast */
      {4, {240}},           /* reserved, and broadcast */
  };
  return !is_in(bytes, special, sizeof special / sizeof *special);
}

/* Everything outside 2000::/3 is special in some way, so only exceptions within it are listed. */
static bool is_public_v6(const uint8_t *bytes) {
  static const block global = {3, {0x20}};
  static const block special[] = {
      {23, {0x20, 0x01, 0x00}},       /* protocol assignments, Teredo among them */
      {32, {0x20, 0x01, 0x0d, 0xb8}}, /* documentation */
      {20, {0x3f, 0xff, 0x00}},       /* documentation */
  };
  static const uint8_t isatap[] = {0x5e, 0xfe};
  if (!is_in(bytes, &global, 1) || is_in(bytes, special, 3)) return false;
  if (memcmp(bytes + 10, isatap, 2) == 0 && (bytes[8] & 0xFD) == 0 && bytes[9] == 0) return false;
  return bytes[0] != 0x20 || bytes[1] != 0x02 || is_public_v4(bytes + 2); /* 6to4 carries one */
}

bool cloche__address_is_public(const cloche__address *address) {
  static const block carriers[] = {
      {96, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF}}, /* ::ffff:a.b.c.d */
      {96, {0, 0x64, 0xFF, 0x9B}},                      /* translated: 64:ff9b::a.b.c.d */
  };
  if (is_in(address->bytes, carriers, 2)) return is_public_v4(address->bytes + 12);
  return is_public_v6(address->bytes);
}
