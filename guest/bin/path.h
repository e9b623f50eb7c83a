// SPDX-License-Identifier: MIT
/* path.h -- names of files: joining, taking apart, resolving links. Results are malloc'd. */
#ifndef GUEST_BIN_PATH_H
#define GUEST_BIN_PATH_H

#include <stdbool.h>
#include <stddef.h>

char *path_join(const char *folder, const char *name);
char *path_base(const char *path);   /* as basename(1) without a suffix */
char *path_parent(const char *path); /* as dirname(1) */
char *path_current(void);            /* the working folder */

typedef enum { PATH_EXISTING, PATH_LAST_MAY_MISS, PATH_MAY_MISS } path_missing;
/* Absolute, without ".", ".." and (when `links`) symbolic links. 0 or a negative errno. */
int path_resolve(const char *path, path_missing missing, bool links, char **resolved);
/* `to` as seen from the folder `from`; both resolved. */
char *path_relative(const char *to, const char *from);

/* The names in a folder, sorted by byte when `sorted`; NULL-terminated. */
int path_list(const char *folder, bool sorted, char ***names, size_t *count);

#endif
