// SPDX-License-Identifier: MIT
/* inbox.c -- writes the records that the guest is told. */
#include "sandbox/sandbox.h"

void cloche__inbox_add(cloche__buffer *to, abi_kind kind, uint32_t id, const void *bytes,
                       size_t size) {
  static const char zeros[4] = {0};
  if (size > UINT32_MAX - 3) {
    to->failed = true;
    return;
  }
  abi_record record = {.kind = (uint32_t)kind, .id = id, .size = (uint32_t)size};
  cloche__buffer_add(to, &record, sizeof record);
  cloche__buffer_add(to, bytes, size);
  cloche__buffer_add(to, zeros, -size & 3);
}
