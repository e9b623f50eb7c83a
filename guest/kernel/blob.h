// SPDX-License-Identifier: MIT
/* blob.h -- bytes that grow at the end, in memory of no process.
 *
 * A failed allocation is noted and ends the growing; who reads the blob asks `failed` once. */
#ifndef GUEST_KERNEL_BLOB_H
#define GUEST_KERNEL_BLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct blob {
  char *at;
  size_t size, capacity;
  bool failed;
  /* If set, called when there is much to take; it may empty the blob. */
  void (*full)(struct blob *self);
  uint32_t id; /* for `full` */
} blob;

void blob_add(blob *to, const void *bytes, size_t size);
void blob_text(blob *to, const char *text);
void blob_number(blob *to, uint64_t number);
/* In quotes. Bytes that are no UTF-8 become U+FFFD. */
void blob_json_string(blob *to, const char *bytes, size_t size);
/* True if the bytes are UTF-8, so that blob_json_string loses nothing. */
bool blob_is_text(const char *bytes, size_t size);
void blob_hex(blob *to, const char *bytes, size_t size);
void blob_release(blob *released);

#endif
