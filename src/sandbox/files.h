// SPDX-License-Identifier: MIT
/* files.h -- operations on the sandbox's files, between two runs.
 *
 *   begin --(checkpoint)--> ask, ask, ... --> end (OK: they stay; else: rolled back)
 *
 * files.c       asks the guest, and has the functions that need no more than its bytes
 * file_list.c   reads its JSON into cloche_file
 * changes.c     and into cloche_change */
#ifndef CLOCHE_SANDBOX_FILES_H
#define CLOCHE_SANDBOX_FILES_H

#include "sandbox/sandbox.h"

/* E_STATE, E_SYSTEM, E_MEMORY; then it must not be ended. */
cloche_status cloche__files_begin(cloche_sandbox *box);
/* One record of that kind to the guest. What it answers is added to `answer`; hostile bytes. Errors
 * as cloche.h has them. */
cloche_status cloche__files_ask(cloche_sandbox *box, abi_kind kind, uint32_t id,
                                const cloche__buffer *payload, cloche__buffer *answer);
/* The same with an ABI_FILE. E_ARGUMENT: not a path. */
cloche_status cloche__files_operate(cloche_sandbox *box, abi_file_operation operation,
                                    cloche_text path, cloche_text bytes, cloche__buffer *answer);
/* Gives `status` back. */
cloche_status cloche__files_end(cloche_sandbox *box, cloche_status status);

/* All three: an operation whose answer is JSON, parsed. *json is to be freed if OK. */
cloche_status cloche__files_json(cloche_sandbox *box, abi_file_operation operation,
                                 cloche_text path, cloche__json_doc *json);
/* The status for an answer that makes no sense. */
cloche_status cloche__files_nonsense(cloche_sandbox *box);

/* Bytes of `object`'s member `key`: its text, or where there is a member `hex` that, decoded into
 * the arena. False: neither, not hexadecimal, or there is no memory. */
bool cloche__files_bytes(cloche__json_doc *json, const cloche__json *object, const char *key,
                         const char *hex, cloche_text *bytes);
/* True for what may name a file in a folder. */
bool cloche__files_is_name(cloche_text name);
/* True for "/a/b": components that are names, one slash before each. A change's path may be longer
 * than any that the guest takes, by a name. */
bool cloche__files_is_path(cloche_text path);

#endif
