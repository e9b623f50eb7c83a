// SPDX-License-Identifier: MIT
/* snapshots.h -- snapshots as files: written whole or not at all, and read with a word on who could
 * have written them. */
#ifndef CLOCHE_CLI_SNAPSHOTS_H
#define CLOCHE_CLI_SNAPSHOTS_H

#include "cli/options.h"
#include "json/json.h"

/* What --key and --audience say; `key` is where the key's bytes go. False: it has complained. */
bool cloche__snapshot_opening(const cloche__settings *settings, uint8_t key[32],
                              cloche_snapshot_options *opening);
/* Puts the bytes in the place of `path`, readable by its owner alone, in one step: whatever
 * happens, the old file is there or the new one. False: it has complained. */
bool cloche__snapshot_write(const char *path, cloche_text bytes);
/* *own: only this user, or root, could have written it. False: it has complained. */
bool cloche__snapshot_read(const char *path, cloche__buffer *bytes, bool *own);
/* Complains about a snapshot that could not be used. */
void cloche__snapshot_complain(const char *path, cloche_status status);

#endif
