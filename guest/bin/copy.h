// SPDX-License-Identifier: MIT
/* copy.h -- copying one file's content, for cp, mv and install. */
#ifndef GUEST_BIN_COPY_H
#define GUEST_BIN_COPY_H

#include "bin.h"

/* Copies bytes between descriptors. 0 or a negative errno; *reading tells whose. [waits] */
int copy_bytes(int from, int to, bool *reading);
/* Where an operand goes when the target is a folder: target/base. malloc'd. */
char *copy_target(const char *folder, const char *operand);
bool copy_is_folder(const char *path);

#endif
