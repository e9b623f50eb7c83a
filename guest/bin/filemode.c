// SPDX-License-Identifier: MIT
// filemode.c -- see filemode.h.
#include "filemode.h"

#include <string.h>

void filemode_text(file_kind kind, uint32_t mode, char text[11]) {
  static const char kinds[] = "?-dlpc";
  text[0] = kinds[kind];
  for (int i = 0; i < 9; i++) text[1 + i] = mode >> (8 - i) & 1 ? "rwx"[i % 3] : '-';
  if (mode & 04000) text[3] = mode & 0100 ? 's' : 'S';
  if (mode & 02000) text[6] = mode & 010 ? 's' : 'S';
  if (mode & 01000) text[9] = mode & 01 ? 't' : 'T';
  text[10] = 0;
}

static bool apply_number(const char *spec, uint32_t *result) {
  uint32_t value = 0;
  for (; *spec >= '0' && *spec <= '7'; spec++) {
    value = value * 8 + (uint32_t)(*spec - '0');
    if (value > 07777) return false;
  }
  *result = value;
  return *spec == 0;
}

/* The bits that the letters after an operator mean, spread over u, g and o. */
static uint32_t permissions(const char **at, uint32_t mode, bool is_folder) {
  uint32_t bits = 0;
  for (;; ++*at) {
    switch (**at) {
      case 'r':
        bits |= 0444;
        break;
      case 'w':
        bits |= 0222;
        break;
      case 'x':
        bits |= 0111;
        break;
      case 'X':
        bits |= is_folder || (mode & 0111) != 0 ? 0111 : 0;
        break;
      case 's':
        bits |= 06000;
        break;
      case 't':
        bits |= 01000;
        break;
      case 'u':
        bits |= (mode >> 6 & 7) * 0111;
        break;
      case 'g':
        bits |= (mode >> 3 & 7) * 0111;
        break;
      case 'o':
        bits |= (mode & 7) * 0111;
        break;
      default:
        return bits;
    }
  }
}

bool filemode_apply(const char *spec, uint32_t mode, bool is_folder, uint32_t umask,
                    uint32_t *result) {
  if (*spec >= '0' && *spec <= '7') return apply_number(spec, result);
  for (const char *at = spec;;) {
    uint32_t who = 0;
    for (; *at != 0 && strchr("ugoa", *at) != NULL; at++) {
      who |= *at == 'u' ? 04700 : *at == 'g' ? 02070 : *at == 'o' ? 01007 : 07777;
    }
    uint32_t kept_by_umask = who == 0 ? umask : 0;
    if (who == 0) who = 07777;
    if (*at == 0 || strchr("+-=", *at) == NULL) return false;
    while (*at != 0 && strchr("+-=", *at) != NULL) {
      char operator= * at++;
      uint32_t bits = permissions(&at, mode, is_folder) & who & ~kept_by_umask;
      if (operator== '+') mode |= bits;
      if (operator== '-') mode &= ~bits;
      if (operator== '=') mode = (mode & ~(who & ~(is_folder ? 06000u : 0u))) | bits;
    }
    if (*at == 0) break;
    if (*at++ != ',') return false;
  }
  *result = mode;
  return true;
}
