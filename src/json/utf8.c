// SPDX-License-Identifier: MIT
/* utf8.c -- UTF-8 as the standard defines it. */
#include "json/utf8.h"

int32_t cloche__utf8_decode(cloche_text text, size_t *len) {
  static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
  const unsigned char *at = (const unsigned char *)text.at;
  *len = text.len == 0 ? 0 : 1;
  if (text.len == 0) return -1;
  if (at[0] < 0x80) return at[0];
  size_t need = at[0] >= 0xF0 ? 4 : at[0] >= 0xE0 ? 3 : at[0] >= 0xC0 ? 2 : 0;
  if (need == 0 || at[0] > 0xF4 || need > text.len) return -1;
  uint32_t code = at[0] & (0xFFu >> (need + 1));
  for (size_t i = 1; i < need; i++) {
    if ((at[i] & 0xC0) != 0x80) return -1;
    code = code << 6 | (at[i] & 0x3F);
  }
  if (code < least[need] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return -1;
  *len = need;
  return (int32_t)code;
}

size_t cloche__utf8_encode(uint32_t code, char bytes[4]) {
  size_t len = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  static const unsigned char mark[5] = {0, 0, 0xC0, 0xE0, 0xF0};
  for (size_t i = len - 1; i > 0; i--, code >>= 6) bytes[i] = (char)(0x80 | (code & 0x3F));
  bytes[0] = (char)(mark[len] | code);
  return len;
}

bool cloche__utf8_valid(cloche_text text) {
  for (size_t len; text.len > 0; text.at += len, text.len -= len) {
    if (cloche__utf8_decode(text, &len) < 0) return false;
  }
  return true;
}

size_t cloche__utf8_count(cloche_text text) {
  size_t count = 0;
  for (size_t len; text.len > 0; text.at += len, text.len -= len, count++) {
    cloche__utf8_decode(text, &len);
  }
  return count;
}
