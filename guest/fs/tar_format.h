// SPDX-License-Identifier: MIT
/* tar_format.h -- the 512 bytes before each entry of a tar stream (POSIX.1-1988, "ustar"). Numbers
 * are octal digits; names fill their field or end in NUL. */
#ifndef GUEST_FS_TAR_FORMAT_H
#define GUEST_FS_TAR_FORMAT_H

#include <stddef.h>

#define TAR_BLOCK 512u

typedef struct {
  char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8];
  char type;
  char link[100], magic[6], version[2], user[32], group[32], major[8], minor[8], prefix[155],
      rest[12];
} tar_header;

_Static_assert(sizeof(tar_header) == TAR_BLOCK, "a header is one block");

enum {
  TAR_FILE = '0',
  TAR_HARD_LINK = '1',
  TAR_LINK = '2',
  TAR_FOLDER = '5',
  TAR_CONTIGUOUS = '7',
  TAR_PAX = 'x',
  TAR_PAX_GLOBAL = 'g',
  TAR_GNU_NAME = 'L',
  TAR_GNU_LINK = 'K'
};

/* The sum of all bytes, those of the checksum itself as spaces. */
static inline unsigned tar_checksum(const tar_header *header) {
  const unsigned char *bytes = (const unsigned char *)header;
  unsigned sum = 0;
  for (size_t i = 0; i < sizeof *header; i++) {
    size_t first = offsetof(tar_header, checksum);
    sum += i >= first && i < first + sizeof header->checksum ? ' ' : bytes[i];
  }
  return sum;
}

#endif
