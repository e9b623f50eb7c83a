// SPDX-License-Identifier: MIT
/* content.h -- the bytes of a file.
 *
 *   content --> [ chunk | chunk | hole | ... | last chunk, perhaps shorter ]
 *
 * Chunks are CHUNK bytes, so appending never copies what is there; only the last one grows, by
 * doubling, so a file of ten bytes does not take 16 KiB. A hole is a chunk that is not there and
 * reads as zeros. Bytes that a chunk has beyond the end of the file are always zero. */
#ifndef GUEST_FS_CONTENT_H
#define GUEST_FS_CONTENT_H

#include <stddef.h>
#include <stdint.h>

#define CHUNK 16384u
/* The table of chunks of a file this large takes 4 MiB. */
#define FILE_BYTES_MAX ((uint64_t)1 << 34)

typedef struct {
  uint64_t size;
  uint32_t count; /* entries in the table */
  uint32_t held;  /* of which are no holes */
  uint32_t last;  /* bytes that the table's last chunk has room for */
  union {
    uint8_t *only;  /* count is 1 */
    uint8_t **many; /* count is more */
  };
} content;

/* -ENOSPC beyond the limit on bytes in files, -EFBIG beyond FILE_BYTES_MAX, -ENOMEM. Nothing has
 * changed then. */
int64_t content_write(content *to, const void *from, size_t size, uint64_t at);
/* Replaces everything, whatever the limit says: for what the program did not write. 0 or -ENOMEM.
 */
int content_fill(content *of, const void *from, size_t size);
int64_t content_read(const content *from, void *to, size_t size, uint64_t at);
int content_resize(content *of, uint64_t size);
void content_release(content *of);
/* Where data or a hole starts at or after `at`: for sparse copies. */
uint64_t content_bytes_held(const content *of);
/* What all files hold. */
uint64_t content_total(void);

#endif
