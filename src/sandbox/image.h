// SPDX-License-Identifier: MIT
/* image.h -- the booted guest that every sandbox starts from.
 *
 * Made at build time by tools/image.c, which boots the guest once; carried by the library; written
 * to a memory file once per engine, from which slots are mapped. Workers get that file from the
 * process that starts them, so that many of them share its pages, and none of them waits for it. */
#ifndef CLOCHE_SANDBOX_IMAGE_H
#define CLOCHE_SANDBOX_IMAGE_H

#include "cloche.h"

/* How the library carries it, in the byte order of the machine: this header, `pages` page numbers
 * (u32), padding to 4096, then the pages themselves. Pages of zeros are left out. */
typedef struct cloche__image_header {
  char magic[8];      /* "clocheim" */
  uint32_t version;   /* CLOCHE__IMAGE_VERSION */
  uint32_t pages;     /* stored pages of 4 KiB */
  uint32_t size;      /* bytes of memory, a multiple of 64 KiB */
  uint32_t control;   /* address of the control block */
  uint64_t fuel_used; /* by booting */
  uint8_t hash[32];   /* of memory and globals: names this image in snapshots and ledgers */
  uint32_t globals;   /* bytes of the globals that follow */
  uint32_t reserved;
  uint8_t global_bytes[192];
} cloche__image_header;

#define CLOCHE__IMAGE_VERSION 1u

typedef struct cloche__image {
  int file;             /* the memory file, sealed against writing; -1 */
  const uint8_t *bytes; /* a read-only mapping of it; NULL */
  uint32_t size;
  uint32_t control;
  const cloche__image_header *header;
} cloche__image;

/* The header, size and name of the image in the library; there is no file. E_FORMAT if the library
 * is damaged. */
cloche_status cloche__image_look(cloche__image *image);
/* Then makes the memory file. E_SYSTEM with errno. */
cloche_status cloche__image_fill(cloche__image *image);
/* Or takes one that another process has made, which is believed; it is the image's from now on, in
 * any case. E_IMAGE: it is none of this image's size. */
cloche_status cloche__image_adopt(cloche__image *image, int file);
/* Maps the file. E_SYSTEM with errno. */
cloche_status cloche__image_map(cloche__image *image);
void cloche__image_close(cloche__image *image); /* at any stage */

#endif
