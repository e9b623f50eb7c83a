// SPDX-License-Identifier: MIT
/* config.h -- how SQLite is built into the guest: one thread, no loading of extensions, files
 * through vfs.c. What stays in static memory never points into a process's heap, since many
 * processes share the address space and each has its heap taken away at its end. */
#ifndef GUEST_BIN_SQLITE_CONFIG_H
#define GUEST_BIN_SQLITE_CONFIG_H

#define SQLITE_OS_OTHER 1
#define SQLITE_THREADSAFE 0
#define SQLITE_DEFAULT_MEMSTATUS 0 /* counters that a killed process would leave wrong */
#define SQLITE_DEFAULT_LOOKASIDE 0, 0
#define SQLITE_TEMP_STORE 2 /* temporary tables in memory: files are memory too */
#define SQLITE_MAX_EXPR_DEPTH 1000
#define SQLITE_MAX_MMAP_SIZE 0
#define SQLITE_DEFAULT_FOREIGN_KEYS 0
#define SQLITE_LIKE_DOESNT_MATCH_BLOBS 1
#define SQLITE_ENABLE_MATH_FUNCTIONS 1
#define SQLITE_ENABLE_FTS5 1
#define SQLITE_ENABLE_UPDATE_DELETE_LIMIT 1
#define SQLITE_SOUNDEX 1
#define SQLITE_OMIT_LOAD_EXTENSION 1
#define SQLITE_OMIT_SHARED_CACHE 1
#define SQLITE_OMIT_DESERIALIZE 1
#define SQLITE_OMIT_DEPRECATED 1
#define SQLITE_OMIT_TRACE 1
#define SQLITE_OMIT_TCL_VARIABLE 1
#define SQLITE_OMIT_COMPILEOPTION_DIAGS 1

#endif
