// SPDX-License-Identifier: MIT
/* device.c -- /dev/null, zero, full, random and urandom. */
#include "device.h"

#include <string.h>

int64_t device_read(device_kind device, void *to, size_t size) {
  if (device == DEVICE_NULL) return 0;
  if (device == DEVICE_RANDOM)
    kernel_random(to, size);
  else
    memset(to, 0, size);
  return (int64_t)size;
}

int64_t device_write(device_kind device, size_t size) {
  return device == DEVICE_FULL && size > 0 ? -ENOSPC : (int64_t)size;
}
