// SPDX-License-Identifier: MIT
/* host_files.c -- the filesystem at the host's service: boot, /tools, ABI_FILE. */
#include <string.h>

#include "../kernel/outbox.h"
#include "files.h"
#include "path.h"
#include "tree.h"

void files_boot(void) {
  inode_boot();
}

void files_show_tools(void) {}

void files_operate(uint32_t id, const uint8_t *bytes, size_t size) {
  int32_t error = ENOSYS;
  (void)bytes, (void)size;
  outbox_add(ABI_FILED, id, &error, sizeof error, NULL, 0);
}
