// SPDX-License-Identifier: MIT
/* tar.h -- trees as tar streams: ustar, with pax records where it has no room, which GNU tar and
 * all others read. Kept: names in any bytes, modes, whole seconds of mtime, links of both kinds.
 * Devices are left out. */
#ifndef GUEST_FS_TAR_H
#define GUEST_FS_TAR_H

#include "../kernel/blob.h"
#include "inode.h"

/* Everything below a folder, or one file by its name. 0 or a negative errno. */
int tar_write(blob *to, inode *from, const char *name);

/* Unpacks a stream that arrives in pieces. Of what a piece was refused for, `reason` is a sentence.
 */
typedef struct tar_reader tar_reader;

tar_reader *tar_reader_create(inode *into); /* holds the folder; NULL when there is no memory */
int tar_reader_add(tar_reader *reader, const uint8_t *bytes, size_t size);
/* No more comes: -EINVAL if the stream stopped in the middle. */
int tar_reader_end(tar_reader *reader);
const char *tar_reader_reason(const tar_reader *reader);
void tar_reader_release(tar_reader *released); /* NULL is fine */

#endif
