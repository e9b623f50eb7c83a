// SPDX-License-Identifier: MIT
/* frozen.c -- writes memory into a sealed memory file. */
#define _GNU_SOURCE
#include "sandbox/frozen.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sandbox/slot.h"

static bool write_all(int file, const uint8_t *base, uint64_t at, uint64_t end) {
  while (at < end) {
    ssize_t put = pwrite(file, base + at, end - at, (off_t)at);
    if (put <= 0) return false;
    at += (uint64_t)put;
  }
  return true;
}

static bool is_present(const cloche__frozen *frozen, const uint64_t *stored, uint32_t page) {
  return (frozen->touched[page / 64] | stored[page / 64]) >> (page % 64) & 1;
}

/* Pages that were touched, or that the image has; the others are zero, and holes. */
static bool write_present(const cloche__frozen *frozen, const uint8_t *base,
                          const uint64_t *stored) {
  uint32_t pages = frozen->size >> CLOCHE__PAGE_SHIFT;
  for (uint32_t page = 0, end; page < pages; page = end) {
    for (end = page; end < pages && is_present(frozen, stored, end); end++) continue;
    if (end > page && !write_all(frozen->file, base, (uint64_t)page << CLOCHE__PAGE_SHIFT,
                                 (uint64_t)end << CLOCHE__PAGE_SHIFT))
      return false;
    if (end == page) end++;
  }
  return true;
}

static bool fill(cloche__frozen *frozen, const uint8_t *base, const uint64_t *stored) {
  frozen->file = memfd_create("cloche-state", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  return frozen->file >= 0 && ftruncate(frozen->file, frozen->size) == 0 &&
         write_present(frozen, base, stored) &&
         fcntl(frozen->file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) == 0;
}

/* A bitmap of the pages that are not zero in the image. */
static uint64_t *stored_pages(const cloche__image *image, uint32_t words) {
  uint64_t *stored = calloc(words, sizeof *stored);
  const uint8_t *numbers = (const uint8_t *)(image->header + 1);
  for (uint32_t i = 0; stored != NULL && i < image->header->pages; i++) {
    uint32_t page;
    memcpy(&page, numbers + (size_t)i * sizeof page, sizeof page);
    if (page / 64 < words) stored[page / 64] |= (uint64_t)1 << (page % 64);
  }
  return stored;
}

cloche__frozen *cloche__frozen_new(const cloche__image *image, const uint8_t *base, uint32_t size,
                                   const uint64_t *touched, uint32_t words) {
  cloche__frozen *frozen = calloc(1, sizeof *frozen);
  if (frozen == NULL) return NULL;
  *frozen = (cloche__frozen){.file = -1, .size = size, .words = words};
  atomic_init(&frozen->users, 1);
  frozen->touched = malloc((size_t)words * sizeof *touched);
  uint64_t *stored = stored_pages(image, words);
  bool filled = frozen->touched != NULL && stored != NULL;
  if (filled) memcpy(frozen->touched, touched, (size_t)words * sizeof *touched);
  filled = filled && fill(frozen, base, stored);
  free(stored);
  if (filled) return frozen;
  cloche__frozen_free(frozen);
  return NULL;
}

cloche__frozen *cloche__frozen_keep(cloche__frozen *frozen) {
  if (frozen != NULL) atomic_fetch_add(&frozen->users, 1);
  return frozen;
}

void cloche__frozen_free(cloche__frozen *frozen) {
  if (frozen == NULL || atomic_fetch_sub(&frozen->users, 1) > 1) return;
  if (frozen->file >= 0) close(frozen->file);
  free(frozen->touched);
  free(frozen);
}
