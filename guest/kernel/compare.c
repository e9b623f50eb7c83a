// SPDX-License-Identifier: MIT
/* compare.c -- memcmp, eight bytes at a time: libc's goes byte by byte, and sort, the shell and
 * JavaScript's strings live of it. */
#ifdef __wasm__
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint64_t __attribute__((aligned(1), may_alias)) any_word;

int memcmp(const void *left, const void *right, size_t size) {
  const unsigned char *a = left, *b = right;
  for (; size >= 8; a += 8, b += 8, size -= 8) {
    uint64_t x = *(const any_word *)a, y = *(const any_word *)b;
    if (x == y) continue;
    x = __builtin_bswap64(x);
    y = __builtin_bswap64(y);
    return x < y ? -1 : 1;
  }
  for (; size > 0; a++, b++, size--)
    if (*a != *b) return *a < *b ? -1 : 1;
  return 0;
}
#else
typedef int compare_is_libcs;
#endif
