// SPDX-License-Identifier: MIT
/* image.c -- brings the image that the library carries into a memory file. */
#define _GNU_SOURCE
#include "sandbox/image.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "limits.h"

enum { SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL };

/* From image_data.S. */
extern const uint8_t cloche__image_data[], cloche__image_data_end[];

static bool header_is_sound(const cloche__image_header *header, size_t size) {
  if (memcmp(header->magic, "clocheim", 8) != 0 || header->version != CLOCHE__IMAGE_VERSION)
    return false;
  size_t table = sizeof *header + (size_t)header->pages * sizeof(uint32_t);
  size_t start = (table + 4095) & ~(size_t)4095;
  return size == start + (size_t)header->pages * 4096 && header->size % 65536 == 0 &&
         header->size < CLOCHE__MEMORY_MAX && header->globals <= sizeof header->global_bytes;
}

static uint32_t page_number(const uint8_t *numbers, uint32_t at) {
  uint32_t number;
  memcpy(&number, numbers + (size_t)at * sizeof number, sizeof number);
  return number;
}

/* Pages that follow one another are written at once. */
static bool fill(int file, const cloche__image_header *header) {
  if (ftruncate(file, header->size) != 0) return false;
  const uint8_t *numbers = (const uint8_t *)(header + 1);
  const uint8_t *pages =
      cloche__image_data_end - (size_t)header->pages * 4096; /* sizes were checked */
  for (uint32_t i = 0, end; i < header->pages; i = end) {
    uint32_t first = page_number(numbers, i);
    for (end = i + 1; end < header->pages; end++)
      if (page_number(numbers, end) != first + (end - i)) break;
    size_t size = (size_t)(end - i) * 4096;
    if (pwrite(file, pages + (size_t)i * 4096, size, (off_t)first * 4096) != (ssize_t)size)
      return false;
  }
  return fcntl(file, F_ADD_SEALS, SEALS) == 0;
}

cloche_status cloche__image_look(cloche__image *image) {
  const cloche__image_header *header = (const cloche__image_header *)cloche__image_data;
  *image = (cloche__image){.file = -1};
  if (!header_is_sound(header, (size_t)(cloche__image_data_end - cloche__image_data)))
    return CLOCHE_E_FORMAT;
  *image = (cloche__image){
      .file = -1, .size = header->size, .control = header->control, .header = header};
  return CLOCHE_OK;
}

cloche_status cloche__image_fill(cloche__image *image) {
  image->file = memfd_create("cloche-image", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  return image->file >= 0 && fill(image->file, image->header) ? CLOCHE_OK : CLOCHE_E_SYSTEM;
}

cloche_status cloche__image_adopt(cloche__image *image, int file) {
  struct stat stat;
  image->file = file;
  bool fits = fstat(file, &stat) == 0 && stat.st_size == (off_t)image->size &&
              (fcntl(file, F_GET_SEALS) & SEALS) == SEALS;
  return fits ? CLOCHE_OK : CLOCHE_E_IMAGE;
}

/* Private, though nobody writes to it: before Linux 6.7 a shared mapping of a file that is sealed
 * against writing is refused, even one for reading. */
cloche_status cloche__image_map(cloche__image *image) {
  void *bytes = mmap(NULL, image->size, PROT_READ, MAP_PRIVATE, image->file, 0);
  if (bytes == MAP_FAILED) return CLOCHE_E_SYSTEM;
  image->bytes = bytes;
  return CLOCHE_OK;
}

void cloche__image_close(cloche__image *image) {
  if (image->bytes != NULL) munmap((void *)image->bytes, image->size);
  if (image->file >= 0) close(image->file);
}
