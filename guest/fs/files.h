// SPDX-License-Identifier: MIT
/* files.h -- the filesystem as the kernel and the host see it. */
#ifndef GUEST_FS_FILES_H
#define GUEST_FS_FILES_H

#include <stddef.h>
#include <stdint.h>

void files_boot(void);
/* /tools shows other tools from now on. */
void files_show_tools(void);
/* One ABI_FILE of the host's, with the rights of root; answers with ABI_FILED. */
void files_operate(uint32_t id, const uint8_t *bytes, size_t size);

#endif
