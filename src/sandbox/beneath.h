// SPDX-License-Identifier: MIT
/* beneath.h -- files below a folder of the host, and never beside it.
 *
 * A path is relative, its components are names (no ".", no "..", no empty one), or it is "." for
 * the folder itself. No link is followed, not even one that stays inside: the guest follows links
 * by itself, name by name. So whatever another process renames or relinks meanwhile, what is opened
 * was reached from the folder through folders. One that is moved away between two of our calls
 * takes along what we do in it then, as if we had done it before.
 *
 * Errors  -1 and errno. ELOOP: a link; ENOTDIR likewise, on the way. */
#ifndef CLOCHE_SANDBOX_BENEATH_H
#define CLOCHE_SANDBOX_BENEATH_H

#include <stdbool.h>
#include <sys/stat.h>

/* Flags as for open, without O_CREAT. O_CLOEXEC and O_NOCTTY are added. */
int cloche__beneath_open(int folder, const char *path, int flags);
/* The same, without openat2: for kernels before 5.6, and where a filter forbids it. */
int cloche__beneath_walk(int folder, const char *path, int flags);

/* A regular file to be read; EPERM for one that is something else, which is not opened: opening a
 * device or a pipe has effects of its own. */
int cloche__beneath_open_file(int folder, const char *path, struct stat *stat);
/* Whether a link at `path` that says `target` would lead nowhere but below the folder, through the
 * links that are there. What is not there leads nowhere. */
bool cloche__beneath_leads_inside(int folder, const char *path, const char *target);
/* The folder that `path` lies in; *name points at its last component. */
int cloche__beneath_open_parent(int folder, const char *path, const char **name);

#endif
