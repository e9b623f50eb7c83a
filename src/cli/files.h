// SPDX-License-Identifier: MIT
/* files.h -- whole files in, whole texts out. */
#ifndef CLOCHE_CLI_FILES_H
#define CLOCHE_CLI_FILES_H

#include "json/buffer.h"

/* Reads all of `path`, or of standard input for "-", up to `most` bytes. False: it has complained,
 * naming the file as `what`. The caller frees the buffer. */
bool cloche__file_read(const char *path, const char *what, size_t most, cloche__buffer *out);
/* The same; *own: only this user, or root, could have written it. Standard input is nobody's. */
bool cloche__file_read_own(const char *path, const char *what, size_t most, cloche__buffer *out,
                           bool *own);
/* Puts the bytes in the place of `path`, readable by its owner alone, in one step: whatever
 * happens, the old file is there or the new one. Devices and pipes are left alone. False: it has
 * complained. */
bool cloche__file_replace(const char *path, const char *what, cloche_text bytes);
/* Writes all of it, in spite of signals and short writes. False: errno says why. */
bool cloche__write_all(int fd, cloche_text bytes);

#endif
