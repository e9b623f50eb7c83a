// SPDX-License-Identifier: MIT
/* version.h -- compares names with numbers in them, as sort -V and ls -v do. */
#ifndef GUEST_BIN_VERSION_H
#define GUEST_BIN_VERSION_H

#include <stddef.h>

int version_compare(const char *a, size_t a_size, const char *b, size_t b_size);

#endif
