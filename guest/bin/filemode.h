// SPDX-License-Identifier: MIT
/* filemode.h -- file modes: as text, and from text like "u+x,go=r" or "755". */
#ifndef GUEST_BIN_FILEMODE_H
#define GUEST_BIN_FILEMODE_H

#include "../kernel/kernel.h"

/* "drwxr-xr-x", eleven bytes with the NUL. */
void filemode_text(file_kind kind, uint32_t mode, char text[11]);
/* The mode that `spec` makes of `mode`; `umask` holds for what names nobody. False: not a mode. */
bool filemode_apply(const char *spec, uint32_t mode, bool is_folder, uint32_t umask,
                    uint32_t *result);

#endif
