// SPDX-License-Identifier: MIT
/* image.c -- brings the image that the library carries into a memory file. */
#define _GNU_SOURCE
#include "sandbox/image.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "limits.h"

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

static bool write_page(int file, const uint8_t *page, uint32_t number) {
  return pwrite(file, page, 4096, (off_t)number * 4096) == 4096;
}

static bool fill(int file, const cloche__image_header *header) {
  if (ftruncate(file, header->size) != 0) return false;
  const uint8_t *numbers = (const uint8_t *)(header + 1);
  const uint8_t *pages =
      cloche__image_data_end - (size_t)header->pages * 4096; /* sizes were checked */
  for (uint32_t i = 0; i < header->pages; i++) {
    uint32_t number;
    memcpy(&number, numbers + i * sizeof number, sizeof number);
    if (!write_page(file, pages + (size_t)i * 4096, number)) return false;
  }
  return fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) == 0;
}

cloche_status cloche__image_look(cloche__image *image) {
  const cloche__image_header *header = (const cloche__image_header *)cloche__image_data;
  if (!header_is_sound(header, (size_t)(cloche__image_data_end - cloche__image_data)))
    return CLOCHE_E_FORMAT;
  *image = (cloche__image){
      .file = -1, .size = header->size, .control = header->control, .header = header};
  return CLOCHE_OK;
}

cloche_status cloche__image_open(cloche__image *image) {
  cloche_status status = cloche__image_look(image);
  if (status != CLOCHE_OK) return status;
  const cloche__image_header *header = image->header;
  int file = memfd_create("cloche-image", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) return CLOCHE_E_SYSTEM;
  void *bytes = MAP_FAILED;
  if (fill(file, header)) bytes = mmap(NULL, header->size, PROT_READ, MAP_SHARED, file, 0);
  if (bytes == MAP_FAILED) {
    close(file);
    return CLOCHE_E_SYSTEM;
  }
  image->file = file;
  image->bytes = bytes;
  return CLOCHE_OK;
}

void cloche__image_close(cloche__image *image) {
  if (image->bytes == NULL) return;
  munmap((void *)image->bytes, image->size);
  close(image->file);
}
