// SPDX-License-Identifier: MIT
/* pagemap.c -- PAGEMAP_SCAN, spelled out here because Debian 12's headers are older than it. */
#define _GNU_SOURCE
#include "sandbox/pagemap.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The kernel's ABI, include/uapi/linux/fs.h of 6.7. */
typedef struct {
  uint64_t start, end, categories;
} region;
typedef struct {
  uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
  uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
} scan;
#define SCAN_CALL _IOWR('f', 16, scan)
enum { IS_FILE = 1 << 2, IS_PRESENT = 1 << 3, IS_SWAPPED = 1 << 4, IS_ZERO = 1 << 5 };
enum { REGIONS = 128 };

static int pagemap = -1;
static pthread_once_t opened = PTHREAD_ONCE_INIT;
static void open_pagemap(void) {
  pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
}

/* Private pages in [*at, end), at most REGIONS runs of them; *at moves to where the walk ended. */
static long private_regions(uint64_t *at, uint64_t end, region found[REGIONS]) {
  pthread_once(&opened, open_pagemap);
  scan ask = {.size = sizeof ask,
              .start = *at,
              .end = end,
              .vec = (uint64_t)(uintptr_t)found,
              .vec_len = REGIONS,
              .category_inverted = IS_FILE | IS_ZERO,
              .category_mask = IS_FILE | IS_ZERO,
              .category_anyof_mask = IS_PRESENT | IS_SWAPPED,
              .return_mask = IS_PRESENT};
  long count = ioctl(pagemap, SCAN_CALL, &ask);
  *at = ask.walk_end;
  return count;
}

bool cloche__pagemap_works(void) {
  uint64_t at = (uint64_t)(uintptr_t)&pagemap & ~(uint64_t)4095;
  region found[REGIONS];
  return private_regions(&at, at + 4096, found) >= 0;
}

bool cloche__pagemap_restore(uint8_t *base, const cloche__image *image) {
  region found[REGIONS];
  uint64_t start = (uint64_t)(uintptr_t)base;
  for (uint64_t at = start; at < start + image->size;) {
    long count = private_regions(&at, start + image->size, found);
    if (count < 0) return false;
    for (long i = 0; i < count; i++)
      memcpy(base + (found[i].start - start), image->bytes + (found[i].start - start),
             found[i].end - found[i].start);
  }
  return true;
}

void cloche__pagemap_mark(const uint8_t *base, uint32_t size, uint64_t *bitmap) {
  region found[REGIONS];
  uint64_t start = (uint64_t)(uintptr_t)base;
  for (uint64_t at = start; at < start + size;) {
    long count = private_regions(&at, start + size, found);
    if (count < 0) return;
    for (long i = 0; i < count; i++)
      for (uint64_t page = (found[i].start - start) / 4096; page < (found[i].end - start) / 4096;
           page++)
        bitmap[page / 64] |= (uint64_t)1 << (page % 64);
  }
}
