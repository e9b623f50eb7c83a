// SPDX-License-Identifier: MIT
/* bytes.h -- searching bytes, fast enough for a 100 MB grep. */
#ifndef GUEST_TEXT_BYTES_H
#define GUEST_TEXT_BYTES_H

#include <stddef.h>

/* As memchr. wasi-libc's looks at four bytes at a time; this at thirty-two. */
const char *bytes_chr(const char *at, int byte, size_t size);
/* As memrchr. */
const char *bytes_rchr(const char *at, int byte, size_t size);
/* As memmem, and quick when a byte of the needle is rare in text. */
const char *bytes_find(const char *at, size_t size, const char *needle, size_t needle_size);
size_t bytes_count(const char *at, int byte, size_t size);

#endif
