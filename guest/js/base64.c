// SPDX-License-Identifier: MIT
/* base64.c -- RFC 4648 with padding, as bytes travel in JSON. */
#include "json.h"

void base64_write(buffer *to, const uint8_t *from, size_t size) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (!buffer_reserve(to, size / 3 * 4 + 4)) return;
  for (size_t i = 0; i < size; i += 3) {
    size_t count = size - i < 3 ? size - i : 3;
    uint32_t bits = (uint32_t)from[i] << 16;
    if (count > 1) bits |= (uint32_t)from[i + 1] << 8;
    if (count > 2) bits |= from[i + 2];
    char group[4] = {digits[bits >> 18], digits[bits >> 12 & 63],
                     count > 1 ? digits[bits >> 6 & 63] : '=', count > 2 ? digits[bits & 63] : '='};
    buffer_put(to, group, 4);
  }
}

static int digit_value(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool base64_read(const char *text, size_t size, buffer *to) {
  if (size % 4 != 0) return false;
  for (size_t i = 0; i < size; i += 4) {
    bool is_last = i + 4 == size;
    int padding = is_last && text[i + 3] == '=' ? (text[i + 2] == '=' ? 2 : 1) : 0;
    uint32_t bits = 0;
    for (int k = 0; k < 4; k++) {
      int value = k >= 4 - padding ? 0 : digit_value(text[i + (size_t)k]);
      if (value < 0) return false;
      bits = bits << 6 | (uint32_t)value;
    }
    uint8_t bytes[3] = {(uint8_t)(bits >> 16), (uint8_t)(bits >> 8), (uint8_t)bits};
    buffer_put(to, bytes, (size_t)(3 - padding));
  }
  return !to->failed;
}
