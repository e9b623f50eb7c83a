// SPDX-License-Identifier: MIT
/* device.h -- the files of /dev that are neither links nor folders. */
#ifndef GUEST_FS_DEVICE_H
#define GUEST_FS_DEVICE_H

#include "inode.h"

int64_t device_read(device_kind device, void *to, size_t size);
int64_t device_write(device_kind device, size_t size);

#endif
